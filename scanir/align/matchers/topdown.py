"""Top-down: ops of which the same becomes, down to the results; first with all labels, then by names alone.

x -> [sin] -> mul -> y        below an edit ``down`` is equal, so mul is mul
"""

from __future__ import annotations

from scanir.align.graph import Graph
from scanir.align.matchers.groups import pair_groups
from scanir.align.pairing import Pairing

NAME = "top-down"


def match(pairing: Pairing, x: int, y: int) -> None:
    left, right = pairing.left, pairing.right
    pair_groups(pairing, x, y, lambda k: _used(left, k, left.down), lambda k: _used(right, k, right.down), NAME)
    pair_groups(
        pairing, x, y, lambda k: _used(left, k, left.loose_down), lambda k: _used(right, k, right.loose_down), NAME,
        alone=True,
    )  # fmt: skip


def _used(graph: Graph, node: int, downs: list[int]) -> int | None:
    """Of what nobody uses nothing becomes."""
    used = any((node, k) in graph.uses for k in range(len(graph.nodes[node].op.results)))
    return downs[node] if used else None
