"""The families of built-in strategies, pair by pair and stage by stage: golden verdicts, each argued.

A cell is three letters, one a stage (jaxpr, stablehlo, hlo): I IDENTICAL, E EQUIVALENT, D DIFFERENT. A strategy against
itself is III everywhere and not listed.
"""

from __future__ import annotations

from itertools import combinations

import jax
import pytest

import scanir
from scanir.normalize.rules import RULES
from scanir.result import Diff, Verdict
from scanir.strategies import strategies

pytestmark = pytest.mark.compat

STAGES = ("jaxpr", "stablehlo", "hlo")

ROLLOUT = {
    # Two spellings of one closure: Python's way to write a function is gone after tracing.
    ("lambda", "def"): "III",
    # The carries are handed on unchanged and come back as three more results. JAX from 0.6.1 on makes them closures
    # itself.
    ("lambda", "carry"): "EEE",
    ("def", "carry"): "EEE",
    # dtau and damp are constants of one side: equal under the printed binding.
    ("lambda", "constant"): "EEE",
    ("def", "constant"): "EEE",
    ("carry", "constant"): "EEE",
    ("constant", "jit-body"): "EEE",
    # Columns come in as a transposed scanned input instead of an indexed read: another program at each stage.
    ("lambda", "xs"): "DDD",
    ("def", "xs"): "DDD",
    ("carry", "xs"): "DDD",
    ("constant", "xs"): "DDD",
    ("xs", "jit-body"): "DDD",
    # A call around the body hides from JAX that the carries are handed on; it is one program all the same.
    ("lambda", "jit-body"): "EEE",
    ("def", "jit-body"): "EEE",
    ("carry", "jit-body"): "EEE",
    # dtau and damp have changed places: same ops, other numbers.
    ("lambda", "swapped"): "DDD",
    ("def", "swapped"): "DDD",
    ("carry", "swapped"): "DDD",
    ("xs", "swapped"): "DDD",
    ("jit-body", "swapped"): "DDD",
    # With both left over on one side only, either way of binding them is a binding: dtau := 1e-06, damp := 0.01.
    ("constant", "swapped"): "EEE",
}
SUM = {
    # Scanned elements against elements read by a counter: XLA keeps the two ways of indexing apart too.
    ("sum-scan", "sum-fori"): "DDD",
    ("sum-scan", "sum-while"): "DDD",
    # A loop against its unrolled chain of additions.
    ("sum-scan", "sum-python"): "DDD",
    ("sum-fori", "sum-python"): "DDD",
    ("sum-while", "sum-python"): "DDD",
    # fori_loop with constant bounds is a scan in the jaxpr; lowered it has a second counter, which XLA merges.
    ("sum-fori", "sum-while"): "DEI",
}
FACTORIAL = {
    # As for the sums.
    ("factorial-scan", "factorial-fori"): "DDD",
    ("factorial-scan", "factorial-python"): "DDD",
    ("factorial-fori", "factorial-python"): "DDD",
}
FIBONACCI = {
    # Stacked by the scan against written into a buffer, against a chain of additions, against a batched scan.
    ("fibonacci-scan", "fibonacci-fori"): "DDD",
    ("fibonacci-scan", "fibonacci-python"): "DDD",
    ("fibonacci-scan", "fibonacci-vmap"): "DDD",
    ("fibonacci-fori", "fibonacci-python"): "DDD",
    ("fibonacci-fori", "fibonacci-vmap"): "DDD",
    ("fibonacci-python", "fibonacci-vmap"): "DDD",
    # The jitted one has its starts inside: equal under the binding.
    ("fibonacci-scan", "fibonacci-jit"): "EEE",
    ("fibonacci-fori", "fibonacci-jit"): "DDD",
    ("fibonacci-python", "fibonacci-jit"): "DDD",
    ("fibonacci-vmap", "fibonacci-jit"): "DDD",
    # An arange that nobody reads: JAX traces it, and does not lower it.
    ("fibonacci-scan", "fibonacci-xs-unused"): "EII",
    ("fibonacci-fori", "fibonacci-xs-unused"): "DDD",
    ("fibonacci-python", "fibonacci-xs-unused"): "DDD",
    ("fibonacci-vmap", "fibonacci-xs-unused"): "DDD",
    # Both of the above at once.
    ("fibonacci-jit", "fibonacci-xs-unused"): "EEE",
}
#: From 0.6.1 on JAX makes closures of carries that the body hands on. Before, both loops of this pair keep theirs,
#: and XLA makes one program of them.
CLOSES_CARRIES = jax.__version_info__ >= (0, 6, 1)
if not CLOSES_CARRIES:
    ROLLOUT["carry", "jit-body"] = "EEI"
