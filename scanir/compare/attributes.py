"""Attributes in a person's words: ``LT``, ``[0, 3]``, ``GatherScatterMode.CLIP``, ``host (code a44dce3c)``.

What is shown decides nothing: comparisons are made on keys (`scanir.normalize.erase`). Long values are cut, two values
side by side around their first difference.
"""

from __future__ import annotations

import hashlib
import math
import re
from typing import Any

from scanir.ir.attrs import (
    Array,
    Attr,
    Bool,
    Callable,
    Digest,
    Float,
    Hidden,
    Int,
    Opaque,
    Record,
    Seq,
    Symbol,
    Text,
    TypeAttr,
)
from scanir.ir.elements import elements
from scanir.ir.printer import Style, print_attr
from scanir.normalize.reify import attr_of_key

#: Characters of an attribute that are shown.
SHOWN = 80
#: Attributes within attributes that are still taken apart; deeper ones are printed as they are.
DEEPEST = 6
#: An enum of an MLIR dialect: ``#stablehlo<comparison_direction LT>``.
_ENUM = re.compile(r"#\w+<\w+ (\w+)>\Z")
#: Elements of a small array that are shown one by one.
FEW = 8
#: Elements of a larger one that are shown.
FIRST = 4
#: Kinds of `Opaque` whose text alone says nothing.
_BARE = {"none": "None", "region": "a region", "debug info": "debug info"}


def key_text(key: Any) -> str:
    """An attribute from its comparison key; ``absent`` for None."""
    return "absent" if key is None else attribute_text(attr_of_key(key))


def attribute_text(attr: Attr, depth: int = 0) -> str:
    """An attribute as a person would write it, not cut."""
    if depth > DEEPEST:
        return print_attr(attr, Style(digests=True))
    match attr:
        case Bool(value):
            return "true" if value else "false"
        case Int(value) | Text(value):
            return str(value)
        case Float():
            return repr(attr.value)
        case Symbol(name):
            return f"@{name}"
        case Callable():
            return f"{attr.qualname} (code {attr.code_digest[:8]})"
        case TypeAttr(type):
            return str(type)
        case Hidden():
            return f"hidden: {attr.what}"
        case Opaque():
            return _opaque(attr)
        case Array():
            return _array(attr)
        case Digest():
            return constant_text(attr)
        case Seq(items):
            return _sequence(items, depth)
        case Record(fields):
            return _record(dict(fields), depth)


def _opaque(attr: Opaque) -> str:
    enum = _ENUM.fullmatch(attr.text)
    return enum.group(1) if enum else attr.text or _BARE.get(attr.kind, attr.kind)


def constant_text(value: object) -> str:
    """Short text of a constant: its digits if it is one number, else type, first elements, size and digest."""
    if isinstance(value, Digest):
        return f"{value.dtype}[{','.join(map(str, value.shape))}] known by its sha256 {value.sha256[:8]}"
    if not isinstance(value, Array):
        return "a constant that is not shown"
    first = elements(value, FIRST)
    if not value.shape:
        return first[0] if first else "0 bytes"
    type = f"{value.dtype}[{','.join(map(str, value.shape))}]"
    if value.splat:
        return f"{first[0]} everywhere in {type}"
    more = ", ..." if count(value) > FIRST else ""
    text = f"{type} of {', '.join(first)}{more}"
    if count(value) <= FEW:
        return text
    return f"{text} ({len(value.data):,} bytes, sha256 {hashlib.sha256(value.data).hexdigest()[:8]})"


def count(value: Array) -> int:
    """Number of elements."""
    return math.prod(int(dim) for dim in value.shape)


def _array(attr: Array) -> str:
    if attr.splat or not attr.shape or count(attr) > FEW:
        return constant_text(attr)
    return f"[{', '.join(elements(attr, FEW))}]"


def _sequence(items: tuple[Attr, ...], depth: int) -> str:
    if items and isinstance(items[0], Opaque) and items[0].kind == "as":  # the reader's note of the exact MLIR type
        items = items[1:]
        if len(items) == 1:
            return attribute_text(items[0], depth + 1)
    return f"[{', '.join(attribute_text(item, depth + 1) for item in items)}]"


def _record(fields: dict[str, Attr], depth: int) -> str:
    cls = fields.pop("class", None)
    if len(fields) == 1 and cls is not None:  # a value of a Python enum, or what has one field alone
        return attribute_text(next(iter(fields.values())), depth + 1)
    inside = ", ".join(f"{name}={attribute_text(value, depth + 1)}" for name, value in fields.items())
    return f"{{{inside}}}" if cls is None else f"{_short(cls)}({inside})"


def _short(cls: Attr) -> str:
    """The name of a class without its module."""
    return attribute_text(cls).rpartition(".")[2]


def contrast(a: Any, b: Any) -> str:
    """Two keys side by side, ``LT against GT``; of long ones the part around the first difference."""
    left, right = key_text(a), key_text(b)
    if left == right:  # they differ in what is not shown
        left, right = ("absent" if key is None else print_attr(attr_of_key(key), Style(digests=True)) for key in (a, b))
    same = 0
    for x, y in zip(left, right, strict=False):
        if x != y:
            break
        same += 1
    start = max(0, same - SHOWN // 2)
    return " against ".join(_cut(text, start) for text in (left, right))


def _cut(text: str, start: int) -> str:
    if len(text) <= SHOWN:
        return text
    end = start + SHOWN
    return f"{'...' if start else ''}{text[start:end]}{'...' if end < len(text) else ''}"


def differing(a: Any, b: Any, limit: int = 3) -> str:
    """Names and values of the attributes that differ between two attribute keys."""
    try:
        left, right = dict(a), dict(b)
    except (TypeError, ValueError):
        return ""
    names = [name for name in sorted(left.keys() | right.keys()) if left.get(name) != right.get(name)]
    return "; ".join(_differs(name, left.get(name), right.get(name)) for name in names[:limit])


def _differs(name: str, a: Any, b: Any) -> str:
    """One attribute that differs; of a record or a list the one part that does."""
    for _ in range(DEEPEST):
        parts = _parts(a), _parts(b)
        if parts[0] is None or parts[1] is None or parts[0].keys() != parts[1].keys():
            break
        unlike = [key for key, value in parts[0].items() if value != parts[1][key]]
        if len(unlike) != 1 or len(parts[0]) == 1:
            break
        name = f"{name}.{unlike[0]}" if a[0] == "record" else f"{name}[{unlike[0]}]"
        a, b = parts[0][unlike[0]], parts[1][unlike[0]]
    return f"{name.removesuffix('.name')} = {contrast(a, b)}"


def _parts(key: Any) -> dict[Any, Any] | None:
    """The named or numbered parts of a key; None for one that has none."""
    if not isinstance(key, tuple) or len(key) != 2:
        return None
    if key[0] == "record":
        return dict(key[1])
    # A short list of numbers is better seen as a whole.
    return dict(enumerate(key[1])) if key[0] == "seq" and any(isinstance(item, tuple) for item in key[1]) else None
