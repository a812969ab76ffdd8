"""The share of the campaign that belongs to a change: a fixed seed, a few modules of each dialect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.mutation import report
from tests.mutation.campaign import Suspect, Tally, mutants_of
from tests.mutation.execution import Interpreter
from tests.mutation.judge import EQUAL, Quick, answer, may_be_equal, program_of
from tests.mutation.mutant import chosen, edited
from tests.mutation.sources import artifact
from tests.mutation.work import work

#: dialect -> (mutants of each module, modules). Together some 20 s.
SHARE = {
    "hlo": (35, ("mlp before optimization", "scatters before optimization", "conds", "collectives before optimization",
                 "loops before optimization", "hidden_state before optimization")),
    "stablehlo": (35, ("attention", "sorts", "convolutions", "collectives", "hidden_state", "strategy lambda")),
    "jaxpr": (40, ("mlp_grad", "scatters", "nested_scans", "collectives", "hidden_state", "constants", "conds")),
}  # fmt: skip


@pytest.fixture(scope="module")
def interpreter() -> Iterator[Interpreter]:
    child = Interpreter()
    yield child
    child.close()


@pytest.mark.parametrize("dialect", SHARE)
def test_no_mutant_is_called_equal(dialect: str) -> None:
    limit, names = SHARE[dialect]
    tallies = [work(dialect, name, limit, 0, None) for name in names]
    print(report.text(tallies))
    assert [tally.blind for tally in tallies if tally.blind] == []
    assert report.suspects(tallies, *report.BAD) == []
    counts = report.totals(tallies)
    assert sum(count for (_, _, outcome), count in counts.items() if outcome == "told apart") > 90
    assert len({kind for _, kind, _ in counts}) > 30


def test_the_quick_answer_is_never_stricter_than_the_whole_one() -> None:
    """What is sorted out for many mutants at once is not equal by the whole answer either."""
    for dialect, name in (("hlo", "conds"), ("stablehlo", "conds"), ("jaxpr", "conds"), ("jaxpr", "loops")):
        given = artifact(dialect, name, None)
        module = program_of(dialect, given)
        quick = Quick(module)
        for mutant in chosen(mutants_of(dialect, given, Random(1)), 12, Random(1)):
            other = program_of(dialect, mutant.make()) if dialect != "stablehlo" else _readable(dialect, mutant)
            if other is None:
                continue
            if not may_be_equal(module, other):
                assert answer(module, other).verdict not in EQUAL, mutant.where
            assert quick.may_be_equal(other) >= may_be_equal(module, other), mutant.where


def _readable(dialect: str, mutant: object) -> object:
    from scanir.errors import ScanirError

    try:
        return program_of(dialect, mutant.make())
    except ScanirError:
        return None


ADD = """HloModule m
ENTRY %e {
 %x = f32[4] parameter(0)
 %y = f32[4] parameter(1)
 ROOT %r = f32[4] OP(%x, %y)
}
"""


def test_execution_tells_programs_apart(interpreter: Interpreter) -> None:
    """The judge of suspects: equal for an exchange that changes nothing, unequal for another op."""
    add, subtract = ADD.replace("OP", "add"), ADD.replace("OP", "subtract")
    exchanged = add.replace("%x, %y", "%y, %x")
    assert interpreter.compare("hlo", add, exchanged).outcome == "equal"
    assert interpreter.compare("hlo", add, subtract).outcome == "unequal"
    assert interpreter.compare("hlo", add, "HloModule").outcome == "not run"
    assert interpreter.compare("hlo", add, exchanged).inputs == 4


def test_edits_do_not_depend_on_their_order() -> None:
    edits = [(0, 1, "x"), (4, 4, "++"), (2, 4, "")]
    assert edited("abcdef", edits) == edited("abcdef", edits[::-1]) == "xb++ef"


def test_kinds_take_turns() -> None:
    given = artifact("jaxpr", "scatters", None)
    kinds = {mutant.kind for mutant in mutants_of("jaxpr", given, Random(0))}
    assert {mutant.kind for mutant in chosen(mutants_of("jaxpr", given, Random(0)), len(kinds), Random(0))} == kinds


def test_a_campaign_goes_on_from_its_log(tmp_path: Path) -> None:
    """A tally read back says the same, in the report and on the page."""
    suspect = Suspect(
        "hlo", "m", "opcode", "e/r add", "equal in truth", "EQUIVALENT modulo cse", "results agree on 4 inputs"
    )
    counts = Counter({("opcode", "told apart"): 3, ("opcode", "refused"): 1, ("opcode", "equal in truth"): 1})
    tally = Tally("hlo", "m", counts, [suspect])
    log = tmp_path / "log"
    assert report.read_log(log) == []
    log.write_text(report.line(tally) + "\n" + report.line(Tally("jaxpr", "n", blind="not read")) + "\n")
    again = report.read_log(log)
    assert (again[0].counts, again[0].suspects, again[1].blind) == (counts, [suspect], "not read")
    page = report.page(again, "JAX 1")
    assert "| hlo | 1 | 5 | 3 | 1 | 1 |" in page
    assert "| hlo | execution of both sides agrees | 1 |" in page
    assert "compared: 4." in page
    assert "| opcode | 5 |" in page
    assert report.text(again) == report.text([tally, Tally("jaxpr", "n", blind="not read")])
