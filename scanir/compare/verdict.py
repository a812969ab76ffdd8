"""The verdict of one stage: identical at once, where the programs are one graph; else what a search for a proof finds.

Many pairs that people compare are identical: that is told without normalizing anything, and without loading what does
(`scanir.compare.search`), but for what there is to say of loops.
"""

from __future__ import annotations

from dataclasses import replace

from scanir.compare.facts import facts
from scanir.compare.interface import compare_interfaces
from scanir.compare.isomorphism import Isomorphism
from scanir.compare.pairing import pair_arguments
from scanir.compare.provenance import differences, told
from scanir.errors import ScanirError
from scanir.ir.attrs import Bool
from scanir.ir.structure import SCANS, WHILES
from scanir.ir.summary import summaries
from scanir.program import Program
from scanir.result import StageDiff, Verdict


def compare(a: Program, b: Program, rules: frozenset[str], *, settled: bool = False) -> StageDiff:
    """Compare two programs of one stage under a set of rules.

    ``settled``: host callbacks that the modules know by number only are known to be the same on both sides.
    """
    if a.module.dialect != b.module.dialect:
        raise ScanirError(
            f"the sides are of unlike dialects: {a.module.dialect} and {b.module.dialect}",
            where=f"{a.label} and {b.label}",
            hint="compare two artifacts of the same stage",
        )
    return _Comparison(a, b, rules, settled).run()


class _Comparison:
    def __init__(self, a: Program, b: Program, rules: frozenset[str], settled: bool) -> None:
        self._a, self._b, self._rules, self._settled = a, b, rules, settled
        self._pairing = pair_arguments(a, b)
        self._interface = compare_interfaces(a, b, self._pairing)
        self._renamed: tuple[tuple[str, str], ...] = ()

    def run(self) -> StageDiff:
        identical = self._identical()
        if identical and not has_loops(self._a, self._b):
            return self._answer()
        from scanir.compare.search import Search

        search = Search(self._a, self._b, self._rules, self._pairing, self._interface, settled=self._settled)
        return search.identical(self._renamed) if identical else search.run()

    def _identical(self) -> bool:
        interface = self._interface
        same = not interface.classes and not interface.semantic and self._a.interface.kept == self._b.interface.kept
        if not same or self._pairing.left or self._pairing.right:
            return False
        pairing = Isomorphism(self._a, self._b, settled=self._settled)
        if not pairing.holds():
            return False
        if self._a.stage in ("jaxpr", "stablehlo"):  # XLA numbers its computations anew for each module
            self._renamed = tuple(pairing.renamed)
        if not pairing.ordered and all(("is_scheduled", Bool(True)) in p.module.attributes for p in (self._a, self._b)):
            interface.classes["class:schedule"].append(self._a.module.entry)
            return False
        return True

    def _answer(self) -> StageDiff:
        a, b = self._a, self._b
        return StageDiff(
            stage=a.stage,
            verdict=Verdict.IDENTICAL,
            facts=facts(a, b, Verdict.IDENTICAL, None, self._renamed, forwarded=False),
            provenance=tuple(told(*fact) for fact in differences(a, b)),
            notes=notes(a, b),
        )


def has_loops(*programs: Program) -> bool:
    """True if any of the programs has a loop."""
    return any(not (SCANS | WHILES).isdisjoint(summaries(program.module).names) for program in programs)


def notes(a: Program, b: Program) -> tuple[str, ...]:
    """What is to be said of both sides, and what of one alone."""
    both = set(a.notes) & set(b.notes)
    sided = [note if note in both else f"{note} (in {side})" for side, p in (("a", a), ("b", b)) for note in p.notes]
    return tuple(dict.fromkeys(sided))


def loops_only(answer: StageDiff) -> StageDiff:
    """The answer about the pairs of loops alone: how the programs use them does not count.

    Loops in equivalent programs are as equivalent as the programs. Else a pair of one body is EQUIVALENT only with
    equal fillings, and a loop without a counterpart is a difference.
    """
    if answer.verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT) or not answer.loops:
        return answer
    bad = [loop for loop in answer.loops if loop.verdict not in ("IDENTICAL", "EQUIVALENT")]
    if bad:
        reasons = tuple(f"{side.path}: {loop.verdict}" for loop in bad if (side := loop.left or loop.right) is not None)
        verdict = Verdict.DIFFERENT if answer.verdict is Verdict.DIFFERENT else answer.verdict
        return replace(answer, verdict=verdict, reasons=(*answer.reasons, *reasons))
    return replace(
        answer,
        verdict=Verdict.EQUIVALENT,
        mismatch=None,
        reasons=(),
        notes=(*answer.notes, "the programs around the loops differ"),
    )
