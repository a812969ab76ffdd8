"""A test that a refactoring changes nothing: `scanir.assert_equivalent` raises an AssertionError if it does.

Put such a test beside the code while both versions exist; neither function is run, both are traced.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

import scanir


def before(x: jax.Array, weights: jax.Array) -> jax.Array:
    hidden = jnp.tanh(x @ weights)
    return hidden / jnp.sqrt(jnp.sum(hidden * hidden))


def normalized(vector: jax.Array) -> jax.Array:
    return vector / jnp.sqrt(jnp.sum(vector * vector))


def after(x: jax.Array, weights: jax.Array) -> jax.Array:
    """The same, with a function of its own for the norm, jitted by itself."""
    return jax.jit(normalized)(jnp.tanh(x @ weights))


def test_the_refactoring_changes_nothing() -> None:
    x, weights = jax.ShapeDtypeStruct((8,), "float32"), jax.ShapeDtypeStruct((8, 16), "float32")
    scanir.assert_equivalent(before, after, x, weights, stage="jaxpr")


if __name__ == "__main__":
    test_the_refactoring_changes_nothing()
    print("before and after are equivalent")
