"""The certificate as data: read from plain JSON, shape only. What it claims is checked elsewhere.

Promises an `Unreadable` for anything that has not the shape of schema 1; numbers are ints (never bools or floats),
texts are texts, no key is missing and none is too many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scanir.checker.verdict import Unreadable

SCHEMA_VERSION = 1

#: kind -> (the numbers of a class besides its references, how many lists of references it has).
#: side and at: the op (by number) or the value (by position) that the class stands for first.
KINDS: dict[str, tuple[tuple[str, ...], int]] = {
    "in": (
        ("number", "offset", "side", "at"),
        0,
    ),  # leaf `offset` of argument `number` (common numbering; -1: the token)
    "const": (("side", "at"), 0),
    "op": (("side", "at"), 2),  # operands, closed regions and named functions
    "proj": (("number",), 1),  # leaf `number` of all results
    "slot": (("height", "number", "side", "at"), 0),
    "trip": (("height", "dtype"), 0),  # the number of the trip, modulo 2^n
    "affine": (("factor", "offset", "side", "at"), 1),
    "trips": (("dtype",), 1),  # how many trips a loop made, modulo 2^n
    "elem": (("height", "side", "at"), 1),
    "bound": (("height", "number", "side", "at"), 0),
    "loop": (("height", "side", "at"), 4),  # initial values, slots, next values, condition (and the token behind it)
    "ys": (("side", "at"), 1),  # the loop and the value of each trip
    "sel": (("side", "at"), 1),  # the selector, then what each branch gives
    "fun": (("height",), 2),  # parameters, results
    "call": (("side", "at"), 1),  # the function, then the arguments
    "empty": (("side", "at"), 0),  # stacked values of no trip
    "first": (("side", "at"), 1),  # the only element of a scanned value
    "stack": (("side", "at"), 1),  # stacked values of one trip
}

#: Kinds that name the op or value that they stand for first.
PLACED = frozenset(kind for kind, (names, _) in KINDS.items() if "side" in names)


@dataclass(frozen=True, slots=True)
class Class:
    """One class of the quotient: see `KINDS`."""

    kind: str
    lists: tuple[tuple[int, ...], ...]
    side: int = -1
    at: int = -1
    height: int = 0
    number: int = 0
    factor: int = 0
    offset: int = 0
    dtype: str = ""

    @property
    def refs(self) -> tuple[int, ...]:
        return self.lists[0] if len(self.lists) == 1 else tuple(c for part in self.lists for c in part)


@dataclass(frozen=True, slots=True)
class SideRecord:
    """What the certificate says of one side. ``map``: the class of each position, or -1."""

    target: str
    arguments: str
    artifact: str
    provenance: tuple[tuple[str, str], ...]
    shape: tuple[int, ...]
    dropped: tuple[int, ...]
    map: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StageRecord:
    """The certificate of one stage, ``under`` a transform or none.

    ``arguments``: pairs of arguments, as (index in a, index in b). ``bindings``: (side, argument, class of the
    constant). ``surplus``: (side, result) of results that the other side has not. ``rules``: name -> applications
    (side, op or position). ``assumptions``: (side, op) of each `while` that must terminate. ``bijection``: of
    IDENTICAL, for each pair of closed regions the number of b's op for each op of a, -1 for a constant. ``host``: how
    the jaxprs settle which host functions the modules know by number (`scanir.checker.hosts`), empty where they know
    none; ``jaxprs``: the bijection of the jaxprs where that takes one.
    """

    stage: str
    under: str
    verdict: str
    sides: tuple[SideRecord, SideRecord]
    arguments: tuple[tuple[int, int], ...]
    bindings: tuple[tuple[int, int, int], ...]
    surplus: tuple[tuple[int, int], ...]
    rules: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    assumptions: tuple[tuple[int, int], ...]
    classes: tuple[Class, ...]
    bijection: tuple[tuple[int, ...], ...]
    host: str = ""
    jaxprs: tuple[tuple[int, ...], ...] = ()


def read(document: Any) -> tuple[StageRecord, ...]:
    """The stages of a certificate. Raises Unreadable."""
    if not isinstance(document, dict) or document.get("schema_version") != SCHEMA_VERSION:
        raise Unreadable(
            "this is no certificate that this scanir reads",
            hint=f"scanir diff A B --certificate FILE writes one of schema {SCHEMA_VERSION}",
        )
    fields = _keys(document, ("schema_version", "stages"), "the certificate")
    stages = tuple(_stage(stage) for stage in _list(fields["stages"], "stages"))
    if not stages:  # nothing would be left to reject
        raise _bad("it is of no stage")
    return stages


def _stage(value: Any) -> StageRecord:
    names = ("stage", "under", "verdict", "a", "b", "arguments", "bindings", "surplus", "rules", "assumptions",
             "classes", "bijection", "host", "jaxprs")  # fmt: skip
    fields = _keys(value, names, "a stage")
    return StageRecord(
        _text(fields["stage"]),
        _text(fields["under"]),
        _text(fields["verdict"]),
        (_side(fields["a"]), _side(fields["b"])),
        tuple((x, y) for x, y in _tuples(fields["arguments"], 2)),
        tuple((x, y, z) for x, y, z in _tuples(fields["bindings"], 3)),
        tuple((x, y) for x, y in _tuples(fields["surplus"], 2)),
        tuple(_rule(entry) for entry in _list(fields["rules"], "rules")),
        tuple((x, y) for x, y in _tuples(fields["assumptions"], 2)),
        tuple(_class(row) for row in _list(fields["classes"], "classes")),
        tuple(_ints(row) for row in _list(fields["bijection"], "bijection")),
        _text(fields["host"]),
        tuple(_ints(row) for row in _list(fields["jaxprs"], "jaxprs")),
    )


def _rule(value: Any) -> tuple[str, tuple[tuple[int, int], ...]]:
    fields = _keys(value, ("rule", "count", "places"), "a rule")
    _int(fields["count"])
    return _text(fields["rule"]), tuple((x, y) for x, y in _tuples(fields["places"], 2))


def _side(value: Any) -> SideRecord:
    names = ("target", "arguments", "artifact", "provenance", "shape", "dropped", "map")
    fields = _keys(value, names, "a side")
    facts = fields["provenance"]
    if not isinstance(facts, dict):
        raise _bad("provenance is no object")
    return SideRecord(
        _text(fields["target"]),
        _text(fields["arguments"]),
        _text(fields["artifact"]),
        tuple((_text(name), _text(fact)) for name, fact in facts.items()),
        _ints(fields["shape"]),
        _ints(fields["dropped"]),
        _ints(fields["map"]),
    )


def _class(row: Any) -> Class:
    items = _list(row, "a class")
    kind = items[0] if items else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise _bad(f"no kind of class: {kind!r}")
    names, lists = KINDS[kind]
    if len(items) != 1 + len(names) + lists:
        raise _bad(f"a class {kind} of {len(items) - 1} fields")
    numbers: dict[str, Any] = {}
    for name, value in zip(names, items[1:], strict=False):
        numbers[name] = _text(value) if name == "dtype" else _int(value)
    return Class(kind, tuple(_ints(part) for part in items[1 + len(names) :]), **numbers)


def row(c: Class) -> list[Any]:
    """A class as it is written."""
    names, _ = KINDS[c.kind]
    return [c.kind, *(getattr(c, name) for name in names), *(list(part) for part in c.lists)]


# -- shapes of JSON
# -------------------------------------------------------------------------------------------------------------


def _bad(what: str) -> Unreadable:
    return Unreadable(f"a damaged certificate: {what}", hint="make it again: scanir diff A B --certificate FILE")


def _keys(value: Any, names: Sequence[str], what: str) -> dict[str, Any]:
    if not isinstance(value, dict) or set(value) != set(names):
        raise _bad(f"{what} has not the keys {', '.join(names)}")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise _bad(f"{what}: no list")
    return value


def _int(value: Any) -> int:
    if type(value) is not int:
        raise _bad(f"{value!r} where an integer is wanted")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _bad(f"{value!r} where a text is wanted")
    return value


def _ints(value: Any) -> tuple[int, ...]:
    items = _list(value, "integers")
    if not all(type(item) is int for item in items):
        raise _bad("a list of integers holds something else")
    return tuple(items)


def _tuples(value: Any, width: int) -> list[tuple[int, ...]]:
    found = [_ints(item) for item in _list(value, "a list of pairs")]
    if any(len(item) != width for item in found):
        raise _bad(f"entries of a list are not {width} integers each")
    return found
