"""The body of a loop with its captures as numbered holes, for the report.

Two loops have the same body when conditions, next values and ys agree once everything that comes in from outside
(captured values, carries handed on unchanged, constants, elements of scanned inputs) is a numbered hole. What an op
inside the body computes from such values alone still belongs to the body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scanir.ir.types import TensorType, Type
from scanir.normalize.binders import Loop, Trace
from scanir.normalize.canonical import Canonical
from scanir.normalize.colours import content_hash
from scanir.normalize.identities import result_type
from scanir.normalize.values import Table

#: Terms that stand for a parameter of a closed binder, and those that close one; both begin with its height.
_PARAMETERS = frozenset({"slot", "item", "bound"})
_BINDERS = frozenset({"loop", "fun", "ys"})
#: Attributes of a loop that say how many trips it makes.
_LENGTHS = frozenset({"length", "known_trip_count"})
#: Rounds of refinement of the slots' order; what is still tied keeps its canonical order.
ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Body:
    """``form``: the body with holes, comparable across programs. ``holes[n]``: the term that fills hole n."""

    form: tuple[Any, ...]
    holes: tuple[int, ...]


class Bound:
    """Which terms have parameters of a closed binder in them that is not closed inside the term itself."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: dict[int, int] = {}

    def of(self, term: int) -> int:
        """A bit set of the heights of such binders."""
        known, keys = self._known, self._table.keys
        stack = [term]
        while stack:
            current = stack[-1]
            kind, payload, children = keys[current]
            if current in known:
                stack.pop()
            elif todo := [child for child in children if child not in known]:
                stack.extend(todo)
            else:
                found = 1 << payload[0] if kind in _PARAMETERS else 0
                for child in children:
                    found |= known[child]
                known[current] = found & ~(1 << payload[0]) if kind in _BINDERS else found
        return known[term]


def inside_terms(canonical: Canonical, trace: Trace) -> set[int]:
    """Canonical terms of the ops that the body computes, at any depth."""
    found: set[int] = set()
    stack = [trace]
    while stack:
        current = stack.pop()
        found.update(canonical.of[term] for _, term in current.entries if term in canonical.of)
        stack.extend(current.inner)
    return found


def body_of(
    table: Table, canonical: Canonical, loop: Loop, inside: set[int], bound: Bound, *, length: int | None = None
) -> Body:
    """The body of a live loop. ``inside``: terms that are body ops even where they depend on nothing that varies.

    ``length``: how many trips there are, where the body is to be written as for any number of them.
    """
    of = canonical.of
    slots = {}
    for rank in canonical.order[loop.term]:
        leaf = table.intern("leaf", (loop.scope, rank, loop.types[rank], loop.depth), free=1 << loop.depth)
        slots[leaf] = rank
    steps = {rank: of[loop.steps[rank]] for rank in slots.values()}
    condition = [] if loop.condition is None else [of[loop.condition]]
    ys = [of[y] for y in loop.ys if y in of]
    bit, elems = 1 << loop.depth, {of[elem] for elem in loop.elems if elem in of}

    def is_hole(term: int) -> bool:
        if term in elems:
            return True
        if table.kind(term) == "fun" or bound.of(term):
            return False  # the body of a reduction or the like is code, wherever it could stand
        return not table.free[term] & bit and not (term in inside and table.kind(term) == "op")

    writer = _Writer(table, slots, is_hole, length)
    terms = writer.reach([*condition, *steps.values(), *ys])
    colours: dict[int, int] = {rank: content_hash("slot", writer.spelt(loop.types[rank])) for rank in steps}
    for _ in range(ROUNDS):
        painted = writer.paint(terms, colours)
        refined = {rank: hash((colours[rank], painted[step])) for rank, step in steps.items()}
        if len(set(refined.values())) == len(set(colours.values())) and len(set(colours.values())) == len(colours):
            break
        colours = refined
    painted = writer.paint(terms, colours)
    order = sorted(steps, key=lambda rank: (colours[rank], canonical.order[loop.term].index(rank)))
    numbers = {rank: k for k, rank in enumerate(order)}
    form = writer.write([*condition, *[steps[rank] for rank in order], *ys], numbers, painted)
    types = tuple(str(writer.spelt(loop.types[rank])) for rank in order)
    return Body((_payload(loop, length), types, len(ys), form), tuple(writer.holes))


def _payload(loop: Loop, length: int | None) -> tuple[Any, ...]:
    """The op of a loop and its attributes, without the number of trips where that is given."""
    name, attributes = loop.payload
    return name, attributes if length is None else _of_any_length(attributes)


