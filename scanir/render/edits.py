"""An edit script for a person, one or two lines an edit, and for a machine, one entry an edit."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from scanir.render.words import clean, count, place
from scanir.result import Edit, EditSide, StageDiff, Verdict

EQUAL = (Verdict.IDENTICAL, Verdict.EQUIVALENT)
#: Edits that a person still reads.
ROWS = 12
#: Those of programs that are equal: what was set aside is seldom asked for.
FEW = 3
#: Places of one edit that are shown, and characters of what is changed.
PLACES = 3
LONGEST = 60


def edit_to_json(edit: Edit) -> dict[str, Any]:
    """The documented entry of one edit."""
    return {
        "kind": edit.kind,
        "class": edit.kind_class,
        "op": edit.op,
        "path": edit.path,
        "what": edit.what,
        "left": _side(edit.left),
        "right": _side(edit.right),
        "times": edit.times,
        "places": [{"left": _spot(left), "right": _spot(right)} for left, right in edit.places],
    }


def _side(side: EditSide | None) -> dict[str, Any] | None:
    if side is None:
        return None
    texts = {"text": side.text, "changed": side.changed, "path": side.path}
    return {**texts, "file": place(side.file), "line": side.line, "code": side.code}


def _spot(side: EditSide | None) -> dict[str, Any] | None:
    return None if side is None else {"path": side.path, "file": place(side.file), "line": side.line}


def edit_parts(stage: StageDiff) -> list[RenderableType]:
    """The edits of a row: a heading with their number, then the first of them."""
    if not stage.edits:
        return []
    places = sum(edit.times for edit in stage.edits)
    equal = stage.verdict in EQUAL
    title = Text(f"edits{' set aside' if equal else ''}: {len(stage.edits)}", "bold cyan")
    if places > len(stage.edits):
        title.append(f", in {places} places")
    if stage.consequences:
        title.append(f", and {count(stage.consequences, 'place')} that differ because of them", "dim")
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    rows = FEW if equal else ROWS
    for edit in stage.edits[:rows]:
        grid.add_row(Text(edit.kind), _told(edit))
    parts: list[RenderableType] = ["", title, Padding(grid, (0, 0, 0, 2))]
    notes = list(stage.edit_notes)
    if len(stage.edits) > rows:
        notes.insert(0, f"and {len(stage.edits) - rows} more, in --format json")
    return parts + [Padding(Text(clean(note), "dim"), (0, 0, 0, 2)) for note in notes]


def _told(edit: Edit) -> Text:
    """What is changed, then where."""
    text = Text()
    if edit.kind_class != "semantics":
        text.append(f"{edit.kind_class}: ", "yellow")
    match edit.kind:
        case "insert" | "delete":
            side = edit.left or edit.right
            text.append(clean(side.text) if side is not None else edit.op)
            if side is not None and side.changed:
                text.append(f"; {clean(side.changed)}")
        case _:
            text.append(clean(edit.what if edit.kind == "reorder" else f"{edit.op} {_what(edit)}"))
            _change(text, edit)
    if edit.times > 1:
        text.append(f"  {edit.times}x", "bold")
    text.append(f"\n{_where(edit)}", "dim")
    return text


def _what(edit: Edit) -> str:
    """What of the op is changed; nothing where its name is."""
    return "" if edit.what in ("op", edit.op) else f"{edit.what}"


def _change(text: Text, edit: Edit) -> None:
    if edit.left is None or edit.right is None:
        return
    text.rstrip()
    text.append(": ")
    text.append(_cut(edit.left.changed), "red")
    text.append(" -> ")
    text.append(_cut(edit.right.changed), "green")


def _cut(text: str) -> str:
    text = clean(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _where(edit: Edit) -> str:
    """Paths and lines of the first places, each once."""
    spots = list(dict.fromkeys(_spot_text(*sides) for sides in edit.places or ((edit.left, edit.right),)))
    more = len(spots) - PLACES
    rest = f"; and {count(more, 'more place')}" if more > 0 else ""
    code = next((side.code for side in (edit.left, edit.right) if side is not None and side.code), "")
    told = f": {_cut(code)}" if code and edit.times == 1 else ""
    return f"in {clean('; '.join(spots[:PLACES]))}{rest}{told}"


def _spot_text(left: EditSide | None, right: EditSide | None) -> str:
    """A place; the two sides apart where they are not at the same."""
    first = left or right
    path = first.path if first is not None else ""
    if left is not None and right is not None and left.path.split("/")[:-1] != right.path.split("/")[:-1]:
        path = f"{left.path} (a), {right.path} (b)"
    lines = [f"{place(side.file)}:{side.line}" if side is not None and side.line else "" for side in (left, right)]
    if lines[0] and lines[1] and lines[0] != lines[1]:
        return f"{path}, {lines[0]} (a), {lines[1]} (b)"
    line = lines[0] or lines[1]
    return f"{path}, {line}" if line else path
