"""Syntactic liveness, for the one effect that may be dropped: a pure_callback none of whose results is used.

One backward marking over values, through loops slot by slot: a result of a loop keeps one slot alive, not all operands,
and a slot's own update is no use of it.
"""

from __future__ import annotations

from scanir.ir.graph import Module, Op, Region, Value
from scanir.ir.structure import LoopView, view
from scanir.ir.summary import summaries
from scanir.ir.walk import ops_of

DROPPABLE = "pure_callback"


def dead_callbacks(module: Module) -> frozenset[int]:
    """``id`` of each pure_callback whose results nothing live uses; calls of functions keep all their operands
    alive."""
    if DROPPABLE not in summaries(module).names:
        return frozenset()
    ops = [op for function in module.functions for op in ops_of(function.body)]
    droppable = [op for op in ops if op.name == DROPPABLE]
    marking = _Marking(ops)
    for function in module.functions:
        marking.need(function.body.results)
    marking.need([operand for op in ops if _rooted(op, marking) for operand in op.operands])
    marking.run()
    return frozenset(id(op) for op in droppable if not any(result in marking.live for result in op.results))


def _rooted(op: Op, marking: _Marking) -> bool:
    """Ops whose operands are needed whoever reads their results: everything with an effect of its own."""
    return op.attribute("effects") is not None and op.name != DROPPABLE and view(op) is None


class _Marking:
    def __init__(self, ops: list[Op]) -> None:
        self.live: set[Value] = set()
        self._stack: list[Value] = []
        self._sources: dict[Value, tuple[Op, int]] = {r: (op, k) for op in ops for k, r in enumerate(op.results)}
        self._slots: dict[Value, tuple[Op, LoopView, int]] = {}
        for op in ops:
            loop = view(op)
            if isinstance(loop, LoopView):
                for region in (loop.body, loop.condition):
                    for k, param in enumerate(region.params if region is not None else ()):
                        self._slots[param] = (op, loop, k)
        self._done: set[int] = set()

    def need(self, values: tuple[Value, ...] | list[Value]) -> None:
        for value in values:
            if value not in self.live:
                self.live.add(value)
                self._stack.append(value)

    def run(self) -> None:
        while self._stack:
            value = self._stack.pop()
            if value in self._slots:
                self._slot(*self._slots[value])
            elif value in self._sources:
                op, k = self._sources[value]
                loop = view(op)
                if isinstance(loop, LoopView):
                    self._slot(op, loop, k)
                else:
                    self.need(op.operands)
                    for region in op.regions:
                        self._whole(region)

    def _slot(self, op: Op, loop: LoopView, k: int) -> None:
        carries = len(loop.inits)
        if loop.condition is not None:
            self._whole(loop.condition)
        if k < carries:
            self.need((loop.inits[k], loop.body.results[k]))
        elif k < len(loop.body.params):
            self.need((loop.xs[k - carries],))
        if k >= carries and k < len(loop.body.results):
            self.need((loop.body.results[k],))

    def _whole(self, region: Region) -> None:
        self.need(region.results)
