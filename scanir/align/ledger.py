"""What is written down of a pairing: edits, what a rule explains, and what follows from an edit.

Answers when two values are one: by the pairs, or behind what allowed rules see through. Each question takes a time
that does not depend on the size of the module, and lists are compared in linear time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from scanir.align.aside import Aside
from scanir.align.graph import Graph, Source
from scanir.align.pairing import Pairing
from scanir.align.words import Words
from scanir.result import Edit

SEMANTICS = "semantics"


class Ledger:
    """The entries so far: ``edits``, ``aside`` (a rule explains them) and ``follow`` (they follow from others)."""

    def __init__(self, pairing: Pairing, rules: frozenset[str]) -> None:
        self.pairing, self.left, self.right = pairing, pairing.left, pairing.right
        self.rules, self.words = rules, Words(pairing)
        self.asides = (Aside(pairing.left, rules), Aside(pairing.right, rules))
        self.edits: list[Edit] = []
        self.aside: list[Edit] = []
        self.follow: list[Edit] = []

    def add(
        self, kind: str, kind_class: str, what: str, a: int | None, b: int | None, old: str = "", new: str = "",
        into: list[Edit] | None = None,
    ) -> None:  # fmt: skip
        """An entry at a node of the left, of the right, or of both."""
        left = None if a is None else self.words.side(0, a, old)
        right = None if b is None else self.words.side(1, b, new)
        node = self.left.nodes[a] if a is not None else self.right.nodes[b if b is not None else 0]
        path = left.path if left is not None else right.path if right is not None else ""
        edit = Edit(kind, kind_class, node.op.name, path, what, left, right)
        (self.edits if into is None else into).append(edit)

    def values(self, places: list[int], left: list[Source], right: list[Source]) -> tuple[str, str]:
        """The values in some places of two lists, in words."""
        old, new = (
            ", ".join(self.words.value(side, sources[k]) for k in places[:4])
            for side, sources in ((0, left), (1, right))
        )
        return old, new

    # -- values

    def dead(self, a: int, b: int) -> bool:
        return self.asides[0].dead(a) and self.asides[1].dead(b)

    def same(self, s: Source, t: Source) -> bool:
        if self.pairing.same(s, t):
            return True
        x, y = self.asides[0].through(s), self.asides[1].through(t)
        return (x != s or y != t) and self.pairing.same(x, y)

    def permuted(self, left: list[Source], right: list[Source]) -> bool:
        """Whether two lists are the same values in another order."""
        return len(left) > 1 and not any(self.surplus(left, right))

    def surplus(self, left: list[Source], right: list[Source]) -> tuple[list[int], list[int]]:
        """Places of two lists whose values the other list has not, as often as they stand there."""
        places = list(range(len(left))), list(range(len(right)))
        for behind in (False, True):
            keys = (
                [self.keys(0, left[k])[behind] for k in places[0]],
                [self.keys(1, right[k])[behind] for k in places[1]],
            )
            common = Counter(keys[0]) & Counter(keys[1])
            places = _without(places[0], keys[0], common), _without(places[1], keys[1], common)
        return places

    def keys(self, side: int, source: Source) -> tuple[Hashable, Hashable]:
        """Of a value, and of what stands behind it: equal for one of the left and one of the right exactly if the
        pairs make them one."""
        return self._key(side, source), ("behind", self._key(side, self.asides[side].through(source)))

    def _key(self, side: int, source: Source) -> Hashable:
        graph = self.graph(side)
        if source[0] >= 0 and graph.nodes[source[0]].is_constant:
            return "constant", graph.nodes[source[0]].label
        if not side:
            return source
        ours = self.origin(source)
        return ours if ours is not None else ("right", source)

    def graph(self, side: int) -> Graph:
        return self.right if side else self.left

    def origin(self, t: Source) -> Source | None:
        """The value of the left that is paired with one of the right."""
        if t[0] < 0:
            return self.pairing.params_back.get(t)
        a = self.pairing.back.get(t[0])
        return None if a is None else (a, t[1])

    def follows(self, s: Source, t: Source) -> bool:
        """Whether two values differ because the op of one of them was put in or left out."""
        return self._alone(0, s) or self._alone(1, t)

    def _alone(self, side: int, source: Source) -> bool:
        at, taken = source[0], self.pairing.back if side else self.pairing.partner
        if at < 0:
            return source not in (self.pairing.params_back if side else self.pairing.params)
        return at not in taken and not self.graph(side).nodes[at].is_constant

    def constants(self, s: Source, t: Source) -> bool:
        """Whether both values are constants."""
        return s[0] >= 0 and t[0] >= 0 and self.left.nodes[s[0]].is_constant and self.right.nodes[t[0]].is_constant


def _without(places: Iterable[int], keys: list[Hashable], common: Counter[Hashable]) -> list[int]:
    """Places without the first ones of each key that are in common."""
    rest, kept = Counter(common), []
    for place, key in zip(places, keys, strict=True):
        if rest[key] > 0:
            rest[key] -= 1
        else:
            kept.append(place)
    return kept
