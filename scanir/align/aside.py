"""What allowed rules explain of single ops: dead work, copies and other ops that do nothing, duplicates, exchanges.

For the script only: no verdict rests on it. An op that is not known to be pure is never explained.
"""

from __future__ import annotations

from scanir.align.graph import Graph, Source
from scanir.costs.copies import COPIES
from scanir.normalize.identities import sees_nan_bits
from scanir.normalize.tables import commutative_ops, pure_ops

#: Ops that do nothing where the type of their result is that of their operand.
_NO_OPS = frozenset(
    {"convert", "convert_element_type", "stablehlo.convert", "reshape", "stablehlo.reshape", *COPIES}
)  # fmt: skip


class Aside:
    """One side under a set of rules."""

    def __init__(self, graph: Graph, rules: frozenset[str]) -> None:
        self._graph, self._rules = graph, rules
        self._pure, self._commutative = pure_ops(graph.module.dialect), commutative_ops(graph.module.dialect)
        self._seen = any(sees_nan_bits(node.op) for node in graph.nodes)
        self._dead: list[bool] = self._marked()
        self._first: dict[tuple[int, int, tuple[int, ...]], int] = {}
        for index, node in enumerate(graph.nodes):
            if self.pure(index) and not node.is_constant:
                self._first.setdefault((node.region, graph.up[index], graph.digest(index)), index)

    def pure(self, node: int) -> bool:
        return self._graph.nodes[node].op.name in self._pure

    def dead(self, node: int) -> bool:
        """Nobody reads it, and nothing would be missed."""
        return "dead-code" in self._rules and self._dead[node]

    def _marked(self) -> list[bool]:
        dead = [False] * len(self._graph.nodes)
        for index in range(len(dead) - 1, -1, -1):
            results = range(len(self._graph.nodes[index].op.results))
            users = [user for k in results for user, _ in self._graph.uses.get((index, k), ())]
            dead[index] = self.pure(index) and all(user >= 0 and dead[user] for user in users)
        return dead

    def explains(self, node: int) -> str:
        """The rule that explains an op without a partner, empty for none."""
        found = self._graph.nodes[node]
        if self._dead[node]:
            return "dead-code"
        if self._does_nothing(node):
            return "class:copies" if found.op.name in COPIES else "no-op"
        if self._first.get((found.region, self._graph.up[node], self._graph.digest(node)), node) != node:
            return "cse"
        return ""

    def _does_nothing(self, node: int) -> bool:
        op = self._graph.nodes[node].op
        if op.name not in _NO_OPS or len(op.operands) != 1 or len(op.results) != 1:
            return False
        return self._graph.eraser.type(op.operands[0].type) == self._graph.eraser.type(op.results[0].type)

    def through(self, source: Source) -> Source:
        """The value itself, behind what does nothing, and the first of duplicates."""
        graph = self._graph
        while source[0] >= 0:
            node = source[0]
            rule = "class:copies" if graph.nodes[node].op.name in COPIES else "no-op"
            if rule in self._rules and self._does_nothing(node):
                source = graph.inputs(node)[0]
                continue
            if "cse" in self._rules:
                found = graph.nodes[node]
                first = self._first.get((found.region, graph.up[node], graph.digest(node)), node)
                return (first, source[1])
            break
        return source

    def exchange(self, node: int) -> bool:
        """Whether the two operands of an op may exchange."""
        op = self._graph.nodes[node].op
        if "commutative" not in self._rules or op.name not in self._commutative:
            return False
        dtype = getattr(op.operands[0].type, "dtype", "")
        exact = dtype == "bool" or dtype.lstrip("u").startswith("i")
        return exact or not self._seen
