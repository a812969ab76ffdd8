"""What is read computes what JAX computes: modules are run by an evaluator of their own, against JAX's results.

That is how consts, carries, scanned values, captures and branches are known to be wired to the right places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from scanir.ir.verify import verify
from scanir.readers.jaxpr import read_jaxpr
from tests.readers.evaluator import evaluate

pytestmark = [pytest.mark.compat, pytest.mark.older]


def check(function: Callable[..., Any], *args: np.ndarray) -> None:
    module = read_jaxpr(jax.make_jaxpr(function)(*args))
    verify(module)
    wanted = jax.tree.leaves(jax.jit(function)(*args))
    found = evaluate(module, args)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, np.asarray(other), rtol=2e-5, atol=1e-6)


X, Y, Z = (np.linspace(a, b, 3, dtype=np.float32) for a, b in ((0.1, 1.0), (-1.0, 2.0), (3.0, 0.5)))
TABLE = np.cos(np.arange(9, dtype=np.float32)).reshape(3, 3)


def nested(x: jax.Array, y: jax.Array, z: jax.Array, table: jax.Array) -> Any:
    """Each loop closes over other values than the one around it, in another order."""

    def inner(c: jax.Array, e: jax.Array) -> Any:
        return jnp.sin(c) * z - y, e * x

    def outer(c: jax.Array, e: jax.Array) -> Any:
        last, ys = lax.scan(inner, c + z, table * e, reverse=True)
        return last - x, ys * c

    return lax.scan(outer, x * y, table)


def whiles(x: jax.Array, y: jax.Array, z: jax.Array, table: jax.Array) -> Any:
    """The condition closes over one value, the body over others."""
    limit = jnp.sum(y) + 20

    def body(c: Any) -> Any:
        i, v, w = c
        return i + 1, w * z + x, lax.cond(i > 2, lambda u: u - y, lambda u: u + v, v)

    return lax.while_loop(lambda c: c[0] * 3.0 < limit, body, (0, x, y))


def switches(x: jax.Array, y: jax.Array, z: jax.Array, table: jax.Array) -> Any:
    branches = [lambda a, b: a - y * b, lambda a, b: b - a * x, lambda a, b: a + b * z]
    return [lax.switch(k, branches, x, z) for k in range(3)]


def calls(x: jax.Array, y: jax.Array, z: jax.Array, table: jax.Array) -> Any:
    shared = jax.jit(lambda a, b: a - 2 * b)
    return shared(shared(x, y), shared(z, x)), jax.jit(lambda a: a * y - z)(x)


def constants(x: jax.Array, y: jax.Array, z: jax.Array, table: jax.Array) -> Any:
    """Arrays captured at three levels."""
    first, second = np.arange(3, dtype=np.float32), jnp.asarray(np.float32([2, -7, 5]))

    def step(c: jax.Array, e: jax.Array) -> Any:
        return c * first - jax.jit(lambda u: u + second)(e), c

    return lax.scan(step, x, table)


def loop(v: jax.Array, y: jax.Array, z: jax.Array, table: jax.Array) -> Any:
    def step(c: jax.Array, e: jax.Array) -> Any:
        return jnp.sin(c) * y + e * v, c * z

    return lax.scan(step, v, table)


def tangents(x: jax.Array, y: jax.Array, z: jax.Array, table: jax.Array) -> Any:
    """A scan that JAX makes: primals and tangents in one carry."""
    return jax.jvp(lambda v, w: loop(v, y, w, table), (x, z), (y, x))


def cotangents(x: jax.Array, y: jax.Array, z: jax.Array, table: jax.Array) -> Any:
    """Scans that JAX makes: forwards with residuals, backwards over them."""
    out, pull = jax.vjp(lambda v, w: loop(v, y, w, table), x, z)
    return pull(out)


@pytest.mark.parametrize("function", [nested, whiles, switches, calls, constants, tangents, cotangents])
def test_structured_programs(function: Callable[..., Any]) -> None:
    check(function, X, Y, Z, TABLE)


STEP = st.sampled_from(["add", "sub", "mul", "sin", "tanh", "loop", "scan", "branch", "call", "capture"])


def program(steps: list[tuple[str, int, int]]) -> Callable[..., Any]:
    """A random straight line of ops and small structures over a growing list of values."""

    def run(*args: jax.Array) -> Any:
        values = list(args)
        for name, i, j in steps:
            a, b = values[i % len(values)], values[j % len(values)]
            values.append(apply(name, a, b, values))
        return values[len(args) :]

    return run


def apply(name: str, a: jax.Array, b: jax.Array, values: list[jax.Array]) -> jax.Array:
    match name:
        case "add":
            return a + b
        case "sub":
            return a - b * 0.5
        case "mul":
            return jnp.tanh(a) * b
        case "sin":
            return jnp.sin(a)
        case "tanh":
            return jnp.tanh(a - b)
        case "loop":
            return lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, jnp.sin(c[1]) - b), (0, a))[1]
        case "scan":
            return lax.scan(lambda c, _: (jnp.tanh(c * b), None), a, None, length=3)[0]
        case "branch":
            return lax.switch(1, [lambda u, v: u + v, lambda u, v: u - v], a, b)
        case "call":
            return jax.jit(lambda u, v: jnp.tanh(u) - v)(a, b)
        case _:
            first, last = values[0], values[-1]
            return lax.scan(lambda c, _: (jnp.tanh(c - first) * b + last, None), a, None, length=2)[0]


@settings(max_examples=25)
@given(st.lists(st.tuples(STEP, st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6))
def test_random_programs(steps: list[tuple[str, int, int]]) -> None:
    check(program(steps), X, Y, Z)
