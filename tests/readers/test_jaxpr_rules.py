"""Derivative rules in jaxprs: compared by what they do; named by who they are only where they cannot be traced."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from scanir.ir import attrs
from scanir.ir.printer import print_module
from tests.readers.test_jaxpr import S, all_ops, facts, read

pytestmark = [pytest.mark.compat, pytest.mark.older]
CUSTOM = ("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr")


def jvp(factor: float) -> Callable[..., Any]:
    """A rule as the documentation writes it: it calls its own function."""

    @jax.custom_jvp
    def special(x: Any) -> Any:
        return jnp.sin(x)

    @special.defjvp
    def _rule(primals: Any, tangents: Any) -> Any:
        return special(*primals), factor * tangents[0]

    return lambda x: special(x)


def jvps(factor: float) -> Callable[..., Any]:
    @jax.custom_jvp
    def special(x: Any) -> Any:
        return jnp.sin(x)

    special.defjvps(lambda t, answer, x: factor * t)
    return lambda x: special(x)


def vjp(factor: float, forward: float = 1.0) -> Callable[..., Any]:
    @jax.custom_vjp
    def special(x: Any) -> Any:
        return jnp.sin(x)

    special.defvjp(lambda x: (special(x), x * forward), lambda residual, ct: (ct * residual * factor,))
    return lambda x: special(x)


def countdown(last: float) -> Callable[..., Any]:
    """A rule that depends on an argument it is not differentiated by, which counts down: only the last one differs."""

    @functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
    def special(n: int, x: Any) -> Any:
        return jnp.sin(x)

    @special.defjvp
    def _rule(n: int, primals: Any, tangents: Any) -> Any:
        return (special(n - 1, *primals), jnp.cos(tangents[0])) if n else (jnp.sin(*primals), last * tangents[0])

    return lambda x: special(1, x)


@pytest.mark.parametrize("make", [jvp, jvps, vjp, countdown])
def test_rules_that_differ(make: Callable[[float], Callable[..., Any]]) -> None:
    one, five, again = (read(make(factor), S) for factor in (1.0, 5.0, 1.0))
    assert facts(one) != facts(five)
    assert facts(one) == facts(again), "the same rule, made twice"
    assert print_module(one) == print_module(again)


def test_forward_rules_count() -> None:
    assert facts(read(vjp(1.0, 2.0), S)) != facts(read(vjp(1.0, 3.0), S))


def test_a_rule_inside_itself_is_named_by_how_far_out_it_is() -> None:
    for function in (jvp(2.0), vjp(2.0)):
        found = [op for op in all_ops(read(function, S)) if op.name in CUSTOM]
        assert [op.attribute("rule") for op in found] == [None, attrs.Text("the rule 1 levels out")]


def test_a_rule_that_cannot_be_traced_is_known_by_its_function() -> None:
    @jax.custom_jvp
    def special(x: Any) -> Any:
        return jnp.sin(x)

    @special.defjvp
    def broken(primals: Any, tangents: Any) -> Any:
        raise RuntimeError("not here")

    @jax.custom_jvp
    def other(x: Any) -> Any:
        return jnp.sin(x)

    @other.defjvp
    def broken_too(primals: Any, tangents: Any) -> Any:
        raise RuntimeError("not here")

    def rule(function: Any) -> attrs.Callable:
        module = read(lambda x: function(x), S)
        (op,) = [op for op in all_ops(module) if op.name == "custom_jvp_call"]
        value = op.attribute("rule")
        assert isinstance(value, attrs.Seq)
        (found,) = value.items
        assert isinstance(found, attrs.Callable)
        return found

    assert rule(special).qualname.endswith("broken")
    assert rule(special) == rule(special)
    assert rule(special).identity != rule(other).identity


def test_a_shared_backward_rule_does_not_hide_another_forward_rule() -> None:
    def backward(residual: Any, ct: Any) -> Any:
        raise RuntimeError("not here")

    def make(factor: float) -> Callable[..., Any]:
        special = jax.custom_vjp(lambda x: jnp.sin(x))
        special.defvjp(lambda x: (jnp.sin(x), x * factor), backward)
        return lambda x: special(x)

    assert facts(read(make(2.0), S)) != facts(read(make(3.0), S))


def test_symbolic_zeros_also_name_the_function() -> None:
    special = jax.custom_jvp(lambda x, y: x * y)

    def rule(primals: Any, tangents: Any) -> Any:
        return primals[0] * primals[1], primals[0] * 1.0

    special.defjvp(rule, symbolic_zeros=True)
    (op,) = [op for op in all_ops(read(lambda x: special(x, x), S)) if op.name == "custom_jvp_call"]
    assert op.attribute("rule") is not None


def test_functions_of_jax_with_rules_are_read_alike_twice() -> None:
    for function in (jax.nn.relu, jax.nn.silu, jax.nn.gelu, jax.scipy.special.logsumexp):
        left, right = (read(lambda x, f=function: f(x), jax.ShapeDtypeStruct((3,), jnp.float32)) for _ in range(2))
        assert facts(left) == facts(right)


def test_rules_that_make_rules_come_to_an_end() -> None:
    """Each derivative makes another function with a rule of its own: no two are the same, and there is no last one."""

    def tower(x: Any) -> Any:
        special = jax.custom_jvp(lambda v: jnp.sin(v))
        special.defjvp(lambda primals, tangents: (tower(primals[0]) + tower(primals[0]), tangents[0]))
        return special(x)

    assert len(all_ops(read(tower, S))) < 500


def test_rules_inside_loops() -> None:
    def run(factor: float) -> Callable[..., Any]:
        special = jvp(factor)
        return lambda x: lax.fori_loop(0, 3, lambda i, c: special(c), x)

    assert facts(read(run(2.0), S)) == facts(read(run(2.0), S))
    assert facts(read(run(2.0), S)) != facts(read(run(3.0), S))
