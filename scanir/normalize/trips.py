"""Trip counts, folded from the condition itself (never from an annotation such as ``known_trip_count``)."""

from __future__ import annotations

from scanir.ir.attrs import Opaque, Record, Text
from scanir.ir.graph import Op
from scanir.ir.types import Type
from scanir.normalize.identities import result_type
from scanir.normalize.numbers import bits_of, constant_int, step_of
from scanir.normalize.values import Table

_DIRECTIONS = {"lt": "LT", "le": "LE", "gt": "GT", "ge": "GE", "ne": "NE", "eq": "EQ"}
_SWAPPED = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE", "NE": "NE", "EQ": "EQ"}
_HOLDS = {
    "LT": lambda x, y: x < y, "LE": lambda x, y: x <= y, "GT": lambda x, y: x > y,
    "GE": lambda x, y: x >= y, "NE": lambda x, y: x != y, "EQ": lambda x, y: x == y,
}  # fmt: skip


def comparison(table: Table, term: int) -> tuple[str, int, int] | None:
    """(direction, left, right) of an integer comparison, else None."""
    if table.kind(term) != "op":
        return None
    name, attrs, _, count, _ = table.payload(term)
    if count != 2:
        return None
    direction = _DIRECTIONS.get(name)
    left, right = table.children(term)[:2]
    if direction is None and name in ("compare", "stablehlo.compare"):
        for key, value in attrs:
            if key in ("direction", "comparison_direction"):
                direction = _direction(value)
            elif key in ("type", "compare_type") and not _as_typed(_text(value), result_type(table, left)):
                return None
    return None if direction is None else (direction, left, right)


def _as_typed(text: str, type: Type | None) -> bool:
    """False where a comparison reads bits in another way than their type says."""
    kind = None if type is None else bits_of(type)
    return "SIGNED" not in text or (kind is not None and kind[1] == ("UNSIGNED" not in text))


def _text(value: object) -> str:
    return value.value if isinstance(value, Text) else value.text if isinstance(value, Opaque) else ""


def _direction(value: object) -> str | None:
    return next((name for name in _SWAPPED if name in _text(value).replace("<", " ").replace(">", " ").split()), None)


def declared_trips(op: Op) -> int | None:
    """The trip count that an annotation claims: a compiler may believe it. -1: one that nobody understands."""
    config = op.attribute("backend_config")
    if isinstance(config, Record):
        known = dict(config.fields).get("known_trip_count")
        count = dict(known.fields).get("n") if isinstance(known, Record) else None
        if known is None:
            return None
        return int(count.value) if isinstance(count, Text) and count.value.isdecimal() else -1
    return -1 if "known_trip_count" in getattr(config, "value", getattr(config, "text", "")) else None


def trip_count(
    table: Table, condition: int | None, length: int | None, counters: dict[int, tuple[int, int, Type]]
) -> int | None:
    """How often the body runs, where that is known.

    ``counters`` maps the term of a slot inside the loop to (start, step, type).
    """
    if condition is None:
        return length
    compared = comparison(table, condition)
    if compared is None:
        return None
    direction, left, right = compared
    if left not in counters:
        direction, left, right = _SWAPPED[direction], right, left
    bound = constant_int(table, right)
    if bound is None:
        return None
    if left in counters:
        return _count(direction, bound, *counters[left])
    start = constant_int(table, left)
    return 0 if start is not None and not _HOLDS[direction](start, bound) else None


def _count(direction: str, bound: int, start: int, step: int, type: Type) -> int | None:
    kind = bits_of(type)
    if not _HOLDS[direction](start, bound):
        return 0
    if kind is None or not step or direction in ("EQ",):
        return 1 if direction == "EQ" and step else None
    if direction == "NE":
        trips, rest = divmod(bound - start, step)
        return trips if not rest and trips > 0 else None
    if (step > 0) != (direction in ("LT", "LE")):
        return None
    slack = abs(bound - start) + (1 if direction in ("LE", "GE") else 0)
    trips = -(-slack // abs(step))
    last = start + trips * step
    width, signed = kind
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    return trips if low <= last <= high else None


def starts_of(table: Table, starts: tuple[int, ...], values: list[int], nexts: tuple[int, ...], types: tuple[Type, ...]
              ) -> dict[int, tuple[int, int, Type]]:  # fmt: skip
    """The counters among the slots: value term -> (start, step, type)."""
    found = {}
    for start, value, next_value, type in zip(starts, values, nexts, types, strict=True):
        first, step = constant_int(table, start), step_of(table, value, next_value)
        if first is not None and step is not None and value != start:
            found[value] = (first, step, type)
    return found
