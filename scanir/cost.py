"""What a piece of program costs, as plain numbers; `scanir.costs` counts them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cost:
    """Counts of a piece of program. ``ops``: as written, each once; all others as often as they run.

    ``flops``, ``transcendentals``: operations on elements. ``bytes``: read and written. ``uncounted``: ops whose work
    nobody knows. ``dynamic``: a loop inside has an unknown number of trips, and counts once.
    """

    ops: int = 0
    flops: int = 0
    transcendentals: int = 0
    bytes: int = 0
    copies: int = 0
    copied_bytes: int = 0
    fusions: int = 0
    collectives: int = 0
    callbacks: int = 0
    uncounted: tuple[tuple[str, int], ...] = ()
    dynamic: bool = False

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.ops + other.ops,
            self.flops + other.flops,
            self.transcendentals + other.transcendentals,
            self.bytes + other.bytes,
            self.copies + other.copies,
            self.copied_bytes + other.copied_bytes,
            self.fusions + other.fusions,
            self.collectives + other.collectives,
            self.callbacks + other.callbacks,
            tuple(sorted((Counter(dict(self.uncounted)) + Counter(dict(other.uncounted))).items())),
            self.dynamic or other.dynamic,
        )

    def times(self, trips: int) -> Cost:
        """The cost of running this a number of times."""
        return Cost(
            self.ops,
            self.flops * trips,
            self.transcendentals * trips,
            self.bytes * trips,
            self.copies * trips,
            self.copied_bytes * trips,
            self.fusions,
            self.collectives * trips,
            self.callbacks * trips,
            self.uncounted,
            self.dynamic,
        )
