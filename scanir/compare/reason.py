"""Why two terms differ, in one sentence: the attribute, the type, the kind of thing, the trip count."""

from __future__ import annotations

from typing import Any

from scanir.compare.attributes import constant_text, count, differing, key_text
from scanir.compare.describe import SELECTS
from scanir.ir.attrs import Array
from scanir.ir.elements import elements
from scanir.normalize.identities import result_type
from scanir.normalize.values import Table

#: Ops that only reread bits: what matters lies below them.
_REREADS = frozenset({"bitcast_convert_type", "stablehlo.bitcast_convert", "bitcast-convert", "bitcast"})
_IOTAS = frozenset({"iota", "stablehlo.iota"})
#: Attributes by which a scan and a while say their trip counts.
_KNOWN_TRIPS = "known_trip_count"


def difference(table: Table, a: int, b: int) -> str:
    """Why two unequal terms are no longer of one form; empty where the terms alone do not tell."""
    (kind, payload, left), (other, other_payload, right) = table.keys[a], table.keys[b]
    if kind == other == "op":
        return _ops(table, a, b)
    if kind == other == "const":
        return f"constants differ{_elements(payload[0], other_payload[0])}"
    if kind == other == "loop":
        return _loops(payload, other_payload)
    if kind == other == "sel":
        if payload[0] != other_payload[0]:
            return f"{payload[0]} against {other_payload[0]}"
        return (
            f"{payload[0]}: {differing(payload[1], other_payload[1]) or f'{len(left)} against {len(right)} operands'}"
        )
    names = sorted({_choice(table, a), _choice(table, b)} - {""})
    if names == ["conditional", "select"]:
        words = {"conditional": "a conditional (one branch runs)", "select": "a select (both sides are computed)"}
        return f"{words[_choice(table, a)]} against {words[_choice(table, b)]}"
    kinds = _sort(table, a), _sort(table, b)
    return f"{kinds[0]} against {kinds[1]}" if all(kinds) and kinds[0] != kinds[1] else ""


def _ops(table: Table, a: int, b: int) -> str:
    payload, other = table.payload(a), table.payload(b)
    if payload[0] != other[0]:
        kinds = _sort(table, a), _sort(table, b)
        return f"{kinds[0] or payload[0]} against {kinds[1] or other[0]}{_below(table, a, b)}"
    if payload[1] != other[1]:
        return f"{payload[0]}: {differing(payload[1], other[1])}"
    if payload[2] != other[2]:
        return f"{payload[0]}: result type {_types(payload[2])} against {_types(other[2])}"
    return f"{payload[0]}: {payload[3]} against {other[3]} operands"


def _below(table: Table, a: int, b: int) -> str:
    """The same op on other types, when one side rereads bits before and after it: a signed against an unsigned max."""
    x, y = _through(table, a), _through(table, b)
    if (x, y) == (a, b) or table.kind(x) != "op" or table.kind(y) != "op":
        return ""
    (name, *_), (other, *_) = table.payload(x), table.payload(y)
    types = [result_type(table, term) for term in (x, y)]
    if name != other or types[0] == types[1]:
        return ""
    return f": {name} of {types[0]} against {other} of {types[1]}"


def _through(table: Table, term: int) -> int:
    while table.kind(term) == "op" and table.payload(term)[0] in _REREADS and table.children(term):
        term = table.children(term)[0]
    return term


def _sort(table: Table, term: int) -> str:
    """Which sort of thing a value is, where that says more than the op: a constant, an iota, an argument."""
    kind, payload, children = table.keys[term]
    match kind:
        case "const":
            return "a constant"
        case "in":
            return "an argument" if isinstance(payload, tuple) else "nothing"
        case "op" if payload[0] in _IOTAS:
            return "an iota"
        case "op" if payload[0] == "affine":
            return "a counter"
        case "proj" if payload == "token":
            return "an effect"
        case "loop":
            return f"a {payload[1][0]} loop"
        case "res" | "ys":
            return f"a value of a {table.payload(children[0])[1][0]} loop"
        case "slot":
            return "a carry"
        case "item":
            return "an element of a scanned input"
        case _:
            return ""


