"""The partition of a loop's slots: a hypothesis, weakened until it holds.

It starts from "every slot keeps its initial value, and slots of equal initial value and type are equal" and is only
ever split, by next values computed under it: the coarsest bisimulation quotient of the loop as an automaton, as in DFA
minimization and optimistic value numbering (Alpern, Wegman, Zadeck, POPL 1988). It outlives re-evaluations by an
enclosing loop, whose own hypothesis can only weaken, so nested loops add their splits and do not multiply their rounds.
"""

from __future__ import annotations

from scanir.ir.types import TOKEN, Type
from scanir.normalize.numbers import bits_of, constant_int, step_of, wrap
from scanir.normalize.values import Table


class Partition:
    """What is supposed of each slot: invariant, an affine function of the trip number, or a member of a block."""

    def __init__(self, count: int, rules: frozenset[str]) -> None:
        self._rules = rules
        self._block = list(range(count))
        self._invariant = [False] * count
        self._may_count = ["integer-induction" in rules] * count
        self.affine: list[tuple[int, int] | None] = [None] * count
        self._fresh = True
        #: Rules by which anything was ever supposed.
        self.fired: set[str] = set()
        self._types: tuple[Type, ...] = ()

    def start(self, starts: tuple[int, ...], types: tuple[Type, ...], table: Table) -> None:
        """Suppose the most (first time), or split what no longer starts alike."""
        self._types, self._table = types, table
        if self._fresh:
            self._fresh = False
            merge = "duplicate-carry" in self._rules
            for i, (start, type) in enumerate(zip(starts, types, strict=True)):
                constant = table.kind(start) == "const"
                rule = "constant-carry" if constant else "carry-closure"
                self._invariant[i] = rule in self._rules and type != TOKEN
                if self._invariant[i]:
                    self.fired.add(rule)
                if merge and type != TOKEN:
                    self._block[i] = -1
            alike = [(start, type) for start, type in zip(starts, types, strict=True) if type != TOKEN]
            if merge and len(set(alike)) < len(alike):
                self.fired.add("duplicate-carry")
        self._split([(self._block[i], starts[i], types[i] if types[i] != TOKEN else i) for i in range(len(starts))])
        for i, counter in enumerate(self.affine):
            if counter is not None and constant_int(table, starts[i]) != self._offset(i, counter[1]):
                self.affine[i], self._may_count[i] = None, False

    def _offset(self, slot: int, offset: int) -> int:
        width, signed = bits_of(self._types[slot]) or (1, False)
        return wrap(offset, width, signed)

    def _split(self, keys: list[tuple[object, ...]]) -> bool:
        """Give slots of unequal keys different blocks; True if nothing was split."""
        seen: dict[tuple[object, ...], int] = {}
        before = len(set(self._block))
        self._block = [seen.setdefault(key, i) for i, key in enumerate(keys)]
        return len(seen) == before

    def ranks(self) -> list[int | None]:
        """For each slot the number of its block among those that vary, or None where its value is known."""
        numbers: dict[int, int] = {}
        return [
            None if self._invariant[i] or self.affine[i] else numbers.setdefault(block, len(numbers))
            for i, block in enumerate(self._block)
        ]

    def refine(self, starts: tuple[int, ...], values: list[int], nexts: tuple[int, ...]) -> bool:
        """Weaken the hypothesis where ``nexts``, computed from ``values``, contradict it; True if it held."""
        held = True
        for i, next_value in enumerate(nexts):
            if self._invariant[i]:
                if next_value != starts[i]:
                    self._invariant[i], held = False, False
            elif (counter := self.affine[i]) is not None:
                if step_of(self._table, values[i], next_value) != counter[0]:
                    self.affine[i], self._may_count[i], held = None, False, False
            elif self._may_count[i] and self._counts(i, starts[i], values[i], next_value):
                held = False
        keys: list[tuple[object, ...]] = [
            (self._block[i], self._invariant[i], self.affine[i], None if self._known(i) else nexts[i])
            for i in range(len(nexts))
        ]
        return self._split(keys) and held

    def _known(self, slot: int) -> bool:
        return self._invariant[slot] or self.affine[slot] is not None

    def _counts(self, slot: int, start: int, value: int, next_value: int) -> bool:
        """Recognize a counter: constant start, constant step, one integer type."""
        offset, step = constant_int(self._table, start), step_of(self._table, value, next_value)
        if offset is None or step is None or bits_of(self._types[slot]) is None:
            return False
        self.affine[slot] = (step, offset)
        self.fired.add("integer-induction")
        return True

    def used(self, starts: tuple[int, ...]) -> list[str]:
        """The rules that the hypothesis, now proved, rests on."""
        rules = []
        for i, start in enumerate(starts):
            if self._invariant[i]:
                rules.append("constant-carry" if self._table.kind(start) == "const" else "carry-closure")
            elif self.affine[i]:
                rules.append("integer-induction")
            elif self._block[i] != i:
                rules.append("duplicate-carry")
        return rules
