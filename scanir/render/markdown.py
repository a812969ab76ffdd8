"""The answers of checks as Markdown, for the summary of a step or a comment: a table, then what does not pass.

Promises less than 1 MiB, the most that GitHub takes, and that nothing of a program's names or texts is markup.
"""

from __future__ import annotations

import html
import re

from scanir.outcome import Outcome, Outcomes
from scanir.render.check import total
from scanir.render.words import clean

#: Bytes of a summary, with room for the last lines.
MOST = 1_000_000
#: Rows of the table of what passes.
ROWS = 500
_MARK = {0: "pass", 1: "**FAIL**", 2: "**ERROR**", 3: "**?**"}
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~@-])")


def render_markdown(outcomes: Outcomes) -> str:
    """The document, ending in a newline."""
    rows = sorted(outcomes.rows, key=lambda row: row.exit_code == 0)
    parts = [f"## scanir: {total(outcomes)}\n\n| | check | | |\n|---|---|---|---|\n"]
    parts += [_row(row) for row in rows[:ROWS]]
    parts += [f"\nand {len(rows) - ROWS:,} more that pass\n"] if len(rows) > ROWS else []
    size = sum(len(part.encode()) for part in parts)
    left_out = 0
    for row in rows:
        if row.exit_code:
            part = _details(row)
            size += len(part.encode())
            if size > MOST:
                left_out += 1
            else:
                parts.append(part)
    parts += [f"\n{left_out:,} more reports are too long for a summary.\n"] if left_out else []
    return "".join(parts)


def _row(row: Outcome) -> str:
    cells = (_MARK[row.exit_code], escaped(row.name), escaped(row.word), escaped(row.summary))
    return f"| {' | '.join(cells)} |\n"


def _details(row: Outcome) -> str:
    """The report in a fence that is longer than any in it."""
    text = "\n".join(clean(line) for line in (row.report or row.summary).splitlines())
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    where = f", {html.escape(str(row.spot))}" if row.spot is not None else ""
    title = f"{html.escape(row.kind)} {html.escape(clean(row.name))}{where}"
    return f"\n<details><summary>{title}</summary>\n\n{fence}text\n{text}\n{fence}\n\n</details>\n"


def escaped(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    return _MARKUP.sub(r"\\\1", html.escape(clean(text.replace("\n", " ")), quote=False))
