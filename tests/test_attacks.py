"""Attacks that a loose reading falls for, each at every stage where it can be said.

``different``: pairs that must never come out IDENTICAL or EQUIVALENT. ``equal``: pairs that look different and must not
come out DIFFERENT.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

import scanir
from scanir.result import Verdict

pytestmark = pytest.mark.compat

STAGES = ("jaxpr", "stablehlo", "hlo")
f32 = jax.ShapeDtypeStruct((), jnp.float32)
vec = jax.ShapeDtypeStruct((8,), jnp.float32)
square = jax.ShapeDtypeStruct((4, 4), jnp.float32)


UNCHECKED = {"check_vma": False} if hasattr(jax, "shard_map") else {"check_rep": False}


def host(x: Any) -> None:
    """A host function that returns nothing."""


def draw(x: jax.Array) -> jax.Array:
    return lax.rng_uniform(jnp.float32(0), jnp.float32(1), x.shape)


def outside_io(x: jax.Array) -> jax.Array:
    jax.experimental.io_callback(host, None, x, ordered=False)
    return lax.fori_loop(0, 5, lambda i, c: jnp.sin(c), x)


def inside_io(x: jax.Array) -> jax.Array:
    def body(i: Any, c: jax.Array) -> jax.Array:
        jax.experimental.io_callback(host, None, x, ordered=False)
        return jnp.sin(c)

    return lax.fori_loop(0, 5, body, x)


def outside_rng(x: jax.Array) -> jax.Array:
    noise = draw(x)
    return lax.fori_loop(0, 5, lambda i, c: jnp.sin(c) + noise, x)


def inside_rng(x: jax.Array) -> jax.Array:
    return lax.fori_loop(0, 5, lambda i, c: jnp.sin(c) + draw(x), x)


def two_draws(x: jax.Array) -> jax.Array:
    return draw(x) - draw(x)


def one_draw(x: jax.Array) -> jax.Array:
    noise = draw(x)
    return noise - noise


def swapped_draws(x: jax.Array) -> jax.Array:
    first, second = draw(x), draw(x)
    return second - first


def nested(pick: Callable[[Any, Any], Any]) -> Callable[[jax.Array], jax.Array]:
    def run(x: jax.Array) -> jax.Array:
        def outer(i: Any, c: jax.Array) -> jax.Array:
            return lax.fori_loop(0, 7, lambda j, d: d + pick(i, j), c)

        return lax.fori_loop(0, 5, outer, x)

    return run


def refs(read_first: bool) -> Callable[[jax.Array], jax.Array]:
    def run(x: jax.Array) -> jax.Array:
        first, second = new_ref(x), new_ref(x)
        first[...] = jnp.sin(x)
        return first[...] if read_first else second[...]

    return run


new_ref = getattr(jax, "new_ref", None) or getattr(jax, "array_ref", None)


def reduction(factor: float) -> Callable[[jax.Array], jax.Array]:
    def run(x: jax.Array) -> jax.Array:
        return lax.reduce(x, np.float32(0), lambda a, b: a + b * np.float32(factor), (0,))

    return run


def captured_reduction(name: str) -> Callable[[jax.Array, jax.Array, jax.Array], jax.Array]:
    def run(x: jax.Array, y: jax.Array, z: jax.Array) -> jax.Array:
        picked = y if name == "y" else z
        return lax.fori_loop(0, 3, lambda i, c: lax.reduce(c * picked, np.float32(0), lax.add, (0,)) + c, x)

    return run


def with_rule(factor: float) -> Callable[[jax.Array], jax.Array]:
    @jax.custom_jvp
    def special(x: jax.Array) -> jax.Array:
        return jnp.sin(x)

    @special.defjvp
    def _rule(primals: Any, tangents: Any) -> Any:
        return special(*primals), factor * tangents[0]

    return lambda x: special(x) + 1


def chain(leaf: Callable[[jax.Array], jax.Array], levels: int = 24) -> Callable[[jax.Array], jax.Array]:
    function = jax.jit(leaf)
    for _ in range(levels):
        function = jax.jit(lambda x, inner=function: inner(inner(x)))
    return lambda x: function(x) + 1


def registers(last: Callable[[jax.Array], jax.Array], slots: int = 32) -> Callable[..., Any]:
    """Shift registers nested three deep: what enters at one end arrives at the other after all rounds of refinement."""

    def run(*values: jax.Array) -> Any:
        def step(carry: Any) -> Any:
            return (*carry[1:], last(carry[0]))

        def inner(i: Any, carry: Any) -> Any:
            return step(carry)

        def middle(i: Any, carry: Any) -> Any:
            return step(lax.fori_loop(0, 3, inner, carry))

        def outer(i: Any, carry: Any) -> Any:
            return step(lax.fori_loop(0, 4, middle, carry))

        return lax.fori_loop(0, 5, outer, tuple(values))

    return run


def cross(out: Any) -> Callable[[jax.Array], Any]:
    mesh = Mesh(np.array(jax.devices()[:8]).reshape(2, 4), ("x", "y"))
    shard_map = getattr(jax, "shard_map", None)
    if shard_map is None:
        from jax.experimental.shard_map import shard_map
    return lambda a: shard_map(
        lambda v: (v.sum() * jnp.ones(4), v.sum() + jnp.ones(4)),
        mesh=mesh,
        in_specs=P("x", "y"),
        out_specs=out,
        **UNCHECKED,
    )(a)


def collective(inside: bool) -> Callable[[jax.Array, jax.Array], Any]:
    mesh = Mesh(np.array(jax.devices()[:8]), ("x",))
    shard_map = getattr(jax, "shard_map", None)
    if shard_map is None:
        from jax.experimental.shard_map import shard_map

    def body(p: jax.Array, v: jax.Array) -> jax.Array:
        if inside:
            return lax.cond(p[0] > 0, lambda u: lax.psum(u, "x"), lambda u: u * 2, v)
        total = lax.psum(v, "x")
        return lax.cond(p[0] > 0, lambda u: total, lambda u: u * 2, v)

    return lambda p, v: shard_map(body, mesh=mesh, in_specs=(P("x"), P("x")), out_specs=P("x"), **UNCHECKED)(p, v)


DIFFERENT: dict[str, tuple[Any, Any, tuple[Any, ...], tuple[str, ...]]] = {
    "io callback before or inside a loop": (outside_io, inside_io, (f32,), STAGES),
    "rng before or inside a loop": (outside_rng, inside_rng, (vec,), STAGES),
    "two draws or one": (two_draws, one_draw, (vec,), STAGES),
    "draws exchanged": (two_draws, swapped_draws, (vec,), ("jaxpr", "stablehlo")),
    "transpose of a square": (lambda x: x.T * 1.5, lambda x: x * 1.5, (square,), STAGES),
    "transpose alone": (lambda x: x.T, lambda x: x, (square,), STAGES),
    "broadcast that transposes": (
        lambda x: lax.broadcast_in_dim(x, (4, 4), (0, 1)) + 1,
        lambda x: lax.transpose(x, (1, 0)) + 1,
        (square,),
        STAGES,
    ),
    "a forgotten learning rate": (
        lambda x, g, lr: x - lr * g,
        lambda x, g, lr: x - 0.01 * g,
        (vec, vec, f32),
        STAGES,
    ),
    "results x or y": (lambda x, y: (x + y, x), lambda x, y: (x + y, y), (vec, vec), STAGES),
    "i*j or j*j": (nested(lambda i, j: i * j), nested(lambda i, j: j * j), (jax.ShapeDtypeStruct((), jnp.int32),), ("jaxpr", "stablehlo")),
    "i*j or i*i": (nested(lambda i, j: i * j), nested(lambda i, j: i * i), (jax.ShapeDtypeStruct((), jnp.int32),), STAGES),
    "reduction bodies": (reduction(2.0), reduction(3.0), (vec,), STAGES),
    "reductions of captures": (captured_reduction("y"), captured_reduction("z"), (vec, vec, vec), STAGES),
    "custom_jvp rules t and 5t": (with_rule(1.0), with_rule(5.0), (f32,), ("jaxpr",)),
    "leaves of 24 nested jits": (chain(jnp.sin), chain(jnp.cos), (f32,), ("jaxpr",)),
    "shift registers": (registers(jnp.sin), registers(jnp.cos), (f32,) * 32, ("jaxpr", "stablehlo")),
    "out_specs exchanged": (cross((P("x"), P("y"))), cross((P("y"), P("x"))), (jax.ShapeDtypeStruct((8, 8), jnp.float32),), STAGES),
    "psum inside or outside a cond": (collective(True), collective(False), (vec, vec), STAGES),
}  # fmt: skip
if new_ref is not None:
    DIFFERENT["two references"] = (refs(True), refs(False), (vec,), ("jaxpr",))


@pytest.mark.parametrize("name", DIFFERENT)
def test_different(name: str) -> None:
    left, right, args, stages = DIFFERENT[name]
    for stage in stages:
        verdict = scanir.diff(left, right, *args, stage=stage).verdict
        assert verdict in (Verdict.DIFFERENT, Verdict.INCONCLUSIVE), f"{name} at {stage}: {verdict}"


@pytest.mark.parametrize("name", DIFFERENT)
def test_each_side_is_itself(name: str) -> None:
    left, right, args, stages = DIFFERENT[name]
    for side in (left, right):
        for stage in stages:
            assert scanir.diff(side, side, *args, stage=stage).verdict is Verdict.IDENTICAL, f"{name} at {stage}"


def duplicates(doubled: bool) -> Callable[[jax.Array], Any]:
    """Outer and inner carries that are equal only under each other's hypothesis."""

    def run(x: jax.Array) -> Any:
        if not doubled:
            return lax.fori_loop(0, 5, lambda i, a: lax.fori_loop(0, 7, lambda j, c: jnp.sin(c), a), x)

        def outer(i: Any, carry: Any) -> Any:
            # b feeds a's inner loop and the other way round: neither is a copy of the other on its face.
            return lax.fori_loop(0, 7, lambda j, c: (jnp.sin(c[1]), jnp.sin(c[0])), (carry[1], carry[0]))

        return lax.fori_loop(0, 5, outer, (x, x))[0]

    return run


