"""Which op of one side is which op of the other, and which matcher said so.

Promises one-to-one pairs of ops and of parameters, within regions that are paired. Constants are no ops here: how often
one is written down does not count, and each is seen from its users (`scanir.align.changes`). A limit that a matcher
reached is kept in ``limits``.
"""

from __future__ import annotations

from collections import Counter, deque

from scanir.align.graph import Graph, Source


class Pairing:
    """The pairs so far. ``how[a]``: the matcher that paired node ``a`` of the left side."""

    def __init__(self, left: Graph, right: Graph) -> None:
        self.left, self.right = left, right
        self._copies = [Counter(block.digest for block in graph.blocks) for graph in (left, right)]
        self.partner: dict[int, int] = {}
        self.back: dict[int, int] = {}
        self.how: dict[int, str] = {}
        #: Paired regions, in the order in which they were met, and each one's first partner.
        self.blocks: dict[tuple[int, int], None] = {}
        self.block: dict[int, int] = {}
        self.block_back: dict[int, int] = {}
        #: Regions of one op on both sides that are other regions elsewhere: (node, node, region, region).
        self.crossed: list[tuple[int, int, int, int]] = []
        #: Ops that have the same regions in another order.
        self.reordered: list[tuple[int, int]] = []
        self.limits: dict[str, None] = {}
        self.params: dict[Source, Source] = {}
        self.params_back: dict[Source, Source] = {}
        self.waiting: deque[tuple[int, int]] = deque()

    def pair(self, a: int, b: int, matcher: str) -> None:
        self.partner[a], self.back[b], self.how[a] = b, a, matcher
        inner = self.left.inner(a), self.right.inner(b)
        if len(inner[0]) == len(inner[1]):
            for x, y in zip(inner[0], self._in_order(a, b, *inner), strict=True):
                self.pair_blocks(x, y, (a, b))

    def _in_order(self, a: int, b: int, left: list[int], right: list[int]) -> list[int]:
        """The regions of the right op, as those of the left one stand: the same regions in another order are that."""
        digests = [[g.blocks[k].digest for k in ks] for g, ks in ((self.left, left), (self.right, right))]
        if digests[0] == digests[1] or sorted(digests[0]) != sorted(digests[1]):
            return right
        self.reordered.append((a, b))
        rest: dict[int, deque[int]] = {}
        for digest, block in zip(digests[1], right, strict=True):
            rest.setdefault(digest, deque()).append(block)
        return [rest[wanted].popleft() for wanted in digests[0]]

    def pair_blocks(self, x: int, y: int, owner: tuple[int, int] = (-1, -1)) -> None:
        """Pair two regions, once; regions that are somebody else's already are noted."""
        if (x, y) in self.blocks:
            return
        digest = self.right.blocks[y].digest
        if self.left.blocks[x].digest != digest and 0 < self._copies[0][digest] == self._copies[1][digest]:
            # The right region stands on the left too, for another op: here another one is named, none is edited.
            self.crossed.append((*owner, x, y))
            return
        if x in self.block or y in self.block_back:
            # One region for two: the op names another one than it did, whatever is in it.
            if self.left.blocks[x].digest != digest:
                self.crossed.append((*owner, x, y))
            return
        self.blocks[x, y] = None
        self.block.setdefault(x, y)
        self.block_back.setdefault(y, x)
        self._pair_params(x, y)
        self.waiting.append((x, y))

    def _pair_params(self, x: int, y: int) -> None:
        counts = [len(graph.blocks[k].region.params) for graph, k in ((self.left, x), (self.right, y))]
        for a, b in (
            _parameters(self.left, self.right, x, y) if counts[0] != counts[1] else ((k, k) for k in range(counts[0]))
        ):
            if (~x, a) not in self.params and (~y, b) not in self.params_back:
                self.params[~x, a], self.params_back[~y, b] = (~y, b), (~x, a)

    def free(self, x: int, y: int) -> tuple[list[int], list[int]]:
        """Ops of two regions that have no partner yet; constants are none."""
        left = [k for k in self.left.blocks[x].nodes if k not in self.partner and not self.left.nodes[k].is_constant]
        right = [k for k in self.right.blocks[y].nodes if k not in self.back and not self.right.nodes[k].is_constant]
        return left, right

    def same(self, a: Source, b: Source) -> bool:
        """Whether two values are one by the pairs so far, or two constants of one value."""
        if a[0] < 0 or b[0] < 0:
            return self.params.get(a) == b
        x, y = self.left.nodes[a[0]], self.right.nodes[b[0]]
        if x.is_constant or y.is_constant:
            return x.label == y.label
        return a[1] == b[1] and self.partner.get(a[0]) == b[0]


def _parameters(left: Graph, right: Graph, x: int, y: int) -> list[tuple[int, int]]:
    """Parameters of regions that have not the same number of them: by what becomes of them, then in order by type."""
    from rapidfuzz.distance import LCSseq

    def tokens(graph: Graph, block: int, known: dict[object, int]) -> list[int]:
        found = []
        for k, value in enumerate(graph.blocks[block].region.params):
            uses = tuple(
                sorted((graph.nodes[user].loose, place) for user, place in graph.uses.get((~block, k), ()) if user >= 0)
            )
            found.append(known.setdefault((str(value.type), uses), len(known)))
        return found

    known: dict[object, int] = {}
    tokens_left, tokens_right = tokens(left, x, known), tokens(right, y, known)
    pairs = [
        (block.src_start + k, block.dest_start + k)
        for block in LCSseq.opcodes(tokens_left, tokens_right)
        if block.tag == "equal"
        for k in range(block.src_end - block.src_start)
    ]
    names = [{v.name: k for k, v in enumerate(g.blocks[b].region.params) if v.name} for g, b in ((left, x), (right, y))]
    taken = {a for a, _ in pairs}, {b for _, b in pairs}
    for name, a in names[0].items():
        b = names[1].get(name, -1)
        if b >= 0 and a not in taken[0] and b not in taken[1]:
            pairs.append((a, b))
            taken[0].add(a)
            taken[1].add(b)
    # What is left stands between the same neighbours in the same order.
    rest = [
        [k for k in range(len(t)) if k not in done] for t, done in zip((tokens_left, tokens_right), taken, strict=True)
    ]
    waiting: dict[str, deque[int]] = {}
    for b in rest[1]:
        waiting.setdefault(str(right.blocks[y].region.params[b].type), deque()).append(b)
    for a in rest[0]:
        if others := waiting.get(str(left.blocks[x].region.params[a].type)):
            pairs.append((a, others.popleft()))
    return pairs
