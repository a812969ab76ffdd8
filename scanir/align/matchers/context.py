"""By context: ops whose operands and users are paired, those that agree most first; the source line counts too.

Each pair makes its neighbours candidates, so that an edit is passed on all sides. An op of another name is taken only
after all of one name, where all that surrounds it agrees. Candidates are looked for among the neighbours of what is
paired, at most
`FAN` users of one value.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from scanir.align.graph import Graph, Source
from scanir.align.pairing import Pairing

NAME = "context"
#: Users of one value that are looked at: a constant-like argument may have thousands.
FAN = 48
#: What an op of another name starts with: less than any of the same name has in the end.
OTHER = -4.0


def match(pairing: Pairing, x: int, y: int) -> None:
    _Growth(pairing, x, y).run()


class _Growth:
    """Candidates in the order of how well they agree."""

    def __init__(self, pairing: Pairing, x: int, y: int) -> None:
        self._pairing, self._blocks = pairing, (x, y)
        self._left, self._right = pairing.left, pairing.right
        self._heap: list[tuple[float, int, int]] = []
        self._known: dict[tuple[int, int], float] = {}

    def run(self) -> None:
        left, _ = self._pairing.free(*self._blocks)
        for a in left:
            self._look(a)
        while self._heap:
            score, a, b = heapq.heappop(self._heap)
            if a in self._pairing.partner or b in self._pairing.back or self._known.get((a, b)) != score:
                continue
            self._pairing.pair(a, b, NAME)
            for near in self._around(a):
                self._look(near)

    def _look(self, a: int) -> None:
        """Put the candidates of a node into the queue, or put them right."""
        for b in dict.fromkeys(self._candidates(a)):
            score = self._score(a, b)
            if score is not None and self._known.get((a, b)) != -score:
                self._known[a, b] = -score
                heapq.heappush(self._heap, (-score, a, b))

    def _free(self, graph: Graph, side: int, node: int) -> bool:
        taken = self._pairing.back if side else self._pairing.partner
        if node < 0 or node in taken:
            return False
        found = graph.nodes[node]
        return found.region == self._blocks[side] and not found.is_constant

    def _around(self, a: int) -> Iterator[int]:
        """Free neighbours of a node of the left side."""
        for source in self._left.inputs(a):
            if self._free(self._left, 0, source[0]):
                yield source[0]
        for k in range(len(self._left.nodes[a].op.results)):
            for user, _ in self._left.uses.get((a, k), ())[:FAN]:
                if self._free(self._left, 0, user):
                    yield user

    def _candidates(self, a: int) -> Iterator[int]:
        pairing, right = self._pairing, self._right
        for source in self._left.inputs(a):
            other = self._partner(source)
            if other is None:
                continue
            users = right.uses.get(other, ())
            if len(users) > FAN:
                pairing.limits[f"by context, {FAN} users of a value were looked at"] = None
            for user, _ in users[:FAN]:
                if self._free(right, 1, user):
                    yield user
        for k in range(len(self._left.nodes[a].op.results)):
            for user, place in self._left.uses.get((a, k), ())[:FAN]:
                for source in self._feeding(user, place):
                    if source[1] == k and self._free(right, 1, source[0]):
                        yield source[0]

    def _partner(self, source: Source) -> Source | None:
        if source[0] < 0:
            return self._pairing.params.get(source)
        b = self._pairing.partner.get(source[0])
        return None if b is None else (b, source[1])

    def _feeding(self, user: int, place: int) -> Iterator[Source]:
        """What stands in the same place of the partner of a user."""
        if user >= 0:
            partner = self._pairing.partner.get(user)
            inputs = self._right.inputs(partner) if partner is not None else []
        else:
            block = self._pairing.block.get(~user)
            inputs = self._right.outputs(block) if block is not None else []
        if place < len(inputs):
            yield inputs[place]

    def _score(self, a: int, b: int) -> float | None:
        """How well two nodes agree, from 0 to about 8; None for nodes that are not taken for one."""
        left, right = self._left.nodes[a], self._right.nodes[b]
        inputs, others = self._left.inputs(a), self._right.inputs(b)
        below = sum(self._pairing.same(s, t) for s, t in zip(inputs, others, strict=False))
        above, users = self._above(a, b)
        places = max(len(inputs), len(others))
        if left.op.name == right.op.name:
            if not below and not above and left.label != right.label:
                return None
        elif not self._replaces(a, b, below == places, bool(above) and above >= users and below * 2 >= places):
            return None
        share = below / (max(len(inputs), len(others)) or 1) + above / (users or 1)
        same = 2.0 * (left.label == right.label) + (1 if left.op.name == right.op.name else OTHER)
        order = 0.25 * (left.line is not None and left.line == right.line)
        digests = 0.5 * (self._left.digest(a) == self._right.digest(b)) if left.op.regions else 0
        return 2 * share + same + order + digests

    def _replaces(self, a: int, b: int, inputs: bool, around: bool) -> bool:
        """Whether an op may be another one in the same place: given the same, for users of the same names."""
        left, right = self._left.nodes[a].op, self._right.nodes[b].op
        if len(left.results) != len(right.results) or len(left.regions) != len(right.regions):
            return False
        return around or (inputs and self._users(self._left, a) == self._users(self._right, b))

    @staticmethod
    def _users(graph: Graph, node: int) -> list[tuple[int, int]]:
        results = range(len(graph.nodes[node].op.results))
        users = [use for k in results for use in graph.uses.get((node, k), ())[:FAN]]
        return sorted((graph.nodes[user].loose if user >= 0 else -1, place) for user, place in users)

    def _above(self, a: int, b: int) -> tuple[int, int]:
        """Users of both that are paired with each other, and users of the one that has more."""
        agreed, counts = 0, [0, 0]
        for k in range(len(self._left.nodes[a].op.results)):
            theirs = self._right.uses.get((b, k), ())[:FAN]
            found = set(theirs)
            ours = self._left.uses.get((a, k), ())[:FAN]
            for user, place in ours:
                other = self._pairing.partner.get(user) if user >= 0 else self._pairing.block.get(~user)
                if other is not None:
                    agreed += ((other if user >= 0 else ~other), place) in found
            counts[0] += len(ours)
            counts[1] += len(theirs)
        return agreed, max(counts)