def _of_any_length(fields: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    kept = []
    for field, value in fields:
        if field == "backend_config" and isinstance(value, tuple) and value[0] == "record":
            kept.append((field, ("record", _of_any_length(value[1]))))
        elif field not in _LENGTHS:
            kept.append((field, value))
    return tuple(kept)


def program_with_holes(table: Table, results: Sequence[int]) -> Body:
    """The terms of a whole program with every argument and constant a hole."""
    writer = _Writer(table, {}, lambda term: table.kind(term) in ("in", "const"), None)
    painted = writer.paint(writer.reach(list(results)), {})
    return Body(writer.write(list(results), {}, painted), tuple(writer.holes))


class _Writer:
    """Writes terms down once each, exchangeable operands in an order that does not depend on what fills the holes.

    ``length``: a leading dimension of so many elements, as stacked values have it, is written as no number.
    """

    def __init__(self, table: Table, slots: dict[int, int], is_hole: Callable[[int], bool], length: int | None) -> None:
        self._table, self._slots, self._is_hole, self._length = table, slots, is_hole, length
        self.holes: list[int] = []
        self._contents: dict[Any, int] = {}

    def _content(self, kind: str, payload: Any) -> int:
        found = self._contents.get((kind, payload))
        if found is None:
            found = self._contents[kind, payload] = content_hash(kind, payload)
        return found

    def spelt(self, type: Type | None) -> Type | None:
        """A type as the body is written."""
        if self._length is None or not isinstance(type, TensorType) or type.shape[:1] != (self._length,):
            return type
        return replace(type, shape=("trips", *type.shape[1:]))

    def _spelt(self, kind: str, payload: Any) -> Any:
        if kind != "op" or self._length is None:
            return payload
        name, attributes, types, *rest = payload
        return (name, attributes, tuple(map(self.spelt, types)), *rest)

    def _children(self, term: int) -> tuple[int, ...]:
        return () if self._is_hole(term) or term in self._slots else self._table.children(term)

    def reach(self, roots: list[int]) -> list[int]:
        """All terms of the body, ascending."""
        seen, stack = set(roots), list(roots)
        while stack:
            for child in self._children(stack.pop()):
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return sorted(seen)

    def paint(self, terms: list[int], colours: dict[int, int]) -> dict[int, int]:
        painted: dict[int, int] = {}
        for term in terms:
            if term in self._slots:
                painted[term] = colours[self._slots[term]]
            elif self._is_hole(term):
                painted[term] = self._content("hole", str(self.spelt(result_type(self._table, term))))
            else:
                kind, payload, children = self._table.keys[term]
                below = [painted[child] for child in children]
                if kind == "op" and payload[4] == "exchange":
                    below.sort()
                painted[term] = hash((self._content(kind, self._spelt(kind, payload)), *below))
        return painted

    def write(self, roots: list[int], numbers: dict[int, int], painted: dict[int, int]) -> tuple[Any, ...]:
        """The body as a list: each term once, operands by number, in an order fixed by structure.

        Holes are written at each place where they are used: that two places are filled alike on one side says nothing
        of the other.
        """
        index: dict[int, int] = {}
        lines: list[Any] = []
        stack = list(reversed(roots))
        while stack:
            term = stack[-1]
            if term in index or self._is_hole(term):
                stack.pop()
                continue
            children = self._ordered(term, painted)
            todo = [child for child in children if child not in index and not self._is_hole(child)]
            if todo:
                stack.extend(reversed(todo))
                continue
            stack.pop()
            index[term] = len(lines)
            if term in self._slots:
                lines.append(("slot", numbers[self._slots[term]]))
                continue
            kind, payload, _ = self._table.keys[term]
            lines.append((kind, self._spelt(kind, payload), tuple(self._use(child, index) for child in children)))
        return (*lines, tuple(self._use(root, index) for root in roots))

    def _use(self, term: int, index: dict[int, int]) -> Any:
        if term in index:
            return index[term]
        self.holes.append(term)
        return ("hole", str(self.spelt(result_type(self._table, term)) or ""))

    def _ordered(self, term: int, painted: dict[int, int]) -> tuple[int, ...]:
        children = self._children(term)
        kind, payload, _ = self._table.keys[term]
        if kind == "op" and payload[4] == "exchange":
            return tuple(sorted(children, key=lambda child: painted[child]))
        return children
