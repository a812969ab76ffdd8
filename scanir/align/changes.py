"""What differs between paired ops, and what is left without a partner.

Operands are compared through the pairs, never by value, so that what stands below an edit is unchanged. What follows
from an edit is no edit, but counted: a type that is otherwise because an operand's is, an operand that is otherwise
because its op was put in or left out. What an allowed rule explains is set aside, under the rule's name. Linear in the
number of operands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scanir.align.ends import Ends
from scanir.align.ledger import SEMANTICS, Ledger
from scanir.align.operands import Operands
from scanir.align.pairing import Pairing
from scanir.align.replaced import Replaced
from scanir.costs.copies import COPIES
from scanir.result import Edit


@dataclass(frozen=True, slots=True)
class Changes:
    """``edits``, single ones; ``aside``: those that a rule explains, and ``consequences``, counted by what they are."""

    edits: tuple[Edit, ...]
    aside: tuple[Edit, ...]
    consequences: tuple[Edit, ...]


def changes(pairing: Pairing, rules: frozenset[str]) -> Changes:
    ledger = Ledger(pairing, rules)
    ends = Ends(ledger)
    for x, y in pairing.blocks:
        ends.parameters(x, y)
    for x, y in pairing.blocks:
        ends.results(x, y)
    operands = Operands(ledger, ends.dims)
    for s, t, use in ends.constants:
        operands.note(s, t, use)
    replaced = Replaced(ledger, ends.dims)
    for a, b in pairing.partner.items():
        into = ledger.aside if ledger.dead(a, b) else None
        _moved(ledger, a, b, into)
        operands.compare(a, b, into, replaced=replaced.compare(a, b, into))
    operands.tell()
    _unpaired(ledger)
    _regions(ledger)
    return Changes(tuple(ledger.edits), tuple(ledger.aside), tuple(ledger.follow))


def _moved(ledger: Ledger, a: int, b: int, into: list[Edit] | None) -> None:
    """An op that stands in another region on the other side."""
    left, right = ledger.left.nodes[a], ledger.right.nodes[b]
    if ledger.pairing.how[a] == "moved" and ledger.pairing.block.get(left.region) != right.region:
        pure = ledger.asides[0].pure(a) and "hoisting" in ledger.rules
        places = ledger.left.way(left.region), ledger.right.way(right.region)
        ledger.add("move", SEMANTICS, "region", a, b, *places, into=ledger.aside if pure else into)


def _unpaired(ledger: Ledger) -> None:
    for side in (0, 1):
        for node in _alone_in(ledger, side):
            rule = ledger.asides[side].explains(node)
            kind = "insert" if side else "delete"
            kind_class = "copies" if ledger.graph(side).nodes[node].op.name in COPIES else SEMANTICS
            into = ledger.aside if rule in ledger.rules and rule != "class:copies" else None
            a, b = (None, node) if side else (node, None)
            ledger.add(kind, kind_class, "op", a, b, into=into)


def _alone_in(ledger: Ledger, side: int) -> Iterator[int]:
    """Nodes without a partner in regions that have one; what stands inside goes with the op that holds it."""
    pairing, graph = ledger.pairing, ledger.graph(side)
    taken = pairing.back if side else pairing.partner
    for block in sorted(pairing.block_back if side else pairing.block):
        for node in graph.blocks[block].nodes:
            if node not in taken and not graph.nodes[node].is_constant:
                yield node


def _regions(ledger: Ledger) -> None:
    """Ops that name another function than they did, or have their regions in another order."""
    for a, b, x, y in ledger.pairing.crossed:
        if a >= 0:
            ledger.add("replace", SEMANTICS, "called function", a, b, ledger.left.way(x), ledger.right.way(y))
    for a, b in ledger.pairing.reordered:
        count = len(ledger.right.inner(b))
        ledger.add("reorder", SEMANTICS, "regions", a, b, "regions in order", f"{count} regions in another order")
