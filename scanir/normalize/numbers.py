"""Integers inside terms: constants, steps and affine functions of the trip number, modulo 2^n."""

from __future__ import annotations

from scanir.ir.attrs import Array, Int
from scanir.ir.types import TensorType, Type
from scanir.normalize.values import Table

#: Addition and subtraction in the three dialects.
ADD = frozenset({"add", "stablehlo.add"})
SUB = frozenset({"sub", "subtract", "stablehlo.subtract"})


def bits_of(type: Type) -> tuple[int, bool] | None:
    """(width, signed) of a scalar integer type, else None."""
    if not isinstance(type, TensorType) or type.shape:
        return None
    for prefix, signed in (("i", True), ("u", False), ("ui", False)):
        width = type.dtype.removeprefix(prefix)
        if type.dtype.startswith(prefix) and width.isdigit():
            return int(width), signed
    return None


def constant_int(table: Table, term: int) -> int | None:
    """The value of a scalar integer constant, as its type reads the bits."""
    if table.kind(term) != "const":
        return None
    value, type = table.payload(term)
    kind = bits_of(type)
    if kind is None or not isinstance(value, Array):
        return None
    return wrap(int.from_bytes(value.data, "little"), *kind)


def wrap(value: int, width: int, signed: bool) -> int:
    """``value`` modulo 2^width, in the range of the type."""
    value %= 1 << width
    return value - (1 << width) if signed and value >> (width - 1) else value


def step_of(table: Table, before: int, after: int) -> int | None:
    """k where ``after`` is the op ``before + k`` with a constant k of the same integer type."""
    if table.kind(after) != "op":
        return None
    name, attrs, types, count, _ = table.payload(after)
    if count != 2 or attrs or bits_of(types[0]) is None:
        return None  # what an op says besides its operands is not lost
    left, right = table.children(after)[:2]
    if name in ADD:
        other = right if left == before else left if right == before else None
        return None if other is None else _constant_of(table, other, types[0])
    if name in SUB and left == before:
        step = _constant_of(table, right, types[0])
        return None if step is None else -step
    return None


def _constant_of(table: Table, term: int, type: Type) -> int | None:
    """The value of a constant that has the very type."""
    return constant_int(table, term) if table.kind(term) == "const" and table.payload(term)[1] == type else None


def affine(table: Table, trip: int, factor: int, offset: int, type: Type) -> int:
    """The term ``factor * trip + offset`` modulo 2^n."""
    attrs = (("factor", Int(factor)), ("offset", Int(offset)))
    return table.intern("op", ("affine", attrs, (type,), 1, ""), (trip,))
