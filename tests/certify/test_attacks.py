"""Attacks on certificates: one number or name changed, and certificates replayed on other programs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scanir.certify.produce import checked, document
from scanir.checker.certificate import StageRecord, read
from scanir.checker.check import check
from scanir.checker.digest import artifact
from scanir.checker.verdict import Rejected, Unreadable
from scanir.compare.verdict import compare
from scanir.ir.printer import print_module
from scanir.normalize.rules import DEFAULT
from scanir.normalize.side import Settings, bare, normalize
from scanir.normalize.values import Table
from scanir.program import Program
from scanir.result import Verdict
from tests.certify.changes import at, single_changes
from tests.certify.mutants import mutants
from tests.compare.programs import Wiring
from tests.normalize.test_rules import PAIRS, Pair, program, scan
from tests.readers.evaluator import DTYPES, evaluate

EQUAL = [pair for pair in PAIRS if pair.rules]
#: Changes per certificate in the quick run.
SAMPLE = 12


def verdict_on(changed: Any, a: Program, b: Program) -> str:
    """The obligation that fails, ``unreadable``, or ``accepted``."""
    try:
        (record,) = read(changed)
        check(record, a, b)
    except Rejected as problem:
        return problem.obligation
    except Unreadable:
        return "unreadable"
    return "accepted"


def attack(pair: Pair, sample: int | None) -> Counter[str]:
    """What comes of changes to the certificate of a pair, all of them or a sample of fixed seed."""
    a, b = pair.left, pair.right
    certificate = document([checked(a, b, compare(a, b, DEFAULT | {*pair.rules}))])
    changes = list(single_changes(certificate))
    if sample is not None:
        changes = random.Random(len(changes)).sample(changes, min(sample, len(changes)))
    found: Counter[str] = Counter()
    for path, changed in changes:
        if path[-1] in ("arguments", "under"):  # how a side is read again: `scanir.verify` goes by them
            continue
        outcome = verdict_on(changed, a, b)
        assert outcome != "accepted", f"{path}: {at(certificate, path)!r} became {at(changed, path)!r}"
        found[outcome] += 1
    return found


@pytest.mark.parametrize("number", range(len(EQUAL)))
def test_a_changed_number_or_name(number: int) -> None:
    assert attack(EQUAL[number], SAMPLE).total() > 0


@pytest.mark.full
def test_every_changed_number_or_name() -> None:
    """At least 3,000 single changes, each rejected with the obligation that fails."""
    found: Counter[str] = Counter()
    for pair in EQUAL:
        found += attack(pair, None)
    assert found.total() >= 3000
    assert found.keys() >= {"O1", "O2", "O3", "O4", "O5", "O6", "O9", "O10", "O12", "O13", "O14"}


# -- replays
# --------------------------------------------------------------------------------------------------------------------


def replayed(record: StageRecord, a: Program, b: Program) -> bool:
    """Whether a certificate is accepted for programs that it was not made for, its digests put right."""
    sides = [replace(side, artifact=artifact(p.module)) for side, p in zip(record.sides, (a, b), strict=True)]
    try:
        check(replace(record, sides=(sides[0], sides[1])), a, b)
    except Rejected:
        return False
    return True


def same(a: Program, b: Program) -> bool:
    """Whether two programs give the same results, by running them where that is possible, else by comparing them."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        try:
            arguments = [rng.integers(-3, 4, p.type.shape).astype(DTYPES[p.type.dtype]) for p in a.interface.arguments]
            left, right = (evaluate(program.module, arguments) for program in (a, b))
        except (NotImplementedError, KeyError, AssertionError):
            return compare(a, b, DEFAULT).verdict.exit_code == 0
        if len(left) != len(right) or not all(map(np.array_equal, left, right)):
            return False
    return True


