"""The campaign over equal and unequal programs by construction, and its tables.

``python -m tests.construct.campaign`` runs the whole of it in two processes; the tests run a fixed share. A case is a
seed: the program, what is done to it and how follow from it, so that every row of a table can be made again.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

import scanir
from scanir.certify.produce import Uncertified, checked
from scanir.compare.verdict import _Comparison
from scanir.result import StageDiff, Verdict
from tests.construct.build import evaluated, function, shapes
from tests.construct.generate import generated
from tests.construct.language import Program
from tests.construct.perturb import PERTURBATIONS
from tests.construct.rewrites import REWRITES
from tests.construct.spellings import TREES

assert TREES, "imported for the rewrites that it registers"
EQUAL = (Verdict.IDENTICAL, Verdict.EQUIVALENT)
#: Inputs on which programs are run: with 0 and 3 trips where an argument says how many.
SEEDS = (0, 3)
#: How many cases are done before processes are made anew.
SHARE = 800


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one case at one stage. ``group``: the rewrite, perturbation or length of the chain. ``reason``:
    of a verdict that was not wanted, else empty."""

    seed: int
    group: str
    stage: str
    wanted: bool
    verdict: str
    reason: str


class WrongRewrite(AssertionError):
    """A rewrite changed what a program computes: a bug of this generator."""


def rewritten(program: Program, rng: random.Random, names: Iterable[str]) -> tuple[Program, tuple[str, ...]]:
    """The program after rewrites in a row, and which of them applied. Raises WrongRewrite if results changed."""
    done = []
    start = evaluated(program, SEEDS)
    for name in names:
        following = REWRITES[name](program, rng)
        if following is not None:
            program = following
            done.append(name)
    if evaluated(program, SEEDS) != start:
        raise WrongRewrite(f"results changed by {', '.join(done)}")
    return program, tuple(done)


def single(seed: int) -> tuple[str, Program, Program] | None:
    """A program and what one rewrite makes of it."""
    rng = random.Random(seed)
    program = generated(rng)
    name = list(REWRITES)[seed % len(REWRITES)]
    other, done = rewritten(program, rng, [name])
    return (name, program, other) if done else None


def chain(seed: int) -> tuple[str, Program, Program] | None:
    """A program and what two to six rewrites in a row make of it."""
    rng = random.Random(-1 - seed)
    program = generated(rng, depth=rng.choice((1, 2, 2, 3)), size=2)
    other, done = rewritten(program, rng, rng.choices(list(REWRITES), k=2 + seed % 5))
    return (f"chain of {len(done)}", program, other) if done else None


def changed(seed: int) -> tuple[str, Program, Program] | None:
    """A program and a near copy with other results, rewritten as well in two of three cases."""
    rng = random.Random(f"changed {seed}")
    program = generated(rng)
    name = list(PERTURBATIONS)[seed % len(PERTURBATIONS)]
    other = PERTURBATIONS[name](program, rng)
    if other is None or evaluated(other, SEEDS) == evaluated(program, SEEDS):
        return None
    other, _ = rewritten(other, rng, rng.choices(list(REWRITES), k=seed % 3))
    return name, program, other


KINDS = {"rewrites": single, "chains": chain, "changes": changed}


def answers(kind: str, seed: int, stages: str) -> list[Answer]:
    """The answers of one case, none where nothing applied."""
    case = KINDS[kind](seed)
    if case is None:
        return []
    group, left, right = case
    equal, found = kind != "changes", []
    for stage in stages.split(","):
        try:
            (answer,) = scanir.diff(function(left), function(right), *shapes(left), stage=stage).stages
        except Uncertified as problem:
            found.append(Answer(seed, group, stage, False, "UNCERTIFIED", str(problem)))
            continue
        wanted = (answer.verdict in EQUAL) == equal
        why = "" if wanted else reason(answer, partial(_before_xla, left, right))
        found.append(Answer(seed, group, stage, wanted, answer.verdict.value, why))
    return found


def certified() -> None:
    """From here on each equality of this process goes through the checker before anyone sees it, as in a test."""
    run = _Comparison.run
    if run.__name__ == "certified":
        return

    def certified(self: _Comparison) -> StageDiff:
        answer = run(self)
        if answer.verdict in EQUAL and not self._settled:
            checked(self._a, self._b, answer)
        return answer

    _Comparison.run = certified  # type: ignore[method-assign]


def _before_xla(left: Program, right: Program) -> StageDiff:
    return scanir.diff(function(left), function(right), *shapes(left), stage="hlo-in").stages[0]


def reason(answer: StageDiff, before: partial[StageDiff]) -> str:
    """Why an answer was not wanted: what the mismatch says; at hlo, whether XLA was given equal programs."""
    said = answer.mismatch.reason if answer.mismatch is not None else "; ".join(answer.reasons) or str(answer.modulo)
    if answer.stage == "hlo":
        given = "equal" if before().verdict in EQUAL else "unequal"
        said = f"given {given} programs: {said}"
    return said


def run(kind: str, count: int, stages: str, workers: int = 1) -> Iterator[Answer]:
    """The answers of all cases of a kind, in order of seed."""
    job = partial(answers, kind, stages=stages)
    if workers == 1:  # in a test, whose equalities all go through the checker
        for seed in range(count):
            yield from job(seed)
        return
    # Processes are made anew now and then, because JAX keeps all that it has compiled. Not by ``max_tasks_per_child``:
    # before Python 3.12 a pool may wait for ever when a process has done its share.
    for first in range(0, count, SHARE):
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=certified) as pool:
            for some in pool.map(job, range(first, min(first + SHARE, count)), chunksize=10):
                yield from some


def table(found: list[Answer]) -> str:
    """Unwanted answers by group and stage, and their reasons."""
    stages = [stage for stage in ("jaxpr", "stablehlo", "hlo") if any(a.stage == stage for a in found)]
    total, bad = Counter((a.group, a.stage) for a in found), Counter((a.group, a.stage) for a in found if not a.wanted)
    lines = [f"{'':32}" + "".join(f"{stage:>20}" for stage in stages)]
    groups = [*dict.fromkeys(sorted(a.group for a in found)), "all"]
    for stage in stages:
        total["all", stage] = sum(n for (_, where), n in total.items() if where == stage)
        bad["all", stage] = sum(n for (_, where), n in bad.items() if where == stage)
    for group in groups:
        cells = [(bad[group, stage], total[group, stage]) for stage in stages]
        lines.append(f"{group:32}" + "".join(f"{f'{b} of {n}':>12}{100 * b / max(1, n):7.2f}%" for b, n in cells))
    for a in found:
        if not a.wanted:
            lines.append(f"  seed {a.seed}, {a.group}, {a.stage}: {a.verdict}: {a.reason}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="cases of each kind; a third of them at hlo too")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    wrong = 0
    for kind, what in (("rewrites", "missed"), ("chains", "missed"), ("changes", "called equal")):
        start = time.perf_counter()
        found = list(run(kind, options.count, "jaxpr,stablehlo", options.workers))
        found += run(kind, options.count // 3, "hlo", options.workers)
        print(f"{kind}: {what}, {time.perf_counter() - start:.0f} s\n{table(found)}\n", flush=True)
        wrong += sum(not a.wanted for a in found) if kind == "changes" else 0
    return 1 if wrong else 0


if __name__ == "__main__":
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    sys.exit(main())
