"""IDENTICAL: one bijection of all ops of both modules, dead ones too; names, places and printing order aside.

The certificate gives for each pair of closed regions (functions, and in HLO computations) the number of b's op for
each op of a. Constants are values: they have no number (-1) and are compared where they are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scanir.checker.certificate import StageRecord
from scanir.checker.effects import Effects
from scanir.checker.interface import attributes, facts, unreachable
from scanir.checker.keys import NOTHING, Keys
from scanir.checker.verdict import Rejected
from scanir.ir.attrs import Bool
from scanir.ir.graph import Module, Op, Region, Value
from scanir.ir.walk import symbols
from scanir.program import Program


def identical(record: StageRecord, a: Program, b: Program) -> None:
    """Raises Rejected unless the modules are the same graph."""
    if any(True for _ in attributes(a, b, record)) or a.interface.kept != b.interface.kept:
        raise Rejected("O13", "the interfaces of identical programs differ")
    if len(a.interface.arguments) != len(b.interface.arguments) or record.classes or record.rules:
        raise Rejected("O13", "identical programs need no rules and no classes")
    Bijection(record.bijection, a.module, b.module, settled=bool(record.host)).check()


def ops_in(region: Region, *, nested: bool) -> list[tuple[Op, Region]]:
    """The ops of a closed region in reading order, each with the region that it stands in."""
    found: list[tuple[Op, Region]] = []
    stack = [region]
    while stack:
        current = stack.pop()
        for op in current.ops:
            found.append((op, current))
            if nested:
                stack.extend(op.regions)
    return found


class Bijection:
    """The check of one pair of modules; `array` says where the numbers of a pair of regions come from."""

    def __init__(self, arrays: Sequence[Sequence[int]], a: Module, b: Module, *, settled: bool = False) -> None:
        self._arrays, self._modules = arrays, (a, b)
        self._keys = Keys(a.dialect, NOTHING, settled=settled)
        self._hlo = a.dialect == "hlo"
        self._effects = (Effects(a), Effects(b))
        scheduled = ("is_scheduled", Bool(True))
        self._ordered = not self._hlo or (scheduled in a.attributes and scheduled in b.attributes)
        self._met: set[tuple[int, int]] = set()
        self._queue: list[tuple[Region, Region]] = []
        self._results: list[tuple[Region, Region]] = []

    def check(self) -> None:
        a, b = self._modules
        self._functions([a.entry], [b.entry])
        left, right = unreachable(a), unreachable(b)
        self._functions([f.name for f in left], [f.name for f in right])
        for used, (x, y) in enumerate(self._queue):  # grows
            self._pair(x, y, self.array(used, x, y))
        if len(self._arrays) > len(self._queue):
            raise Rejected("O13", "a bijection of functions that do not correspond")

    def array(self, used: int, x: Region, y: Region) -> Sequence[int]:
        if used >= len(self._arrays):
            raise Rejected("O13", "a pair of functions has no bijection")
        return self._arrays[used]

    def _functions(self, left: Sequence[str], right: Sequence[str]) -> None:
        if len(left) != len(right):
            raise Rejected("O13", "unlike numbers of functions")
        for x, y in zip(left, right, strict=True):
            f, g = self._modules[0].function(x), self._modules[1].function(y)
            if facts(f) != facts(g):
                raise Rejected("O13", f"functions {x} and {y} say different things")
            self._closed(f.body, g.body)

    def _closed(self, a: Region, b: Region) -> None:
        if (id(a), id(b)) not in self._met:
            self._met.add((id(a), id(b)))
            self._queue.append((a, b))

    def _pair(self, a: Region, b: Region, array: Sequence[int]) -> None:
        left, right = (ops_in(region, nested=not self._hlo) for region in (a, b))
        if len(array) != len(left):
            raise Rejected("O13", "a bijection of another length than the function")
        values: dict[Value, Value] = {}
        constants: dict[Value, Op] = {r: op for op, _ in (*left, *right) if op.name == "constant" for r in op.results}
        regions: dict[int, Region] = {}
        self._results = []
        self._regions(a, b, regions, values)
        hit: set[int] = set()
        last: dict[int, int] = {}
        for (op, home), number in zip(left, array, strict=True):
            if op.name == "constant":
                if number != -1:
                    raise Rejected("O13", "a constant has no number")
                continue
            if not 0 <= number < len(right) or number in hit:
                raise Rejected("O13", f"{op.name} has no op of its own on the other side")
            hit.add(number)
            other, there = right[number]
            if regions.get(id(home)) is not there:
                raise Rejected("O13", f"{op.name} stands in another region than its counterpart")
            self._ops(op, other, regions, values)
            if self._ordered and (self._hlo or self._effects[0].op(op)):
                if last.get(id(home), -1) > number:
                    raise Rejected("O13", f"{op.name} and what is before it are in another order")
                last[id(home)] = number
        if len(hit) != sum(op.name != "constant" for op, _ in right):
            raise Rejected("O13", "an op of b has no counterpart")
        for (op, _), number in zip(left, array, strict=True):
            if number != -1:
                other = right[number][0]
                self._values(op.operands, other.operands, values, constants)
                self._values(op.control, other.control, values, constants)
        for x, y in self._results:
            self._values(x.results, y.results, values, constants)

    def _regions(self, a: Region, b: Region, regions: dict[int, Region], values: dict[Value, Value]) -> None:
        if len(a.params) != len(b.params):
            raise Rejected("O13", "regions of unlike numbers of parameters")
        regions[id(a)] = b
        self._results.append((a, b))
        for x, y in zip(a.params, b.params, strict=True):
            if x.type != y.type:
                raise Rejected("O13", "parameters of unlike types")
            values[x] = y

    def _ops(self, a: Op, b: Op, regions: dict[int, Region], values: dict[Value, Value]) -> None:
        same = self._keys.ops(a, b) == NOTHING and all(
            x.type == y.type for x, y in zip(a.results, b.results, strict=True)
        )
        if not same or len(a.control) != len(b.control):
            raise Rejected("O13", f"{a.name} is another op than its counterpart")
        self._functions(list(symbols(a.attributes)), list(symbols(b.attributes)))
        values.update(zip(a.results, b.results, strict=True))
        for x, y in zip(a.regions, b.regions, strict=True):
            if self._hlo:
                self._closed(x, y)
            else:
                self._regions(x, y, regions, values)

    def _values(
        self, a: Sequence[Value], b: Sequence[Value], values: dict[Value, Value], constants: dict[Value, Any]
    ) -> None:
        if len(a) != len(b):
            raise Rejected("O13", "unlike numbers of operands or results")
        for x, y in zip(a, b, strict=True):
            if x in constants or y in constants:
                if x not in constants or y not in constants or not self._constant(constants[x], constants[y]):
                    raise Rejected("O13", "a constant differs")
            elif values.get(x) is not y:
                raise Rejected("O13", "an operand or result does not correspond")

    def _constant(self, x: Op, y: Op) -> bool:
        return self._keys.ops(x, y) == NOTHING
