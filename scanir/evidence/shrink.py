"""A smaller input on which two programs still differ: fewest elements that are not zero, then the plainest of them.

Bounded: a number of tries, each a run of both sides. Promises an input on which they were seen to differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from scanir.evidence.elements import differs, plain
from scanir.evidence.plan import Slot

TRIES = 60
#: Elements that are made plain one by one.
FEW = 8

Seen = TypeVar("Seen")


def shrink(
    slots: tuple[Slot, ...], values: list[Any], seen: Seen, differ: Callable[[list[Any]], Seen | None]
) -> tuple[list[Any], Seen]:
    """The smaller input and what ``differ`` saw there; it answers None where the programs do not differ, or where no
    more may be tried."""
    smaller = _Smaller(values, seen, differ)
    free = [place for place, slot in enumerate(slots) if slot.fixed is None]
    for place in free:
        if not smaller.takes(place, np.zeros_like(smaller.values[place])):
            smaller.zero_parts(place)
    for place in free:
        smaller.make_plain(place)
    return smaller.values, smaller.seen


class _Smaller(Generic[Seen]):
    """The smallest input so far, and how many more may be tried."""

    def __init__(self, values: list[Any], seen: Seen, differ: Callable[[list[Any]], Seen | None]) -> None:
        self.values, self.seen = list(values), seen
        self._differ, self._left = differ, TRIES

    def takes(self, place: int, value: Any) -> bool:
        """Whether the programs still differ with that value there, which then is kept."""
        if self._left <= 0 or not differs(value, self.values[place]).any():
            return False
        self._left -= 1
        changed = [*self.values[:place], value, *self.values[place + 1 :]]
        seen = self._differ(changed)
        if seen is not None:
            self.values, self.seen = changed, seen
        return seen is not None

    def zero_parts(self, place: int) -> None:
        """Halves, then quarters, ... of what is not zero."""
        chunk = max(1, len(self._nonzero(place)) // 2)
        while len(indices := self._nonzero(place)) > 1:
            for start in range(0, len(indices), chunk):
                value = self.values[place].copy()
                value.reshape(-1)[indices[start : start + chunk]] = np.zeros((), value.dtype)
                self.takes(place, value)
            if chunk == 1:
                return
            chunk //= 2

    def make_plain(self, place: int) -> None:
        for index in self._nonzero(place)[:FEW]:
            for simple in plain(self.values[place].reshape(-1)[index]):
                value = self.values[place].copy()
                value.reshape(-1)[index] = simple
                if self.takes(place, value):
                    break

    def _nonzero(self, place: int) -> Any:
        value = self.values[place]
        return np.nonzero(differs(value, np.zeros_like(value)).reshape(-1))[0]
