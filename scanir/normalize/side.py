"""One side of a comparison, normalized: a program evaluated under a set of rules and brought to canonical form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from scanir.errors import ScanirError
from scanir.ir.graph import Function, Module, Op
from scanir.ir.structure import CALLS
from scanir.ir.summary import Summaries, summaries
from scanir.ir.types import TOKEN, TensorType, Type
from scanir.ir.walk import ops_of
from scanir.normalize.binders import Fun, Trace
from scanir.normalize.canonical import Canonical
from scanir.normalize.effects import callee_order, effects_of
from scanir.normalize.erase import Eraser
from scanir.normalize.evaluate import BUDGET, BudgetExceeded, Evaluator
from scanir.normalize.identities import sees_nan_bits
from scanir.normalize.liveness import dead_callbacks
from scanir.normalize.values import Table
from scanir.program import Program


@dataclass(frozen=True, slots=True)
class Settings:
    """How a side is normalized, besides the rules.

    ``keep``: names of functions that stay calls (None: all). ``guess``: take what cannot be compared as equal.
    ``settled``: callbacks known by number are known to be the same on both sides. ``exact_nans``: some op of either
    side sees the bits of a NaN. ``budget``: ops that may be evaluated, inlined calls included. ``recording``: keep the
    term of each value in the trace, for a certificate.
    """

    keep: frozenset[str] | None = None
    guess: bool = False
    settled: bool = False
    exact_nans: bool = True
    budget: int = BUDGET
    recording: bool = False


@dataclass(slots=True)
class Side:
    """A normalized program. ``results`` are canonical ids; the last one is the program's token."""

    program: Program
    rules: frozenset[str]
    results: tuple[int, ...]
    canonical: Canonical
    evaluator: Evaluator
    trace: Trace
    lemmas: dict[str, int]
    parts: dict[str, tuple[Canonical, Trace, Fun]]
    hidden: dict[str, tuple[int, str]]
    log: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: The smallest budget that it would have been made under, too.
    ops: int = 0

    @property
    def used(self) -> frozenset[str]:
        """Names of the rules that may have changed the form of this side."""
        touched = self.evaluator.state.touched | self.evaluator.eraser.touched
        return frozenset(rule for rule, _ in self.log) | (touched & self.rules)

    @property
    def fired(self) -> frozenset[str]:
        """Rules without any of which this side would not be what it is; all others could be taken away.

        `normalize` asks of a rule only whether it is in force, and each place that asks notes it here where anything
        comes of the answer "yes": a term or a key that is another one, a slot of which more is supposed, a slot left
        out, a log entry. Under rules that are fewer by some that are not noted, evaluation goes in lockstep with this
        one: up to the first step that is another one both have the same state, that step asks of a rule that was taken
        away, hears "no" in place of "yes", and by what was said nothing comes of that. So there is no such step.
        (Whether calls are inlined is a setting, and nothing that `normalize` asks the rules.)
        """
        return frozenset(self.evaluator.state.fired | self.evaluator.eraser.touched) - {"calls"}


class CallCycle(ScanirError):
    """Functions that call each other in a cycle have no closed form."""


