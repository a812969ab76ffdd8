"""Bindings: arguments of one side that the other side closes over as constants.

Found by walking both results in parallel; nothing is decided here: the binding is substituted and the programs compared again.
"""

from __future__ import annotations

from scanir.compare.pairing import Pairing
from scanir.normalize.side import Side
from scanir.normalize.values import Table


def unify(table: Table, sides: tuple[Side, Side], pairing: Pairing) -> dict[tuple[str, int], int]:
    """(side, argument) -> the constant term it must be; empty where an argument would need two."""
    free: dict[int, tuple[str, int]] = {}
    for side, alone in (("a", pairing.left), ("b", pairing.right)):
        for argument in alone:
            free[pairing.index(side, argument)] = (side, argument)
    found: dict[tuple[str, int], int] = {}
    if not free:
        return found
    seen: set[tuple[int, int]] = set()
    stack = list(zip(sides[0].results, sides[1].results, strict=False))
    while stack:
        pair = stack.pop()
        if pair[0] == pair[1] or pair in seen:
            continue
        seen.add(pair)
        for x, y in (pair, pair[::-1]):
            if _is_free(table, x, free) and table.kind(y) == "const":
                if found.setdefault(free[table.payload(x)[0]], y) != y:
                    return {}
        stack.extend(_below(table, *pair, free))
    return found


def _is_free(table: Table, term: int, free: dict[int, tuple[str, int]]) -> bool:
    return table.kind(term) == "in" and table.payload(term)[0] in free


def _below(table: Table, a: int, b: int, free: dict[int, tuple[str, int]]) -> list[tuple[int, int]]:
    """Children that correspond, if the two terms are of one form."""
    (kind, payload, left), (other, other_payload, right) = table.keys[a], table.keys[b]
    if kind != other or len(left) != len(right):
        return []
    if kind == "op" and payload[0] != other_payload[0]:
        return []
    straight = list(zip(left, right, strict=True))
    if kind == "op" and payload[4] == "exchange":
        # Structure put the operands in order, and an argument and a constant may stand in different places.
        crossed = [(left[0], right[1]), (left[1], right[0])]
        if _likeness(table, crossed, free) > _likeness(table, straight, free):
            return crossed
    return straight


def _likeness(table: Table, pairs: list[tuple[int, int]], free: dict[int, tuple[str, int]]) -> int:
    """How many of the pairs may correspond."""
    count = 0
    for x, y in pairs:
        same = x == y or table.keys[x][:2] == table.keys[y][:2]
        bound = any(_is_free(table, p, free) and table.kind(q) == "const" for p, q in ((x, y), (y, x)))
        count += same or bound
    return count
