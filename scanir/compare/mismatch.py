"""The first place where two normalized programs part, walking from the results down in parallel."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from scanir.compare.describe import Describer
from scanir.compare.reason import difference, types_of
from scanir.normalize.side import Side
from scanir.normalize.values import Table
from scanir.result import Mismatch

#: Pairs of terms looked at; a walk that ends here still has its first mismatch.
LIMIT = 100_000
#: Characters of a value that is named as having changed places.
NAMED = 48

#: For each side: term -> (path, line) of an op that computes it.
Origins = tuple[dict[int, tuple[str, str]], dict[int, tuple[str, str]]]


def first_mismatch(
    table: Table, sides: tuple[Side, Side], describers: tuple[Describer, Describer], origins: Origins
) -> Mismatch | None:
    """The first mismatch of two sides, None where they agree. ``origins``: term -> (path, line) on each side."""
    left, right = (_results(table, side) for side in sides)
    if len(left) != len(right):
        return Mismatch("results", "results", str(len(left) - 1), str(len(right) - 1), "the numbers of results differ")
    return _Walk(table, describers, origins).run(left, right)


def exchanged_places(
    table: Table, sides: tuple[Side, Side], describers: tuple[Describer, Describer], origins: Origins
) -> list[str]:
    """Paths of the ops whose operands the two sides have in another order."""
    left, right = (_results(table, side) for side in sides)
    walk = _Walk(table, describers, origins)
    if len(left) == len(right):
        walk.run(left, right)
    return walk.exchanges


def _results(table: Table, side: Side) -> list[int]:
    """Results with an outermost tuple (HLO) taken apart, the token last."""
    results = list(side.results)
    if len(results) == 2 and table.kind(results[0]) == "tuple":
        results[:1] = table.children(results[0])
    return results


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk is: the op that holds the two terms (-1: none), what they are to it, and the way there."""

    owner: tuple[int, int]
    role: str
    path: tuple[str, ...]