def normalize(
    program: Program, side: str, rules: frozenset[str], target: Table, inputs: tuple[int, ...], settings: Settings
) -> Side:
    """Evaluate a program and bring it to canonical form in ``target``.

    ``inputs``: the canonical id of each parameter of the entry function. Raises CallCycle, BudgetExceeded.
    """
    module = program.module
    order, cycle = callee_order(module)
    if cycle:
        raise CallCycle(f"functions call each other in a cycle: {', '.join(cycle)}", where=module.name)
    eraser = Eraser(module, side, rules, guess=settings.guess, settled=settings.settled)
    skipped = dead_callbacks(module) if "dead-code" in rules else frozenset()
    evaluator = Evaluator(module, Table(), eraser, effects_of(module, skipped), rules)
    evaluator.skipped = skipped
    if skipped:
        evaluator.state.fired.add("dead-code")
    evaluator.budget = settings.budget
    evaluator.recording = settings.recording
    known = summaries(module)
    size = _check_size(order, known, settings)
    evaluator.identities.nan_bits_are_seen = settings.exact_nans
    entry = module.function(module.entry)
    lemmas: dict[str, int] = {}
    eraser.symbol = lambda name: ("fun", lemmas[name])
    parts = {}
    needed = _reachable(order, known, entry)
    by_name = named(module)
    fused = _fused(order, known)
    if fused and "class:fusion" in rules:
        fused = frozenset()
        evaluator.state.fired.add("class:fusion")
    for function in order:
        stays = settings.keep is None or function.name in settings.keep or function.name in fused
        if function is entry or function.name not in needed or not (stays or function.name in by_name):
            continue
        trace = Trace("fun")
        fun = evaluator.lemma(function, trace)
        canonical = Canonical(evaluator.table, evaluator.state, target, rules)
        # A function that repeats an earlier one is that one; what is done in it is to be counted all the same.
        own = trace.binder if isinstance(trace.binder, Fun) else fun
        lemma, *_ = canonical.convert((fun.term,) if own is fun else (fun.term, *own.results))
        lemmas[function.name] = lemma
        parts[function.name] = (canonical, trace, own)
        if stays:
            evaluator.kept[function.name] = lemma
    trace = Trace("body")
    seeds = tuple(
        _seed(evaluator.table, target, term, eraser.type(param.type))
        for term, param in zip(inputs, entry.body.params, strict=True)
    )
    roots = evaluator.run(entry.body, seeds, trace)
    canonical = Canonical(evaluator.table, evaluator.state, target, rules)
    results = canonical.convert(roots)
    log = Counter(evaluator.state.log)
    ops = max(size, settings.budget - evaluator.budget)
    return Side(program, rules, results, canonical, evaluator, trace, lemmas, parts, eraser.hidden, log, ops)


def inputs(program: Program, table: Table, argument: Callable[[int, Type], int]) -> tuple[int, ...]:
    """The term of each parameter of a program's module: a closed-over constant, or what ``argument`` gives for the
    number and the bare type of an argument."""
    constants = dict(program.interface.constants)
    params = program.module.function(program.module.entry).body.params
    found = []
    for position, param in enumerate(params):
        if position in constants:
            found.append(table.intern("const", (constants[position], param.type)))
        elif param.type == TOKEN:
            found.append(table.intern("in", ("token argument", position)))
        else:
            found.append(argument(program.interface.kept[position], bare(param.type)))
    return tuple(found)


def _seed(source: Table, target: Table, term: int, type: Type) -> int:
    """An argument; one that is bound to a constant is that constant, so that it is treated like one."""
    if target.kind(term) == "const":
        return source.intern("const", target.payload(term))
    return source.intern("given", (term, type))


def _check_size(order: tuple[Function, ...], known: Summaries, settings: Settings) -> int:
    """The size of the largest function with its calls inlined. Raises BudgetExceeded at once if that is larger than the
    budget."""
    sizes: dict[str, int] = {}
    for function in order:
        size = known.of(function).size
        for op, names in known.of(function).mentioning:
            if op.name in CALLS:
                size += sum(0 if settings.keep is None or name in settings.keep else sizes[name] for name in names)
        sizes[function.name] = size
        if size > settings.budget:
            raise BudgetExceeded
    return max(sizes.values(), default=0)


def _reachable(order: tuple[Function, ...], known: Summaries, entry: Function) -> set[str]:
    """Names of the functions that the entry needs."""
    found = {entry.name}
    for function in reversed(order):
        if function.name in found:
            found.update(known.of(function).mentions)
    return found


def named(module: Module) -> set[str]:
    """Functions that an op names in other ways than by calling them; those are never inlined."""
    known = summaries(module)
    return {
        name
        for function in module.functions
        for op, names in known.of(function).mentioning
        if op.name not in CALLS
        for name in names
    }


def _fused(order: tuple[Function, ...], known: Summaries) -> frozenset[str]:
    """Functions that are fused computations."""
    return frozenset(
        name for f in order for op, names in known.of(f).mentioning if op.name == "fusion" for name in names
    )


def nan_bits_are_seen(*programs: Program) -> bool:
    """True if any op of the programs may tell one NaN from another."""
    return any(sees_nan_bits(op) for program in programs for op in _ops(program))


def _ops(program: Program) -> list[Op]:
    return [op for function in program.module.functions for op in ops_of(function.body)]


def bare(type: Type) -> Type:
    """A type without the facts that rules may set aside (those are compared for all arguments at once)."""
    return TensorType(type.dtype, type.shape) if isinstance(type, TensorType) else type
