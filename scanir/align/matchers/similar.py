"""By similarity: what is left, as two sequences of names in written order, aligned as text is; a pair needs something
else that agrees: an operand, a user or a line."""

from __future__ import annotations

from rapidfuzz.distance import Indel

from scanir.align.pairing import Pairing

NAME = "similarity"
#: Ops of a region that are aligned as one sequence; longer ones are aligned piece by piece.
LONGEST = 4_000


def match(pairing: Pairing, x: int, y: int) -> None:
    left, right = pairing.free(x, y)
    if max(len(left), len(right)) > LONGEST:
        pairing.limits[f"by similarity, {LONGEST:,} ops were aligned at a time"] = None
    for start in range(0, max(len(left), len(right)), LONGEST):
        _piece(pairing, left[start : start + LONGEST], right[start : start + LONGEST])


def _piece(pairing: Pairing, left: list[int], right: list[int]) -> None:
    if not left or not right:
        return
    tokens = [pairing.left.nodes[k].loose for k in left], [pairing.right.nodes[k].loose for k in right]
    for step in Indel.opcodes(*tokens):
        if step.tag == "equal":
            for a, b in zip(left[step.src_start : step.src_end], right[step.dest_start : step.dest_end], strict=True):
                if a not in pairing.partner and b not in pairing.back and _agree(pairing, a, b):
                    pairing.pair(a, b, NAME)


def _agree(pairing: Pairing, a: int, b: int) -> bool:
    left, right = pairing.left.nodes[a], pairing.right.nodes[b]
    if left.line is not None and left.line == right.line:
        return True
    pairs = zip(pairing.left.inputs(a), pairing.right.inputs(b), strict=False)
    return any(pairing.same(x, y) for x, y in pairs)
