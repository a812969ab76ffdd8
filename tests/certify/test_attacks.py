"""Attacks on certificates: one number or name changed, and certificates replayed on other programs."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from scanir.certify.produce import checked, document
from scanir.checker.certificate import read
from scanir.checker.check import check
from scanir.checker.verdict import Rejected, Unreadable
from scanir.compare.verdict import compare
from scanir.normalize.rules import DEFAULT
from scanir.program import Program
from tests.certify.changes import at, single_changes
from tests.normalize.test_rules import PAIRS, Pair

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
