"""One pass over the quotient program: references go down, and binders are named by height (O2).

``free[c]``: bit set of the heights of binders that c leaves open; ``inside[c]``: the largest height of a binder in c.
"""

from __future__ import annotations

from collections.abc import Sequence

from scanir.checker.certificate import Class
from scanir.checker.verdict import Rejected

#: How many references each kind has: exactly that many, or at least (negative, less one).
_ARITY = {"proj": 1, "affine": 1, "trips": 1, "elem": 1, "ys": 2, "sel": -3, "call": -2, "first": 1, "stack": 1}
#: The kind that the first reference of a class must have.
_FIRST = {
    "proj": ("op", "call", "loop"),
    "affine": ("trip", "trips"),
    "trips": ("loop",),
    "ys": ("loop",),
    "call": ("fun",),
}


class Quotient:
    """The classes, found well formed. Raises Rejected."""

    def __init__(self, classes: Sequence[Class]) -> None:
        self.classes = classes
        self.free: list[int] = []
        self.inside: list[int] = []
        #: The largest height that must be below that of each loop.
        self._below: dict[int, int] = {}
        for number, c in enumerate(classes):
            self._add(number, c)
        for loop, below in self._below.items():
            if classes[loop].height != 1 + below:
                raise Rejected(
                    "O2", f"the height of a loop is {classes[loop].height}, not {1 + below}", f"class {loop}"
                )

    def _add(self, number: int, c: Class) -> None:
        refs = c.refs
        where = f"class {number}"
        for ref in refs:
            if not 0 <= ref < number:
                raise Rejected("O2", f"a reference to {ref}, which is no smaller number", where)
        if not 0 <= c.height <= len(self.classes):  # each height has a binder of its own inside
            raise Rejected("O2", f"a height of {c.height} among {len(self.classes)} classes", where)
        wanted = _ARITY.get(c.kind, len(refs))
        if len(refs) != wanted if wanted >= 0 else len(refs) < -wanted - 1:
            raise Rejected("O2", f"a class {c.kind} of {len(refs)} references", where)
        if c.kind in _FIRST and self.classes[refs[0]].kind not in _FIRST[c.kind]:
            raise Rejected("O2", f"a class {c.kind} of a class {self.classes[refs[0]].kind}", where)
        free, inside = 0, 0
        for ref in refs:
            free |= self.free[ref]
            if self.inside[ref] > inside:
                inside = self.inside[ref]
        match c.kind:
            case "slot" | "trip" | "bound" | "elem":
                if c.height < 1:
                    raise Rejected("O2", "a binder of no height", where)
                free |= 1 << c.height
            case "loop":
                free, inside = self._loop(number, c, where)
            case "ys":
                loop, y = refs
                height = self.classes[loop].height
                self._below[loop] = max(self._below[loop], self.inside[y])
                free = self.free[loop] | self._closed(self.free[y], height, where)
            case "fun":
                inside = 1 + max((self.inside[result] for result in c.lists[1]), default=0)
                if c.height != inside:
                    raise Rejected("O2", f"the height of a region is {c.height}, not {inside}", where)
                self._parameters(c.lists[0], "bound", c.height, where)
                free = 0
                for result in c.lists[1]:
                    free |= self._closed(self.free[result], c.height, where)
        self.free.append(free)
        self.inside.append(inside)

    def _loop(self, number: int, c: Class, where: str) -> tuple[int, int]:
        inits, slots, nexts, guards = c.lists
        if not len(inits) == len(slots) == len(nexts) or len(guards) > 2:
            raise Rejected("O2", "a loop of unlike numbers of slots", where)
        self._parameters(slots, "slot", c.height, where)
        free, below = 0, 0
        for ref in (*nexts, *guards):
            free |= self._closed(self.free[ref], c.height, where)
            below = max(below, self.inside[ref])
        for ref in inits:
            free |= self.free[ref]
        self._below[number] = below
        return free, max([c.height, *[self.inside[ref] for ref in inits]])

    def _parameters(self, refs: Sequence[int], kind: str, height: int, where: str) -> None:
        for k, ref in enumerate(refs):
            c = self.classes[ref]
            if (c.kind, c.height, c.number) != (kind, height, k):
                raise Rejected("O2", f"parameter {k} is not the {kind} of that number and height", where)

    def _closed(self, free: int, height: int, where: str) -> int:
        """What stays open when a binder of this height closes."""
        if free & ((1 << height) - 1):
            raise Rejected("O2", "a binder closes what belongs to a lower one", where)
        return free & ~(1 << height)
