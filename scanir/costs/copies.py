"""Copies inside a loop: how many one trip makes, of how many bytes.

Counts the ops that do nothing but copy (XLA makes them where a value must keep two places), in the body and the
condition, through branches, regions and calls; every branch is counted. Loops inside count as one trip of theirs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from scanir.ir.conventions import WIDTHS
from scanir.ir.graph import Function, Module, Op, Region
from scanir.ir.structure import SCANS, WHILES
from scanir.ir.types import TensorType, TupleType, Type
from scanir.ir.walk import symbols
from scanir.normalize.effects import callee_order

COPIES = frozenset({"copy", "copy_p", "copy-start"})
_EIGHT_BITS = ("f8", "f4", "f6", "i1")


@dataclass(frozen=True, slots=True)
class Copies:
    """``count`` copies of ``bytes`` bytes in all (those of unknown size left out, and counted in ``unsized``).

    ``types``: how many copies of each type, the largest first. ``nested``: how many of them stand in a loop inside.
    """

    count: int = 0
    bytes: int = 0
    unsized: int = 0
    types: tuple[tuple[str, int], ...] = ()
    nested: int = 0


def size_of(type: Type) -> int | None:
    """Bytes that an array of a type takes, one element a byte below eight bits; None where that is not known."""
    if isinstance(type, TupleType):
        sizes = [size_of(element) for element in type.elements]
        return None if None in sizes else sum(size for size in sizes if size is not None)
    if not isinstance(type, TensorType):
        return None
    width = WIDTHS.get(type.dtype) or (1 if type.dtype.startswith(_EIGHT_BITS) else None)
    if width is None or any(isinstance(dim, str) for dim in type.shape):
        return None
    for dim in type.shape:
        width *= int(dim)
    return width


class CopyCounts:
    """Answers `inside` for the ops of one module; each region is counted once."""

    def __init__(self, module: Module) -> None:
        order, _ = callee_order(module)
        self._functions: dict[str, tuple[Counter[Type], Counter[Type]]] = {}
        self._regions: dict[int, tuple[Counter[Type], Counter[Type]]] = {}
        self._named: Mapping[str, Function] = {function.name: function for function in order}
        for name, function in self._named.items():
            self._functions[name] = self._region(function.body)

    def inside(self, op: Op) -> Copies:
        """The copies in all regions of an op."""
        direct: Counter[Type] = Counter()
        nested: Counter[Type] = Counter()
        for region in op.regions:
            own, inner = self._region(region)
            direct += own
            nested += inner
        total = direct + nested
        sizes = {type: size_of(type) for type in total}
        ordered = sorted(total, key=lambda type: (-(sizes[type] or 0), str(type)))
        types: dict[str, int] = {}
        for type in ordered:
            types[str(type)] = types.get(str(type), 0) + total[type]
        return Copies(
            total.total(),
            sum((sizes[type] or 0) * count for type, count in total.items()),
            sum(count for type, count in total.items() if sizes[type] is None),
            tuple(types.items()),
            nested.total(),
        )

    def _region(self, region: Region) -> tuple[Counter[Type], Counter[Type]]:
        """Copies of a region by type: outside and inside of the loops in it."""
        stack = [region]
        while stack:
            current = stack[-1]
            inner = [r for op in current.ops for r in op.regions if id(r) not in self._regions]
            if inner:
                stack.extend(inner)
                continue
            stack.pop()
            self._regions[id(current)] = self._sum(current)
        return self._regions[id(region)]

    def _sum(self, region: Region) -> tuple[Counter[Type], Counter[Type]]:
        direct: Counter[Type] = Counter()
        nested: Counter[Type] = Counter()
        for op in region.ops:
            if op.name in COPIES:
                direct[op.operands[0].type if op.operands else op.results[0].type] += 1
            parts = [self._regions[id(inner)] for inner in op.regions]
            parts += [self._functions[name] for name in symbols(op.attributes) if name in self._functions]
            for own, inside in parts:
                (nested if op.name in WHILES | SCANS else direct).update(own)
                nested.update(inside)
        return direct, nested


def copies_in(module: Module, op: Op) -> Copies:
    """The copies that one trip of a loop makes."""
    return CopyCounts(module).inside(op)
