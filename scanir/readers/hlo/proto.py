"""Serialized HLO modules: what a file of XLA's ``.hlo.pb`` wraps, told from other bytes by its fields alone.

``HloModuleProto`` itself, or within an ``HloProto`` (what ``--xla_dump_hlo_as_proto`` writes) or an ``HloSnapshot``,
whose first field it is. Promises None for whatever is not whole or is something else; never guesses
from the first byte.
"""

from __future__ import annotations

from scanir.errors import ReadError
from scanir.readers.hlo.wire import BYTES, fields

#: An HloSnapshot holds an HloProto, which holds the module.
_DEEPEST = 3
_FIRST, _ENTRY, _COMPUTATIONS = 1, 2, 3


def hlo_module_bytes(data: bytes) -> bytes | None:
    """The serialized HloModuleProto in these bytes; None where there is none."""
    found: memoryview | None = memoryview(data)
    try:
        for _ in range(_DEEPEST):
            if found is None or _is_module(found):
                break
            found = _first(found)
        else:
            return None
    except ReadError:
        return None
    return None if found is None else bytes(found)


def _is_module(data: memoryview) -> bool:
    """Whether these are the name, the name of the entry, and computations that have a name and instructions."""
    named = entry = computations = False
    for number, kind, value in fields(data):
        if kind != BYTES or not isinstance(value, memoryview):
            continue
        named = named or number == _FIRST
        entry = entry or (number == _ENTRY and _is_name(value))
        if number == _COMPUTATIONS and not computations:
            held = {field for field, kind, _ in fields(value) if kind == BYTES}
            computations = {1, 2} <= held
    return named and entry and computations


def _is_name(data: memoryview) -> bool:
    try:
        return str(data, "utf-8").isprintable()
    except UnicodeDecodeError:
        return False


def _first(data: memoryview) -> memoryview | None:
    """The first field, where that is a message."""
    for number, kind, value in fields(data):
        if number == _FIRST and kind == BYTES and isinstance(value, memoryview):
            return value
    return None
