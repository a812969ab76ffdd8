"""Programs of JAX that are one program because a scan takes apart, or stacks, copies of one value."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import scanir
from scanir.result import Verdict
from scanir.strategies import find

pytestmark = pytest.mark.compat

F = jnp.float32


def gradient(name: str) -> Any:
    strategy = find(name)
    assert strategy is not None
    return jax.grad(lambda *args: jnp.sum(jax.tree.leaves(strategy.function(*args))[0]), argnums=(0, 1))


def test_residuals_that_no_trip_changes() -> None:
    """JAX stacks them for the backward scan where a call hides that they stay the same."""
    strategy = find("lambda")
    assert strategy is not None
    answer = scanir.diff(gradient("lambda"), gradient("jit-body"), *strategy.example(), stage="jaxpr")
    assert answer.verdict is Verdict.EQUIVALENT
    assert "stacking" in {use.rule for use in answer.stages[0].modulo}


def closed(w: Any, x: Any) -> Any:
    return lax.scan(lambda c, _: (jnp.sin(c) * w, None), x, None, length=5)[0]


def scanned(w: Any, x: Any) -> Any:
    return lax.scan(lambda c, v: (jnp.sin(c) * v, None), x, jnp.broadcast_to(w, (5, 3)))[0]


def another(w: Any, x: Any) -> Any:
    return lax.scan(lambda c, v: (jnp.sin(c) * v, None), x, jnp.broadcast_to(w[:, None], (3, 3)))[0]


def test_a_broadcast_that_is_scanned() -> None:
    specs = (jax.ShapeDtypeStruct((3,), F), jax.ShapeDtypeStruct((3,), F))
    answer = scanir.diff(closed, scanned, *specs, stage="jaxpr")
    assert {use.rule for use in answer.stages[0].modulo} == {"stacking", "dead-code"}
    assert scanir.diff(closed, another, *specs, stage="jaxpr").verdict is Verdict.DIFFERENT


def test_an_element_of_the_scan_around_is_no_element_of_this_one() -> None:
    """A scan without carries that stacks what it closes over, which is an element of the outer scan's input."""

    def nest(inner: Any) -> Any:
        return lambda xs, ys: lax.scan(
            lambda c, x: (c, lax.scan(lambda _, y: (None, inner(x, y)), None, ys)[1]), 0.0, xs
        )[1]

    specs = (jax.ShapeDtypeStruct((4,), F), jax.ShapeDtypeStruct((4,), F))
    answer = scanir.diff(nest(lambda x, y: x), nest(lambda x, y: y), *specs, stage="jaxpr")
    assert answer.verdict is Verdict.DIFFERENT
    assert scanir.diff(nest(lambda x, y: x), nest(lambda x, y: x), *specs, stage="jaxpr").verdict is Verdict.IDENTICAL
    with_carry = jax.jit(lambda xs, ys: lax.scan(lambda c, x: (c, jnp.broadcast_to(x, (4,))), 0.0, xs)[1])
    assert scanir.diff(nest(lambda x, y: x), with_carry, *specs, stage="jaxpr").verdict is Verdict.DIFFERENT
