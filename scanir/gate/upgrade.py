"""Which baselines changed, grouped by the same change: what an upgrade of JAX did to many programs.

A change is what was done at a stage, apart from where: kind, class, op, attribute, before and after of each edit; where
no edit can be told, the reason. Programs with the same changes are one group, the largest group first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from scanir.outcome import Outcome

#: What a note of who made a baseline says before that.
_MADE = " was made with "
#: Changes of one group that are listed.
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Group:
    """Baselines of one answer. ``changes``: sentences, the same for all of them; ``notes``: what some of them say."""

    word: str
    names: tuple[str, ...]
    changes: tuple[str, ...]
    notes: tuple[str, ...] = ()


def groups(outcomes: Iterable[Outcome]) -> tuple[Group, ...]:
    """The groups of baselines, those that did not change last."""
    found: dict[tuple[str, tuple[str, ...]], list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault((outcome.word, _changes(outcome)), []).append(outcome)
    made = [
        Group(
            word, tuple(outcome.name for outcome in rows), changes,
            tuple(dict.fromkeys(made for row in rows for note in row.notes if (made := note.partition(_MADE)[2]))),
        )
        for (word, changes), rows in found.items()
    ]  # fmt: skip
    return tuple(sorted(made, key=lambda group: (group.word == "IDENTICAL", -len(group.names), group.names)))


def _changes(outcome: Outcome) -> tuple[str, ...]:
    stages = (outcome.data or {}).get("stages")
    if not isinstance(stages, list):
        return () if not outcome.exit_code else (outcome.summary,)
    return tuple(dict.fromkeys(change for stage in stages for change in _of_stage(stage)))


def _of_stage(stage: dict[str, Any]) -> list[str]:
    if stage["verdict"] == "IDENTICAL":
        return []
    head = f"{stage['verdict']} at {stage['stage']}"
    if stage["verdict"] == "EQUIVALENT":
        return [f"{head} modulo {', '.join(use['rule'] for use in stage['modulo'])}"]
    edits = [_edit(edit) for edit in stage["edits"]]
    reason = (stage["mismatch"] or {}).get("reason") or "; ".join(stage["reasons"])
    return [f"{head}: {change}" for change in dict.fromkeys(edits) or [reason]]


def _edit(edit: dict[str, Any]) -> str:
    sides = [(edit[side] or {}).get("changed", "") for side in ("left", "right")]
    told = " to ".join(side for side in sides if side)
    return f"{edit['kind']} {edit['op']}, {edit['what']}{f': {told}' if told else ''}"
