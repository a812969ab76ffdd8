"""Other values for what stands in a text: attribute values and elements of constants. Knows no dialect's grammar."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from itertools import pairwise

#: Words of which one may stand for another.
FAMILIES = tuple(
    tuple(words.split())
    for words in (
        "EQ NE GE GT LE LT",
        "FLOAT TOTALORDER SIGNED UNSIGNED",
        "DEFAULT HIGH HIGHEST",
        "default high highest",
        "rng_default rng_three_fry rng_philox",
        "DEFAULT THREE_FRY PHILOX",
        "THREE_FRY PHILOX DEFAULT",
        "rng_uniform rng_normal",
        "UNIFORM NORMAL",
        "FFT IFFT RFFT IRFFT",
        "NO_TRANSPOSE TRANSPOSE ADJOINT",
        "kLoop kInput kOutput kCustom",
        "sum max min prod",
        "ACCURATE TOLERANCE",
        "API_VERSION_STATUS_RETURNING API_VERSION_ORIGINAL API_VERSION_TYPED_FFI",
        "AUTO ALWAYS",
    )
)
_NUMBER = re.compile(r"(?<![\w.#])-?\d+(?![\w.])")
_ANY_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?![\w.])")
#: Metadata inside of an attribute (of a sharding) is noise.
_METADATA = re.compile(r"metadata=\{[^{}]*\}")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ITEM = re.compile(r",\s*[^,{}\[\]()<>]+(?=[}\])>])")
#: Numbers of one attribute that are changed: the first and the last ones.
MOST = 4

Change = tuple[str, int, int, str]


def changes(key: str, text: str) -> Iterator[Change]:
    """Changes of an attribute's value: (what, start, end, new), places relative to the value."""
    strings = [(m.start(), m.end()) for m in _STRING.finditer(text)]

    def inside(place: int) -> bool:
        return any(start < place < end for start, end in strings)

    windowed = key in ("window", "padding") and "<" not in text  # 3x3, 0_1x1_0
    numbers = (_ANY_NUMBER if windowed else _NUMBER).finditer(text)
    found = [m for m in numbers if key in ("backend_config", "mhlo.backend_config") or not inside(m.start())]
    for m in found if len(found) <= MOST else [*found[: MOST // 2], *found[-MOST // 2 :]]:
        yield "number", m.start(), m.end(), str(int(m[0]) + 1)
        if int(m[0]) > 1:
            yield "number", m.start(), m.end(), str(int(m[0]) - 1)
    for first, second in pairwise(found):
        if first[0] != second[0] and second.start() - first.end() <= 3:
            yield "order", first.start(), second.end(), second[0] + text[first.end() : second.start()] + first[0]
            break
    for m in _WORD.finditer(text):
        if inside(m.start()):
            continue
        if m[0] in ("true", "false"):
            yield "flag", m.start(), m.end(), "false" if m[0] == "true" else "true"
        for family in FAMILIES:
            if m[0] in family:
                place = family.index(m[0])
                yield "word", m.start(), m.end(), family[(place + 1) % len(family)]
                if len(family) > 2:
                    yield "word", m.start(), m.end(), family[(place + 2) % len(family)]
                break
    for m in list(_STRING.finditer(_METADATA.sub(lambda found: " " * len(found[0]), text)))[:3]:
        yield "text", m.end() - 1, m.end() - 1, "x"
    if item := _ITEM.search(text):
        yield "fewer", item.start(), item.end(), ""


# -- elements of constants ---------------------------------------------------------------------------------------------

_FLOAT_CODES = {"f64": ("<d", "<q"), "f32": ("<f", "<i"), "f16": ("<e", "<h")}


def neighbours(token: str, dtype: str) -> Iterator[tuple[str, str]]:
    """Other elements for one element of a constant: (kind, new token). Empty for what is not understood."""
    if token in ("true", "false"):
        yield "constant: one element", "false" if token == "true" else "true"
        return
    if (re.fullmatch(r"-?\d+", token) and dtype[0] in "su" and dtype[1:].isdigit()) or dtype in ("pred", "i1"):
        if dtype in ("pred", "i1") and token.lstrip("-").isdigit():  # XLA reads each number but 0 as true
            yield "constant: one element", "0" if int(token) else "1"
        elif token.lstrip("-").isdigit():
            yield "constant: one element", str(int(token) + 1 if int(token) < 100 else int(token) - 1)
        return
    if re.fullmatch(r"i\d+|ui\d+", dtype):
        if re.fullmatch(r"-?\d+", token):
            yield "constant: one element", str(int(token) + 1 if int(token) < 100 else int(token) - 1)
        return
    yield from _floats(token, dtype)


def _floats(token: str, dtype: str) -> Iterator[tuple[str, str]]:
    lower = token.lower()
    if lower in ("nan", "-nan"):
        yield "constant: NaN sign", "nan" if lower == "-nan" else "-nan"
        return
    if re.fullmatch(r"0x[0-9A-Fa-f]+", token):
        bits = int(token, 16)
        yield "constant: NaN payload or bits", f"0x{bits ^ 1:0{len(token) - 2}X}"
        return
    try:
        number = float(token)
    except ValueError:
        return
    if number == 0:
        yield "constant: sign of zero", token[1:] if token.startswith("-") else f"-{token}"
        yield "constant: one ulp", {"f64": "5.0e-324", "f32": "1.0e-45", "f16": "6.0e-8"}.get(dtype, "0.0078125")
        return
    yield "constant: sign", token[1:] if token.startswith("-") else f"-{token}"
    if number in (float("inf"), float("-inf")):
        yield "constant: infinity", "nan"
        return
    yield "constant: one ulp", _next(number, dtype)


def _next(number: float, dtype: str) -> str:
    """The next number of the format, further from zero."""
    if dtype in _FLOAT_CODES:
        floats, ints = _FLOAT_CODES[dtype]
        bits = struct.unpack(ints, struct.pack(floats, number))[0] + 1
        value: float = struct.unpack(floats, struct.pack(ints, bits))[0]
        return _pointed(value)
    bits = (struct.unpack("<i", struct.pack("<f", number))[0] & ~0xFFFF) + 0x10000  # bf16, and coarser than any f8
    bits += {"bf16": 0}.get(dtype, 0x700000)
    value = struct.unpack("<f", struct.pack("<i", bits))[0]
    return _pointed(value)


def _pointed(value: float) -> str:
    """The shortest decimals of a number, with a point, which MLIR wants before an exponent."""
    text = repr(value)
    return text.replace("e", ".0e") if "e" in text and "." not in text else text
