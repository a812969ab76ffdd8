"""The worst bug is a wrong EQUIVALENT: wirings of loops against their meaning at every small trip count."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from scanir.compare.verdict import compare
from scanir.ir.attrs import Int
from scanir.ir.walk import ops_of
from scanir.normalize.rules import DEFAULT
from scanir.normalize.side import Settings, bare, normalize
from scanir.normalize.values import Table
from scanir.program import Program
from scanir.result import Verdict
from tests.compare.programs import Wiring, unrolled

#: trivial-loop and forwarded-outputs say something about one trip count or about unlike lists; the rest is compared
# here.
RULES = DEFAULT - {"constant-argument", "forwarded-outputs", "trivial-loop"}
#: Trip counts by length of loop; length 1 (innermost) would be a trivial loop.
TRIPS = [(0, inner, middle, outer) for inner in range(6) for middle in range(3) for outer in range(3)]


def meaning(program: Program) -> tuple[Any, ...]:
    lengths = {op.attribute("length") for op in ops_of(program.module.function("main").body) if op.name == "scan"}
    flat = lengths == {Int(1)}
    return tuple(unrolled(program, trips) for trips in TRIPS if not flat or trips[2:] == (0, 0))


def canonical(program: Program, table: Table) -> tuple[int, ...]:
    entry = program.module.function(program.module.entry)
    inputs = tuple(table.intern("in", (k, bare(param.type))) for k, param in enumerate(entry.body.params))
    return normalize(program, "a", RULES, table, inputs, Settings()).results


@pytest.mark.parametrize(("depth", "count"), [(1, 1500), (2, 800), (3, 250)])
def test_partitions_agree_with_meaning(depth: int, count: int) -> None:
    """Equal canonical forms have equal meaning; the share of equal meanings with unlike forms is small."""
    table = Table()
    forms: dict[tuple[int, ...], Any] = {}
    meanings: dict[Any, set[tuple[int, ...]]] = defaultdict(set)
    for seed in range(count):
        program = Wiring(seed * 7 + depth, depth=depth).program()
        meant = meaning(program)
        form = canonical(program, table)
        assert forms.setdefault(form, meant) == meant, f"seed {seed}: one form, two meanings"
        meanings[meant].add(form)
    # What is missed needs a case split that no rule makes: that a loop that ran at all has left its start behind.
    split = sum(len(found) - 1 for found in meanings.values())
    assert split <= 0.03 * count, f"{split} of {count} programs of equal meaning have unlike forms"


def test_verdicts_agree_with_meaning() -> None:
    """Pairs of programs, with modulo: allowing exactly it gives the verdict, one rule less does not."""
    programs = [Wiring(seed, slots=2, captures=1, ops=1).program() for seed in range(42)]
    meant = [meaning(program) for program in programs]
    equivalent = 0
    for i, a in enumerate(programs):
        for j, b in enumerate(programs[:i]):
            answer = compare(a, b, RULES)
            same = answer.verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT)
            if same:
                assert meant[i] == meant[j], f"{i} against {j}: {answer}"
            if answer.verdict is Verdict.EQUIVALENT:
                equivalent += 1
                rules = frozenset(use.rule for use in answer.modulo)
                assert compare(a, b, rules).verdict is Verdict.EQUIVALENT
                for rule in rules:
                    assert compare(a, b, rules - {rule}).verdict is Verdict.DIFFERENT, (i, j, rule, rules)
    assert equivalent > 10
