"""How long does `scanir diff` take on a training step of 10 GB of parameters, against tracing and lowering alone?

The step is a transformer with AdamW written in plain JAX, 2.5e9 float32 parameters by default: with both moments 30 GB
of arguments, of which only shapes are ever made (`--args-from`). `old` and `new` are one program written in two ways.
Each round starts both commands once, in turn: one that imports JAX, traces and lowers the two steps, and `scanir diff`
at stages jaxpr and stablehlo, which does the same and reads, normalizes and compares besides. The first round, which
fills disk caches, is not counted. Peak memory is the child's own, as the system tells it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from typing import Any

import jax
import jax.numpy as jnp

LAYERS, WIDTH, VOCABULARY = 24, 2880, 50_000
BATCH, LENGTH, HEADS = 8, 512, 16


def init(layers: int, width: int) -> dict[str, Any]:
    """Parameters, as a person makes them: nothing here knows that it runs on shapes alone."""
    keys = iter(jax.random.split(jax.random.key(0), 6 * layers + 1))

    def matrix(rows: int, columns: int) -> jax.Array:
        return jax.random.normal(next(keys), (rows, columns)) * rows**-0.5

    def layer() -> dict[str, jax.Array]:
        return {
            "norm1": jnp.ones(width), "norm2": jnp.ones(width),
            "q": matrix(width, width), "k": matrix(width, width), "v": matrix(width, width), "o": matrix(width, width),
            "up": matrix(width, 4 * width), "down": matrix(4 * width, width),
        }  # fmt: skip

    return {"embedding": matrix(VOCABULARY, width), "layers": [layer() for _ in range(layers)], "norm": jnp.ones(width)}


def make_args(layers: int = LAYERS, width: int = WIDTH) -> tuple[Any, ...]:
    """(parameters, first moments, second moments, step, tokens)."""
    params = init(layers, width)
    zeros = jax.tree.map(jnp.zeros_like, params)
    tokens = jnp.zeros((BATCH, LENGTH), jnp.int32)
    return params, zeros, jax.tree.map(jnp.zeros_like, params), jnp.zeros((), jnp.int32), tokens


def norm(x: jax.Array, scale: jax.Array) -> jax.Array:
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def attention(layer: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    batch, length, width = x.shape
    q, k, v = (jnp.reshape(x @ layer[name], (batch, length, HEADS, width // HEADS)) for name in "qkv")
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * (width // HEADS) ** -0.5
    mask = jnp.tril(jnp.ones((length, length), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, length, width) @ layer["o"]


def loss(params: dict[str, Any], tokens: jax.Array) -> jax.Array:
    x = params["embedding"][tokens]
    for layer in params["layers"]:
        x = x + attention(layer, norm(x, layer["norm1"]))
        x = x + jax.nn.gelu(norm(x, layer["norm2"]) @ layer["up"]) @ layer["down"]
    logits = norm(x, params["norm"]) @ params["embedding"].T
    scores = jax.nn.log_softmax(logits[:, :-1])
    return -jnp.take_along_axis(scores, tokens[:, 1:, None], axis=-1).mean()


RATE, DECAY, BETA1, BETA2, EPSILON = 3e-4, 0.1, 0.9, 0.95, 1e-8


def old(params: Any, first: Any, second: Any, step: jax.Array, tokens: jax.Array) -> tuple[Any, ...]:
    """One step of AdamW, tree by tree."""
    value, grads = jax.value_and_grad(loss)(params, tokens)
    step = step + 1
    first = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, first, grads)
    second = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * (g * g), second, grads)
    scale1, scale2 = 1 - BETA1**step, 1 - BETA2**step

    def update(p: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        return p - RATE * ((m / scale1) / (jnp.sqrt(v / scale2) + EPSILON) + DECAY * p)

    return jax.tree.map(update, params, first, second), first, second, step, value


def new(params: Any, first: Any, second: Any, step: jax.Array, tokens: jax.Array) -> tuple[Any, ...]:
    """The same step, leaf by leaf, in a function of its own."""
    value, grads = jax.value_and_grad(loss)(params, tokens)
    step = step + 1
    scale1, scale2 = 1 - BETA1**step, 1 - BETA2**step

    @jax.jit
    def adamw(p: jax.Array, g: jax.Array, m: jax.Array, v: jax.Array) -> tuple[jax.Array, ...]:
        m = BETA1 * m + (1 - BETA1) * g
        v = BETA2 * v + (1 - BETA2) * (g * g)
        return p - RATE * ((m / scale1) / (jnp.sqrt(v / scale2) + EPSILON) + DECAY * p), m, v

    leaves, tree = jax.tree.flatten(params)
    rest = (jax.tree.leaves(part) for part in (grads, first, second))
    done = [adamw(*leaf) for leaf in zip(leaves, *rest, strict=True)]
    return *(jax.tree.unflatten(tree, part) for part in zip(*done, strict=True)), step, value


def trace_and_lower(layers: int, width: int) -> None:
    """What a person's own program does before it compiles, for both steps."""
    shapes = jax.eval_shape(lambda: make_args(layers, width))
    for step in (old, new):
        jax.jit(step).trace(*shapes).lower()


