"""Parts that reports about facts are laid out with: titles, lists that are cut, indented text, tables without lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from scanir.render.words import clean, count, short_place

_Row = TypeVar("_Row")
#: Rows of one list that are printed.
ROWS = 200


def titled(title: str, body: Iterable[RenderableType], notes: Iterable[str] = ()) -> list[RenderableType]:
    said: list[RenderableType] = []
    for note in notes:
        said += ["", Text(f"note: {clean(note)}", "dim")]
    return [Text(title, "bold"), *body, *said]


def counted(rows: Sequence[object], noun: str, where: str) -> str:
    return f"{count(len(rows), noun) if rows else f'no {noun}s'} in {where}"


def listed(rows: Sequence[_Row], show: Callable[[_Row], list[RenderableType]]) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for row in rows[:ROWS]:
        parts += ["", *show(row)]
    return [*parts, *cut(len(rows))]


def cut(total: int) -> list[RenderableType]:
    return [] if total <= ROWS else ["", Text(f"and {total - ROWS} more, in --format json", "dim")]


def indented(part: RenderableType, by: int = 2) -> RenderableType:
    return Padding(part, (0, 0, 0, by))


def grid(header: Sequence[str], rows: Iterable[Sequence[str]], *, fixed: Sequence[int] = (0,)) -> RenderableType:
    """A table without lines; columns in ``fixed`` are never broken."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", show_header=any(header))
    for index, name in enumerate(header):
        table.add_column(name, overflow="fold", no_wrap=index in fixed)
    for row in rows:
        table.add_row(*(Text(clean(cell)) for cell in row))
    return table


def spot(file: str, line: int) -> str:
    return f"{clean(short_place(file))}:{line}" if file and line else clean(short_place(file))


def source(code: str) -> list[RenderableType]:
    """A line of a person's code; what does not fit on the line is left out."""
    return [Text(f"> {clean(code)}", "dim", no_wrap=True, overflow="ellipsis")] if code else []


def beside(start: str, rest: Text, style: str = "bold cyan") -> RenderableType:
    """A text that goes on under its own beginning, beside a short one."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(start, style), rest)
    return grid


def head(path: str, file: str, line: int) -> Text:
    """A path and the line of Python."""
    where = spot(file, line)
    return Text.assemble(clean(path), (f"  {where}" if where else "", "dim"))
