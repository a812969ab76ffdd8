"""Exact: ops that are computed alike from the inputs on, and of which the same becomes, then those computed alike.

x -> sin -> [mul] -> y        above an edit ``up`` is equal, so sin is sin
"""

from __future__ import annotations

from scanir.align.matchers.groups import pair_groups
from scanir.align.pairing import Pairing

NAME = "exact"


def match(pairing: Pairing, x: int, y: int) -> None:
    left, right = pairing.left, pairing.right
    pair_groups(
        pairing, x, y,
        lambda k: (left.up[k], left.down[k], left.digest(k)), lambda k: (right.up[k], right.down[k], right.digest(k)),
        NAME,
    )  # fmt: skip
    pair_groups(pairing, x, y, lambda k: (left.up[k], left.down[k]), lambda k: (right.up[k], right.down[k]), NAME)
    pair_groups(
        pairing, x, y, lambda k: (left.up[k], left.digest(k)), lambda k: (right.up[k], right.digest(k)), NAME,
    )  # fmt: skip
