"""The loops of a program: numbered as the report of a comparison numbers them, with what each carries.

Loops that a report leaves out (dead, or of 0 or 1 trips) have no number and say why. Where a program has no terms (its
calls are in a cycle, or too many when inlined) loops are numbered in reading order, and what they carry is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from scanir.compare.profile import profile
from scanir.costs.copies import COPIES, Copies, CopyCounts
from scanir.errors import ArgumentError
from scanir.facts.alone import Alone, alone
from scanir.facts.places import Place, Places
from scanir.facts.select import code
from scanir.facts.values import Values
from scanir.ir.graph import Op, Value
from scanir.ir.printer import Style, print_op, print_region
from scanir.ir.structure import LoopView, view
from scanir.ir.types import TokenType, TupleType, Type
from scanir.ir.walk import captures, ops_of
from scanir.normalize.binders import Loop
from scanir.normalize.carries import Carries, Carry


@dataclass(frozen=True, slots=True)
class CarryRow:
    """A carried value. ``kind``: see `scanir.normalize.carries.KINDS`, or ``unknown``; ``start`` is what it starts as;
    ``other`` the slot whose value it takes; ``same_as`` a slot that always has the same value."""

    slot: int
    type: str
    kind: str
    start: str
    other: int | None = None
    step: int | None = None
    same_as: int | None = None
    dead: bool = False


@dataclass(frozen=True, slots=True)
class LoopRow:
    """A loop. ``number`` is None for one that reports leave out, which ``note`` explains. ``trips`` is None where the
    count is dynamic. ``captures`` are the values of outside that the body uses, ``scanned`` the scanned inputs."""

    number: int | None
    path: str
    kind: str
    trips: int | None
    slots: tuple[CarryRow, ...]
    captures: tuple[str, ...]
    scanned: tuple[str, ...]
    ops: int
    copies: Copies
    file: str
    line: int
    code: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class LoopTable:
    """``notes`` say what is not known."""

    rows: tuple[LoopRow, ...]
    notes: tuple[str, ...] = ()


def loops(places: Places) -> LoopTable:
    """All loops: numbered ones first, then the others, each in order."""
    return loops_with_ops(places)[0]


def loops_with_ops(places: Places) -> tuple[LoopTable, tuple[Op, ...]]:
    """The table, and the op of each of its rows."""
    values, counts = Values(places, COPIES), CopyCounts(places.program.module)
    one = alone(places.program)
    found: list[tuple[LoopRow, Op]] = []
    written = [place for place in places.all if isinstance(view(place.op), LoopView)]
    if isinstance(one, Alone):
        carries = Carries(one.side)
        for loop, path in _numbered(one):
            place = places.of[id(loop.op)]
            row = _row(place, values, counts, carries.of(loop), loop.trips)
            found.append((replace(row, number=len(found) + 1, path=path), loop.op))
        seen = {id(op) for _, op in found}
        rest = [place for place in written if id(place.op) not in seen]
        note = ""
    else:
        rest, note = written, f"what loops carry is not known: {one}"
    for k, place in enumerate(rest):
        row = _row(place, values, counts, (), None)
        trips = view(place.op).length  # type: ignore[union-attr]
        why = "" if note else _left_out(trips)
        found.append((replace(row, number=k + 1 if note else None, trips=trips, note=why), place.op))
    return LoopTable(tuple(row for row, _ in found), (note,) if note else ()), tuple(op for _, op in found)


def _numbered(one: Alone) -> list[tuple[Loop, str]]:
    """The loops that a report numbers, in its order: live ones, each of several that are the same one once."""
    state = one.side.evaluator.state
    return [(loop, path) for loop, _, path, _, _ in profile(one.side).loops if state.loops[loop.term] is loop]


def _left_out(trips: int | None) -> str:
    if trips in (0, 1):
        return f"reports leave it out: it makes {trips} trip{'s' if trips == 0 else ''}"
    return "reports leave it out: nothing reads its results, it is the same as another one, or makes at most one trip"


def _row(
    place: Place, values: Values, counts: CopyCounts, carries: tuple[Carry, ...], trips: int | None
) -> LoopRow:  # fmt: skip
    op, where = place.op, place.location
    loop = view(op)
    assert isinstance(loop, LoopView)
    regions = [loop.body] if loop.condition is None else [loop.condition, loop.body]
    taken = dict.fromkeys(value for region in regions for value in captures(region))
    starts = _starts(loop.inits)
    kinds = carries or tuple(Carry(k, type, "unknown") for k, (_, _, type) in enumerate(starts))
    rows = tuple(
        CarryRow(
            carry.slot, str(type), carry.kind, values.describe(value, *path), carry.other, carry.step, carry.same_as,
            not carry.live,
        )
        for carry, (value, path, type) in zip(kinds, starts, strict=True)
        if not isinstance(type, TokenType) or carry.kind != "unknown"
    )  # fmt: skip
    file, line = (where.file, where.line) if where is not None else ("", 0)
    return LoopRow(
        None, place.path, op.name, trips, rows,
        tuple(values.describe(value) for value in taken if not _is_constant(values, value)),
        tuple(values.describe(value) for value in loop.xs),
        sum(1 for region in regions for inner in ops_of(region) if inner.name != "constant"),
        counts.inside(op), file, line, code(file, line),
    )  # fmt: skip


def _is_constant(values: Values, value: Value) -> bool:
    made = values.maker(value)
    return made is not None and made.name == "constant"


def _starts(inits: tuple[Value, ...]) -> list[tuple[Value, tuple[int, ...], Type]]:
    """The initial values, tuples taken apart: value, way to its element, type."""
    stack: list[tuple[Value, tuple[int, ...], Type]] = [(value, (), value.type) for value in reversed(inits)]
    found: list[tuple[Value, tuple[int, ...], Type]] = []
    while stack:
        value, path, type = stack.pop()
        if isinstance(type, TupleType):
            stack.extend((value, (*path, k), type.elements[k]) for k in reversed(range(len(type.elements))))
        else:
            found.append((value, path, type))
    return found


def loop_text(places: Places, op: Op) -> str:
    """A loop as ``scanir show`` prints it, with the functions that its regions are printed as elsewhere (HLO)."""
    style = Style(digests=True)
    bodies = {id(function.body): function.name for function in places.program.module.functions}
    if not any(id(region) in bodies for region in op.regions):
        return print_op(op, places.names, style)
    parts = [print_op(replace(op, regions=()), places.names, style)]
    loop = view(op)
    for region in op.regions:
        what = "condition" if isinstance(loop, LoopView) and region is loop.condition else "body"
        parts.append(f"\n{what} @{bodies.get(id(region), '?')}{print_region(region, places.names, style)}\n")
    return "".join(parts)


def pick_loop(places: Places, number: int) -> tuple[LoopRow, Op]:
    """A loop by its number. Raises ArgumentError for a number that no loop has."""
    table, ops = loops_with_ops(places)
    for row, op in zip(table.rows, ops, strict=True):
        if row.number == number:
            return row, op
    numbered = [row for row in table.rows if row.number is not None]
    listed = "; ".join(f"{row.number} is {row.path}" for row in numbered[:8])
    where = f"{places.program.label or places.program.module.name} at {places.program.stage}"
    hint = f"{listed}{f', and {len(numbered) - 8} more' if len(numbered) > 8 else ''}; --loops lists them"
    raise ArgumentError(
        f"there is no loop {number}", where=where, hint=hint if numbered else "the program has no loops"
    )
