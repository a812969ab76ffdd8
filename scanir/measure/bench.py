"""A bench: each program probed in a process of its own, then all of those that could be made measured in turns.

A probe that takes longer than its limit is ended, and the program's row says so; one that fails raises its error. Then
one process measures the rest, the first program once more as a control.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scanir.contexts.context import Context
from scanir.measure.process import OverLimit, ask
from scanir.measured.ratios import ERROR
from scanir.measured.result import METRICS, Bench, Lengths, Memory, Row, compared, comparisons, timings

#: Hears what is going on: words, and the part of the work that is done.
Progress = Callable[[str, float], None]


_NOTHING_SET = Context()


@dataclass(frozen=True, slots=True)
class Subject:
    """A program to measure: what it is called, its target, its arguments; ``missing`` says why it is left out."""

    name: str
    target: str
    arguments: Any = None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """How to measure: settings, transform, seconds and rounds for all together, seconds for one probe."""

    context: Context = _NOTHING_SET
    under: str = ""
    seconds: float = 30.0
    rounds: int = 200
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """A program, what its probe answered, or why there is no answer."""

    subject: Subject
    found: dict[str, Any] | None = None
    missing: str = ""


def probes(subjects: Sequence[Subject], plan: Plan, progress: Progress) -> tuple[Probe, ...]:
    """Each program made and called once. Raises ScanirError for one that fails."""
    found = []
    for number, subject in enumerate(subjects):
        progress(f"making {subject.name}", number / len(subjects))
        found.append(_probe(subject, plan))
    return tuple(found)


def _probe(subject: Subject, plan: Plan) -> Probe:
    if subject.missing:
        return Probe(subject, missing=subject.missing)
    try:
        target = (subject.target, subject.arguments)
        return Probe(subject, ask("probe", [target], plan.context, plan.under, limit=plan.limit))
    except OverLimit:
        return Probe(subject, missing=f"not run: over the limit of {plan.limit:g} s")


def bench(probed: Sequence[Probe], plan: Plan, progress: Progress) -> Bench:
    """Measure in turns what could be made."""
    measured = [k for k, probe in enumerate(probed) if probe.found is not None]
    if not measured:
        return Bench(tuple(_row(probe, {}) for probe in probed))
    targets = [(probed[k].subject.target, probed[k].subject.arguments) for k in measured]
    *ours, control = ask(
        "rounds", [*targets, targets[0]], plan.context, plan.under, seconds=plan.seconds, rounds=plan.rounds,
        progress=lambda done: progress("measuring", done),
    )  # fmt: skip
    samples: list[dict[str, list[float]]] = [{} for _ in probed]
    for k, taken in zip(measured, ours, strict=True):
        samples[k] = taken
    found, statements = comparisons(samples, measured)
    first = measured[0]
    return Bench(
        tuple(map(_row, probed, samples)),
        found,
        compared(control, samples[first], first, first, ERROR / statements),
        len(control["run"]),
        statements,
        (probed[first].found or {})["platform"],
    )


def lengths(
    family: str, lengths: tuple[int, ...], members: Callable[[int], Sequence[tuple[str, str, str]]], *, seconds: float,
    rounds: int, limit: float, progress: Progress,
) -> Lengths:  # fmt: skip
    """A bench a length, shortest first. What was over the limit at one length is not tried at a longer one."""
    benches: list[Bench] = []
    over: dict[str, str] = {}
    for number, length in enumerate(lengths):
        subjects = [Subject(name, target, given, over.get(name, "")) for name, target, given in members(length)]

        def part(what: str, done: float, number: int = number, length: int = length) -> None:
            progress(f"length {length:,}: {what}", (number + done) / len(lengths))

        plan = Plan(seconds=seconds, rounds=rounds, limit=limit)
        found = bench(probes(subjects, plan, part), plan, part)
        over |= {row.name: row.missing for row in found.rows if row.missing}
        benches.append(found)
    return Lengths(family, lengths, tuple(benches))


def _row(probe: Probe, samples: dict[str, list[float]]) -> Row:
    if probe.found is None:
        return Row(probe.subject.name, missing=probe.missing)
    found = probe.found
    sizes = found["sizes"]
    planned = sum(sizes.get(kind, 0) for kind in ("argument", "output", "temp")) - sizes.get("alias", 0)
    memory = Memory(planned, sizes.get("code", 0), found["compile"], found["run"], found["device"])
    kept = tuple((metric, tuple(samples[metric])) for metric in METRICS if samples.get(metric))
    return Row(probe.subject.name, timings(samples), memory, samples=kept)
