"""By uniqueness: ops that no other free op of their region is like, in all but their operands."""

from __future__ import annotations

from scanir.align.matchers.groups import pair_groups
from scanir.align.pairing import Pairing

NAME = "unique"


def match(pairing: Pairing, x: int, y: int) -> None:
    left, right = pairing.left, pairing.right
    pair_groups(
        pairing, x, y, lambda k: left.nodes[k].label, lambda k: right.nodes[k].label, NAME, alone=True
    )  # fmt: skip
