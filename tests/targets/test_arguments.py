"""From specs to what JAX traces with, and the examples a function comes with."""

from __future__ import annotations

import functools
import inspect
import tracemalloc
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scanir.errors import ArgumentError
from scanir.targets.arguments import (
    Arguments,
    check,
    default_arguments,
    describe,
    example_of,
    missing,
    parse_arguments,
    takes_nothing,
)
from scanir.targets.specs import DTYPES

example_args: Any = {"two": (1.0, 2.0), "made": lambda: (3.0,), "wrong": 5, "special": Arguments((), {"y": 1})}


def two(x: Any, y: Any) -> Any:
    return x + y


def made(x: Any) -> Any:
    return x


def wrong(x: Any) -> Any:
    return x


def special(*, y: Any) -> Any:
    return y


def other(s0: Any, a: Any, dtau: float = 0.1, *, flag: bool, mode: str = "x") -> Any:
    return s0


@pytest.mark.parametrize("dtype", [short for short in DTYPES if short not in ("i64", "u64", "f64", "c128")])
def test_every_dtype(dtype: str) -> None:
    (spec,) = parse_arguments(f"{dtype}[2,3]").args
    assert spec == jax.ShapeDtypeStruct((2, 3), jnp.dtype(DTYPES[dtype]))


@pytest.mark.parametrize("dtype", ["i64", "u64", "f64", "c128"])
def test_types_that_are_switched_off(dtype: str) -> None:
    with pytest.raises(ArgumentError, match="64-bit") as caught:
        parse_arguments(f"{dtype}[2]")
    assert "JAX_ENABLE_X64" in caught.value.hint


@pytest.mark.parametrize("kind", ["fry", "rbg", "urbg"])
def test_keys(kind: str) -> None:
    (spec,) = parse_arguments(f"key<{kind}>[4]").args
    assert spec.shape == (4,)
    assert str(spec.dtype) == f"key<{kind}>"
    traced = jax.eval_shape(lambda key: jax.random.uniform(key[0]), spec)
    assert traced.shape == ()


def test_an_unknown_key() -> None:
    with pytest.raises(ArgumentError, match="unknown kind of key"):
        parse_arguments("key<foo>[]")


def test_numbers_stay_numbers() -> None:
    assert parse_arguments("0.01, 3, True, (1, [2])").args == (0.01, 3, True, (1, [2]))


def test_pytrees_and_keywords() -> None:
    found = parse_arguments('{"w": f32[2], "b": (i32[], None)}, y=f32[1]')
    vector, scalar = jax.ShapeDtypeStruct((2,), jnp.float32), jax.ShapeDtypeStruct((), jnp.int32)
    assert found.args == ({"w": vector, "b": (scalar, None)},)
    assert found.kwargs == {"y": jax.ShapeDtypeStruct((1,), jnp.float32)}


def test_static() -> None:
    assert parse_arguments("f32[], static(3), n=static('x')").static == {1, "n"}


def test_nothing_of_that_size_is_made() -> None:
    parse_arguments("f32[1]")
    tracemalloc.start()
    parse_arguments("f32[100000,100000,100000]")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20


def test_examples_of_a_module() -> None:
    assert default_arguments(two) == Arguments((1.0, 2.0))
    assert default_arguments(jax.jit(two)) == Arguments((1.0, 2.0))
    assert default_arguments(made) == Arguments((3.0,))
    assert default_arguments(special) == Arguments((), {"y": 1})
    assert default_arguments(other) is None
    assert default_arguments(np.add) is None
    with pytest.raises(ArgumentError, match="neither a tuple"):
        default_arguments(wrong)


class Model:
    def two(self, x: Any, y: Any) -> Any:
        return x + y


def test_the_example_of_a_method_and_of_an_object() -> None:
    assert default_arguments(Model().two) == Arguments((1.0, 2.0))
    assert default_arguments(Model()) is None


def test_the_example_of_a_strategy_is_not_computed() -> None:
    from scanir.strategies.rollout import carry

    found = default_arguments(carry)
    assert found is not None
    assert all(isinstance(value, jax.ShapeDtypeStruct) for value in found.args)


def test_a_signature_as_errors_show_it() -> None:
    assert describe(other) == "other(s0, a, dtau=0.1, *, flag, mode='x')"
    assert describe(jax.jit(two)) == "two(x, y)"
    assert describe(functools.partial(two, 1)) == "partial(y)"


@pytest.mark.parametrize("function", [two, made, other, special, lambda: 1])
def test_the_example_fits_the_signature(function: Any) -> None:
    given = parse_arguments(example_of(function))
    inspect.signature(function).bind(*given.args, **given.kwargs)


@pytest.mark.parametrize("given", [Arguments((1,)), Arguments((1, 2, 3)), Arguments((1, 2), {"z": 1})])
def test_arguments_that_do_not_fit(given: Arguments) -> None:
    with pytest.raises(ArgumentError) as caught:
        check(two, given, "mod:two")
    assert "mod:two" in caught.value.what
    assert caught.value.where == "two(x, y)"
    assert "--args 'f32[3], f32[2,100]'" in caught.value.hint


def test_arguments_that_fit() -> None:
    check(two, Arguments((1,), {"y": 2}), "two")
    check(np.add, Arguments((1, 2, 3)), "a builtin has no signature to check")


def test_missing_arguments() -> None:
    problem = missing(two, "mod:two")
    assert problem.what == "mod:two needs arguments"
    assert "two(x, y)" in problem.where


def test_takes_nothing() -> None:
    assert takes_nothing(lambda x=1: x)
    assert not takes_nothing(two)
