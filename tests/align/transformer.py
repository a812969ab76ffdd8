"""A training step of a small transformer of twelve layers, unrolled or scanned, and the same with epsilons changed."""

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


def step(*changed: int) -> Callable[..., Any]:
    """One step of gradient descent; the layers ``changed`` have another epsilon."""

    def loss(layers: Any, x: Any, y: Any) -> Any:
        for number, p in enumerate(layers):
            if number in changed:
                x = layer(x, p, 1e-5)
            else:
                x = layer(x, p, 1e-6)
        return jnp.mean(jnp.square(x - y))

    return descent(loss)


def scanned(epsilon: float) -> Callable[..., Any]:
    """The same step with its layers in a scan."""

    def loss(layers: Any, x: Any, y: Any) -> Any:
        x, _ = jax.lax.scan(lambda x, p: (layer(x, p, epsilon), None), x, layers)
        return jnp.mean(jnp.square(x - y))

    return descent(loss)


def descent(loss: Callable[..., Any]) -> Callable[..., Any]:
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


def stacked() -> tuple[Any, ...]:
    """The arguments of a scanned step."""
    (first, *_), x, y = arguments()
    return {name: jax.ShapeDtypeStruct((LAYERS, *p.shape), p.dtype) for name, p in first.items()}, x, y
