"""Family ``fibonacci``: ten terms of the sequence from two starts, by each kind of loop."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

TERMS = 10


def example() -> tuple[Any, ...]:
    """0 and 1: the terms are 0, 1, 1, 2, 3, 5, 8, 13, 21, 34."""
    return np.int32(0), np.int32(1)


def many() -> tuple[Any, ...]:
    """Four pairs of starts."""
    return np.array([0, 1, 2, 2], np.int32), np.array([1, 1, 1, 5], np.int32)


def _advance(pair: Any, _: Any) -> Any:
    a, b = pair
    return (b, a + b), a


def fibonacci_scan(a: Any, b: Any) -> Any:
    """A scan that stacks the terms."""
    _, terms = lax.scan(_advance, (a, b), None, length=TERMS)
    return terms


def fibonacci_fori(a: Any, b: Any) -> Any:
    """A fori_loop that writes term i to an output buffer."""

    def body(i: Any, state: Any) -> Any:
        a, b, terms = state
        return b, a + b, terms.at[i].set(a)

    _, _, terms = lax.fori_loop(0, TERMS, body, (a, b, jnp.zeros(TERMS, jnp.int32)))
    return terms


def fibonacci_python(a: Any, b: Any) -> Any:
    """A Python loop: traced, it is unrolled."""
    terms = []
    for _ in range(TERMS):
        terms.append(a)
        a, b = b, a + b
    return jnp.stack(terms)


def fibonacci_vmap(a: Any, b: Any) -> Any:
    """`fibonacci_scan` over several starts."""
    return jax.vmap(fibonacci_scan)(a, b)


@functools.partial(jax.jit, static_argnames=("terms",), inline=True)
def fibonacci_jit(terms: int = TERMS) -> Any:
    """Jitted already, with options of its own, which wrapping it in jit once more would hide."""
    _, values = lax.scan(_advance, (jnp.int32(0), jnp.int32(1)), None, length=terms)
    return values


def fibonacci_xs_unused(a: Any, b: Any) -> Any:
    """A scan over an arange that its body does not read, where ``length=`` would do."""
    _, terms = lax.scan(_advance, (a, b), jnp.arange(TERMS))
    return terms
