"""What a value that nobody reads would be: the class of a live one, or a number of its own.

A duplicate of a live op is `cse` also where nobody reads it, and one of an update of a dead slot is part of that slot.
So values that have no class are numbered from the classes on: ops by what they are and by their operands, slots that
start and go on alike as one. Nothing rests on these numbers but which of the two rules is said to apply.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from scanir.checker.layout import Node
from scanir.checker.ops import hands_on, neutral_operands
from scanir.checker.side import Side
from scanir.ir.attrs import Attr
from scanir.ir.graph import Op

#: How often slots that were taken for one are told apart again; where that is too seldom none is taken for another.
ROUNDS = 6
_CALLEE = frozenset({"callee"})


class Unread:
    """``map``: the map of a side with a number for each value. ``again``: for each unread op that repeats a live one
    the class of that. ``copies``, ``neutral``: unread ops that are their operand, by number."""

    def __init__(self, side: Side) -> None:
        self._side, self._count = side, len(side.classes)
        self.map: list[int] = []
        self.again: dict[int, int] = {}
        self.copies: set[int] = set()
        self.neutral: set[int] = set()
        self._unread = [n for n in side.layout.nodes if n.kind in ("plain", "constant", "call") and self._is_unread(n)]
        if not self._unread:
            self.map = [self._count + position if c == -1 else c for position, c in enumerate(side.map)]
            return
        loops = [n for n in side.layout.nodes if n.kind == "loop" and any(side.map[p] == -1 for _, p, _, _ in n.slots)]
        self._walk = sorted([*self._unread, *loops], key=lambda node: node.number)
        self._needed = side.classes_of(side.needed)
        self._read()
        groups: dict[tuple[int, int], Any] = {}
        for _ in range(ROUNDS):
            self._pass(groups)
            if not self._split(groups, loops):
                break
        else:
            self._pass({(node.number, k): k for node in loops for k in range(len(node.slots))})
        for rule, at in self._taken:
            side.use(rule, at)

    def of(self, positions: Sequence[int]) -> tuple[int, ...]:
        return tuple([self.map[position] for position in positions])

    def _is_unread(self, node: Node) -> bool:
        positions = range(node.first, node.first + node.width)
        closed = not node.blocks or node.kind == "call"
        return node.token_out < 0 and closed and self._side.used.isdisjoint(positions)

    def _read(self) -> None:
        """What there is to be repeated: live ops, calls and constants, by operands and by value."""
        side = self._side
        self._live: dict[tuple[Any, tuple[int, ...]], list[tuple[int, Op, tuple[int, ...]]]] = defaultdict(list)
        self._shown: dict[Attr, list[int]] = defaultdict(list)
        self._parts: dict[tuple[int, int], int] = {}
        self._callees: dict[int, int] = {}
        for node in side.layout.nodes:
            if node.kind == "call" and (call := side.op_class(node)) is not None:
                self._callees[id(node.blocks[0])] = side.classes[call].refs[0]
        for c, entry in enumerate(side.classes):
            if entry.kind == "op" and not entry.lists[1]:
                named = side.node_of(entry)
                self._live[None, entry.lists[0]].append((c, named.op, named.groups))
            elif entry.kind == "call":
                named = side.node_of(entry)
                self._live[entry.refs[0], entry.refs[1:]].append((c, named.op, named.groups))
            elif entry.kind == "proj":
                self._parts[entry.refs[0], entry.number] = c
            elif entry.kind == "const" and (value := side.constant_of(entry)) is not None:
                self._shown[value].append(c)

    def _pass(self, groups: dict[tuple[int, int], Any]) -> None:
        """Number everything in reading order. Slots of one start are taken for one where they are of one group."""
        self.map = [self._count + position if c == -1 else c for position, c in enumerate(self._side.map)]
        self.again.clear()
        self.copies.clear()
        self.neutral.clear()
        #: What slots were taken for others by, and of which loop.
        self._taken: list[tuple[str, int]] = []
        self._ops: dict[tuple[Any, tuple[int, ...]], list[tuple[int, Op, tuple[int, ...]]]] = defaultdict(list)
        self._constants: dict[Attr, list[int]] = defaultdict(list)
        for node in self._walk:
            if node.kind == "loop":
                self._slots(node, groups)
            elif node.kind == "constant":
                self._constant(node)
            else:
                self._number(node)

    # -- slots
    # -----------------------------------------------------------------------------------------------------------

    def _slots(self, node: Node, groups: dict[tuple[int, int], Any]) -> None:
        """An unread slot that is handed on is its start; of those that start alike the first stands for all."""
        side = self._side
        first: dict[tuple[int, str, Any], int] = {}
        order = sorted(range(len(node.slots)), key=lambda k: side.map[node.slots[k][1]] == -1)  # those with a class
        for k in order:
            init, param, after, result = node.slots[k]
            constant = self.map[init] < self._count and side.classes[self.map[init]].kind == "const"
            closing = "constant-carry" if constant else "carry-closure"
            if side.map[param] == -1 and param == after and closing in side.rules:
                self._taken.append((closing, node.number))
                self.map[param] = self.map[result] = self.map[init]
            elif "duplicate-carry" in side.rules:
                key = (self.map[init], str(side.layout.types[param]), groups.get((node.number, k), 0))
                other = first.setdefault(key, k)
                if other != k and side.map[param] == -1:
                    self._taken.append(("duplicate-carry", node.number))
                    _, self.map[param], _, self.map[result] = self.of(node.slots[other])
        elements: dict[int, int] = {}
        for element, xs in node.xs:
            if self.map[element] >= self._count:
                self.map[element] = elements.setdefault(self.map[xs], self.map[element])
            else:
                elements[self.map[xs]] = self.map[element]

    def _split(self, groups: dict[tuple[int, int], Any], loops: Sequence[Node]) -> bool:
        """Tell slots apart that were taken for one and go on otherwise; whether there were any."""
        found = False
        for node in loops:
            steps: dict[int, int] = {}
            for k, (_, param, after, _) in enumerate(node.slots):
                if steps.setdefault(self.map[param], self.map[after]) != self.map[after]:
                    groups[node.number, k] = (groups.get((node.number, k), 0), self.map[after])
                    found = True
        return found

    # -- ops
    # -------------------------------------------------------------------------------------------------------------

    def _number(self, node: Node) -> None:
        operands, side = self.of(node.operands), self._side
        if self._is_copy(node):
            self.copies.add(node.number)
            self.map[node.first] = operands[0]
            return
        if "exact-identities" in side.rules and (same := neutral_operands(side, node, self.map)):
            self.neutral.add(node.number)
            self.map[node.first] = operands[same[0]]
            return
        block = id(node.blocks[0]) if node.blocks else None
        callee = None if block is None else self._callees.get(block, ("of", block))
        dropped = _CALLEE if node.kind == "call" else frozenset()
        for wanted in (operands, operands[::-1]):
            for c, op, groups in (*self._live.get((callee, wanted), ()), *self._ops.get((callee, wanted), ())):
                if groups == node.groups and side.keys.ops(node.op, op, dropped) is not None:
                    self._repeat(node, c)
                    return
        if node.width:
            self._ops[callee, operands].append((self.map[node.first], node.op, node.groups))

    def _repeat(self, node: Node, c: int) -> None:
        if c in self._needed:
            self.again[node.number] = c
        for k in range(node.width):
            if node.width == 1:
                self.map[node.first] = c
            elif c >= self._count:
                self.map[node.first + k] = c + k
            else:
                self.map[node.first + k] = self._parts.get((c, k), self.map[node.first + k])

    def _constant(self, node: Node) -> None:
        value, side = node.op.attribute("value"), self._side
        if value is None:
            return
        for c in (*self._shown.get(value, ()), *self._constants[value]):
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
