"""Compiles of this process, each with what tells it from the one before and the line that called."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import scanir
from scanir.compiles.reasons import KINDS
from scanir.recording.recorder import Recording

pytestmark = [pytest.mark.compat, pytest.mark.older]
X = np.ones(3, np.float32)


def recorded(run: Callable[[], Any]) -> Recording:
    with scanir.record_compiles() as log:
        run()
    return log


def kinds(log: Recording) -> list[list[str]]:
    return [[reason.kind for reason in row.reasons] for group in log.groups for row in group.rows]


def twice(first: Callable[[Any], Any], second: Callable[[Any], Any], **options: Any) -> Callable[[], Any]:
    """Two calls of one jitted function."""

    def run() -> None:
        f = jax.jit(lambda x, y=1.0, n=2: jax.tree.map(lambda a: a * y, x), **options)
        first(f)
        second(f)

    return run


class Config:
    """Without an equality."""


@dataclass(frozen=True)
class Equal:
    """With an equality, and a field that its text does not show."""

    width: int
    hidden: int = field(default=0, repr=False)


def x64(f: Any) -> Any:
    with jax.default_matmul_precision("highest"):
        return f(X)


CASES = {
    "shape": twice(lambda f: f(X), lambda f: f(X[:2])),
    "dtype": twice(lambda f: f(X), lambda f: f(np.ones(3, np.int32))),
    "weak-type": twice(lambda f: f(X, 0.5), lambda f: f(X, np.float32(0.5))),
    "pytree": twice(lambda f: f({"a": X}), lambda f: f([X])),
    "static": twice(lambda f: f(X, n=2), lambda f: f(X, n=3), static_argnames="n"),
    "static-object": twice(lambda f: f(X, n=Config()), lambda f: f(X, n=Config()), static_argnames="n"),
    "sharding": twice(lambda f: f(X), lambda f: f(jax.device_put(X, jax.devices()[0]))),
    "settings": twice(lambda f: f(X), x64),
}


@pytest.mark.parametrize("kind", CASES)
def test_one_reason(kind: str) -> None:
    log = recorded(CASES[kind])
    assert kinds(log) == [[], [kind]]
    (first, second) = log.rows[:2]
    assert second.beside == first.number
    assert first.site is not None
    assert first.site.file == __file__
    assert KINDS[kind][0] in log.summary


def test_arguments_have_the_names_that_a_person_gave_them() -> None:
    def step(state: Any, batch: Any) -> Any:
        return state["w"] * batch

    f = jax.jit(step)
    log = recorded(lambda: (f({"w": X}, X), f({"w": X[:1]}, X)))
    (reason,) = log.groups[0].rows[1].reasons
    assert reason.what == ("state['w']: f32[3] -> f32[1]",)


def test_a_new_function_each_time() -> None:
    def epochs() -> None:
        for _ in range(3):
            jax.jit(lambda x: x + 1)(X)

    log = recorded(epochs)
    assert kinds(log) == [[], ["function"], ["function"]]
    assert log.summary == "3 compiles of 1 function; 2 avoidable: 2 another function object"
    line = inspect.getsourcelines(epochs)[1] + 2
    group = log.groups[0]
    assert group.source is not None
    assert group.source.line == line
    assert f"made at {__file__}:{line}" in group.rows[1].reasons[0].what[0]
    assert [row.site.line for row in group.rows if row.site] == [line] * 3


def test_a_value_closed_over() -> None:
    def sweep() -> None:
        for rate in (0.1, 0.2):
            for bound in (lambda x, k=rate: x * k, functools.partial(lambda k, x: x * k, rate)):
                jax.jit(bound)(X)

    log = recorded(sweep)
    assert kinds(log) == [[], ["closure"]] * 2
    assert log.groups[0].rows[1].reasons[0].what == ("default of k: 0.1 -> 0.2",)
    assert log.groups[1].rows[1].reasons[0].what == ("argument 0 of the partial: 0.1 -> 0.2",)


def test_arrays_closed_over_are_told_apart_by_their_bits() -> None:
    def make(values: Any) -> Any:
        return jax.jit(lambda x: x * values)

    same, other = np.arange(9.0, dtype=np.float32), np.arange(9.0, dtype=np.float32) + 1
    log = recorded(lambda: [make(values)(np.float32(1)) for values in (same, same.copy(), other)])
    assert kinds(log) == [[], ["function"], ["closure"]]


def test_what_was_thrown_away_is_compiled_again() -> None:
    f = jax.jit(lambda x: x - 1)
    log = recorded(lambda: (f(X), jax.clear_caches(), f(X)))
    assert kinds(log) == [[], ["evicted"]]


def test_static_objects_are_what_their_equality_says() -> None:
    f = jax.jit(lambda x, c: x * c.width, static_argnames="c")
    log = recorded(lambda: [f(X, c=c) for c in (Equal(2), Equal(2), Equal(3), Equal(3, 1))])
    assert kinds(log) == [[], ["static"], ["static-object"]]
    said = [reason.what for row in log.groups[0].rows for reason in row.reasons]
    assert [line.replace("Equal(width=", "").replace(")", "") for (line,) in said] == [
        "c: 2 -> 3",
        "c: another object, 3",
    ]


def test_equinox_and_flax_are_named_by_the_persons_function() -> None:
    # A Flax that is newer than the JAX at hand is there and cannot be imported.
    equinox, nnx = (pytest.importorskip(name, exc_type=ImportError) for name in ("equinox", "flax.nnx"))

    @equinox.filter_jit
    def filtered(x: Any, k: Any) -> Any:
        return x * k

    @nnx.jit
    def of_nnx(x: Any) -> Any:
        return x * 2

    log = recorded(lambda: (filtered(X, 3), filtered(X, 4), of_nnx(X), of_nnx(X[:2])))
    assert [group.name for group in log.groups] == ["filtered", "of_nnx"]
    assert all(group.source is not None and group.source.file == __file__ for group in log.groups)
    assert [reason.what[0] for group in log.groups for reason in group.rows[1].reasons][1] == "x: f32[3] -> f32[2]"


def test_donation_and_options() -> None:
    def f(x: Any) -> Any:
        return x * 3

    log = recorded(lambda: (jax.jit(f)(X), jax.jit(f, donate_argnums=0)(jnp.ones(3)), jax.jit(f)(X)))
    assert kinds(log)[:2] == [[], ["donation"]]
    assert len(log.groups[0].rows) == 2


def test_functions_inside_transforms_and_jits_are_of_the_one_that_is_compiled() -> None:
    inner = jax.jit(lambda x: jnp.sin(x) * 2)

    @jax.jit
    def outer(x: Any) -> Any:
        return inner(x).sum()

    log = recorded(lambda: outer(X))
    assert [group.name for group in log.groups] == ["outer"]
    log = recorded(lambda: (inner(X), jax.grad(lambda x: inner(x).sum())(X), jax.vmap(inner)(jnp.ones((2, 3)))))
    assert {group.name for group in log.groups} == {"<lambda>"}
    assert {kind for found in kinds(log) for kind in found} == {"transform"}


def test_what_is_computed_while_another_function_is_traced() -> None:
    constant = jax.jit(lambda x: jnp.cos(x) - 4)

    @jax.jit
    def outer(x: Any) -> Any:
        with jax.ensure_compile_time_eval():
            table = constant(jnp.ones(2))
        return x.sum() + table

    log = recorded(lambda: outer(X))
    assert {group.name: len(group.rows) for group in log.groups} == {"<lambda>": 1, "outer": 1}
    assert all(group.source is not None and group.source.file == __file__ for group in log.groups)


def test_ahead_of_time() -> None:
    log = recorded(lambda: jax.jit(lambda x: x * 5).lower(X).compile())
    assert [(group.name, len(group.rows)) for group in log.groups] == [("<lambda>", 1)]


def test_own_functions_of_jax_are_set_apart() -> None:
    jax.clear_caches()
    log = recorded(lambda: jnp.where(jnp.arange(7) > 3, 1.0, 2.0))
    assert log.groups == ()
    assert log.summary == "no compiles"
    assert log.own
    assert "JAX's own (" in str(log)


def test_seconds_and_nesting() -> None:
    f = jax.jit(lambda x: x * 7)
    with scanir.record_compiles() as outer:
        log = recorded(lambda: f(X))
        g = jax.jit(lambda x: x * 8)
        g(X)
    assert [len(found.groups) for found in (outer, log)] == [2, 1]
    (row,) = log.groups[0].rows
    assert row.compile.trace > 0
    assert row.compile.lower > 0
    assert row.compile.compile > 0
    assert repr(log) == "<1 compile of 1 function>"
    assert recorded(lambda: f(X)).rows == ()


def test_an_error_of_the_function_is_the_persons_own() -> None:
    def broken(x: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), scanir.record_compiles() as log:
        jax.jit(broken)(X)
    assert len(log) == 0


def test_assert_compiles_once() -> None:
    f = jax.jit(lambda x: x * 9)
    with scanir.assert_compiles_once() as log:
        f(X)
        f(X + 1)
    assert log.summary == "1 compile of 1 function"

    def step(x: Any) -> Any:
        return x * 10

    jitted = jax.jit(step)

    def run() -> None:
        with scanir.assert_compiles_once("step"):
            jitted(X)
            jitted(X[:2])

    with pytest.raises(AssertionError, match=r"step compiled 2 times\n(?s:.)*x: f32\[3\] -> f32\[2\]"):
        run()
    with scanir.assert_compiles_once("other"):
        jitted(X[:1])
        jitted(np.ones((2, 2), np.float32))
