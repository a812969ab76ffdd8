"""Which positions of a side its results and effects need, under the map of a certificate (O10).

Loops are followed slot by slot: a result needs one slot, and a slot's own update is no use of it. A loop all of whose
live results are their initial values is not needed itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scanir.checker import stacking
from scanir.checker.layout import Block, Layout, Node


class Liveness:
    """``live``: the positions. ``keep_dead``: a loop that is needed at all needs all its slots. ``proof``: what is only
    needed to show that a slot is invariant or a counter is live too. ``beside``: and what stands beside the operand
    that an op is, as the 1 of x * 1. ``closed``: a slot that is handed on as it is is none, unless something else needs
    it."""

    def __init__(
        self, layout: Layout, map: Sequence[int], roots: Iterable[int], *, keep_dead: bool, counters: frozenset[int],
        proof: bool = True, beside: bool = True, closed: bool = False,
    ) -> None:  # fmt: skip
        self._layout, self._map = layout, map
        self._keep_dead, self._proof, self._beside, self._counters = keep_dead, proof, beside, counters
        self._closed = closed
        self.live: set[int] = set()
        self._slots: set[tuple[int, int]] = set()
        self._loops: set[int] = set()
        self._blocks: set[int] = set()
        self._stack: list[int] = []
        self.need(roots)
        while self._stack:
            self._visit(self._stack.pop())

    def need(self, positions: Iterable[int]) -> None:
        for position in positions:
            if position not in self.live:
                self.live.add(position)
                self._stack.append(position)

    def _visit(self, position: int) -> None:
        node = self._layout.makers[position]
        role, k = self._layout.roles[position]
        if node is None:
            return
        if role == "slot":
            self._slot(node, k)
            if not self._unchanged(node, k, node.slots[k][1]):
                self._loop(node)
        elif role == "elem":
            source = stacking.copied(self._layout, node, position) if node.kind == "loop" else None
            if source is not None and self._map[source] == self._map[position]:
                self.need((source,))  # all elements are the one value, and the scanned copies of it are not needed
                return
            self.need((node.xs[k][1],))
            if node.kind == "loop":
                self._loop(node)
        elif role != "bound":
            self._result(node, role, k)

    def _result(self, node: Node, role: str, k: int) -> None:
        match node.kind:
            case "loop":
                carried = len(node.slots) - (1 if node.token_out >= 0 else 0)
                if role == "token" or k < carried:
                    slot = len(node.slots) - 1 if role == "token" else k
                    self._slot(node, slot)
                    if role != "token" and self._unchanged(node, slot, node.slots[slot][3]):
                        return
                else:
                    scanned = stacking.again(self._layout, node, k - carried)
                    if scanned is not None and self._map[scanned] == self._map[node.ys[k - carried][0]]:
                        self.need((scanned,))
                        return
                    self.need((node.ys[k - carried][1],))
                self._loop(node)
            case "branch":
                outcomes = [block.token_out if role == "token" else block.results[k] for block in node.blocks]
                self.need(outcomes)
                own = self._map[node.token_out if role == "token" else node.first + k]
                if own == -1 or own != self._map[outcomes[0]]:
                    self.need(node.operands[:1])
            case "trivial":
                if node.trips:
                    self.need((node.ys[k][1],))
            case _:
                self.need(node.operands if self._beside else self._copied(node))
                if node.token_in >= 0:
                    self.need((node.token_in,))
                for block in node.blocks:
                    self._block(block)

    def _unchanged(self, node: Node, k: int, position: int) -> bool:
        """Whether a value of a slot is its initial value; of one without a class, whether it is handed on as it is."""
        init, param, after, _ = node.slots[k]
        return self._map[init] == self._map[position] if self._map[init] != -1 else param == after

    def _copied(self, node: Node) -> tuple[int, ...]:
        """The operands of an op; of one that is one of its operands only that."""
        if len(node.operands) == 2 and node.width == 1 and node.token_out < 0 and not node.blocks:
            own = self._map[node.first]
            same = tuple([p for p in node.operands if self._map[p] == own != -1])
            return same[:1] or node.operands
        return node.operands

    def _block(self, block: Block) -> None:
        if id(block) not in self._blocks:
            self._blocks.add(id(block))
            self.need((*block.params, *block.results))
            if block.token_in >= 0:
                self.need((block.token_in, block.token_out))

    def _slot(self, node: Node, k: int) -> None:
        if (node.number, k) in self._slots:
            return
        self._slots.add((node.number, k))
        init, param, after, _ = node.slots[k]
        self.need((init, param))
        if self._proof or not (self._map[init] == self._map[param] or self._map[param] in self._counters):
            self.need((after,))

    def _loop(self, node: Node) -> None:
        if node.number in self._loops:
            return
        self._loops.add(node.number)
        self.need(node.conditions)
        if node.after >= 0:
            self.need((node.after,))
        if self._keep_dead:
            for k, (_, param, after, _) in enumerate(node.slots):
                closed = self._closed and param == after
                if not closed and (self._proof or not self._unchanged(node, k, param)):
                    self._slot(node, k)
