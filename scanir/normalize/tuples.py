"""Tuples of terms: looked through everywhere, since packing says nothing about values."""

from __future__ import annotations

from collections.abc import Iterator

from scanir.ir.graph import Op
from scanir.ir.types import TupleType, Type
from scanir.normalize.classes import attribute_class
from scanir.normalize.values import Table

_PACK = frozenset({"tuple", "stablehlo.tuple"})
_ELEMENT = frozenset({"get-tuple-element", "stablehlo.get_tuple_element"})
#: Ops that pack or unpack.
PACKING = _PACK | _ELEMENT


def packs(dialect: str, op: Op) -> bool:
    """Whether an op does nothing but pack or unpack: no attribute besides the index belongs to what it means."""
    return all(name == "index" or attribute_class(dialect, op, name) for name, _ in op.attributes)


class Tuples:
    """Packs and unpacks terms of one table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def results(self, op: Op, operands: tuple[int, ...], types: tuple[Type, ...]) -> tuple[int, ...]:
        """The result of an op that packs or unpacks; empty for any other op."""
        if op.name in _PACK:
            return (self.pack(types[0], operands),)
        if op.name in _ELEMENT:
            index = op.attribute("index")
            return (self.element(operands[0], getattr(index, "value", -1)),)
        return ()

    def pack(self, type: Type, elements: tuple[int, ...]) -> int:
        """A tuple; all elements of one tuple in order are that tuple."""
        table = self._table
        if elements and table.kind(elements[0]) == "proj" and table.payload(elements[0]) == 0:
            whole = table.children(elements[0])[0]
            same = all(table.keys[e] == ("proj", k, (whole,)) for k, e in enumerate(elements))
            if same and table.kind(whole) == "op" and table.payload(whole)[2] == (type,):
                return whole
        return table.intern("tuple", type, elements)

    def element(self, term: int, index: int) -> int:
        """Element ``index`` of a tuple."""
        if self._table.kind(term) == "tuple" and 0 <= index < len(self._table.children(term)):
            return self._table.children(term)[index]
        return self._table.intern("proj", index, (term,))

    def unpack(self, term: int, type: Type) -> list[tuple[int, Type]]:
        """The leaves of a tuple (of tuples), in order, with their types; what is no tuple is its own leaf."""
        stack: list[tuple[int, Type]] = [(term, type)]
        leaves: list[tuple[int, Type]] = []
        while stack:
            current, kind = stack.pop()
            if isinstance(kind, TupleType):
                stack.extend((self.element(current, k), kind.elements[k]) for k in reversed(range(len(kind.elements))))
            else:
                leaves.append((current, kind))
        return leaves

    def repack(self, leaves: Iterator[int], type: Type) -> int:
        """The inverse of `unpack`: takes as many leaves as the type has."""
        if not isinstance(type, TupleType):
            return next(leaves)
        return self.pack(type, tuple([self.repack(leaves, element) for element in type.elements]))
