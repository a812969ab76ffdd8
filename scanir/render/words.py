"""The phrases of a report: what each part of an answer says in a person's words, the same in every format for people.

Promises one line a phrase, without control characters, whatever names a program brings along.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from scanir.ir.places import place as place
from scanir.normalize.rules import RULES
from scanir.result import Binding, Diff, Evidence, Filling, ForwardedOutput, LoopDiff, LoopSide, StageDiff, Verdict

#: Characters of one name or value that a person still reads; JSON has all.
LONGEST = 400
#: Characters of a file's name that fit on a line of a terminal with what stands before it.
LONG_PLACE = 56
#: Characters of an initial value that names a carry.
NAMED = 24

#: What a verdict says, in one line.
MEANING = {
    Verdict.IDENTICAL: "the same graph; only names, locations and printing order may differ",
    Verdict.EQUIVALENT: "the same results on every input, as the IR defines its ops, up to these rules",
    Verdict.DIFFERENT: "no proof of equality within the rules",
    Verdict.INCONCLUSIVE: "cannot tell: something hides the answer; the reasons say what, and how to get one",
}
#: The same of a pair of loops, where its verdict is none of a program.
_LOOP_MEANING = {
    "DIFFERENT": "another body",
    "UNPAIRED": "without a counterpart",
}
EQUAL = (Verdict.IDENTICAL, Verdict.EQUIVALENT)
#: What running the sides makes of DIFFERENT.
SHOWN = {
    "refuted": "results differ on the input shown",
    "unproved": "no proof of equality within the rules; results agreed wherever both sides were run",
}
_OTHER = {"a": "b", "b": "a"}


def clean(text: str) -> str:
    """Text without characters that would steer a terminal (each is shown by its escape), cut where it is endless."""
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]}..."
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def short_place(file: str) -> str:
    """The same for a line of text: a long one by its last parts, which a terminal does not break in the middle."""
    whole = place(file)
    if len(whole) <= LONG_PLACE:
        return whole
    parts = whole.split(os.sep)
    first = len(parts) - 1
    while first > 0 and len(f"...{os.sep}{os.sep.join(parts[first - 1 :])}") <= LONG_PLACE:
        first -= 1
    return f"...{os.sep}{os.sep.join(parts[first:])}" if first else whole


def count(number: int, noun: str) -> str:
    """``1 slot``, ``3 slots``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(items: Iterable[str]) -> str:
    return ", ".join(clean(item) for item in items)


def meaning(diff: Diff) -> str:
    """The line under the verdict."""
    if kind := proved(diff.stages):
        return SHOWN[kind]
    if diff.verdict is not Verdict.EQUIVALENT:
        return MEANING[diff.verdict]
    under = [name for name, some in (("bindings", diff.bindings), ("assumptions", _assumed(diff))) if some]
    return MEANING[diff.verdict] if not under else f"{MEANING[diff.verdict]}, under the {' and '.join(under)} shown"


def proved(stages: Iterable[StageDiff]) -> str:
    """``refuted`` or ``unproved``: what running the sides makes of the rows that are DIFFERENT; empty without it."""
    told = {s.evidence.status for s in stages if s.verdict is Verdict.DIFFERENT and s.evidence is not None}
    return next((status for status in ("refuted", "unproved") if status in told), "")


def evidence(stage: StageDiff) -> tuple[str, ...]:
    """What running the sides showed, besides the difference itself, in lines."""
    found = stage.evidence
    if found is None:
        return ()
    lines = []
    inputs = count(found.agreed, "input")
    if found.agreed and found.output:
        lines.append(f"results agreed on {inputs} before")
    elif found.agreed:
        lines.append(f"results are the same bits on {inputs}, in StableHLO's reference interpreter")
    if found.reason:
        lines.append(f"not run: {clean(found.reason)}" if found.status == "not run" else clean(found.reason))
    lines += [f"left out: {clean(told)}" for told in found.skipped]
    if found.compiled:
        lines.append(_under_jit(stage, found))
    elif found.rounding_note:
        lines.append(clean(found.rounding_note))
    return tuple(lines)


def _under_jit(stage: StageDiff, found: Evidence) -> str:
    same = not found.rounding and not found.rounding_note
    if found.output:
        return "under jit results are the same bits there" if same else "under jit results differ there too"
    on = f"on {count(found.compiled, 'input')}"
    if same:
        return f"under jit results are the same bits {on}"
    more = f"; {clean(found.rounding_note)}" if found.rounding_note else ""
    apart = f"at most {found.rounding or 0:,} ulp {on}"
    if stage.verdict in EQUAL:
        return f"codegen rounding: {apart}, under jit{more}"
    return f"under jit results are apart by {apart}{more}"


#: What the difference of an `Evidence` is, by its status.
DIFFERS = {
    "refuted": "results differ, in StableHLO's reference interpreter, on",
    "contradicted": "results differ, in StableHLO's reference interpreter, on",
    "compiled away": "the compiler takes a difference of the StableHLO away, which is, on",
    "set aside": "results differ, as an allowed rule that is not exact lets them, on",
}


