"""The type of an instruction that is written without one, from its operands.

XLA's parser allows this where the type follows. Covered are the ops whose type is that of an operand, a part of it or
a collection of operands; for all others the answer is None, and the reader asks for the type to be written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from scanir.ir.types import TOKEN, Dim, TensorType, TupleType, Type

#: The type of operand 0, whatever the others are.
_LIKE_FIRST = frozenset(
    """
    abs add and atan2 cbrt ceil copy cosine count-leading-zeros divide dynamic-update-slice erf exponential
    exponential-minus-one floor log log-plus-one logistic maximum minimum multiply negate not opt-barrier or popcnt
    power remainder reverse round-nearest-afz round-nearest-even rsqrt shift-left shift-right-arithmetic
    shift-right-logical sign sine sqrt subtract tan tanh xor while acos acosh asin asinh atan atanh cosh sinh cholesky
    add-dependency domain reduce-precision mulhi
    """.split()  # noqa: SIM905 -- words read better than a list
)
_LIKE_SECOND = frozenset({"select", "clamp", "triangular-solve"})
_PREDICATES = frozenset({"compare", "is-finite"})
_OF_CALLEE = frozenset({"call", "conditional"})
_PADDING = re.compile(r"-?\d{1,9}_-?\d{1,9}(?:_\d{1,9})?")
_FIELD = re.compile(r"(\w+)=([\w\-]+)")
_PARTS = {"c64": "f32", "c128": "f64"}


def infer(opcode: str, operands: Sequence[Type], attributes: Mapping[str, str], results: Sequence[Type]) -> Type | None:
    """The type, or None where it does not follow. ``results``: those of the computations the instruction refers to."""
    if opcode == "tuple":
        return TupleType(tuple(operands))
    if opcode in _OF_CALLEE:
        return results[0] if results else None
    if opcode in ("sort", "scatter") and results:
        sorted_operands = operands if opcode == "sort" else operands[: len(operands) // 2]
        return sorted_operands[0] if len(sorted_operands) == 1 else TupleType(tuple(sorted_operands))
    if opcode == "after-all":
        return TOKEN
    if not operands:
        return None
    first = operands[0]
    if opcode in _LIKE_FIRST:
        return _plain(first)
    if opcode in _LIKE_SECOND:
        return _plain(operands[1]) if len(operands) > 1 else None
    if opcode == "get-tuple-element":
        index = attributes.get("index", "")
        if isinstance(first, TupleType) and index.isdecimal() and int(index[:9]) < len(first.elements):
            return first.elements[int(index[:9])]
        return None
    return _array(opcode, first, operands, attributes) if isinstance(first, TensorType) else None


def _plain(type: Type) -> Type:
    """The type without a layout or memory space: what computes a value decides on those anew."""
    if not isinstance(type, TensorType):
        return type
    return TensorType(type.dtype, type.shape, tuple(extra for extra in type.extras if extra[0] == "bounds"))


def _ints(text: str) -> list[int]:
    return [int(found) for found in re.findall(r"\d{1,9}", text)]


def _array(opcode: str, first: TensorType, operands: Sequence[Type], attributes: Mapping[str, str]) -> Type | None:
    if first.extra("bounds") is not None:
        return None
    shape = first.shape
    dims = _ints(attributes.get("dimensions", ""))
    if any(dim >= len(shape) for dim in dims):
        return None
    if opcode in _PREDICATES:
        return TensorType("bool", shape)
    if opcode in ("real", "imag"):
        return TensorType(_PARTS.get(first.dtype, first.dtype), shape)
    if opcode == "complex" and first.dtype in _PARTS.values():
        return TensorType({"f32": "c64", "f64": "c128"}[first.dtype], shape)
    if opcode == "transpose" and sorted(dims) == list(range(len(shape))):
        return TensorType(first.dtype, tuple(shape[dim] for dim in dims))
    if opcode == "reduce" and len(operands) == 2:
        return TensorType(first.dtype, tuple(size for dim, size in enumerate(shape) if dim not in dims))
    if opcode == "reduce-window" and len(operands) == 2:
        return _windowed(first, attributes.get("window", ""))
    if opcode == "pad":
        return _padded(first, attributes.get("padding", ""))
    if opcode == "concatenate" and len(dims) == 1:
        return _concatenated(first, operands, dims[0])
    return None


def _concatenated(first: TensorType, operands: Sequence[Type], dim: int) -> Type | None:
    total = 0
    for operand in operands:
        size = operand.shape[dim] if isinstance(operand, TensorType) and dim < len(operand.shape) else None
        if not isinstance(size, int):
            return None
        total += size
    return TensorType(first.dtype, (*first.shape[:dim], total, *first.shape[dim + 1 :]))


def _padded(first: TensorType, padding: str) -> Type | None:
    """``low_high`` or ``low_high_interior`` for each dimension, separated by x."""
    shape: list[Dim] = []
    dims = padding.split("x")
    if len(dims) != len(first.shape):
        return None
    for size, written in zip(first.shape, dims, strict=True):
        if not isinstance(size, int) or not _PADDING.fullmatch(written):
            return None
        low, high, *interior = map(int, written.split("_"))
        shape.append(max(size + low + high + max(size - 1, 0) * (interior[0] if interior else 0), 0))
    return TensorType(first.dtype, tuple(shape))


def _windowed(first: TensorType, window: str) -> Type | None:
    """``{size=1x2 stride=1x2 pad=0_0x1_1}``; windows with other fields are not covered."""
    fields: dict[str, list[str]] = {name: value.split("x") for name, value in _FIELD.findall(window)}
    sizes = fields.get("size", [])
    strides = fields.get("stride", ["1"] * len(sizes))
    pads = fields.get("pad", ["0_0"] * len(sizes))
    usual = fields.keys() <= {"size", "stride", "pad"} and len(sizes) == len(strides) == len(pads) == len(first.shape)
    if not usual or not all(_PADDING.fullmatch(pad) for pad in pads):
        return None
    shape: list[Dim] = []
    for dim, size, stride, pad in zip(first.shape, sizes, strides, pads, strict=True):
        if not (isinstance(dim, int) and size[:9].isdecimal() and stride[:9].isdecimal() and int(stride[:9])):
            return None
        extent = dim + sum(map(int, pad.split("_"))) - int(size[:9])
        shape.append(max(extent // int(stride[:9]) + 1, 0))
    return TensorType(first.dtype, tuple(shape))
