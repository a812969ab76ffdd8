"""How many times longer one program takes than another: an estimate from paired rounds, with an interval.

In each round both are measured in an order drawn by lot, so a round gives one log ratio, and what the machine does to
both cancels. If the programs take the same time, each log ratio is as likely to be its negative, whatever the noise:
then the signed-rank test (Wilcoxon 1945) is exact, and the interval that inverts it (Hodges and Lehmann 1963) misses
the ratio 1 as rarely as its level says. Both hardly move when the machine stalls in some of the rounds.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: The chance that any statement of one answer is wrong, all of them together.
ERROR = 0.01


@dataclass(frozen=True, slots=True)
class Ratio:
    """``estimate`` lies in ``low`` to ``high``. Too few rounds give no interval: ``low`` 0 and ``high`` infinity."""

    estimate: float
    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether there are rounds enough for an interval."""
        return self.low > 0 and math.isfinite(self.high)

    @property
    def differs(self) -> bool:
        """Whether the interval leaves out 1."""
        return self.known and not self.low <= 1 <= self.high

    @property
    def width(self) -> float:
        """Half of the interval, as a part of the ratio."""
        return math.sqrt(self.high / self.low) - 1 if self.known else math.inf

    def inverse(self) -> Ratio:
        return Ratio(1 / self.estimate, 1 / self.high if self.known else 0.0, 1 / self.low if self.known else math.inf)


def ratio(ours: Sequence[float], theirs: Sequence[float], error: float) -> Ratio:
    """How many times longer ``ours`` took than ``theirs``, by round, with at most this chance of a wrong interval."""
    logs = np.log(np.asarray(ours)) - np.log(np.asarray(theirs))
    count = len(logs)
    if not count:
        return Ratio(1.0, 0.0, math.inf)
    above, beside = np.triu_indices(count)
    averages = np.sort((logs[above] + logs[beside]) / 2)
    middle = float(np.exp(np.median(averages)))
    cut = _cut(count, error)
    if cut is None:
        return Ratio(middle, 0.0, math.inf)
    return Ratio(middle, float(np.exp(averages[cut])), float(np.exp(averages[-1 - cut])))


@functools.lru_cache(maxsize=256)
def _cut(count: int, error: float) -> int | None:
    """How many of the averages lie outside on each side; None where the interval would have to hold all numbers."""
    chances = np.zeros(count * (count + 1) // 2 + 1)
    chances[0] = 1.0
    for rank in range(1, count + 1):  # the sum of the ranks with a positive sign, each sign by the toss of a coin
        chances[rank:] = (chances[rank:] + chances[:-rank]) / 2
        chances[:rank] /= 2
    below = int(np.searchsorted(np.cumsum(chances), error / 2, side="right"))
    return below - 1 if below else None


def rounds_needed(error: float) -> int:
    """The fewest rounds that give an interval at all."""
    return next(count for count in range(1, 64) if _cut(count, error) is not None)
