"""What of the arguments is traced and what is static, and that neither changes the other's place or name."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import scanir
from scanir.errors import ArgumentError, TraceError
from scanir.result import Verdict
from scanir.targets import Arguments, Target
from scanir.targets.leaves import argument_names, close_over, static_text

S = jax.ShapeDtypeStruct((3,), jnp.float32)


class Mode(enum.Enum):
    TRAIN = 1
    EVAL = 2


class Level(enum.IntEnum):
    LOW = 1


@dataclasses.dataclass
class Config:
    """No pytree: JAX cannot look into it."""

    scale: int = 2


class State(NamedTuple):
    w: Any
    act: Any


class Plain:
    """An object whose text would show where it lies in memory."""

    scale = 3


class Layer:
    def __init__(self) -> None:
        self.scale = 4.0

    def apply(self, x: Any, mode: str = "a") -> Any:
        return x * self.scale if mode == "a" else x

    def __call__(self, x: Any, act: Callable[[Any], Any]) -> Any:
        return act(x)


def program(target: Any, *args: Any, stage: str = "jaxpr", **kwargs: Any) -> Any:
    return Target(target).trace((stage,), Arguments(args, kwargs))[stage]


def leaves(found: Any) -> list[str]:
    return [argument.name for argument in found.interface.arguments]


def switch(x: Any, how: Any = None, *, scale: Any = 1) -> Any:
    match how:
        case str():
            x = x + len(how)
        case Mode.EVAL | Level.LOW:
            x = x * 2
        case Config() | Plain():
            x = x * how.scale
        case type() | np.dtype():
            x = x.astype(how)
        case None:
            pass
        case _:
            x = how(x)
    return x * scale


@pytest.mark.compat
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("relu", "'relu'"),
        (Mode.EVAL, "<Mode.EVAL: 2>"),
        (Level.LOW, "<Level.LOW: 1>"),
        (Config(5), "Config(scale=5)"),
        (Plain(), "<scanir"),
        (jnp.bfloat16, "<class bfloat16>"),
        (np.dtype("float16"), "dtype('float16')"),
        (jax.nn.relu, "<function relu>"),
        (jnp.tanh, "<function tanh>"),
        (functools.partial(jnp.clip, max=2.0), "functools.partial(<"),
    ],
)
def test_what_is_no_array_is_static(value: Any, text: str) -> None:
    found = program(switch, S, value)
    assert leaves(found) == ["x"]
    (note,) = found.notes
    assert note.startswith("argument how is static: ")
    assert "0x" not in note
    if not text.startswith("<scanir"):
        assert note.removeprefix("argument how is static: ").startswith(text)
    by_hand = Target(lambda x: switch(x, value), (S,))
    assert scanir.diff(Target(switch, (S, value)), by_hand, stage="jaxpr").verdict is Verdict.IDENTICAL


@pytest.mark.compat
def test_static_leaves_of_pytrees_keep_their_places_and_names() -> None:
    def step(params: Any, state: State, batch: Any, *, opt: Any) -> Any:
        y = params["act"](batch @ params["layers"][0]["w"]) * opt["rate"]
        return state.act(y + state.w) if opt["kind"] == "sgd" else y

    weights = jax.ShapeDtypeStruct((3, 3), jnp.float32)
    given = Arguments(
        ({"act": jnp.tanh, "layers": [{"name": "first", "w": weights}], "none": None}, State(S, jax.nn.relu), S),
        {"opt": {"kind": "sgd", "rate": 0.5}},
    )
    for target in (Target(step, label="step"), Target(step, label="step", donate_argnums=2)):
        found = target.trace(("jaxpr",), given)["jaxpr"]
        assert leaves(found) == ["params['layers'][0]['w']", "state.w", "batch", "opt['rate']"]
        assert [a.donated for a in found.interface.arguments] == [
            False,
            False,
            "donate_argnums" in target._options,
            False,
        ]
        assert found.notes == (
            "argument params['act'] is static: <function tanh>",
            "argument params['layers'][0]['name'] is static: 'first'",
            "argument state.act is static: <function relu>",
            "argument opt['kind'] is static: 'sgd'",
        )


@pytest.mark.compat
def test_transforms_leave_static_leaves_alone() -> None:
    def loss(params: Any, x: Any, act: Any, kind: str = "sum") -> Any:
        y = params["act"](act(x @ params["w"]))
        return y.sum() if kind == "sum" else y.max()

    weights = jax.ShapeDtypeStruct((3, 3), jnp.float32)
    given = Arguments(({"w": weights, "act": jnp.tanh}, S, jax.nn.relu, "max"))
    for transform in ("grad", "grad(argnums=(0, 1))", "vmap(in_axes=(None, 0, None, None))", "jvp", "vjp"):
        answer = scanir.diff(loss, loss, given, stage="jaxpr", under=transform)
        assert answer.verdict is Verdict.IDENTICAL
        assert len(answer.stages[0].notes) == 3, transform
    with pytest.raises(ArgumentError, match="argument 2, which is static"):
        scanir.diff(loss, loss, given, stage="jaxpr", under="grad(argnums=2)")


def test_unlike_static_values_are_told_and_the_programs_decide() -> None:
    def scaled(x: Any, how: str) -> Any:
        return x * len(how)

    answer = scanir.diff(Target(scaled, (S, "ab")), Target(scaled, (S, "abc")), stage="jaxpr")
    assert answer.verdict is Verdict.DIFFERENT
    assert answer.stages[0].notes == ("argument how is static: 'ab' (in a)", "argument how is static: 'abc' (in b)")
    same = scanir.diff(Target(scaled, (S, "ab")), Target(scaled, (S, "xy")), stage="jaxpr")
    assert same.verdict is Verdict.IDENTICAL
    assert len(same.stages[0].notes) == 2


def test_many_static_leaves_are_counted() -> None:
    found = program(lambda x, names: x, S, [f"n{k}" for k in range(20)])
    assert len(found.notes) == 8
    assert found.notes[-1] == "13 more leaves of the arguments are static"


def test_unhashable_and_nested_statics() -> None:
    def pick(x: Any, n: Any) -> Any:
        return x[n["rows"][0]]

    given = scanir.Arguments.parse('f32[3], static({"rows": [1, 2]})')
    assert leaves(Target(pick).trace(("jaxpr",), given)["jaxpr"]) == ["x"]


@pytest.mark.compat
def test_every_kind_of_parameter() -> None:
    def many(a: Any, /, b: Any, *rest: Any, k: Any, **more: Any) -> Any:
        return [a + b, *rest[1:], k, more["m"](a)]

    given = Arguments((S, 2, "no", S), {"k": 3, "m": jnp.sin}, frozenset({"k"}))
    found = Target(many).trace(("jaxpr",), given)["jaxpr"]
    assert leaves(found) == ["a", "b", "rest[1]"]
    assert found.notes == (
        "argument rest[0] is static: 'no'",
        "argument k is static: 3",
        "argument m is static: <function sin>",
    )
    assert argument_names(many, 5) == ("a", "b", "rest[0]", "rest[1]", "rest[2]")
    assert argument_names(max, 2) == ("argument 0", "argument 1")


def test_methods_partials_and_callable_objects() -> None:
    layer = Layer()
    assert leaves(program(layer.apply, S, "b")) == ["x"]
    assert leaves(program(layer, S, jnp.cos)) == ["x"]
    assert leaves(program(functools.partial(switch, scale=2), S, "n")) == ["x"]
    assert leaves(program(functools.partial(layer, jnp.zeros(3)), act=jnp.cos)) == []
    found = program(jax.tree_util.Partial(switch, jnp.zeros(3)), "n")
    assert leaves(found) == []


@pytest.mark.compat
def test_a_jitted_function_gets_its_arguments_as_they_are() -> None:
    jitted = jax.jit(switch, static_argnames=("how", "scale"), donate_argnums=0)
    found = Target(jitted).trace(("stablehlo",), Arguments((S, "ab"), {"scale": 3}, frozenset({"scale"})))["stablehlo"]
    assert [(a.name, a.donated) for a in found.interface.arguments] == [("x", True)]
    assert found.notes == ("argument how is static: 'ab'", "argument scale is static: 3")


class Scaled:
    scale = 2.0

    @functools.partial(jax.jit, static_argnums=0)
    def apply(self, x: Any) -> Any:
        return x * self.scale

    @functools.partial(jax.jit, static_argnames=("self", "n"), donate_argnums=1)
    def power(self, x: Any, n: int) -> Any:
        return x**n * self.scale


@pytest.mark.compat
def test_methods_that_are_jitted() -> None:
    assert leaves(program(Scaled().apply, S)) == ["x"]
    for given in (Arguments((S, 3), {}, frozenset({1})), Arguments((S,), {"n": 3}, frozenset({"n"}))):
        found = Target(Scaled().power).trace(("stablehlo",), given)["stablehlo"]
        assert [(a.name, a.donated) for a in found.interface.arguments] == [("x", True)]
    by_hand = Target(lambda x: x * 2.0, (S,))
    assert scanir.diff(Target(Scaled().apply, (S,)), by_hand, stage="jaxpr").verdict is Verdict.IDENTICAL
    assert scanir.diff(Scaled().apply, Scaled().apply, S, stage="jaxpr", under="vmap").verdict is Verdict.IDENTICAL


def test_a_jitted_function_that_knows_nothing_of_a_static() -> None:
    def power(x: Any, n: Any) -> Any:
        return x * n

    given = Arguments((S, 3), {}, frozenset({1}))
    with pytest.raises(ArgumentError, match=r"n was given as static, but the jit of .*power traces it") as caught:
        Target(jax.jit(power)).trace(("jaxpr",), given)
    assert "static_argnames='n'" in caught.value.hint
    named = Target(jax.jit(power, static_argnums=1)).trace(("jaxpr",), Arguments((S,), {"n": 3}, frozenset({"n"})))
    assert leaves(named["jaxpr"]) == ["x"]
    with pytest.raises(TraceError) as refused:
        Target(jax.jit(switch)).trace(("jaxpr",), Arguments((S, "text")))
    assert "its own jit refuses how" in refused.value.hint
    assert "static_argnames='how'" in refused.value.hint


def test_statics_of_the_targets_own_options() -> None:
    def power(x: Any, n: Any, *, mode: Any = "a") -> Any:
        return x**n if mode == "a" else x

    for options in ({"static_argnums": 1}, {"static_argnames": "n"}, {"static_argnums": -1}):
        found = Target(power, (S, 3), **options).trace(("jaxpr",))["jaxpr"]
        assert leaves(found) == ["x"], options
        assert found.notes == ("argument n is static: 3",)
    by_keyword = Target(power, (S,), {"n": 3, "mode": "b"}, static_argnums=(1,)).trace(("jaxpr",))["jaxpr"]
    assert leaves(by_keyword) == ["x"]
    assert by_keyword.notes == ("argument n is static: 3", "argument mode is static: 'b'")


def test_what_is_no_pytree() -> None:
    with pytest.raises(ArgumentError, match="argument x is no pytree"):
        program(lambda x: x, {"a": 1, 2: 3})


def test_nothing_is_wrapped_without_need() -> None:
    given = Arguments((S, {"w": S}), {"k": None})
    closed = close_over(switch, given, frozenset())
    assert closed.function is switch
    assert (closed.args, closed.kwargs, closed.notes) == (given.args, given.kwargs, ())


def test_the_text_of_a_static_value() -> None:
    class Loud:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert static_text(Loud()) == "<Loud>"
    assert static_text("x" * 200) == f"'{'x' * 76}..."
    assert static_text("a\nb") == r"'a\nb'"
    assert static_text(jax) == "<module jax>"


def branch(x: Any, n: Any, cfg: Any = None) -> Any:
    for _ in range(n):
        x = x + 1
    return x if cfg is None or cfg["deep"] > 0 else -x


@pytest.mark.compat
@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (
            Arguments((S, 4)),
            "--args 'f32[3], static(4)', in Python scanir.Target(branch, args, static_argnames=('n',))",
        ),
        (Arguments((S,), {"n": jax.ShapeDtypeStruct((), jnp.int32)}), "--args 'f32[3], n=static(3)'"),
        (Arguments((S, 4, {"deep": 1}), {}, frozenset({1})), """--args 'f32[3], static(4), static({"deep": 1})'"""),
        (Arguments((S, 4, {"deep": 1, "z": object()}), {}, frozenset({1})), "in --args write static(3) for it"),
    ],
)
def test_a_value_that_is_needed_is_shown_as_static(given: Arguments, hint: str) -> None:
    with pytest.raises(TraceError) as caught:
        Target(branch).trace(("jaxpr",), given)
    assert hint in caught.value.hint
    assert "it needs the value of" in caught.value.hint


def test_a_jitted_function_that_needs_a_value() -> None:
    with pytest.raises(TraceError) as caught:
        Target(jax.jit(branch)).trace(("jaxpr",), Arguments((S, 4)))
    assert caught.value.hint.startswith("it needs the value of n: it is jitted already")


def test_the_own_arguments_of_a_target_win() -> None:
    answer = scanir.diff(Target(branch, (S, 4), static_argnums=1), lambda x, y: x + y, S, S, stage="jaxpr")
    assert answer.verdict is Verdict.DIFFERENT
    assert Target(branch, scanir.Arguments.parse("f32[3], static(4)")).arguments().static == {1}
    with pytest.raises(ArgumentError, match="are a tuple, not a") as caught:
        Target(branch, jnp.zeros(3))  # type: ignore[arg-type]
    assert "(x,)" in caught.value.hint
    special = scanir.diff(Target(branch, (S, 4)), branch, args_a=Arguments((S, 2), {}, frozenset({1})),
                          args_b=Arguments((S, 2), {}, frozenset({1})), stage="jaxpr")  # fmt: skip
    assert special.verdict is Verdict.IDENTICAL
