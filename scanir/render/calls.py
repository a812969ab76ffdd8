"""Calls that share a compile or not, and dumped modules of one name, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scanir.compiles.reasons import KINDS, Reason
from scanir.render.compiles import reason_data, reasons
from scanir.render.words import clean, count, summary
from scanir.result import SCHEMA_VERSION, StageDiff


def render_calls(label: str, calls: Sequence[Any]) -> str:
    """``calls``: of `scanir.recording.calls.Traced`."""
    compiles = sum(call.compiles for call in calls)
    lines = [f"{count(len(calls), 'call')} of {clean(label)}: {count(compiles, 'compile')}", ""]
    for call in calls:
        lines.append(f"#{call.number}  {clean(call.text)}")
        if call.beside is None:
            lines.append("    compiles")
        elif not call.reasons:
            lines.append(f"    shares the compile of #{call.beside}")
        else:
            lines.append(f"    compiles again, beside #{call.beside}: {_titles(call.reasons)}")
            lines += reasons(call.reasons)
            if call.verdict is not None:
                lines.append(f"      the programs: {verdict(call.verdict)}")
            lines += [f"      hint: {KINDS[r.kind][1]}" for r in call.reasons if r.avoidable]
    return "\n".join(lines) + "\n"


def _titles(found: Sequence[Reason]) -> str:
    return ", ".join(reason.title for reason in found)


def verdict(answer: StageDiff) -> str:
    """``EQUIVALENT modulo weak-type``."""
    modulo = summary(answer)
    reason = f": {clean(answer.mismatch.reason)}" if answer.mismatch is not None else ""
    return f"{answer.verdict.name}{f' {modulo}' if modulo else ''}{reason} at jaxpr"


def calls_document(label: str, calls: Sequence[Any]) -> dict[str, Any]:
    """The same as JSON has it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "target": label,
        "compiles": sum(call.compiles for call in calls),
        "calls": [
            {
                "number": call.number,
                "arguments": call.text,
                "compiles": call.compiles,
                "beside": call.beside,
                "reasons": reason_data(call.reasons),
                "verdict": None if call.verdict is None else call.verdict.verdict.name,
                "modulo": [] if call.verdict is None else [use.rule for use in call.verdict.modulo],
            }
            for call in calls
        ],
    }


def render_dump(groups: Sequence[Sequence[Any]]) -> str:
    """``groups``: of `scanir.recording.dump.Module`."""
    modules = sum(module.stands_for for group in groups for module in group)
    again = [group for group in groups if len(group) > 1]
    lines = [f"{count(modules, 'module')} of {count(len(groups), 'name')}; {modules - len(groups)} compiled again"]
    for group in again:
        lines += [
            "",
            f"{clean(group[0].name)}  {count(sum(m.stands_for for m in group), 'module')}",
            f"  {clean(group[0].file)}  first",
        ]
        for module in group[1:]:
            titles = _titles(module.reasons) or clean(module.said)
            lines.append(f"  {clean(module.file)}  {'beside the one before: ' if module.beside else ''}{titles}")
            lines += reasons(module.reasons)
    once = [group[0].name for group in groups if len(group) == 1]
    if once:
        lines += ["", f"once: {', '.join(map(clean, once[:8]))}{', ...' if len(once) > 8 else ''}"]
    return "\n".join(lines) + "\n"


def dump_document(groups: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The same as JSON has it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "names": [
            {
                "name": group[0].name,
                "modules": [
                    {"file": m.file, "beside": m.beside, "reasons": reason_data(m.reasons), "said": m.said}
                    for m in group
                ],
            }
            for group in groups
        ],
    }
