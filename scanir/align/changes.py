"""What differs between paired ops, and what is left without a partner.

Operands are compared through the pairs, never by value, so that what stands below an edit is unchanged. What follows
from an edit is no edit, but counted: a type that is otherwise because an operand's is, an operand that is otherwise
because its op was put in or left out. What an allowed rule explains is set aside, under the rule's name. Linear in the
number of operands.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scanir.align.aside import Aside
from scanir.align.dims import Substitution
from scanir.align.graph import Graph, Source
from scanir.align.pairing import Pairing
from scanir.align.words import Words
from scanir.compare.attributes import attribute_text, constant_text, differing, key_text
from scanir.costs.copies import COPIES
from scanir.ir.attrs import Array
from scanir.ir.elements import elements
from scanir.ir.graph import Op
from scanir.ir.structure import LoopView, view
from scanir.ir.types import TensorType
from scanir.normalize.classes import TYPE_CLASSES, attribute_class
from scanir.normalize.effects import calls_python
from scanir.result import Edit, EditSide

SEMANTICS = "semantics"


@dataclass(frozen=True, slots=True)
class Changes:
    """``edits``, single ones; ``aside``: those that a rule explains, and ``consequences``, counted by what they are."""

    edits: tuple[Edit, ...]
    aside: tuple[Edit, ...]
    consequences: tuple[Edit, ...]


def changes(pairing: Pairing, rules: frozenset[str]) -> Changes:
    return _Comparison(pairing, rules).run()


class _Comparison:
    def __init__(self, pairing: Pairing, rules: frozenset[str]) -> None:
        self._p, self._left, self._right = pairing, pairing.left, pairing.right
        self._rules, self._words = rules, Words(pairing)
        self._asides = (Aside(pairing.left, rules), Aside(pairing.right, rules))
        self._edits: list[Edit] = []
        self._aside: list[Edit] = []
        self._follow: list[Edit] = []
        #: Differences of operands: (left value, right value) -> where (user of the left, user of the right, place).
        self._operands: dict[tuple[Source, Source], list[tuple[int, int, int]]] = defaultdict(list)
        self._dims = Substitution()

    def run(self) -> Changes:
        for x, y in self._p.blocks:
            self._parameters(x, y)
        for x, y in self._p.blocks:
            self._results(x, y)
        for a, b in self._p.partner.items():
            self._pair(a, b)
        self._rewired()
        self._unpaired()
        for a, b, x, y in self._p.crossed:
            if a >= 0:
                names = self._left.way(x), self._right.way(y)
                self._add("replace", SEMANTICS, "called function", a, b, *names)
        for a, b in self._p.reordered:
            paths = [
                [graph.blocks[k].path for k in graph.inner(node)] for graph, node in ((self._left, a), (self._right, b))
            ]
            self._add(
                "reorder", SEMANTICS, "regions", a, b, "regions in order", f"{len(paths[0])} regions in another order"
            )
        return Changes(tuple(self._edits), tuple(self._aside), tuple(self._follow))

    def _add(
        self, kind: str, kind_class: str, what: str, a: int | None, b: int | None, old: str = "", new: str = "",
        into: list[Edit] | None = None,
    ) -> None:  # fmt: skip
        """An edit at a node of the left, of the right, or of both."""
        left = None if a is None else self._words.side(0, a, old)
        right = None if b is None else self._words.side(1, b, new)
        node = self._left.nodes[a] if a is not None else self._right.nodes[b if b is not None else 0]
        path = left.path if left is not None else right.path if right is not None else ""
        edit = Edit(kind, kind_class, node.op.name, path, what, left, right)
        (self._edits if into is None else into).append(edit)

    # -- parameters and results
    # --------------------------------------------------------------------------------------------------

    def _parameters(self, x: int, y: int) -> None:
        """Arguments of the program; those of regions inside follow from what their owner is given."""
        entry = self._left.blocks[x].region is self._left.entry().body
        for side, graph, block in ((0, self._left, x), (1, self._right, y)):
            known: Any = self._p.params_back if side else self._p.params
            for k, value in enumerate(graph.blocks[block].region.params):
                if (~block, k) not in known:
                    text = EditSide(f"{self._words.value(side, (~block, k))}: {value.type}", "", graph.way(block))
                    pair = (None, text) if side else (text, None)
                    edit = Edit("insert" if side else "delete", SEMANTICS, "argument", text.path, "argument", *pair)
                    (self._edits if entry else self._follow).append(edit)
        for k, value in enumerate(self._left.blocks[x].region.params):
            other = self._p.params.get((~x, k))
            if other is None or other[0] != ~y:
                continue
            types = value.type, self._right.value(other).type
            if self._left.eraser.type(types[0]) != self._right.eraser.type(types[1]):
                if entry:
                    self._dims.learn(*types)
                self._parameter(x, k, "type", SEMANTICS, types, None if entry else self._follow)
            elif types[0] != types[1] and entry:
                for name, kind in _extras(*types):
                    self._parameter(x, k, name, kind, types, None)

    def _parameter(self, x: int, k: int, what: str, kind: str, types: tuple[Any, Any], into: list[Edit] | None) -> None:
        path, name = self._left.way(x), self._words.value(0, (~x, k))
        old, new = (_told(type, what) for type in types)
        left, right = (EditSide(f"{name}: {text}", text, path) for text in (old, new))
        edit = Edit("replace", kind, "argument", path, what, left, right)
        (self._edits if into is None else into).append(edit)

    def _results(self, x: int, y: int) -> None:
        left, right = self._left.outputs(x), self._right.outputs(y)
        if len(left) == len(right):
            wrong = [k for k, (s, t) in enumerate(zip(left, right, strict=True)) if not self._same(s, t)]
            if not wrong:
                return None
            if self._permuted([left[k] for k in wrong], [right[k] for k in wrong]):
                return self._result_edit("reorder", x, y, wrong, left, right, None)
            if all(self._follows(left[k], right[k]) for k in wrong):
                return self._result_edit("rewire", x, y, wrong, left, right, self._follow)
            constants = [k for k in wrong if self._constants(left[k], right[k])]
            for k in constants:
                self._operands[left[k], right[k]].append((~x, ~y, k))
            rest = [k for k in wrong if k not in constants and not self._follows(left[k], right[k])]
            if rest:
                self._result_edit("rewire", x, y, rest, left, right, None)
            return None
        return self._uneven(x, y, left, right)

    def _uneven(self, x: int, y: int, left: list[Source], right: list[Source]) -> None:
        """Results of regions that have not the same number of them: what has no like, in order."""
        j, extra = 0, []
        for k, s in enumerate(left):
            found = next((m for m in range(j, len(right)) if self._same(s, right[m])), None)
            if found is None:
                extra.append((0, k))
                continue
            extra += [(1, m) for m in range(j, found)]
            j = found + 1
        extra += [(1, m) for m in range(j, len(right))]
        entry = self._left.blocks[x].owner is None
        for side, k in extra:
            graph, block, sources = ((self._left, x, left), (self._right, y, right))[side]
            text = EditSide(f"result {k}: {self._words.value(side, sources[k])}", "", graph.way(block))
            pair = (None, text) if side else (text, None)
            edit = Edit("insert" if side else "delete", SEMANTICS, "result", text.path, f"result {k}", *pair)
            (self._edits if entry else self._follow).append(edit)

    def _permuted(self, left: list[Source], right: list[Source]) -> bool:
        """Whether two lists are the same values in another order."""
        rest = list(right)
        for s in left:
            at = next((k for k, t in enumerate(rest) if self._same(s, t)), None)
            if at is None:
                return False
            rest.pop(at)
        return len(left) > 1

    def _result_edit(
        self, kind: str, x: int, y: int, places: list[int], left: list[Source], right: list[Source],
        into: list[Edit] | None,
    ) -> None:  # fmt: skip
        texts = []
        for side, block, sources in ((0, x, left), (1, y, right)):
            graph = self._words.graph(side)
            values = ", ".join(self._words.value(side, sources[k]) for k in places[:4])
            changed = values + (", ..." if len(places) > 4 else "")
            at = next((sources[k][0] for k in places if sources[k][0] >= 0), None)
            file, line = graph.nodes[at].line or ("", 0) if at is not None else ("", 0)
            texts.append(EditSide(f"return {changed}", changed, graph.way(block), file, line))
        what = f"result{'s' if len(places) > 1 else ''} {', '.join(map(str, places[:4]))}"
        edit = Edit(kind, SEMANTICS, "return", self._left.way(x), what, texts[0], texts[1])
        (self._edits if into is None else into).append(edit)

    # -- pairs
    # ------------------------------------------------------------------------------------------------------------------

    def _pair(self, a: int, b: int) -> None:
        left, right = self._left.nodes[a], self._right.nodes[b]
        into = self._aside if self._dead(a, b) else None
        if self._p.how[a] == "moved" and self._p.block.get(left.region) != right.region:
            pure = self._asides[0].pure(a) and "hoisting" in self._rules
            places = self._left.way(left.region), self._right.way(right.region)
            self._add("move", SEMANTICS, "region", a, b, *places, into=self._aside if pure else into)
        replaced = self._replaced(a, b, into)
        self._inputs(a, b, replaced, into)

    def _dead(self, a: int, b: int) -> bool:
        return self._asides[0].dead(a) and self._asides[1].dead(b)

    def _replaced(self, a: int, b: int, into: list[Edit] | None) -> bool:
        """The op itself: its name, else its attributes and types."""
        left, right = self._left.nodes[a], self._right.nodes[b]
        if left.op.name != right.op.name:
            self._add("replace", SEMANTICS, "op", a, b, left.op.name, right.op.name, into)
            return True
        if left.label != right.label:
            return self._relabelled(a, b, into)
        self._class_attributes(a, b)
        return False

    def _relabelled(self, a: int, b: int, into: list[Edit] | None) -> bool:
        x, y = self._left.nodes[a].op, self._right.nodes[b].op
        keys = self._left.eraser.attributes(x), self._right.eraser.attributes(y)
        types = [
            tuple(graph.eraser.result_type(op, value.type) for value in op.results)
            for graph, op in ((self._left, x), (self._right, y))
        ]
        if keys[0] == keys[1] and types[0] == types[1]:
            return False  # the numbers of operands or regions differ
        above = [
            (s.type, t.type) for s, t in zip(x.operands, y.operands, strict=False)
            if self._left.eraser.type(s.type) != self._right.eraser.type(t.type)
        ]  # fmt: skip
        here = self._dims.extended(above)
        if keys[0] != keys[1]:
            names = sorted(n for n in {*dict(keys[0]), *dict(keys[1])} if dict(keys[0]).get(n) != dict(keys[1]).get(n))
            if here.explains(keys[0], keys[1]) and (types[0] == types[1] or here.explains(*types)):
                self._add("replace", SEMANTICS, "type", a, b, *self._types(x, y), self._follow)
                return False
            old, new = _contrast(keys, names)
            self._add("replace", SEMANTICS, f"attribute {', '.join(names)}", a, b, old, new, into)
            return True
        follows = bool(above) or bool(self._left.inner(a)) or here.explains(*types)
        if len(types[0]) != len(types[1]):
            follows = True
        elif above and x.name in _CONVERTS:
            dtypes = {getattr(side[0], "dtype", "") for side in types}
            follows = len(dtypes) == 1 or here.explains(*types)
        self._add("replace", SEMANTICS, "type", a, b, *self._types(x, y), self._follow if follows else into)
        return not follows

    @staticmethod
    def _types(x: Any, y: Any) -> tuple[str, str]:
        for s, t in zip(x.results, y.results, strict=False):
            if s.type != t.type:
                return str(s.type), str(t.type)
        return str(len(x.results)), str(len(y.results))

    def _class_attributes(self, a: int, b: int) -> None:
        """What only the classes see: layouts, shardings, code generation."""
        x, y = self._left.nodes[a].op, self._right.nodes[b].op
        if calls_python(x) and x.attributes != y.attributes:
            # Which host function it is: known by a number, or by an address that is another one in each process.
            names = sorted({name for name, _ in {*x.attributes} ^ {*y.attributes}})
            self._add("replace", SEMANTICS, f"attribute {', '.join(names)}", a, b, *_payloads(x, y, names), self._aside)
        if x.attributes != y.attributes:
            keys = self._left.exact.attributes(x), self._right.exact.attributes(y)
            left, right = dict(keys[0]), dict(keys[1])
            for name in sorted(n for n in {*left, *right} if left.get(n) != right.get(n)):
                kind = attribute_class(self._left.module.dialect, x if name in left else y, name)
                if kind not in (None, "noise"):
                    old, new = _contrast(keys, [name])
                    self._add("replace", _class(kind), f"attribute {name}", a, b, old, new)
        for s, t in zip(x.results, y.results, strict=True):
            if s.type is not t.type and s.type != t.type:
                for name, kind in _extras(s.type, t.type):
                    self._add("replace", kind, name, a, b, _told(s.type, name), _told(t.type, name))
                break

    def _inputs(self, a: int, b: int, replaced: bool, into: list[Edit] | None) -> None:
        left, right = self._left.inputs(a), self._right.inputs(b)
        if len(left) != len(right):
            return self._arity(a, b, left, right, replaced, into)
        wrong = [k for k, (s, t) in enumerate(zip(left, right, strict=True)) if not self._same(s, t)]
        if not wrong:
            return None
        if len(wrong) == 2 and self._permuted(left, right) and self._asides[0].exchange(a):
            self._add("rewire", SEMANTICS, "operands 0, 1", a, b, *self._values(wrong, left, right), self._aside)
            return None
        if into is not None:
            self._add("rewire", SEMANTICS, _operands(wrong), a, b, *self._values(wrong, left, right), into)
            return None
        for k in wrong:
            if self._follows(left[k], right[k]):
                values = self._values([k], left, right)
                self._add("rewire", SEMANTICS, f"operand {k}", a, b, *values, self._follow)
            else:
                self._operands[left[k], right[k]].append((a, b, k))
        return None

    def _arity(
        self, a: int, b: int, left: list[Source], right: list[Source], replaced: bool, into: list[Edit] | None
    ) -> None:
        """Other numbers of operands are one edit, unless the op is another one or what is new was put in."""
        rest = list(right)
        gone = []
        for s in left:
            at = next((k for k, t in enumerate(rest) if self._same(s, t)), None)
            if at is None:
                gone.append(s)
            else:
                rest.pop(at)
        old = ", ".join(self._words.value(0, s) for s in gone[:4]) or "nothing"
        new = ", ".join(self._words.value(1, t) for t in rest[:4]) or "nothing"
        loop = isinstance(view(self._left.nodes[a].op), LoopView)
        what = "carries" if loop else "operands"
        self._add("rewire", SEMANTICS, what, a, b, old, new, self._follow if replaced else into)

    def _values(self, places: list[int], left: list[Source], right: list[Source]) -> tuple[str, str]:
        old, new = (
            ", ".join(self._words.value(side, sources[k]) for k in places[:4])
            for side, sources in ((0, left), (1, right))
        )
        return old, new

    # -- values
    # -----------------------------------------------------------------------------------------------------------------

    def _same(self, s: Source, t: Source) -> bool:
        if self._p.same(s, t):
            return True
        x, y = self._asides[0].through(s), self._asides[1].through(t)
        return (x != s or y != t) and self._p.same(x, y)

    def _follows(self, s: Source, t: Source) -> bool:
        """Whether two values differ because the op of one of them was put in or left out."""
        return self._alone(0, s) or self._alone(1, t)

    def _alone(self, side: int, source: Source) -> bool:
        at, taken = source[0], self._p.back if side else self._p.partner
        if at < 0:
            return source not in (self._p.params_back if side else self._p.params)
        return at not in taken and not self._words.graph(side).nodes[at].is_constant

    def _constants(self, s: Source, t: Source) -> bool:
        """Whether both values are constants."""
        return s[0] >= 0 and t[0] >= 0 and self._left.nodes[s[0]].is_constant and self._right.nodes[t[0]].is_constant

    def _rewired(self) -> None:
        """Operands that are others: a constant that is another one, a value that all its users have exchanged for
        another, and what is left op by op."""
        single: dict[tuple[int, int], list[tuple[int, Source, Source]]] = defaultdict(list)
        whole: dict[tuple[Source, Source], list[tuple[int, int, int]]] = {}
        for (s, t), uses in self._operands.items():
            complete = len(uses) == len(self._left.uses.get(s, ()))
            if self._constants(s, t) and complete and not self._swapped(uses, s, t):
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
            if not self._turned(list(sources.values())) and all(self._constants(s, t) for s, t in sources.values()):
                for k in places:
                    self._constant(sources[k][0][0], sources[k][1][0], [(a, b, k)])
                continue
            old = ", ".join(self._words.value(0, sources[k][0]) for k in places[:4])
            new = ", ".join(self._words.value(1, sources[k][1]) for k in places[:4])
            self._add("rewire", SEMANTICS, _operands(places), a, b, old, new)

    def _swapped(self, uses: list[tuple[int, int, int]], s: Source, t: Source) -> bool:
        """Whether one op alone uses a constant, and has the same ones in another order."""
        if len(uses) != 1 or uses[0][0] < 0:
            return False
        inputs = self._left.inputs(uses[0][0]), self._right.inputs(uses[0][1])
        if len(inputs[0]) != len(inputs[1]):
            return False
        return self._turned([(x, y) for x, y in zip(*inputs, strict=True) if not self._same(x, y)])

    def _turned(self, pairs: list[tuple[Source, Source]]) -> bool:
        return self._permuted([s for s, _ in pairs], [t for _, t in pairs])

    def _bypassed(self, s: Source, t: Source) -> bool:
        """Whether the users of an op read its operand instead, and nobody reads the op any more."""
        a = s[0]
        if a < 0 or a not in self._p.partner or self._right.uses.get((self._p.partner[a], s[1])):
            return False
        return any(self._same(operand, t) for operand in self._left.inputs(a))

    def _whole(
        self, whole: dict[tuple[Source, Source], list[tuple[int, int, int]]],
        single: dict[tuple[int, int], list[tuple[int, Source, Source]]],
    ) -> None:  # fmt: skip
        """Values that all their users have exchanged for another value."""
        done: set[tuple[Source, Source]] = set()
        ends = dict(whole.keys())
        for (s, t), uses in whole.items():
            if (s, t) in done:
                continue
            origin = self._origin(t)
            back = None if origin is None else ends.get(origin)
            swapped = back is not None and origin is not None and self._same(s, back)
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

    def _origin(self, t: Source) -> Source | None:
        if t[0] < 0:
            return self._p.params_back.get(t)
        a = self._p.back.get(t[0])
        return None if a is None else (a, t[1])

    def _bypass(self, s: Source, t: Source) -> None:
        into = None if self._asides[0].pure(s[0]) else self._aside
        old, new = self._words.value(0, s), self._words.value(1, t)
        left = self._words.side(0, s[0], f"users read {old}")
        right = self._words.side(1, self._p.partner[s[0]], f"users read {new}")
        node = self._left.nodes[s[0]]
        kind, other = ("delete", None) if into is None else ("rewire", right)
        self._edits.append(Edit(kind, SEMANTICS, node.op.name, left.path, f"users read {new}", left, other))

    def _exchanged(self, s: Source, t: Source, uses: list[tuple[int, int, int]]) -> None:
        """Two values that have changed places everywhere."""
        a, b, _ = uses[0]
        names = [self._words.value(0, source) for source in (s, t)]
        kind = "reorder" if s[0] == t[0] else "rewire"
        self._at(kind, "values that changed places", s, a, b, f"{names[0]}, {names[1]}", f"{names[1]}, {names[0]}")

    def _exchanged_all(self, s: Source, t: Source, uses: list[tuple[int, int, int]]) -> None:
        a, b, _ = uses[0]
        old, new = self._words.value(0, s), self._words.value(1, t)
        self._at("rewire", f"all {len(uses)} uses", s, a, b, old, new)

    def _at(self, kind: str, what: str, s: Source, a: int, b: int, old: str, new: str) -> None:
        if a >= 0:
            self._add(kind, SEMANTICS, what, a, b, old, new)

    def _constant(self, x: int, y: int, uses: list[tuple[int, int, int]]) -> None:
        """A constant that is another one, told at its users, since that is what a person sees."""
        a, b, k = uses[0]
        old, new = self._words.constant(0, x), self._words.constant(1, y)
        types = str(self._left.nodes[x].op.results[0].type), str(self._right.nodes[y].op.results[0].type)
        values = self._left.nodes[x].op.attribute("value"), self._right.nodes[y].op.attribute("value")
        into = None
        if types[0] != types[1]:
            old, new = f"{old} {types[0]}", f"{new} {types[1]}"
            if _same_number(*values):
                into = self._follow if self._typed_by(a, b) else None
        elif old == new:
            old, new = _elements(*values)
        texts = [self._words.side(side, node, changed) for side, node, changed in ((0, x, old), (1, y, new))]
        if a >= 0:
            users = self._words.side(0, a, old), self._words.side(1, b, new)
            texts = [_placed(text, user) for text, user in zip(texts, users, strict=True)]
            path = self._left.route(a)
            if self._dead(a, b):
                into = self._aside
        else:
            path = self._left.way(~a)
        user = self._left.nodes[a].op.name.removeprefix("stablehlo.") if a >= 0 else ""
        what = f"operand {k} of {user}" if len(uses) == 1 else f"{len(uses)} uses, first in {user}"
        what = what if a >= 0 else f"result {k}"
        edit = Edit("replace", SEMANTICS, "constant", path, what, texts[0], texts[1])
        (self._edits if into is None else into).append(edit)

    def _typed_by(self, a: int, b: int) -> bool:
        """Whether an operand of a user has another type too, so that a constant's type follows from it."""
        if a < 0:
            return False
        pairs = zip(self._left.nodes[a].op.operands, self._right.nodes[b].op.operands, strict=False)
        return sum(s.type != t.type for s, t in pairs) > 1 or bool(self._dims)

    # -- ops without a partner
    # ---------------------------------------------------------------------------------------------------

    def _unpaired(self) -> None:
        for side, graph in enumerate((self._left, self._right)):
            for node in self._alone_in(side, graph):
                rule = self._asides[side].explains(node)
                kind = "insert" if side else "delete"
                kind_class = "copies" if graph.nodes[node].op.name in COPIES else SEMANTICS
                into = self._aside if rule in self._rules and rule != "class:copies" else None
                a, b = (None, node) if side else (node, None)
                self._add(kind, kind_class, "op", a, b, into=into)

    def _alone_in(self, side: int, graph: Graph) -> Iterator[int]:
        """Nodes without a partner in regions that have one; what stands inside goes with the op that holds it."""
        taken: Any = self._p.back if side else self._p.partner
        blocks = self._p.block_back if side else self._p.block
        for block in sorted(blocks):
            for node in graph.blocks[block].nodes:
                if node not in taken and not graph.nodes[node].is_constant:
                    yield node


