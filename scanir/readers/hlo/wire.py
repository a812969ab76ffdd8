"""The protobuf wire format: the fields of a message, and packed numbers decoded by the million.

Knows no schema. Never copies what it hands on (memoryviews), and refuses what is cut or malformed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scanir.errors import ReadError

if TYPE_CHECKING:
    import numpy as np

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

#: Packed numbers are decoded in pieces of so many bytes: the temporaries of a piece are some 40 times as large.
_PIECE = 1 << 17


def _broken(what: str) -> ReadError:
    return ReadError(f"not a serialized HLO module: {what}", hint="pass HloModule.as_serialized_hlo_module_proto()")


def varint(data: memoryview, pos: int) -> tuple[int, int]:
    """The number at ``pos`` and where it ends."""
    value = shift = 0
    while pos < len(data) and shift < 70:
        byte = data[pos]
        value |= (byte & 0x7F) << shift
        pos += 1
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, pos
        shift += 7
    raise _broken("a number has no end")


def fields(data: memoryview) -> Iterator[tuple[int, int, int | memoryview]]:
    """Each field as (number, wire type, value); the value of a fixed or length-delimited field is its bytes."""
    pos = 0
    while pos < len(data):
        key, pos = varint(data, pos)
        kind = key & 7
        if kind == VARINT:
            value, pos = varint(data, pos)
            yield key >> 3, kind, value
            continue
        if kind == BYTES:
            size, pos = varint(data, pos)
        elif kind in (FIXED32, FIXED64):
            size = 4 if kind == FIXED32 else 8
        else:
            raise _broken(f"wire type {kind}")
        if size > len(data) - pos:
            raise _broken("it is cut in the middle of a field")
        yield key >> 3, kind, data[pos : pos + size]
        pos += size


def packed_varints(data: memoryview) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """All numbers of a packed field, as 64 bits each."""
    import numpy as np

    raw = np.frombuffer(data, dtype=np.uint8)
    pieces: list[np.ndarray[Any, np.dtype[np.uint64]]] = []
    start = 0
    while start < len(raw):
        stop = min(start + _PIECE, len(raw))
        ends = np.flatnonzero(raw[start:stop] < 0x80)
        if not len(ends):
            raise _broken("a number has no end")
        stop = start + int(ends[-1]) + 1
        pieces.append(_decode(raw[start:stop], ends))
        start = stop
    return np.concatenate(pieces) if pieces else np.empty(0, np.uint64)


def _decode(
    raw: np.ndarray[Any, np.dtype[np.uint8]], ends: np.ndarray[Any, np.dtype[np.int64]]
) -> np.ndarray[Any, np.dtype[np.uint64]]:
    import numpy as np

    if len(ends) == len(raw):  # every number below 128
        return raw.astype(np.uint64)
    starts = np.empty_like(ends)
    starts[0] = 0
    starts[1:] = ends[:-1] + 1
    lengths = ends - starts + 1
    longest = int(lengths.max())
    if longest > 10:
        raise _broken("a number of more than 64 bits")
    values = (raw[starts] & 0x7F).astype(np.uint64)
    for place in range(1, longest):
        longer = np.flatnonzero(lengths > place)
        digits = (raw[starts[longer] + place] & 0x7F).astype(np.uint64)
        values[longer] |= digits << np.uint64(7 * place)
    return values
