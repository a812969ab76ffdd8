"""The parts of a random key's derivation in a person's words, and what of an op they are read from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scanir.ir.attrs import Array, Attr, Int, Opaque, Seq
from scanir.ir.elements import elements
from scanir.ir.graph import Op
from scanir.ir.types import TensorType

#: Steps of a derivation shown in full; of longer ones the first and last.
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a derivation: ``split``, ``fold_in``, ``seed`` or ``index``. ``same``: what tells it from others,
    ``data``: terms that it depends on besides the key."""

    kind: str
    text: str
    same: object
    data: tuple[int, ...] = ()


def affine(factor: Attr, offset: Attr) -> str:
    assert isinstance(factor, Int)
    assert isinstance(offset, Int)
    scaled = {1: "i", -1: "-i"}.get(factor.value, f"{factor.value}*i")
    return scaled if not offset.value else f"{scaled} {'+' if offset.value > 0 else '-'} {abs(offset.value)}"


def written(root: str, steps: list[Step]) -> str:
    """``split(key, 4)[i]``: the steps around the root, innermost first."""
    shown = steps
    if len(steps) > SHOWN:
        # The root stays the root of what is shown; the middle is only counted.
        half = SHOWN // 2
        middle = Step("more", f"{len(steps) - SHOWN} more steps", "")
        shown = [*steps[:half], middle, *steps[-half:]]
    text = root
    for step in reversed(shown):
        match step.kind:
            case "index":
                text = f"{text}{step.text}"
            case "more":
                text = f"({text}, {step.text})"
            case _:
                text = f"{step.kind}({text}{', ' if step.text else ''}{step.text})"
    return text


def constant(value: object) -> str:
    """A key in the program: its words."""
    if not isinstance(value, Array):
        return "a constant that is not shown"
    if not value.shape and not value.dtype.startswith("key"):
        return ", ".join(elements(value, 1))
    words = [int.from_bytes(value.data[k : k + 4], "little") for k in range(0, min(len(value.data), 16), 4)]
    return f"constant {value.dtype} ({', '.join(map(str, words))}{', ...' if len(value.data) > 16 else ''})"


def rows(op: Op) -> str:
    """How many keys a call of split gives."""
    type = op.results[0].type if op.results else None
    shape = type.shape if isinstance(type, TensorType) else ()
    return ", ".join(map(str, shape[:-1])) or "?"


def part_taken(op: Op) -> str | None:
    """The part of an array of keys that a slice takes: ``2``, ``1:3``, empty for all of them, None if unknown."""
    type = op.operands[0].type
    starts, limits = (_integers(op.attribute(name)) for name in ("start_indices", "limit_indices"))
    shape = type.shape if isinstance(type, TensorType) else ()
    if len(starts) != len(shape) or len(limits) != len(shape):
        return None
    parts = []
    raw = isinstance(type, TensorType) and type.dtype == "u32"
    for size, start, limit in list(zip(shape, starts, limits, strict=True))[: len(shape) - raw]:
        if (start, limit) != (0, size):
            parts.append(str(start) if limit == start + 1 else f"{start}:{limit}")
    return ", ".join(parts)


def _integers(attr: Attr | None) -> tuple[int, ...]:
    match attr:
        case Seq(items=items):
            return tuple(item.value for item in items if isinstance(item, Int))
        case Array():
            return tuple(int(text) for text in elements(attr, 8))
        case Opaque(text=text):
            return tuple(map(int, re.findall(r"\d+", text.split(":")[-1])))
        case _:
            return ()


def rank_of(type: object) -> int:
    return len(type.shape) if isinstance(type, TensorType) else 0


def is_words(type: object) -> bool:
    """One raw key: a row of words."""
    return isinstance(type, TensorType) and type.dtype == "u32" and len(type.shape) <= 1
