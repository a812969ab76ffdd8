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

from scanir.measure.bench import Plan, Probe, Subject, bench, probes
from scanir.measured.result import Bench

TRIPS, MORE = 500, 600
#: The part of the runs that must be right.
RIGHT = 0.95


def work(trips: int) -> Callable[[jax.Array], jax.Array]:
    """So much work: each trip waits for the one before it."""

    def run(x: jax.Array) -> jax.Array:
        return lax.fori_loop(0, trips, lambda _, y: jnp.tanh(y) * 1.01, x)

    return run


def probed(first: int, second: int) -> tuple[Probe, ...]:
    """Two amounts of work, made and called once."""
    here = Path(__file__).as_posix()
    subjects = [Subject(str(trips), f"{here}:work({trips})", "f32[256]") for trips in (first, second)]
    return probes(subjects, Plan(), lambda what, done: None)


def measured(work: tuple[Probe, ...], seconds: float) -> Bench:
    """A bench of them: what `scanir bench` does, less the verdict."""
    return bench(work, Plan(seconds=seconds), lambda what, done: None)


def all_the_same(answer: Bench) -> bool:
    told = [found for c in (*answer.comparisons, answer.control) if c is not None for _, found in c.ratios]
    return all(found.known and not found.differs for found in told)


def slower(answer: Bench) -> bool:
    found = answer.comparisons[0].ratio("run")
    return not answer.noisy and found.differs and found.estimate > 1


def told(answer: Bench) -> str:
    """The metrics that are said to differ, those of the control as such."""
    assert answer.control is not None
    parts = [("", *answer.comparisons[0].ratios), ("control ", *answer.control.ratios)]
    found = [f"{what}{m} {r.low:.3f} to {r.high:.3f}" for what, *ratios in parts for m, r in ratios if r.differs]
    return f"; differ: {', '.join(found)}" if found else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=12)
    options = parser.parse_args()
    cases = (("A/A", probed(TRIPS, TRIPS), all_the_same), ("planted", probed(TRIPS, MORE), slower))
    right = {"A/A": 0, "planted": 0}
    for number in range(1, options.runs + 1):
        for name, work, judge in cases:
            answer = measured(work, options.seconds)
            right[name] += judge(answer)
            found = answer.comparisons[0].ratio("run")
            interval = f"{found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})"
            print(f"{number:3} {name:8} {interval}, {answer.rounds} rounds: {judge(answer)}{told(answer)}", flush=True)
    for name, count in right.items():
        print(f"{name}: right in {count} of {options.runs}")
    return int(min(right.values()) < RIGHT * options.runs)


if __name__ == "__main__":
    raise SystemExit(main())
