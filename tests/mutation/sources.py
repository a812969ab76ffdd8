"""The modules that are mutated: strategies, models made by JAX here, one program a primitive, and the corpus."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

from scanir import _compat
from tests.mutation.internals import whole_text
from tests.readers.primitives import PROGRAMS

Model = tuple[Callable[..., Any], tuple[Any, ...]]


def spec(*shape: int, dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


MODELS: dict[str, Model] = {}


def model(*specs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        MODELS[function.__name__] = (function, specs)
        return function

    return register


LAYERS = {"w1": spec(4, 8), "b1": spec(8), "w2": spec(8, 2), "b2": spec(2)}


def predict(layers: Any, x: Any) -> Any:
    hidden = jax.nn.relu(x @ layers["w1"] + layers["b1"])
    return hidden @ layers["w2"] - layers["b2"]


@model(LAYERS, spec(3, 4))
def mlp(layers: Any, x: Any) -> Any:
    return predict(layers, x)


@model(LAYERS, spec(3, 4), spec(3, 2))
def mlp_grad(layers: Any, x: Any, y: Any) -> Any:
    return jax.value_and_grad(lambda p: jnp.mean((predict(p, x) - y) ** 2))(layers)


def attend(q: Any, k: Any, v: Any) -> Any:
    scores = jnp.einsum("bqd,bkd->bqk", q, k, precision=lax.Precision.HIGHEST) / 2.0
    mask = jnp.tril(jnp.ones((4, 4), bool))
    return jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1) @ v


@model(spec(2, 4, 3), spec(2, 4, 3), spec(2, 4, 3))
def attention(q: Any, k: Any, v: Any) -> Any:
    return attend(q, k, v)


@model(spec(2, 4, 3), spec(2, 4, 3), spec(2, 4, 3))
def attention_grad(q: Any, k: Any, v: Any) -> Any:
    return jax.grad(lambda *a: jnp.sum(attend(*a) ** 2), argnums=(0, 1, 2))(q, k, v)


@model(LAYERS, spec(5, 3, 4), spec(5, 3, 2))
def adam_over_scan(layers: Any, xs: Any, ys: Any) -> Any:
    zeros = jax.tree.map(jnp.zeros_like, layers)

    def step(carry: Any, batch: Any) -> Any:
        params, first, second, count = carry
        x, y = batch
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((predict(p, x) - y) ** 2))(params)
        count = count + 1
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, grads)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, grads)
        rate = 0.01 * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
        params = jax.tree.map(lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, first, second)
        return (params, first, second, count), loss

    return lax.scan(step, (layers, zeros, zeros, jnp.float32(0)), (xs, ys))


@model(spec(4), spec(3, 4))
def nested_scans(start: Any, rows: Any) -> Any:
    def outer(c: Any, row: Any) -> Any:
        def inner(d: Any, x: Any) -> Any:
            return (d[0] * x - d[1], d[0] / 2), d[1] + x

        (left, right), ys = lax.scan(inner, (c, c * 2), row[:, None] * jnp.ones(4), reverse=True)
        return left - right, ys.sum()

    return lax.scan(outer, start, rows)


@model(spec(dtype=jnp.int32), spec(4), spec(4))
def conds(i: Any, x: Any, y: Any) -> Any:
    first = lax.cond(i > 2, lambda a, b: a - b, lambda a, b: b / (a + 3), x, y)
    return lax.switch(i, [jnp.sin, lambda v: v * 2 - y, lambda v: v[::-1]], first)


@model(spec(4, 6), spec(4, 6, dtype=jnp.int32))
def sorts(x: Any, i: Any) -> Any:
    keys, values = lax.sort((x, i), dimension=1, is_stable=True, num_keys=1)
    return keys, values, jnp.argsort(x, axis=0), lax.top_k(x, 2), jnp.sort(x, descending=True)


@model(spec(5, 4), spec(3, dtype=jnp.int32), spec(3, 4))
def scatters(x: Any, i: Any, u: Any) -> Any:
    a = x.at[i].add(u, indices_are_sorted=False, unique_indices=False)
    b = x.at[i].set(u, mode="drop", unique_indices=True)
    c = x.at[:, 1].mul(2.0).at[i, 2].min(u[:, 0])
    return a, b, c, x[i], jnp.take(x, i, axis=1, mode="clip"), x[1:4:2, ::-1]


@model(spec(1, 6, 6, 4), spec(3, 3, 2, 8))
def convolutions(image: Any, kernel: Any) -> Any:
    def run(im: Any, ke: Any) -> Any:
        return lax.conv_general_dilated(
            im, ke, (2, 1), ((1, 1), (0, 2)), lhs_dilation=(1, 2), rhs_dilation=(1, 1), feature_group_count=2,
            dimension_numbers=("NHWC", "HWIO", "NHWC"), precision=lax.Precision.HIGH,
        )  # fmt: skip

    pooled = lax.reduce_window(run(image, kernel), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 1, 1), "SAME")
    return pooled, jax.grad(lambda k: jnp.sum(run(image, k) ** 2))(kernel)


@model(spec(2, dtype=jnp.uint32), spec(4))
def random_numbers(key: Any, x: Any) -> Any:
    first, second = jax.random.split(key)
    noise = jax.random.normal(first, (4,)) - jax.random.uniform(second, (4,))
    bits = lax.rng_bit_generator(
        jnp.concatenate([key, key]), (3,), dtype=jnp.uint32, algorithm=lax.RandomAlgorithm.RNG_THREE_FRY
    )
    keep = jax.random.bernoulli(first, 0.75, (4,))
    return jnp.where(keep, x + noise, 0.0), bits, jax.random.randint(second, (3,), 0, 9)


@model(spec(4))
def hidden_state(x: Any) -> Any:
    a, b = lax.rng_uniform(jnp.float32(0), jnp.float32(1), (4,)), lax.rng_uniform(jnp.float32(0), jnp.float32(2), (4,))
    return x * a - b


@model(spec(8, 4), spec(4, 4))
def collectives(x: Any, w: Any) -> Any:
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(4, 2), ("d", "m"))

    def body(a: Any, b: Any) -> Any:
        total = lax.psum(a @ b, "d")
        turned = lax.ppermute(a, "m", [(0, 1), (1, 0)])
        parts = lax.all_gather(a, "d", axis=0, tiled=True)
        split = lax.psum_scatter(parts, "d", scatter_dimension=0, tiled=True)
        return total + lax.pmax(a, "m"), turned - lax.axis_index("m"), split

    specs = {"mesh": mesh, "in_specs": (P("d"), P()), "out_specs": (P(("d",)), P("d"), P("d"))}
    return _mapped(body, **specs)(x, w)


def _mapped(body: Any, **specs: Any) -> Any:
    if hasattr(jax, "shard_map"):
        return jax.shard_map(body, check_vma=False, **specs)
    from jax.experimental.shard_map import shard_map

    return shard_map(body, check_rep=False, **specs)


@model(spec(8, 4))
def partitioned(x: Any) -> Any:
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(4, 2), ("d", "m"))
    split = lax.with_sharding_constraint(x, jax.sharding.NamedSharding(mesh, P("d", "m")))
    return jnp.sin(split).sum(axis=1) - split[:, 0]


@model(spec(4), spec(4))
def constants(x: Any, y: Any) -> Any:
    table = np.array([0.0, -0.0, np.nan, np.inf], np.float32)
    whole = np.arange(4, dtype=np.int32) * 3
    return (
        x * table - y,
        jnp.where(x > 0.1, whole, 7),
        jnp.bfloat16(1.5) * y.astype(jnp.bfloat16),
        x.astype(bool) ^ True,
    )


@model(spec(4), spec(dtype=jnp.int32))
def loops(x: Any, n: Any) -> Any:
    def cond(s: Any) -> Any:
        return (s[0] < 9) & (s[1][0] < 100.0)

    def body(s: Any) -> Any:
        i, v, last = s
        return i + 2, v * 1.5 - last, v

    i, v, last = lax.while_loop(cond, body, (n, x, x * 0.5))
    return i, v - last, lax.fori_loop(3, 8, lambda k, c: c * k - x, v), lax.associative_scan(jnp.subtract, x)


@model(spec(4, 4), spec(4))
def linear_algebra(m: Any, b: Any) -> Any:
    a = m @ m.T + 4 * jnp.eye(4)
    return jnp.linalg.solve(a, b), jnp.linalg.cholesky(a), jnp.fft.rfft(b), lax.complex(b, b * 2).conj()


@model(spec(4), spec(4))
def derivative_rules(x: Any, y: Any) -> Any:
    @jax.custom_jvp
    def special(v: Any, w: Any) -> Any:
        return jnp.sin(v) / w

    special.defjvp(lambda p, t: (special(*p), t[0] * 2 - t[1]))
    return special(x, y), jax.checkpoint(lambda v: jnp.cos(v) * v)(y), jax.nn.silu(x) - jax.nn.gelu(y)


@model(spec(6), spec(2, 3, dtype=jnp.int8))
def bits_and_shapes(x: Any, n: Any) -> Any:
    words = lax.bitcast_convert_type(x, jnp.uint32)
    mixed = (words >> 3) ^ (words << 2) | lax.population_count(words)
    padded = jnp.pad(x.reshape(2, 3).T, ((1, 0), (0, 2)), constant_values=1.0)
    part = lax.dynamic_update_slice(padded, padded[:2, :2] * 2, (n[0, 0].astype(jnp.int32), 1))
    return mixed, part, jnp.concatenate([x, x[::-1]]), lax.clamp(-1.0, x, 2.0), n // 3, lax.reduce_precision(x, 5, 10)


@functools.cache
def functions() -> dict[str, Model]:
    """All programs that JAX makes here, by name: models, strategies, then one a primitive."""
    from scanir.strategies import strategies

    found = dict(MODELS)
    for strategy in strategies():
        if strategy.family != "user":
            found[f"strategy {strategy.name}"] = (strategy.function, strategy.example())
    return found | {f"primitive {name}": program for name, program in PROGRAMS.items()}


#: Programs whose optimized HLO takes long to make and is like that of others.
_COMPILED = (*MODELS, "strategy lambda", "strategy carry", "strategy sum-scan", "strategy fibonacci-fori")
#: Files of the corpus that are longer are left out: a mutant of them takes as long as a hundred others.
LONGEST = 60_000


def names(dialect: str, corpus: Path | None) -> list[str]:
    """The names of all modules of a dialect."""
    made = list(functions())
    found = made if dialect != "hlo" else [*(f"{name} before optimization" for name in made), *_COMPILED]
    return found + (_files(dialect, corpus) if corpus is not None else [])


@functools.cache
def _files(dialect: str, corpus: Path) -> list[str]:
    folders = {"hlo": ("hlo", ".hlo"), "stablehlo": ("stablehlo", ".mlir"), "jaxpr": ("jaxpr", ".none")}
    folder, ending = folders[dialect]
    paths = sorted(path for path in (corpus / folder).rglob(f"*{ending}") if path.stat().st_size <= LONGEST)
    found = [f"corpus {path.relative_to(corpus).as_posix()}" for path in paths]
    if dialect == "hlo":
        found += [f"corpus snippet {name}" for name in snippets(corpus)]
    return found


@functools.cache
def snippets(corpus: Path) -> dict[str, str]:
    """Modules quoted in XLA's unit tests that XLA's own parser accepts."""
    rows = (json.loads(line) for line in (corpus / "hlo_snippets.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["id"]: row["text"] for row in rows if row["xla_parser_accepts"] and len(row["text"]) <= LONGEST}


def size(name: str, corpus: Path | None) -> int:
    """Characters of a file of the corpus; 0 for a module that is made."""
    if corpus is None or not name.startswith("corpus "):
        return 0
    name = name.removeprefix("corpus ")
    if name.startswith("snippet "):
        return len(snippets(corpus)[name.removeprefix("snippet ")])
    return (corpus / name).stat().st_size


def artifact(dialect: str, name: str, corpus: Path | None) -> Any:
    """A module as an artifact of its dialect: HLO text, StableHLO text in generic form, or a ClosedJaxpr."""
    if name.startswith("corpus "):
        assert corpus is not None
        return _file(dialect, name.removeprefix("corpus "), corpus)
    plain = name.removesuffix(" before optimization")
    function, specs = functions()[plain]
    traced = (function if hasattr(function, "trace") else jax.jit(function)).trace(*specs)
    if dialect == "jaxpr":
        return traced.jaxpr
    lowered = traced.lower()
    if dialect == "stablehlo":
        return generic(lowered.compiler_ir("stablehlo"))
    return hlo_text(lowered, optimized=plain == name)


def generic(module: Any) -> str:
    """A StableHLO module in the form in which all ops are written alike, all elements of constants included."""
    return str(module.operation.get_asm(print_generic_op_form=True, large_elements_limit=None))


def hlo_text(lowered: Any, *, optimized: bool) -> str:
    """HLO text without the table of locations, all elements of constants included."""
    module = _compat.optimized_module(lowered.compile()) if optimized else _compat.unoptimized_module(lowered)
    return whole_text(module)


def _file(dialect: str, name: str, corpus: Path) -> str:
    if name.startswith("snippet "):
        return snippets(corpus)[name.removeprefix("snippet ")]
    text = (corpus / name).read_text(encoding="utf-8", errors="replace")
    if dialect == "stablehlo":
        from scanir.readers.mlir_context import parse_module

        return generic(parse_module(text, name))
    return text
