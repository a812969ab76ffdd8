"""By structure: loops, branches and calls whose regions are the same, then those that are alone of their kind."""

from __future__ import annotations

from scanir.align.graph import Graph
from scanir.align.matchers.groups import pair_groups
from scanir.align.pairing import Pairing

NAME = "structure"


def match(pairing: Pairing, x: int, y: int) -> None:
    left, right = pairing.left, pairing.right
    pair_groups(pairing, x, y, lambda k: _inside(left, k), lambda k: _inside(right, k), NAME)
    pair_groups(pairing, x, y, lambda k: _kind(left, k), lambda k: _kind(right, k), NAME, alone=True)


def _inside(graph: Graph, node: int) -> object:
    digest = graph.digest(node)
    return (graph.nodes[node].loose, digest, graph.down[node]) if digest else None


def _kind(graph: Graph, node: int) -> object:
    return graph.nodes[node].op.name if graph.inner(node) else None
