"""What a value that nobody reads would be: the class of a live one, or a number of its own.

A duplicate of a live op is `cse` also where nobody reads it, and one of an update of a dead slot is part of that slot.
So values that have no class are numbered from the classes on, each op by what it is and by its operands. Nothing rests
on these numbers but which of the two rules is said to apply.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from scanir.checker.layout import Node
from scanir.checker.ops import hands_on, neutral_operands
from scanir.checker.side import Side
from scanir.ir.attrs import Attr
from scanir.ir.graph import Op


class Unread:
    """``map``: the map of a side with a number for each value. ``again``: for each unread plain op that repeats a
    live one the class of that. ``copies``, ``neutral``: unread ops that are their operand, by number."""

    def __init__(self, side: Side) -> None:
        self._side = side
        count = len(side.classes)
        self.map = [count + position if c == -1 else c for position, c in enumerate(side.map)]
        self.again: dict[int, int] = {}
        self.copies: set[int] = set()
        self.neutral: set[int] = set()
        self._count = count
        self._ops: dict[tuple[int, ...], list[tuple[int, Op, tuple[int, ...]]]] = defaultdict(list)
        self._constants: dict[Attr, list[int]] = defaultdict(list)
        self._needed: set[int] = set()
        unread = [n for n in side.layout.nodes if n.kind in ("plain", "constant") and self._is_unread(n)]
        if not unread:
            return
        self._needed = {side.map[position] for position in side.needed}
        self._needed |= {side.classes[c].refs[0] for c in self._needed if c != -1 and side.classes[c].kind == "proj"}
        for c, entry in enumerate(side.classes):
            if entry.kind == "op" and not entry.lists[1]:
                named = side.node_of(entry)
                self._ops[entry.lists[0]].append((c, named.op, named.groups))
            elif entry.kind == "const" and (value := side.constant_of(entry)) is not None:
                self._constants[value].append(c)
        for node in unread:
            self._number(node)

    def _is_unread(self, node: Node) -> bool:
        positions = range(node.first, node.first + node.width)
        return node.token_out < 0 and not node.blocks and self._side.used.isdisjoint(positions)

    def of(self, positions: Sequence[int]) -> tuple[int, ...]:
        return tuple([self.map[position] for position in positions])

    def _number(self, node: Node) -> None:
        if node.kind == "constant":
            self._constant(node)
            return
        operands = self.of(node.operands)
        if self._is_copy(node):
            self.copies.add(node.number)
            self.map[node.first] = operands[0]
            return
        side = self._side
        if "exact-identities" in side.rules and (same := neutral_operands(side, node, self.map)):
            self.neutral.add(node.number)
            self.map[node.first] = operands[same[0]]
            return
        for wanted in (operands, operands[::-1]):
            for c, op, groups in self._ops.get(wanted, ()):
                if groups == node.groups and side.keys.ops(node.op, op) is not None:
                    self._repeat(node, c)
                    return
        if node.width:
            self._ops[operands].append((self.map[node.first], node.op, node.groups))

    def _repeat(self, node: Node, c: int) -> None:
        if c in self._needed:
            self.again[node.number] = c
        if node.width == 1:
            self.map[node.first] = c
        elif c >= self._count:
            for k in range(node.width):
                self.map[node.first + k] = c + k

    def _constant(self, node: Node) -> None:
        value, side = node.op.attribute("value"), self._side
        if value is None:
            return
        for c in self._constants[value]:
            type = side.type_of(side.classes[c]) if c < self._count else side.layout.types[c - self._count]
            if side.keys.types(side.layout.types[node.first], type) is not None:
                self.map[node.first] = c
                return
        self._constants[value].append(self.map[node.first])

    def _is_copy(self, node: Node) -> bool:
        side, op = self._side, node.op
        if "no-op" not in side.rules or not hands_on(op):
            return False
        allowed = op.name != "copy" or not side.hlo or "class:copies" in side.rules
        return allowed and side.keys.types(op.operands[0].type, op.results[0].type) is not None
