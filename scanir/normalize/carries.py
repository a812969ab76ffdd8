"""What becomes of each carried value of a loop: handed on unchanged, exchanged, counted, or computed.

Read off the fixpoint that the evaluation has reached, so it holds through calls, branches and enclosing loops. Promises
a kind only where the structure shows it: what is called ``computed`` may well stay the same in a way nobody sees.
"""

from __future__ import annotations

from dataclasses import dataclass

from scanir.ir.attrs import Int
from scanir.ir.graph import Value
from scanir.ir.steps import Steps, run
from scanir.ir.structure import LoopView, view
from scanir.ir.types import TokenType, TupleType, Type
from scanir.normalize.binders import Loop, State
from scanir.normalize.canonical import Canonical
from scanir.normalize.numbers import affine
from scanir.normalize.side import Side
from scanir.normalize.values import Table

#: What a carry can be, and what that means.
KINDS = {
    "invariant": "the body hands it on unchanged",
    "counter": "a constant start and a constant integer step",
    "permuted": "takes the value of another slot, round and round",
    "forwarded": "takes the value of another slot",
    "reset": "takes a value from outside the loop, the same in each trip after the first",
    "computed": "computed anew in each trip",
    "token": "orders effects, holds no value",
}


@dataclass(frozen=True, slots=True)
class Carry:
    """Slot ``slot`` of a loop, as written (tuples taken apart). ``kind`` is one of `KINDS`.

    ``other``: the slot whose value it takes in the next trip (permuted, forwarded). ``start``, ``step``: of a counter.
    ``same_as``: an earlier slot that always has the same value. ``live`` is False where nothing but its own update
    reads it.
    """

    slot: int
    type: Type
    kind: str
    other: int | None = None
    start: int | None = None
    step: int | None = None
    same_as: int | None = None
    live: bool = True


def carries(side: Side, loop: Loop) -> tuple[Carry, ...]:
    """The carries of an evaluated loop of a side, in written order; a token that was added for effects is left out."""
    return Carries(side).of(loop)


class Carries:
    """Answers `of` for all loops of one side; what loops inside loops do to their slots is worked out once."""

    def __init__(self, side: Side) -> None:
        self._table: Table = side.evaluator.table
        self._state: State = side.evaluator.state
        self._canonicals: list[Canonical] = [side.canonical, *(canonical for canonical, _, _ in side.parts.values())]
        self._moves: dict[int, dict[int, int]] = {}

    def of(self, loop: Loop) -> tuple[Carry, ...]:
        types = slot_types(loop)
        first: dict[int, int] = {}
        for slot in range(len(types)):
            first.setdefault(loop.values[slot], slot)
        moves = run(self._moved(loop))
        canonical = next((c for c in self._canonicals if loop.term in c.live), None)
        found = []
        for slot, type in enumerate(types):
            kind, other, start, step = self._kind(loop, slot, type, moves, first)
            earlier = first[loop.values[slot]]
            same = earlier if earlier != slot else None
            live = canonical is None or self._live(loop, slot, canonical)
            found.append(Carry(slot, type, kind, other, start, step, same, live))
        return tuple(found)

    def _kind(
        self, loop: Loop, slot: int, type: Type, moves: dict[int, int], first: dict[int, int]
    ) -> tuple[str, int | None, int | None, int | None]:
        rank, value = loop.rank[slot], loop.values[slot]
        if isinstance(type, TokenType):
            return "token", None, None, None
        if rank is None:
            if value == loop.starts[slot]:
                return "invariant", None, None, None
            said = dict(self._table.payload(value)[1])
            return "counter", None, _integer(said["offset"]), _integer(said["factor"])
        if rank in moves:
            target = moves[rank]
            if target == rank:  # back in its place after the trips of loops inside
                return "invariant", None, None, None
            other = loop.rank.index(target)
            return ("permuted" if _cycle(moves, rank) else "forwarded"), other, None, None
        # An invariant slot or a counter may be taken over, too; what the body closes over is no slot.
        taken = run(self._resolved(loop.nexts[slot]))
        if (source := first.get(taken)) is not None:
            return "forwarded", source, None, None
        return ("computed" if self._table.free[taken] >> loop.depth & 1 else "reset"), None, None, None

    def _moved(self, loop: Loop) -> Steps[dict[int, int]]:
        """For each block of slots that takes over the value of a varying block: which."""
        if loop.scope not in self._moves:
            self._moves[loop.scope] = {}  # for the loop itself while it is looked at: nothing is known yet
            leaves = {loop.values[slot]: rank for slot, rank in enumerate(loop.rank) if rank is not None}
            moves = {}
            for rank, step in enumerate(loop.steps):
                taken = yield self._resolved(step)
                if taken in leaves:
                    moves[rank] = leaves[taken]
            self._moves[loop.scope] = moves
        return self._moves[loop.scope]

    def _resolved(self, term: int) -> Steps[int]:
        """A result of a loop of known length that only moves its slots around is one of its initial values."""
        while (loop := self._moving(term)) is not None:
            moves = yield self._moved(loop)
            cycle = _cycle(moves, self._table.payload(term))
            if not cycle:
                break
            term = loop.inits[cycle[(loop.trips or 0) % len(cycle)]]
        return term

    def _moving(self, term: int) -> Loop | None:
        """The loop of known length that a term is a result of."""
        if self._table.kind(term) != "res" or not isinstance(self._table.payload(term), int):
            return None
        loop = self._state.loops.get(self._table.children(term)[0])
        return loop if loop is not None and loop.trips is not None else None

    def _live(self, loop: Loop, slot: int, canonical: Canonical) -> bool:
        rank = loop.rank[slot]
        if rank is not None:
            return rank in canonical.live[loop.term]
        value = loop.values[slot]
        if value == loop.starts[slot] or value in canonical.of:
            return True
        # A counter that nobody reads inside may be read after the loop.
        _, attributes, types, *_ = self._table.payload(value)
        said, type = dict(attributes), types[0]
        number = next((n for n in loop.numbers if n in self._table.children(value)), None)
        if number is None:
            return True
        final = self._table.intern("res", ("trip", self._table.payload(number)[2]), (loop.term,))
        return affine(self._table, final, _integer(said["factor"]), _integer(said["offset"]), type) in canonical.of


def slot_types(loop: Loop) -> tuple[Type, ...]:
    """The types of the carried values as written, tuples taken apart."""
    loop_view = view(loop.op)
    inits: tuple[Value, ...] = loop_view.inits if isinstance(loop_view, LoopView) else ()
    stack: list[Type] = [value.type for value in reversed(inits)]
    types: list[Type] = []
    while stack:
        type = stack.pop()
        if isinstance(type, TupleType):
            stack.extend(reversed(type.elements))
        else:
            types.append(type)
    return tuple(types)


def _cycle(moves: dict[int, int], rank: int) -> list[int]:
    """The blocks whose values a block takes in turn, itself first; empty if it never gets its own value back."""
    found = [rank]
    while (following := moves.get(found[-1])) is not None and following != rank and len(found) <= len(moves):
        found.append(following)
    return found if following == rank else []


def _integer(attr: object) -> int:
    assert isinstance(attr, Int)
    return attr.value
