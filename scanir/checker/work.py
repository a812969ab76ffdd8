"""What sharing hides: how often and where each value is computed, what is dead, what is guarded (O10, O11, O13).

From it follow the rules `cse`, `hoisting` and `dead-code`, and the assumption that a `while` terminates which is left
out, or stands under other branches and loops on the other side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TypeAlias

from scanir.checker.interface import BOTH, Use
from scanir.checker.layout import Node
from scanir.checker.side import Side
from scanir.checker.unread import Unread
from scanir.ir.structure import WHILES

Place: TypeAlias = "tuple[str, int, int]"
TOP: Place = ("", 0, 0)


class Work:
    """``counts[class][place]``; ``dead``: nodes by name and types; ``dropped``: dead `while`s; ``guards`` of each
    `while` class."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self.counts: dict[int, dict[Place, int]] = defaultdict(dict)
        self.dead: dict[tuple[str, str], list[Node]] = defaultdict(list)
        self.dropped: list[Node] = []
        self.guards: dict[int, set[tuple[Place, ...]]] = defaultdict(set)
        self._walked: dict[int, int] = {}
        self._repeated: set[int] = set()
        self._unread = Unread(side)
        self._needed = side.classes_of(side.needed)
        #: What the updates of dead slots are.
        self._updates = {self._unread.map[p] for p in side.updates if p not in side.live}
        #: What says how often a loop runs, and next values that the number of the trip, or the start, says already.
        self._said = side.folded | {
            after
            for node in side.layout.nodes
            for init, param, after, _ in node.slots
            if side.map[param] != -1 and (side.map[param] == side.map[init] or side.map[param] in side.counters)
        }
        self._buried: set[int] = set()
        for node in side.layout.nodes:
            around = -1 if node.place is None else node.place[0].number
            if around in self._repeated:
                self._repeated.add(node.number)
            elif around in self._buried:
                self._buried.add(node.number)
            if around not in self._repeated and node.kind not in ("constant", "inline", "trivial"):
                self._count(node)

    def _count(self, node: Node) -> None:
        side = self._side
        positions = [*range(node.first, node.first + node.width), *([node.token_out] if node.token_out >= 0 else [])]
        if node.number in self._buried:
            if not self._is_operand(node):
                self._dead(node)
        elif any(side.map[position] != -1 for position in positions):
            value = self._value(node, positions)
            if value in self._needed:
                self._live(node, value)
            elif node.kind == "loop" or not (value is None or value in self._updates or node.first in self._said):
                self._dead(node)  # all its results are initial values, or only a proof needs it
        elif id(node.op) in side.layout.dropped or not any(p in side.used or p in side.updates for p in positions):
            again = self._unread.again.get(node.number)
            if again is not None:
                self._live(node, again)
            elif not self._is_operand(node) and (id(node.op) in side.layout.dropped or not self._is_update(node)):
                self._dead(node)  # leaving out what else has an effect is this rule, whoever reads the result

    def _is_update(self, node: Node) -> bool:
        """Whether an unread op repeats one that only the update of a dead slot needs."""
        return node.width > 0 and self._unread.map[node.first] in self._updates

    def _is_operand(self, node: Node) -> bool:
        """Whether an unread op is its operand, and so no work."""
        if node.number in self._unread.neutral:
            self._side.use("exact-identities", node.number)
        elif node.number in self._unread.copies:
            self._side.use("no-op", node.number)
        else:
            return False
        return True

    def _dead(self, node: Node) -> None:
        types = ", ".join(str(result.type) for result in node.op.results)
        self.dead[node.op.name, types].append(node)
        if node.op.name in WHILES:
            self.dropped.append(node)
        if node.kind == "loop" or node.blocks:
            self._buried.add(node.number)

    def _live(self, node: Node, value: int) -> None:
        place, counts = self._place(node), self.counts[value]
        counts[place] = counts.get(place, 0) + 1
        if node.kind == "loop":
            if self._walked.setdefault(value, node.number) != node.number:
                self._repeated.add(node.number)
            if node.op.name in WHILES:
                self.guards[value].add(tuple(self._around(node)))

    def _value(self, node: Node, positions: list[int]) -> int | None:
        """The class that stands for the work of a live op; None where it is none."""
        side = self._side
        if node.kind == "loop":
            return side.loop_class(node)
        if node.kind == "branch":
            found = [side.map[p] for p in positions if side.map[p] != -1]
            return next((c for c in found if side.classes[c].kind == "sel" and c not in self._outcomes(node)), None)
        c = side.op_class(node)
        operands = side.of(node.operands)
        return None if node.width == 1 and not node.blocks and side.map[node.first] in operands else c

    def _outcomes(self, node: Node) -> set[int]:
        return {self._side.map[p] for block in node.blocks for p in (*block.results, block.token_out)}

    def _place(self, node: Node) -> Place:
        return TOP if node.place is None else next(self._around(node), TOP)

    def _around(self, node: Node) -> Iterator[Place]:
        """The binders and branches around a node, innermost first."""
        side, place = self._side, node.place
        while place is not None:
            around, index = place
            if around.kind == "loop":
                loop = side.loop_class(around)
                if loop is not None:
                    yield ("loop", loop, 0)
            elif around.kind == "branch":
                selector = around.operands[0]
                if selector in side.needed:
                    yield ("branch", side.map[selector], index)
            elif (op := side.op_class(around)) is not None and index < len(side.classes[op].lists[1]):
                yield ("region", side.classes[op].lists[1][index], 0)
            place = around.place


def differences(a: Work, b: Work) -> Iterator[Use]:
    """The rules among cse, hoisting and dead-code that the two sides need, and for what."""
    for value in sorted(a.counts.keys() | b.counts.keys()):
        left, right = a.counts.get(value, {}), b.counts.get(value, {})
        if left == right:
            continue
        total = sum(left.values()) - sum(right.values())
        if total:
            yield "cse", BOTH, value
        if set(left) != set(right) and not (total and (set(left) <= set(right) or set(right) <= set(left))):
            yield "hoisting", BOTH, value
    for key in sorted(a.dead.keys() | b.dead.keys()):
        left_nodes, right_nodes = a.dead.get(key, []), b.dead.get(key, [])
        if len(left_nodes) != len(right_nodes):
            longer, side = (left_nodes, 0) if len(left_nodes) > len(right_nodes) else (right_nodes, 1)
            yield "dead-code", side, longer[0].number


def assumptions(a: Work, b: Work) -> Iterator[tuple[int, int]]:
    """Each `while` that must terminate: (side, op) of one left out, (2, class) of one that is guarded otherwise."""
    for side, work in enumerate((a, b)):
        yield from ((side, node.number) for node in work.dropped)
    for value in a.guards.keys() | b.guards.keys():
        if a.guards.get(value) != b.guards.get(value):
            yield BOTH, value
