"""A rate that is closed over as a Python number, or as an array: weak types decide in which precision a step is made.

    scanir diff examples/python_scalars.py:number examples/python_scalars.py:array --args 'f32[8]' --stage jaxpr
    scanir diff examples/python_scalars.py:number examples/python_scalars.py:array --args 'bf16[8]' --stage jaxpr

A Python number takes the type of what it meets, so with bfloat16 arrays all stays bfloat16. A float32 scalar, of numpy
or of JAX, does not: the step is then made in float32, and each trip converts there and back.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import lax

STEPS = 100

example_args = (np.ones(8, np.float32),)


def descent(x: jax.Array, rate: Any) -> jax.Array:
    return lax.scan(lambda x, _: ((x - rate * x).astype(x.dtype), None), x, None, length=STEPS)[0]


def number(x: jax.Array) -> jax.Array:
    """The rate is a Python number."""
    return descent(x, 0.1)


def array(x: jax.Array) -> jax.Array:
    """The rate is a float32 scalar."""
    return descent(x, np.float32(0.1))
