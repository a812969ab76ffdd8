"""The public functions, and the only place that knows the order of the phases:

target -> trace -> read -> Module -> normalize -> compare -> Diff.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from scanir.collection import held_back
from scanir.errors import ArgumentError, RuleError
from scanir.program import STAGES, Program
from scanir.result import Diff, RuleUse, StageDiff, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from scanir.artifact import Modules, Trace
    from scanir.checker.verdict import Verification
    from scanir.classes import Classes
    from scanir.contexts import Context
    from scanir.dumps import Dumps
    from scanir.facts.limits import Kept, Limits
    from scanir.facts.request import Answer, Report, Request
    from scanir.ir.graph import Module
    from scanir.matrix import Matrix
    from scanir.measure.bench import Progress
    from scanir.measured.result import Bench, Lengths
    from scanir.result import ListedRegion
    from scanir.targets.arguments import Arguments
    from scanir.targets.target import Target
    from scanir.targets.under import Transform

#: Transforms to apply: a text, several, or none.
Under: TypeAlias = "str | Transform | Iterable[str | Transform]"
#: Settings by name, or texts KEY=VALUE.
Settings: TypeAlias = "Mapping[str, Any] | Iterable[str] | None"
#: Two programs of one stage, and their jaxprs where these settle what host functions they call.
Compared: TypeAlias = "tuple[Program, Program, tuple[Program, Program] | None]"
#: What ``all`` stands for.
ALL = ("jaxpr", "stablehlo", "hlo")
#: Host functions that are listed where they were taken as equal by name.
SHOWN_NAMES = 3
SCOPES = ("program", "loops")


def parse_stages(stage: str) -> tuple[str, ...]:
    """``all``, one stage or a comma list of stages. Raises ArgumentError for a name nobody knows."""
    if not isinstance(stage, str):
        raise ArgumentError(f"a stage is a text, not a {type(stage).__name__}", hint="'jaxpr,hlo' asks for two")
    names = ALL if stage == "all" else tuple(dict.fromkeys(part.strip() for part in stage.split(",")))
    for name in names:
        if name not in STAGES:
            raise ArgumentError(f"unknown stage {name!r}", hint=f"stages: {', '.join(STAGES)}, or all")
    return names


@held_back()
def diff(
    a: Any, b: Any, *args: Any, stage: str = "hlo", allow: Iterable[str] = (), forbid: Iterable[str] = (),
    strict: bool = False, scope: str = "program", args_a: Arguments | str | None = None,
    args_b: Arguments | str | None = None, under: Under = (),
    config: Settings = None, config_a: Settings = None, config_b: Settings = None,
    compiler_options: Settings = None, compiler_options_a: Settings = None, compiler_options_b: Settings = None,
    env_a: Settings = None, env_b: Settings = None, run: int = 0, run_timeout: float | None = None,
) -> Diff:  # fmt: skip
    """Compare two programs at one or several stages.

    ``a`` and ``b`` are callables, jitted functions, ``Traced``, ``Lowered``, ``Compiled``, ``ClosedJaxpr``, names of
    strategies or any target text; ``args`` are example arguments of both (shapes are enough), for sides that have none
    of their own: a ``Target`` made with arguments keeps them. ``allow``, ``forbid`` and ``strict`` choose the rules.
    With scope ``loops`` the verdict is about the pairs of loops alone. ``under`` applies transforms of JAX to both
    sides, ``"grad"`` or ``["grad", "vmap(in_axes=0)"]``: one row each.

    ``config`` sets settings of JAX while both sides are made, ``config_a`` and ``config_b`` for one alone, by name or
    as texts ``KEY=VALUE``; so do ``compiler_options`` for the compiler and ``env_a``, ``env_b`` for the environment.
    Sides that need unlike settings are made in processes of their own if they are named by text.

    ``run`` executes both sides, in a process of their own, on the example and so many random and edge inputs (True: 16)
    for at most ``run_timeout`` seconds a row; what that showed is each row's ``evidence``. Raises ScanirError.
    """
    from scanir.compare.digests import matched
    from scanir.contexts import begin, contexts, opened
    from scanir.normalize.rules import rule_set

    rules = rule_set(_names(allow), _names(forbid), strict=strict)
    if scope not in SCOPES:
        raise RuleError(f"unknown scope {scope!r}", hint=f"scopes: {', '.join(SCOPES)}")
    stages = parse_stages(stage)
    transforms = _transforms(under)
    settings = contexts((config, config_a, config_b), (compiler_options, compiler_options_a, compiler_options_b),
                        (env_a, env_b))  # fmt: skip
    runs = None
    if run:
        from scanir.evidence.request import asked, attach, with_source

        runs = asked(run, run_timeout)
    with opened((a, b), settings) as sides:
        stages = _common_stages((sides[0], sides[1]), stages)
        given = _saved_arguments(sides, (_given(sides[0], args, args_a), _given(sides[1], args, args_b)))
        wanted = stages if runs is None else with_source(stages, sides)
        begin(sides, wanted, given, transforms)
        answers, programs = [], []
        for transform, pair in _rows(sides, transforms):
            left, right = (target.trace(wanted, arguments) for target, arguments in zip(pair, given, strict=True))
            rows = []
            for name in stages:
                settled, named = _settled(left[name], right[name], pair, given, rules)
                x, y, known = matched(left[name], right[name])
                answer = _compare(x, y, rules, settled=settled is not None, scope=scope, known=known, named=named)
                rows.append(replace(_edited(answer, x, y, rules), under=transform))
                programs.append((x, y, None if named else settled))
            answers += rows if runs is None else attach(rows, left, right, runs, scope)
        labels = (sides[0].label, sides[1].label)
    found = Diff(
        *labels, tuple(answers), lambda: _certificate(found, programs, given, settings),
        lambda: _confirmed(found, programs, scope), lambda: _listed(programs),
    )  # fmt: skip
    return found


def _edited(answer: StageDiff, a: Program, b: Program, rules: frozenset[str]) -> StageDiff:
    """The answer with its edit script; what is identical needs none, nor what tells edits."""
    if answer.verdict is Verdict.IDENTICAL:
        return answer
    from scanir.align.script import with_edits

    return with_edits(answer, a, b, rules)


def _listed(programs: Sequence[Compared]) -> tuple[tuple[ListedRegion, ...], ...]:
    """All ops of each row, side by side."""
    from scanir.align.listing import listing

    return tuple(listing(a, b) for a, b, _ in programs)


def diff_dumps(
    a: str | Path, b: str | Path, *, stage: str = "hlo", allow: Iterable[str] = (), forbid: Iterable[str] = (),
    strict: bool = False,
) -> Dumps:  # fmt: skip
    """Compare two directories program by program: dumps of JAX or XLA, by the names of modules and their order, or any
    files of IR, by their names.

    ``stage``: of dumps that have several; others have the stages that they have. Raises ScanirError, but not for what
    one program alone is to blame for.
    """
    from scanir.dumps import Dumps, Row
    from scanir.errors import ScanirError
    from scanir.targets.artifact import Unrecognized
    from scanir.targets.dumped import listed, target_of

    wanted = parse_stages(stage)
    sides = [{entry.label: entry for entry in listed(str(directory))} for directory in (a, b)]
    rows, left_out = [], []
    for name in dict.fromkeys((*sides[0], *sides[1])):
        targets: list[Target] = []
        try:
            for directory, side in zip((a, b), sides, strict=True):
                if name in side:
                    targets.append(target_of(f"{str(directory).rstrip('/')}#{name}", side[name]))
            if len(targets) == 1:
                rows.append(Row(name, only="a" if name in sides[0] else "b"))
                continue
            there = [s for s in wanted if all(target.has_stage(s) for target in targets)] or [
                s for s in STAGES if all(target.has_stage(s) for target in targets)
            ]
            answer = diff(*targets, stage=",".join(there) or stage, allow=allow, forbid=forbid, strict=strict)
            rows.append(Row(name, answer))
        except Unrecognized:
            left_out.append(name)
        except ScanirError as problem:
            rows.append(Row(name, problem=problem))
    return Dumps(str(a), str(b), tuple(rows), tuple(left_out))


def _confirmed(answer: Diff, programs: Sequence[Compared], scope: str) -> tuple[str, ...]:
    """Have the checker accept each equality of an answer; what it has nothing to say of, in sentences.

    Raises Uncertified.
    """
    from scanir.certify.produce import BeyondModules, LoopsAlone, checked

    left_out = []
    for (left, right, jaxprs), stage in zip(programs, answer.stages, strict=True):
        if stage.verdict.exit_code == 0:
            try:
                checked(left, right, stage, jaxprs=jaxprs)
            except BeyondModules as problem:
                if isinstance(problem, LoopsAlone) and scope == "program":
                    raise
                reason = problem.what.removeprefix("there is no certificate: ")
                left_out.append(f"{stage.title}: the checker was not asked: {reason}")
    return tuple(left_out)


def _certificate(
    answer: Diff, programs: Sequence[Compared], given: tuple[Arguments | str | None, ...],
    settings: tuple[Context, ...],
) -> dict[str, Any]:  # fmt: skip
    """The certificates of all rows of an answer, in one document."""
    if made := next(filter(None, settings), None):
        raise ArgumentError(
            "a certificate does not say under which settings its sides were made",
            where=str(made),
            hint="set them for the whole process (JAX_ENABLE_X64=1, say), here and where it is checked",
        )
    from scanir.certify.produce import checked, document
    from scanir.compare.digests import DIGEST

    if any(assumed.startswith(DIGEST) for stage in answer.stages for assumed in stage.assumptions):
        raise ArgumentError(
            "a certificate is of constants in full, and some are known by their digest alone",
            hint="save the program again with its constants: --constants values",
        )
    texts = ("" if given[0] is None else str(given[0]), "" if given[1] is None else str(given[1]))
    pairs = zip(programs, answer.stages, strict=True)
    return document([checked(left, right, stage, texts, jaxprs) for (left, right, jaxprs), stage in pairs])


@held_back()
def verify(document: Any, a: Any = None, b: Any = None) -> Verification:
    """Check a certificate on the programs that it names, or on ``a`` and ``b`` in their place.

    Reads (traces, lowers, compiles) both sides itself. Raises ScanirError where a side or the certificate cannot be
    read.
    """
    from scanir.checker.certificate import read
    from scanir.checker.check import check
    from scanir.checker.verdict import Rejected, Verification

    records = read(document)
    titles = tuple(f"{record.under}, {record.stage}" if record.under else record.stage for record in records)
    for title, record in zip(titles, records, strict=True):
        sides, names, jaxprs = [], [], []
        for side, value in zip(record.sides, (a, b), strict=True):
            target = _target(side.target if value is None else value)
            arguments = _named_arguments(side.arguments)
            ((_, (row,)),) = _rows((target,), _transforms(record.under))
            stages = parse_stages(record.stage)
            settling = ("jaxpr",) if record.host and row.stage is None and row.has_stage("jaxpr") else ()
            programs = row.trace(tuple(dict.fromkeys((*stages, *settling))), arguments)
            program = programs[record.stage]
            names.append(value if isinstance(value, str) else program.label)
            sides.append(program if value is None else replace(program, label=side.target))
            jaxprs += [programs[name] for name in settling]
        settled = (jaxprs[0], jaxprs[1]) if len(jaxprs) == 2 else None
        try:
            check(record, sides[0], sides[1], (names[0], names[1]), settled)
        except Rejected as problem:
            return Verification(False, titles, title, problem.obligation, problem.what, problem.where)
    return Verification(True, titles)


def _named_arguments(text: str) -> Arguments | None:
    from scanir.targets.arguments import parse_arguments

    return parse_arguments(text) if text else None


def _transforms(under: Under) -> tuple[Transform, ...]:
    if not under:
        return ()
    from scanir.targets.under import parse_under

    return parse_under(under)


def _rows(sides: tuple[Target, ...], under: tuple[Transform, ...]) -> list[tuple[str, tuple[Target, ...]]]:
    """The sides under each transform, by its name; as they are, under no name, where none is asked for."""
    rows = [(str(transform), tuple(side.under(transform) for side in sides)) for transform in under]
    return rows or [("", sides)]


def _names(rules: Iterable[str]) -> Iterable[str]:
    """Names of rules; one name may come alone."""
    return (rules,) if isinstance(rules, str) else rules


def _target(value: Any) -> Target:
    from scanir.targets import resolve

    return resolve(value)


def _arguments(args: tuple[Any, ...], special: Arguments | str | None) -> Arguments | str | None:
    from scanir.targets.arguments import Arguments

    if special is not None:
        return special
    if len(args) == 1 and isinstance(args[0], Arguments):
        return args[0]
    return Arguments(args) if args else None


def _given(target: Target, args: tuple[Any, ...], special: Arguments | str | None) -> Arguments | str | None:
    """A side's own arguments win over those of both sides: ``args_a``, else the target's own, else ``args``."""
    if special is not None:
        return special
    return None if target.has_arguments else _arguments(args, None)


def _saved_arguments(
    sides: tuple[Target, ...], given: tuple[Arguments | str | None, ...]
) -> tuple[Arguments | str | None, ...]:
    """For a side that has no arguments, and was given none, those that the other side was traced with and saved."""
    from scanir.targets.saved import traced_with

    pairs = tuple(zip(sides, given, strict=True))
    wanting = [found is None and not side.has_arguments and side.stage is None for side, found in pairs]
    saved = traced_with(sides) if any(wanting) else ""
    return tuple(saved or found if wants else found for wants, (_, found) in zip(wanting, pairs, strict=True))


def _common_stages(sides: Sequence[Target], stages: tuple[str, ...]) -> tuple[str, ...]:
    """An artifact has one stage, which then is the stage of the comparison."""
    fixed = {target.stage for target in sides if target.stage is not None}
    if len(fixed) > 1:
        raise ArgumentError(
            "the sides are of unlike dialects",
            where=" and ".join(f"{target.label} is {target.stage}" for target in sides),
            hint="compare two artifacts of the same stage",
        )
    # ``hlo`` is what one gets who asks for no stage; several stages are narrowed to the one there is.
    if len(stages) == 1 and fixed and stages != ("hlo",) and stages[0] not in fixed:
        raise ArgumentError(
            f"there is no stage {stages[0]} here",
            where=" and ".join(dict.fromkeys(f"{t.label} is {t.stage}" for t in sides if t.stage is not None)),
            hint=f"leave --stage out, or give --stage {next(iter(fixed))}",
        )
    return tuple(fixed) or _saved_stages(sides, stages)


def _saved_stages(sides: Sequence[Target], stages: tuple[str, ...]) -> tuple[str, ...]:
    """Of several stages those that all saved sides have; for the default that one does not have its last."""
    from scanir.targets.saved import Saved

    saved = [side.saved.stages for side in sides if isinstance(side, Saved)]
    if not saved:
        return stages
    there = [name for name in STAGES if all(name in names for names in saved)]
    if stages == ("hlo",) and there and "hlo" not in there:
        return (there[-1],)
    if len(stages) == 1:
        return stages
    return tuple(name for name in stages if name in there) or stages


def _compare(
    a: Program, b: Program, rules: frozenset[str], *, settled: bool, scope: str, known: int = 0,
    named: tuple[str, ...] = (),
) -> StageDiff:  # fmt: skip
    """The answer at one stage; ``known``: how many constants correspond by their digests; ``named``: host functions
    that the programs know by number, and that correspond by their names."""
    from scanir.compare.callbacks import BY_NAME
    from scanir.compare.digests import assumption
    from scanir.compare.verdict import compare, loops_only
    from scanir.ir.verify import entry_is_assumed

    answer = compare(a, b, rules, settled=settled)
    if answer.verdict is not Verdict.IDENTICAL:
        from scanir.facts.beside import with_tables

        answer = with_tables(answer, a, b)
    if known and answer.verdict.exit_code == 0:
        answer = replace(answer, assumptions=(assumption(known), *answer.assumptions))
    if named and answer.verdict.exit_code == 0 and all(use.rule != BY_NAME for use in answer.modulo):
        uses = (*answer.modulo, RuleUse(BY_NAME, len(named), named[:SHOWN_NAMES]))
        answer = replace(answer, verdict=Verdict.EQUIVALENT, modulo=uses)
    # Where the program itself is assumed, loops of what is left out are not looked at.
    known = not any(entry_is_assumed(program.module) for program in (a, b))
    return loops_only(answer) if scope == "loops" and known else answer


def _settled(
    a: Program, b: Program, sides: tuple[Target, ...], given: tuple[Arguments | str | None, ...], rules: frozenset[str]
) -> tuple[tuple[Program, Program] | None, tuple[str, ...]]:
    """The jaxprs, where these show that host callbacks, known to lowered modules by number only, are the same; and
    their names, where that is all that shows it."""
    from scanir.compare.callbacks import BY_NAME, calls_any, names, same_callbacks
    from scanir.contexts import is_remote

    if a.stage == "jaxpr" or not (calls_any(a) or calls_any(b)):
        return None, ()
    if any(target.stage is not None or not target.has_stage("jaxpr") for target in sides) or is_remote(*sides):
        return None, ()
    left, right = (target.trace(("jaxpr",), arguments)["jaxpr"] for target, arguments in zip(sides, given, strict=True))
    if same_callbacks(left, right):
        return (left, right), ()
    if BY_NAME in rules and same_callbacks(left, right, by_name=True):
        return (left, right), names(right)
    return None, ()


@held_back()
def matrix(
    targets: Iterable[Any], *args: Any, stage: str = "hlo", allow: Iterable[str] = (), forbid: Iterable[str] = (),
    strict: bool = False,
) -> Matrix:  # fmt: skip
    """Compare every pair of several programs: verdicts, the groups that are one program, and what each costs.

    ``targets`` are what `diff` takes, and names of families of strategies. ``args`` are example arguments for those
    that have none of their own. Raises ScanirError.
    """
    from scanir.normalize.rules import rule_set
    from scanir.targets.many import family

    rules = rule_set(_names(allow), _names(forbid), strict=strict)
    sides = [_target(value) for target in targets for value in family(target)]
    if len(sides) < 2:
        raise ArgumentError("a matrix needs two programs or more", hint="scanir matrix rollout names a whole family")
    given = tuple(_given(side, args, None) for side in sides)
    return _matrix(tuple(sides), given, parse_stages(stage), rules)


def _matrix(
    sides: tuple[Target, ...], given: tuple[Arguments | str | None, ...], stages: tuple[str, ...], rules: frozenset[str]
) -> Matrix:
    from scanir.compare.digests import matched
    from scanir.matrix import matrix as compare_all

    stages, given = _common_stages(sides, stages), _saved_arguments(sides, given)
    programs = [side.trace(stages, arguments) for side, arguments in zip(sides, given, strict=True)]

    def compare(left: int, right: int, name: str) -> StageDiff:
        a, b, known = matched(programs[left][name], programs[right][name])
        pair = (sides[left], sides[right])
        settled, named = _settled(a, b, pair, (given[left], given[right]), rules)
        return _compare(a, b, rules, settled=settled is not None, scope="program", known=known, named=named)

    return compare_all([side.label for side in sides], stages, programs, compare)


def classes(
    targets: Iterable[Any], *args: Any, stage: str = "hlo", allow: Iterable[str] = (), forbid: Iterable[str] = (),
    strict: bool = False,
) -> Classes:  # fmt: skip
    """Sort many programs into classes of equal ones, in time near-linear in their size together.

    ``targets`` are what `diff` takes, Python files (all their functions), directories (dumps of JAX and XLA, or any
    files of IR) and families of strategies. ``args`` are example arguments for those that have none of their own.
    Raises ScanirError.
    """
    from scanir.classes import classes as sort
    from scanir.normalize.rules import rule_set
    from scanir.targets.many import sources

    rules = rule_set(_names(allow), _names(forbid), strict=strict)
    return sort(sources(tuple(targets), parse_stages(stage), _arguments(args, None)), rules)


def bench(
    targets: Iterable[str], *args: Any, stage: str = "hlo", under: Under = (), config: Settings = None,
    compiler_options: Settings = None, seconds: float = 30.0, rounds: int = 200, limit: float | None = None,
    progress: Progress | None = None,
) -> Bench:  # fmt: skip
    """Measure several programs in turns: what tracing, lowering, compiling and running takes, and how they compare with
    the first, beside verdicts and static costs.

    ``targets`` are texts that another process finds, names of families included; ``args`` (or a text of ``--args``),
    ``under`` (one transform), ``config`` and ``compiler_options`` are those of `diff`. Measuring takes about
    ``seconds``, or ``rounds`` at most; a program that takes longer than ``limit`` seconds to be made and called is left
    out, with the reason. Raises ScanirError.
    """
    from scanir.contexts import begin, contexts, opened
    from scanir.measure.bench import Plan, Subject, probes
    from scanir.measure.bench import bench as measure
    from scanir.normalize.rules import rule_set
    from scanir.targets.many import family

    names = [value for target in targets for value in family(target)]
    if wrong := [name for name in names if not isinstance(name, str)]:
        raise ArgumentError(
            "another process measures, which cannot have an object of this one",
            where=str(getattr(wrong[0], "__qualname__", type(wrong[0]).__name__)),
            hint="name the function as module:function or file.py:function",
        )
    if not names:
        raise ArgumentError("nothing to measure", hint="scanir bench lambda carry")
    transforms = _transforms(under)
    if len(transforms) > 1:
        raise ArgumentError("a bench is under one transform", hint="one bench for each of them")
    context = contexts((config, None, None), (compiler_options, None, None), (None, None))[0]
    stages = parse_stages(stage)
    own = args[0] if len(args) == 1 and isinstance(args[0], str) else _arguments(args, None)
    tell = progress or (lambda what, done: None)
    plan = Plan(context, str(transforms[0]) if transforms else "", seconds, rounds, limit)
    subjects = [Subject(name, text, own) for name, text in zip(_distinct(names), names, strict=True)]
    probed = probes(subjects, plan, tell)
    compared = [text for text, probe in zip(names, probed, strict=True) if not probe.missing]
    tell("comparing", 1.0)
    with opened(tuple(compared), (context,) * len(compared)) as sides:
        given = (own,) * len(compared)
        begin(sides, stages, given, transforms)
        ((_, rows),) = _rows(sides, transforms)
        found = _matrix(rows, given, stages, rule_set()) if rows else None
    return replace(measure(probed, plan, tell), matrix=found)


def bench_lengths(
    family: str, lengths: Iterable[int], *, seconds: float = 10.0, rounds: int = 200, limit: float = 20.0,
    progress: Progress | None = None,
) -> Lengths:  # fmt: skip
    """Measure each kind of loop of a built-in family at several lengths, about ``seconds`` for each length.

    A kind that takes longer than ``limit`` seconds to be made and called is left out from that length on. Verdicts and
    static costs are those of the shortest length.
    """
    from scanir.measure.bench import lengths as measure
    from scanir.normalize.rules import rule_set
    from scanir.strategies.lengths import FAMILIES, members

    if family not in FAMILIES:
        raise ArgumentError(f"{family} has no lengths", hint=f"families with lengths: {', '.join(FAMILIES)}")
    wanted = tuple(sorted(set(lengths)))
    if not wanted or wanted[0] < 1:
        raise ArgumentError("a length is a number from 1 on", hint="10,100,1000")
    found = measure(
        family, wanted, lambda length: members(family, length), seconds=seconds, rounds=rounds, limit=limit,
        progress=progress or (lambda what, done: None),
    )  # fmt: skip
    first, *others = found.benches
    shortest = [member for member, row in zip(members(family, wanted[0]), first.rows, strict=True) if not row.missing]
    sides = tuple(_target(target) for _, target, _ in shortest)
    if sides:
        first = replace(first, matrix=_matrix(sides, tuple(given for _, _, given in shortest), ("hlo",), rule_set()))
    return replace(found, benches=(first, *others))


def _distinct(names: list[str]) -> list[str]:
    """Names, with a number from the second of each on."""
    return [f"{n} ({names[:k].count(n) + 1})" if n in names[:k] else n for k, n in enumerate(names)]


@held_back()
def show(
    target: Any, *, stage: str = "hlo", normalized: bool = False, args: Arguments | None = None,
    under: Under = (),
) -> str:  # fmt: skip
    """The module of a target at one stage as canonical text, raw or in normal form, under each of the transforms."""
    from scanir.ir.printer import print_module

    side = _target(target)
    stages = _common_stages((side, side), parse_stages(stage))
    parts = []
    for transform, (row,) in _rows((side,), _transforms(under)):
        programs = row.trace(stages, args)
        for name in stages:
            text = print_module(_normal(programs[name]) if normalized else programs[name].module)
            parts.append((f"// under {transform}, stage {name}\n" if transform else f"// stage {name}\n", text))
    return "\n".join(text if len(parts) == 1 else head + text for head, text in parts)


@held_back()
def ask(
    target: Any, request: Request, *, stage: str = "hlo", normalized: bool = False, args: Arguments | str | None = None,
    under: Under = (),
) -> tuple[Report, ...]:  # fmt: skip
    """Facts about a target, or the part of it that was selected: one report a stage, under each of the transforms.

    Raises ScanirError, also where no stage has what was selected; where only some have it, the others say so.
    """
    from scanir.facts.request import answers

    request.check(normalized=normalized)
    side = _target(target)
    stages = _common_stages((side, side), parse_stages(stage))
    programs, transforms = [], []
    for transform, (row,) in _rows((side,), _transforms(under)):
        traced = row.trace(stages, args)
        for name in stages:
            program = traced[name]
            programs.append(replace(program, module=_normal(program)) if normalized else program)
            transforms.append(transform)
    reports = answers(programs, request)
    return tuple(replace(report, under=under) for report, under in zip(reports, transforms, strict=True))


@held_back()
def table(name: str, target: Any, *args: Any, stage: str = "hlo", over: int | None = None) -> Answer:
    """A table of facts about a target at one stage, as a data class with ``rows``.

    ``name``: ``loops``, ``constants`` (those of more than ``over`` bytes), ``aliasing``, ``kept-args``, ``effects`` or
    ``keys``. Raises ScanirError.
    """
    from scanir.facts.request import Request

    if len(parse_stages(stage)) > 1:
        raise ArgumentError("a table is of one stage", hint="ask for each stage on its own")
    request = Request(table=name) if over is None else Request(table=name, over=over)
    return ask(target, request, stage=stage, args=_arguments(args, None))[0].answer


def _normal(program: Program) -> Module:
    from scanir.normalize.reify import normal_form
    from scanir.normalize.rules import DEFAULT

    return normal_form(program, DEFAULT)


@held_back()
def budget(
    target: Any, limits: Limits, *, args: Arguments | str | None = None, under: Under = (), config: Settings = None,
    compiler_options: Settings = None,
) -> tuple[tuple[str, tuple[Kept, ...]], ...]:  # fmt: skip
    """How limits stand in the compiled program of a target: under each transform, by its name. Raises ScanirError."""
    from scanir.contexts import begin, contexts, opened
    from scanir.facts.limits import limits as measured
    from scanir.facts.places import Places

    context = contexts((config, None, None), (compiler_options, None, None), (None, None))[0]
    transforms = _transforms(under)
    with opened((target,), (context,)) as sides:
        if sides[0].stage not in (None, "hlo"):
            where = f"{sides[0].label} is {sides[0].stage}"
            raise ArgumentError("a budget is of a compiled program", where=where, hint="name the function itself")
        given = (_given(sides[0], (), args),)
        begin(sides, ("hlo",), given, transforms)
        return tuple(
            (transform, measured(Places.build(row.trace(("hlo",), given[0])["hlo"]), limits))
            for transform, (row,) in _rows(sides, transforms)
        )


@held_back()
def trace(target: Any, *args: Any, stage: str = "all", normalized: bool = False) -> Modules:
    """The modules of a target by stage, raw or in normal form. Raw ones can be kept: ``.save("prog.scanir")``."""
    if not normalized:
        return traced(target, stage=stage, args=_arguments(args, None))
    from scanir.artifact import Modules

    side = _target(target)
    stages = _common_stages((side, side), parse_stages(stage))
    programs = side.trace(stages, _arguments(args, None))
    return Modules({name: _normal(programs[name]) for name in stages}, None)


def traced(
    target: Any, *, stage: str = "all", args: Arguments | str | None = None, config: Settings = None,
    compiler_options: Settings = None,
) -> Modules:  # fmt: skip
    """The modules of a target by stage, made under these settings, as they are saved. Raises ScanirError."""
    from scanir.artifact import Modules
    from scanir.contexts import begin, contexts, opened

    context = contexts((config, None, None), (compiler_options, None, None), (None, None))[0]
    with opened((target,), (context,)) as (side,):
        stages = _common_stages((side, side), parse_stages(stage))
        given = _given(side, (), args)
        begin((side,), stages, (given,), ())
        programs = side.trace(stages, given)
        return Modules({name: programs[name].module for name in stages}, _trace(side, programs, given))


def _trace(side: Target, programs: dict[str, Program], given: Arguments | str | None) -> Trace:
    """A target's programs as they are saved."""
    from scanir.artifact import Trace
    from scanir.targets.saved import Saved, text_of

    ordered = tuple(programs[name] for name in STAGES if name in programs)
    if isinstance(side, Saved):
        ordered = tuple(replace(program, label=side.saved.target) for program in ordered)
        return Trace(side.saved.target, side.saved.arguments, ordered, side.saved.machine)
    if side.stage is not None:
        return Trace(side.label, "", ordered)
    from scanir.contexts import is_remote
    from scanir.tracers import machine

    arguments = (given if isinstance(given, str) else "") if is_remote(side) else text_of(side.arguments(given))
    return Trace(side.label, arguments, ordered, machine() if "hlo" in programs else ())


def assert_equivalent(
    a: Any, b: Any, *args: Any, stage: str = "hlo", allow: Iterable[str] = (), forbid: Iterable[str] = (),
    under: Under = (), config: Settings = None, compiler_options: Settings = None, run: int = 0,
    run_timeout: float | None = None,
) -> None:  # fmt: skip
    """Raise AssertionError, with the report, unless the programs are IDENTICAL or EQUIVALENT.

    A gate is stricter than a look: bindings, forwarded outputs and differences of interface, donation and sharding are
    forbidden here unless allowed by name. With ``run`` a verdict that running the sides contradicts raises too.
    """
    from scanir.normalize.rules import gate_forbids
    from scanir.render.text import render_text

    allow = tuple(_names(allow))
    answer = diff(a, b, *args, stage=stage, allow=allow, forbid=gate_forbids(allow, _names(forbid)), under=under,
                  config=config, compiler_options=compiler_options, run=run, run_timeout=run_timeout)  # fmt: skip
    if not answer:
        raise AssertionError("not equivalent\n" + render_text(answer))
