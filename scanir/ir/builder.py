"""A builder of regions: the one way readers and tests make ops."""

from __future__ import annotations

from collections.abc import Sequence

from scanir.ir.attrs import Attr, attributes
from scanir.ir.graph import Location, Op, Region, Value
from scanir.ir.types import Type


class RegionBuilder:
    """Collects the ops of one region, in order. Nested regions have builders of their own."""

    def __init__(self, params: Sequence[Value] = ()) -> None:
        self.params: list[Value] = list(params)
        self.ops: list[Op] = []

    def param(self, type: Type, name: str = "") -> Value:
        value = Value(type, name)
        self.params.append(value)
        return value

    def op(
        self,
        name: str,
        operands: Sequence[Value] = (),
        types: Sequence[Type] = (),
        attrs: dict[str, Attr] | None = None,
        regions: Sequence[Region] = (),
        *,
        control: Sequence[Value] = (),
        location: Location | None = None,
        names: Sequence[str] = (),
    ) -> tuple[Value, ...]:
        """Append an op and return its results (one Value a type)."""
        if names:
            results = tuple([Value(type, label) for type, label in zip(types, names, strict=True)])
        else:
            results = tuple([Value(type) for type in types])
        self.ops.append(
            Op(name, tuple(operands), results, attributes(attrs or {}), tuple(regions), tuple(control), location)
        )
        return results

    def region(self, results: Sequence[Value]) -> Region:
        return Region(tuple(self.params), tuple(self.ops), tuple(results))
