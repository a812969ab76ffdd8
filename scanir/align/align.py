"""The order of the matchers: the surest first, each on what the ones before it left."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from scanir.align.graph import Graph, Numbers
from scanir.align.matchers import bottomup, context, exact, similar, structure, topdown, unique
from scanir.align.pairing import Pairing
from scanir.program import Program

#: In this order, for each pair of regions, outer before inner.
MATCHERS: tuple[ModuleType, ...] = (exact, structure, topdown, bottomup, context, unique, similar)


def align(a: Program, b: Program) -> Pairing:
    """Pair the ops of two programs of one dialect, functions from the entry on."""
    numbers = Numbers()
    left, right = Graph(a, "a", numbers), Graph(b, "b", numbers)
    pairing = Pairing(left, right)
    pairing.pair_blocks(left.block_of[id(left.entry().body)], right.block_of[id(right.entry().body)])
    while pairing.waiting:
        x, y = pairing.waiting.popleft()
        for matcher in MATCHERS:
            step: Callable[[Pairing, int, int], None] = matcher.match
            step(pairing, x, y)
    _moved(pairing)
    return pairing


def _moved(pairing: Pairing) -> None:
    """Ops that stand in another region on the other side: alike in full, and the only ones that are."""
    left = [k for k in range(len(pairing.left.nodes)) if _free(pairing.left, k, pairing.partner)]
    right = [k for k in range(len(pairing.right.nodes)) if _free(pairing.right, k, pairing.back)]
    theirs: dict[object, list[int]] = {}
    for b in right:
        theirs.setdefault(pairing.right.up[b], []).append(b)
    ours: dict[object, list[int]] = {}
    for a in left:
        ours.setdefault(pairing.left.up[a], []).append(a)
    for key, nodes in ours.items():
        others = theirs.get(key, [])
        if len(nodes) == len(others) == 1:
            pairing.pair(nodes[0], others[0], "moved")


def _free(graph: Graph, node: int, taken: dict[int, int]) -> bool:
    return node not in taken and not graph.nodes[node].is_constant
