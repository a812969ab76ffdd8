"""What differs between two attributes, types or constants, in a few words."""

from __future__ import annotations

from collections import Counter
from typing import Any

from scanir.align.ledger import SEMANTICS
from scanir.compare.attributes import attribute_text, constant_text, differing, key_text
from scanir.ir.attrs import Array
from scanir.ir.elements import elements
from scanir.ir.graph import Op
from scanir.ir.types import TensorType
from scanir.normalize.classes import TYPE_CLASSES


def operands_text(places: list[int]) -> str:
    return f"operand{'s' if len(places) > 1 else ''} {', '.join(map(str, places[:4]))}"


def class_of(kind: str | None) -> str:
    return (kind or SEMANTICS).removeprefix("class:")


def contrast(keys: tuple[Any, Any], names: list[str]) -> tuple[str, str]:
    """The attributes that differ, before and after; of a long one the part that does."""
    left, right = dict(keys[0]), dict(keys[1])
    if len(names) == 1:
        text = differing(keys[0], keys[1], 1).partition(" = ")[2]
        old, found, new = text.partition(" against ")
        if found and " against " not in new:
            return old, new
    return tuple(", ".join(f"{name}={key_text(side.get(name))}" for name in names[:4]) for side in (left, right))  # type: ignore[return-value]


def payloads(x: Op, y: Op, names: list[str]) -> tuple[str, str]:
    """Attributes that no key holds."""
    old, new = (
        ", ".join("absent" if (value := op.attribute(name)) is None else attribute_text(value) for name in names)
        for op in (x, y)
    )
    return old, new


def extras(x: Any, y: Any) -> list[tuple[str, str]]:
    """Facts of two types that differ, with their classes."""
    if not isinstance(x, TensorType) or not isinstance(y, TensorType):
        return []  # the elements of a tuple say it where they are made
    left, right = dict(x.extras), dict(y.extras)
    names = sorted(n for n in {*left, *right} if left.get(n) != right.get(n))
    return [(name, class_of(TYPE_CLASSES.get(name))) for name in names if name in TYPE_CLASSES]


def type_text(type: Any, what: str) -> str:
    extra = type.extra(what) if hasattr(type, "extra") and what != "type" else None
    if what == "type":
        return str(type)
    return attribute_text(extra) if extra is not None else f"default {what}"


def same_number(x: Any, y: Any) -> bool:
    return constant_text(x).partition(" ")[0] == constant_text(y).partition(" ")[0]


def elements_apart(x: Any, y: Any) -> tuple[str, str]:
    """The first element that differs of two arrays that look alike, and how many do."""
    if not isinstance(x, Array) or not isinstance(y, Array) or x.dtype != y.dtype:
        return "another", "another"
    left, right = elements(x, 1 << 20), elements(y, 1 << 20)
    if len(left) != len(right):
        return (
            f"{left[0]} everywhere" if x.splat else "several values",
            f"{right[0]} everywhere" if y.splat else "several values",
        )
    wrong = Counter(k for k, (s, t) in enumerate(zip(left, right, strict=True)) if s != t)
    if not wrong:
        return "other bits", "other bits"
    k = min(wrong)
    return f"{left[k]} at {k}", f"{right[k]} at {k}, {len(wrong)} of {len(left)} elements differ"


def types_apart(x: Op, y: Op) -> tuple[str, str]:
    """The first type of a result that is another one; else how many results there are."""
    for s, t in zip(x.results, y.results, strict=False):
        if s.type != t.type:
            return str(s.type), str(t.type)
    return str(len(x.results)), str(len(y.results))
