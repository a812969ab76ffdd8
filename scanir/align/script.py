"""The edit script of two programs: single changes, the same ones together, told over the smaller of two forms.

Told over the modules as they are written, so that each edit is an op that a person has, with its line; where that is
more than twice as long as over normal forms (plumbing of loops and calls), over those. For programs that are equal only
the differences of classes are left; for identical ones nothing is.
"""

from __future__ import annotations

from dataclasses import replace

from scanir.align.align import align
from scanir.align.changes import Changes, changes
from scanir.align.headers import headers
from scanir.align.ledger import SEMANTICS
from scanir.errors import ScanirError
from scanir.normalize.evaluate import BudgetExceeded
from scanir.normalize.reify import normal_form
from scanir.program import Program
from scanir.result import Edit, StageDiff, Verdict

#: Ops of a module whose normal form is still looked at for a shorter script.
LARGEST = 20_000
#: Edits from which on a shorter script is looked for.
MANY = 4


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
    # Entries are what a person reads: the same change in 24 layers is short as it is written.
    many = len(grouped(edits))
    if many >= MANY and len(pairing.left.nodes) + len(pairing.right.nodes) <= LARGEST:
        shorter = _normal(a, b, rules)
        if shorter is not None and shorter[0] and 2 * len(grouped(shorter[0])) < many:
            few = len(grouped(shorter[0]))
            notes.append(f"told over normal forms: {few} edit{'s' if few != 1 else ''} instead of {many} as written")
            edits, follows = shorter
    return grouped([*edits, *classes]), tuple(notes), follows


def _semantic(found: Changes) -> tuple[list[Edit], int]:
    """Edits of meaning; where none is left, what was taken for explained or for a consequence is none."""
    edits = [edit for edit in found.edits if edit.kind_class == SEMANTICS]
    if edits:
        return edits, len(found.consequences)
    rest = found.consequences or found.aside
    return list(rest), 0


def _normal(a: Program, b: Program, rules: frozenset[str]) -> tuple[list[Edit], int] | None:
    try:
        forms = [replace(program, module=normal_form(program, rules)) for program in (a, b)]
    except (BudgetExceeded, ScanirError):
        return None
    return _semantic(changes(align(*forms), rules))


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
