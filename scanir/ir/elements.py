"""Elements of an `Array` as a person would write them. For display only: no comparison reads these.

Shows each float with the fewest digits that give its bits back. Refuses nothing: a dtype it does not know is shown as
bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from scanir.ir.attrs import Array

_INTEGERS = {"i2": "b", "i4": "b", "i8": "b", "i16": "h", "i32": "i", "i64": "q"} | {
    "u2": "B", "u4": "B", "u8": "B", "u16": "H", "u32": "I", "u64": "Q"
}  # fmt: skip
_FLOATS = {"f16": ("e", 5), "f32": ("f", 9), "f64": ("d", 17)}  # format and digits that always suffice
_COMPLEX = {"c64": "f32", "c128": "f64"}


def elements(array: Array, limit: int = 8) -> tuple[str, ...]:
    """The first elements (one for a splat), at most ``limit``."""
    width, show = _reader(array)
    count = min(len(array.data) // width, limit)
    return tuple(show(array.data[width * k : width * (k + 1)]) for k in range(count))


def _reader(array: Array) -> tuple[int, Callable[[bytes], str]]:
    dtype = array.dtype
    if dtype == "bool":
        return 1, lambda data: "true" if data != b"\0" else "false"
    if dtype in _INTEGERS:
        code = "<" + _INTEGERS[dtype]
        return struct.calcsize(code), lambda data: str(struct.unpack(code, data)[0])
    if dtype in _FLOATS or dtype == "bf16":
        width = 2 if dtype == "bf16" else struct.calcsize(_FLOATS[dtype][0])
        return width, lambda data: _float(dtype, data)
    if dtype in _COMPLEX:
        part = _COMPLEX[dtype]
        width = 4 if part == "f32" else 8
        return 2 * width, lambda data: f"({_float(part, data[:width])}, {_float(part, data[width:])})"
    return max(1, len(array.data)), lambda data: f"0x{data[:16].hex()}" + ("..." if len(data) > 16 else "")


def _float(dtype: str, data: bytes) -> str:
    if dtype == "bf16":
        dtype, data, same = "f32", b"\0\0" + data, slice(2, 4)
    else:
        same = slice(None)
    code, digits = _FLOATS[dtype]
    value: float = struct.unpack("<" + code, data)[0]
    if value != value:
        return f"nan(0x{data[::-1].hex()})"
    if value in (float("inf"), float("-inf")):
        return str(value)
    for precision in range(1, digits):
        text = f"{value:.{precision}g}"
        if _pack(code, float(text))[same] == data[same]:
            return text
    return f"{value:.{digits}g}"


def _pack(code: str, value: float) -> bytes:
    try:
        return struct.pack("<" + code, value)
    except OverflowError:  # fewer digits rounded up beyond the largest number of the format
        return b""
