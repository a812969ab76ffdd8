"""The report of a budget for a person: a row a limit, and under it what is over it or not known."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from scanir.facts.limits import Kept
from scanir.render import words
from scanir.render.paper import written

_WIDTH = 100
_STYLE = {"kept": "green", "over": "bold red", "unknown": "bold yellow"}


def render_limits(title: str, rows: tuple[tuple[str, tuple[Kept, ...]], ...]) -> str:
    """The report, ending in a newline."""
    parts: list[RenderableType] = [Text(title, "bold")]
    for under, row in rows:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for column in (words.clean(f"under {under}" if under else "limit"), "measured", "allowed", ""):
            table.add_column(column, overflow="fold")
        for kept in row:
            table.add_row(kept.limit, kept.measured, kept.allowed, Text(kept.state, _STYLE[kept.state]))
        parts += ["", Padding(table, (0, 0, 0, 2))]
        for kept in row:
            if kept.state != "kept":
                parts += ["", Padding(Text("\n".join(_told(kept))), (0, 0, 0, 2))]
    return written(parts, width=_WIDTH)


def _told(kept: Kept) -> list[str]:
    """What is wrong, where, and the line of Python."""
    lines = [f"{kept.limit}: {words.clean(kept.what)}"]
    if kept.path:
        where = f", {words.clean(words.short_place(kept.file))}:{kept.line}" if kept.file else ""
        lines.append(f"  in {words.clean(kept.path)}{where}")
    if kept.code:
        lines.append(f"  > {words.clean(kept.code)}")
    return lines
