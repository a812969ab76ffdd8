"""Targets under transforms: the same program as the transform written by hand, with the person's own names."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import scanir
from scanir.errors import ArgumentError, ScanirError, TargetError, TraceError
from scanir.result import Verdict
from scanir.targets import Arguments, Target, resolve
from scanir.targets.mapping import AXIS_SIZE
from scanir.targets.transforms import apply
from scanir.targets.under import parse_under

pytestmark = pytest.mark.compat

VEC = jax.ShapeDtypeStruct((3,), jnp.float32)
F32 = jax.ShapeDtypeStruct((), jnp.float32)
I32 = jax.ShapeDtypeStruct((), jnp.int32)
MAPPED = jax.ShapeDtypeStruct((AXIS_SIZE, 3), jnp.float32)
PARAMS = {"w": VEC, "b": F32}


def loss(params: Any, x: Any) -> Any:
    return jnp.sum(jnp.sin(x) * params["w"]) + params["b"]


def pair(x: Any, w: Any) -> Any:
    return {"y": jnp.sin(x) * w, "n": jnp.int32(3)}, w


def under(f: Any, transform: str, *args: Any, **kwargs: Any) -> Any:
    arguments = args[0] if args and isinstance(args[0], Arguments) else Arguments(args, kwargs)
    return resolve(f).under(parse_under(transform)[0]).trace(("jaxpr",), arguments)["jaxpr"]


def names(program: Any) -> list[str]:
    return [argument.name for argument in program.interface.arguments]


def types(program: Any) -> list[str]:
    return [str(argument.type) for argument in program.interface.arguments]


BY_HAND: list[tuple[Callable[..., Any], tuple[Any, ...], str, Callable[..., Any], tuple[Any, ...]]] = [
    (loss, (PARAMS, VEC), "grad", jax.grad(loss), (PARAMS, VEC)),
    (loss, (PARAMS, VEC), "grad(argnums=1)", jax.grad(loss, 1), (PARAMS, VEC)),
    (loss, (PARAMS, VEC), "value_and_grad(argnums=(0,1))", jax.value_and_grad(loss, (0, 1)), (PARAMS, VEC)),
    (loss, (PARAMS, VEC), "vmap(in_axes=(None,0))", jax.vmap(loss, (None, 0)), (PARAMS, MAPPED)),
    (loss, (PARAMS, VEC), "vmap(grad, in_axes=(None,0))", jax.vmap(jax.grad(loss), (None, 0)), (PARAMS, MAPPED)),
    (loss, (PARAMS, VEC), "vmap(in_axes=({'w': None, 'b': None},-1))", jax.vmap(loss, (None, 1)),
     (PARAMS, jax.ShapeDtypeStruct((3, AXIS_SIZE), jnp.float32))),
    (loss, (PARAMS, VEC), "grad(checkpoint(policy=dots_saveable))",
     jax.grad(jax.checkpoint(loss, policy=jax.checkpoint_policies.dots_saveable)), (PARAMS, VEC)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "args", "transform", "by_hand", "given"), BY_HAND, ids=lambda v: v if isinstance(v, str) else ""
)
def test_it_is_what_one_writes_by_hand(f: Any, args: Any, transform: str, by_hand: Any, given: Any) -> None:
    answer = scanir.diff(resolve(f).under(parse_under(transform)[0]), by_hand, stage="all",
                         args_a=Arguments(args), args_b=Arguments(given))  # fmt: skip
    assert answer.verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT), str(answer)
    assert set(answer.modulo) <= {"cse", "calls"}, answer.modulo


def test_out_axes_and_size() -> None:
    program = under(lambda x, w: jnp.outer(x, w), "vmap(axis_size=5, out_axes=2)", VEC, VEC)
    (result,) = program.module.function(program.module.entry).body.results
    assert (types(program), str(result.type)) == (["f32[5,3]", "f32[5,3]"], "f32[3,3,5]")


def test_tangents_and_cotangents_are_arguments_by_name() -> None:
    program = under(lambda params, n: (params["w"] * n, n), "jvp", PARAMS, I32)
    assert names(program) == ["params['b']", "params['w']", "n", "tangent of params['b']", "tangent of params['w']"]
    program = under(pair, "vjp", VEC, F32)
    assert names(program) == ["x", "w", "cotangent of result[0]['y']", "cotangent of result[1]"]
    assert types(program) == ["f32[3]", "f32[]", "f32[3]", "f32[]"]
    assert program.interface.results == ("[0][0]['n']", "[0][0]['y']", "[0][1]", "[1][0]", "[1][1]")
    twice = under(lambda x: x * x, "jvp(jvp)", F32)
    assert names(twice) == ["x", "tangent of x", "tangent 2 of x", "tangent 2 of tangent of x"]
    assert names(under(pair, "vmap(vjp, in_axes=(0,None,({'y': 0, 'n': None},None)))", VEC, F32))[:2] == ["x", "w"]


def test_what_has_no_tangent_gets_none() -> None:
    """Keys and integers are primals without a tangent; their empty derivatives are no results."""
    key = jax.eval_shape(lambda: jax.random.key(0))

    def noisy(x: Any, n: Any, key: Any) -> Any:
        return x * n + jax.random.normal(key, (3,)), n + 1

    assert names(under(noisy, "jvp", VEC, I32, key)) == ["x", "n", "key", "tangent of x"]
    program = under(noisy, "vjp", VEC, I32, key)
    assert names(program)[3:] == ["cotangent of result[0]"]
    assert program.interface.results == ("[0][0]", "[0][1]", "[1][0]")
    assert under(lambda n: n * 2.0, "grad(allow_int=True)", I32).interface.results == ()


def test_results_of_the_transform_are_values() -> None:
    """Numbers, not only structure: the traced program computes the derivative."""
    x, w = np.arange(3, dtype=np.float32), np.float32(2)
    target = resolve(pair).under(parse_under("jvp")[0])
    call = target._call(target._ready(Arguments((x, w))))  # type: ignore[attr-defined]
    applied = apply(call, parse_under("jvp")[0])
    (value, out), (tangent, w_dot) = applied.function(x, w, (np.ones(3, np.float32), np.float32(0.5)))
    np.testing.assert_allclose(value["y"], np.sin(x) * 2, rtol=1e-6)
    np.testing.assert_allclose(tangent["y"], np.cos(x) * 2 + np.sin(x) * 0.5, rtol=1e-6)
    assert (tangent["n"], float(out), float(w_dot)) == (None, 2.0, 0.5)
    applied = apply(call, parse_under("vjp")[0])
    _, (x_bar, w_bar) = applied.function(x, w, ({"y": np.ones(3, np.float32), "n": None}, np.float32(1)))
    np.testing.assert_allclose(x_bar, np.cos(x) * 2, rtol=1e-6)
    np.testing.assert_allclose(w_bar, np.sin(x).sum() + 1, rtol=1e-6)


class Model:
    scale = 3.0

    def apply(self, x: Any, n: int = 2, *, flag: bool = False) -> Any:
        return jnp.sum(x**n) * self.scale if flag else jnp.sum(x)

    @functools.partial(jax.jit, static_argnums=(0, 2))
    def jitted(self, x: Any, n: int) -> Any:
        return jnp.sum(x**n) * self.scale


def power(x: Any, n: int, w: Any, *, flag: str = "no") -> Any:
    if flag == "yes":
        w = -w
    return jnp.sum(x**n * w)


def test_statics_keywords_methods_and_jits() -> None:
    given = scanir.targets.parse_arguments("f32[3], static(3), f32[], flag=static('yes')")
    plain = jax.grad(lambda x, w: jnp.sum(x**3 * -w), argnums=(0, 1))
    for f in (
        power,
        jax.jit(power, static_argnums=1, static_argnames="flag"),
        jax.jit(power, static_argnames=("n", "flag"), donate_argnums=2),
    ):
        row = resolve(f).under(parse_under("grad(argnums=(0,2))")[0])
        answer = scanir.diff(row, plain, stage="jaxpr", args_a=given, args_b=Arguments((VEC, F32)))
        assert answer.verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT), str(answer)
        assert names(row.trace(("hlo",), given)["hlo"]) == ["x", "w"]
    mapped = under(power, "vmap(in_axes=(0,None,None))", given)
    assert (names(mapped), types(mapped)) == (["x", "w"], [f"f32[{AXIS_SIZE},3]", "f32[]"])
    assert names(under(Model().apply, "grad", Arguments((VEC,), {"flag": True}, frozenset({"flag"})))) == ["x"]
    method = under(Model().apply, "vmap", Arguments((VEC,), {"n": 3}, frozenset({"n"})))
    assert types(method) == [f"f32[{AXIS_SIZE},3]"]
    assert names(under(Model().jitted, "checkpoint(jvp)", VEC, 3)) == ["x", "tangent of x"]
    assert names(under(lambda *xs: xs[0] * xs[1], "grad(argnums=-1)", F32, F32)) == ["xs[0]", "xs[1]"]
    keyword = under(lambda x, *, w: x * w, "vmap(in_axes=None)", Arguments((F32,), {"w": F32}))
    assert types(keyword) == ["f32[]", f"f32[{AXIS_SIZE}]"]


def test_a_jit_inside_stays_inside() -> None:
    inner = jax.jit(lambda x: jnp.sum(x * x), donate_argnums=0)
    program = under(inner, "vmap(grad)", VEC)
    assert {"jit", "pjit"} & {op.name for op in program.module.function(program.module.entry).body.ops}
    target = Target(lambda x: jnp.sum(x * x), (VEC,), donate_argnums=0)
    program = target.under(parse_under("grad")[0]).trace(("jaxpr",))["jaxpr"]
    assert {"jit", "pjit"} & {op.name for op in program.module.function(program.module.entry).body.ops}


def test_arguments_pair_by_what_they_are() -> None:
    """One side takes a constant of the other as an argument: its tangent is no one's counterpart."""

    def given(x: Any, w: Any) -> Any:
        return x * w

    def fixed(u: Any) -> Any:
        return u * np.float32(2)

    def other(u: Any) -> Any:
        return u * np.float32(2) + u

    a, b = Arguments((F32, F32)), Arguments((F32,))
    answer = scanir.diff(given, fixed, args_a=a, args_b=b, under="checkpoint", stage="hlo")
    assert answer.modulo == ("constant-argument",), str(answer)
    answer = scanir.diff(given, fixed, args_a=a, args_b=b, under="grad", stage="jaxpr")
    assert answer.verdict is Verdict.EQUIVALENT
    assert [(bound.argument, bound.constant) for bound in answer.bindings] == [("w", "2.0")]
    # The derivative with respect to w is no result of the other side, and its tangent is read.
    assert scanir.diff(given, fixed, args_a=a, args_b=b, under="jvp", stage="jaxpr").verdict is Verdict.DIFFERENT
    pairs = scanir.diff(other, fixed, args_a=b, args_b=b, under="jvp", stage="jaxpr")
    assert pairs.verdict is Verdict.DIFFERENT
    assert pairs.stages[0].mismatch is not None