def test_hypotheses_of_two_levels() -> None:
    for stage in ("jaxpr", "stablehlo"):
        answer = scanir.diff(duplicates(False), duplicates(True), f32, stage=stage)
        assert answer.verdict is Verdict.EQUIVALENT, answer
        assert "duplicate-carry" in answer.modulo


def test_leaves_of_nested_jits_that_agree() -> None:
    def spelled(x: jax.Array) -> jax.Array:
        return lax.sin(x)

    answer = scanir.diff(chain(jnp.sin), chain(spelled), f32, stage="jaxpr")
    assert answer.verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT)


def nested_calls(leaf: str, levels: int = 24) -> str:
    """StableHLO in which each function calls the next one twice. (JAX itself takes minutes to lower that many.)"""
    lines = [
        "module @chain {",
        f"func.func private @f0(%x: tensor<f32>) -> tensor<f32> {{ {leaf} return %y : tensor<f32> }}",
    ]
    for level in range(1, levels + 1):
        name = "public @main" if level == levels else f"private @f{level}"
        call = f"func.call @f{level - 1}(%{{}}) : (tensor<f32>) -> tensor<f32>"
        lines.append(
            f"func.func {name}(%x: tensor<f32>) -> tensor<f32> {{ %y = {call.format('x')} %z = {call.format('y')} return %z : tensor<f32> }}"
        )
    return "\n".join([*lines, "}"])


