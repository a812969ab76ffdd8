"""A scan that carries its parameters returns them too, unless its caller drops them.

    scanir diff examples/returned_carry.py:dropped examples/returned_carry.py:returned
    scanir bench examples/returned_carry.py:dropped examples/returned_carry.py:returned

The loop is the same. But what a jitted function returns is a new array: here each call copies 4 MB.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import lax

STEPS, SIZE = 100, 1024

example_args = (np.ones(4, np.float32), np.ones((SIZE, SIZE), np.float32))


def step(state: Any, _: None) -> tuple[Any, None]:
    x, table = state
    return (0.5 * x + table[0, :4], table), None


def returned(x: jax.Array, table: jax.Array) -> Any:
    """The whole carry is returned, the table with it."""
    return lax.scan(step, (x, table), None, length=STEPS)[0]


def dropped(x: jax.Array, table: jax.Array) -> Any:
    """The table is carried, and not returned."""
    return lax.scan(step, (x, table), None, length=STEPS)[0][0]
