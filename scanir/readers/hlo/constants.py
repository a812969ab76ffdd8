"""Literals in HLO text: ``constant({ { 1, 2, 3 }, { 4, 5, 6 } })`` as the exact bits of its elements.

A decimal number is read as binary64 and rounded to the element type, as XLA's own parser does; a NaN keeps its sign
and payload. An elided literal (``{...}``) is Hidden. Whatever does not fit its type is an error, never a value.
"""

from __future__ import annotations

import math
import re
import struct
from typing import TYPE_CHECKING, Any

from scanir.ir.attrs import Attr, Hidden, Seq, array
from scanir.ir.types import TensorType, TupleType, Type
from scanir.readers.hlo.dtypes import COMPLEX, FLOATS, INTEGERS, Floating, Integer
from scanir.readers.hlo.source import Source

if TYPE_CHECKING:
    import numpy as np

_PUNCTUATION = str.maketrans("{}(),", "     ")
_UNMARKED = {code: None for code in range(128) if chr(code) not in "{},"}
_PAYLOAD = re.compile(r"nan\s*\(\s*(0x[0-9a-fA-F]{1,16})\s*\)")
_NAN = re.compile(r"([+-]?)nan(?::(0x[0-9a-fA-F]+))?")
_COMPLEX = re.compile(r"\(\s*([^\s(),{}]+)\s*,\s*([^\s(),{}]+)\s*\)")
#: XLA's parser takes one number for an array, sets the first element to it and leaves open what the others are.
_SINGLE = re.compile(r"[\w.+\-]+")
_TYPED = re.compile(r"[a-z]\w*\[[\d,\s]*\]\s*(?=\{)")
_TRUTH = {"true": "1", "false": "0"}
#: Elements up to which numpy, which takes longer to import than a small module to read, is not asked.
FEW = 64
#: Formats to which `struct` rounds as numpy does: to the nearest, ties to even.
_STRUCT = {"float16": "e", "float32": "f", "float64": "d"}
#: Python reads more spellings of a number than HLO has.
_FOREIGN = re.compile(r"[^\s{}(),0-9a-fA-FinxX.:+\-]")


class _Malformed(Exception):
    """A literal that is none; becomes a ReadError where its place is known."""


def elided(type: Type) -> Hidden:
    """The value of a constant that the text does not show."""
    return Hidden(
        "elided-constant",
        str(type),
        "dump with large constants printed (print_large_constants), or compare functions instead of files",
    )


def literal(text: str, type: Type, source: Source, pos: int) -> Attr:
    """The literal ``text``, found at ``pos``, as a value of ``type``."""
    if "..." in text:
        return elided(type)
    try:
        return _value(text.strip(), type)
    except _Malformed as error:
        raise source.fail(pos, f"a literal that is no {type}: {error}") from None


def _value(text: str, type: Type) -> Attr:
    if isinstance(type, TupleType):
        parts = _parts(text)
        if len(parts) != len(type.elements):
            raise _Malformed(f"{len(parts)} elements in a tuple of {len(type.elements)}")
        return Seq(tuple(_value(part, element) for part, element in zip(parts, type.elements, strict=True)))
    if not isinstance(type, TensorType):
        raise _Malformed("only arrays and tuples have literals")
    written = _TYPED.match(text)  # in old dumps the type stands before the elements
    if written:
        text = text[written.end() :].strip()
    shape = tuple(dim for dim in type.shape if isinstance(dim, int))
    if len(shape) < len(type.shape):
        raise _Malformed("a dimension without a size")
    if shape and "{" not in text and _SINGLE.fullmatch(text):
        return Hidden("unwritten-elements", f"{type} {text}", "write out every element of the constant")
    return array(type.dtype, shape, _elements(text, type.dtype, shape))


def _parts(text: str) -> list[str]:
    """The elements of a tuple literal as text."""
    if not (text.startswith("(") and text.endswith(")")):
        raise _Malformed("a tuple literal stands in parentheses")
    inside = text[1:-1]
    parts: list[str] = []
    depth = start = 0
    for match in re.finditer(r"[{}(),\[\]]", inside):
        if match[0] in "{([":
            depth += 1
        elif match[0] in "})]":
            depth -= 1
        elif depth == 0:
            parts.append(inside[start : match.start()].strip())
            start = match.end()
    last = inside[start:].strip()
    return [*parts, last] if last or parts else []


