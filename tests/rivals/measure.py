"""How often each tool is wrong: "same" of a mutant, "different" of programs that are equal.

A mutant counts where something of meaning was changed that the program depends on, scanir and XLA can read it, and
execution does not show that it is equal in truth. A pair counts as equal by construction (`tests.construct`) or because
two built-in strategies compute the same values.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from random import Random
from typing import Any

import jax

import scanir
from scanir import _compat
from scanir.errors import ScanirError
from scanir.strategies import find
from tests.mutation.campaign import WIRING, mutants_of
from tests.mutation.execution import Interpreter, Ran
from tests.mutation.judge import EQUAL, answer, may_be_equal, program_of
from tests.mutation.mutant import Mutant, chosen
from tests.mutation.sources import artifact, generic
from tests.rivals.tools import TOOLS, texts
from tests.rivals.xla import Printer

#: (dialect, tool, what was counted) -> how often. ``mutants``, ``same``, ``shown``: mutants, how many of them a tool
#: called the same, and of how many of these execution showed other results. ``pairs``, ``different`` and ``family``,
#: ``family different``: equal pairs, and how many of them it called different. ``undecided``: mutants that scanir calls
#: equal and that cannot be run: they are not among the others.
Counts = Counter[tuple[str, str, str]]
#: Strategies of a family that take the same arguments and compute the same values.
FAMILIES = (
    ("lambda", "def", "carry", "xs", "jit-body"),
    ("sum-scan", "sum-fori", "sum-while", "sum-python"),
    ("factorial-scan", "factorial-fori", "factorial-python"),
    ("fibonacci-scan", "fibonacci-fori", "fibonacci-python", "fibonacci-xs-unused"),
)


def families() -> list[tuple[str, str]]:
    return [pair for family in FAMILIES for pair in combinations(family, 2)]


# -- mutants -----------------------------------------------------------------------------------------------------------


class Mutants:
    """Counts over mutants, with XLA's printers and the interpreter beside it."""

    def __init__(self) -> None:
        self._printer, self._interpreter = Printer(), Interpreter()

    def close(self) -> None:
        self._printer.close()
        self._interpreter.close()

    def count(self, dialect: str, source: str, limit: int, seed: int) -> Counts:
        """The answers of all tools about mutants of one module."""
        counts: Counts = Counter()
        random = Random(f"{seed} {dialect} {source}")
        given = artifact(dialect, source, None)
        module, said = program_of(dialect, given), self._texts(dialect, given)
        if said is None:
            return counts
        some = (m for m in mutants_of(dialect, given, random) if not m.dead and not m.aside)
        for mutant in chosen(some, limit, random):
            same = self._same(dialect, mutant, module, said)
            if same is None or "whole" in same:
                continue
            ran = self._run(dialect, given, mutant) if same else Ran("not run")
            if ran.outcome == "equal" and ("scanir" in same or mutant.kind in WIRING):
                continue  # what is exchanged is alike, or the rules that scanir names make it one
            if same and ran.outcome == "not run" and dialect == "jaxpr":
                continue  # no program: parameters that contradict each other
            if "scanir" in same and ran.outcome == "not run":
                counts[dialect, "scanir", "undecided"] += 1  # it needs several devices
                print(f"undecided: {dialect}: {source}: {mutant.kind} in {mutant.where}: {ran.detail}", file=sys.stderr)
                continue
            for tool in TOOLS[dialect]:
                counts[dialect, tool, "mutants"] += 1
                counts[dialect, tool, "same"] += tool in same
                counts[dialect, tool, "shown"] += tool in same and ran.outcome == "unequal"
        return counts

    def _texts(self, dialect: str, given: Any) -> dict[str, str] | None:
        if dialect == "hlo":
            return self._printer.texts(given)
        try:
            return texts(dialect, given)
        except (ValueError, TypeError, IndexError, KeyError, AttributeError):
            return None  # JAX's own printer expects some parameters to have the right form

    def _same(self, dialect: str, mutant: Mutant, module: Any, said: dict[str, str]) -> set[str] | None:
        """The tools that call a mutant the same; None where it cannot be read. ``whole``: XLA reads no change."""
        try:
            other = mutant.make()
            program = program_of(dialect, other)
        except ScanirError:
            return None
        printed = self._texts(dialect, other)
        if printed is None:
            return None
        same = {tool for tool, text in printed.items() if text == said[tool]}
        if may_be_equal(module, program) and answer(module, program).verdict in EQUAL:
            same.add("scanir")
        return same

    def _run(self, dialect: str, given: Any, mutant: Mutant) -> Ran:
        other = mutant.make()
        if dialect == "jaxpr":
            from tests.mutation.jaxpr import run_both

            return run_both(given, other)
        return self._interpreter.compare(dialect, given, other)


# -- equal pairs -------------------------------------------------------------------------------------------------------


def count_pair(left: Any, right: Any, shapes: Iterable[tuple[Any, ...]], what: str) -> Counts:
    """The answers of all tools about two functions that are equal. ``shapes``: what each is traced with."""
    counts: Counts = Counter()
    made = [_stages(function, specs) for function, specs in zip((left, right), shapes, strict=True)]
    for dialect, tools in TOOLS.items():
        one, other = (texts(dialect, stages[dialect]) for stages in made)
        verdict = scanir.diff(made[0]["traced"], made[1]["traced"], stage=dialect).verdict
        for tool in tools:
            same = verdict in EQUAL if tool == "scanir" else one[tool] == other[tool]
            counts[dialect, tool, what] += 1
            counts[dialect, tool, "different" if what == "pairs" else f"{what} different"] += not same
    return counts


def _stages(function: Any, specs: tuple[Any, ...]) -> dict[str, Any]:
    traced = (function if hasattr(function, "trace") else jax.jit(function)).trace(*specs)
    lowered = traced.lower()
    return {
        "traced": traced,
        "jaxpr": traced.jaxpr,
        "stablehlo": generic(lowered.compiler_ir("stablehlo")),
        "hlo": _compat.optimized_module(lowered.compile()),
    }


def count_family(names: tuple[str, str]) -> Counts:
    left, right = (find(name) for name in names)
    assert left is not None
    assert right is not None
    return count_pair(left.function, right.function, (left.example(), right.example()), "family")


def count_construct(kind: str, seed: int) -> Counts:
    """A pair that is equal by construction; nothing where no rewrite applied."""
    from tests.construct.build import function, shapes
    from tests.construct.campaign import KINDS

    case = KINDS[kind](seed)
    if case is None:
        return Counter()
    _, left, right = case
    return count_pair(function(left), function(right), (shapes(left), shapes(right)), "pairs")
