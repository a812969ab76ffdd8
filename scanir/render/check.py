"""The report of checks for a person: a line each, the whole of what does not pass, and a sum."""

from __future__ import annotations

from rich.text import Text

from scanir.outcome import Outcome, Outcomes
from scanir.render import words
from scanir.render.paper import WIDTH, written

#: What stands before a check's line, by its exit code, and in which style.
_MARKS = {0: ("pass", "green"), 1: ("FAIL", "bold red"), 2: ("ERROR", "bold red"), 3: ("?", "bold yellow")}
_SUMS = {0: "passed", 1: "failed", 2: "could not be made", 3: "inconclusive"}


def check_line(row: Outcome, name_width: int, *, color: bool = False) -> str:
    """One check in one line, ending in a newline: ``pass   step  EQUIVALENT  modulo no-op at hlo``."""
    mark, style = _MARKS[row.exit_code]
    word = "" if row.word == "ERROR" else f"{row.word}  "
    parts = Text.assemble(
        (f"{mark:<5}", style), "  ", (f"{words.clean(row.name):<{name_width}}", "bold"), f"  {word}{_summary(row)}"
    )
    # A line stays a line: who reads a pipe counts them.
    return written([parts], color=color, width=len(parts.plain) + 1)


def _summary(row: Outcome) -> str:
    return words.clean(row.summary.replace("\n", " "))


def check_details(outcomes: Outcomes, *, color: bool = False) -> str:
    """The reports of what does not pass, then the sum of all; reports have the width in which they were made."""
    parts: list[Text] = []
    for row in outcomes.rows:
        notes = "".join(f"note: {words.clean(note)}\n" for note in row.notes)
        if row.exit_code:
            where = f"  {row.spot}" if row.spot is not None else ""
            parts += [Text(), Text(f"{row.kind} {words.clean(row.name)}{where}", "bold cyan")]
            parts.append(Text("".join(f"  {line}\n" for line in (row.report + notes).splitlines()).rstrip("\n")))
    parts += [Text(), Text(total(outcomes), "bold")]
    widest = max(len(line) for part in parts for line in part.plain.split("\n"))
    return written(parts, color=color, width=max(WIDTH, widest))


def total(outcomes: Outcomes) -> str:
    """``4 checks: 2 passed, 1 failed, 1 could not be made``."""
    codes = [row.exit_code for row in outcomes.rows]
    told = [f"{codes.count(code)} {word}" for code, word in _SUMS.items() if code in codes]
    return f"{words.count(len(codes), 'check')}: {', '.join(told)}"