def test_rows_by_transform_then_stage() -> None:
    answer = scanir.diff("lambda", "def", under=["jvp,none", "vmap(in_axes=0)"], stage="jaxpr,hlo")
    rows = [(row.under, row.stage) for row in answer.stages]
    assert rows == [(u, s) for u in ("jvp", "none", "vmap(in_axes=0)") for s in ("jaxpr", "hlo")]
    assert answer.verdict is Verdict.IDENTICAL
    assert "at jaxpr, hlo under jvp, none, vmap(in_axes=0)" in str(answer)
    assert "\njvp, hlo: IDENTICAL" in str(answer)
    assert [row["under"] for row in answer.to_json()["stages"]] == [u for u, _ in rows]
    shown = scanir.show("lambda", stage="jaxpr", under="jvp,none")
    assert shown.startswith("// under jvp, stage jaxpr\nmodule jaxpr")
    assert "\n// under none, stage jaxpr\n" in shown
    with pytest.raises(AssertionError, match="forwarded-outputs"):
        scanir.assert_equivalent("lambda", "carry", under="jvp", stage="jaxpr")
    scanir.assert_equivalent("lambda", "def", under="vjp", stage="jaxpr")


def test_a_jaxpr_can_be_transformed() -> None:
    closed = jax.make_jaxpr(lambda x, w: jnp.sum(jnp.sin(x) * w))(np.ones(3, np.float32), np.float32(2))
    answer = scanir.diff(closed, lambda x, w: jnp.sum(jnp.sin(x) * w), args_b=Arguments((VEC, F32)), under="grad,vmap",
                         stage="all")  # fmt: skip
    assert {row.verdict for row in answer.stages} <= {Verdict.IDENTICAL, Verdict.EQUIVALENT}, str(answer)


