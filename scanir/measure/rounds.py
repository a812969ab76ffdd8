"""The plan of measuring: rounds; in each, every program is compiled afresh and run, in an order drawn by lot, evenly.

Within a round, blocks of calls alternate (A B, B A, A B, ...), and the least time of a round's blocks is its sample:
noise only ever adds. Blocks are long against the clock's resolution. Measuring ends when the intervals of the run time
are narrow enough (never when they say what one would like to hear), else after so many rounds or seconds.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from scanir.measured.ratios import ERROR, ratio, rounds_needed
from scanir.measured.result import METRICS

#: Seconds of a block of calls: long for a clock of nanoseconds, short against the slices of time that a busy machine
#: hands out.
BLOCK = 1e-3
#: Blocks of one program in a round: so many, or as many as fit into so many seconds, but a few.
BLOCKS, SPAN, FEWEST_BLOCKS = 32, 0.25, 3
MOST_CALLS = 10_000
#: Half of the interval of a run time that is narrow enough, as a part of it.
PRECISION = 0.01
#: At most so many times the seconds asked for are spent, where the rounds would be too few to tell anything.
_LONGER = 3
#: With the fewest rounds that give an interval, one in which the machine stalled would be the end of it.
_SPARE = 5
MOST_ROUNDS = 200
_SEED = 271_828


class Steps(Protocol):
    """What is measured: `scanir.measure.program.Measured`, or a stand-in of a test."""

    def compile(self) -> dict[str, float]: ...
    def first(self) -> float: ...
    def block(self, calls: int) -> float: ...


@dataclass(frozen=True, slots=True)
class Budget:
    """``seconds`` for all rounds; ``rounds`` at most."""

    seconds: float
    rounds: int = MOST_ROUNDS


def measure(
    programs: Sequence[Steps], budget: Budget, progress: Callable[[float], None] = lambda done: None
) -> list[dict[str, list[float]]]:
    """Seconds by metric and round, for each program. ``progress`` hears which part of the work is done."""
    orders = _orders(len(programs))
    samples: list[dict[str, list[float]]] = [{metric: [] for metric in METRICS} for _ in programs]
    error = ERROR / max(1, (len(programs) - 1) * len(METRICS))
    fewest = rounds_needed(error) + _SPARE
    start = time.monotonic()
    _round(programs, list(range(len(programs))), None)  # what only ever happens once in a process is no sample
    for number in range(1, budget.rounds + 1):
        _round(programs, next(orders), samples)
        spent = (time.monotonic() - start) / budget.seconds
        progress(min(1.0, max(min(spent, number / fewest), number / budget.rounds)))
        # Orders are even after each whole set of them.
        even = number >= fewest and number % (2 * len(programs)) == 0
        if spent >= _LONGER or (even and (spent >= 1 or _narrow(samples, error))):
            break
    return samples


def _orders(count: int) -> Iterator[list[int]]:
    """Orders without end: one drawn by lot, turned until each program was in each place, and all of that backwards.

    Who comes first in a round finds another machine than who comes later. Of two programs, each finds what the other
    finds, just as often: so this too is even between them.
    """
    lots = random.Random(_SEED)
    while True:
        drawn = lots.sample(range(count), count)
        turned = [drawn[k:] + drawn[:k] for k in range(count)]
        some = [*turned, *(order[::-1] for order in turned)]
        yield from lots.sample(some, len(some))


def _round(programs: Sequence[Steps], order: list[int], samples: list[dict[str, list[float]]] | None) -> None:
    gc.collect()
    gc.disable()
    try:
        for number in order:
            taken = programs[number].compile()
            taken["first"] = programs[number].first()
            if samples is not None:
                for metric, seconds in taken.items():
                    samples[number][metric].append(seconds)
        times = _run(programs, order)
        if samples is not None:
            for number, seconds in times.items():
                samples[number]["run"].append(seconds)
    finally:
        gc.enable()


def _run(programs: Sequence[Steps], order: list[int]) -> dict[int, float]:
    """The least time of a call, of blocks that alternate."""
    calls, longest, least = {}, [], dict.fromkeys(order, float("inf"))
    for number in order:
        once = max(min(programs[number].block(1) for _ in range(3)), 1e-7)
        calls[number] = max(1, min(MOST_CALLS, round(BLOCK / once)))
        longest.append(calls[number] * once)
    for turn in range(min(BLOCKS, max(FEWEST_BLOCKS, int(SPAN / max(longest))))):
        for number in order if turn % 2 else reversed(order):
            least[number] = min(least[number], programs[number].block(calls[number]))
    return least


def _narrow(samples: list[dict[str, Any]], error: float) -> bool:
    first = samples[0]["run"]
    return all(ratio(other["run"], first, error).width <= PRECISION for other in samples[1:])
