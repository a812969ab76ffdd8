"""The answer of a bench: what each program took, in time and memory, and how each compares with the first.

Statements hold together: the chance that any one of them, the control's too, is wrong is at most
`scanir.measured.ratios.ERROR`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scanir.matrix import Matrix
from scanir.measured.ratios import ERROR, Ratio, ratio

#: What is timed in each round, in this order.
METRICS = ("trace", "lower", "compile", "first", "run")
#: Seconds by metric, one a round.
Samples = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds: the median over the rounds, and the quartiles."""

    median: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes. ``planned``: arguments, outputs and temporaries as XLA planned them. ``compile`` and ``run``: by how much
    the process grew at most, 0 where the system does not tell. ``device``: the same on a device that counts itself."""

    planned: int = 0
    code: int = 0
    compile: int = 0
    run: int = 0
    device: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One program. ``missing`` says why it was not measured; ``rounds`` holds its samples."""

    name: str
    timings: tuple[tuple[str, Timing], ...] = ()
    memory: Memory = Memory()
    missing: str = ""
    samples: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def timing(self, metric: str) -> Timing | None:
        return dict(self.timings).get(metric)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many times longer row ``row`` takes than row ``against``, metric by metric."""

    row: int
    against: int
    ratios: tuple[tuple[str, Ratio], ...]

    def ratio(self, metric: str) -> Ratio:
        return dict(self.ratios)[metric]


@dataclass(frozen=True, slots=True)
class Bench:
    """``control``: the first program measured once more, beside itself. ``statements``: how many comparisons share the
    level. ``matrix``: verdicts and static costs, where they were asked for."""

    rows: tuple[Row, ...]
    comparisons: tuple[Comparison, ...] = ()
    control: Comparison | None = None
    rounds: int = 0
    statements: int = 0
    platform: str = ""
    matrix: Matrix | None = None

    @property
    def noisy(self) -> bool:
        """Whether a program differs from itself: then the machine is not fit to tell, and no difference counts."""
        return self.control is not None and any(found.differs for _, found in self.control.ratios)


@dataclass(frozen=True, slots=True)
class Lengths:
    """One bench a length, of the same ways to write a loop."""

    family: str
    lengths: tuple[int, ...]
    benches: tuple[Bench, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.benches[0].rows)


def timings(samples: Samples) -> tuple[tuple[str, Timing], ...]:
    """Medians and quartiles of what was sampled."""
    found = []
    for metric in METRICS:
        if metric in samples and len(samples[metric]):
            low, middle, high = (float(q) for q in np.quantile(np.asarray(samples[metric]), (0.25, 0.5, 0.75)))
            found.append((metric, Timing(middle, low, high)))
    return tuple(found)


def comparisons(samples: Sequence[Samples], measured: Sequence[int]) -> tuple[tuple[Comparison, ...], int]:
    """The measured rows against the first, and how many statements share the level: these, and the control's."""
    if not measured:
        return (), 0
    first, *others = measured
    shared = {row: [m for m in METRICS if m in samples[row] and m in samples[first]] for row in others}
    statements = sum(map(len, shared.values())) + len(METRICS)
    found = tuple(compared(samples[row], samples[first], row, first, ERROR / statements) for row in others)
    return found, statements


def compared(ours: Samples, theirs: Samples, row: int, against: int, error: float) -> Comparison:
    """One row against another, each metric with this chance of error."""
    metrics = [metric for metric in METRICS if metric in ours and metric in theirs]
    return Comparison(row, against, tuple((m, ratio(ours[m], theirs[m], error)) for m in metrics))
