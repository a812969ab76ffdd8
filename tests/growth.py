"""How work grows with size, in this process's own CPU time: no clock on the wall, no number of seconds."""

from __future__ import annotations

import time
from collections.abc import Callable


def seconds(run: Callable[[], object]) -> float:
    """CPU time of the faster of two runs."""
    taken = []
    for _ in range(2):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def growth(run: Callable[[int], object], size: int, times: int = 8) -> float:
    """How many times longer ``times`` the size takes. Linear work gives about ``times``, quadratic its square."""
    small = seconds(lambda: run(size))
    return seconds(lambda: run(size * times)) / max(small, 1e-3)