_CONVERTS = frozenset(
    {"convert", "convert_element_type", "stablehlo.convert", "bitcast_convert_type", "bitcast-convert"}
)


def _operands(places: list[int]) -> str:
    return f"operand{'s' if len(places) > 1 else ''} {', '.join(map(str, places[:4]))}"


def _placed(text: EditSide, user: EditSide) -> EditSide:
    """A constant as its user sees it; its own line where it has one."""
    line = (text.file, text.line, text.code) if text.line else (user.file, user.line, user.code)
    return EditSide(user.text, text.changed, user.path, *line)


def _class(kind: str | None) -> str:
    return (kind or SEMANTICS).removeprefix("class:")


def _contrast(keys: tuple[Any, Any], names: list[str]) -> tuple[str, str]:
    """The attributes that differ, before and after; of a long one the part that does."""
    left, right = dict(keys[0]), dict(keys[1])
    if len(names) == 1:
        text = differing(keys[0], keys[1], 1).partition(" = ")[2]
        old, found, new = text.partition(" against ")
        if found and " against " not in new:
            return old, new
    return tuple(", ".join(f"{name}={key_text(side.get(name))}" for name in names[:4]) for side in (left, right))  # type: ignore[return-value]


def _payloads(x: Op, y: Op, names: list[str]) -> tuple[str, str]:
    """Attributes that no key holds."""
    old, new = (
        ", ".join("absent" if (value := op.attribute(name)) is None else attribute_text(value) for name in names)
        for op in (x, y)
    )
    return old, new


