"""The shortest report: one stage, IDENTICAL, and nothing else to say.

The most frequent answer of all, made without loading what sets tables and colours, which takes as long as reading two
small files. Promises the text of `scanir.render.text` to the letter, or None where anything would have to be laid out.
"""

from __future__ import annotations

from scanir.render import words
from scanir.result import Diff, StageDiff, Verdict


def plain(diff: Diff, *, width: int) -> str | None:
    """The report without notes, or None where it is more than lines that fit."""
    if len(diff.stages) != 1 or diff.verdict is not Verdict.IDENTICAL or _says_more(diff.stages[0]):
        return None
    head = f"{diff.verdict.name}  {words.clean(diff.a)} (a) and {words.clean(diff.b)} (b) {words.rows(diff)}"
    lines = [*words.provenance(diff), head, words.meaning(diff)]
    lines = [line.rstrip() for text in lines for line in text.split("\n")]
    fits = all(len(line) <= width and line.isascii() and line.isprintable() for line in lines)
    return "".join(f"{line}\n" for line in lines) if fits else None


def _says_more(stage: StageDiff) -> bool:
    return bool(
        stage.loops or stage.facts or stage.modulo or stage.bindings or stage.forwarded_outputs or stage.reasons
        or stage.assumptions or stage.mismatch or stage.evidence or stage.costs or stage.edits or stage.edit_notes
    )  # fmt: skip