def replay(pair: Pair, seed: int, count: int) -> Counter[str]:
    """A certificate replayed on mutants of either side: accepted only for the same program."""
    a, b = pair.left, pair.right
    record = checked(a, b, compare(a, b, DEFAULT | {*pair.rules}))
    found: Counter[str] = Counter()
    for k, original in enumerate((a, b)):
        for mutant in mutants(original, seed + k, count):
            accepted = replayed(record, *((mutant, b) if k == 0 else (a, mutant)))
            found["accepted" if accepted else "rejected"] += 1
            if accepted and record.bindings:  # to another constant, perhaps
                pairs = (mutant, b) if k == 0 else (a, mutant)
                assert compare(*pairs, frozenset(pair.rules)).verdict is Verdict.EQUIVALENT
            elif accepted:
                assert same(original, mutant), print_module(mutant.module)
    return found


@pytest.mark.parametrize("number", range(len(EQUAL)))
def test_a_replay_on_a_mutant(number: int) -> None:
    few = replay(EQUAL[number], number, 4)  # all of them may happen to be the same program
    assert few["rejected"] > 0 or replay(EQUAL[number], number, 40)["rejected"] > 0


def equal_wirings(seeds: range, depth: int = 0) -> Iterator[Pair]:
    """Pairs of random programs with one normal form: loops wired at random, nested ``depth`` deep (0: one or two)."""
    forms: dict[tuple[int, ...], Program] = {}
    table = Table()
    for seed in seeds:
        wired = Wiring(seed, slots=3, captures=2, ops=2, depth=depth or 1 + seed % 2).program()
        inputs = tuple(table.intern("in", (k, bare(p.type))) for k, p in enumerate(wired.interface.arguments))
        form = normalize(wired, "a", DEFAULT, table, inputs, Settings()).results
        other = forms.setdefault(form, wired)
        if other is not wired:
            yield Pair("", other, wired, tuple(DEFAULT))


def test_a_replay_on_mutants_of_random_loops() -> None:
    found: Counter[str] = Counter()
    for k, pair in enumerate(equal_wirings(range(120))):
        if compare(pair.left, pair.right, DEFAULT).verdict is Verdict.EQUIVALENT:
            found += replay(pair, k, 3)
    assert found["rejected"] > 50


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_every_replay() -> None:
    """At least 10,000 replays on mutated programs; what is accepted gives the same results."""
    found: Counter[str] = Counter()
    for k, pair in enumerate(EQUAL):
        found += replay(pair, 1000 + k, 60)
    for k, pair in enumerate(equal_wirings(range(1500))):
        if compare(pair.left, pair.right, DEFAULT).verdict is Verdict.EQUIVALENT:
            found += replay(pair, k, 12)
        if found.total() >= 10_500:
            break
    assert found.total() >= 10_000
    assert found["rejected"] >= 4_500  # much of what random loops compute is dead, and may be anything


def test_loops_three_deep_are_certified() -> None:
    """Random wirings that are equal, repeated loops with loops inside among them."""
    found: Counter[str] = Counter()
    for pair in equal_wirings(range(90_000, 90_120), depth=3):
        answer = compare(pair.left, pair.right, DEFAULT)
        if answer.verdict.exit_code == 0:
            found[checked(pair.left, pair.right, answer).verdict] += 1
    assert found["EQUIVALENT"] > 20


def test_a_repeated_loop_with_a_loop_inside() -> None:
    def nested(k: int) -> str:
        body = f"%s{k} = sub(%d{k}, %c{k}) : f32[]\n%t{k} = mul(%s{k}, %y) : f32[]\nreturn %t{k}"
        inner = scan(f"%c{k}", f"%d{k}: f32[]", body, "f32[]", 4).replace("%r0", f"%q{k}")
        return scan("%x", f"%c{k}: f32[]", inner + f"return %q{k}", "f32[]", 5).replace("%r0", f"%e{k}")

    left = program(nested(0) + "%z = sub(%e0, %e0) : f32[]\nreturn %z")
    right = program(nested(0) + nested(1) + "%z = sub(%e0, %e1) : f32[]\nreturn %z")
    answer = compare(left, right, DEFAULT)
    assert {use.rule for use in answer.modulo} == {"cse"}
    assert checked(left, right, answer).verdict == "EQUIVALENT"
