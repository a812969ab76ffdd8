"""Brute force: partitions of small loops by form are partitions by meaning, at all trip counts from 0 to 8."""

from __future__ import annotations

import random

import pytest

from scanir.compare.verdict import compare
from scanir.normalize.values import Table
from scanir.result import Verdict
from tests.brute import campaign
from tests.brute.campaign import RULES, Partitions, canonical
from tests.brute.wirings import INTEGER_OPS, TRIPS, Terms, counted, integers, sampled, scanned, wirings
from tests.compare.programs import unrolled

SPELLINGS = ("scan", "while", "stablehlo.while", "stablehlo.while, bound carried")


def settled(found: Partitions, missed: float) -> None:
    """No form has two meanings; at most this share of the programs has not the commonest form of its meaning."""
    assert not found.wrong, f"{found.name}: one form, two meanings: {found.wrong[:2]}"
    assert found.apart <= missed * found.programs, f"{found.row()}: {found.missed(3)}"
    assert 1 < len(found.forms) < found.programs


def test_all_loops_of_two_slots_and_one_op() -> None:
    settled(campaign.exhaustive(2, 1), 0)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_all_loops_of_two_slots_and_two_ops() -> None:
    settled(campaign.exhaustive(2, 2), 0)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_some_loops_of_three_slots_and_three_ops(spelling: str) -> None:
    settled(campaign.sample(spelling, 500), 0)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_many_loops_of_three_slots_and_three_ops(spelling: str) -> None:
    settled(campaign.sample(spelling, 40_000), 0)


def test_laws_of_integers() -> None:
    """Counters, exchanged operands, neutral elements: equal forms give equal numbers. (The rest needs more algebra.)"""
    settled(campaign.whole(1000), 1)


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_laws_of_integers_at_length() -> None:
    settled(campaign.whole(40_000), 1)


@pytest.mark.full
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("depth", "count"), [(2, 6_000), (3, 1_500)])
def test_loops_in_loops(depth: int, count: int) -> None:
    """What is missed here needs a case split: a loop that ran at all has left its start behind."""
    settled(campaign.nested(depth, count), 0.03)


def test_the_meaning_is_that_of_the_program() -> None:
    """The numbers and the IR made of them agree: what a wiring means is what its `scan` computes when unrolled."""
    terms, numbers = Terms(), {}
    for seed in range(300):
        wiring = sampled(seed, 3, 2, 3)
        meant = terms.meaning(wiring)
        computed = tuple(unrolled(scanned(wiring), [n] * 6) for n in range(TRIPS + 1))
        assert numbers.setdefault(meant, computed) == computed, wiring
    assert len(set(numbers.values())) == len(numbers)


def test_the_enumeration_is_whole() -> None:
    """Every sampled wiring of that size is among all wirings; integers wrap at 32 bits."""
    every = {wiring for slots in (1, 2) for ops in (0, 1) for wiring in wirings(slots, 2, ops)}
    assert len(every) == sum(1 for slots in (1, 2) for ops in (0, 1) for _ in wirings(slots, 2, ops)) == 8358
    assert {sampled(seed, 2, 2, 1) for seed in range(500)} <= every
    assert all(0 <= n < 1 << 32 for n in integers(sampled(3, 2, 3, 3, INTEGER_OPS), 0xFFFFFFFF))


def test_verdicts_follow_the_forms() -> None:
    """`compare` calls two wirings equal exactly where their forms are one."""
    rng, table = random.Random(4), Table()
    equal = 0
    for _ in range(150):
        left, right = (sampled(rng.randrange(120), 2, 2, 1) for _ in "ab")
        a, b = scanned(left), scanned(right)
        one = canonical(a, table) == canonical(b, table)
        assert (compare(a, b, RULES).verdict is not Verdict.DIFFERENT) == one, (left, right)
        equal += one
    assert 5 < equal < 145
    assert (
        compare(counted(left, "stablehlo"), counted(left, "stablehlo", inside=True), RULES).verdict
        is not Verdict.DIFFERENT
    )
