"""Making the check of a budget: measure the compiled program, and say of each limit how it stands."""

from __future__ import annotations

from typing import Any

from scanir.facts.limits import Kept
from scanir.gate.plan import Budget
from scanir.outcome import Finding, Outcome, Spot
from scanir.render.limits import render_limits
from scanir.render.words import place
from scanir.result import SCHEMA_VERSION


def check_budget(budget: Budget) -> Outcome:
    """Measure a budget. Raises ScanirError."""
    from scanir import api

    options = dict(budget.options)
    if budget.source:
        from scanir.targets.made import arguments_from

        options["args"] = arguments_from(budget.source)
    return outcome_of(budget, api.budget(budget.target, budget.limits, **options))


def outcome_of(budget: Budget, rows: tuple[tuple[str, tuple[Kept, ...]], ...]) -> Outcome:
    """The outcome of limits that were measured, under each transform."""
    states = {kept.state for _, row in rows for kept in row}
    word, code = ("EXCEEDED", 1) if "over" in states else ("INCONCLUSIVE", 3) if "unknown" in states else ("WITHIN", 0)
    findings = tuple(_finding(under, kept) for under, row in rows for kept in row if kept.state != "kept")
    if findings:
        first = findings[0]
        more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
        summary = first.message + (f", {first.spots[0]}" if first.spots else "") + more
    else:
        summary = ", ".join(f"{kept.limit} {kept.measured}" for kept in rows[0][1])
    title = f"{word}  {budget.target} at hlo"
    return Outcome(
        budget.name, "budget", word, code, summary, findings, render_limits(title, rows), (), budget.spot,
        _data(budget, word, code, rows),
    )  # fmt: skip


def _finding(under: str, kept: Kept) -> Finding:
    spots = (Spot(place(kept.file), kept.line),) if kept.file else ()
    rule = f"budget/{kept.limit.replace(' ', '/')}" if kept.state == "over" else "inconclusive"
    row = f"{under}, hlo" if under else "hlo"
    return Finding(rule, kept.what, row, (kept.limit, kept.path) if kept.path else (kept.limit,), spots)


def _data(budget: Budget, word: str, code: int, rows: tuple[tuple[str, tuple[Kept, ...]], ...]) -> dict[str, Any]:
    """The answer as plain data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "target": budget.target,
        "verdict": word,
        "exit_code": code,
        "limits": [
            {
                "limit": kept.limit,
                "under": under,
                "state": kept.state,
                "measured": kept.measured,
                "allowed": kept.allowed,
                "what": kept.what,
                "path": kept.path,
                "file": place(kept.file),
                "line": kept.line,
            }
            for under, row in rows
            for kept in row
        ],
    }
