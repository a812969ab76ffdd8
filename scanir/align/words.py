"""Ops and values of an edit in words: the right side's values under their names of the left side."""

from __future__ import annotations

import linecache

from scanir.align.graph import Graph, Source
from scanir.align.pairing import Pairing
from scanir.compare.attributes import constant_text
from scanir.ir.attrs import Attr, Symbol
from scanir.ir.types import TupleType, Type
from scanir.result import EditSide

#: Operands of one op that are shown.
SHOWN = 6
#: How far from an op without a line one is looked for.
STEPS = 4


class Words:
    """Texts of both sides of a pairing. ``lines`` False: no source lines (a normal form has none)."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        self._arguments = [self._named(graph) for graph in (pairing.left, pairing.right)]

    @staticmethod
    def _named(graph: Graph) -> dict[int, str]:
        interface = graph.program.interface
        names = {k: interface.arguments[at].name for k, at in enumerate(interface.kept) if at >= 0}
        params = graph.entry().body.params
        return {k: names.get(k) or value.name or f"argument {k}" for k, value in enumerate(params)}

    def graph(self, side: int) -> Graph:
        return self._pairing.right if side else self._pairing.left

    def value(self, side: int, source: Source) -> str:
        """``x``, ``0.5``, ``mul#2``: a value by its place, as the left side calls it."""
        if side:
            ours = self._back(source)
            if ours is not None:
                return self.value(0, ours)
        graph = self.graph(side)
        at, k = source
        if at < 0:
            block = graph.blocks[~at]
            if block.region is graph.entry().body:
                return self._arguments[side][k]
            return block.region.params[k].name or f"parameter {k}"
        node = graph.nodes[at]
        if node.is_constant:
            return self.constant(side, at)
        name = node.path.rpartition("/")[2].removeprefix("stablehlo.")
        return name if len(node.op.results) == 1 else f"result {k} of {name}"

    def _back(self, source: Source) -> Source | None:
        if source[0] < 0:
            return self._pairing.params_back.get(source)
        a = self._pairing.back.get(source[0])
        return None if a is None else (a, source[1])

    def constant(self, side: int, node: int) -> str:
        op = self.graph(side).nodes[node].op
        value: Attr | None = op.attribute("value")
        return constant_text(value).partition(" everywhere in ")[0]

    def op(self, side: int, node: int) -> str:
        """``mul(x, 0.5) -> f32[3]``."""
        graph = self.graph(side)
        op = graph.nodes[node].op
        types = ", ".join(_type(value.type) for value in op.results[:3])
        if graph.nodes[node].is_constant:
            return f"{self.constant(side, node)} {types}"
        shown = [self.value(side, source) for source in graph.inputs(node, SHOWN)]
        more = [f"{len(op.operands) - SHOWN} more"] if len(op.operands) > SHOWN else []
        callee = op.attribute("callee")
        name = f"{op.name} {callee.name}" if isinstance(callee, Symbol) else op.name
        return f"{name}({', '.join(shown + more)}) -> {types}{', ...' if len(op.results) > 3 else ''}"

    def side(self, side: int, node: int, changed: str, text: str = "") -> EditSide:
        """An op of one side as an edit has it."""
        graph = self.graph(side)
        file, line = self._line(side, node)
        code = linecache.getline(file, line).strip() if line else ""
        return EditSide(text or self.op(side, node), changed, graph.route(node), file, line, code)

    def _line(self, side: int, node: int) -> tuple[str, int]:
        """The line of an op; where it has none, that of what it feeds or is fed by, the nearest that has one."""
        graph = self.graph(side)
        near = [node]
        for _ in range(STEPS):
            for at in near:
                if (line := graph.nodes[at].line) is not None:
                    return line
            users = [user for at in near for user, _ in graph.uses.get((at, 0), ())[:SHOWN] if user >= 0]
            feeds = [source[0] for at in near for source in graph.inputs(at, SHOWN) if source[0] >= 0]
            near = [*dict.fromkeys((*users, *feeds))][:SHOWN]
        return "", 0


def _type(type: Type) -> str:
    """A type; of a long tuple its first elements: an edit is not to grow with the state that a loop carries."""
    if not isinstance(type, TupleType) or len(type.elements) <= SHOWN:
        return str(type)
    first = ", ".join(_type(element) for element in type.elements[:SHOWN])
    return f"({first}, {len(type.elements) - SHOWN} more)"
