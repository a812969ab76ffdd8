"""What evidence says of a verdict: `judge` runs both sides and puts an `Evidence` on each row of an answer.

Evidence is about the StableHLO that the sides are lowered to. Promises: a difference makes an INCONCLUSIVE of a stage
before the compiler DIFFERENT, and contradicts an equality there; below, the compiler may have taken the difference
away. Agreement proves nothing and changes no verdict.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scanir.evidence.elements import array_text
from scanir.evidence.plan import Plan, Unrunnable, plan
from scanir.evidence.search import Findings, search
from scanir.program import Program
from scanir.result import Evidence, StageDiff, Verdict

#: Stages at which equal programs must have the same results in the interpreter: the compiler has not seen them yet.
_EXACT = ("jaxpr", "stablehlo")
_EQUAL = (Verdict.IDENTICAL, Verdict.EQUIVALENT)
#: Rules that let results differ.
_INEXACT = frozenset({"inexact"})


def judge(rows: list[StageDiff], a: Program, b: Program, count: int, seconds: float) -> list[StageDiff]:
    """The rows of one pair of programs with their evidence. ``a``, ``b``: the pair at stage stablehlo."""
    known: dict[Any, Evidence | tuple[Plan, Findings]] = {}
    compiled = any(row.stage == "hlo" for row in rows)
    done = []
    for row in rows:
        key = (tuple((bound.side, bound.index, bound.value) for bound in row.bindings), row.forwarded_outputs)
        if key not in known:
            known[key] = _gather(row, a, b, count, seconds, compiled=compiled)
        found = known[key]
        done.append(_judged(row, found if isinstance(found, Evidence) else _evidence(row, *found)))
    return done


def _gather(
    row: StageDiff, a: Program, b: Program, count: int, seconds: float, *, compiled: bool
) -> Evidence | tuple[Plan, Findings]:
    try:
        planned = plan(a, b, row)
    except Unrunnable as problem:
        return Evidence("not run", reason=str(problem))
    if planned.unlike is not None:
        return planned, Findings()
    assert a.source is not None
    assert b.source is not None
    sources = {"a": a.source.module(), "b": b.source.module()}
    return planned, search(planned, sources, count, seconds, compiled=compiled)


def _evidence(row: StageDiff, planned: Plan, found: Findings) -> Evidence:
    skipped = tuple(
        f"{told}{f' (on {times} inputs)' if times > 1 else ''}" for told, times in found.stops.items() if found.ran
    )
    evidence = Evidence(
        _status(row, differs=found.difference is not None or planned.unlike is not None, agreed=found.agreed > 0),
        ran=found.ran,
        agreed=found.agreed,
        skipped=skipped,
        reason=found.reason,
    )
    if row.stage == "hlo":  # what generated code does is no evidence about the stages before
        evidence = replace(
            evidence, compiled=found.compiled, rounding=found.rounding, rounding_note=found.rounding_note
        )
    if planned.unlike is not None:
        left, right, one, other = planned.unlike
        reason = "results are of unlike types, whatever the input"
        return replace(evidence, output=_output(left, right, ""), left=one, right=other, reason=reason)
    difference = found.difference
    if difference is None:
        return evidence
    return replace(
        evidence,
        inputs=tuple(
            (slot.name, array_text(value)) for slot, value in zip(planned.slots, found.values, strict=True) if slot.name
        ),
        output=_output(*difference.results, difference.place),
        left=difference.left,
        right=difference.right,
        ulps=difference.ulps,
        count=difference.count,
    )


def _output(left: int, right: int, place: str) -> str:
    both = f"output {left}{place}"
    return both if left == right else f"{both} of a and output {right}{place} of b"


def _status(row: StageDiff, *, differs: bool, agreed: bool) -> str:
    equal = row.verdict in _EQUAL
    if not differs:
        return "not run" if not agreed else "agrees" if equal else "unproved"
    if not equal:
        return "refuted"
    if _INEXACT & {use.rule for use in row.modulo}:
        return "set aside"
    return "contradicted" if row.stage in _EXACT else "compiled away"


def _judged(row: StageDiff, evidence: Evidence) -> StageDiff:
    decided = evidence.status == "refuted" and row.verdict is Verdict.INCONCLUSIVE and row.stage in _EXACT
    return replace(row, evidence=evidence, verdict=Verdict.DIFFERENT if decided else row.verdict)