def _choice(table: Table, term: int) -> str:
    kind, payload, _ = table.keys[term]
    return "conditional" if kind == "sel" else "select" if kind == "op" and payload[0] in SELECTS else ""


def _loops(payload: Any, other: Any) -> str:
    """Kinds and trip counts first: what else the header says follows from them."""
    (name, attrs), (other_name, other_attrs) = payload[1], other[1]
    trips = _said(attrs), _said(other_attrs)
    if name != other_name:
        return f"a {_trips(name, trips[0])} against a {_trips(other_name, trips[1])}"
    if trips[0] != trips[1]:
        # What is not promised may be known all the same: from the condition.
        said = [text if all(trips) else text and f"{text} promised" for text in trips]
        return f"loops differ: {said[0] or 'no promised trip count'} against {said[1] or 'no promised trip count'}"
    if attrs != other_attrs:
        return f"loops differ in {differing(attrs, other_attrs)}"
    if (payload[2], payload[3]) == (other[2], other[3]):
        return "loops differ"
    if len(payload[2]) != len(other[2]):
        return f"loops differ: {len(payload[2])} against {len(other[2])} carried values that vary"
    return f"loops differ: carried values of types {_types(payload[2])} against {_types(other[2])}"


def _trips(name: str, trips: str) -> str:
    return f"{name} of {trips}" if trips else f"{name} loop"


def _said(attrs: Any) -> str:
    """The trip count that a loop's attributes promise."""
    found = dict(attrs) if isinstance(attrs, tuple) else {}
    if "length" in found:
        return f"{key_text(found['length'])} trips"
    for key in found.values():
        parts = dict(key[1]) if isinstance(key, tuple) and len(key) == 2 and key[0] == "record" else {}
        if _KNOWN_TRIPS in parts:
            inner = parts[_KNOWN_TRIPS]
            fields = dict(inner[1]) if isinstance(inner, tuple) and inner[0] == "record" else {}
            return f"{key_text(fields.get('n', inner))} trips"
    return ""


def types_of(table: Table, a: int, b: int) -> str:
    """``: i32[3] against u32[3]`` where two values are of unlike types."""
    types = [result_type(table, term) for term in (a, b)]
    return f": {types[0]} against {types[1]}" if None not in types and types[0] != types[1] else ""


def _types(types: tuple[object, ...]) -> str:
    return ", ".join(map(str, types))


def _elements(a: Any, b: Any) -> str:
    """Where two constants of one type differ first, the two elements there, and how many differ."""
    if not (isinstance(a, Array) and isinstance(b, Array)) or a.shape != b.shape or a.dtype != b.dtype:
        return f": {constant_text(a)} against {constant_text(b)}"
    if a.splat or b.splat or not a.shape:
        return f": {constant_text(a)} against {constant_text(b)}"
    number = count(a)
    width = max(1, len(a.data) // max(1, number))
    first = _first_byte(a.data, b.data) // width
    here = [elements(Array(a.dtype, (), x.data[first * width : (first + 1) * width]))[0] for x in (a, b)]
    place = f" first at flat index {first}"
    if len(a.shape) > 1:
        place += f", {list(_unravel(first, [int(dim) for dim in a.shape]))}"
    return f"{place}: {here[0]} against {here[1]}"


def _first_byte(left: bytes, right: bytes) -> int:
    """The first differing byte, by bisection over prefixes."""
    low, high = 0, len(left)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if left[low:middle] == right[low:middle] else (low, middle)
    return low


def _unravel(flat: int, shape: list[int]) -> list[int]:
    index = []
    for dim in reversed(shape):
        index.append(flat % dim)
        flat //= dim
    return index[::-1]
