"""The same as first written, kept to be compared with."""

import jax.numpy as jnp
from jax import lax


def rollout(decay, start, inputs):
    def body(carry, x):
        state, leak = carry
        state = state * leak + x
        return (state, leak), jnp.max(state, axis=0)

    (state, _), highest = lax.scan(body, (start, decay), inputs)
    return state, highest


def make_args():
    params = {"w1": jnp.zeros((3, 8)), "b1": jnp.zeros(8), "w2": jnp.zeros((8, 2)), "b2": jnp.zeros(2)}
    return params, jnp.zeros((4, 3)), jnp.zeros((4, 2))
