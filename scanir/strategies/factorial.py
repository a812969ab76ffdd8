"""Family ``factorial``: the product of an array argument, by each kind of loop."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax


def example() -> tuple[Any, ...]:
    """1 to 5, whose product is 120."""
    return (np.arange(1, 6, dtype=np.int32),)


def factorial_scan(values: Any) -> Any:
    """A scan over the elements."""
    product, _ = lax.scan(lambda product, value: (product * value, None), jnp.ones((), values.dtype), values)
    return product


def factorial_fori(values: Any) -> Any:
    """A fori_loop that reads element i."""
    return lax.fori_loop(0, values.shape[0], lambda i, product: product * values[i], jnp.ones((), values.dtype))


def factorial_python(values: Any) -> Any:
    """A Python loop over the elements: traced, it is unrolled."""
    product = jnp.ones((), values.dtype)
    for value in values:
        product = product * value
    return product
