"""Settings within this process: seen in the IR by each side, and gone afterwards."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import scanir
from scanir.errors import ArgumentError, TraceError
from scanir.result import Verdict

pytestmark = pytest.mark.compat
VEC, MAT = (jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((3,), (3, 3)))


@pytest.fixture(autouse=True)
def nothing_leaks() -> Any:
    before = dict(jax.config.values)
    yield
    assert dict(jax.config.values) == before


def product(x: Any, w: Any) -> Any:
    return w @ x


def index(x: Any, w: Any) -> Any:
    return x * jnp.arange(3)


def noise(x: Any, w: Any) -> Any:
    return x + jax.random.normal(jax.random.key(0), (3,))


def draw(x: Any, w: Any) -> Any:
    return x + jax.random.bits(jax.random.key(0), (3,))


FLIPPED = [
    ("jax_enable_x64", True, index),
    ("jax_default_matmul_precision", "highest", product),
    ("jax_default_prng_impl", "rbg", noise),
    ("jax_threefry_partitionable", False, draw),
]


@pytest.mark.parametrize(("name", "value", "function"), FLIPPED, ids=lambda v: v if isinstance(v, str) else "")
def test_one_function_object_under_two_settings(name: str, value: Any, function: Any) -> None:
    """JAX keeps what it traced: the second side must not get what was traced for the first, in either order."""
    for f in (function, jax.jit(function)):
        for sides in ("ab", "ba", "ab"):
            settings: dict[str, Any] = {f"config_{sides[1]}": {name: value}}
            answer = scanir.diff(f, f, VEC, MAT, stage="jaxpr", **settings)
            assert answer.verdict is Verdict.DIFFERENT, (name, sides)
            assert answer.stages[0].mismatch is not None
            assert [fact.partition(":")[0] for fact in answer.stages[0].provenance] == [name]
        assert scanir.diff(f, f, VEC, MAT, stage="jaxpr", config={name: value}).verdict is Verdict.IDENTICAL


def test_settings_that_change_nothing_are_provenance() -> None:
    answer = scanir.diff(product, product, VEC, MAT, stage="all", config_b={"jax_enable_x64": True})
    assert [row.verdict for row in answer.stages] == [Verdict.EQUIVALENT] * 3, str(answer)
    assert answer.modulo == ("provenance",)
    answer = scanir.diff(product, product, VEC, MAT, config_b=["jax_numpy_rank_promotion=raise"], stage="jaxpr")
    assert answer.verdict is Verdict.DIFFERENT
    assert answer.stages[0].reasons == ("EQUIVALENT if allowed: provenance",)
    same = scanir.diff(product, product, VEC, MAT, stage="jaxpr", config_b={"jax_numpy_rank_promotion": "allow"})
    assert same.verdict is Verdict.IDENTICAL, "what is in force already is no difference"


def test_arguments_are_read_under_the_settings() -> None:
    for text in ("f64[3], f64[3,3]",):
        answer = scanir.diff(product, product, args_a=text, args_b=text, config={"jax_enable_x64": True}, stage="jaxpr")
        assert answer.verdict is Verdict.IDENTICAL
        with pytest.raises(ArgumentError, match="64-bit"):
            scanir.diff(product, product, args_a=text, args_b=text)


def test_transforms_are_under_the_settings() -> None:
    answer = scanir.diff(
        product, product, VEC, MAT, stage="jaxpr", under="vmap", config_b={"jax_default_matmul_precision": "highest"}
    )
    assert answer.verdict is Verdict.DIFFERENT


def test_compiler_options_of_one_side() -> None:
    rows = scanir.diff(product, product, VEC, MAT, stage="all", compiler_options_b={"xla_cpu_enable_fast_math": True})
    assert [row.verdict.name for row in rows.stages] == ["EQUIVALENT", "EQUIVALENT", "DIFFERENT"]
    assert rows.stages[2].provenance == ("compiler options: none against xla_cpu_enable_fast_math=True",)
    options = {"xla_cpu_enable_fast_math": "true"}
    assert scanir.diff(product, product, VEC, MAT, compiler_options=options).verdict is Verdict.IDENTICAL
    own = functools.partial(jax.jit, compiler_options={"xla_cpu_enable_fast_math": True})
    assert scanir.diff(own(product), product, VEC, MAT, compiler_options_b=options).verdict is Verdict.IDENTICAL
    lowered = jax.jit(product).lower(VEC, MAT)
    assert scanir.diff(lowered, product, VEC, MAT, compiler_options=options).verdict is Verdict.IDENTICAL


def test_what_is_made_already_takes_no_settings(tmp_path: Any) -> None:
    lowered = jax.jit(product).lower(VEC, MAT)
    path = tmp_path / "f.mlir"
    path.write_text(lowered.as_text())
    for made in (lowered, str(path), lowered.compile()):
        with pytest.raises(ArgumentError, match="made already"):
            scanir.diff(made, product, VEC, MAT, config_a={"jax_enable_x64": True})
    with pytest.raises(ArgumentError, match="made already"):
        scanir.diff(str(path), str(path), config={"jax_enable_x64": True})
    for settings in ({"config": {"jax_enable_x64": False}}, {"compiler_options": {"xla_cpu_enable_fast_math": False}}):
        answer = scanir.diff(str(path), product, VEC, MAT, stage="stablehlo", **settings)
        assert answer.verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT), str(answer)


def test_what_jax_reads_as_it_starts_is_too_late_for_an_object() -> None:
    jax.devices()
    for settings in ({"config_b": {"jax_num_cpu_devices": 3}}, {"env_b": {"XLA_FLAGS": "--xla_zork"}}):
        with pytest.raises(ArgumentError, match="must be set before JAX starts") as caught:
            scanir.diff(product, product, VEC, MAT, **settings)
        assert "module:function" in caught.value.hint


def test_settings_are_back_after_an_error() -> None:
    def broken(x: Any) -> Any:
        assert jax.config.jax_enable_x64
        raise ZeroDivisionError

    with pytest.raises(TraceError, match="ZeroDivisionError"):
        scanir.diff(broken, broken, VEC, config={"jax_enable_x64": True})
    assert not jax.config.jax_enable_x64
