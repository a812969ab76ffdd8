"""Facts about a program for a terminal: one report after the other.

Keeps the promises of `scanir.render.text`: no line longer than the width (but text of the IR, which is printed as it
is), no absolute path, nothing that a program's names could steer. Long lists are cut and say so; JSON has all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from rich.console import RenderableType

from scanir.facts.back import Slice
from scanir.facts.constants import ConstantTable
from scanir.facts.effects import EffectTable
from scanir.facts.interface import AliasTable, KeptTable
from scanir.facts.keys import KeyTable
from scanir.facts.loops import LoopTable
from scanir.facts.request import Absent, LoopShown, Report, Selection
from scanir.render.facts_ops import loop_parts, loop_table, op_parts, slice_parts
from scanir.render.facts_parts import counted, listed, titled
from scanir.render.facts_tables import aliases, constants, effect, kept_arguments, keys
from scanir.render.paper import WIDTH, written
from scanir.render.words import clean


def render_reports(reports: Sequence[Report], *, color: bool = False, width: int = WIDTH) -> str:
    """The reports one after the other; the text of ops of the IR is not wrapped."""
    texts = []
    for report in reports:
        parts, raw = _report(report)
        texts.append(written(parts, color=color, width=width) + (f"\n{raw.rstrip()}\n" if raw else ""))
    return "\n".join(texts)


def _report(report: Report) -> tuple[list[RenderableType], str]:
    """The parts to lay out, and the text to print as it is."""
    under = f" under {clean(report.under)}" if report.under else ""
    answer, where = report.answer, f"{clean(report.target)}{under} at {report.stage}"
    match answer:
        case LoopTable():
            return titled(counted(answer.rows, "loop", where), loop_table(answer), answer.notes), ""
        case LoopShown():
            return loop_parts(answer.loop), answer.text
        case Selection():
            return titled(counted(answer.rows, "op", where), listed(answer.rows, op_parts)), answer.text
        case Slice():
            return slice_parts(answer, where), ""
        case ConstantTable():
            return constants(answer, where), ""
        case AliasTable():
            return aliases(answer, where), ""
        case KeptTable():
            return kept_arguments(answer, where), ""
        case EffectTable():
            return titled(counted(answer.rows, "effect", where), listed(answer.rows, effect), answer.notes), ""
        case KeyTable():
            return keys(answer, where), ""
        case Absent():
            return titled(f"{clean(answer.what)}, in {where}", (), (answer.hint,)), ""
        case _:
            assert_never(answer)