def apart(found: Evidence) -> str:
    """``1 ulp apart; 1 of 3 elements differ``."""
    ulps = "" if found.ulps is None else f"{found.ulps:,} ulp apart"
    return "; ".join(part for part in (ulps, found.count) if part)


def contradiction(diff: Diff) -> tuple[str, ...]:
    """The lines of an error, where a run contradicts a verdict of equality."""
    if not diff.contradicted:
        return ()
    rows = listed(s.title for s in diff.stages if s.evidence is not None and s.evidence.status == "contradicted")
    return (
        f"error: the verdict at {rows} is wrong: running both sides contradicts it",
        "  please report this: it is a bug of scanir's, not of the programs",
        "  send this report, both programs or their StableHLO, and what scanir doctor prints",
    )


def provenance(diff: Diff) -> tuple[str, ...]:
    """How the sides were made, where not alike; of several rows each fact once."""
    facts = dict.fromkeys(fact for stage in diff.stages for fact in stage.provenance)
    said = [clean(fact.replace(": ", " ", 1)) for fact in facts]
    if len(said) > 1:
        return ("the sides were made differently:", *(f"  {fact}" for fact in said))
    return tuple(f"the sides were made differently: {fact}" for fact in said)


def rows(diff: Diff) -> str:
    """``at jaxpr, hlo``, ``at hlo under grad, vmap``: which rows an answer has."""
    stages, under = (list(dict.fromkeys(row)) for row in zip(*((s.stage, s.under) for s in diff.stages), strict=True))
    transforms = f" under {listed(name for name in under if name)}" if any(under) else ""
    return f"at {', '.join(stages)}{transforms}"


def _assumed(diff: Diff) -> bool:
    return any(stage.assumptions for stage in diff.stages)


def summary(stage: StageDiff) -> str:
    """``modulo carry-order, forwarded-outputs``; empty where no rule was needed."""
    return f"modulo {listed(use.rule for use in stage.modulo)}" if stage.modulo else ""


def law(rule: str) -> str:
    """What a rule sets aside."""
    known = RULES.get(rule)
    return "" if known is None else known.law


def binding(bound: Binding) -> tuple[str, str]:
    """``dtau := 0.01``, and whose argument it is."""
    other = _OTHER.get(bound.side, "the other side")
    return (
        f"{clean(bound.argument)} := {clean(bound.constant)}",
        f"an argument of {clean(bound.side)}, a constant in {other}",
    )


def forwarded(output: ForwardedOutput) -> str:
    name = f" ({clean(output.name)})" if output.name else ""
    return f"output {output.output} of {output.side} is its input {output.input}{name} handed on"


def filling(filled: Filling | None) -> str:
    """What one side puts into a hole of a loop body."""
    if filled is None:
        return "-"
    value = clean(filled.value)
    slot = "" if filled.slot is None else f" {filled.slot}"
    match filled.kind:
        case "closed-over":
            return f"closed over: {value}"
        case "carried":
            return f"carried unchanged in slot{slot}: {value}"
        case "scanned":
            return f"scanned input{slot}: {value}"
        case "constant":
            return f"constant {value}"
        case kind:
            return f"{clean(kind)}: {value}"


def loop_title(loop: LoopDiff) -> str:
    """``scan, 100 trips``; ``while, dynamic trips``."""
    kind = " / ".join(dict.fromkeys(clean(side.kind) for side in (loop.left, loop.right) if side is not None))
    if loop.trip_count is not None:
        return f"{kind}, {count(loop.trip_count, 'trip')}"
    return kind if any("trip count" in note for note in loop.notes) else f"{kind}, dynamic trips"


def loop_meaning(loop: LoopDiff) -> str:
    """What the verdict of a pair of loops says, where it is none of a program."""
    if loop.verdict != "SAME-BODY":
        return _LOOP_MEANING.get(loop.verdict, "")
    trips = any("trip count" in note for note in loop.notes)
    return "the same body, run another number of times" if trips else "the same body, given other values"


def loop_side(side: LoopSide | None) -> str:
    """``main/scan: 5 slots, 31 ops, rollout.py:60``."""
    if side is None:
        return "no such loop"
    where = f", {clean(short_place(side.file))}:{side.line}" if side.file else ""
    return f"{clean(side.path)}: {count(side.slots, 'slot')}, {count(side.ops, 'op')}{where}"


def carries(side: LoopSide) -> str:
    """``0 s computed; 1 gain, 2 leak invariant``: what becomes of each carry, those of one kind that follow one another
    together."""
    groups: list[tuple[str, list[str]]] = []
    for carry in side.carries:
        kind = carry.kind if carry.live else "dead"
        if carry.live and carry.other is not None:
            kind = f"permuted with {carry.other}" if kind == "permuted" else f"takes slot {carry.other}"
        named = carry.kind != "token" and len(carry.start) <= NAMED
        name = f"{carry.slot} {carry.start}".strip() if named else str(carry.slot)
        if groups and groups[-1][0] == kind:
            groups[-1][1].append(name)
        else:
            groups.append((kind, [name]))
    return "; ".join(f"{listed(names)} {kind}" for kind, names in groups)
