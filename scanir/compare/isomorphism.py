"""IDENTICAL: one bijection of all ops of both programs, dead ones too, found by forced pairing and then checked.

Operands and results are ordered, so from the results down there is at most one way to pair ops; effects pair in their
order; what is left (dead work) is paired by its operands. Nothing is normalized here. Constants are values: how often
one is written down does not count. Linear in the number of ops.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from scanir.ir.graph import Function, Module, Op, Region, Value
from scanir.ir.summary import mentions, summaries
from scanir.normalize.classes import facts
from scanir.normalize.effects import callee_order, effects_of
from scanir.normalize.erase import Eraser
from scanir.program import Program


class Isomorphism:
    """Pairs two programs. `holds` answers; then ``ordered`` tells whether paired ops are written in the same order, and
    ``renamed`` lists functions that are paired under unlike names."""

    def __init__(
        self, a: Program, b: Program, *, guess: bool = False, settled: bool = False,
        rules: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        self._modules = (a.module, b.module)
        self._mentions = tuple(mentions(module) for module in self._modules)
        self._functions = tuple({function.name: function for function in m.functions} for m in self._modules)
        self._erasers = (
            Eraser(a.module, "a", rules, guess=guess, settled=settled),
            Eraser(b.module, "b", rules, guess=guess, settled=settled),
        )
        for eraser in self._erasers:
            eraser.symbol = lambda name: "function"
        self._effects = tuple(effects_of(m) for m in self._modules if not callee_order(m)[1])
        self.ordered = True
        self.renamed: dict[tuple[str, str], None] = {}
        #: Pairs of closed regions that are alike, or are being looked at.
        self._closed: set[tuple[int, int]] = set()
        self._pending: list[tuple[Region, Region]] = []
        #: Of each pair of closed regions (by `id`) which op is which (by `id`), where somebody asks for it.
        self.kept: dict[tuple[int, int], dict[int, Op]] | None = None

    def holds(self) -> bool:
        """True if the modules are the same graph, functions paired from the entry on."""
        a, b = self._modules
        if len(self._effects) < 2 or a.dialect != b.dialect:
            return False
        return self._alike(a.function(a.entry), b.function(b.entry)) and not self.dead_functions()

    def dead_functions(self) -> list[str]:
        """Names of the functions nobody calls that have no like in the same place of the other module."""
        left, right = (unreachable(module) for module in self._modules)
        unlike = [f.name for f, g in zip(left, right, strict=False) if not self._alike(f, g)]
        count = min(len(left), len(right))
        return unlike + [function.name for function in (*left[count:], *right[count:])]

    def _alike(self, a: Function, b: Function) -> bool:
        assumed: list[tuple[int, int]] = []
        self._closed_regions(a.body, b.body)
        while self._pending:
            regions = self._pending.pop()
            assumed.append((id(regions[0]), id(regions[1])))
            pairing = _Pairing(self, *regions)
            if not pairing.holds():  # then nobody has shown those to be alike that this pair rests on
                assumed += [(id(x), id(y)) for x, y in self._pending]
                self._pending.clear()
                self._closed.difference_update(assumed)
                return False
            self.ordered = self.ordered and pairing.ordered()
            if self.kept is not None:
                self.kept[id(regions[0]), id(regions[1])] = pairing.ops
        return True

    def _closed_regions(self, a: Region, b: Region) -> bool:
        """Queue two regions that nothing around binds; each pair is looked at once."""
        if (id(a), id(b)) not in self._closed:
            self._closed.add((id(a), id(b)))
            self._pending.append((a, b))
        return True

    def key(self, side: int, op: Op) -> Any:
        """All of an op but its operands and regions."""
        eraser = self._erasers[side]
        types = tuple(value.type for value in op.results)
        return (op.name, eraser.attributes(op), types, len(op.operands), len(op.regions), len(op.control))

    def functions(self, a: Op, b: Op) -> bool:
        """Queue the functions that two ops name, in order."""
        names = [mentioned.get(id(op), ()) for mentioned, op in zip(self._mentions, (a, b), strict=True)]
        if len(names[0]) != len(names[1]):
            return False
        for left, right in zip(*names, strict=True):
            callees = (self._functions[0][left], self._functions[1][right])
            if facts(callees[0]) != facts(callees[1]):
                return False
            self._closed_regions(callees[0].body, callees[1].body)
            if left != right:
                self.renamed[left, right] = None
        return True

    def has_effect(self, side: int, op: Op) -> bool:
        return self._effects[side].op(op)

    def regions(self, a: Region, b: Region) -> bool:
        """HLO regions are closed and may be shared; they are paired once, apart."""
        return self._modules[0].dialect == "hlo" and self._closed_regions(a, b)


class _Pairing:
    """The pairing of two closed regions and of all regions inside them."""

    def __init__(self, outer: Isomorphism, a: Region, b: Region) -> None:
        self._outer = outer
        self._roots = (a, b)
        self._values: dict[Value, Value] = {}
        self._back: dict[Value, Value] = {}
        self.ops: dict[int, Op] = {}
        self._home: tuple[dict[Value, tuple[Op, int, Region]], dict[Value, tuple[Op, int, Region]]] = ({}, {})
        self._region_pairs: dict[int, int] = {}
        self._stack: list[tuple[Value, Value]] = []
        self._regions: list[tuple[Region, Region]] = []
        self._consts: dict[Value, Any] = {}

    def holds(self) -> bool:
        counts = [self._index(side, region) for side, region in enumerate(self._roots)]
        if counts[0] != counts[1] or not self._pair_regions(*self._roots):
            return False
        return self._run() and self._leftovers() and len(self.ops) == counts[0]

    def ordered(self) -> bool:
        """True if ops that were paired stand in the same order; constants have no place."""

        def ops(region: Region) -> list[Op]:
            return [op for op in region.ops if op.name != "constant"]

        return all([self.ops[id(op)] for op in ops(a)] == ops(b) for a, b in self._regions)

    def _index(self, side: int, root: Region) -> int:
        """Where each value comes from; the number of ops that are not constants."""
        nested = self._outer._modules[0].dialect != "hlo"
        stack, count = [root], 0
        while stack:
            region = stack.pop()
            for op in region.ops:
                for k, value in enumerate(op.results):
                    self._home[side][value] = (op, k, region)
                if op.name != "constant":
                    count += 1
                if nested:
                    stack.extend(op.regions)
        return count

    def _pair_regions(self, a: Region, b: Region) -> bool:
        """Pair parameters, results and the sequence of effects of two regions."""
        if len(a.params) != len(b.params) or len(a.results) != len(b.results):
            return False
        self._region_pairs[id(a)] = id(b)
        self._regions.append((a, b))
        for left, right in zip(a.params, b.params, strict=True):
            if left.type != right.type or not self._bind(left, right):
                return False
        self._stack.extend(zip(a.results, b.results, strict=True))
        effects = [[op for op in r.ops if self._outer.has_effect(side, op)] for side, r in enumerate((a, b))]
        if len(effects[0]) != len(effects[1]):
            return False
        ordered = self._outer._modules[0].dialect != "hlo"
        return not ordered or all(self._pair_ops(x, y) for x, y in zip(*effects, strict=True))

    def _bind(self, a: Value, b: Value) -> bool:
        return not (self._values.setdefault(a, b) is not b or self._back.setdefault(b, a) is not a)

    def _run(self) -> bool:
        while self._stack:
            a, b = self._stack.pop()
            known = self._values.get(a)
            if known is not None or b in self._back:
                if known is not b:
                    return False
                continue
            left, right = self._home[0].get(a), self._home[1].get(b)
            if left is None or right is None or left[1] != right[1]:
                return False
            if left[0].name == "constant" or right[0].name == "constant":
                if not self._constants(left[0], right[0]):
                    return False
                continue
            if self._region_pairs.get(id(left[2])) != id(right[2]) or not self._pair_ops(left[0], right[0]):
                return False
        return True

    def _constants(self, a: Op, b: Op) -> bool:
        same: bool = self._outer.key(0, a) == self._outer.key(1, b)
        return same

    def _pair_ops(self, a: Op, b: Op) -> bool:
        if id(a) in self.ops:
            return self.ops[id(a)] is b
        outer = self._outer
        if outer.key(0, a) != outer.key(1, b) or not outer.functions(a, b):
            return False
        self.ops[id(a)] = b
        for left, right in zip(a.results, b.results, strict=True):
            if not self._bind(left, right):
                return False
        self._stack.extend(zip(a.operands, b.operands, strict=True))
        self._stack.extend(zip(a.control, b.control, strict=True))
        return all(outer.regions(x, y) or self._pair_regions(x, y) for x, y in zip(a.regions, b.regions, strict=True))

    def _leftovers(self) -> bool:
        """Pair what no result and no effect needs, in reading order, by key and paired operands."""
        for a, b in self._regions:  # grows while regions of paired ops are added
            waiting: dict[Any, list[Op]] = defaultdict(list)
            paired = {id(op) for op in self.ops.values()}
            for op in b.ops:
                if op.name != "constant" and id(op) not in paired:
                    waiting[self._leftover_key(1, op)].append(op)
            for op in a.ops:
                if op.name == "constant" or id(op) in self.ops:
                    continue
                candidates = waiting.get(self._leftover_key(0, op))
                if not candidates or not self._pair_ops(op, candidates.pop(0)) or not self._run():
                    return False
        return True

    def _leftover_key(self, side: int, op: Op) -> Any:
        """Key and operands, those of the left side as what they are paired with."""
        operands: list[Any] = []
        for value in op.operands:
            home = self._home[side].get(value)
            if home is not None and home[0].name == "constant":
                operands.append(self._outer.key(side, home[0]))
            else:
                operands.append(id(self._values.get(value) if side == 0 else value))
        return self._outer.key(side, op), tuple(operands)


def unreachable(module: Module) -> list[Function]:
    """Functions that nothing from the entry on names. In HLO the body of a computation may stand in an op."""
    functions, known = {function.name: function for function in module.functions}, summaries(module)
    stack = [functions[module.entry]]
    found = {id(stack[0].body)}
    while stack:
        summary = known.of(stack.pop())
        found |= summary.regions
        for name in dict.fromkeys(summary.mentions):
            if name in functions and id(functions[name].body) not in found:
                found.add(id(functions[name].body))
                stack.append(functions[name])
    return [function for function in module.functions if id(function.body) not in found]
