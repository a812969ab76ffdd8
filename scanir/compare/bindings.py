"""Bindings: arguments of one side that the other side closes over as constants.

Found by writing both programs down with every argument and constant a hole: where the forms agree, the holes
correspond. Nothing is decided here: the binding is substituted and the programs are compared again.
"""

from __future__ import annotations

from scanir.compare.holes import program_with_holes
from scanir.compare.pairing import Pairing
from scanir.normalize.values import Table


def unify(table: Table, left: list[int], right: list[int], pairing: Pairing) -> dict[tuple[str, int], int]:
    """(side, argument) -> the constant that it must be; empty where the programs differ in more, or one would need two.

    ``left``, ``right``: the results of both sides. Of a longer list, results that are arguments are left out.
    """
    free: dict[int, tuple[str, int]] = {}
    for side, alone in (("a", pairing.left), ("b", pairing.right)):
        for argument in alone:
            free[pairing.index(side, argument)] = (side, argument)
    if not free:
        return {}
    forms = [program_with_holes(table, _own(table, side, len(other))) for side, other in ((left, right), (right, left))]
    if forms[0].form != forms[1].form:
        return {}
    found: dict[tuple[str, int], int] = {}
    for x, y in zip(forms[0].holes, forms[1].holes, strict=True):
        if x == y:
            continue
        argument, constant = (x, y) if table.kind(x) == "in" else (y, x)
        number = table.payload(argument)[0] if table.kind(argument) == "in" else None
        if number not in free or table.kind(constant) != "const":
            return {}
        if found.setdefault(free[number], constant) != constant:
            return {}
    return found


def _own(table: Table, results: list[int], wanted: int) -> list[int]:
    """The results without those that only hand on arguments, where there are as many of these as are too many."""
    handed = [term for term in results if table.kind(term) == "in"]
    if len(results) - len(handed) != wanted:
        return results
    return [term for term in results if table.kind(term) != "in"]
