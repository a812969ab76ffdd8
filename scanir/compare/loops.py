"""Pairs of loops: which correspond, whether they are the same, and what each side puts into the holes of the body."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from scanir.compare.describe import Describer
from scanir.compare.holes import Body, Bound, body_of, inside_terms
from scanir.compare.profile import profile
from scanir.costs.carried import Carried, carried_copies
from scanir.costs.copies import CopyCounts
from scanir.costs.count import Costs
from scanir.ir.graph import Location
from scanir.ir.structure import SCANS
from scanir.ir.walk import ops_of
from scanir.normalize.binders import Loop, Trace
from scanir.normalize.canonical import Canonical
from scanir.normalize.carries import Carries, Carry
from scanir.normalize.side import Side
from scanir.normalize.values import Table
from scanir.result import Capture, CarryFact, CopyFact, Filling, LoopDiff, LoopSide


@dataclass(slots=True)
class _Found:
    """A live loop of one side, in the order of the program."""

    side: Side
    canonical: Canonical
    loop: Loop
    value: int
    path: str
    trace: Trace
    line: Location | None
    body: Body | None = None


def compare_loops(
    table: Table, sides: tuple[Side, Side], describers: tuple[Describer, Describer], *, identical: bool
) -> tuple[LoopDiff, ...]:
    """One entry a pair of loops, then the loops without a counterpart, in the order of the program."""
    left, right = (_loops(side) for side in sides)
    looks = tuple(_Look(side, describer) for side, describer in zip(sides, describers, strict=True))
    shared = _inside(left) | _inside(right)
    bound = Bound(table)
    for found in left + right:
        found.body = body_of(table, found.canonical, found.loop, shared, bound)
    pairs = _pair(left, right)
    for x, y in pairs:
        _as_for_any_length(table, x, y, shared, bound)
    return tuple(_diff(table, x, y, describers, (looks[0], looks[1]), identical) for x, y in pairs)


def _as_for_any_length(table: Table, left: _Found | None, right: _Found | None, shared: set[int], bound: Bound) -> None:
    """Write the bodies of two loops as for any number of trips, where that is all they differ in."""
    if left is None or right is None or left.loop.trips == right.loop.trips:
        return
    assert left.body is not None
    assert right.body is not None
    if left.body.form == right.body.form or None in (left.loop.trips, right.loop.trips):
        return
    x, y = (body_of(table, f.canonical, f.loop, shared, bound, length=f.loop.trips) for f in (left, right))
    if x.form == y.form:
        left.body, right.body = x, y


class _Look:
    """Describes the loops of one side; what loops inside loops do is worked out once."""

    def __init__(self, side: Side, describer: Describer) -> None:
        module = side.program.module
        self._carries, self._describer = Carries(side), describer
        self._copies = CopyCounts(module)
        self._functions = {function.name: function for function in module.functions}
        trips = {id(loop.op): loop.trips for loop in side.evaluator.state.loops.values()}
        self._costs = Costs(module, trips) if side.program.stage == "hlo" else None

    def side(self, found: _Found) -> LoopSide:
        """A loop as a report shows it."""
        loop, op = found.loop, found.loop.op
        copies = self._copies.inside(op)
        where = found.line
        facts = carried_copies(op, self._functions, where) if copies.count else ()
        return LoopSide(
            path=found.path,
            kind=op.name,
            slots=len(loop.starts) - loop.effect,
            ops=sum(1 for region in op.regions for inner in ops_of(region) if inner.name != "constant"),
            file=where.file if where else "",
            line=where.line if where else 0,
            carries=tuple(self._carry(found, carry) for carry in self._carries.of(loop)),
            copies=copies.count,
            copied_bytes=copies.bytes,
            copied=tuple(f"{type} {number}x" if number > 1 else type for type, number in copies.types),
            copy_facts=tuple(self._copy(found, copied) for copied in facts),
            trip=None if self._costs is None else self._costs.trip(op),
        )

    def _copy(self, found: _Found, copied: Carried) -> CopyFact:
        start = "" if copied.slot is None else self._start(found, copied.slot)
        file, line = ("", 0) if copied.line is None else (copied.line.file, copied.line.line)
        return CopyFact(copied.slot, start, copied.type, copied.bytes, copied.count, file, line)

    def _start(self, found: _Found, slot: int) -> str:
        """What a carry starts as, in a person's terms."""
        term = found.canonical.of.get(found.loop.starts[slot]) if slot < len(found.loop.starts) else None
        return "" if term is None else self._describer.value(term)

    def _carry(self, found: _Found, carry: Carry) -> CarryFact:
        return CarryFact(
            carry.slot, str(carry.type), carry.kind, self._start(found, carry.slot), carry.other, carry.live
        )


def _inside(loops: list[_Found]) -> set[int]:
    terms: set[int] = set()
    for found in loops:
        terms |= inside_terms(found.canonical, found.trace)
    return terms


