"""Which carries of a loop its copies are of, and the lines that they come from.

XLA copies a carry where its old value must outlive the new one: a carry that a branch hands on, say, or two that are
exchanged. Promises one entry for the copies of one carry on one line, the largest first; a copy that is of no carry,
and goes into none, has no slot. Copies in loops inside belong to those loops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from scanir.costs.copies import COPIES, size_of
from scanir.ir.attrs import Int
from scanir.ir.graph import Function, Location, Op, Region, Value
from scanir.ir.steps import Steps, run
from scanir.ir.structure import BranchView, CallView, LoopView, view
from scanir.ir.types import TupleType, Type

#: Where an array comes from: a slot of the loop, the copy with the number ``~leaf`` where it is negative, or elsewhere.
Leaf: TypeAlias = "int | None"
#: Ops that hand on what they are given, in another shape or form.
_HANDED_ON = frozenset({"bitcast", "reshape", "copy-done", "opt-barrier", "optimization-barrier", "transpose"})
#: Ops of one loop that are looked at, calls inlined; copies behind them have no slot.
BUDGET = 200_000


@dataclass(frozen=True, slots=True)
class Carried:
    """``count`` copies a trip of a carry (its slot as written; None: of something else), each of ``bytes`` bytes, which
    is None where it is not known."""

    slot: int | None
    type: str
    bytes: int | None
    count: int
    line: Location | None


def carried_copies(op: Op, functions: Mapping[str, Function], line: Location | None = None) -> tuple[Carried, ...]:
    """The copies that one trip of a loop makes. ``line``: that of the loop, where its op has none."""
    loop = view(op)
    if not isinstance(loop, LoopView):
        return ()
    walk = _Walk(functions)
    bound = len(loop.inits)
    slots = _numbered([value.type for value in loop.inits])
    starts: list[list[Leaf]] = [*slots, *(_unknown(value) for value in loop.body.params[bound:])]
    for region, params in ((loop.condition, slots), (loop.body, starts)):
        if region is not None:
            results = run(walk.region(region, params, op.location or line))
    for slot, leaf in enumerate(leaf for result in results[:bound] for leaf in result):
        while leaf is not None and leaf < 0 and walk.copies[~leaf].slot is None:
            walk.copies[~leaf].slot, leaf = slot, walk.copies[~leaf].copied
    counted = Counter((copy.slot, copy.type, copy.line) for copy in walk.copies)
    found = [Carried(slot, str(type), size_of(type), count, where) for (slot, type, where), count in counted.items()]
    return tuple(sorted(found, key=_largest_first))


def _largest_first(copies: Carried) -> tuple[int, bool, int, str, int]:
    size, line = (copies.bytes or 0) * copies.count, copies.line.line if copies.line else 0
    return -size, copies.slot is None, copies.slot or 0, copies.type, line


def _width(type: Type) -> int:
    """How many arrays a value of a type holds."""
    width, stack = 0, [type]
    while stack:
        current = stack.pop()
        if isinstance(current, TupleType):
            stack.extend(current.elements)
        else:
            width += 1
    return width


def _unknown(value: Value) -> list[Leaf]:
    return [None] * _width(value.type)


def _numbered(types: Sequence[Type]) -> list[list[Leaf]]:
    """Arrays numbered through, as the slots of a loop are."""
    numbered: list[list[Leaf]] = []
    start = 0
    for type in types:
        numbered.append(list(range(start, start + _width(type))))
        start += _width(type)
    return numbered


@dataclass(slots=True)
class _Copy:
    """``copied``: what it copies, where that is another copy."""

    copied: Leaf
    slot: int | None
    type: Type
    line: Location | None


@dataclass(slots=True)
class _Walk:
    """Follows the slots through the ops of one loop's regions; ``copies`` as they are met."""

    functions: Mapping[str, Function]
    copies: list[_Copy] = field(default_factory=list)
    _left: int = BUDGET

    def region(
        self, region: Region, params: Sequence[Sequence[Leaf]], line: Location | None
    ) -> Steps[list[list[Leaf]]]:
        """What each result of a region holds, given what its parameters do."""
        return self._region(region, params, line, {}, {})

    def _region(
        self, region: Region, params: Sequence[Sequence[Leaf]], line: Location | None, known: dict[Value, list[Leaf]],
        lines: dict[Value, Location | None],
    ) -> Steps[list[list[Leaf]]]:  # fmt: skip
        known.update({param: list(leaves) for param, leaves in zip(region.params, params, strict=False)})
        for op in region.ops:
            if self._left <= 0:
                break
            self._left -= 1
            given = [known.get(value) or _unknown(value) for value in op.operands]
            where = op.location or next((lines[value] for value in op.operands if lines.get(value)), None)
            results = yield self._op(op, given, where or line, known, lines)
            for value, leaves in zip(op.results, results, strict=False):
                known[value], lines[value] = leaves, where
        return [known.get(value) or _unknown(value) for value in region.results]

    def _op(
        self, op: Op, given: list[list[Leaf]], line: Location | None, known: dict[Value, list[Leaf]],
        lines: dict[Value, Location | None],
    ) -> Steps[list[list[Leaf]]]:  # fmt: skip
        unknown: list[list[Leaf]] = [_unknown(value) for value in op.results]
        match view(op):
            case BranchView(arguments=arguments, regions=regions):
                by_value = dict(zip(op.operands, given, strict=True))
                ends = []
                for bound, region in zip(arguments, regions, strict=True):
                    ends.append((yield self._region(region, [by_value[v] for v in bound], line, known, lines)))
                return [[_one(leaves) for leaves in zip(*each, strict=False)] for each in zip(*ends, strict=False)]
            case CallView(callee=callee) if callee in self.functions:
                body = self.functions[callee].body
                results: list[list[Leaf]] = yield self._region(body, given, line, {}, {})
                return results
            case LoopView():
                return unknown
        return self._plain(op, given, line) or unknown

    def _plain(self, op: Op, given: list[list[Leaf]], line: Location | None) -> list[list[Leaf]] | None:
        if op.name in COPIES and given:
            copied = given[0][0] if given[0] else None
            slot = None if copied is None or copied < 0 else copied
            self.copies.append(_Copy(copied, slot, op.operands[0].type, line))
            leaf = ~(len(self.copies) - 1) if slot is None else slot
            return [[leaf] * _width(value.type) for value in op.results]
        if op.name == "tuple":
            return [[leaf for leaves in given for leaf in leaves]]
        if op.name == "get-tuple-element" and isinstance(index := op.attribute("index"), Int):
            held = op.operands[0].type
            start = sum(map(_width, held.elements[: index.value])) if isinstance(held, TupleType) else 0
            return [given[0][start : start + _width(op.results[0].type)]]
        if op.name in _HANDED_ON and given and len(op.results) == 1:
            return [given[0][: _width(op.results[0].type)]]
        return None


def _one(leaves: Sequence[Leaf]) -> Leaf:
    """What branches that end in these hand on: the one thing that any of them does."""
    found = {leaf for leaf in leaves if leaf is not None}
    return found.pop() if len(found) == 1 else None
