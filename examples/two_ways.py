"""One gradient descent, written in two ways: the matrix and the step size closed over, or threaded through the carry.

    scanir diff examples/two_ways.py:closed_over examples/two_ways.py:carried --stage all
    scanir diff examples/two_ways.py:closed_over examples/two_ways.py:twice_the_step

The first two are the same program, the third is another one. ``example_args`` says with which arguments to trace them;
shapes would be enough: ``--args 'f32[4], f32[4,4], f32[]'``.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import lax

STEPS = 50

example_args = (np.ones(4, np.float32), np.eye(4, dtype=np.float32), np.float32(0.1))


def closed_over(x: jax.Array, matrix: jax.Array, rate: jax.Array) -> jax.Array:
    """The body reads ``matrix`` and ``rate`` from around it."""

    def step(x: jax.Array, _: None) -> tuple[jax.Array, None]:
        return x - rate * (matrix @ x), None

    return lax.scan(step, x, None, length=STEPS)[0]


def carried(x: jax.Array, matrix: jax.Array, rate: jax.Array) -> jax.Array:
    """The body gets ``matrix`` and ``rate`` in the carry, and hands them on."""

    def step(state: Any, _: None) -> tuple[Any, None]:
        x, matrix, rate = state
        return (x - rate * (matrix @ x), matrix, rate), None

    return lax.scan(step, (x, matrix, rate), None, length=STEPS)[0][0]


def twice_the_step(x: jax.Array, matrix: jax.Array, rate: jax.Array) -> jax.Array:
    """Not the same: each step is twice as long."""
    return closed_over(x, matrix, 2 * rate)
