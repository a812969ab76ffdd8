"""How a difference fares from stage to stage: where it appears, survives, or is erased."""

from __future__ import annotations

from collections.abc import Sequence

from scanir.render.words import EQUAL, clean, listed, summary
from scanir.result import Diff, StageDiff, Verdict


def ladder(diff: Diff) -> str:
    """How a difference fares from stage to stage, a line for each transform; empty for one stage alone."""
    rows: dict[str, list[StageDiff]] = {}
    for stage in diff.stages:
        rows.setdefault(stage.under, []).append(stage)
    lines = [(under, _rungs(stages)) for under, stages in rows.items() if len(stages) > 1]
    return "\n".join(f"{clean(under)}: {rungs}" if under else rungs for under, rungs in lines if rungs)


def _rungs(stages: list[StageDiff]) -> str:
    equal = [stage.stage for stage in stages if stage.verdict in EQUAL]
    others = [stage.stage for stage in stages if stage.stage not in equal]
    if equal and others:
        erased = stages[-1].verdict is Verdict.IDENTICAL
        return f"not the same at {listed(others)}; the same at {listed(equal)}" + (": compiled away" if erased else "")
    if others:
        return ""
    needed = [stage.stage for stage in stages if stage.modulo]
    if needed and not stages[-1].modulo:
        rules = listed(dict.fromkeys(use.rule for stage in stages for use in stage.modulo))
        return f"the same at all stages; {rules} at {listed(needed)} only: the compiler does the same on both sides"
    return "the same at all stages"


def steps(stages: Sequence[StageDiff]) -> list[tuple[str, str, str]]:
    """The stages of one transform in order: name, verdict, and what becomes of the difference there."""
    rows: list[tuple[str, str, str]] = []
    before: StageDiff | None = None
    for stage in stages:
        modulo = f" {text}" if (text := summary(stage)) else ""
        rows.append((clean(stage.stage), f"{stage.verdict.name}{modulo}", _fate(before, stage)))
        before = stage
    return rows


def _fate(before: StageDiff | None, stage: StageDiff) -> str:
    same, was = stage.verdict in EQUAL, before is None or before.verdict in EQUAL
    if stage.verdict is Verdict.INCONCLUSIVE or (before is not None and before.verdict is Verdict.INCONCLUSIVE):
        return "" if stage.verdict is not Verdict.INCONCLUSIVE else "cannot tell"
    match was, same:
        case True, False:
            return "the difference appears" if before is not None else "the difference is in the program as written"
        case False, False:
            return "it survives"
        case False, True:
            return "it is erased"
        case _:
            needed = {use.rule for use in stage.modulo} - {use.rule for use in before.modulo} if before else set()
            return f"{listed(sorted(needed))} appears" if needed else ""