def _loops(side: Side) -> list[_Found]:
    found = []
    for loop, value, path, trace, line in profile(side).loops:
        canonical = side.canonical
        if loop.term not in canonical.order:
            canonical = next(part for part, _, _ in side.parts.values() if loop.term in part.order)
        if side.evaluator.state.loops[loop.term] is loop:
            found.append(_Found(side, canonical, loop, value, path, trace, line))
    return found


def _pair(left: list[_Found], right: list[_Found]) -> list[tuple[_Found | None, _Found | None]]:
    """Equal loops first, then equal bodies, then what is left in order: of one kind and depth, at last of one depth."""
    partner: dict[int, int] = {}
    taken: set[int] = set()
    keys = (
        lambda f: ("value", f.value),
        lambda f: ("body", f.body.form),
        lambda f: ("place", f.loop.op.name, f.loop.depth),
        lambda f: ("depth", f.loop.depth),
    )
    for key in keys:
        waiting: dict[object, list[int]] = defaultdict(list)
        for index, found in enumerate(right):
            if index not in taken:
                waiting[key(found)].append(index)
        for index, found in enumerate(left):
            candidates = waiting.get(key(found)) if index not in partner else None
            if candidates:
                partner[index] = candidates.pop(0)
                taken.add(partner[index])
    pairs: list[tuple[_Found | None, _Found | None]] = [
        (found, right[partner[index]] if index in partner else None) for index, found in enumerate(left)
    ]
    return pairs + [(None, found) for index, found in enumerate(right) if index not in taken]


def _diff(
    table: Table, left: _Found | None, right: _Found | None, describers: tuple[Describer, Describer],
    looks: tuple[_Look, _Look], identical: bool,
) -> LoopDiff:  # fmt: skip
    sides = tuple(None if found is None else look.side(found) for found, look in zip((left, right), looks, strict=True))
    some = left or right
    assert some is not None
    if left is None or right is None:
        return LoopDiff("UNPAIRED", sides[0], sides[1], some.loop.trips, _captures(table, left, right, describers))
    assert left.body is not None
    assert right.body is not None
    same_trips = left.loop.trips == right.loop.trips
    if left.value == right.value:
        verdict = "IDENTICAL" if identical else "EQUIVALENT"
    elif left.body.form == right.body.form:
        verdict = "SAME-BODY"
    else:
        verdict = "DIFFERENT"
    notes: tuple[str, ...] = () if same_trips else (f"trip count {_trips(left)} against {_trips(right)}",)
    if len({found.loop.op.name in SCANS for found in (left, right)}) == 2:
        notes += ("only a scan can be differentiated in reverse (jax.grad), a while loop cannot",)
    return LoopDiff(
        verdict,
        sides[0],
        sides[1],
        left.loop.trips if same_trips else None,
        _captures(table, left, right, describers),
        notes,
    )


def _trips(found: _Found) -> str:
    return "dynamic" if found.loop.trips is None else str(found.loop.trips)


def _captures(
    table: Table, left: _Found | None, right: _Found | None, describers: tuple[Describer, Describer]
) -> tuple[Capture, ...]:
    """The holes of both bodies, side by side where the bodies agree; constants that agree are part of the body."""
    rows: list[tuple[int | None, int | None]] = []
    if left is not None and right is not None and left.body and right.body and left.body.form == right.body.form:
        rows = list(zip(left.body.holes, right.body.holes, strict=True))
    else:
        rows += [(hole, None) for hole in (left.body.holes if left and left.body else ())]
        rows += [(None, hole) for hole in (right.body.holes if right and right.body else ())]
    captures: list[Capture] = []
    for x, y in dict.fromkeys(rows):
        if all(hole is None or table.kind(hole) == "const" for hole in (x, y)) and (x == y or None in (x, y)):
            continue
        fillings = tuple(
            None if hole is None or found is None else _filling(table, found, hole, describer)
            for hole, found, describer in ((x, left, describers[0]), (y, right, describers[1]))
        )
        some = x if x is not None else y
        assert some is not None
        captures.append(Capture(len(captures), describers[0].type(some), fillings[0], fillings[1]))
    return tuple(captures)


def _filling(table: Table, found: _Found, hole: int, describer: Describer) -> Filling:
    """What a side puts into a hole, and by which way it comes in."""
    of, loop = found.canonical.of, found.loop
    for slot, (rank, value) in enumerate(zip(loop.rank, loop.values, strict=True)):
        if rank is None and of.get(value) == hole:
            return Filling("carried", describer.value(hole), slot)
    for slot, elem in enumerate(loop.elems):
        if of.get(elem) == hole:
            return Filling("scanned", describer.value(table.children(hole)[0]), slot)
    kind = table.kind(hole)
    if kind == "const":
        return Filling("constant", describer.value(hole))
    return Filling("closed-over" if kind == "in" else "computed", describer.value(hole))
