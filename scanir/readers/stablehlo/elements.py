"""Dense constants as arrays, bit by bit.

Promises the full contents of a constant, or None where it does not know how the element type is stored: nothing is
rounded, no NaN payload or sign of zero is lost. Contents come from the buffer of the attribute where the bindings
give one, else from its text, in which MLIR writes large arrays as raw hexadecimal bytes and small ones as decimals
that stand for exactly one number of the type.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from scanir.ir.attrs import Array, array
from scanir.ir.types import TensorType

_INTEGER = re.compile(r"([iu])(\d+)$|index$")
_BLOB = re.compile(r'([\w$.-]+|"(?:[^"\\]|\\.)*"): "0x([0-9A-Fa-f]*)"')
_NUMBER = re.compile(r"0x[0-9A-Fa-f]+|-?[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?|true|false")
COMPLEX = {"c64": "f32", "c128": "f64"}
#: From this many elements on, complex numbers are not read from decimals.
MANY = 4096
#: Bytes that the bytecode of a constant may have beside its elements.
_FRAME = 65536
#: Element types for which every version of the bindings gives a buffer; asking for another may end the process.
_BUFFERED = frozenset(
    {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"}
)  # fmt: skip


def elements(attr: Any, type: TensorType) -> Array | None:
    """The contents of a dense attribute object of that type."""
    found = _from_buffer(attr, type)
    return elements_of_text(str(attr), type) if found is None else found


def _from_buffer(attr: Any, type: TensorType) -> Array | None:
    if type.dtype not in _BUFFERED:
        return None
    width = storage_width(type.dtype)
    view = np.asarray(memoryview(attr))
    if view.dtype.itemsize != width or view.shape != type.shape:
        return None
    if attr.is_splat and view.size > 1:
        return Array(type.dtype, type.shape, view[(slice(1),) * view.ndim].tobytes(), splat=True)
    return array(type.dtype, type.shape, view.tobytes())


def elements_of_text(text: str, type: TensorType) -> Array | None:
    """The contents of ``dense<...> : type``."""
    width = storage_width(type.dtype)
    end = text.rfind("> : ")
    if width is None or not text.startswith("dense<") or end < 0:
        return None
    count = 1
    for dim in type.shape:
        if not isinstance(dim, int):
            return None
        count *= dim
    if count == 0:
        return array(type.dtype, type.shape, b"")
    if text.startswith('"0x', len("dense<")):
        raw = bytes.fromhex(text[len('dense<"0x') : text.rindex('"', 0, end)])
        data: bytes | None = _extended(raw, type.dtype)
    else:
        data = _numbers(text[len("dense<") : end], type.dtype, width)
    if data is None or len(data) not in (width, width * count):
        return None
    if len(data) == width and count > 1:
        return Array(type.dtype, type.shape, data, splat=True)
    return array(type.dtype, type.shape, data)


def elements_of_bytecode(data: bytes, type: TensorType) -> Array | None:
    """The contents of a constant of which this is the bytecode: there they stand as they are, after their length.

    None for a splat (whose bytecode is short), and where the place cannot be told for sure.
    """
    size = (storage_width(type.dtype) or 0) * math.prod(dim for dim in type.shape if isinstance(dim, int))
    frame = len(data) - size
    if not 0 < frame < min(_FRAME, size):
        return None
    length = _varint(size)
    ends = [found.start() + len(length) for found in re.finditer(b"(?=" + re.escape(length) + b")", data[:frame])]
    ends = [end for end in ends if end <= frame]
    if len(ends) != 1:
        return None
    return array(type.dtype, type.shape, data[ends[0] : ends[0] + size])


def resources(asm: str) -> dict[str, bytes]:
    """The blobs at the end of a printed module, which ``dense_resource`` attributes name."""
    _, _, tail = asm.rpartition("{-#")
    _, _, section = tail.partition("builtin: {")
    return {found[1].strip('"'): bytes.fromhex(found[2]) for found in _BLOB.finditer(section)}


def elements_of_resource(blob: bytes, type: TensorType) -> Array | None:
    """The contents of a resource: four bytes that say how it was aligned, then the elements."""
    width = storage_width(type.dtype)
    size = math.prod(dim for dim in type.shape if isinstance(dim, int)) * (width or 0)
    if width is None or _bits(type.dtype) or len(blob) != 4 + size:
        return None
    if type.dtype == "bool" and blob[4:].strip(b"\0\1"):
        return None
    return array(type.dtype, type.shape, blob[4:])


def _varint(number: int) -> bytes:
    """MLIR bytecode's form of a number below 2**56: trailing zeros of the first byte say how many bytes follow it."""
    count = max(1, -(-number.bit_length() // 7))
    return (((number << 1) | 1) << (count - 1)).to_bytes(count, "little")


def storage_width(dtype: str) -> int | None:
    """Bytes of one element in an `Array`; None for a type nobody knows here."""
    if dtype == "bool":
        return 1
    if dtype in COMPLEX:
        return 8 if dtype == "c64" else 16
    integer = _INTEGER.match(dtype)
    if integer:
        bits = int(integer[2] or 64)
        return max(1, bits // 8) if bits in (2, 4, 8, 16, 32, 64) else None
    form = _float_form(dtype)
    return None if form is None else form.itemsize


@cache
def _float_form(dtype: str) -> np.dtype[Any] | None:
    native = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
    if dtype in native:
        return np.dtype(native[dtype])
    import ml_dtypes

    small = re.fullmatch(r"f(\d+)(e\w+)", dtype)
    name = f"float{small[1]}_{small[2]}" if small else "bfloat16" if dtype == "bf16" else ""
    form = getattr(ml_dtypes, name, None)
    return None if form is None else np.dtype(form)


def _bits(dtype: str) -> tuple[bool, int] | None:
    """(signed, bits) of an integer type narrower than its storage."""
    integer = _INTEGER.match(dtype)
    if integer is None or integer[2] not in ("2", "4"):
        return None
    return integer[1] == "i", int(integer[2])


def _extended(raw: bytes, dtype: str) -> bytes:
    """MLIR stores i4 as a byte with the upper half clear, an `Array` as the byte of the same number."""
    narrow = _bits(dtype)
    if narrow is None:
        return raw
    signed, bits = narrow
    table = bytes(_narrowed(byte, signed, bits) for byte in range(256))
    return raw.translate(table)


def _narrowed(byte: int, signed: bool, bits: int) -> int:
    number = byte & ((1 << bits) - 1)
    return (number - (1 << bits)) & 0xFF if signed and number >> (bits - 1) else number


def _numbers(text: str, dtype: str, width: int) -> bytes | None:
    tokens = _NUMBER.findall(text)
    if dtype == "bool":
        return bytes({"true": 1, "false": 0}.get(token, int(token == "1")) for token in tokens)
    if dtype in COMPLEX:
        dtype, width = COMPLEX[dtype], width // 2
    if _INTEGER.match(dtype):
        mask = (1 << (8 * width)) - 1
        return _extended(b"".join((int(token, 0) & mask).to_bytes(width, "little") for token in tokens), dtype)
    form = _float_form(dtype)
    assert form is not None
    return b"".join(float_bits(token, form).to_bytes(width, "little") for token in tokens)


def float_bits(text: str, form: np.dtype[Any]) -> int:
    """The bits of the number of that type that is nearest to a decimal; hexadecimal is the bits themselves."""
    if text.startswith("0x"):
        return int(text, 16)
    width = form.itemsize
    if width == 8:
        return int.from_bytes(np.float64(float(text)).tobytes(), "little")
    with np.errstate(all="ignore"):  # the guess may overflow; its neighbour does not
        guess = int.from_bytes(np.array(float(text)).astype(form).tobytes(), "little")
    exact, sign = Fraction(text), 1 << (8 * width - 1)
    # Rounding through float64 (and, in some conversions, float32) may end one step off; the exact distance decides.
    near = [bits for bits in (guess - 1, guess, guess + 1) if 0 <= bits < 2 * sign and bits & sign == guess & sign]
    return min(
        (bits for bits in near if np.isfinite(_number(bits, form))),
        key=lambda bits: (abs(Fraction(_number(bits, form)) - exact), bits & 1),
    )


def _number(bits: int, form: np.dtype[Any]) -> float:
    with np.errstate(invalid="ignore"):  # a neighbour may be a signalling NaN
        return float(np.frombuffer(bits.to_bytes(form.itemsize, "little"), form)[0].astype(np.float64))
