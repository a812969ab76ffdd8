"""A training script that compiles more often than it has to: at its second step, at its last batch, and each epoch.

scanir recompile -- python examples/recompiles.py
"""

import jax
import jax.numpy as jnp


@jax.jit
def step(params, rate, batch):
    def loss(params):
        return jnp.mean((batch @ params["w"] - 1.0) ** 2)

    grads = jax.grad(loss)(params)
    return jax.tree.map(lambda p, g: p - rate * g, params, grads), rate * jnp.float32(0.9)


params, rate = {"w": jnp.zeros(3)}, 0.1  # the rate is a number here, and an array from the second step on
for _epoch in range(3):
    for size in (8, 8, 5):  # the last batch is smaller
        params, rate = step(params, rate, jnp.ones((size, 3)))
    norm = jax.jit(lambda params: jnp.sum(params["w"] ** 2))  # another function each time
    norm(params)
print("done")