def _elements(text: str, dtype: str, shape: tuple[int, ...]) -> bytes:
    """All elements, row-major and little-endian, of the dense literal ``text``."""
    count = math.prod(shape)
    if dtype in COMPLEX:
        text = _COMPLEX.sub(r" \1 \2 ", text)
    if "0x" in text:
        text = _PAYLOAD.sub(r"nan:\1", text)
    if "(" in text or ")" in text:
        raise _Malformed("parentheses in an array of plain numbers")
    _check_structure(text, shape)
    tokens = text.translate(_PUNCTUATION).split()
    expected = count * (2 if dtype in COMPLEX else 1)
    if len(tokens) != expected:
        raise _Malformed(f"{len(tokens)} numbers where {expected} are needed")
    if dtype == "bool":
        return bytes([number != 0 for number in _integers([_TRUTH.get(token, token) for token in tokens], "i64")])
    if dtype in INTEGERS:
        return _packed(_integers(tokens, dtype), INTEGERS[dtype])
    format = COMPLEX.get(dtype) or FLOATS.get(dtype)
    if format is None:
        raise _Malformed(f"element type {dtype} is not known")
    if _FOREIGN.search(text):
        raise _Malformed("a number was expected")
    return _floats(tokens, format)


def _check_structure(text: str, shape: tuple[int, ...]) -> None:
    """Braces and commas must stand exactly as the shape has them."""
    marks = text.translate(_UNMARKED)
    if 0 in shape:
        shape = shape[: shape.index(0) + 1]  # nothing is written inside of nothing
    # The length first: a short text can name a shape whose pattern would fill the memory.
    length = 0
    for dim in reversed(shape):
        length = 2 + dim * length + max(dim - 1, 0)
    pattern = ""
    if len(marks) == length:
        for dim in reversed(shape):
            pattern = "{" + ",".join([pattern] * dim) + "}"
    if marks != pattern:
        raise _Malformed("its braces and commas are not those of the shape")


def _packed(values: list[int], kind: Integer) -> bytes:
    if len(values) <= FEW:
        return b"".join([value.to_bytes(kind.bytes, "little", signed=kind.signed) for value in values])
    import numpy as np

    return np.array(values, dtype=kind.numpy).tobytes()


def _integers(tokens: list[str], dtype: str) -> list[int]:
    kind = INTEGERS[dtype]
    try:
        values = list(map(int, tokens))
    except ValueError:
        raise _Malformed("a whole number was expected") from None
    if any("_" in token for token in tokens):
        raise _Malformed("a whole number was expected")
    if dtype == "u64":  # as XLA's parser, which reads 64 bits with or without a sign
        values = [value + (1 << 64) if -(1 << 63) <= value < 0 else value for value in values]
    if values and (min(values) < kind.least or max(values) > kind.greatest):
        raise _Malformed(f"a number outside {kind.least} .. {kind.greatest}")
    return values


def _floats(tokens: list[str], format: Floating) -> bytes:
    nans = [index for index, token in enumerate(tokens) if "nan" in token]
    spelled: dict[str, int] = {}
    if nans:
        tokens = list(tokens)
        for index in nans:
            token = tokens[index]
            if token not in spelled:
                spelled[token] = _nan(token, format)
    patched = [(index, spelled[tokens[index]]) for index in nans]
    for index in nans:
        tokens[index] = "1"  # a number that every format has
    try:
        numbers = list(map(float, tokens))
    except ValueError:
        raise _Malformed("a number was expected") from None
    if not patched and len(numbers) <= FEW and format.name in _STRUCT:
        try:
            return struct.pack(f"<{len(numbers)}{_STRUCT[format.name]}", *numbers)
        except OverflowError:
            raise _Malformed(f"a number that {format.name} cannot hold") from None
    import numpy as np

    return _rounded(np.array(numbers, dtype=np.float64), format, patched)


def _rounded(values: np.ndarray[Any, Any], format: Floating, patched: list[tuple[int, int]]) -> bytes:
    import numpy as np

    with np.errstate(all="ignore"):  # overflow is found below, by its result
        rounded = values.astype(format.numpy)
        back = rounded.astype(np.float64)
    if not np.array_equal(np.isinf(values), np.isinf(back)) or bool(np.any(np.isnan(back))):
        raise _Malformed(f"a number that {format.name} cannot hold")
    raw = np.ascontiguousarray(rounded).view(format.raw).copy()
    for index, bits in patched:
        raw[index] = bits
    return raw.tobytes()


def _nan(token: str, format: Floating) -> int:
    match = _NAN.fullmatch(token)
    bits = format.nan_bits(match[1] == "-", int(match[2], 16) if match[2] else None) if match else None
    if bits is None:
        raise _Malformed(f"{token} is no NaN of {format.name}")
    return bits
