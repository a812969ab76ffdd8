"""Attributes of operations: exact, hashable, tagged by kind.

Two attributes are equal exactly when they have the same kind and the same content. Python's own equality would
call True and 1, 0.0 and -0.0 equal and NaN unequal to itself, so floats are held as bits and each kind is a class of
its own.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass, field
from typing import TypeAlias

from scanir.ir.types import Dim, Type


@dataclass(frozen=True, slots=True)
class Bool:
    value: bool


@dataclass(frozen=True, slots=True)
class Int:
    value: int


@dataclass(frozen=True, slots=True)
class Float:
    """A Python-side float, held as the 64 bits of its binary64 form."""

    bits: int

    @classmethod
    def of(cls, value: float) -> Float:
        return cls(int.from_bytes(struct.pack(">d", value), "big"))

    @property
    def value(self) -> float:
        unpacked: tuple[float] = struct.unpack(">d", self.bits.to_bytes(8, "big"))
        return unpacked[0]


@dataclass(frozen=True, slots=True)
class Text:
    value: str


@dataclass(frozen=True, slots=True)
class Array:
    """Full contents of a constant: little-endian row-major bytes of its elements.

    A constant whose elements all have the same bits is stored as that one element with ``splat`` True (and never
    otherwise, except where ``data`` already is a single element), so that equality of contents is equality of fields.
    Build one with `array`. dtypes below one byte hold one element a byte. bool is one byte, 0 or 1.
    """

    dtype: str
    shape: tuple[Dim, ...]
    data: bytes
    splat: bool = False


@dataclass(frozen=True, slots=True)
class Digest:
    """An `Array` that is known by its type and the SHA-256 of its ``data`` alone, in hexadecimal."""

    dtype: str
    shape: tuple[Dim, ...]
    sha256: str

    @classmethod
    def of(cls, array: Array) -> Digest:
        return cls(array.dtype, array.shape, hashlib.sha256(array.data).hexdigest())


@dataclass(frozen=True, slots=True)
class Seq:
    items: tuple[Attr, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """Named fields, sorted by name."""

    fields: tuple[tuple[str, Attr], ...]


@dataclass(frozen=True, slots=True)
class TypeAttr:
    type: Type


@dataclass(frozen=True, slots=True)
class Symbol:
    """The name of a function of the same module; compared by what it names."""

    name: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """Text that no reader takes apart; compared exactly. ``kind`` says which sort of thing it was."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Callable:
    """A host function. The same object (``identity``) is the same function; other code is another function;
    equal code in distinct objects cannot be decided (closures, globals) unless a rule allows it by name.

    ``identity`` is unique for a live object within the process and is never printed. ``file`` and ``line`` say where
    the function was written; no comparison reads them.
    """

    qualname: str
    code_digest: str
    identity: int
    file: str = field(default="", compare=False, repr=False)
    line: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Hidden:
    """Something the artifact does not show (an elided constant, a callback known by index only).

    ``what`` classifies it, ``detail`` is compared, ``remedy`` tells how to get an answer.
    """

    what: str
    detail: str
    remedy: str


Attr: TypeAlias = (
    "Bool | Int | Float | Text | Array | Digest | Seq | Record | TypeAttr | Symbol | Opaque | Callable | Hidden"
)
Attrs: TypeAlias = "tuple[tuple[str, Attr], ...]"


def array(dtype: str, shape: tuple[Dim, ...], data: bytes) -> Array:
    """An `Array` in its one canonical form. ``data`` holds all elements, row-major, little-endian."""
    count = 1
    for dim in shape:
        count *= int(dim)
    if count <= 1 or len(data) % count:
        return Array(dtype, shape, data, splat=False)
    width = len(data) // count
    # A memory comparison with itself shifted by one element: linear and without a copy of the repeated element.
    view = memoryview(data)
    if view[width:] == view[:-width]:
        return Array(dtype, shape, bytes(view[:width]), splat=True)
    return Array(dtype, shape, data, splat=False)


def record(**fields: Attr) -> Record:
    return Record(tuple(sorted(fields.items())))


def attributes(fields: dict[str, Attr]) -> Attrs:
    """The attributes of an op in their canonical order."""
    return tuple(sorted(fields.items()))
