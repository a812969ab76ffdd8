"""The inputs that programs are run on: the example, then edge values and random ones in turn, from a fixed seed.

Promises the same inputs for the same types, in the same order, and that the first edges are the most telling ones.
Edges come alone (one element among random ones, one argument of several) as well as together: one NaN hides the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from scanir.evidence.elements import edges, random
from scanir.evidence.plan import Slot

_SEED = 20_240_229


#: The chance that an argument among several stays ordinary in an input of edges.
_ORDINARY = 0.4


def inputs(slots: tuple[Slot, ...], count: int) -> Iterator[list[Any]]:
    """The example, if there is one, and ``count`` more; one value for each slot. One input where there is no choice."""
    free = [slot for slot in slots if slot.fixed is None and 0 not in slot.shape]
    rng = np.random.default_rng(_SEED)
    if any(slot.example is not None for slot in slots) or not free:
        yield [_first(slot, rng) for slot in slots]
    if not free:
        return
    walks = {id(slot): _Walk(slot) for slot in free}
    for k in range(count):
        values = [_ordinary(slot, rng) for slot in slots]
        if k % 3 != 2:
            for place, slot in enumerate(slots):
                if id(slot) in walks and (len(free) == 1 or rng.random() >= _ORDINARY):
                    values[place] = walks[id(slot)].put(values[place], rng)
        yield values


def _first(slot: Slot, rng: np.random.Generator) -> Any:
    return slot.example if slot.fixed is None and slot.example is not None else _ordinary(slot, rng)


def _ordinary(slot: Slot, rng: np.random.Generator) -> Any:
    return slot.fixed if slot.fixed is not None else random(slot.dtype, slot.shape, rng)


class _Walk:
    """The edges of one argument, one after the other."""

    def __init__(self, slot: Slot) -> None:
        self._edges = edges(slot.dtype)
        self._next = 0

    def put(self, value: Any, rng: np.random.Generator) -> Any:
        """A value with edges in it: one everywhere, one in one place, or as many as there is room for."""
        value = np.array(value)
        flat = value.reshape(-1)
        match int(rng.integers(3)):
            case 0:
                flat[:] = self._take(1)
            case 1:
                flat[rng.integers(flat.size)] = self._take(1)[0]
            case _:
                some = self._take(min(len(self._edges), max(1, flat.size // 2)))
                flat[rng.permutation(flat.size)[: len(some)]] = some
        return value

    def _take(self, count: int) -> Any:
        taken = self._edges[(self._next + np.arange(count)) % len(self._edges)]
        self._next += count
        return taken
