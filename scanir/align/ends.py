"""Parameters and results of paired regions: what a program takes and hands back, and in which order."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable
from typing import Any

from scanir.align.dims import Substitution
from scanir.align.graph import Source
from scanir.align.ledger import SEMANTICS, Ledger
from scanir.align.texts import extras, type_text
from scanir.result import Edit, EditSide


class Ends:
    """``constants``: results that are constants, and others on the other side; ``dims``: what arguments teach."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.constants: list[tuple[Source, Source, tuple[int, int, int]]] = []
        self.dims = Substitution()

    def parameters(self, x: int, y: int) -> None:
        """Arguments of the program; those of regions inside follow from what their owner is given."""
        entry = self._ledger.left.blocks[x].region is self._ledger.left.entry().body
        for side, graph, block in ((0, self._ledger.left, x), (1, self._ledger.right, y)):
            known: Any = self._ledger.pairing.params_back if side else self._ledger.pairing.params
            for k, value in enumerate(graph.blocks[block].region.params):
                if (~block, k) not in known:
                    text = EditSide(
                        f"{self._ledger.words.value(side, (~block, k))}: {value.type}", "", graph.way(block)
                    )
                    pair = (None, text) if side else (text, None)
                    edit = Edit("insert" if side else "delete", SEMANTICS, "argument", text.path, "argument", *pair)
                    (self._ledger.edits if entry else self._ledger.follow).append(edit)
        for k, value in enumerate(self._ledger.left.blocks[x].region.params):
            other = self._ledger.pairing.params.get((~x, k))
            if other is None or other[0] != ~y:
                continue
            types = value.type, self._ledger.right.value(other).type
            if self._ledger.left.eraser.type(types[0]) != self._ledger.right.eraser.type(types[1]):
                if entry:
                    self.dims.learn(*types)
                self._parameter(x, k, "type", SEMANTICS, types, None if entry else self._ledger.follow)
            elif types[0] != types[1] and entry:
                for name, kind in extras(*types):
                    self._parameter(x, k, name, kind, types, None)

    def _parameter(self, x: int, k: int, what: str, kind: str, types: tuple[Any, Any], into: list[Edit] | None) -> None:
        path, name = self._ledger.left.way(x), self._ledger.words.value(0, (~x, k))
        old, new = (type_text(type, what) for type in types)
        left, right = (EditSide(f"{name}: {text}", text, path) for text in (old, new))
        edit = Edit("replace", kind, "argument", path, what, left, right)
        (self._ledger.edits if into is None else into).append(edit)

    def results(self, x: int, y: int) -> None:
        left, right = self._ledger.left.outputs(x), self._ledger.right.outputs(y)
        if len(left) == len(right):
            wrong = [k for k, (s, t) in enumerate(zip(left, right, strict=True)) if not self._ledger.same(s, t)]
            if not wrong:
                return None
            if self._ledger.permuted([left[k] for k in wrong], [right[k] for k in wrong]):
                return self._result_edit("reorder", x, y, wrong, left, right, None)
            if all(self._ledger.follows(left[k], right[k]) for k in wrong):
                return self._result_edit("rewire", x, y, wrong, left, right, self._ledger.follow)
            constants = {k for k in wrong if self._ledger.constants(left[k], right[k])}
            self.constants += [(left[k], right[k], (~x, ~y, k)) for k in sorted(constants)]
            rest = [k for k in wrong if k not in constants and not self._ledger.follows(left[k], right[k])]
            if rest:
                self._result_edit("rewire", x, y, rest, left, right, None)
            return None
        return self._uneven(x, y, left, right)

    def _uneven(self, x: int, y: int, left: list[Source], right: list[Source]) -> None:
        """Results of regions that have not the same number of them: what has no like, in order."""
        theirs: dict[Hashable, deque[int]] = defaultdict(deque)
        for m, t in enumerate(right):
            for key in self._ledger.keys(1, t):
                theirs[key].append(m)
        j, extra = 0, []
        for k, s in enumerate(left):
            waiting = [theirs[key] for key in self._ledger.keys(0, s) if key in theirs]
            for places in waiting:
                while places and places[0] < j:
                    places.popleft()
            found = min((places[0] for places in waiting if places), default=None)
            if found is None:
                extra.append((0, k))
                continue
            extra += [(1, m) for m in range(j, found)]
            j = found + 1
        extra += [(1, m) for m in range(j, len(right))]
        entry = self._ledger.left.blocks[x].owner is None
        for side, k in extra:
            graph, block, sources = ((self._ledger.left, x, left), (self._ledger.right, y, right))[side]
            text = EditSide(f"result {k}: {self._ledger.words.value(side, sources[k])}", "", graph.way(block))
            pair = (None, text) if side else (text, None)
            edit = Edit("insert" if side else "delete", SEMANTICS, "result", text.path, f"result {k}", *pair)
            (self._ledger.edits if entry else self._ledger.follow).append(edit)

    def _result_edit(
        self, kind: str, x: int, y: int, places: list[int], left: list[Source], right: list[Source],
        into: list[Edit] | None,
    ) -> None:  # fmt: skip
        texts = []
        for side, block, sources in ((0, x, left), (1, y, right)):
            graph = self._ledger.words.graph(side)
            values = ", ".join(self._ledger.words.value(side, sources[k]) for k in places[:4])
            changed = values + (", ..." if len(places) > 4 else "")
            at = next((sources[k][0] for k in places if sources[k][0] >= 0), None)
            file, line = graph.nodes[at].line or ("", 0) if at is not None else ("", 0)
            texts.append(EditSide(f"return {changed}", changed, graph.way(block), file, line))
        what = f"result{'s' if len(places) > 1 else ''} {', '.join(map(str, places[:4]))}"
        edit = Edit(kind, SEMANTICS, "return", self._ledger.left.way(x), what, texts[0], texts[1])
        (self._ledger.edits if into is None else into).append(edit)
