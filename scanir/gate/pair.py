"""Making the check of a pair: compare under the gate's rules, have the checker accept what is equal, say why not."""

from __future__ import annotations

from typing import Any

from scanir.errors import ScanirError
from scanir.gate.plan import FAIL_ON, Pair
from scanir.outcome import Finding, Outcome, Spot
from scanir.result import Diff, Mismatch, StageDiff, Verdict

_LEVEL = {Verdict.EQUIVALENT: "equivalent", Verdict.INCONCLUSIVE: "inconclusive", Verdict.DIFFERENT: "different"}


def check_pair(pair: Pair) -> Outcome:
    """Compare the sides of a pair. Raises ScanirError."""
    from scanir import api

    options = dict(pair.options)
    for option, source in pair.sources.items():
        from scanir.targets.made import arguments_from

        options[option] = arguments_from(source)
    answer = api.diff(pair.a, _afresh(pair.b) if pair.afresh else pair.b, **options)
    return outcome_of(answer, pair.name, "pair", pair.fail_on, notes=answer.confirm(), spot=pair.spot)


def _afresh(name: str) -> Any:
    from scanir.targets.again import Again
    from scanir.targets.resolve import resolve

    return Again(resolve(name))


def outcome_of(
    answer: Diff, name: str, kind: str, fail_on: str = "inconclusive", *, notes: tuple[str, ...] = (),
    spot: Spot | None = None,
) -> Outcome:  # fmt: skip
    """The outcome of a comparison, which fails from the verdict ``fail_on`` on."""
    from scanir.render.json import diff_to_json
    from scanir.render.text import render_text

    findings = tuple(found for row in answer.stages if (found := _finding(row, fail_on)) is not None)
    code = 2 if answer.contradicted else _code(answer, fail_on)
    told = tuple(f"{row.title}: {note}" for row in answer.stages for note in row.notes)
    return Outcome(
        name, kind, answer.verdict.name, code, _summary(answer, findings, code), findings,
        render_text(answer, width=100, notes=False), (*notes, *told), spot, diff_to_json(answer),
    )  # fmt: skip


def error_of(problem: ScanirError, name: str, kind: str, spot: Spot | None = None) -> Outcome:
    """The outcome of a check that could not be made."""
    place = _spot(problem.where)
    spots = tuple(dict.fromkeys(s for s in (place, spot) if s is not None))
    found = Finding("error", problem.what, spots=spots)
    said = {"kind": type(problem).__name__, "what": problem.what, "where": problem.where, "hint": problem.hint}
    return Outcome(name, kind, "ERROR", 2, problem.what, (found,), f"error: {problem}\n", spot=spot, data=said)


def _fails(verdict: Verdict, fail_on: str) -> bool:
    return verdict in _LEVEL and FAIL_ON.index(_LEVEL[verdict]) >= FAIL_ON.index(fail_on)


def _code(answer: Diff, fail_on: str) -> int:
    if not _fails(answer.verdict, fail_on):
        return 0
    return answer.verdict.exit_code or 1


def _finding(row: StageDiff, fail_on: str) -> Finding | None:
    """Why a row does not pass, in one sentence with the lines of both sides; None where it does."""
    if row.evidence is not None and row.evidence.status == "contradicted":
        return Finding("contradicted", f"{row.verdict.name} at {row.title} is contradicted by running it", row.title)
    if not _fails(row.verdict, fail_on):
        return None
    if row.verdict is Verdict.EQUIVALENT:
        modulo = ", ".join(use.rule for use in row.modulo)
        return Finding("not-identical", f"EQUIVALENT at {row.title} modulo {modulo}, not IDENTICAL", row.title)
    rule = "different" if row.verdict is Verdict.DIFFERENT else "inconclusive"
    first = row.mismatch
    why = first.reason if first is not None else "; ".join(row.reasons)
    message = f"{row.verdict.name} at {row.title}{f': {why}' if why else ''}"
    if first is None:
        return Finding(rule, message, row.title)
    told = f" (a: {first.left}; b: {first.right})" if first.left or first.right else ""
    return Finding(rule, message + told, row.title, (first.left_path, first.right_path), _spots(first))


def _spots(first: Mismatch) -> tuple[Spot, ...]:
    """The lines of b, which is the one that changed as a rule, and of a."""
    found = [_spot(first.right_line, "b"), _spot(first.left_line, "a")]
    return tuple(spot for spot in found if spot is not None)


def _spot(text: str, label: str = "") -> Spot | None:
    """A line of a file, from ``file:line``; None for any other text."""
    from scanir.render.words import place

    file, colon, line = text.rpartition(":")
    return Spot(place(file), int(line), label) if colon and line.isdecimal() and file.endswith(".py") else None


def _summary(answer: Diff, findings: tuple[Finding, ...], code: int) -> str:
    from scanir.render.words import listed, rows

    if findings and code:
        first = findings[0]
        reason = first.message.partition(" (a: ")[0].removeprefix(f"{answer.verdict.name} at ")
        where = f", {first.spots[0]}" if first.spots else ""
        return f"at {reason}{where}"
    modulo = f"modulo {listed(answer.modulo)} " if answer.modulo else ""
    return f"{modulo}{rows(answer)}"
