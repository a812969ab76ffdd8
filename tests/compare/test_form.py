"""Forms against the comparison itself: equal forms where, and only where, programs are IDENTICAL."""

from __future__ import annotations

from random import Random

import pytest

from scanir.api import _target
from scanir.compare.form import Form, Forms
from scanir.compare.isomorphism import Isomorphism
from scanir.compare.verdict import compare
from scanir.errors import ScanirError
from scanir.ir.parser import parse_module
from scanir.normalize.rules import DEFAULT
from scanir.program import Program
from scanir.result import Verdict
from scanir.strategies import strategies
from scanir.targets.artifact import interface_of
from tests.mutation.campaign import mutants_of
from tests.mutation.judge import program_of
from tests.mutation.mutant import chosen
from tests.mutation.sources import artifact

#: Mutants of each module.
LIMITS = {"hlo": 20, "stablehlo": 60, "jaxpr": 60}
NAMES = [strategy.name for strategy in strategies()][::2]


def programs(stage: str, names: list[str]) -> list[Program]:
    return [_target(name).trace((stage,))[stage] for name in names]


@pytest.mark.compat
@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo", "hlo"])
def test_strategies(stage: str) -> None:
    found = programs(stage, NAMES)
    again = programs(stage, NAMES)
    forms = Forms()
    first, second = [forms.of(p) for p in found], [forms.of(p) for p in again]
    assert first == second
    for i, a in enumerate(found):
        for j in range(i):
            if first[i] == first[j]:
                assert compare(a, found[j], DEFAULT).verdict is Verdict.IDENTICAL
    same = {(i, j) for i in range(len(found)) for j in range(i) if first[i] == first[j]}
    family = [k for k, name in enumerate(NAMES) if name in ("lambda", "def", "carry", "jit-body", "swapped")]
    for i in family:
        for j in family:
            if j < i and compare(found[i], found[j], DEFAULT).verdict is Verdict.IDENTICAL:
                assert (i, j) in same


@pytest.mark.parametrize("dialect", ["hlo", "stablehlo", "jaxpr"])
def test_mutants_have_other_forms(dialect: str) -> None:
    """One change anywhere makes another form, unless the comparison too calls the two IDENTICAL."""
    told = 0
    for name in ("conds", "loops", "scatters", "hidden_state"):
        given = artifact(dialect, name, None)
        forms, module = Forms(), program_of(dialect, given)
        form = forms.of(module)
        for mutant in chosen(mutants_of(dialect, given, Random(7)), LIMITS[dialect], Random(7)):
            try:
                other = program_of(dialect, mutant.make())
                same = forms.of(other) == form
            except ScanirError:
                continue
            told += 1
            if same or Isomorphism(module, other).holds():
                assert same == (compare(module, other, DEFAULT).verdict is Verdict.IDENTICAL), mutant.where
    assert told > 40


DUMP = """module hlo entry @e
func @e (%x: f32[4]) {
%a = fusion(%x) {calls = @F} : f32[4]
%b = fusion(%x) {calls = @G} : f32[4]
return %a
}
func @f (%p: f32[4]) {
%q = tanh(%p) : f32[4]
return %q
}
func @g (%p: f32[4]) {
%q = sine(%p) : f32[4]
return %q
}
"""


def test_what_dead_ops_call_counts() -> None:
    """Dead ops are put in order before they are written, which must not lose the functions that they name."""

    def form(live: str, dead: str) -> Form:
        module = parse_module(DUMP.replace("@F", f"@{live}").replace("@G", f"@{dead}"), "m")
        return forms.of(Program("hlo", module, interface_of(module)))

    forms = Forms()
    assert form("f", "g") == form("f", "g")
    assert form("f", "g") != form("f", "f")
    assert form("f", "g") != form("g", "f")
