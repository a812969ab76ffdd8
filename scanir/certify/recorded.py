"""One recorded side, laid out as the checker lays it out, with the term of each position.

The layout is the checker's own; this one only answers its questions (is this call entered, does this loop make 0 or 1
trips) from what the evaluation did, and follows the traces of regions beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scanir.certify.classes import Converter
from scanir.checker.effects import droppable
from scanir.checker.layout import INLINE, LEMMA, LOOP, Block, Layout, Node
from scanir.ir.graph import Module, Region, Value
from scanir.ir.steps import Steps
from scanir.ir.structure import CallView, LoopView
from scanir.ir.types import Type
from scanir.normalize.binders import Trace

#: More than any module that was evaluated within its budget has.
UNLIMITED = 1 << 60


class Recorded(Layout):
    """``shape``: the answers. ``map``: the class of each position, -1 for those that have none.

    ``parts``: trace and converter of each function that stayed a call. ``passed``: parameters through which the
    interface passes constants.
    """

    def __init__(
        self, module: Module, trace: Trace, converter: Converter, parts: dict[str, tuple[Trace, Converter]],
        kept: frozenset[str], skipped: frozenset[int], passed: frozenset[int],
    ) -> None:  # fmt: skip
        self.shape: list[int] = []
        self.map: list[int] = []
        self._parts, self._kept = parts, kept
        self._choice = 0
        self._binding = False
        self._traces: list[tuple[Trace, int, Converter]] = []
        self._expected: list[tuple[Trace, int]] = [(trace, 0)]
        self._converter = converter
        self._waiting: list[tuple[Value, int, int]] = []
        self._waiting_token = -1
        self._ops: dict[int, dict[int, int]] = {}
        self.dropped_numbers = [k for k, op in enumerate(droppable(module)) if id(op) in skipped]
        self.passed = passed
        super().__init__(module, (), self.dropped_numbers, UNLIMITED)

    # -- what the layout asks
    # ------------------------------------------------------------------------------------------

    def _choose(self, most: int) -> int:
        self.shape.append(self._choice)
        self.choices += 1
        return self._choice

    def _loop(self, node: Node, loop: LoopView) -> Steps[Any]:
        trace = self._take()
        if trace.kind == "trivial":
            self._choice = 1 + int(trace.label)
            self._expected += [(inner, 0) for inner in reversed(trace.inner)]
        else:
            self._choice = LOOP
            self._expected.append((trace, 0 if loop.condition is None else 1))
            if loop.condition is not None:
                self._expected.append((trace.inner[0], 0))
        return super()._loop(node, loop)

    def _call(self, node: Node, call: CallView) -> Steps[Any]:
        self._choice = LEMMA if call.callee in self._kept else INLINE
        if self._choice == INLINE:
            self._expected.append((self._take(), 0))
        return super()._call(node, call)

    def _lemma(self, name: str) -> Steps[Block]:
        if name in self.lemmas:
            return super()._lemma(name)
        return self._part(name)

    def _part(self, name: str) -> Steps[Block]:
        trace, converter = self._parts[name]
        before, self._converter = self._converter, converter
        self._expected.append((trace, 0))
        block = yield super()._lemma(name)
        self._converter = before
        return block  # type: ignore[no-any-return]

    def _take(self) -> Trace:
        """The trace of the next region inside the current one."""
        trace, used, converter = self._traces.pop()
        self._traces.append((trace, used + 1, converter))
        return trace.inner[used]

    def _region(self, region: Region) -> Steps[tuple[int, ...]]:
        expected = self._expected
        trace, used = expected.pop() if expected else (self._take(), 0)
        self._expected = []
        self._traces.append((trace, used, self._converter))
        later = []
        for value, leaf, position in self._waiting:
            if value in trace.values:
                self.map[position] = self._leaf(trace.values[value], leaf)
            else:
                later.append((value, leaf, position))
        self._waiting = later
        if self._waiting_token >= 0:
            self.map[self._waiting_token] = self._leaf(trace.tokens[0], 0)
            self._waiting_token = -1
        self._ops[id(trace)] = {id(op): k for k, op in enumerate(region.ops)}
        results = yield super()._region(region)
        self._traces.pop()
        self._expected = expected
        return results  # type: ignore[no-any-return]

    # -- the class of each position
    # ------------------------------------------------------------------------------------

    def _leaf(self, term: int, leaf: int) -> int:
        leaves = self._converter.leaves(term)
        return leaves[leaf] if leaf < len(leaves) else -1

    def _values(self, values: Sequence[Value], maker: Node | None, role: str, start: int = 0) -> tuple[int, ...]:
        first = len(self.types)
        self._binding = True
        found = super()._values(values, maker, role, start)
        self._binding = False
        at = first
        for value in values:
            leaves = self._env[value]
            for leaf in range(1 if isinstance(leaves, int) else len(leaves)):
                if role in ("result", "elem") and value in self._traces[-1][0].values:
                    self.map[at] = self._leaf(self._traces[-1][0].values[value], leaf)
                else:
                    self._waiting.append((value, leaf, at))
                at += 1
        return found

    def _new(self, type: Type, maker: Node | None, role: str, k: int) -> int:
        position = super()._new(type, maker, role, k)
        self.map.append(-1)
        if not self._binding:  # the thread of effects, and no value of the module
            if role == "token" and maker is not None:
                trace = self._traces[-1][0]
                self.map[position] = self._leaf(trace.tokens[self._ops[id(trace)][id(maker.op)] + 1], 0)
            else:
                self._waiting_token = position
        return position