def test_nested_calls_in_a_file(tmp_path: Any) -> None:
    leaves = {
        "sine": "%y = stablehlo.sine %x : tensor<f32>",
        "cosine": "%y = stablehlo.cosine %x : tensor<f32>",
        "twice": "%z = stablehlo.sine %x : tensor<f32> %y = stablehlo.sine %x : tensor<f32>",
    }
    for name, leaf in leaves.items():
        (tmp_path / f"{name}.mlir").write_text(nested_calls(leaf))
    paths = {name: str(tmp_path / f"{name}.mlir") for name in leaves}
    assert scanir.diff(paths["sine"], paths["sine"]).verdict is Verdict.IDENTICAL
    assert scanir.diff(paths["sine"], paths["twice"]).verdict is Verdict.EQUIVALENT
    assert scanir.diff(paths["sine"], paths["cosine"]).verdict in (Verdict.DIFFERENT, Verdict.INCONCLUSIVE)


@pytest.mark.parametrize("stage", STAGES)
def test_one_element_in_a_million(stage: str) -> None:
    weights = np.arange(1_000_000, dtype=np.float32)
    other = weights.copy()
    other[765_432] += 1
    left, right = (lambda x, w=w: x @ w.reshape(8, -1) for w in (weights, other))
    assert scanir.diff(left, right, vec, stage=stage).verdict is Verdict.DIFFERENT
    again = weights.copy()
    assert scanir.diff(left, lambda x: x @ again.reshape(8, -1), vec, stage=stage).verdict is Verdict.IDENTICAL
