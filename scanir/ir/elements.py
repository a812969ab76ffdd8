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
_CODES = {"f16": "<e", "f32": "<f", "f64": "<d"}
_DIGITS = {"bf16": 4, "f16": 5, "f32": 9, "f64": 17}  # as many as always suffice
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
    if dtype in _DIGITS:
        return struct.calcsize(_CODES.get(dtype, "<e")), lambda data: _float(dtype, data)
    if dtype in _COMPLEX:
        part = _COMPLEX[dtype]
        width = 4 if part == "f32" else 8
        return 2 * width, lambda data: f"({_float(part, data[:width])}, {_float(part, data[width:])})"
    return max(1, len(array.data)), lambda data: f"0x{data[:16].hex()}" + ("..." if len(data) > 16 else "")


def _float(dtype: str, data: bytes) -> str:
    digits = _DIGITS[dtype]
    value = _unpack(dtype, data)
    if value != value:
        return f"nan(0x{data[::-1].hex()})"
    for precision in range(1, digits + 1):
        shorter = float(f"{value:.{precision}g}")
        if _pack(dtype, shorter) == data:
            return repr(shorter)
    return repr(value)


def _unpack(dtype: str, data: bytes) -> float:
    if dtype == "bf16":
        return _unpack("f32", b"\0\0" + data)
    value: float = struct.unpack(_CODES[dtype], data)[0]
    return value


def _pack(dtype: str, value: float) -> bytes:
    """The nearest number of a format, ties to even."""
    try:
        if dtype != "bf16":
            return struct.pack(_CODES[dtype], value)
        bits = int.from_bytes(struct.pack("<f", value), "little")
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).to_bytes(2, "little")
    except OverflowError:  # fewer digits rounded up beyond the largest number of the format
        return b""
