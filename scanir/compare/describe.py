"""Terms in a person's words: the name of an argument, the digits of a constant, the op that computed a value."""

from __future__ import annotations

import struct

from scanir.ir.attrs import Array
from scanir.ir.types import Type
from scanir.normalize.identities import result_type
from scanir.normalize.values import Table
from scanir.program import Argument

_FORMATS = {"f32": "<f", "f64": "<d", "f16": "<e"}


def constant_text(value: object) -> str:
    """Short text of a constant: its digits if it is one number, else its type and first elements."""
    if not isinstance(value, Array):
        return "a constant that is not shown"
    if not value.shape or value.splat:
        number = _number(value.dtype, value.data)
        return number if not value.shape else f"{number} everywhere in {value.dtype}[{','.join(map(str, value.shape))}]"
    width = len(value.data) // max(1, _count(value))
    first = [
        _number(value.dtype, value.data[k : k + width]) for k in range(0, min(4, _count(value)) * width, max(1, width))
    ]
    return (
        f"{value.dtype}[{','.join(map(str, value.shape))}] of {', '.join(first)}{', ...' if _count(value) > 4 else ''}"
    )


def _count(value: Array) -> int:
    count = 1
    for dim in value.shape:
        count *= int(dim)
    return count


def _number(dtype: str, data: bytes) -> str:
    if dtype in _FORMATS and len(data) == struct.calcsize(_FORMATS[dtype]):
        return shortest(struct.unpack(_FORMATS[dtype], data)[0], dtype)
    if dtype == "bf16" and len(data) == 2:
        return shortest(struct.unpack("<f", b"\0\0" + data)[0], "bf16")
    if dtype == "bool":
        return "true" if any(data) else "false"
    if dtype.lstrip("ui").isdigit() and dtype[0] in "iu":
        return str(int.from_bytes(data, "little", signed=dtype[0] == "i"))
    return f"{dtype} 0x{data[::-1].hex()}"


def shortest(number: float, dtype: str) -> str:
    """The fewest digits that read back as the same number of that type."""
    if number != number or dtype == "f64":
        return repr(number)
    pack = _FORMATS.get(dtype, "<f")
    for digits in range(1, 18):
        text = f"{number:.{digits}g}"
        if _round(float(text), dtype, pack) == _round(number, dtype, pack):
            return repr(float(text))
    return repr(number)


def _round(number: float, dtype: str, pack: str) -> bytes:
    try:
        data = struct.pack(pack, number)
    except OverflowError:
        return b"overflow"
    return data[2:] if dtype == "bf16" else data


class Describer:
    """Describes canonical terms of one side. ``arguments[k]``: the argument that has number k in the pairing."""

    def __init__(self, table: Table, arguments: dict[int, Argument]) -> None:
        self._table = table
        self._arguments = arguments

    def type(self, term: int) -> str:
        kind, payload, _ = self._table.keys[term]
        if kind == "in" and payload[0] in self._arguments:
            return str(self._arguments[payload[0]].type)
        return str(result_type(self._table, term) or "")

    def value(self, term: int) -> str:
        """A short name: ``dtau``, ``0.01``, ``mul(..) f32[3]``."""
        kind, payload, children = self._table.keys[term]
        match kind:
            case "in":
                argument = self._arguments.get(payload[0])
                return argument.name if argument is not None else "the token"
            case "const":
                return constant_text(payload[0])
            case "op":
                return f"{payload[0]} -> {', '.join(map(str, payload[2]))}"
            case "proj":
                return (
                    self.value(children[0]) if payload == "token" else f"result {payload} of {self.value(children[0])}"
                )
            case "res":
                return f"slot {payload} of a loop" if payload != "trip" else "the trip count of a loop"
            case "ys":
                return f"stacked values {payload[1]} of a loop"
            case "slot":
                return f"a carried {payload[2]}" if payload[1] != "trip" else "the trip number"
            case "item":
                return f"an element {payload[1]} of {self.value(children[0])}"
            case "bound":
                return f"parameter {payload[1]} of a region"
            case "loop":
                return f"a {payload[1][0]} loop"
            case "sel":
                return f"a {payload[0]}"
            case "call":
                return f"a call ({payload[0]})"
            case "leaf" | "elem":
                return f"a loop value {_type_text(payload[2])}"
            case _:
                return kind


def _type_text(type: Type) -> str:
    return str(type)
