"""JSON and C-escaped strings inside HLO attributes, as attributes.

JSON is canonical: fields sorted by name, numbers by kind and bits. What is not exactly JSON (a field twice, NaN,
nesting beyond reason) is not JSON here, so that nothing is lost by taking it apart.
"""

from __future__ import annotations

import json
import re
from typing import Any

from scanir.ir.attrs import Attr, Bool, Float, Int, Opaque, Record, Seq, Text

_ESCAPE = re.compile(rb"\\(?:([abfnrtv\\'\"?])|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.?))", re.S)
_SIMPLE = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}

#: Deeper JSON stays text: what follows may recurse over an attribute.
_DEPTH = 48
_NESTING = re.compile(r'[{}\[\]]|"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.S)


def unescape(text: str) -> str | None:
    """The inside of a string with C escapes undone, or None where that gives no text."""
    if "\\" not in text:
        return text
    bad = False

    def plain(match: re.Match[bytes]) -> bytes:
        nonlocal bad
        simple, hexadecimal, octal, _ = match.groups()
        if simple:
            return _SIMPLE.get(simple, simple)
        code = int(hexadecimal, 16) if hexadecimal else int(octal, 8) if octal else 256
        bad = bad or code > 255
        return bytes([code & 255])

    done = _ESCAPE.sub(plain, text.encode("utf-8", "surrogatepass"))
    try:
        return None if bad else done.decode("utf-8")
    except UnicodeDecodeError:  # bytes that are no text: the escaped spelling says them better
        return None


class _NotJson(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _NotJson("a field twice")
    return fields


def _no_constant(text: str) -> Any:
    raise _NotJson(text)


def _depth(text: str) -> int:
    depth = deepest = 0
    for match in _NESTING.finditer(text):
        if match[0] in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in "}]":
            depth -= 1
    return deepest


def canonical_json(text: str) -> Attr | None:
    """JSON text as an attribute, or None where it is not JSON."""
    if text.count("{") + text.count("[") > _DEPTH and _depth(text) > _DEPTH:
        return None
    try:
        loaded = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
        json.dumps(loaded, ensure_ascii=False).encode()
    except ValueError:  # json.JSONDecodeError, _NotJson, lone surrogates, integers of too many digits
        return None
    return _attribute(loaded)


def _attribute(value: Any) -> Attr:
    match value:
        case bool():
            return Bool(value)
        case int():
            return Int(value)
        case float():
            return Float.of(value)
        case str():
            return Text(value)
        case list():
            return Seq(tuple(map(_attribute, value)))
        case dict():
            return Record(tuple(sorted((name, _attribute(field)) for name, field in value.items())))
        case None:
            return Opaque("json", "null")
        case _:
            raise TypeError(f"json.loads makes no {type(value).__name__}")
