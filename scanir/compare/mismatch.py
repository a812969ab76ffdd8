"""The first place where two normalized programs part, walking from the results down in parallel."""

from __future__ import annotations

from collections import Counter
from typing import Any

from scanir.compare.describe import Describer, constant_text
from scanir.ir.printer import Style, print_attr
from scanir.normalize.reify import attr_of_key
from scanir.normalize.side import Side
from scanir.normalize.values import Table
from scanir.result import Mismatch

#: Pairs of terms looked at; a walk that ends here still has its first mismatch.
LIMIT = 100_000
#: Characters of an attribute that are shown.
SHOWN = 80


def first_mismatch(
    table: Table,
    sides: tuple[Side, Side],
    describers: tuple[Describer, Describer],
    origins: tuple[dict[int, tuple[str, str]], dict[int, tuple[str, str]]],
) -> Mismatch | None:
    """The first mismatch of two sides, None where they agree. ``origins``: term -> (path, line) on each side."""
    left, right = (list(side.results) for side in sides)
    for results in (left, right):
        if len(results) == 2 and table.kind(results[0]) == "tuple":
            results[:1] = table.children(results[0])
    if len(left) != len(right):
        return Mismatch("results", "results", str(len(left) - 1), str(len(right) - 1), "the numbers of results differ")
    found = _Walk(table, describers, origins)
    return found.run(list(zip(left, right, strict=True)))


class _Walk:
    def __init__(
        self,
        table: Table,
        describers: tuple[Describer, Describer],
        origins: tuple[dict[int, tuple[str, str]], dict[int, tuple[str, str]]],
    ) -> None:
        self._table, self._describers, self._origins = table, describers, origins
        self._ends: Counter[tuple[str, str]] = Counter()
        self._first: Mismatch | None = None

    def run(self, pairs: list[tuple[int, int]]) -> Mismatch | None:
        """Depth first, so that the first mismatch is one that nothing above explains better."""
        stack: list[tuple[int, int, tuple[str, ...], tuple[int, int]]] = [
            (a, b, (f"result {k}",), (-1, -1)) for k, (a, b) in reversed(list(enumerate(pairs)))
        ]
        seen: set[tuple[int, int]] = set()
        while stack and len(seen) < LIMIT:
            a, b, path, owner = stack.pop()
            if a == b or (a, b) in seen:
                continue
            seen.add((a, b))
            below = self._below(a, b)
            if below is None:
                self._end(a, b, path, owner)
                continue
            here = self._step(a, path)
            holder = (a, b) if self._table.kind(a) in ("op", "call", "sel") else owner
            stack.extend((x, y, (*here, str(k)), holder) for k, (x, y) in reversed(list(enumerate(below))) if x != y)
        return self._summary()

    def _step(self, term: int, path: tuple[str, ...]) -> tuple[str, ...]:
        kind, payload, _ = self._table.keys[term]
        name = (
            payload[0]
            if kind == "op"
            else payload[1][0]
            if kind == "loop"
            else payload[0]
            if kind in ("sel", "call")
            else ""
        )
        return (*path[-6:], str(name)) if name else path[-7:]

    def _below(self, a: int, b: int) -> list[tuple[int, int]] | None:
        """Corresponding children where both terms are of one form; None where they part here."""
        (kind, payload, left), (other, other_payload, right) = self._table.keys[a], self._table.keys[b]
        if kind != other or len(left) != len(right) or not left:
            return None
        if kind in ("loop", "fun", "ys", "item"):
            same = kind != "loop" or (payload[1], payload[2], payload[3]) == (
                other_payload[1],
                other_payload[2],
                other_payload[3],
            )
            return list(zip(left, right, strict=True)) if same else None
        if payload != other_payload:
            return None
        return list(zip(left, right, strict=True))

    def _end(self, a: int, b: int, path: tuple[str, ...], owner: tuple[int, int]) -> None:
        texts = self._describers[0].value(a), self._describers[1].value(b)
        self._ends[texts] += 1
        if self._first is not None:
            return
        at = (
            a if owner[0] < 0 or a in self._origins[0] else owner[0],
            b if owner[1] < 0 or b in self._origins[1] else owner[1],
        )
        places = [self._origins[k].get(at[k], ("/".join(path), "")) for k in (0, 1)]
        self._first = Mismatch(
            places[0][0], places[1][0], texts[0], texts[1], self._reason(a, b, owner, path), places[0][1], places[1][1]
        )

    def _reason(self, a: int, b: int, owner: tuple[int, int], path: tuple[str, ...]) -> str:
        (kind, payload, left), (other, other_payload, right) = self._table.keys[a], self._table.keys[b]
        if kind == other == "op":
            if payload[0] != other_payload[0]:
                return f"{payload[0]} against {other_payload[0]}"
            if payload[1] != other_payload[1]:
                return f"{payload[0]}: {_attributes(payload[1], other_payload[1])}"
            if payload[2] != other_payload[2]:
                return f"{payload[0]}: result type {_types(payload[2])} against {_types(other_payload[2])}"
            return f"{payload[0]}: {len(left)} against {len(right)} operands"
        if kind == other == "const":
            return f"constants differ{_first_index(payload[0], other_payload[0])}"
        if kind == other == "loop":
            if payload[1] != other_payload[1]:
                return f"loops differ in {_attributes(payload[1][1], other_payload[1][1]) or 'kind'}"
            return f"loops differ: {len(payload[2])} against {len(other_payload[2])} carried values that vary"
        if owner[0] >= 0 and self._table.kind(owner[0]) == "op":
            return f"operand {path[-1]} of {self._table.payload(owner[0])[0]} differs"
        return "they differ here"

    def _summary(self) -> Mismatch | None:
        """If some values have changed places everywhere, say so."""
        first = self._first
        if first is None:
            return None
        swapped = sorted(
            {tuple(sorted(pair)) for pair in self._ends if (pair[1], pair[0]) in self._ends and pair[0] != pair[1]}
        )
        if not swapped:
            return first
        names = "; ".join(f"{x} and {y}" for x, y in swapped[:3])
        return Mismatch(
            first.left_path, first.right_path, first.left, first.right,
            f"{first.reason}: {names} changed places", first.left_line, first.right_line,
        )  # fmt: skip


def _attributes(a: Any, b: Any) -> str:
    """Names and values of the attributes that differ."""
    try:
        left, right = dict(a), dict(b)
    except (TypeError, ValueError):
        return ""
    names = [name for name in sorted(left.keys() | right.keys()) if left.get(name) != right.get(name)]
    return "; ".join(f"{name} = {_contrast(left.get(name), right.get(name))}" for name in names[:3])


def _contrast(a: Any, b: Any) -> str:
    """Two attributes side by side; of long ones the part around the first difference."""
    left, right = (
        "absent" if value is None else print_attr(attr_of_key(value), Style(digests=True)) for value in (a, b)
    )
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


def _types(types: tuple[object, ...]) -> str:
    return ", ".join(map(str, types))


def _first_index(a: Any, b: Any) -> str:
    """Where two constants of one type differ first."""
    if getattr(a, "shape", None) != getattr(b, "shape", None) or getattr(a, "splat", True) or getattr(b, "splat", True):
        return f": {constant_text(a)} against {constant_text(b)}"
    left, right = a.data, b.data
    count = 1
    for dim in a.shape:
        count *= int(dim)
    width = max(1, len(left) // max(1, count))
    low, high = 0, len(left)
    while high - low > 1:  # the first differing byte by bisection over prefixes
        middle = (low + high) // 2
        low, high = (middle, high) if left[low:middle] == right[low:middle] else (low, middle)
    return f" first at flat index {low // width}"
