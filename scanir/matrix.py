"""Many variants at once: the verdict of each pair, the groups of variants that are one program, and what each costs.

Each variant is one program a stage. A group holds variants of which every pair is IDENTICAL, or EQUIVALENT without a
binding: equality under a binding holds for one value only, and does not carry over from pair to pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scanir.facts.costs import CostTable, costs
from scanir.facts.places import Places
from scanir.program import Program
from scanir.result import SEVERITY, StageDiff, Verdict


@dataclass(frozen=True, slots=True)
class Pair:
    """The answer for two variants, ``left`` before ``right``, stage by stage."""

    left: int
    right: int
    stages: tuple[StageDiff, ...]

    @property
    def verdict(self) -> Verdict:
        return max((stage.verdict for stage in self.stages), key=SEVERITY.index)


@dataclass(frozen=True, slots=True)
class Variant:
    """One of the programs compared: its name, and its costs and sizes in bytes by stage."""

    name: str
    costs: tuple[tuple[str, CostTable], ...]
    sizes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Matrix:
    """``groups[stage]``: the number of each variant's group, in the order of their first members."""

    variants: tuple[Variant, ...]
    stages: tuple[str, ...]
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def verdict(self) -> Verdict:
        """The worst of all pairs."""
        return max((pair.verdict for pair in self.pairs), key=SEVERITY.index, default=Verdict.IDENTICAL)

    @property
    def exit_code(self) -> int:
        return self.verdict.exit_code

    def pair(self, left: int, right: int) -> Pair:
        """The answer for two variants, in either order."""
        first, second = sorted((left, right))
        count = len(self.variants)
        return self.pairs[first * count - first * (first + 1) // 2 + second - first - 1]


#: Compares the variants with these numbers at a stage.
Compare = Callable[[int, int, str], StageDiff]


def matrix(
    names: Sequence[str],
    stages: tuple[str, ...],
    programs: Sequence[dict[str, Program]],
    compare: Compare,
) -> Matrix:
    """Compare all pairs of the programs. ``programs[k][stage]`` is variant k."""
    pairs = tuple(
        Pair(left, right, tuple(compare(left, right, stage) for stage in stages))
        for left in range(len(names))
        for right in range(left + 1, len(names))
    )
    groups = tuple((stage, groups_of(len(names), pairs, number)) for number, stage in enumerate(stages))
    variants = tuple(
        Variant(name, tuple((stage, costs(Places.build(found[stage]))) for stage in stages), found[stages[-1]].sizes)
        for name, found in zip(names, programs, strict=True)
    )
    return Matrix(variants, stages, pairs, groups)


def groups_of(count: int, pairs: tuple[Pair, ...], stage: int) -> tuple[int, ...]:
    """Each variant joins the first group all of whose members it equals."""
    same = {(pair.left, pair.right) for pair in pairs if _one(pair.stages[stage])}
    members: list[list[int]] = []
    number: list[int] = []
    for variant in range(count):
        found = next((g for g, group in enumerate(members) if all((m, variant) in same for m in group)), len(members))
        if found == len(members):
            members.append([])
        members[found].append(variant)
        number.append(found)
    return tuple(number)


def _one(answer: StageDiff) -> bool:
    return answer.verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT) and not answer.bindings
