"""Costs of the regions of a module, counted from its ops: work, bytes, copies, calls of the host.

A loop costs its body as often as it runs; one whose trip count is dynamic counts once, and the total says so. Of a
branch the costliest side counts. Bytes are what ops read and write, those inside of a fusion not: before fusion the
number is an upper bound. Formulas: `scanir.costs.operations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from scanir.cost import Cost
from scanir.costs.copies import COPIES, size_of
from scanir.costs.operations import CALLBACKS, COLLECTIVES, FREE, bare, own_flops
from scanir.ir.attrs import Symbol
from scanir.ir.graph import Function, Module, Op, Region
from scanir.ir.structure import BranchView, CallView, LoopView, view
from scanir.ir.walk import symbols
from scanir.normalize.effects import calls_python


@dataclass(slots=True)
class Costs:
    """Costs of the regions of one module, each worked out once, callees before callers.

    ``trips``: how often each loop runs, by the id of its op; None or absent where that is not known. ``bound``: of a
    branch not the costliest side counts, but the most that any side has of each; what counts as written is added up.
    """

    module: Module
    trips: Mapping[int, int | None]
    bound: bool = False
    _regions: dict[int, Cost] = field(default_factory=dict)
    _functions: dict[str, Function] = field(default_factory=dict)
    _inside: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._functions = {function.name: function for function in self.module.functions}

    def function(self, name: str) -> Cost:
        return self._region(self._functions[name].body)

    def trip(self, op: Op) -> Cost:
        return sum((self._region(region) for region in op.regions), Cost())

    def op(self, op: Op) -> Cost:
        """The cost of an op of a region whose cost was asked for, run once."""
        return self._op(op)

    def loop_ops(self) -> int:
        """Ops inside of loops, each once however deep it is, calls included."""
        inside: set[int] = set()
        stack = [r for f in self.module.functions for op in _ops(f.body) if _is_loop(op) for r in op.regions]
        while stack:
            region = stack.pop()
            if id(region) in inside:
                continue
            inside.add(id(region))
            stack += self._below(region)
        regions = {id(region): region for f in self.module.functions for region in _all(f.body)}
        return sum(_counts(op) for key in inside if key in regions for op in regions[key].ops)

    def _below(self, region: Region) -> list[Region]:
        """The regions that this one runs."""
        found = [inner for op in region.ops for inner in op.regions]
        names = [name for op in region.ops for name in symbols(op.attributes)]
        return found + [self._functions[name].body for name in names if name in self._functions]

    def _region(self, region: Region) -> Cost:
        open_: set[int] = set()
        stack = [region]
        while stack:
            current = stack[-1]
            if id(current) in self._regions:
                stack.pop()
                continue
            waiting = [inner for inner in self._below(current) if id(inner) not in self._regions]
            if waiting and id(current) not in open_:  # a cycle of calls counts once
                open_.add(id(current))
                stack += waiting
                continue
            stack.pop()
            self._regions[id(current)] = self._sum(current)
        return self._regions[id(region)]

    def _known(self, region: Region) -> Cost:
        return self._regions.get(id(region), Cost())

    def _sum(self, region: Region) -> Cost:
        total = Cost()
        for op in region.ops:
            total += self._op(op)
        return total

    def _op(self, op: Op) -> Cost:
        own = Cost(ops=int(_counts(op)))
        match view(op):
            case LoopView():
                trips = self.trips.get(id(op))
                once = sum((self._known(region) for region in op.regions), Cost())
                return own + (once.times(trips) if trips is not None else once + Cost(dynamic=True))
            case BranchView():
                sides = [self._known(region) for region in op.regions]
                return own + (_most(sides) if self.bound else max(sides, key=_weight, default=Cost()))
            case CallView(callee=callee) if callee in self._functions:
                inside = self._known(self._functions[callee].body)
                return own + (_fused(op, inside) if op.name == "fusion" else inside)
            case _:
                return own + self._plain(op)

    def _plain(self, op: Op) -> Cost:
        regions = [self._known(region) for region in op.regions]
        regions += [self._known(self._functions[n].body) for n in _called(op) if n in self._functions]
        inside = sum(cost.flops + cost.transcendentals for cost in regions)
        name = bare(op.name)
        callback = name in CALLBACKS or calls_python(op)
        flops = (0, 0) if callback else own_flops(op, inside)
        through = flops is None and regions
        work = sum(regions, Cost()) if through or name in FREE else Cost()
        moved = 0 if name in FREE or through else _bytes(op)
        copied = op.name in COPIES
        return work + Cost(
            ops=0,
            flops=0 if flops is None else flops[0],
            transcendentals=0 if flops is None else flops[1],
            bytes=moved,
            copies=int(copied),
            copied_bytes=(size_of(op.operands[0].type) or 0) if copied and op.operands else 0,
            collectives=int(name in COLLECTIVES and not name.endswith("-done")),  # its -start counts
            callbacks=int(callback),
            uncounted=((op.name, 1),) if flops is None and not through else (),
        )


def _fused(op: Op, inside: Cost) -> Cost:
    """A fusion keeps its inner values to itself: it reads its operands and writes its results."""
    return Cost(
        inside.ops,
        inside.flops,
        inside.transcendentals,
        _bytes(op),
        inside.copies,
        inside.copied_bytes,
        inside.fusions + 1,
        inside.collectives,
        inside.callbacks,
        inside.uncounted,
        inside.dynamic,
    )


def _most(sides: list[Cost]) -> Cost:
    """No side of a branch has more of anything."""
    return replace(
        sum(sides, Cost()),
        flops=max((side.flops for side in sides), default=0),
        transcendentals=max((side.transcendentals for side in sides), default=0),
        bytes=max((side.bytes for side in sides), default=0),
        copies=max((side.copies for side in sides), default=0),
        copied_bytes=max((side.copied_bytes for side in sides), default=0),
        collectives=max((side.collectives for side in sides), default=0),
        callbacks=max((side.callbacks for side in sides), default=0),
    )


def _called(op: Op) -> list[str]:
    return [attr.name for _, attr in op.attributes if isinstance(attr, Symbol)]


def _weight(cost: Cost) -> tuple[int, int]:
    return cost.flops + cost.transcendentals, cost.bytes


def _counts(op: Op) -> bool:
    """Whether an op is one that a person would count: not a constant, a parameter or packing."""
    return bare(op.name) not in ("constant", "parameter", "tuple", "get-tuple-element", "get_tuple_element")


def _is_loop(op: Op) -> bool:
    return isinstance(view(op), LoopView)


def _bytes(op: Op) -> int:
    return sum(size_of(value.type) or 0 for value in (*op.operands, *op.results))


def _all(region: Region) -> list[Region]:
    found, stack = [], [region]
    while stack:
        found.append(stack.pop())
        stack += [inner for op in found[-1].ops for inner in op.regions]
    return found


def _ops(region: Region) -> list[Op]:
    return [op for inner in _all(region) for op in inner.ops]
