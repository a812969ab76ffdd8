"""The code under test: a small network and one step of its training."""

import jax
import jax.numpy as jnp
from jax import lax

RATE = 0.01


def forward(params, x):
    hidden = jnp.tanh(x @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def loss(params, x, y):
    error = forward(params, x) - y
    return jnp.mean(error * error)


def step(params, x, y):
    value, slope = jax.value_and_grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - RATE * g, params, slope), value


def rollout(decay, start, inputs):
    """A leaky sum of the inputs."""

    def body(state, x):
        state = state * decay + x
        return state, jnp.max(state, axis=0)

    return lax.scan(body, start, inputs)
