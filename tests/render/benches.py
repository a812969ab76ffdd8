"""Benches made by hand, for the tests of every format."""

from __future__ import annotations

from scanir.measured.ratios import ERROR
from scanir.measured.result import METRICS, Bench, Lengths, Memory, Row, compared, comparisons, timings

ROUNDS = 24
SCALE = dict(zip(METRICS, (9e-3, 17e-3, 50e-3, 5e-4, 21.4e-6), strict=True))


def samples(factor: float = 1.0, rounds: int = ROUNDS, **special: float) -> dict[str, list[float]]:
    """Seconds that wobble by some percent; ``special`` metrics are so many times longer."""
    wobble = [1 + 0.01 * (7 * k % 5) for k in range(rounds)]
    return {m: [SCALE[m] * factor * special.get(m, 1.0) * w for w in wobble] for m in METRICS}


def bench(
    taken: dict[str, dict[str, list[float]]], missing: dict[str, str] | None = None, noisy: bool = False
) -> Bench:
    """A bench of what was taken, by name."""
    missing = missing or {}
    names = list(dict.fromkeys([*taken, *missing]))
    found = [taken.get(name, {}) for name in names]
    measured = [k for k, name in enumerate(names) if name in taken]
    rows = tuple(
        Row(
            name,
            timings(found[k]),
            Memory(2256, 20_800, 459_000, 0) if name in taken else Memory(),
            missing.get(name, ""),
            tuple((metric, tuple(values)) for metric, values in found[k].items()),
        )
        for k, name in enumerate(names)
    )
    first = found[measured[0]]
    told, statements = comparisons(found, measured)
    control = compared(samples(2.0) if noisy else first, first, measured[0], measured[0], ERROR / statements)
    rounds = len(first["run"])
    return Bench(rows, told, control, rounds, statements, "cpu (cpu), JAX 0.0.0")


TWO = bench({"lambda": samples(), "carry": samples(run=1.25)})
SAME = bench({"lambda": samples(), "def": samples()})
NOISY = bench({"lambda": samples(), "def": samples()}, noisy=True)
FEW = bench({"lambda": samples(rounds=3), "carry": samples(2.0, 3)}, {"slow": "not run: over the limit of 5 s"})
LENGTHS = Lengths(
    "sum",
    (10, 1000),
    (
        bench({"scan": samples(), "fori": samples(), "python": samples(run=0.5, compile=3)}),
        bench({"scan": samples(run=9), "fori": samples(run=10)}, {"python": "not run: over the limit of 20 s"}),
    ),
)
