"""What an answer must contain to help the person who asked: programs of our own, one or more for each kind of question.

Each row is two functions, arguments, a stage, the verdict, and texts that the report must hold.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import scanir
from scanir.render.text import render_text
from scanir.result import Verdict

pytestmark = pytest.mark.compat

X, V = jnp.float32(2.0), jnp.arange(1.0, 6.0, dtype=jnp.float32)
EVERY = ("jaxpr", "stablehlo", "hlo")


def report(f: Any, g: Any, *args: Any, stage: str) -> tuple[Verdict, str]:
    answer = scanir.diff(f, g, *args, stage=stage)
    return answer.verdict, " ".join(render_text(answer, width=400).split())


def holds(verdict: Verdict, text: str, wanted: Verdict, said: tuple[str, ...]) -> None:
    assert verdict is wanted, text
    assert [part for part in said if part not in text] == [], text


# -- loops ------------------------------------------------------------------------------------------------------------


def decay(carry: Any, _: Any) -> Any:
    level, rate, floor = carry
    return (jnp.maximum(level * rate, floor), rate, floor), level


def by_carry(level: Any, rate: Any, floor: Any) -> Any:
    return lax.scan(decay, (level, rate, floor), None, length=7)


def by_closure(level: Any, rate: Any, floor: Any) -> Any:
    def body(state: Any, _: Any) -> Any:
        return jnp.maximum(state * rate, floor), state

    return lax.scan(body, level, None, length=7)


def rotated(level: Any, rate: Any, floor: Any) -> Any:
    def body(carry: Any, _: Any) -> Any:
        state, x, y = carry
        return (jnp.maximum(state * x, y), y, x), state

    out, states = lax.scan(body, (level, rate, floor), None, length=7)
    return out[0], states


@pytest.mark.parametrize("stage", EVERY)
def test_returned_carries_are_matched_with_the_outputs_they_are(stage: str) -> None:
    verdict, text = report(by_closure, by_carry, X, X, X, stage=stage)
    said = ("output 1 of b is its input 1 (rate) handed on", "output 2 of b is its input 2 (floor) handed on",
            "a has 2, b has 4", "outputs 0, 1 of a are outputs 0, 3 of b", "7 trips")  # fmt: skip
    holds(verdict, text, Verdict.EQUIVALENT, said)


@pytest.mark.parametrize("stage", EVERY)
def test_outputs_are_matched_beyond_arity_in_what_differs_too(stage: str) -> None:
    verdict, text = report(lambda x, y: (x * y, x + y), lambda x, y: (x - y, x * y, x / y), X, X, stage=stage)
    holds(verdict, text, Verdict.DIFFERENT, ("a has 2, b has 3", "output 0 of a is output 1 of b",
          "output 1 without a counterpart", "outputs 0, 2 without a counterpart"))  # fmt: skip


@pytest.mark.parametrize("stage", EVERY)
def test_what_becomes_of_each_carry_is_told(stage: str) -> None:
    verdict, text = report(rotated, by_closure, X, X, X, stage=stage)
    holds(verdict, text, Verdict.DIFFERENT, ("permuted with", "computed", "carries:"))


def test_a_dead_carry_is_called_dead() -> None:
    def with_dead(x: Any) -> Any:
        return lax.scan(lambda c, _: ((c[0] * 2.0, c[1] + 1.0), None), (x, x), None, length=3)[0][0]

    def without(x: Any) -> Any:
        return lax.scan(lambda c, _: (c * 2.0, None), x, None, length=3)[0]

    verdict, text = report(with_dead, without, X, stage="jaxpr")
    holds(verdict, text, Verdict.EQUIVALENT, ("dead-carry", "1 x dead"))


def test_scan_against_while_says_what_it_means_for_gradients() -> None:
    def fori(x: Any) -> Any:
        return lax.fori_loop(0, 4, lambda i, c: c * x, x)

    def loop(x: Any, n: Any = 4) -> Any:
        return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[1] * x), (0, x))[1]

    verdict, text = report(fori, loop, X, stage="jaxpr")
    holds(verdict, text, Verdict.DIFFERENT, ("a scan of 4 trips against a while loop", "differentiated in reverse"))
    verdict, text = report(lambda x, n: fori(x), loop, X, jnp.int32(4), stage="stablehlo")
    holds(verdict, text, Verdict.DIFFERENT, ("a constant against an argument", "trip count 4 against dynamic"))


def test_a_loop_that_may_not_run_is_no_body() -> None:
    def loop(x: Any, n: Any) -> Any:
        return lax.fori_loop(0, n, lambda i, c: jnp.exp(x), x)

    verdict, text = report(loop, lambda x, n: jnp.exp(x), X, jnp.int32(0), stage="jaxpr")
    holds(verdict, text, Verdict.DIFFERENT, ("while, dynamic trips: UNPAIRED",))


def test_trips_of_a_trivial_loop_are_told() -> None:
    def once(x: Any) -> Any:
        return lax.scan(lambda c, _: (c * 3.0, None), x, None, length=1)[0]

    verdict, text = report(once, lambda x: x * 3.0, X, stage="jaxpr")
    holds(verdict, text, Verdict.EQUIVALENT, ("trivial-loop", "scan of 1 trip"))


def test_hoisted_work_is_told_with_depths_and_where_the_compiler_did_it() -> None:
    def inside(w: Any, x: Any) -> Any:
        return lax.scan(lambda c, _: (c + jnp.tanh(w), None), x, None, length=9)[0]

    def outside(w: Any, x: Any) -> Any:
        t = jnp.tanh(w)
        return lax.scan(lambda c, _: (c + t, None), x, None, length=9)[0]

    verdict, text = report(inside, outside, V, V, stage="jaxpr,hlo")
    said = ("main/scan/tanh: loop depth 1 in a, 0 in b", "hoisting at jaxpr only: the compiler does the same")
    holds(verdict, text, Verdict.EQUIVALENT, said)


# -- types, constants, arguments --------------------------------------------------------------------------------------


def test_weak_types_are_listed() -> None:
    verdict, text = report(lambda x: (x, 3.0), lambda x: (x, jnp.float32(3.0)), X, stage="jaxpr")
    said = ("weak-type", "result 1: weak f32[] in a, f32[] in b", "the same program is lowered", "cache key differs")
    holds(verdict, text, Verdict.EQUIVALENT, said)


@pytest.mark.parametrize("stage", EVERY)
def test_constants_differ_at_an_index(stage: str) -> None:
    one = np.linspace(0.0, 3.0, 24, dtype=np.float32).reshape(4, 6)
    two = one.copy()
    two[2, 5] = -7.5
    verdict, text = report(lambda x: x + one, lambda x: x + two, jnp.ones((4, 6), jnp.float32), stage=stage)
    said = ("constants differ first at flat index 17, [2, 5]", "against -7.5", "96 bytes, sha256")
    holds(verdict, text, Verdict.DIFFERENT, said)


def test_constant_iota_and_argument_are_kinds_of_their_own() -> None:
    table = np.arange(40, dtype=np.float32)
    x = jnp.ones(40, jnp.float32)
    verdict, text = report(lambda x: x * table, lambda x: x * jnp.arange(40.0), x, stage="stablehlo")
    holds(verdict, text, Verdict.DIFFERENT, ("a constant against an iota",))
    verdict, text = report(lambda x, t: x * table, lambda x, t: x * t, x, x, stage="jaxpr")
    holds(verdict, text, Verdict.DIFFERENT, ("a constant against an argument", "160 bytes, sha256"))


@pytest.mark.parametrize("stage", ["stablehlo", "hlo"])
def test_kept_arguments_are_mapped(stage: str) -> None:
    verdict, text = report(lambda p, q, r: p * q, lambda p, q, r: p * r, X, X, X, stage=stage)
    said = ("arguments of the module", "0 = p, 1 = q; jit dropped r", "0 = p, 1 = r; jit dropped q")
    holds(verdict, text, Verdict.DIFFERENT, said)


@pytest.mark.parametrize("stage", EVERY)
def test_signedness_is_told_with_the_types(stage: str) -> None:
    def signed(a: Any, b: Any) -> Any:
        return jnp.minimum(a, b)

    def unsigned(a: Any, b: Any) -> Any:
        x, y = (lax.bitcast_convert_type(v, jnp.uint32) for v in (a, b))
        return lax.bitcast_convert_type(jnp.minimum(x, y), jnp.int32)

    ints = jnp.arange(3, dtype=jnp.int32)
    verdict, text = report(signed, unsigned, ints, ints, stage=stage)
    holds(verdict, text, Verdict.DIFFERENT, ("of i32[3] against", "of u32[3]"))


# -- wiring and choices -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", EVERY)
def test_exchanged_operands_and_results(stage: str) -> None:
    verdict, text = report(
        lambda x, y: jnp.exp(x) - jnp.sin(y), lambda x, y: jnp.sin(y) - jnp.exp(x), X, X, stage=stage
    )
    holds(verdict, text, Verdict.DIFFERENT, ("operands 0 and 1 of", "are exchanged"))
    verdict, text = report(lambda x, y: (x + 1, y * 2), lambda x, y: (y * 2, x + 1), X, X, stage=stage)
    holds(verdict, text, Verdict.DIFFERENT, ("results 0 and 1 are exchanged",))
    verdict, text = report(
        lambda x, y: jnp.exp(x) * jnp.sin(y), lambda x, y: jnp.sin(y) * jnp.exp(x), X, X, stage=stage
    )
    holds(verdict, text, Verdict.EQUIVALENT, ("operands of a commutative op exchange", "in main"))


def test_conditional_against_select() -> None:
    def cond(p: Any, x: Any) -> Any:
        return lax.cond(p > 0, lambda: jnp.sin(x), lambda: jnp.cos(x))

    def where(p: Any, x: Any) -> Any:
        return lax.select(p > 0, jnp.sin(x), jnp.cos(x))

    verdict, text = report(cond, where, X, X, stage="jaxpr")
    said = (
        "a conditional (one branch runs) against a select (both sides are computed)",
        "0 gives cos(x), 1 gives sin(x)",
        "false gives cos(x), true gives sin(x)",
        "(bool[])",
    )
    holds(verdict, text, Verdict.DIFFERENT, said)


def test_copies_of_a_loop_are_counted() -> None:
    def swap(x: Any, y: Any) -> Any:
        return lax.scan(lambda c, _: ((c[1], c[0] * 0.5), None), (x, y), None, length=6)[0]

    def straight(x: Any, y: Any) -> Any:
        return lax.scan(lambda c, _: ((c[0], c[1] * 0.5), None), (x, y), None, length=6)[0]

    verdict, text = report(swap, straight, V, V, stage="hlo")
    holds(verdict, text, Verdict.DIFFERENT, ("copies a trip, ", ": f32[5], 20 bytes"))


# -- calls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo"])
def test_inlined_and_dead_callees_are_named(stage: str) -> None:
    @jax.jit
    def quartic(x: Any) -> Any:
        return x * x * x * x

    verdict, text = report(quartic, lambda x: x * x * x * x, X, stage=stage)
    assert verdict is Verdict.IDENTICAL  # the outermost jit is the program's own
    verdict, text = report(lambda x: quartic(x) + 1, lambda x: x * x * x * x + 1, X, stage=stage)
    holds(verdict, text, Verdict.EQUIVALENT, ("calls", "quartic"))


def test_dead_helpers_are_named() -> None:
    @jax.jit
    def helper(x: Any) -> Any:
        return jnp.sin(x)

    def with_dead(x: Any) -> Any:
        helper(x)
        return x * 2

    verdict, text = report(with_dead, lambda x: x * 2, X, stage="jaxpr")
    holds(verdict, text, Verdict.EQUIVALENT, ("dead-code", "helper"))


# -- attributes -------------------------------------------------------------------------------------------------------

ONE_ATTRIBUTE: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], str, tuple[str, ...]]] = {
    "stable": (
        lambda v: lax.sort((v, v), num_keys=1, is_stable=True),
        lambda v: lax.sort((v, v), num_keys=1, is_stable=False),
        "jaxpr",
        ("sort: is_stable = true against false",),
    ),
    "mode": (
        lambda v: v.at[jnp.array([1, 9])].get(mode="clip"),
        lambda v: v.at[jnp.array([1, 9])].get(mode="fill"),
        "jaxpr",
        ("gather:", "GatherScatterMode.CLIP against GatherScatterMode.FILL_OR_DROP"),
    ),
    "region": (
        functools.partial(lax.reduce, init_values=np.float32(0), computation=lax.add, dimensions=(0,)),
        functools.partial(lax.reduce, init_values=np.float32(0), computation=lax.max, dimensions=(0,)),
        "stablehlo",
        ("the region of stablehlo.reduce", "stablehlo.add against stablehlo.maximum"),
    ),
    "direction": (
        lambda v: lax.cummax(v),
        lambda v: lax.cummax(v, reverse=True),
        "jaxpr",
        ("cummax: reverse = false against true",),
    ),
    "comparison": (
        lambda v: v < 2,
        lambda v: v <= 2,
        "stablehlo",
        ("stablehlo.compare: comparison_direction = LT against LE",),
    ),
    "bits": (
        lambda v: lax.reduce_precision(v, 8, 7),
        lambda v: lax.reduce_precision(v, 5, 10),
        "stablehlo",
        ("exponent_bits = 8 against 5", "mantissa_bits = 7 against 10"),
    ),
}


@pytest.mark.parametrize("name", ONE_ATTRIBUTE)
def test_the_one_attribute_is_named(name: str) -> None:
    f, g, stage, said = ONE_ATTRIBUTE[name]
    verdict, text = report(f, g, V, stage=stage)
    holds(verdict, text, Verdict.DIFFERENT, said)


# -- stages -----------------------------------------------------------------------------------------------------------


def test_the_ladder_of_stages() -> None:
    verdict, text = report(by_closure, by_closure, X, X, X, stage="all")
    holds(verdict, text, Verdict.IDENTICAL, ("the same at all stages",))
    table = np.arange(64, dtype=np.float32)
    x = jnp.ones(64, jnp.float32)
    verdict, text = report(lambda x: x + table, lambda x: x + jnp.arange(64.0), x, stage="all")
    holds(verdict, text, Verdict.DIFFERENT, ("not the same at jaxpr, stablehlo; the same at hlo: compiled away",))


# -- what the tables add ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["stablehlo", "hlo"])
def test_donation_is_listed_apart_from_the_arithmetic(stage: str) -> None:
    def update(weights: Any, delta: Any) -> Any:
        return weights - 0.5 * delta

    kept, given = jax.jit(update), jax.jit(update, donate_argnums=(0,))
    verdict, text = report(kept, given, V, V, stage=stage)
    said = ("class:donation", "aliasing a nothing b weights f32[5], 20 bytes: output 0 takes its memory")
    holds(verdict, text, Verdict.EQUIVALENT, said)


def test_constants_of_one_side_are_listed() -> None:
    table = np.linspace(1.0, 2.0, 50, dtype=np.float32)
    x = jnp.ones(50, jnp.float32)
    verdict, text = report(lambda x: x * table, lambda x: x * 2.0, x, stage="jaxpr")
    holds(verdict, text, Verdict.DIFFERENT, ("constants of one side alone a f32[50], 200 bytes, sha256", "main/mul"))


def test_effects_are_listed_in_order() -> None:
    def one(x: Any) -> Any:
        jax.debug.print("first {}", x)
        jax.debug.print("second {}", x, ordered=True)
        return x

    def other(x: Any) -> Any:
        jax.debug.print("second {}", x, ordered=True)
        return x

    verdict, text = report(one, other, X, stage="jaxpr")
    said = ("effects, in order", "a debug_print 'first {}' (print, in no order)", "'second {}' (print, ordered)")
    holds(verdict, text, Verdict.DIFFERENT, said)


def test_where_keys_come_from() -> None:
    def split(key: Any) -> Any:
        return [jax.random.normal(k, (2,)) for k in jax.random.split(key, 2)]

    def reused(key: Any) -> Any:
        return [jax.random.normal(key, (2,)), jax.random.normal(key, (2,))]

    verdict, text = report(split, reused, jax.random.key(0), stage="jaxpr")
    said = ("random draws", "from split(key, 2)[0]", "from split(key, 2)[1]", "from key", "one key is used again at")
    holds(verdict, text, Verdict.DIFFERENT, said)


def test_functions_of_other_names_are_one_program() -> None:
    @jax.jit
    def f(x: Any) -> Any:
        return jnp.sin(x)

    @jax.jit
    def g(x: Any) -> Any:
        return jnp.sin(x)

    verdict, text = report(lambda x: f(x) * 2, lambda x: g(x) * 2, X, stage="stablehlo")
    holds(verdict, text, Verdict.IDENTICAL, ("functions of a and b differ in name alone: @f is @g",))


def test_an_equal_function_that_is_another_object_is_unknown() -> None:
    def make() -> Any:
        return lambda x: x

    def calls(function: Any) -> Any:
        return lambda x: jax.pure_callback(function, jax.ShapeDtypeStruct((), np.float32), x)

    verdict, text = report(calls(make()), calls(make()), X, stage="jaxpr")
    holds(verdict, text, Verdict.INCONCLUSIVE, ("cannot tell", "another function object of equal code, so unknown"))