def _extras(x: Any, y: Any) -> list[tuple[str, str]]:
    """Facts of two types that differ, with their classes."""
    if not isinstance(x, TensorType) or not isinstance(y, TensorType):
        return []  # the elements of a tuple say it where they are made
    left, right = dict(x.extras), dict(y.extras)
    names = sorted(n for n in {*left, *right} if left.get(n) != right.get(n))
    return [(name, _class(TYPE_CLASSES.get(name))) for name in names if name in TYPE_CLASSES]


def _told(type: Any, what: str) -> str:
    extra = type.extra(what) if hasattr(type, "extra") and what != "type" else None
    if what == "type":
        return str(type)
    return attribute_text(extra) if extra is not None else f"default {what}"


def _same_number(x: Any, y: Any) -> bool:
    return constant_text(x).partition(" ")[0] == constant_text(y).partition(" ")[0]


def _elements(x: Any, y: Any) -> tuple[str, str]:
    """The first element that differs of two arrays that look alike, and how many do."""
    if not isinstance(x, Array) or not isinstance(y, Array) or x.dtype != y.dtype:
        return "another", "another"
    left, right = elements(x, 1 << 20), elements(y, 1 << 20)
    if len(left) != len(right):
        return (
            f"{left[0]} everywhere" if x.splat else "several values",
            f"{right[0]} everywhere" if y.splat else "several values",
        )
    wrong = Counter(k for k, (s, t) in enumerate(zip(left, right, strict=True)) if s != t)
    if not wrong:
        return "other bits", "other bits"
    k = min(wrong)
    return f"{left[k]} at {k}", f"{right[k]} at {k}, {len(wrong)} of {len(left)} elements differ"