class _Walk:
    """``exchanges``: paths of the ops that have the same operands in another order."""

    def __init__(self, table: Table, describers: tuple[Describer, Describer], origins: Origins) -> None:
        self._table, self._describers, self._origins = table, describers, origins
        self._ends: Counter[tuple[str, str]] = Counter()
        self._first: Mismatch | None = None
        self.exchanges: list[str] = []

    def run(self, left: list[int], right: list[int]) -> Mismatch | None:
        """Depth first, so that the first mismatch is one that nothing above explains better."""
        if left != right and sorted(left) == sorted(right):
            return self._reordered(left, right, _Place((-1, -1), "results", ("results",)), "results")
        top = [
            (a, b, _Place((-1, -1), self._result(k, left, a, b), (f"result {k}",)))
            for k, (a, b) in enumerate(zip(left, right, strict=True))
        ]
        stack = top[::-1]
        seen: set[tuple[int, int]] = set()
        while stack and len(seen) < LIMIT:
            a, b, place = stack.pop()
            if a == b or (a, b) in seen:
                continue
            seen.add((a, b))
            if not self._alike(a, b):
                self._end(a, b, place)
                continue
            left_below, right_below = list(self._table.children(a)), list(self._table.children(b))
            if self._table.kind(a) in ("op", "call") and sorted(left_below) == sorted(right_below):
                self.exchanges.append(self._where((a, b), place)[0][0])
                found = self._reordered(left_below, right_below, place, f"operands of {self._name(a)}", (a, b))
                self._first = self._first or found
                continue
            stack.extend(self._below(a, b, place))
        return self._summary()

    def _result(self, k: int, results: list[int], a: int, b: int) -> str:
        return f"result {k}" if k < len(results) - 1 else "effects"

    def _below(self, a: int, b: int, place: _Place) -> list[tuple[int, int, _Place]]:
        """The corresponding children that differ, the first one last."""
        pairs = list(enumerate(zip(self._table.children(a), self._table.children(b), strict=True)))
        owner = (a, b) if self._table.kind(a) in ("op", "call", "sel", "loop") else place.owner
        name = self._name(a)
        path = (*place.path[-6:], name) if name else place.path
        return [
            (x, y, _Place(owner, self._role(a, k, place.role), (*path, str(k))))
            for k, (x, y) in reversed(pairs)
            if x != y
        ]

    def _name(self, term: int) -> str:
        kind, payload, _ = self._table.keys[term]
        match kind:
            case "op" | "sel" | "call":
                return str(payload[0])
            case "loop":
                return str(payload[1][0])
            case _:
                return ""

    def _role(self, term: int, k: int, above: str) -> str:
        """What child k is to a term."""
        kind, payload, children = self._table.keys[term]
        match kind:
            case "op" if self._table.kind(children[k]) == "fun":
                return f"the region of {payload[0]}"
            case "op" if k >= payload[3]:
                return f"the effects before {payload[0]}"
            case "op":
                return f"operand {k} of {payload[0]}"
            case "call":
                return f"argument {k - 1} of a call" if k else "the callee"
            case "sel":
                return f"what branch {k - 1} of {payload[0]} gives" if k else f"the predicate of {payload[0]}"
            case "loop":
                return self._loop_role(payload, k)
            case "ys":
                return "a stacked value of a loop" if k else above
            case _:
                return above

    def _loop_role(self, payload: tuple[object, ...], k: int) -> str:
        """Children of a loop are initial values, next values, condition."""
        slots = len(payload[2])  # type: ignore[arg-type]
        name = payload[1][0]  # type: ignore[index]
        if k < slots:
            return f"the initial value of a carry of the {name} loop"
        return f"the next value of a carry of the {name} loop" if k < 2 * slots else f"the condition of the {name} loop"

    def _alike(self, a: int, b: int) -> bool:
        """Whether two terms are of one form, so that they differ in their children alone."""
        (kind, payload, left), (other, other_payload, right) = self._table.keys[a], self._table.keys[b]
        if kind != other or len(left) != len(right) or not left:
            return False
        if kind in ("fun", "ys", "item"):  # their payloads hold heights, which follow from what is inside
            return True
        if kind == "loop":
            return bool(payload[1:] == other_payload[1:])
        return bool(payload == other_payload)

    # -- what is said
    # ------------------------------------------------------------------------------------------------------------------

    def _where(self, terms: tuple[int, int], place: _Place) -> list[tuple[str, str]]:
        """(path, line) of each side: of what computes the value, else of what holds it."""
        found = []
        for k in (0, 1):
            at = terms[k]
            while at not in self._origins[k] and at >= 0 and self._table.kind(at) in ("res", "ys", "proj"):
                at = self._table.children(at)[0]
            at = at if place.owner[k] < 0 or at in self._origins[k] else place.owner[k]
            found.append(self._origins[k].get(at, ("/".join(place.path), "")))
        return found

    def _text(self, side: int, term: int) -> str:
        effect = self._table.kind(term) in ("proj", "in") and self._table.payload(term) == "token"
        return self._describers[side].effect(term) if effect else self._describers[side].value(term)

    def _end(self, a: int, b: int, place: _Place) -> None:
        texts = self._text(0, a), self._text(1, b)
        self._ends[texts] += 1
        if self._first is not None:
            return
        (path, line), (other_path, other_line) = self._where((a, b), place)
        self._first = Mismatch(path, other_path, *texts, self._reason(a, b, place), line, other_line)

    def _reason(self, a: int, b: int, place: _Place) -> str:
        found = difference(self._table, a, b)
        same = self._table.kind(a) == self._table.kind(b) in ("op", "loop", "sel") and self._name(a) == self._name(b)
        if same and found:
            return found
        text = f"{place.role}: {found}" if found else f"{place.role} differs"
        return text + ("" if ": " in found else types_of(self._table, a, b))

    def _reordered(
        self, left: list[int], right: list[int], place: _Place, what: str, terms: tuple[int, int] = (-1, -1)
    ) -> Mismatch:
        """The mismatch of two lists of the same values in another order."""
        moved = [k for k, (x, y) in enumerate(zip(left, right, strict=True)) if x != y]
        numbers = " and ".join(map(str, moved)) if len(moved) == 2 else ", ".join(map(str, moved))
        how = "are exchanged" if len(moved) == 2 else "stand in another order"
        noun, _, of = what.partition(" of ")
        reason = f"{noun} {numbers}{f' of {of}' if of else ''} {how}"
        texts = [
            "; ".join(f"{k}: {self._text(side, terms_[k])}" for k in moved[:4])
            for side, terms_ in enumerate((left, right))
        ]
        (path, line), (other_path, other_line) = self._where(terms, place)
        return Mismatch(path, other_path, texts[0], texts[1], reason, line, other_line)

    def _summary(self) -> Mismatch | None:
        """If some values have changed places everywhere, say so."""
        first = self._first
        if first is None:
            return None
        swapped = sorted(
            {tuple(sorted(pair)) for pair in self._ends if (pair[1], pair[0]) in self._ends and pair[0] != pair[1]}
        )
        swapped = [pair for pair in swapped if max(map(len, pair)) <= NAMED]
        if not swapped:
            return first
        names = "; ".join(f"{x} and {y}" for x, y in swapped[:3])
        return Mismatch(
            first.left_path, first.right_path, first.left, first.right,
            f"{first.reason}: {names} changed places", first.left_line, first.right_line,
        )  # fmt: skip
