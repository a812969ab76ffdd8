"""Two programs region by region for a terminal: side by side or inline, with unchanged ops folded, or only counted."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from scanir.render.words import clean, count, short_place
from scanir.result import Diff, ListedOp, ListedRegion

#: From so many columns on, two columns of ops can be read beside one another.
WIDE = 120
#: Names of regions without a difference that are listed.
SAME = 6
_MARK = {"same": " ", "changed": "|", "deleted": "<", "inserted": ">"}
_STYLE = {"same": "", "changed": "yellow", "deleted": "red", "inserted": "green"}
_WORD = re.compile(r"[\w.#%-]+|\s+|.")


def listing_parts(diff: Diff, around: int, *, beside: bool) -> list[RenderableType]:
    """The ops of each row of an answer: those that differ, and ``around`` unchanged ones on either side of them."""
    parts: list[RenderableType] = []
    for stage, regions in zip(diff.stages, diff.side_by_side(), strict=True):
        parts += ["", Text(f"ops at {clean(stage.title)}", "bold cyan")]
        unlike = [region for region in regions if region.count("same") < len(region.ops)]
        for region in unlike:
            parts += ["", _title(region)]
            rows = folded(region.ops, around)
            parts.append(_beside(rows) if beside else _inline(rows))
        same = [region for region in regions if region not in unlike]
        if same:
            names = [f"{clean(region.path)} ({count(len(region.ops), 'op')})" for region in same[:SAME]]
            more = [f"and {len(same) - SAME} more"] if len(same) > SAME else []
            parts += ["", Text(f"the same: {', '.join(names + more)}", "dim")]
    return parts


def stat_parts(diff: Diff) -> list[RenderableType]:
    """A line a region of each row of an answer."""
    parts: list[RenderableType] = []
    for stage, regions in zip(diff.stages, diff.side_by_side(), strict=True):
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(clean(stage.title), overflow="fold")
        for name in ("ops", "same", "changed", "deleted", "inserted"):
            table.add_column(name, justify="right", no_wrap=True)
        for region in regions:
            counts = [region.count(kind) for kind in ("same", "changed", "deleted", "inserted")]
            style = "dim" if counts[0] == len(region.ops) else ""
            table.add_row(Text(clean(region.path)), *(str(n or "") for n in (len(region.ops), *counts)), style=style)
        parts += ["", table]
    return parts


def _title(region: ListedRegion) -> Text:
    counts = [(kind, region.count(kind)) for kind in ("changed", "deleted", "inserted")]
    told = ", ".join(f"{number} {kind}" for kind, number in counts if number)
    return Text.assemble((clean(region.path), "bold"), f"  {count(len(region.ops), 'op')}: {told}")


def folded(ops: Sequence[ListedOp], around: int) -> list[ListedOp | int]:
    """The ops with at most ``around`` unchanged ones on either side of a difference; a number stands for so many."""
    at = [k for k, op in enumerate(ops) if op.kind != "same"]
    shown: list[ListedOp | int] = []
    hidden = 0
    for k, op in enumerate(ops):
        near = bisect_right(at, k)
        if all(abs(k - at[n]) > around for n in (near - 1, near) if 0 <= n < len(at)):
            hidden += 1
            continue
        shown += [hidden, op] if hidden else [op]
        hidden = 0
    return [*shown, hidden] if hidden else shown


def _inline(rows: list[ListedOp | int]) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for row in rows:
        if isinstance(row, int):
            grid.add_row(" ", Text(f"... {row} unchanged", "dim"))
            continue
        left, right = _marked(row)
        if row.kind == "same":
            grid.add_row(" ", left)
        if row.kind in ("changed", "deleted"):
            grid.add_row(Text("-", "red"), _lined(left, row.lines[0]))
        if row.kind in ("changed", "inserted"):
            grid.add_row(Text("+", "green"), _lined(right, row.lines[1]))
    return grid


def _beside(rows: list[ListedOp | int]) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0), expand=True)
    grid.add_column(ratio=1, overflow="fold")
    grid.add_column(no_wrap=True)
    grid.add_column(ratio=1, overflow="fold")
    for row in rows:
        if isinstance(row, int):
            grid.add_row(Text(f"... {row} unchanged", "dim"), "", "")
            continue
        left, right = _marked(row)
        if row.kind != "same":
            left, right = _lined(left, row.lines[0]), _lined(right, row.lines[1])
        grid.add_row(left, Text(_MARK[row.kind], _STYLE[row.kind]), right)
    return grid


def _lined(text: Text, line: tuple[str, int]) -> Text:
    return text.append(f"  {clean(short_place(line[0]))}:{line[1]}", "dim") if text.plain and line[1] else text


def _marked(row: ListedOp) -> tuple[Text, Text]:
    """Both texts, with what only one of them has in its colour."""
    texts = clean(row.left), clean(row.right)
    if row.kind != "changed":
        return Text(texts[0], _STYLE[row.kind]), Text(texts[1], _STYLE[row.kind])
    from rapidfuzz.distance import LCSseq

    words = [_WORD.findall(text) for text in texts]
    found = Text(), Text()
    for block in LCSseq.opcodes(words[0], words[1]):
        same = block.tag == "equal"
        found[0].append("".join(words[0][block.src_start : block.src_end]), "" if same else "bold red")
        found[1].append("".join(words[1][block.dest_start : block.dest_end]), "" if same else "bold green")
    return found
