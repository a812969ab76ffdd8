"""Forms with something left out: weak types, the contents of constants, or sizes. Programs whose forms agree then are
near-duplicates, and the least that has to be left out says in what they differ.

Nothing is decided by it: it only says why two programs that are not one were compiled both.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias

from scanir.compare.form import Form, Forms
from scanir.ir.attrs import Array, Digest, Float, Int, Opaque, Record, Seq, Text, TypeAttr
from scanir.ir.types import OpaqueType, TensorType, TupleType, Type
from scanir.normalize.values import Table

KINDS = ("weak type", "constant", "shape")
Kinds: TypeAlias = frozenset[str]
#: What can be left out, the least first.
SETS = tuple(frozenset(chosen) for size in range(1, 4) for chosen in combinations(KINDS, size))
#: Attributes that say sizes; in all others a number is no size (an axis, say).
SIZES = frozenset(
    {"shape", "sizes", "new_sizes", "slice_sizes", "dynamic_slice_sizes", "limit", "limits", "limit_indices", "length",
     "slice", "window", "entry_computation_layout"}
)  # fmt: skip
#: Sizes in types and windows that are carried as text.
_SIZES = re.compile(r"(?<=size=)[\dx]+|(?<=\[)[\d,<=]+(?=\])")
#: What hides a value or a size.
HOLE = "?"


@dataclass(frozen=True, slots=True)
class Near:
    """Two programs that differ in ``kinds`` only. ``examples``: (what the one has, what the other has) for each
    unlike key, each once."""

    kinds: tuple[str, ...]
    examples: tuple[tuple[str, str], ...]


class Vague:
    """Makes the forms of one `Forms` vaguer."""

    def __init__(self, forms: Forms) -> None:
        self._forms = forms
        self._seen: dict[Kinds, tuple[dict[int, int], dict[Any, int]]] = {}

    def of(self, form: Form, kinds: Kinds = SETS[-1]) -> bytes:
        """The form with what is of these kinds left out of its keys."""
        known, numbers = self._seen.setdefault(kinds, ({}, {}))
        for number in form:
            if number & 1 and number not in known:
                known[number] = 2 * numbers.setdefault(_vaguer(self._forms.key(number), kinds), len(numbers)) + 1
        return array("q", [known[number] if number & 1 else number for number in form]).tobytes()

    def near(self, a: Form, b: Form) -> Near | None:
        """In what two programs differ, if it is of these kinds alone."""
        unlike = dict.fromkeys((x, y) for x, y in zip(a, b, strict=False) if x != y)
        if len(a) != len(b) or not all(x & y & 1 for x, y in unlike):
            return None
        keys = [(self._forms.key(x), self._forms.key(y)) for x, y in unlike]
        kinds = next((kinds for kinds in SETS if all(_vaguer(x, kinds) == _vaguer(y, kinds) for x, y in keys)), None)
        if kinds is None:
            return None
        # What the header repeats of the types comes last.
        keys.sort(key=lambda pair: isinstance(pair[0], tuple) and pair[0][:1] == ("program",))
        told = dict.fromkeys(part for x, y in keys for part in _told(x, y))
        return Near(tuple(kind for kind in KINDS if kind in kinds), tuple(told))


def _vaguer(key: Any, kinds: Kinds, sized: bool = False) -> Any:
    """A key without what is of these kinds; ``sized``: in an attribute that says sizes. Nests as deep as attributes
    do."""
    match key:
        case tuple():
            named = len(key) == 2 and isinstance(key[0], str)
            if named and key[0] == "weak_type" and "weak type" in kinds:
                return ("weak_type", HOLE)
            sized = "shape" in kinds and (sized or (named and key[0] in SIZES))
            return tuple(_vaguer(part, kinds, sized) for part in key)
        case TensorType() | TupleType() | OpaqueType():
            return _type(key, kinds)
        case TypeAttr():
            return ("type", _type(key.type, kinds))
        case Seq():
            return ("seq", *(_vaguer(part, kinds, sized) for part in key.items))
        case Record():
            return ("record", _vaguer(key.fields, kinds, sized))
        case Array() | Digest() if sized:
            return ("array", key.dtype, len(key.shape), HOLE)
        case Array():
            shape = _shape(key.shape, kinds)
            return ("array", key.dtype, shape, *((HOLE,) if "constant" in kinds else (key.data, key.splat)))
        case Digest() if "constant" in kinds:
            return ("array", key.dtype, _shape(key.shape, kinds), HOLE)
        case Float() if "constant" in kinds:
            return HOLE
        case Int() if sized:
            return HOLE
        case Text() if sized:
            return ("text", _unsized(key.value))
        case Opaque() if sized:
            return ("opaque", key.kind, _unsized(key.text))
        case _:
            return key


def _unsized(text: str) -> str:
    return _SIZES.sub(lambda sizes: re.sub(r"\d+", HOLE, sizes.group()), text)


def _shape(shape: tuple[Any, ...], kinds: Kinds) -> Any:
    return len(shape) if "shape" in kinds else shape


def _type(type: Type, kinds: Kinds) -> Any:
    match type:
        case TensorType():
            left_out = ("weak_type",) if "weak type" in kinds else ()
            extras = tuple(extra for extra in type.extras if extra[0] not in left_out)
            return ("tensor", type.dtype, _shape(type.shape, kinds), _vaguer(extras, kinds))
        case TupleType():
            return ("tuple", *(_type(element, kinds) for element in type.elements))
        case OpaqueType() if "shape" in kinds:
            return ("opaque", _unsized(type.text))
        case _:
            return type


def _told(x: Any, y: Any) -> Iterator[tuple[str, str]]:
    """The unlike parts of two unlike keys, as people read them; what is inside types and arrays stays together."""
    stack = [(x, y)]
    while stack:
        left, right = stack.pop()
        if left == right:
            continue
        match left, right:
            case tuple(), tuple() if len(left) == len(right):
                stack += reversed(list(zip(left, right, strict=True)))
            case (Seq(), Seq()) if len(left.items) == len(right.items):
                stack += reversed(list(zip(left.items, right.items, strict=True)))
            case _:
                yield _text(left), _text(right)


def _text(part: Any) -> str:
    match part:
        case TensorType():
            return f"{part} (weak)" if part.extra("weak_type") is not None else str(part)
        case Int() | Float() | Text():
            return str(part.value)
        case TypeAttr():
            return _text(part.type)
        case Array() | Digest():
            from scanir.compare.attributes import constant_text

            return constant_text(part)
        case Opaque():
            return part.text
        case _:
            return str(part)


class ButConstants:
    """Numbers of the terms of a table: equal where terms are equal but for the contents of constants."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._numbers: list[int] = []
        self._ids: dict[Any, int] = {}

    def of(self, terms: tuple[int, ...]) -> tuple[int, ...]:
        """``-1`` stays what it is."""
        numbers = self._numbers
        for kind, payload, children in self._table.keys[len(numbers) :]:
            said = payload[1] if kind == "const" else payload
            key = kind, said, tuple([numbers[child] for child in children])
            numbers.append(self._ids.setdefault(key, len(self._ids)))
        return tuple([term if term < 0 else numbers[term] for term in terms])
