"""Bottom-up: ops that are computed alike from the inputs on, first in full, then by the names of ops alone."""

from __future__ import annotations

from scanir.align.matchers.groups import pair_groups
from scanir.align.pairing import Pairing

NAME = "bottom-up"


def match(pairing: Pairing, x: int, y: int) -> None:
    left, right = pairing.left, pairing.right
    pair_groups(pairing, x, y, lambda k: left.up[k], lambda k: right.up[k], NAME)
    pair_groups(pairing, x, y, lambda k: left.loose_up[k], lambda k: right.loose_up[k], NAME, alone=True)
