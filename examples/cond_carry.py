"""A table that is carried through a scan and now and then written to, in a `lax.cond`.

    scanir show examples/cond_carry.py:through_cond --loops     # copies in a trip: all of the table, three times
    scanir show examples/cond_carry.py:beside_cond --loops      # rows of it
    scanir bench examples/cond_carry.py:through_cond examples/cond_carry.py:beside_cond

A branch that returns the table hands the compiler another table, which is a copy wherever the old one is read as well.
Where the branches get and return a row only, the table is written in place. A table that no branch changes is not
copied, even if the branches return it (`unchanged`): JAX sees that they hand it on.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

ROWS, EVERY = 256, 10

example_args = (np.ones(ROWS, np.float32), np.ones((ROWS, ROWS), np.float32))


def through_cond(row: jax.Array, table: jax.Array) -> Any:
    """Each tenth trip writes a row; the branches return the table."""

    def step(state: Any, k: jax.Array) -> tuple[Any, None]:
        row, table = state
        written = lax.cond(k % EVERY == 0, lambda row, table: table.at[k].set(row), lambda _, table: table, row, table)
        return (0.5 * row + table[k], written), None

    return lax.scan(step, (row, table), jnp.arange(ROWS))[0]


def beside_cond(row: jax.Array, table: jax.Array) -> Any:
    """The same; the branches get a row and return the row that is written, new or old."""

    def step(state: Any, k: jax.Array) -> tuple[Any, None]:
        row, table = state
        row, new = lax.cond(
            k % EVERY == 0,
            lambda row, old: (0.5 * row + old, row),
            lambda row, old: (0.5 * row + old, old),
            row,
            table[k],
        )
        return (row, table.at[k].set(new)), None

    return lax.scan(step, (row, table), jnp.arange(ROWS))[0]


def unchanged(row: jax.Array, table: jax.Array) -> Any:
    """No branch changes the table, and both return it."""

    def step(state: Any, k: jax.Array) -> tuple[Any, None]:
        row, table = state
        state = lax.cond(
            k % EVERY == 0,
            lambda row, table: (row + 1, table),
            lambda row, table: (0.5 * row + table[k], table),
            row,
            table,
        )
        return state, None

    return lax.scan(step, (row, table), jnp.arange(ROWS))[0][0]
