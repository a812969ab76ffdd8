"""Rules of which nothing came may be left out of an attempt, and the side is the same: it is not made again for that.

A rule that would be used without being noted would let a side stand for one that is another, so this is tried on
whatever there is: pairs for each rule, strategies at all stages, random programs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import jax
import pytest

import scanir
from scanir.compare.verdict import compare
from scanir.normalize.rules import DEFAULT, RULES
from scanir.normalize.side import Settings, Side, bare, normalize
from scanir.normalize.values import Table
from scanir.program import Program
from scanir.strategies import strategies
from scanir.targets import resolve
from scanir.targets.arguments import Arguments
from tests.construct.build import function, shapes
from tests.construct.generate import generated
from tests.normalize.test_rules import PAIRS, Pair

EVERY = frozenset(RULES)
NONE: frozenset[str] = frozenset()


def made(program: Program, rules: frozenset[str], table: Table, settings: Settings) -> Side:
    entry = program.module.function(program.module.entry)
    inputs = tuple(table.intern("in", (k, bare(param.type))) for k, param in enumerate(entry.body.params))
    return normalize(program, "a", rules, table, inputs, settings)


def look(side: Side) -> tuple[object, ...]:
    """All that is ever asked of a side."""
    traces, seen = [side.trace, *(trace for _, trace, _ in side.parts.values())], []
    while traces:
        trace = traces.pop()
        seen.append((trace.kind, trace.label, [(id(op), term) for op, term in trace.entries]))
        traces += trace.inner
    used = side.used, side.fired, side.log, side.hidden
    return side.results, side.lemmas, side.canonical.of, side.canonical.updates, side.canonical.order, used, seen


def check(program: Program, rng: random.Random) -> None:
    for keep, exact in ((None, True), (NONE, False)):
        settings = Settings(keep=keep, exact_nans=exact)
        for wide in (DEFAULT, EVERY, frozenset(rng.sample(sorted(EVERY), len(EVERY) // 2))):
            table = Table()
            whole = made(program, wide, table, settings)
            spare = sorted(wide - whole.fired)
            for few in (spare, *([rule] for rule in rng.sample(spare, min(3, len(spare))))):
                assert look(made(program, wide - set(few), table, settings)) == look(whole), few


def programs() -> Iterator[tuple[str, Program]]:
    for k, pair in enumerate(PAIRS):
        yield f"{k} {pair.rule} a", pair.left
        yield f"{k} {pair.rule} b", pair.right


@pytest.mark.parametrize("program", [pytest.param(p, id=name) for name, p in programs()])
def test_pairs_of_rules(program: Program) -> None:
    check(program, random.Random(3))


@pytest.mark.full
@pytest.mark.parametrize("strategy", [strategy.name for strategy in strategies()])
def test_strategies(strategy: str) -> None:
    for program in resolve(strategy).trace(("jaxpr", "stablehlo", "hlo"), None).values():
        check(program, random.Random(5))


@pytest.mark.parametrize("seed", [pytest.param(n, marks=() if n < 3 else pytest.mark.full) for n in range(40)])
def test_random_programs(seed: int) -> None:
    rng = random.Random(seed)
    made_up = generated(rng)
    stages = ("jaxpr", "stablehlo")
    target = resolve(jax.jit(function(made_up)))

    for program in target.trace(stages, Arguments(shapes(made_up))).values():
        check(program, rng)


@pytest.mark.parametrize("pair", [pytest.param(p, id=f"{k} {p.rule}") for k, p in enumerate(PAIRS)])
def test_answers_are_those_of_a_search_that_spares_nothing(pair: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    found = compare(pair.left, pair.right, EVERY)
    monkeypatch.setattr(Side, "fired", property(lambda side: EVERY | {"nothing is left out"}))
    assert compare(pair.left, pair.right, EVERY) == found


@pytest.mark.parametrize("pair", [("lambda", "swapped"), ("sum-scan", "sum-fori")])
def test_the_same_of_strategies(pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = scanir.diff(*pair, stage="jaxpr,stablehlo").stages
    monkeypatch.setattr(Side, "fired", property(lambda side: EVERY | {"nothing is left out"}))
    assert scanir.diff(*pair, stage="jaxpr,stablehlo").stages == found
