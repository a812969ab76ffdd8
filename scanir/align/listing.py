"""Both modules side by side, region by region: ops in the order of the left one, each beside its partner.

The right side stands in the left side's names, so that a row differs only where the programs do. Ops in another order
are no difference. n log n in the number of ops.
"""

from __future__ import annotations

from scanir.align.align import align
from scanir.align.pairing import Pairing
from scanir.align.words import Words
from scanir.compare.attributes import key_text
from scanir.program import Program
from scanir.result import ListedOp, ListedRegion


def listing(a: Program, b: Program) -> tuple[ListedRegion, ...]:
    """All regions that hold an op, those of one side alone last."""
    pairing = align(a, b)
    words = Words(pairing)
    found = [ListedRegion(pairing.left.way(x), tuple(_rows(pairing, words, x, y))) for x, y in pairing.blocks]
    for side, graph, paired in ((0, pairing.left, pairing.block), (1, pairing.right, pairing.block_back)):
        for number in range(len(graph.blocks)):
            if number not in paired:
                rows = tuple(_alone(words, side, node) for node in _ops(pairing, side, number))
                found.append(ListedRegion(graph.way(number), rows))
    return tuple(region for region in found if region.ops)


def _ops(pairing: Pairing, side: int, block: int) -> list[int]:
    graph = pairing.right if side else pairing.left
    return [node for node in graph.blocks[block].nodes if not graph.nodes[node].is_constant]


def _alone(words: Words, side: int, node: int) -> ListedOp:
    line = words.graph(side).nodes[node].line or ("", 0)
    if side:
        return ListedOp("inserted", "", words.op(1, node), (("", 0), line))
    return ListedOp("deleted", words.op(0, node), "", (line, ("", 0)))


def _rows(pairing: Pairing, words: Words, x: int, y: int) -> list[ListedOp]:
    """Ops of the left region in their order; one that only the right has after what stands before it there."""
    ours, theirs = _ops(pairing, 0, x), _ops(pairing, 1, y)
    place = {node: k for k, node in enumerate(ours)}
    inserted: dict[int, list[int]] = {}
    before = -1
    for node in theirs:
        partner = pairing.back.get(node)
        if partner is None:
            inserted.setdefault(before, []).append(node)
        else:
            before = place.get(partner, before)
    rows = [_alone(words, 1, node) for node in inserted.get(-1, ())]
    for k, node in enumerate(ours):
        partner = pairing.partner.get(node)
        rows.append(_alone(words, 0, node) if partner is None else _both(pairing, words, node, partner))
        rows += [_alone(words, 1, other) for other in inserted.get(k, ())]
    return rows


def _both(pairing: Pairing, words: Words, a: int, b: int) -> ListedOp:
    x, y = pairing.left.nodes[a], pairing.right.nodes[b]
    left, right = words.op(0, a), words.op(1, b)
    given = pairing.left.inputs(a), pairing.right.inputs(b)
    same = len(given[0]) == len(given[1]) and all(map(pairing.same, *given))
    if x.label != y.label:
        more = _unlike(dict(pairing.left.eraser.attributes(x.op)), dict(pairing.right.eraser.attributes(y.op)))
        left, right, same = left + more[0], right + more[1], False
    if not same and left == right:
        right += "  (of other values, or another type)"
    return ListedOp("same" if same else "changed", left, right, (x.line or ("", 0), y.line or ("", 0)))


def _unlike(left: dict[str, object], right: dict[str, object]) -> tuple[str, str]:
    """The attributes that differ, as each side has them."""
    names = [name for name in (*left, *(n for n in right if n not in left)) if left.get(name) != right.get(name)]
    texts = [", ".join(f"{name}={key_text(side[name])}" for name in names if name in side) for side in (left, right)]
    return f" {{{texts[0]}}}" if texts[0] else "", f" {{{texts[1]}}}" if texts[1] else ""
