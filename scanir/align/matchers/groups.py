"""Pairs by equal numbers: what two lists of nodes have in common, group by group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable

from scanir.align.pairing import Pairing

Key = Callable[[int], Hashable]


def pair_groups(pairing: Pairing, x: int, y: int, left: Key, right: Key, matcher: str, *, alone: bool = False) -> None:
    """Pair the free nodes of two regions that have equal keys, in written order, where both sides have as many of a
    key (``alone``: one each). Nodes whose key is None are left out."""
    groups: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, (nodes, key) in enumerate(zip(pairing.free(x, y), (left, right), strict=True)):
        for node in nodes:
            if (found := key(node)) is not None:
                groups[found][side].append(node)
    for ours, theirs in groups.values():
        if len(ours) == len(theirs) and (len(ours) == 1 or not alone):
            for a, b in zip(ours, theirs, strict=True):
                pairing.pair(a, b, matcher)
