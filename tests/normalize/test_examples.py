"""Each example of a rule is run: equal by the rule, not without it, and not what must stay apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanir.compare.verdict import compare
from scanir.normalize.examples import EXAMPLES, Example
from scanir.normalize.examples.example import text_of
from scanir.normalize.rules import DEFAULT, RULES, rule_set
from scanir.program import Program
from scanir.result import Verdict
from scanir.targets.artifact import read_text


def made(example: Example, text: str, tells: tuple[tuple[str, str], ...]) -> Program:
    artifact = read_text(text_of(example, text))
    program = artifact.trace((artifact.stage,))[artifact.stage]
    facts = dict(tells)
    tree = facts.pop("result pytree", "")
    interface = replace(program.interface, output_tree=tree)
    return replace(program, interface=interface, provenance=tuple(sorted(facts.items())))


def test_each_rule_has_one() -> None:
    assert list(EXAMPLES) == list(dict.fromkeys(EXAMPLES))
    assert EXAMPLES.keys() == RULES.keys()


@pytest.mark.parametrize("name", RULES)
def test_example(name: str) -> None:
    example = EXAMPLES[name]
    a, b = made(example, example.a, example.tells_a), made(example, example.b, example.tells_b)
    modulo = set(example.modulo) or {name}
    for rules in (rule_set([name]), rule_set(modulo, strict=True)):
        answer = compare(a, b, rules, settled=example.settled)
        assert (answer.verdict, {use.rule for use in answer.modulo}) == (Verdict.EQUIVALENT, modulo)
    without = compare(a, b, rule_set(forbid=[name]), settled=example.settled)
    assert without.verdict in (Verdict.DIFFERENT, Verdict.INCONCLUSIVE)
    other = made(example, example.other, example.tells_other)
    beside = made(example, example.beside, example.tells_a) if example.beside else a
    assert compare(beside, other, rule_set([name]), settled=example.settled).verdict is Verdict.DIFFERENT
    if not RULES[name].default:
        assert compare(a, b, DEFAULT, settled=example.settled).verdict is not Verdict.EQUIVALENT