def measured(command: list[str]) -> tuple[float, int, str]:
    """(seconds, peak memory in bytes, output) of a command."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert child.stdout is not None
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    elapsed = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"failed: {' '.join(command)}\n{output}")
    return elapsed, usage.ru_maxrss * 1024, output


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often each command is started (default 3)")
    parser.add_argument("--layers", type=int, default=LAYERS, help=f"of the transformer (default {LAYERS})")
    parser.add_argument("--width", type=int, default=WIDTH, help=f"of the transformer (default {WIDTH})")
    parser.add_argument("--stage", default="jaxpr,stablehlo", help="stages to compare (default jaxpr,stablehlo)")
    parser.add_argument("--only-lower", action="store_true", help="trace and lower both steps, and do nothing else")
    asked = parser.parse_args()
    if asked.only_lower:
        trace_and_lower(asked.layers, asked.width)
        return
    sizes = ["--layers", str(asked.layers), "--width", str(asked.width)]
    made = f"{__file__}:make_args({asked.layers}, {asked.width})"
    commands = {
        "trace and lower": [sys.executable, __file__, "--only-lower", *sizes],
        "scanir diff": [
            *(sys.executable, "-m", "scanir", "diff", f"{__file__}:old", f"{__file__}:new"),
            *("--stage", asked.stage, "--args-from", made),
        ],
    }
    taken: dict[str, list[tuple[float, int, str]]] = {name: [] for name in commands}
    for number in range(asked.rounds + 1):
        for name, command in commands.items():
            found = measured(command)
            if number:
                taken[name].append(found)
    shapes = jax.eval_shape(lambda: make_args(asked.layers, asked.width))
    size = sum(leaf.size for leaf in jax.tree.leaves(shapes[0]))
    print(f"{size:.3g} parameters, {size * 4 / 1e9:.1f} GB; {asked.rounds} rounds, in turn, at {asked.stage}")
    print(f"{'command':18}{'median':>9}{'fastest':>9}{'slowest':>9}{'ratio':>8}{'peak memory':>14}")
    base = statistics.median(seconds for seconds, _, _ in taken["trace and lower"])
    for name, rounds in taken.items():
        times, peak = [seconds for seconds, _, _ in rounds], max(memory for _, memory, _ in rounds)
        median = statistics.median(times)
        spread = f"{median:>8.1f}s{min(times):>8.1f}s{max(times):>8.1f}s"
        print(f"{name:18}{spread}{median / base:>7.2f}x{peak / 1e6:>11.0f} MB")
    print(taken["scanir diff"][-1][2].partition("\n")[0])


if __name__ == "__main__":
    main()
