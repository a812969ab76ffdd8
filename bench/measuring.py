"""Is `scanir bench` honest? It measures a program against itself, and against one that does 20 % more, many times over.

    python bench/measuring.py --runs 20 --seconds 12

A/A is right where no metric is said to differ, neither of the two nor of the control. Planted is right where the second
is said to be slower to run. Exit code 1 if either is right in fewer than 19 of 20 runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
from jax import lax

from scanir import api
from scanir.measured.result import Bench

TRIPS, MORE = 500, 600
#: The part of the runs that must be right.
RIGHT = 0.95


def work(trips: int) -> Callable[[jax.Array], jax.Array]:
    """So much work: each trip waits for the one before it."""

    def run(x: jax.Array) -> jax.Array:
        return lax.fori_loop(0, trips, lambda _, y: jnp.tanh(y) * 1.01, x)

    return run


def measured(first: int, second: int, seconds: float, rounds: int = 200) -> Bench:
    """A bench of two amounts of work."""
    here = Path(__file__).as_posix()
    targets = [f"{here}:work({trips})" for trips in (first, second)]
    return api.bench(targets, "f32[256]", stage="jaxpr", seconds=seconds, rounds=rounds)


def all_the_same(bench: Bench) -> bool:
    return not bench.noisy and not any(found.differs for c in bench.comparisons for _, found in c.ratios)


def slower(bench: Bench) -> bool:
    found = bench.comparisons[0].ratio("run")
    return not bench.noisy and found.differs and found.estimate > 1


def told(bench: Bench) -> str:
    """The metrics that are said to differ, those of the control as such."""
    assert bench.control is not None
    parts = [("", *bench.comparisons[0].ratios), ("control ", *bench.control.ratios)]
    found = [f"{what}{m} {r.low:.3f} to {r.high:.3f}" for what, *ratios in parts for m, r in ratios if r.differs]
    return f"; differ: {', '.join(found)}" if found else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=12)
    options = parser.parse_args()
    right = {"A/A": 0, "planted": 0}
    for number in range(1, options.runs + 1):
        for name, second, judge in (("A/A", TRIPS, all_the_same), ("planted", MORE, slower)):
            bench = measured(TRIPS, second, options.seconds)
            right[name] += judge(bench)
            found = bench.comparisons[0].ratio("run")
            interval = f"{found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})"
            print(f"{number:3} {name:8} {interval}, {bench.rounds} rounds: {judge(bench)}{told(bench)}", flush=True)
    for name, count in right.items():
        print(f"{name}: right in {count} of {options.runs}")
    return int(min(right.values()) < RIGHT * options.runs)


if __name__ == "__main__":
    raise SystemExit(main())
