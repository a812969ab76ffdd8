"""One pass over one side: each value that has a class is shown to have the value of that class.

The pass goes through nodes in reading order. Beside the obligations of each op (`scanir.checker.ops`, `loops`) it sees
that classes are numbered as they are first met (O14), so that no certificate has a second spelling.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scanir.checker import stacking
from scanir.checker.certificate import PLACED, Class
from scanir.checker.keys import Keys
from scanir.checker.layout import Block, Layout, Node
from scanir.checker.liveness import Liveness
from scanir.checker.quotient import Quotient
from scanir.checker.verdict import Rejected
from scanir.ir.attrs import Attr
from scanir.ir.types import Type
from scanir.program import Program


@dataclass(slots=True)
class Met:
    """How many classes have been met so far, over both sides."""

    count: int = 0


class Side:
    """What the obligations look at: the layout of this side (``me`` is its number), the quotient and both layouts."""

    def __init__(
        self, me: int, programs: Sequence[Program], layouts: Sequence[Layout], quotient: Quotient, map: Sequence[int],
        rules: frozenset[str], *, nan_bits_are_seen: bool, settled: bool,
    ) -> None:  # fmt: skip
        self.me, self.programs, self.layouts, self.quotient, self.map = me, programs, layouts, quotient, map
        self.hlo = programs[me].module.dialect == "hlo"
        self.keys = Keys(programs[me].module.dialect, rules, settled=settled)
        self.layout, self.classes, self.free, self.rules = layouts[me], quotient.classes, quotient.free, rules
        self.nan_bits_are_seen = nan_bits_are_seen
        #: Applications of rules: (rule, op or position).
        self.uses: list[tuple[str, int]] = []
        counters = frozenset(c for c, entry in enumerate(self.classes) if entry.kind == "affine")
        self.counters = counters
        folded = [c for node in self.layout.nodes if node.kind == "trivial" for c in node.conditions]
        roots = (*self.layout.entry.results, self.layout.entry.token_out)
        keep = "dead-carry" not in rules
        self.live = Liveness(self.layout, map, (*roots, *folded), keep_dead=keep, counters=counters).live
        looping = any(node.kind in ("loop", "trivial") for node in self.layout.nodes)
        beside = rules.isdisjoint(("exact-identities", "inexact"))
        self.used = self.live
        if not beside:
            self.used = Liveness(
                self.layout, map, (*roots, *folded), keep_dead=keep, counters=counters, beside=False
            ).live
        self.needed = self.updates = self.used
        if looping:
            self.needed = Liveness(
                self.layout, map, roots, keep_dead=keep, counters=counters, proof=False, beside=beside
            ).live
        if looping and not keep:
            self.updates = Liveness(
                self.layout, map, roots, keep_dead=True, counters=counters, beside=beside,
                closed="carry-closure" in rules,
            ).live  # fmt: skip
        #: What says how often loops run that are taken for their trips.
        self.folded = Liveness(self.layout, map, folded, keep_dead=keep, counters=counters).live if folded else set()
        self._loops: dict[int, int | None] = {}

    # -- what obligations ask for
    # ----------------------------------------------------------------------------------------

    def use(self, rule: str, at: int) -> None:
        """An application of a rule, which must be one that the certificate lists."""
        if rule not in self.rules:
            raise Rejected("O13", f"the rule {rule} is applied and not listed", f"{'ab'[self.me]}, {at}")
        self.uses.append((rule, at))

    def use_all(self, rules: frozenset[str] | None, obligation: str, what: str, node: Node) -> None:
        """The rules that a comparison takes; None says that it failed."""
        if rules is None:
            raise self.bad(obligation, what, node)
        for rule in sorted(rules):
            self.use(rule, node.number)

    def bad(self, obligation: str, what: str, node: Node | None = None) -> Rejected:
        return Rejected(obligation, what, f"{'ab'[self.me]}: {node.where}" if node is not None else "ab"[self.me])

    def of(self, positions: Sequence[int]) -> tuple[int, ...]:
        return tuple([self.map[position] for position in positions])

    def classes_of(self, positions: Iterable[int]) -> set[int]:
        """The classes of positions, and of the ops and loops that these are results of."""
        found = {self.map[position] for position in positions} - {-1}
        whole = [c for c in found if self.classes[c].kind in ("proj", "ys", "affine")]
        while whole:
            (c,) = self.classes[whole.pop()].refs[:1]
            if c not in found:
                found.add(c)
                if self.classes[c].kind == "trips":
                    whole.append(c)
        return found

    def node_of(self, c: Class) -> Node:
        """The op that a class names."""
        return self.layouts[c.side].nodes[c.at]

    def type_of(self, c: Class) -> Type:
        """The type of the value that a class names."""
        return self.layouts[c.side].types[c.at]

    def constant_of(self, c: Class) -> Attr | None:
        """The full value of the constant that a class names: of a constant, or one that an interface passes."""
        layout = self.layouts[c.side]
        node = layout.makers[c.at]
        if node is None:
            role, k = layout.roles[c.at]
            return dict(self.programs[c.side].interface.constants).get(k) if role == "in" else None
        return node.op.attribute("value") if node.kind == "constant" else None

    def typed(self, position: int, c: Class, node: Node | None, obligation: str) -> None:
        """A value has the type of the value that its class names."""
        used = self.keys.types(self.layout.types[position], self.type_of(c))
        if used is None:
            raise self.bad(obligation, "a value of another type than its class", node)
        for rule in sorted(used):
            self.use(rule, position)

    def loop_class(self, node: Node) -> int | None:
        """The loop of the quotient that a loop is mapped to; None where it is not needed."""
        if node.number not in self._loops:
            self._loops[node.number] = self._find_loop(node)
        return self._loops[node.number]

    def _find_loop(self, node: Node) -> int | None:
        results = [*range(node.first, node.first + node.width), *([node.token_out] if node.token_out >= 0 else [])]
        carried = len(node.slots) - (1 if node.token_out >= 0 else 0)
        for k, position in enumerate(results):
            c = self.map[position]
            if c == -1:
                continue
            if carried <= k < node.width and self.stacked_again(node, k - carried):
                continue
            if k < len(node.slots) and position != node.token_out and self.map[node.slots[k][0]] == c:
                continue  # invariant
            entry = self.classes[c]
            if entry.kind == "affine":
                entry = self.classes[entry.refs[0]]
            if entry.kind in ("proj", "trips", "ys") and self.classes[entry.refs[0]].kind == "loop":
                loop: int = entry.refs[0]
                return loop
            raise self.bad("O6", "a result of a loop is no result of a loop of the quotient", node)
        return None

    def stacked_again(self, node: Node, k: int) -> bool:
        """Whether ys ``k`` of a scan is mapped to one of its scanned values, whose elements it stacks as they are."""
        scanned = stacking.again(self.layout, node, k)
        return scanned is not None and self.map[scanned] == self.map[node.ys[k][0]]

    def height_around(self, node: Node) -> int | None:
        """The height of the innermost binder around a node; None at the top."""
        place = node.place
        while place is not None:
            around, index = place
            if around.kind == "loop":
                loop = self.loop_class(around)
                if loop is not None:
                    return self.classes[loop].height
            elif around.kind == "plain":
                op = self.op_class(around)
                if op is not None and index < len(self.classes[op].lists[1]):
                    return self.classes[self.classes[op].lists[1][index]].height
            place = around.place
        return None

    def below(self, node: Node, height: int, obligation: str) -> None:
        """A binder inside another has the smaller height, so that no name means two things."""
        around = self.height_around(node)
        if around is not None and height >= around:
            raise self.bad(obligation, "a binder is as high as the one around it", node)

    def op_class(self, node: Node) -> int | None:
        """The class ``op`` or ``call`` of all results of a node; None where no result has a class."""
        single = node.width == 1 and node.token_out < 0
        if single:
            c = self.map[node.first]
            return None if c == -1 or self.classes[c].kind not in ("op", "call") else c
        for position in range(node.first, node.first + node.width + (1 if node.token_out >= 0 else 0)):
            c = self.map[position]
            if c != -1:
                if self.classes[c].kind != "proj":
                    raise self.bad("O4", "one of several results is no part of its class", node)
                return self.classes[c].refs[0]
        return None

    def region(self, block: Block, f: int, node: Node) -> None:
        """A region is the closed function ``f``."""
        entry = self.classes[f]
        tokens = [block.token_in] if block.token_in >= 0 else []
        params = (*block.params, *tokens)
        results = (*block.results, *([block.token_out] if tokens else []))
        if entry.kind != "fun" or entry.lists != (self.of(params), self.of(results)):
            raise self.bad("O4", "a region is not the function of its class", node)
        for position in params:
            self.typed(position, self.classes[self.map[position]], node, "O4")


class Order:
    """Sees that classes are met in the order of their numbers, each first at the place that it names (O14).

    A constant is named by the first place that shows its bytes.
    """

    def __init__(self, classes: Sequence[Class], sides: Sequence[Side]) -> None:
        self._classes, self._met = classes, Met()
        for side in sides:
            self._meet(side)
        if self._met.count != len(classes):
            raise Rejected("O14", f"class {self._met.count} belongs to no value")
        self.shown: list[dict[int, int]] = [self._constants(side) for side in sides]
        for c, entry in enumerate(classes):
            if entry.kind == "const":
                first = next(((k, found[c]) for k, found in enumerate(self.shown) if c in found), None)
                if (entry.side, entry.at) != first:
                    raise Rejected("O14", f"class {c} is first shown at another place than it names")

    def _constants(self, side: Side) -> dict[int, int]:
        """For each constant class the first position that shows its bytes."""
        found: dict[int, int] = {}
        passed = {k for k, _ in side.programs[side.me].interface.constants}
        for position, c in enumerate(side.map):
            if c != -1 and c not in found and self._classes[c].kind == "const":
                node, (role, k) = side.layout.makers[position], side.layout.roles[position]
                shows = node.kind == "constant" if node is not None else role == "in" and k in passed
                if shows:
                    found[c] = position
        return found

    def _meet(self, side: Side) -> None:
        met = self._met
        makers = side.layout.makers
        for position, c in enumerate(side.map):
            if c >= met.count:
                node = makers[position]
                self._define(c, side.me, position, -1 if node is None else node.number)

    def _define(self, root: int, side: int, position: int, number: int) -> None:
        """Number what a class is made of, and then the class."""
        stack = [(root, iter(self._classes[root].refs))]
        while stack:
            c, refs = stack[-1]
            for ref in refs:
                if ref >= self._met.count:
                    stack.append((ref, iter(self._classes[ref].refs)))
                    break
            else:
                stack.pop()
                entry = self._classes[c]
                if c != self._met.count:
                    raise Rejected("O14", f"class {c} is met as number {self._met.count}", f"{'ab'[side]}, {position}")
                self._met.count += 1
                if entry.kind in PLACED and entry.kind != "const":
                    place = number if entry.kind in ("op", "loop", "call") else position
                    if (entry.side, entry.at) != (side, place):
                        raise Rejected("O14", f"class {c} is first met at another place than it names")