ERRORS: list[tuple[Any, tuple[Any, ...], str, type[ScanirError], str, str]] = [
    (lambda x: x * 2, (VEC,), "grad", ArgumentError, "grad wants a scalar result", "vjp takes a cotangent"),
    (pair, (VEC, F32), "grad", ArgumentError, 'returns ({"y": f32[3], "n": i32[]}, f32[])', "has_aux=True for a pair"),
    (lambda x: x, (F32,), "grad(has_aux=True)", ArgumentError, "wants a pair (value, aux)", "leave has_aux out"),
    (lambda x: x, (F32,), "vjp(has_aux=True)", ArgumentError, "wants a pair (value, aux)", ""),
    (lambda x: x, (F32,), "grad(argnums=1)", ArgumentError, "about positional argument 1, and there are 1", ""),
    (power, (), "grad(argnums=1)", ArgumentError, "argument 1, which is static", "takes another one"),
    (power, (), "vmap(in_axes=(0,0,None))", ArgumentError, "a static argument cannot be mapped", "None"),
    (lambda x: x, (I32,), "grad", TraceError, "real- or complex-valued inputs", ""),
    (lambda x: x, (I32,), "jvp", ArgumentError, "no positional argument of", "floats and complex"),
    (lambda x: jnp.int32(3), (F32,), "vjp", ArgumentError, "no result of", "floats and complex"),
    (pair, (VEC, F32), "vmap(in_axes=(0,))", ArgumentError, "in_axes is for 1 arguments, and there are 2", "one axis"),
    (pair, (VEC, F32), "vmap(in_axes={'x': 0})", ArgumentError, "in_axes is a whole number", ""),
    (loss, (PARAMS, VEC), "vmap(in_axes=({'w': 0},0))", ArgumentError, "its axes are {'w': 0}", "form of the argument"),
    (pair, (VEC, F32), "vmap(in_axes=3)", ArgumentError, "cannot be number 3", ""),
    (pair, (VEC, F32), "vmap(in_axes=None)", TraceError, "non-None", ""),
    (pair, (VEC, F32), "checkpoint(policy=dots_savable)", ArgumentError, "no policy dots_savable", "dots_saveable"),
    (pair, (VEC, F32), "checkpoint(policy=save_only_these_names)", ArgumentError, "is written save_only", "policies"),
    (jax.jit(pair).lower(VEC, F32), (), "grad", TargetError, "cannot be transformed", "give the function itself"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "args", "transform", "kind", "what", "hint"), ERRORS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_errors(f: Any, args: Any, transform: str, kind: type[ScanirError], what: str, hint: str) -> None:
    arguments = Arguments((VEC, 3, F32), {}, frozenset({1})) if f is power else Arguments(args)
    with pytest.raises(kind) as caught:
        resolve(f).under(parse_under(transform)[0]).trace(("jaxpr",), arguments)
    assert what in caught.value.what
    assert hint in caught.value.hint


def test_files_cannot_be_transformed(tmp_path: Any) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(jax.jit(pair).lower(VEC, F32).as_text())
    with pytest.raises(TargetError, match="it is a file already"):
        scanir.diff(str(path), str(path), under="grad")
    assert scanir.diff(str(path), str(path), under="none").verdict is Verdict.IDENTICAL


def test_errors_of_the_function_are_told_with_the_transform() -> None:
    def broken(x: Any) -> Any:
        raise ValueError("mine")

    for transform in ("vjp", "grad", "vmap"):
        with pytest.raises(TraceError, match="ValueError: mine") as caught:
            scanir.diff(broken, broken, VEC, under=transform)
        assert f"under {transform}" in caught.value.where
        assert "broken(x) given f32[3]" in caught.value.where