FAMILIES = {"rollout": ROLLOUT, "sum": SUM, "factorial": FACTORIAL, "fibonacci": FIBONACCI}
CELLS = {pair: cell for family in FAMILIES.values() for pair, cell in family.items()}


def letters(answer: Diff) -> str:
    return "".join(stage.verdict.name[0] for stage in answer.stages)


def test_every_pair_of_a_family_is_listed() -> None:
    for family, cells in FAMILIES.items():
        names = [strategy.name for strategy in strategies() if strategy.family == family]
        listed = {frozenset(pair) for pair in cells}
        assert listed == {frozenset(pair) for pair in combinations(names, 2)}


@pytest.mark.parametrize(
    "pair", [pytest.param(p, marks=pytest.mark.older if p[0] == "lambda" else ()) for p in CELLS], ids="/".join
)
def test_pair(pair: tuple[str, str]) -> None:
    """The verdict of the cell, both ways round; modulo is enough, and none of it can be spared."""
    answer = scanir.diff(*pair, stage="all")
    assert letters(answer) == CELLS[pair]
    assert letters(scanir.diff(pair[1], pair[0], stage="all")) == CELLS[pair]
    for stage in answer.stages:
        if stage.verdict is Verdict.EQUIVALENT:
            needed = [use.rule for use in stage.modulo]
            assert needed
            again = scanir.diff(*pair, stage=stage.stage, strict=True, allow=needed)
            assert again.verdict is Verdict.EQUIVALENT
            others = [rule for rule in RULES if rule not in needed]
            assert scanir.diff(*pair, stage=stage.stage, forbid=others).verdict is Verdict.EQUIVALENT
            for rule in needed:
                fewer = [other for other in needed if other != rule]
                spared = scanir.diff(*pair, stage=stage.stage, strict=True, allow=fewer)
                assert spared.verdict is Verdict.DIFFERENT, f"{stage.stage}: {rule} can be spared"


@pytest.mark.older
@pytest.mark.parametrize("name", [strategy.name for strategy in strategies()])
def test_itself(name: str) -> None:
    assert letters(scanir.diff(name, name, stage="jaxpr,stablehlo,hlo-in,hlo")) == "IIII"


@pytest.mark.older
def test_lambda_and_carry() -> None:
    """Where a, dtau and damp come in, as each stage has it, and the three results that are arguments."""
    answer = scanir.diff("lambda", "carry", stage="all")
    assert answer.exit_code == 0
    for stage in answer.stages:
        assert [(f.side, f.output, f.input) for f in stage.forwarded_outputs] == [("b", 2, 1), ("b", 3, 2), ("b", 4, 3)]
        (loop,) = stage.loops
        assert loop.verdict == "EQUIVALENT"
        assert loop.trip_count == 100
        fillings = {(c.left.value, c.left.kind, c.right.kind) for c in loop.captures if c.left and c.right}
        kind = "closed-over" if stage.stage == "jaxpr" else "carried"  # a lowered while has no captures
        there = kind if CLOSES_CARRIES else "carried"
        assert fillings == {("a", kind, there), ("dtau", kind, there), ("damp", kind, there)}
    if not CLOSES_CARRIES:
        assert answer.stages[0].stage == "jaxpr"
        assert {use.rule for use in answer.stages[0].modulo} == {"carry-closure", "forwarded-outputs"}
        for stage in answer.stages[1:]:
            rules = {use.rule for use in stage.modulo}
            assert {"carry-order", "forwarded-outputs"} <= rules
            assert rules <= {"carry-order", "forwarded-outputs", "calls", "class:copies", "no-op"}


@pytest.mark.older
def test_lambda_and_constant() -> None:
    answer = scanir.diff("lambda", "constant", stage="all")
    for stage in answer.stages:
        assert [(b.side, b.argument, b.constant) for b in stage.bindings] == [
            ("a", "dtau", "0.01"),
            ("a", "damp", "1e-06"),
        ]
    refused = scanir.diff("lambda", "constant", stage="all", forbid=["constant-argument"])
    assert letters(refused) == "DDD"
    assert refused.exit_code == 1


@pytest.mark.older
def test_lambda_and_swapped() -> None:
    answer = scanir.diff("lambda", "swapped", stage="all")
    for stage in answer.stages:
        assert stage.mismatch is not None
        assert "damp and dtau changed places" in stage.mismatch.reason
