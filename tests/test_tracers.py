"""Tracers: what a target is brought to, how its parameters hang on the function, and what is said if it fails."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scanir.errors import ArgumentError, TraceError
from scanir.ir.attrs import Bool
from scanir.ir.types import TensorType
from scanir.ir.verify import verify
from scanir.ir.walk import ops_of
from scanir.program import STAGES, Program
from scanir.tracers import trace

pytestmark = pytest.mark.compat
S = jax.ShapeDtypeStruct((), jnp.float32)
X = jax.ShapeDtypeStruct((3,), jnp.float32)
BELOW = ("stablehlo", "hlo-in", "hlo")


def programs(target: Any, *args: Any, stages: tuple[str, ...] = STAGES, **kwargs: Any) -> dict[str, Program]:
    found = trace(target, args, kwargs, stages)
    for stage, program in found.items():
        verify(program.module)
        assert program.stage == stage
        assert len(program.interface.kept) == len(program.module.function(program.module.entry).body.params)
    return found


def never(x: Any) -> Any:
    """Fails if it is run: a tracer has no value."""
    assert not isinstance(x, (np.ndarray, float)), "the function was run"
    return x * 2


def test_all_stages_of_a_plain_function() -> None:
    found = programs(never, X)
    assert [found[stage].module.dialect for stage in STAGES] == ["jaxpr", "stablehlo", "hlo", "hlo"]
    assert {program.interface.results for program in found.values()} == {("",)}


def test_dropped_arguments_are_mapped() -> None:
    found = programs(lambda x, y, z: x - z, S, S, S)
    assert found["jaxpr"].interface.kept == (0, 1, 2)
    assert {found[stage].interface.kept for stage in BELOW} == {(0, 2)}
    other = programs(lambda x, y, z: x - y, S, S, S)
    assert {other[stage].interface.kept for stage in BELOW} == {(0, 1)}
    assert [a.name for a in found["hlo"].interface.arguments] == ["x", "y", "z"]


def test_names_as_a_person_would_write_them() -> None:
    def step(x: Any, params: Any, *, rest: Any) -> Any:
        return {"out": x * params["w"][0], "more": (params["b"], rest[1])}

    program = programs(step, X, {"w": (X, S), "b": S}, rest=(1.0, 2.0))["stablehlo"]
    arguments = program.interface.arguments
    assert [a.name for a in arguments] == ["x", "params['b']", "params['w'][0]", "params['w'][1]", "rest[0]", "rest[1]"]
    assert [a.position for a in arguments] == [0, 1, 1, 1, -1, -1]
    assert [a.keyword for a in arguments] == [False] * 4 + [True] * 2
    assert [a.path for a in arguments] == ["", "['b']", "['w'][0]", "['w'][1]", "[0]", "[1]"]
    assert program.interface.kept == (0, 1, 2, 5)
    assert program.interface.results == ("['more'][0]", "['more'][1]", "['out']")


def test_weak_types_of_python_scalars() -> None:
    weak, strong, told = (
        programs(lambda x: x * 2, arg, stages=("jaxpr",))["jaxpr"].interface.arguments[0].type
        for arg in (1.0, S, jax.ShapeDtypeStruct((), jnp.float32, weak_type=True))
    )
    assert weak == told == TensorType("f32", (), (("weak_type", Bool(True)),))
    assert strong == TensorType("f32")


@functools.partial(
    jax.jit, donate_argnums=(0,), static_argnames=("n",), compiler_options={"xla_cpu_enable_fast_math": True}
)
def jitted(x: Any, n: int, y: Any) -> Any:
    return x * n, y


def test_a_jitted_function_keeps_its_options() -> None:
    found = programs(jitted, X, 3, S)
    for program in found.values():
        assert [(a.name, a.donated) for a in program.interface.arguments] == [("x", True), ("y", False)]
        assert dict(program.provenance)["compiler options"] == "xla_cpu_enable_fast_math=True"
    entry = found["stablehlo"].module.function(found["stablehlo"].module.entry)
    assert any("alias" in name or "donor" in name for name, _ in entry.param_attrs[0])


def test_compiler_options_are_provenance() -> None:
    plain = dict(programs(lambda x: x + 1, S, stages=("jaxpr",))["jaxpr"].provenance)
    assert plain["compiler options"] == ""
    assert plain["jax"] == jax.__version__
    assert plain["platform"] == "cpu"
    with jax.default_matmul_precision("highest"):
        other = dict(programs(lambda x: x + 1, S, stages=("jaxpr",))["jaxpr"].provenance)
    assert {key for key in plain if plain[key] != other[key]} == {"jax_default_matmul_precision"}


def test_staged_objects() -> None:
    traced = jax.jit(lambda x, y, z: (x - z, {"last": z})).trace(X, S, X)
    lowered = traced.lower()
    for target, stages in ((traced, STAGES), (lowered, BELOW), (lowered.compile(), ("hlo",))):
        for stage, program in programs(target, stages=stages).items():
            assert [a.name for a in program.interface.arguments] == ["x", "y", "z"]
            assert program.interface.kept == ((0, 1, 2) if stage == "jaxpr" else (0, 2))
            assert program.interface.results == ("[0]", "[1]['last']")


def test_a_jaxpr() -> None:
    found = programs(jax.make_jaxpr(lambda x, y: x + 1)(1.0, S))
    assert [a.name for a in found["jaxpr"].interface.arguments] == ["x", "y"]
    assert found["hlo"].interface.kept == (0,)
    assert found["jaxpr"].interface.arguments[0].type == TensorType("f32", (), (("weak_type", Bool(True)),))


def test_an_exported_function() -> None:
    export = pytest.importorskip("jax.export")
    target = export.export(jax.jit(lambda x, y, z: (x - z,)))(X, S, X)
    interface = programs(target, stages=("stablehlo",))["stablehlo"].interface
    assert interface.kept == (0, 2)
    assert [a.position for a in interface.arguments] == [0, 1, 2]
    assert interface.results == ("[0]",)
    with pytest.raises(TraceError, match="stage hlo cannot be had"):
        programs(target, stages=("hlo",))


def test_wrappers_with_only_lower() -> None:
    class Wrapper:
        def lower(self, x: Any) -> Any:
            class Lowered:
                lowered = jax.jit(never).lower(x)

            return Lowered()

        def __call__(self, x: Any) -> Any:
            raise AssertionError("run")

    assert set(programs(Wrapper(), X, stages=BELOW)) == set(BELOW)


def test_tokens_of_ordered_effects_are_no_arguments() -> None:
    def host(x: Any) -> None:
        raise AssertionError("run")

    def run(x: Any, y: Any) -> Any:
        jax.experimental.io_callback(host, None, x, ordered=True)
        return y * 2

    found = programs(run, S, S)
    assert [callback.qualname.rsplit(".", 1)[-1] for callback in found["jaxpr"].callbacks or ()] == ["host"]
    assert {found[stage].callbacks for stage in BELOW} == {None}
    for stage in BELOW:
        assert [k for k in found[stage].interface.kept if k >= 0] == [0, 1]


def test_callbacks_in_order() -> None:
    def first(x: Any) -> Any:
        return x

    def second(x: Any) -> Any:
        return x

    def run(x: Any, order: Any) -> Any:
        for function in order:
            jax.debug.callback(function, x)
        return x

    names = [
        [
            callback.qualname.rsplit(".", 1)[-1]
            for callback in programs(lambda x, o=order: run(x, o), S, stages=("jaxpr",))["jaxpr"].callbacks or ()
        ]
        for order in ((first, second), (second, first))
    ]
    assert names == [["first", "second"], ["second", "first"]]


def test_large_constants_of_compiled_programs_are_whole() -> None:
    weights = np.cos(np.arange(50_000, dtype=np.float32))  # XLA would turn a plain range into an iota
    for stage, program in programs(lambda x: x + weights, jax.ShapeDtypeStruct((50_000,), jnp.float32)).items():
        ops = [op for function in program.module.functions for op in ops_of(function.body)]
        values = [op.attribute("value") for op in ops if op.name == "constant"]
        assert weights.tobytes() in [getattr(value, "data", b"") for value in values], stage


def failing(x: Any) -> Any:
    return jnp.ones(3) + jnp.ones(4) * x


def branching(x: Any) -> Any:
    return x if x > 0 else -x


def test_errors_of_the_function_say_where() -> None:
    with pytest.raises(TraceError, match="TypeError: add got incompatible shapes") as caught:
        trace(failing, (S,), {}, ("jaxpr",))
    assert caught.value.where == f"{__file__}:{failing.__code__.co_firstlineno + 1}"
    assert isinstance(caught.value.__cause__, TypeError)
    with pytest.raises(TraceError, match="TracerBoolConversionError") as caught:
        trace(branching, (S,), {}, ("jaxpr",))
    assert "jax.lax.cond" in caught.value.hint


@pytest.mark.parametrize(("target", "args"), [(never, ()), (never, (S, S)), (jitted, (X, 3))])
def test_arguments_that_do_not_fit(target: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with pytest.raises(ArgumentError, match="do not fit") as caught:
        trace(target, args, {}, ("jaxpr",))
    assert "(x" in caught.value.where
    assert "f32[3]" in caught.value.hint


def test_stages_that_an_object_has_no_more() -> None:
    lowered = jax.jit(never).lower(X)
    with pytest.raises(TraceError, match="stage jaxpr cannot be had from Lowered") as caught:
        trace(lowered, (), {}, ("jaxpr",))
    assert "hlo" in caught.value.hint
    with pytest.raises(TraceError, match="cannot be had from Compiled"):
        trace(lowered.compile(), (), {}, ("stablehlo",))
    (note,) = trace(lowered.compile(), (), {}, ("hlo",))["hlo"].notes
    assert "compiler options" in note


def test_compiling_leaves_the_persistent_cache_alone(tmp_path: Any) -> None:
    before = jax.config.jax_compilation_cache_dir
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    try:
        programs(lambda x: jnp.sin(x) * 17, X, stages=("hlo",))
        assert list(tmp_path.iterdir()) == []
    finally:
        jax.config.update("jax_compilation_cache_dir", before)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 1.0)
