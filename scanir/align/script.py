"""The edit script of two programs: single changes, the same ones together.

Told over the modules as they are written, so that each edit is an op that a person has, with its line, and none is
left out. For programs that are equal only the differences of classes are left; for identical ones nothing is.
"""

from __future__ import annotations

from dataclasses import replace

from scanir.align.align import align
from scanir.align.changes import Changes, changes
from scanir.align.headers import headers
from scanir.align.ledger import SEMANTICS
from scanir.program import Program
from scanir.result import Edit, StageDiff, Verdict


def with_edits(answer: StageDiff, a: Program, b: Program, rules: frozenset[str]) -> StageDiff:
    """The answer with its edit script."""
    equal = answer.verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT)
    if equal and not any(use.rule.startswith("class:") for use in answer.modulo):
        return answer
    edits, notes, count = script(a, b, rules, equal=equal)
    if equal:
        needed = {use.rule.removeprefix("class:") for use in answer.modulo}
        edits = tuple(edit for edit in edits if edit.kind_class in needed)
    return replace(answer, edits=edits, edit_notes=notes, consequences=count)


def script(
    a: Program, b: Program, rules: frozenset[str], *, equal: bool = False
) -> tuple[tuple[Edit, ...], tuple[str, ...], int]:
    """The edits, what is to be said of them, and how many places follow from them."""
    pairing = align(a, b)
    found = changes(pairing, rules)
    said = headers(pairing)
    classes = [edit for edit in (*said, *found.edits) if edit.kind_class != SEMANTICS]
    notes = [f"a limit was reached: {limit}" for limit in pairing.limits]
    if equal:
        return grouped(classes), tuple(notes), 0
    found = replace(found, edits=(*(edit for edit in said if edit.kind_class == SEMANTICS), *found.edits))
    edits, follows = _semantic(found)
    return grouped([*edits, *classes]), tuple(notes), follows


def _semantic(found: Changes) -> tuple[list[Edit], int]:
    """Edits of meaning; where none is left, what was taken for explained or for a consequence is none."""
    edits = [edit for edit in found.edits if edit.kind_class == SEMANTICS]
    if edits:
        return edits, len(found.consequences)
    rest = found.consequences or found.aside
    return list(rest), 0


def grouped(edits: list[Edit]) -> tuple[Edit, ...]:
    """The same edit in several places as one, in the order of the first."""
    groups: dict[tuple[str, ...], list[Edit]] = {}
    for edit in edits:
        groups.setdefault(_key(edit), []).append(edit)
    return tuple(
        replace(group[0], times=len(group), places=tuple((edit.left, edit.right) for edit in group))
        for group in groups.values()
    )


def _key(edit: Edit) -> tuple[str, ...]:
    """What makes two edits the same: all but the place and the values around."""
    told = []
    for side in (edit.left, edit.right):
        if side is None:
            told += ["", ""]
        elif edit.kind in ("insert", "delete"):
            told += [_shape(side.text), side.changed]
        elif edit.kind == "rewire":
            told += [side.text, side.path]  # another operand is another edit, wherever it is
        else:
            told += ["", side.changed]
    return (edit.kind, edit.kind_class, edit.op, edit.what if edit.op != "constant" else "", *told)


def _shape(text: str) -> str:
    """An op without its operands."""
    head, _, tail = text.partition("(")
    return f"{head} {tail.rpartition('->')[2]}"
