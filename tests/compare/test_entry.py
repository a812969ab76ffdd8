"""HLO in which no computation is marked as ENTRY: what is assumed proves nothing, unless it is all there is."""

from __future__ import annotations

import pytest

from scanir.certify.produce import checked
from scanir.checker.verdict import Rejected
from scanir.compare.verdict import compare
from scanir.errors import ScanirError
from scanir.ir.verify import entry_is_assumed
from scanir.normalize.rules import DEFAULT
from scanir.program import Program
from scanir.readers.hlo import read_hlo
from scanir.result import Verdict
from scanir.targets.artifact import interface_of

MAIN = """{entry}%main_part (x: f32[4]) -> f32[4] {{
  %x = f32[4]{{0}} parameter(0)
  %n = f32[4]{{0}} negate(%x)
  ROOT %c = f32[4]{{0}} {op}(%n)
}}
"""
ADD = """
%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}
"""


def program(text: str) -> Program:
    module = read_hlo(f"HloModule m\n\n{text}")
    return Program("hlo", module, interface_of(module))


def main(op: str, entry: str = "") -> str:
    return MAIN.format(op=op, entry=entry)


def test_what_is_left_out_could_be_the_program() -> None:
    """The last computation is taken; the one that differs would be dead code."""
    a, b = program(main("sine") + ADD), program(main("cosine") + ADD)
    assert entry_is_assumed(a.module)
    for sides in ((a, b), (b, a)):
        answer = compare(*sides, DEFAULT)
        assert answer.verdict is Verdict.INCONCLUSIVE
        assert "marks no computation as ENTRY" in answer.reasons[0]


def test_one_side_that_is_marked_does_not_speak_for_the_other() -> None:
    a, b = program(main("sine") + ADD.replace("%add", "ENTRY %add")), program(main("cosine") + ADD)
    assert compare(a, b, DEFAULT).verdict not in (Verdict.IDENTICAL, Verdict.EQUIVALENT)


def test_all_of_it_the_same_is_identical_and_certified() -> None:
    a, b = program(main("sine") + ADD), program(main("sine").replace("%x", "%y").replace("x:", "y:") + ADD)
    answer = compare(a, b, DEFAULT)
    assert answer.verdict is Verdict.IDENTICAL
    assert checked(a, b, answer).verdict == "IDENTICAL"


def test_a_marked_entry_leaves_out_what_is_dead() -> None:
    a, b = (program(main(op) + ADD.replace("%add", "ENTRY %add")) for op in ("sine", "cosine"))
    answer = compare(a, b, DEFAULT)
    assert (answer.verdict, [use.rule for use in answer.modulo]) == (Verdict.EQUIVALENT, ["dead-code"])


def test_the_only_one_that_nothing_names_is_the_program() -> None:
    text = main("sine").replace("sine(%n)", "call(%n), to_apply=%f")
    called = "%f (p: f32[4]) -> f32[4] {\n  %p = f32[4]{0} parameter(0)\n  ROOT %r = f32[4]{0} tanh(%p)\n}\n"
    assert not entry_is_assumed(program(called + text).module)
    assert not entry_is_assumed(program(main("sine")).module)


def test_the_checker_does_not_accept_it_either() -> None:
    """A certificate of the marked pair says nothing of modules of the same ops without a mark."""
    from scanir.checker.check import check

    a, b = (program(main(op) + ADD.replace("%add", "ENTRY %add")) for op in ("sine", "cosine"))
    record = checked(a, b, compare(a, b, DEFAULT))
    with pytest.raises((Rejected, ScanirError)):
        check(record, program(main("sine") + ADD), program(main("cosine") + ADD), ("a", "b"))
