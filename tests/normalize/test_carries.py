"""What becomes of the carries of a loop: on hand-made loops, against unrolling, and on traced programs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scanir
from scanir.api import _arguments, _target
from scanir.compare.profile import profile
from scanir.costs.copies import Copies, copies_in
from scanir.facts.alone import Alone, alone
from scanir.ir.builder import RegionBuilder
from scanir.normalize.carries import KINDS, carries
from scanir.program import Program
from tests.compare.programs import F32, number, program, scan, unrolled

STAGES = ("jaxpr", "stablehlo", "hlo-in", "hlo")


def kinds(one: Program) -> list[list[str]]:
    """For each loop, each carry: its kind, and the slot whose value it takes."""
    found = alone(one)
    assert isinstance(found, Alone)
    return [
        [carry.kind if carry.other is None else f"{carry.kind} {carry.other}" for carry in carries(found.side, loop)]
        for loop, *_ in profile(found.side).loops
    ]


def traced(function: Any, *args: Any, stage: str) -> Program:
    return _target(function).trace((stage,), _arguments(args, None))[stage]


def moved(targets: list[int | None], length: int = 5) -> Program:
    """A scan of as many slots: slot k takes the value of slot targets[k], or a computed one."""
    outer = RegionBuilder()
    inits = [outer.param(F32, f"x{k}") for k in range(len(targets))]
    body = RegionBuilder()
    slots = [body.param(F32) for _ in targets]
    results = [
        body.op("sin", (slots[k],), (F32,), {})[0] if target is None else slots[target]
        for k, target in enumerate(targets)
    ]
    return program(outer, scan(outer, inits, body.region(results), length))


def test_a_rotation_and_a_shift() -> None:
    assert kinds(moved([1, 2, 0])) == [["permuted 1", "permuted 2", "permuted 0"]]
    assert kinds(moved([0, 0, None])) == [["invariant", "forwarded 0", "computed"]]
    assert kinds(moved([None, 0, 1])) == [["computed", "forwarded 0", "forwarded 1"]]


@given(st.lists(st.integers(0, 4), min_size=5, max_size=5), st.integers(2, 7))
def test_kinds_hold_in_the_unrolled_loop(targets: list[int], length: int) -> None:
    """Invariant slots end as they start; permuted and forwarded ones end with the value of the slot they take from,
    one trip before."""
    said = kinds(moved(list(targets), length))[0]
    before, after = (unrolled(moved(list(targets), 0), [n]) for n in (length - 1, length))
    for slot, kind in enumerate(said):
        if kind == "invariant":
            assert after[slot] == ("argument", slot)
        else:
            assert after[slot] == before[int(kind.split()[1])]


def test_a_value_from_outside_is_a_reset() -> None:
    outer = RegionBuilder()
    x, y = outer.param(F32, "x"), outer.param(F32, "y")
    body = RegionBuilder()
    body.param(F32)
    assert kinds(program(outer, scan(outer, (x,), body.region((y,))))) == [["reset"]]


def test_an_unread_carry_is_dead() -> None:
    outer = RegionBuilder()
    x, y = outer.param(F32, "x"), outer.param(F32, "y")
    body = RegionBuilder()
    a, b = body.param(F32), body.param(F32)
    results = [body.op("sin", (value,), (F32,), {})[0] for value in (a, b)]
    found = alone(program(outer, scan(outer, (x, y), body.region(results))[:1]))
    assert isinstance(found, Alone)
    (loop, *_), *_ = profile(found.side).loops
    assert [carry.live for carry in carries(found.side, loop)] == [True, False]


def test_equal_carries_name_each_other() -> None:
    outer = RegionBuilder()
    x = outer.param(F32, "x")
    body = RegionBuilder()
    slots = [body.param(F32), body.param(F32)]
    results = [body.op("mul", (value, number(body, 2.0)), (F32,), {})[0] for value in slots]
    found = alone(program(outer, scan(outer, (x, x), body.region(results))))
    assert isinstance(found, Alone)
    (loop, *_), *_ = profile(found.side).loops
    assert [carry.same_as for carry in carries(found.side, loop)] == [None, 0]


# -- traced programs ---------------------------------------------------------------------------------------------------


def swapped_inside(trips: int) -> Any:
    def f(x: Any, a: Any, b: Any) -> Any:
        from jax import lax

        def inner(_: Any, c: Any) -> Any:
            y, p, q = c
            return y * p + q, q, p

        def outer(c: Any, _: Any) -> Any:
            return lax.fori_loop(0, trips, inner, c), None

        return lax.scan(outer, (x, a, b), None, length=5)[0]

    return f


@pytest.mark.compat
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("trips", "outer"), [(2, ["invariant"] * 2), (3, ["permuted", "permuted"])])
def test_an_exchange_inside_is_followed_through_the_inner_loop(stage: str, trips: int, outer: list[str]) -> None:
    """Exchanged twice a trip of the outer loop, two carries are back in place; exchanged three times, they are not."""
    found = kinds(traced(swapped_inside(trips), 1.0, 2.0, 3.0, stage=stage))
    assert len(found) == 2
    words = [[kind.split()[0] for kind in each if kind not in ("counter", "computed")] for each in found]
    assert words == [outer, ["permuted", "permuted"]]


@pytest.mark.compat
@pytest.mark.parametrize("stage", STAGES)
def test_counters_say_start_and_step(stage: str) -> None:
    def f(n: Any, x: Any) -> Any:
        from jax import lax

        return lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 3, c[1] * 2.0), (7, x))[1]

    found = alone(traced(f, 50, 1.0, stage=stage))
    assert isinstance(found, Alone)
    (loop, *_), *_ = profile(found.side).loops
    assert loop.trips is None
    assert [(c.start, c.step) for c in carries(found.side, loop) if c.kind == "counter"] == [(7, 3)]


@pytest.mark.compat
def test_copies_in_a_loop_are_counted() -> None:
    def f(x: Any) -> Any:
        from jax import lax

        return lax.scan(lambda c, _: ((c[1], c[0]), None), (x, x + 1.0), None, length=5)[0]

    import jax.numpy as jnp

    one = traced(f, jnp.ones(1000), stage="hlo")
    found = alone(one)
    assert isinstance(found, Alone)
    (loop, *_), *_ = profile(found.side).loops
    copies = copies_in(one.module, loop.op)
    assert copies.count >= 2  # exchanged values cannot stay where they are
    assert copies.types == (("f32[1000]", copies.count),)
    assert copies.bytes == 4000 * copies.count
    one = traced(f, jnp.ones(1000), stage="jaxpr")
    assert copies_in(one.module, one.module.function("main").body.ops[-1]) == Copies()


def test_every_kind_has_a_meaning() -> None:
    assert set(KINDS) == {"invariant", "counter", "permuted", "forwarded", "reset", "computed", "token"}
    assert scanir.__version__
