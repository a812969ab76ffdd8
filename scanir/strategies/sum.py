"""Family ``sum``: the sum of an array argument, by each kind of loop."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax


def example() -> tuple[Any, ...]:
    """0 to 9, whose sum is 45."""
    return (np.arange(10, dtype=np.int32),)


def sum_scan(values: Any) -> Any:
    """A scan over the elements."""
    total, _ = lax.scan(lambda total, value: (total + value, None), jnp.zeros((), values.dtype), values)
    return total


def sum_fori(values: Any) -> Any:
    """A fori_loop that reads element i."""
    return lax.fori_loop(0, values.shape[0], lambda i, total: total + values[i], jnp.zeros((), values.dtype))


def sum_while(values: Any) -> Any:
    """A while_loop with a counter of its own."""
    _, total = lax.while_loop(
        lambda state: state[0] < values.shape[0],
        lambda state: (state[0] + 1, state[1] + values[state[0]]),
        (0, jnp.zeros((), values.dtype)),
    )
    return total


def sum_python(values: Any) -> Any:
    """A Python loop over the elements: traced, it is unrolled."""
    total = jnp.zeros((), values.dtype)
    for value in values:
        total = total + value
    return total
