"""Limits on a compiled program: what it may have at most, and what it must not have, each with the op at fault.

Promises: a limit is kept only if that is known. A total over a loop whose number of trips nobody knows, the work of an
op that nobody counts and bytes that a file does not tell are unknown where they matter, never kept. Of a branch no side
has more than what is said. Nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from scanir.cost import Cost
from scanir.costs.count import Costs
from scanir.costs.operations import CALLBACKS, bare, written
from scanir.facts.constants import constants
from scanir.facts.loops import loops_with_ops
from scanir.facts.places import Place, Places
from scanir.facts.select import code
from scanir.ir.graph import Op, Region
from scanir.ir.structure import BranchView, CallView, LoopView, view
from scanir.ir.types import TensorType, TupleType, Type
from scanir.ir.walk import symbols
from scanir.normalize.effects import calls_python

#: What can be counted, of the program and of a trip of each loop, by the names that limits have.
COUNTS: dict[str, Callable[[Cost], int]] = {
    "instructions": lambda cost: cost.ops,
    "fusions": lambda cost: cost.fusions,
    "flops": lambda cost: cost.flops,
    "transcendentals": lambda cost: cost.transcendentals,
    "bytes": lambda cost: cost.bytes,
    "copies": lambda cost: cost.copies,
    "copied-bytes": lambda cost: cost.copied_bytes,
    "collectives": lambda cost: cost.collectives,
    "callbacks": lambda cost: cost.callbacks,
}
#: Bytes that the compiler says a program takes, by the name of the limit.
SIZES = {"temp-bytes": "temp", "argument-bytes": "argument", "output-bytes": "output"}
#: Of these nobody knows the total where an op is not counted.
_WORK = ("flops", "transcendentals")
PRECISIONS = ("default", "high", "highest")
_PRODUCTS = frozenset({"dot", "convolution", "ragged-dot", "scaled-dot", "dot_general"})
#: Types whose products the precision of a dot says something of; others are computed as they are.
_INEXACT = frozenset({"f32", "c64"})
#: Algorithms of a dot that are as good as ``highest`` for operands of f32.
_EXACT_ALGORITHMS = frozenset({"dot_f32_f32_f32", "dot_f64_f64_f64"})
_LIBRARY = re.compile(r"gemm|matmul|\bdot|conv", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]\w*")


@dataclass(frozen=True, slots=True)
class Limits:
    """``counts``, ``per_trip`` and ``sizes`` by name: at most so many."""

    counts: tuple[tuple[str, int], ...] = ()
    per_trip: tuple[tuple[str, int], ...] = ()
    sizes: tuple[tuple[str, int], ...] = ()
    no_callback_in_loop: bool = False
    forbid_dtypes: tuple[str, ...] = ()
    forbid_ops: tuple[str, ...] = ()
    max_constant_bytes: int | None = None
    require_dot_precision: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """How a limit stands. ``state``: ``kept``, ``over`` or ``unknown``; ``measured`` and ``allowed`` in words; ``what``
    says it in a sentence; ``path`` and the rest are of the op at fault, where there is one."""

    limit: str
    state: str
    measured: str
    allowed: str
    what: str = ""
    path: str = ""
    file: str = ""
    line: int = 0
    code: str = ""


def limits(places: Places, wanted: Limits) -> tuple[Kept, ...]:
    """How each limit stands, in a fixed order."""
    measured = _Measured(places)
    found = [measured.total(name, allowed) for name, allowed in wanted.counts]
    found += [measured.per_trip(name, allowed) for name, allowed in wanted.per_trip]
    found += [_size(places, name, allowed) for name, allowed in wanted.sizes]
    if wanted.no_callback_in_loop:
        found.append(measured.callbacks())
    found += [_dtype(places, name) for name in wanted.forbid_dtypes]
    found += [_op(places, name) for name in wanted.forbid_ops]
    if wanted.max_constant_bytes is not None:
        found.append(_constants(places, wanted.max_constant_bytes))
    if wanted.require_dot_precision:
        found.append(_precision(places, wanted.require_dot_precision))
    return tuple(found)


@dataclass(slots=True)
class _Measured:
    """The costs of a program, and once more with loops of unknown length run twice, which shows what hangs on them."""

    places: Places
    once: Costs = field(init=False)
    twice: Costs = field(init=False)
    loops: list[tuple[Place, int | None]] = field(init=False)

    def __post_init__(self) -> None:
        table, ops = loops_with_ops(self.places)
        trips = {id(op): row.trips for row, op in zip(table.rows, ops, strict=True)}
        module = self.places.program.module
        self.once = Costs(module, trips, bound=True)
        written_loops = [place for place in self.places.all if isinstance(view(place.op), LoopView)]
        self.twice = Costs(module, {id(p.op): _or(trips.get(id(p.op)), 2) for p in written_loops}, bound=True)
        self.loops = [(place, trips.get(id(place.op))) for place in written_loops]

    def total(self, name: str, allowed: int) -> Kept:
        entry = self.places.program.module.entry
        cost, other = self.once.function(entry), self.twice.function(entry)
        return self._judged(name, name, allowed, cost, other)

    def per_trip(self, name: str, allowed: int) -> Kept:
        """The trip of the loop that has most of it; one that is unknown if no other is over the limit."""
        limit = f"per-trip {name}"
        entry = self.places.program.module.entry
        for costs in (self.once, self.twice):
            costs.function(entry)
        judged = []
        for place, _ in self.loops:
            cost, other = self.once.trip(place.op), self.twice.trip(place.op)
            judged.append((COUNTS[name](cost), self._judged(limit, name, allowed, cost, other, place)))
        rank = {"over": 2, "unknown": 1, "kept": 0}
        worst = max(judged, key=lambda pair: (rank[pair[1].state], pair[0]), default=None)
        return Kept(limit, "kept", "no loop", f"at most {allowed:,}") if worst is None else worst[1]

    def _judged(self, limit: str, name: str, allowed: int, cost: Cost, other: Cost, loop: Place | None = None) -> Kept:
        count, where = COUNTS[name], "in all" if loop is None else f"in a trip of {loop.path}"
        measured, most = count(cost), f"at most {allowed:,}"
        if measured > allowed:
            place, share = self._largest(count, loop)
            what = f"{measured:,} {name} {where}, {most} allowed"
            if place is not None and share < measured:
                what += f"; {share:,} of them by {place.op.name}"
            return _at(place or loop, limit, "over", f"{measured:,}", most, what)
        if count(other) != measured:
            what = f"{name} {where} hang on a loop whose number of trips is not known"
            free = next((p for p, trips in self.loops if trips is None), None)
            return _at(free, limit, "unknown", f"{measured:,} or more", most, what)
        if name in _WORK and cost.uncounted:
            names = ", ".join(op for op, _ in cost.uncounted)
            return Kept(limit, "unknown", f"{measured:,} or more", most, f"nobody counts the {name} of {names}")
        return Kept(limit, "kept", f"{measured:,}", most)

    def _largest(self, count: Callable[[Cost], int], loop: Place | None) -> tuple[Place | None, int]:
        """The op that has most of it, run as often as the loops around it (inside of ``loop``) say."""
        trips = {id(place.op): found for place, found in self.loops}
        best: tuple[Place | None, int] = (None, 0)
        for place in self.places.all:
            share = count(self.once.op(place.op)) if _is_leaf(place) else 0
            if share <= 0:
                continue
            inside = loop is None
            for up in place.around():
                if up is loop:
                    inside = True
                    break
                share *= _or(trips.get(id(up.op)), 1)
            if inside and share > best[1]:
                best = (place, share)
        return best

    def callbacks(self) -> Kept:
        """Calls of the host in any loop, through branches and whatever is called."""
        name, allowed = "no-callback-in-loop", "none"
        functions = {function.name: function.body for function in self.places.program.module.functions}
        for place, _ in self.loops:
            for op in _reached(place.op, functions):
                if bare(op.name) in CALLBACKS or calls_python(op):
                    what = f"{op.name} calls the host in each trip of {place.path}"
                    return _at(self.places.of.get(id(op), place), name, "over", "some", allowed, what)
        return Kept(name, "kept", "none", allowed)


def _or(trips: int | None, other: int) -> int:
    return other if trips is None or trips < 0 else trips


def _is_leaf(place: Place) -> bool:
    """Whether an op counts by itself: structure counts what is inside, and a fusion counts as a whole."""
    if any(up.op.name == "fusion" for up in place.around()):
        return False
    return place.op.name == "fusion" or not isinstance(view(place.op), (LoopView, BranchView, CallView))


def _reached(op: Op, functions: dict[str, Region]) -> Iterator[Op]:
    """All ops that run inside of an op."""
    seen: set[int] = set()
    stack = list(op.regions)
    while stack:
        region = stack.pop()
        if id(region) in seen:
            continue
        seen.add(id(region))
        for inner in region.ops:
            yield inner
            stack += [*inner.regions, *(functions[n] for n in symbols(inner.attributes) if n in functions)]


def _at(place: Place | None, limit: str, state: str, measured: str, allowed: str, what: str) -> Kept:
    where = None if place is None else place.location
    path = "" if place is None else place.path
    if where is None:
        return Kept(limit, state, measured, allowed, what, path)
    return Kept(limit, state, measured, allowed, what, path, where.file, where.line, code(where.file, where.line))


def _size(places: Places, name: str, allowed: int) -> Kept:
    measured, most = dict(places.program.sizes).get(SIZES[name]), f"at most {allowed:,}"
    if measured is None:
        return Kept(name, "unknown", "not known", most, f"nobody says how many {name} the program takes, as of a file")
    what = f"{measured:,} {name}, {most} allowed"
    return Kept(name, "over" if measured > allowed else "kept", f"{measured:,}", most, what)


def _dtype(places: Places, name: str) -> Kept:
    limit = f"forbid-dtypes {name}"
    found = [place for place in places.all if any(_has(value.type, name) for value in place.op.results)]
    params = [v for f in places.program.module.functions for v in f.body.params if _has(v.type, name)]
    if not found and not params:
        return Kept(limit, "kept", "none", "none")
    # An op that makes the type, rather than one that hands it on.
    first = min(found, key=lambda p: any(_has(v.type, name) for v in p.op.operands), default=None)
    what = f"{len(found):,} ops make values of type {name}" if found else f"an argument has type {name}"
    return _at(
        first, limit, "over", f"{len(found):,} ops", "none", what + ("" if first is None else f": {first.op.name}")
    )


def _has(type: Type, name: str) -> bool:
    stack = [type]
    while stack:
        current = stack.pop()
        if isinstance(current, TupleType):
            stack.extend(current.elements)
        elif isinstance(current, TensorType) and current.dtype == name:
            return True
    return False


def _op(places: Places, name: str) -> Kept:
    limit = f"forbid-ops {name}"
    found = [place for place in places.all if place.op.name == name]
    if not found:
        return Kept(limit, "kept", "none", "none")
    what = f"the program has {len(found):,} {name}"
    return _at(found[0], limit, "over", f"{len(found):,}", "none", what)


def _constants(places: Places, allowed: int) -> Kept:
    limit, most = "max-constant-bytes", f"at most {allowed:,}"
    rows = constants(places, allowed).rows
    over = [row for row in rows if row.bytes > allowed]
    if over:
        row = over[0]
        what = f"a constant {row.type} of {row.bytes:,} bytes, {most} allowed"
        what += f"; {len(over):,} such constants in all" if len(over) > 1 else ""
        line = code(row.file, row.line)
        return Kept(limit, "over", f"{row.bytes:,}", most, what, row.path, row.file, row.line, line)
    if unsized := [row for row in rows if row.elided and row.elements and not row.bytes]:
        return Kept(limit, "unknown", "not known", most, f"nobody knows how large a constant {unsized[0].type} is")
    return Kept(limit, "kept", f"{max((row.bytes for row in rows), default=0):,}" if rows else "less", most)


def _precision(places: Places, wanted: str) -> Kept:
    """The products of f32 whose precision is lower than what is asked for, or that a library computes unseen."""
    limit = "require-dot-precision"
    unseen: Place | None = None
    for place in places.all:
        op = place.op
        if bare(op.name) in _PRODUCTS and any(_has(value.type, t) for value in op.operands for t in _INEXACT):
            found = _precision_of(op)
            if found not in PRECISIONS or PRECISIONS.index(found) < PRECISIONS.index(wanted):
                return _at(place, limit, "over", found, wanted, f"{op.name} has precision {found}, {wanted} required")
        elif op.name == "custom-call" and _LIBRARY.search(written(op.attribute("custom_call_target"))):
            unseen = unseen or place
    if unseen is not None:
        target = written(unseen.op.attribute("custom_call_target"))
        return _at(unseen, limit, "unknown", "not known", wanted, f"the precision inside of {target} is not known")
    return Kept(limit, "kept", wanted, wanted)


def _precision_of(op: Op) -> str:
    """The lowest precision of the operands, or the algorithm where that decides."""
    algorithm = written(op.attribute("algorithm")).strip('"')
    if algorithm:
        return "highest" if algorithm in _EXACT_ALGORITHMS else f"algorithm {algorithm}"
    texts = [written(op.attribute(name)).lower() for name in ("operand_precision", "precision_config", "precision")]
    words = [word for text in texts for word in _WORD.findall(text)]
    return min(words, key=lambda w: PRECISIONS.index(w) if w in PRECISIONS else -1) if words else "default"
