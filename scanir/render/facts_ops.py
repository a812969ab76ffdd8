"""Loops, selected ops and slices of a program for a terminal."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from scanir.facts.back import Slice, SliceRow
from scanir.facts.loops import CarryRow, LoopRow, LoopTable
from scanir.facts.select import Operand, OpRow
from scanir.render.facts_parts import ROWS, beside, cut, grid, head, indented, source, spot, titled
from scanir.render.words import clean, count

#: Characters of the names of an op's results that stand in a column of their own.
LONGEST_NAME = 24


def loop_table(table: LoopTable) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for row in table.rows[:ROWS]:
        parts += ["", *loop_parts(row)]
    return [*parts, *cut(len(table.rows))]


def loop_parts(row: LoopRow) -> list[RenderableType]:
    where = spot(row.file, row.line)
    title = beside(
        f"loop {row.number}" if row.number is not None else "loop",
        Text.assemble(
            f"{clean(row.path)}: {clean(row.kind)}, {_trips(row)}, {count(row.ops, 'op')}",
            (f", {where}" if where else "", "dim"),
        ),
    )
    body: list[RenderableType] = [Text(clean(row.note), "dim")] if row.note else []
    body += source(row.code)
    if row.slots:
        cells = [(str(slot.slot), slot.type, _carry(slot), slot.start) for slot in row.slots[:ROWS]]
        body += ["", grid(("slot", "type", "is", "starts as"), cells), *cut(len(row.slots)), ""]
    for what, values in (("scanned", row.scanned), ("captured", row.captures)):
        if values:
            body.append(Text(f"{what}: {clean(', '.join(values))}"))
    if row.copies.count:
        types = ", ".join(f"{number} of {type}" for type, number in row.copies.types[:4])
        nested = f", {row.copies.nested} of them in loops inside" if row.copies.nested else ""
        body.append(Text(f"copies in a trip: {row.copies.count}, {row.copies.bytes:,} bytes ({types}){nested}"))
    while body and body[-1] == "":
        body.pop()
    return [title, *map(indented, body)]


def _trips(row: LoopRow) -> str:
    return count(row.trips, "trip") if row.trips is not None else "dynamic trip count"


def _carry(slot: CarryRow) -> str:
    match slot.kind:
        case "permuted":
            text = f"permuted with slot {slot.other}"
        case "forwarded":
            text = f"takes over slot {slot.other}"
        case "counter":
            text = f"counter, step {slot.step}"
        case "reset":
            text = "reset from outside"
        case kind:
            text = kind
    same = f", the same as slot {slot.same_as}" if slot.same_as is not None and slot.kind != "invariant" else ""
    return f"{text}{same}{', dead' if slot.dead else ''}"


def op_parts(row: OpRow) -> list[RenderableType]:
    given = ", ".join(map(_operand, row.operands))
    made = ", ".join(f"{operand.name}: {operand.type}" for operand in row.results)
    what = next((f" is {operand.what}" for operand in row.results if operand.what), "")
    takes = f"({given})" if given or not what else ""
    text = Text(clean(f"{made}{' = ' if made and takes else ''}{row.op if takes else ''}{takes}{what}"))
    parts: list[RenderableType] = [beside(f"[{row.number}]", head(row.path, row.file, row.line)), indented(text, 4)]
    if row.attributes:
        said = ", ".join(f"{name} = {value}" for name, value in row.attributes)
        parts.append(indented(Text(clean(said), "dim"), 4))
    return [*parts, *(indented(part, 4) for part in source(row.code))]


def _operand(operand: Operand) -> str:
    known = operand.what.startswith((operand.name, "@"))
    return f"{operand.what if known else f'{operand.name} is {operand.what}'}: {operand.type}"


def slice_parts(found: Slice, where: str) -> list[RenderableType]:
    arguments = f", from {', '.join(found.arguments)}" if found.arguments else ""
    if not found.rows:
        return titled(f"no op leads to {clean(found.value)} of {where}{clean(arguments)}", [])
    verb = "leads" if len(found.rows) == 1 else "lead"
    title = f"{count(len(found.rows), 'op')} {verb} to {clean(found.value)} of {where}{clean(arguments)}"
    parts: list[RenderableType] = []
    home = None
    for row in found.rows[:ROWS]:
        if row.function != home:
            home = row.function
            parts += ["", Text(f"@{clean(home)}", "bold cyan")]
        parts.append(indented(_step(row), min(2 + 2 * row.nesting, 12)))
    notes = []
    if found.left_out:
        notes.append(f"{count(found.left_out, 'way')} back {'is' if found.left_out == 1 else 'are'} cut at --depth")
    if found.effects:
        notes.append(
            f"{count(found.effects, 'op')} of these {'have' if found.effects > 1 else 'has an'} effect"
            f"{'s' if found.effects > 1 else ''}: what other ops do to the same state is not followed"
        )
    return titled(title, [*parts, *cut(len(found.rows))], notes)


def _step(row: SliceRow) -> RenderableType:
    used = ", ".join(row.uses)
    where = spot(row.file, row.line)
    text = Text.assemble(
        clean(f"{row.op}({used}): {row.types}"),
        " ..." if row.more else "",
        (f"  {where}" if where else "", "dim"),
    )
    if len(row.name) <= LONGEST_NAME:
        return beside(f"{row.name} =" if row.name else "", text, "default")
    return Text.assemble(f"{clean(row.name)} = ", text)
