"""Full values of constants from a serialized HLO module, by instruction name.

Text of large constants is slow to print and to read (100 MB of weights are 322 MB of text), so module text is printed
with them elided and their values come from here. Reads ``HloModuleProto`` (field numbers of xla/service/hlo.proto and
xla/xla_data.proto), without a protobuf library. A name that two constants of unlike value share is left out, and so
stays elided.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scanir.errors import ReadError
from scanir.ir.attrs import Array, array
from scanir.readers.hlo.dtypes import INTEGERS, element_bits, element_bytes
from scanir.readers.hlo.wire import BYTES, VARINT, fields, packed_varints

if TYPE_CHECKING:
    import numpy as np

#: PrimitiveType of xla_data.proto -> element type; and the field of LiteralProto that holds its elements.
_ELEMENTS = {
    1: ("bool", 2), 2: ("i8", 15), 3: ("i16", 17), 4: ("i32", 4), 5: ("i64", 5), 6: ("u8", 3), 7: ("u16", 16), 8:
    ("u32", 6), 9: ("u64", 7), 10: ("f16", 11), 11: ("f32", 8), 12: ("f64", 9), 15: ("c64", 12), 16: ("bf16", 13), 18:
    ("c128", 18), 19: ("f8e5m2", 19), 20: ("f8e4m3fn", 20), 21: ("i4", 21), 22: ("u4", 22), 23: ("f8e4m3b11fnuz", 23),
    24: ("f8e5m2fnuz", 24), 25: ("f8e4m3fnuz", 25), 26: ("i2", 26), 27: ("u2", 27), 28: ("f8e4m3", 28), 29: ("f8e3m4",
    29), 30: ("i1", 30), 31: ("u1", 31), 32: ("f4e2m1fn", 32), 33: ("f8e8m0fnu", 33),
}  # fmt: skip
_PACKED_NUMBERS = frozenset({"bool", "i32", "i64", "u32", "u64"})
_COMPUTATIONS, _INSTRUCTIONS, _NAME, _OPCODE, _LITERAL = 3, 2, 1, 2, 8


@dataclass(slots=True)
class _Shape:
    element: int = 0
    dims: list[int] = field(default_factory=list)
    order: list[int] = field(default_factory=list)


def read_hlo_proto_literals(serialized: bytes) -> dict[str, Array]:
    """The value of each array constant of a serialized HloModuleProto, by the name of its instruction."""
    found: dict[str, Array] = {}
    unlike: set[str] = set()
    for computation in _messages(memoryview(serialized), _COMPUTATIONS):
        for instruction in _messages(computation, _INSTRUCTIONS):
            name, literal = _constant(instruction)
            value = _literal(literal, name) if literal is not None else None
            if value is None:
                continue
            if name in found and found[name] != value:
                unlike.add(name)
            found[name] = value
    return {name: value for name, value in found.items() if name not in unlike}


def _messages(data: memoryview, number: int) -> list[memoryview]:
    return [value for found, _, value in fields(data) if found == number and isinstance(value, memoryview)]


def _text(value: memoryview) -> str:
    return bytes(value).decode("utf-8", "replace")


def _constant(instruction: memoryview) -> tuple[str, memoryview | None]:
    name = opcode = ""
    literal: memoryview | None = None
    for number, _, value in fields(instruction):
        if isinstance(value, memoryview):
            if number == _NAME:
                name = _text(value)
            elif number == _OPCODE:
                opcode = _text(value)
            elif number == _LITERAL:
                literal = value
    return name, literal if opcode == "constant" else None


def _numbers(kind: int, value: int | memoryview) -> list[int]:
    """A repeated int64, packed or not."""
    if isinstance(value, int):
        return [value]
    return packed_varints(value).astype("int64").tolist() if kind == BYTES else []


def _shape(data: memoryview) -> _Shape:
    shape = _Shape()
    for number, kind, value in fields(data):
        if number == 2 and isinstance(value, int):
            shape.element = value
        elif number == 3:
            shape.dims += _numbers(kind, value)
        elif number == 5 and isinstance(value, memoryview):
            for inner, inner_kind, order in fields(value):
                if inner == 1:
                    shape.order += _numbers(inner_kind, order)
    return shape


def _literal(data: memoryview, name: str) -> Array | None:
    """The value of an array literal; None for tuples, tokens and what is not known: those constants stay elided."""
    parts = list(fields(data))
    shapes = [value for number, _, value in parts if number == 1 and isinstance(value, memoryview)]
    shape = _shape(shapes[0]) if shapes else _Shape()
    if shape.element not in _ELEMENTS:
        return None
    dtype, holder = _ELEMENTS[shape.element]
    count = math.prod(shape.dims)
    if dtype in _PACKED_NUMBERS:
        elements = _whole(dtype, [(kind, value) for number, kind, value in parts if number == holder])
    else:
        chunks = [value for number, _, value in parts if number == holder and isinstance(value, memoryview)]
        elements = _raw(dtype, chunks[0] if len(chunks) == 1 else memoryview(b"".join(chunks)))
    if len(elements) < count and element_bits(dtype) < 8:
        return None  # several elements in a byte, in an order that this version of XLA does not use
    if len(elements) != count:
        raise ReadError(f"constant '{name}' has {len(elements)} elements where its shape has {count}",
                        hint="the serialized module is cut or not one of XLA's")  # fmt: skip
    return array(dtype, tuple(shape.dims), _row_major(elements, shape))


def _whole(dtype: str, parts: list[tuple[int, int | memoryview]]) -> np.ndarray[Any, Any]:
    """Numbers written as varints."""
    import numpy as np

    decoded = [
        packed_varints(value) if isinstance(value, memoryview) else np.array([value], dtype=np.uint64)
        for kind, value in parts
        if kind in (BYTES, VARINT)
    ]
    numbers = np.concatenate(decoded) if decoded else np.empty(0, np.uint64)
    if dtype == "bool":
        truth: np.ndarray[Any, Any] = (numbers != 0).astype(np.uint8)
        return truth
    return numbers.astype(INTEGERS[dtype].numpy)  # modulo 2^n: a negative int32 is written with 64 bits


def _raw(dtype: str, data: memoryview) -> np.ndarray[Any, Any]:
    """Elements that stand as bytes. Those below a byte take one byte each, of which the low bits count."""
    import numpy as np

    if element_bits(dtype) < 8:
        shift = 8 - element_bits(dtype)
        signed = dtype in INTEGERS and INTEGERS[dtype].signed
        raw = np.frombuffer(data, dtype=np.uint8) << shift
        low: np.ndarray[Any, Any] = (raw.view(np.int8) if signed else raw) >> shift
        return low
    width = element_bytes(dtype) or 1
    whole: np.ndarray[Any, Any] = np.frombuffer(data[: len(data) - len(data) % width], dtype=np.dtype(f"V{width}"))
    return whole


def _row_major(elements: np.ndarray[Any, Any], shape: _Shape) -> bytes:
    """Literals are written in the order of their layout; constants are compared in row-major order."""
    import numpy as np

    rank = len(shape.dims)
    order = shape.order
    if len(order) != rank or order == list(range(rank - 1, -1, -1)) or sorted(order) != list(range(rank)):
        return elements.tobytes()
    major = order[::-1]
    stored = elements.reshape([shape.dims[dim] for dim in major])
    return np.ascontiguousarray(stored.transpose(np.argsort(major))).tobytes()
