"""What paired ops are given: a constant that is another one, a value that comes from elsewhere.

Collected over all pairs first, since only together do they tell what happened: a value that all its users have
exchanged for another, two that have changed places, an op that nobody reads any more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import replace

from scanir.align.dims import Substitution
from scanir.align.graph import Source
from scanir.align.ledger import SEMANTICS, Ledger
from scanir.align.texts import elements_apart, operands_text, same_number
from scanir.ir.structure import LoopView, view
from scanir.result import Edit, EditSide

#: Ops between a constant and the one that computes with it, and how many are passed.
_SPREAD = frozenset({"broadcast", "reshape", "bitcast", "convert", "copy"})
SPREADS = 4
#: Where an operand differs: (user of the left, user of the right, place).
Use = tuple[int, int, int]


class Operands:
    """Differences of operands, kept until ``tell`` writes them down."""

    def __init__(self, ledger: Ledger, dims: Substitution) -> None:
        self._ledger, self._dims = ledger, dims
        self._turns: dict[tuple[int, int], bool] = {}
        self._given: dict[int, set[Hashable]] = {}
        self._operands: dict[tuple[Source, Source], list[Use]] = defaultdict(list)

    def note(self, s: Source, t: Source, use: Use) -> None:
        self._operands[s, t].append(use)

    def compare(self, a: int, b: int, into: list[Edit] | None, *, replaced: bool) -> None:
        """The operands of a pair; ``replaced``: the op itself is another one."""
        left, right = self._ledger.left.inputs(a), self._ledger.right.inputs(b)
        if len(left) != len(right):
            return self._arity(a, b, left, right, replaced, into)
        wrong = [k for k, (s, t) in enumerate(zip(left, right, strict=True)) if not self._ledger.same(s, t)]
        if not wrong:
            return None
        if len(wrong) == 2 and self._ledger.permuted(left, right) and self._ledger.asides[0].exchange(a):
            into = self._ledger.aside
        if into is not None:
            told = self._ledger.values(wrong, left, right)
            self._ledger.add("rewire", SEMANTICS, operands_text(wrong), a, b, *told, into)
            return None
        for k in wrong:
            if self._ledger.follows(left[k], right[k]):
                values = self._ledger.values([k], left, right)
                self._ledger.add("rewire", SEMANTICS, f"operand {k}", a, b, *values, self._ledger.follow)
            else:
                self._operands[left[k], right[k]].append((a, b, k))
        return None

    def _arity(
        self, a: int, b: int, left: list[Source], right: list[Source], replaced: bool, into: list[Edit] | None
    ) -> None:
        """Other numbers of operands are one edit, unless the op is another one or what is new was put in."""
        gone, put = self._ledger.surplus(left, right)
        old = ", ".join(self._ledger.words.value(0, left[k]) for k in gone[:4]) or "nothing"
        new = ", ".join(self._ledger.words.value(1, right[k]) for k in put[:4]) or "nothing"
        loop = isinstance(view(self._ledger.left.nodes[a].op), LoopView)
        what = "carries" if loop else "operands"
        self._ledger.add("rewire", SEMANTICS, what, a, b, old, new, self._ledger.follow if replaced else into)

    def tell(self) -> None:
        """Operands that are others: a constant that is another one, a value that all its users have exchanged for
        another, and what is left op by op."""
        single: dict[tuple[int, int], list[tuple[int, Source, Source]]] = defaultdict(list)
        whole: dict[tuple[Source, Source], list[Use]] = {}
        for (s, t), uses in self._operands.items():
            complete = len(uses) == len(self._ledger.left.uses.get(s, ()))
            if self._ledger.constants(s, t) and complete and not self._swapped(uses):
                self._constant(s[0], t[0], uses)
            elif complete and (len(uses) > 1 or s[0] < 0 or self._bypassed(s, t)):
                whole[s, t] = uses
            else:
                for a, b, k in uses:
                    single[a, b].append((k, s, t))
        self._whole(whole, single)
        for (a, b), wrong in single.items():
            if a < 0:
                for k, s, t in wrong:
                    self._constant(s[0], t[0], [(a, b, k)])
                continue
            places = sorted(k for k, _, _ in wrong)
            sources = {k: (s, t) for k, s, t in wrong}
            constants = all(self._ledger.constants(s, t) for s, t in sources.values())
            if constants and not self._turned(list(sources.values())):
                for k in places:
                    self._constant(sources[k][0][0], sources[k][1][0], [(a, b, k)])
                continue
            old = ", ".join(self._ledger.words.value(0, sources[k][0]) for k in places[:4])
            new = ", ".join(self._ledger.words.value(1, sources[k][1]) for k in places[:4])
            self._ledger.add("rewire", SEMANTICS, operands_text(places), a, b, old, new)

    def _swapped(self, uses: list[Use]) -> bool:
        """Whether one op alone uses a constant, and has the same ones in another order."""
        if len(uses) != 1 or uses[0][0] < 0:
            return False
        a, b, _ = uses[0]
        if (a, b) not in self._turns:  # once an op: it may have as many constants as the module has ops
            pairs = zip(self._ledger.left.inputs(a), self._ledger.right.inputs(b), strict=True)
            self._turns[a, b] = self._turned([(x, y) for x, y in pairs if not self._ledger.same(x, y)])
        return self._turns[a, b]

    def _turned(self, pairs: list[tuple[Source, Source]]) -> bool:
        return self._ledger.permuted([s for s, _ in pairs], [t for _, t in pairs])

    def _bypassed(self, s: Source, t: Source) -> bool:
        """Whether the users of an op read its operand instead, and nobody reads the op any more."""
        a = s[0]
        b = self._ledger.pairing.partner.get(a)
        if a < 0 or b is None or self._ledger.right.uses.get((b, s[1])):
            return False
        if a not in self._given:
            inputs = self._ledger.left.inputs(a)
            self._given[a] = {key for source in inputs for key in self._ledger.keys(0, source)}
        return not self._given[a].isdisjoint(self._ledger.keys(1, t))

    def _whole(
        self, whole: dict[tuple[Source, Source], list[Use]],
        single: dict[tuple[int, int], list[tuple[int, Source, Source]]],
    ) -> None:  # fmt: skip
        """Values that all their users have exchanged for another value."""
        done: set[tuple[Source, Source]] = set()
        ends = dict(whole.keys())
        for (s, t), uses in whole.items():
            if (s, t) in done:
                continue
            origin = self._ledger.origin(t)
            back = None if origin is None else ends.get(origin)
            swapped = back is not None and origin is not None and self._ledger.same(s, back)
            if swapped and origin is not None and back is not None:
                done.add((origin, back))
                self._exchanged(s, origin, uses)
            elif self._bypassed(s, t):
                self._bypass(s, t)
            elif len(uses) > 1:
                self._exchanged_all(s, t, uses)
            else:
                for a, b, k in uses:
                    single[a, b].append((k, s, t))

    def _bypass(self, s: Source, t: Source) -> None:
        into = None if self._ledger.asides[0].pure(s[0]) else self._ledger.aside
        old, new = self._ledger.words.value(0, s), self._ledger.words.value(1, t)
        left = self._ledger.words.side(0, s[0], f"users read {old}")
        right = self._ledger.words.side(1, self._ledger.pairing.partner[s[0]], f"users read {new}")
        node = self._ledger.left.nodes[s[0]]
        kind, other = ("delete", None) if into is None else ("rewire", right)
        self._ledger.edits.append(Edit(kind, SEMANTICS, node.op.name, left.path, f"users read {new}", left, other))

    def _exchanged(self, s: Source, t: Source, uses: list[Use]) -> None:
        """Two values that have changed places everywhere."""
        a, b, _ = uses[0]
        names = [self._ledger.words.value(0, source) for source in (s, t)]
        kind = "reorder" if s[0] == t[0] else "rewire"
        told = f"{names[0]}, {names[1]}", f"{names[1]}, {names[0]}"
        self._ledger.add(kind, SEMANTICS, "values that changed places", a, b, *told)

    def _exchanged_all(self, s: Source, t: Source, uses: list[Use]) -> None:
        a, b, _ = uses[0]
        old, new = self._ledger.words.value(0, s), self._ledger.words.value(1, t)
        self._ledger.add("rewire", SEMANTICS, f"all {len(uses)} uses", a, b, old, new)

    def _constant(self, x: int, y: int, uses: list[Use]) -> None:
        """A constant that is another one, told at its users, since that is what a person sees."""
        a, b, k = uses[0]
        old, new = self._ledger.words.constant(0, x), self._ledger.words.constant(1, y)
        types = str(self._ledger.left.nodes[x].op.results[0].type), str(self._ledger.right.nodes[y].op.results[0].type)
        values = self._ledger.left.nodes[x].op.attribute("value"), self._ledger.right.nodes[y].op.attribute("value")
        into = None
        if types[0] != types[1]:
            old, new = f"{old} {types[0]}", f"{new} {types[1]}"
            if same_number(*values):
                into = self._ledger.follow if self._typed_by(a, b) else None
        elif old == new:
            old, new = elements_apart(*values)
        texts = [self._ledger.words.side(side, node, changed) for side, node, changed in ((0, x, old), (1, y, new))]
        if a >= 0:
            users = self._ledger.words.side(0, a, old), self._ledger.words.side(1, b, new)
            texts = [_placed(text, user) for text, user in zip(texts, users, strict=True)]
            if self._ledger.left.module.dialect == "hlo":
                written = self._written(0, a), self._written(1, b)
                texts = [
                    replace(text, file=spot.file, line=spot.line, code=spot.code) if spot.line else text
                    for text, spot in zip(texts, written, strict=True)
                ]
            path = self._ledger.left.route(a)
            if self._ledger.dead(a, b):
                into = self._ledger.aside
        else:
            path = self._ledger.left.way(~a)
        user = self._ledger.left.nodes[a].op.name.removeprefix("stablehlo.") if a >= 0 else ""
        what = f"operand {k} of {user}" if len(uses) == 1 else f"{len(uses)} uses, first in {user}"
        what = what if a >= 0 else f"result {k}"
        edit = Edit("replace", SEMANTICS, "constant", path, what, texts[0], texts[1])
        (self._ledger.edits if into is None else into).append(edit)

    def _written(self, side: int, node: int) -> EditSide:
        """The op in which a constant was written. XLA gives constants, and what spreads them out, the line of the call
        around them; the op that computes with them has its own."""
        graph = self._ledger.graph(side)
        for _ in range(SPREADS):
            uses = graph.uses.get((node, 0), ())
            if graph.nodes[node].op.name not in _SPREAD or len(uses) != 1 or uses[0][0] < 0:
                break
            node = uses[0][0]
        return self._ledger.words.side(side, node, "")

    def _typed_by(self, a: int, b: int) -> bool:
        """Whether an operand of a user has another type too, so that a constant's type follows from it."""
        if a < 0:
            return False
        pairs = zip(self._ledger.left.nodes[a].op.operands, self._ledger.right.nodes[b].op.operands, strict=False)
        return sum(s.type != t.type for s, t in pairs) > 1 or bool(self._dims)


def _placed(text: EditSide, user: EditSide) -> EditSide:
    """A constant as its user sees it; its own line where it has one."""
    line = (text.file, text.line, text.code) if text.line else (user.file, user.line, user.code)
    return EditSide(user.text, text.changed, user.path, *line)
