"""Two directories program by program: a line each, those that are alike last, then the reports of what differs."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from scanir.dumps import Dumps, Row
from scanir.render.json import diff_to_json
from scanir.render.paper import WIDTH, written
from scanir.render.text import render_text
from scanir.render.words import clean, count, summary
from scanir.result import SCHEMA_VERSION

#: Rows that are listed, and reports that are printed in full.
ROWS, REPORTS = 60, 8
_ORDER = {2: 0, 1: 1, 3: 2, 0: 3}
_STYLE = {
    "IDENTICAL": "green",
    "EQUIVALENT": "green",
    "DIFFERENT": "bold red",
    "INCONCLUSIVE": "yellow",
    "ERROR": "red",
}


def render_dumps(dumps: Dumps, *, color: bool = False, width: int = WIDTH) -> str:
    """The report, ending in a newline."""
    rows = sorted(dumps.rows, key=lambda row: _ORDER[row.exit_code])
    parts: list[RenderableType] = [Text(f"{clean(dumps.a)} (a) and {clean(dumps.b)} (b): {totals(dumps)}", "bold"), ""]
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for row in rows[:ROWS]:
        grid.add_row(Text(row.word, _STYLE[row.word]), Text(clean(row.name)), Text(told(row), "dim"))
    parts.append(grid)
    if len(rows) > ROWS:
        parts.append(Text(f"and {len(rows) - ROWS:,} more, in --format json", "dim"))
    if dumps.left_out:
        parts += ["", Text(f"no IR, and left out: {count(len(dumps.left_out), 'file')}", "dim")]
    text = written(parts, color=color, width=width)
    reports = [row.answer for row in rows if row.answer is not None and row.exit_code]
    for answer in reports[:REPORTS]:
        text += "\n" + render_text(answer, color=color, width=width, notes=False)
    more = len(reports) - REPORTS
    return text + (f"\nand {more:,} more reports, in --format json\n" if more > 0 else "")


def totals(dumps: Dumps) -> str:
    """``12 programs: 10 IDENTICAL, 2 DIFFERENT``."""
    words = Counter(row.word for row in dumps.rows)
    parts = [f"{words[word]:,} {word}" for word in _STYLE if words[word]]
    return f"{count(len(dumps.rows), 'program')}: {', '.join(parts)}"


def told(row: Row) -> str:
    """Why, in a few words."""
    if row.problem is not None:
        return clean(row.problem.what)
    if row.answer is None:
        return f"only {row.only} has it"
    stage = next((stage for stage in row.answer.stages if stage.verdict is row.answer.verdict), row.answer.stages[0])
    if stage.mismatch is not None:
        return clean(stage.mismatch.reason)
    return clean("; ".join(stage.reasons)) if row.exit_code else summary(stage)


def dumps_document(dumps: Dumps) -> dict[str, Any]:
    """The JSON object, each answer as that of ``scanir diff``."""
    return {
        "schema_version": SCHEMA_VERSION,
        "a": dumps.a,
        "b": dumps.b,
        "exit_code": dumps.exit_code,
        "programs": [
            {
                "name": row.name,
                "verdict": row.word,
                "exit_code": row.exit_code,
                "only": row.only,
                "problem": None if row.problem is None else row.problem.what,
                "answer": None if row.answer is None else diff_to_json(row.answer),
            }
            for row in dumps.rows
        ],
        "left_out": list(dumps.left_out),
    }


def render_dumps_json(dumps: Dumps) -> str:
    return json.dumps(dumps_document(dumps), indent=2, ensure_ascii=True, allow_nan=False)
