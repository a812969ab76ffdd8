"""Classes of many programs: which are one program, which are nearly one, without comparing each with each.

A program's form (`scanir.compare.form`) sorts it in one pass: equal forms are IDENTICAL programs; a form is only made
where another program has as many ops of each name. Of each form one program goes on. Those with equal types of
arguments are normalized and sorted by what they are then; where that is equal too (but for arguments handed on as
results), the comparison itself says whether they are EQUIVALENT, and modulo what: a class holds what was proved equal
to its first program. Equality under a binding holds for one value alone and joins no class.

Programs that are alike but for the contents of constants are taken to be as many classes, unless they are near some
other program that is written otherwise. Near-linear in the size of all programs together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from scanir.compare.form import Form, Forms, NoForm
from scanir.compare.vague import ButConstants, Near, Vague
from scanir.compare.verdict import compare
from scanir.errors import ScanirError
from scanir.ir.types import Type
from scanir.ir.walk import ops_of
from scanir.normalize.evaluate import BudgetExceeded
from scanir.normalize.side import CallCycle, Settings, bare, inputs, nan_bits_are_seen, normalize
from scanir.normalize.values import Table
from scanir.program import STAGES, Program
from scanir.result import Verdict


@dataclass(frozen=True, slots=True)
class Source:
    """Something that programs come from: its name, and what reads or traces it.

    ``skips``: the error for which it is left out (a helper among functions, a text among files) rather than failed.
    """

    name: str
    programs: Callable[[], dict[str, Program]]
    skips: type[ScanirError] | None = None


@dataclass(frozen=True, slots=True)
class Same:
    """Programs of one form. ``modulo``: the rules under which they are the first program of their class (none: they
    are it as they stand)."""

    members: tuple[str, ...]
    modulo: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramClass:
    """Programs that are one program; the first of the first form stands for it. ``hidden``: why it could be compared
    with no other. ``near``: the number of an earlier class that it is nearly, and in what it differs from that."""

    forms: tuple[Same, ...]
    ops: int
    hidden: str = ""
    near: tuple[int, Near] | None = None

    @property
    def name(self) -> str:
        return self.forms[0].members[0]

    @property
    def members(self) -> tuple[str, ...]:
        return tuple(name for form in self.forms for name in form.members)


@dataclass(frozen=True, slots=True)
class Failure:
    """A source that holds no program that could be read."""

    name: str
    problem: ScanirError


@dataclass(frozen=True, slots=True)
class Classes:
    """``stages``: the classes at each stage, in the order of their first members. ``left_out``: what was no program."""

    stages: tuple[tuple[str, tuple[ProgramClass, ...]], ...]
    failures: tuple[Failure, ...]
    left_out: tuple[Failure, ...]

    @property
    def exit_code(self) -> int:
        """0, or 2 if something could not be read, or nothing was."""
        return 2 if self.failures or not self.stages else 0


def classes(sources: Iterable[Source], rules: frozenset[str]) -> Classes:
    """Sort programs into classes, stage by stage. A program is forgotten as soon as another of its form is known."""
    stages: dict[str, _Stage] = {}
    failures: list[Failure] = []
    left_out: list[Failure] = []
    for source in sources:
        try:
            programs = source.programs()
        except ScanirError as problem:
            skipped = source.skips is not None and isinstance(problem, source.skips)
            (left_out if skipped else failures).append(Failure(source.name, problem))
            continue
        for stage, program in programs.items():
            stages.setdefault(stage, _Stage(rules)).add(source.name, program)
    found = tuple((name, stages[name].classes()) for name in STAGES if name in stages)
    return Classes(found, tuple(failures), tuple(left_out))


@dataclass(slots=True)
class _Kept:
    """The one program of a form that is kept. ``form``: None until another program could be of the same, or where
    there is none."""

    program: Program
    members: list[str]
    form: Form | None = None
    hidden: str = ""


class _Stage:
    """The programs of one stage."""

    def __init__(self, rules: frozenset[str]) -> None:
        self._rules = rules
        self._forms = Forms()
        self._vague = Vague(self._forms)
        self._kept: list[_Kept] = []
        self._alike: dict[object, _Kept] = {}
        self._by_form: dict[bytes, _Kept] = {}

    def add(self, name: str, program: Program) -> None:
        kept = _Kept(program, [name])
        first = self._alike.setdefault(_outline(program), kept)
        if first is not kept:
            self._give_form(first)
            known = self._give_form(kept)
            if known is not kept:
                known.members.append(name)
                return
        self._kept.append(kept)

    def _give_form(self, kept: _Kept) -> _Kept:
        """What is kept of the form of a program: itself, or one that came before it."""
        if kept.form is None and not kept.hidden:
            try:
                kept.form = self._forms.of(kept.program)
            except NoForm as problem:
                kept.hidden = problem.what
        return kept if kept.form is None else self._by_form.setdefault(kept.form.tobytes(), kept)

    def classes(self) -> tuple[ProgramClass, ...]:
        joined = self._joined()
        groups = [group for number, group in sorted(joined.items())]
        near = self._near([self._kept[number] for number in sorted(joined)])
        return tuple(
            ProgramClass(
                tuple(Same(tuple(kept.members), modulo) for kept, modulo in group),
                sum(1 for f in group[0][0].program.module.functions for _ in ops_of(f.body)),
                group[0][0].hidden, near.get(number),
            )
            for number, group in enumerate(groups)
        )  # fmt: skip

    def _joined(self) -> dict[int, list[tuple[_Kept, tuple[str, ...]]]]:
        """By the number of its first program each class: what is kept, and modulo what it is the first."""
        alike: dict[tuple[Type, ...], list[int]] = defaultdict(list)
        for number, kept in enumerate(self._kept):
            alike[tuple(bare(argument.type) for argument in kept.program.interface.arguments)].append(number)
        found: dict[int, list[tuple[_Kept, tuple[str, ...]]]] = {}
        for numbers in alike.values():
            for first, number, modulo in self._proved(numbers):
                found.setdefault(first, []).append((self._kept[number], modulo))
        return found

    def _proved(self, numbers: list[int]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Of programs with equal types of arguments: (number of the first of its class, number, modulo)."""
        table = Table()
        normal = self._normals(numbers, table)
        firsts: dict[tuple[int, ...], int] = {}
        for number in numbers:
            results = normal.get(number)
            for key in () if results is None else (results, _without_inputs(table, results)):
                first = firsts.setdefault(key, number)
                modulo = None if first == number else self._modulo(first, number)
                if modulo is not None:
                    firsts[results or ()] = first
                    yield first, number, modulo
                    break
            else:
                yield number, number, ()

    def _normals(self, numbers: list[int], table: Table) -> dict[int, tuple[int, ...]]:
        """What those of the programs are under the rules that could be another one.

        Of programs that are alike but for constants the first speaks for all: they are looked into where what it is,
        but for constants, is met again.
        """
        written: dict[object, list[int]] = defaultdict(list)
        for number in numbers:
            form = self._kept[number].form
            written[number if form is None else self._vague.of(form, frozenset({"constant"}))].append(number)
        found: dict[int, tuple[int, ...]] = {}
        if len(written) == 1:
            return found
        rough = ButConstants(table)
        meant: dict[tuple[int, ...], list[list[int]]] = defaultdict(list)
        for group in written.values():
            normal = self._normal(self._kept[group[0]].program, table)
            if normal is not None:
                found[group[0]] = normal
                meant[rough.of(_without_inputs(table, normal))].append(group)
        for groups in meant.values():
            for number in (number for group in groups if len(groups) > 1 for number in group[1:]):
                normal = self._normal(self._kept[number].program, table)
                if normal is not None:
                    found[number] = normal
        return found

    def _modulo(self, first: int, number: int) -> tuple[str, ...] | None:
        """The rules under which a program is the first of a class; None where that is not proved."""
        kept = self._kept[number]
        answer = compare(self._kept[first].program, kept.program, self._rules)
        if answer.verdict is Verdict.INCONCLUSIVE:
            kept.hidden = kept.hidden or "; ".join(answer.reasons)
        if answer.verdict not in (Verdict.IDENTICAL, Verdict.EQUIVALENT) or answer.bindings:
            return None
        return tuple(use.rule for use in answer.modulo)

    def _normal(self, program: Program, table: Table) -> tuple[int, ...] | None:
        """What a program is under the rules, calls inlined; None where that has no end, or is too much."""
        given = inputs(program, table, lambda index, type: table.intern("in", (index, type)))
        settings = Settings(keep=frozenset(), exact_nans=nan_bits_are_seen(program))
        try:
            results = normalize(program, "a", self._rules, table, given, settings).results
        except (BudgetExceeded, CallCycle):
            return None
        *values, token = results
        if len(values) == 1 and table.kind(values[0]) == "tuple":
            values = list(table.children(values[0]))
        return (*values, token)

    def _near(self, firsts: list[_Kept]) -> dict[int, tuple[int, Near]]:
        """For each class that is nearly an earlier one, that one and the difference."""
        seen: dict[bytes, int] = {}
        found = {}
        for number, kept in enumerate(firsts):
            if kept.form is None:
                continue
            earlier = seen.setdefault(self._vague.of(kept.form), number)
            other = firsts[earlier].form
            if earlier != number and other is not None and (near := self._vague.near(other, kept.form)) is not None:
                found[number] = (earlier, near)
        return found


def _without_inputs(table: Table, results: tuple[int, ...]) -> tuple[int, ...]:
    """Results but for those that are arguments handed on."""
    return (-1, *(term for term in results if table.kind(term) != "in"))


def _outline(program: Program) -> object:
    """What programs that could be of one form, or nearly, have in common: how often which op stands in them."""
    ops = Counter(op.name for function in program.module.functions for op in ops_of(function.body))
    del ops["constant"]  # one value may be written down several times
    return program.module.dialect, len(program.interface.arguments), frozenset(ops.items())
