"""A training step of a small transformer of twelve layers, and the same with the epsilon of one layer norm changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

LAYERS, WIDTH, HEADS = 12, 16, 2


def norm(x: Any, scale: Any, epsilon: float) -> Any:
    mean = x.mean(-1, keepdims=True)
    spread = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(spread + epsilon) * scale


def attention(x: Any, p: Any) -> Any:
    q, k, v = (jnp.reshape(x @ p[name], (*x.shape[:2], HEADS, -1)) for name in ("q", "k", "v"))
    weights = jax.nn.softmax(jnp.einsum("bihd,bjhd->bhij", q, k) / jnp.sqrt(q.shape[-1]))
    return jnp.einsum("bhij,bjhd->bihd", weights, v).reshape(x.shape) @ p["o"]


def layer(x: Any, p: Any, epsilon: float) -> Any:
    x = x + attention(norm(x, p["n1"], 1e-6), p)
    return x + jax.nn.gelu(norm(x, p["n2"], epsilon) @ p["w1"]) @ p["w2"]


def step(changed: int | None) -> Callable[..., Any]:
    """One step of gradient descent; layer ``changed`` has another epsilon."""

    def loss(layers: Any, x: Any, y: Any) -> Any:
        for number, p in enumerate(layers):
            if number == changed:
                x = layer(x, p, 1e-5)
            else:
                x = layer(x, p, 1e-6)
        return jnp.mean(jnp.square(x - y))

    def train(layers: Any, x: Any, y: Any) -> Any:
        value, slope = jax.value_and_grad(loss)(layers, x, y)
        return jax.tree.map(lambda p, g: p - 0.01 * g, layers, slope), value

    return train


def arguments() -> tuple[Any, ...]:
    shapes = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, WIDTH), "n1": (WIDTH,),
              "n2": (WIDTH,), "w1": (WIDTH, 4 * WIDTH), "w2": (4 * WIDTH, WIDTH)}  # fmt: skip
    layers = [{name: jax.ShapeDtypeStruct(shape, jnp.float32) for name, shape in shapes.items()}] * LAYERS
    batch = jax.ShapeDtypeStruct((2, 8, WIDTH), jnp.float32)
    return layers, batch, batch
