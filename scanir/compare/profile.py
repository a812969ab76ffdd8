"""How often, and where, each value of a normalized program is computed.

Interning makes duplicated, misplaced and unread work disappear, which is what some people are asking about. The profile
brings it back: counts of op instances by canonical value and place, from the trace of the evaluation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from scanir.ir.attrs import Symbol
from scanir.ir.graph import Location, Module, Op
from scanir.ir.structure import SCANS, WHILES, label
from scanir.ir.walk import ops_of
from scanir.normalize.binders import Fun, Loop, Trace
from scanir.normalize.canonical import Canonical
from scanir.normalize.side import Side, named
from scanir.result import RuleUse

Place = tuple[str, int, int]
#: Paths named for one rule.
PLACES = 4
LOOPS = SCANS | WHILES


@dataclass(slots=True)
class Profile:
    """``counts[value][place]``: instances; ``dead``: ops nobody reads, by name and types; ``ops``: an op for each
    value; ``lines``: its line, or that of what it is part of (a call of a library function, say); ``loops`` in reading
    order, of several that are the same one the first."""

    counts: dict[int, Counter[Place]] = field(default_factory=lambda: defaultdict(Counter))
    dead: Counter[tuple[str, str]] = field(default_factory=Counter)
    paths: dict[object, str] = field(default_factory=dict)
    ops: dict[int, tuple[Op, str]] = field(default_factory=dict)
    lines: dict[int, Location] = field(default_factory=dict)
    loops: list[tuple[Loop, int, str, Trace, Location | None]] = field(default_factory=list)
    dropped_loops: list[str] = field(default_factory=list)


def profile(side: Side) -> Profile:
    """The profile of a side: its entry, and once each function that stayed a call; else all of it is dead."""
    found = Profile()
    _walk(found, side, side.canonical, side.trace, side.program.module.entry, 1)
    calls = _first_calls(side.program.module) if side.evaluator.kept else {}
    called, spared = _called(side, side.canonical.of), _called(side, side.canonical.updates)
    for name, (canonical, trace, fun) in reversed(side.parts.items()):  # callers first
        if name not in side.evaluator.kept:
            continue
        if side.lemmas[name] in called or name in named(side.program.module):
            _walk(found, side, canonical, trace, name, 1, (fun,), calls.get(name))
            called |= _called(side, canonical.of)
            spared |= _called(side, canonical.updates)
        elif side.lemmas[name] in spared:  # only updates of dead slots call it
            spared |= _called(side, {*canonical.of, *canonical.updates})
        else:  # only dead work calls it
            _bury(found, trace, name, 1)
    return found


def _first_calls(module: Module) -> dict[str, Location]:
    """Where each function is called first."""
    found: dict[str, Location] = {}
    for function in module.functions:
        for op in ops_of(function.body):
            callee = op.attribute("callee")
            if isinstance(callee, Symbol) and op.location is not None:
                found.setdefault(callee.name, op.location)
    return found


def _called(side: Side, terms: Iterable[int]) -> set[int]:
    """The functions that terms call."""
    keys = side.evaluator.table.keys
    return {keys[term][1] for term in terms if keys[term][0] == "lemma"}


def _walk(
    found: Profile,
    side: Side,
    canonical: Canonical,
    trace: Trace,
    name: str,
    times: int,
    around: tuple[Loop | Fun, ...] = (),
    line: Location | None = None,
) -> None:
    state = side.evaluator.state
    stack: list[tuple[Trace, tuple[Loop | Fun, ...], Place, str, frozenset[int], Location | None]] = [
        (trace, around, ("", 0, 0), name, frozenset(), line)
    ]
    while stack:
        current, binders, place, path, counted, outer = stack.pop()
        line = outer if current.op is None else current.op.location or outer
        if isinstance(current.binder, Loop):
            found.loops.append((current.binder, place[1], path, current, line))
        counted |= _absorbed(current)
        for op, term in current.entries:
            if term in canonical.of:
                value = canonical.closed(term, binders)
                found.counts[value][place] += times
                found.ops.setdefault(value, (op, f"{path}/{op.name}"))
                _note_line(found, value, op.location or line)
            elif term not in canonical.updates and term not in counted:
                _bury_op(found, op, path, times)
                if op.name in ("while", "stablehlo.while"):
                    found.dropped_loops.append(f"{path}/{op.name}")
        for inner in reversed(current.inner):
            binder = inner.binder
            if binder is not None and binder.term not in canonical.of:
                spared = canonical.updates if binder.term in canonical.updates else frozenset()
                _bury(found, inner, f"{path}/{_label(inner)}", times, spared)
                continue
            below, where = binders, place
            if isinstance(binder, Loop):
                if state.loops[binder.term] is not binder:
                    continue  # a duplicate of a loop that is walked itself
                below, where = (binder, *binders), ("loop", canonical.closed(binder.term, binders), 0)
            elif isinstance(binder, Fun):
                if state.funs[binder.term] is not binder:
                    continue
                below, where = (binder, *binders), ("region", canonical.closed(binder.term, binders), 0)
            elif inner.selector is not None:
                selector, index = inner.selector
                if selector in canonical.of:
                    where = ("branch", canonical.closed(selector, binders), index)
            stack.append((inner, below, where, f"{path}/{_label(inner)}", counted, line))


def _absorbed(trace: Trace) -> frozenset[int]:
    """Updates of slots whose value the trip number or the start says already."""
    loop = trace.binder
    if not isinstance(loop, Loop):
        return frozenset()
    return frozenset(after for rank, after in zip(loop.rank, loop.nexts, strict=True) if rank is None)


def _label(trace: Trace) -> str:
    if isinstance(trace.binder, Loop):
        return trace.binder.op.name
    return trace.label or trace.kind


def _note_line(found: Profile, value: int, line: Location | None) -> None:
    if line is not None:
        found.lines.setdefault(value, line)


def _bury_op(found: Profile, op: Op, path: str, times: int) -> None:
    """An op that nobody reads."""
    key = (op.name, ", ".join(str(result.type) for result in op.results))
    found.dead[key] += times
    found.paths.setdefault(key, f"{path}/{label(op)}")


def _bury(found: Profile, trace: Trace, path: str, times: int, spared: frozenset[int] = frozenset()) -> None:
    """Everything inside a dead loop or region is dead, but what the update of a dead slot is made of."""
    stack = [trace]
    while stack:
        current = stack.pop()
        for op, term in current.entries:
            if term not in spared:
                _bury_op(found, op, path, times)
        stack.extend(current.inner)


def differences(a: Profile, b: Profile) -> dict[str, RuleUse]:
    """The rules among cse, hoisting and dead-code that two programs of equal results need to be called equivalent."""
    duplicated: Counter[str] = Counter()
    moved: Counter[str] = Counter()
    for value in sorted(a.counts.keys() | b.counts.keys()):
        left, right = a.counts.get(value, Counter()), b.counts.get(value, Counter())
        if left == right:
            continue
        places = [found.ops[value][1] for found in (a, b) if value in found.ops]
        where = places[0]
        total = abs(left.total() - right.total())
        if total:
            duplicated[where] += total
        if set(left) != set(right) and not (total and (set(left) <= set(right) or set(right) <= set(left))):
            depths = [_depth(place) for place in places]
            if len(set(depths)) == 2:
                where = f"{where}: loop depth {depths[0]} in a, {depths[1]} in b"
            moved[where] += max(1, min(left.total(), right.total()))
    unread: Counter[str] = Counter()
    for key in sorted((a.dead - b.dead).keys() | (b.dead - a.dead).keys()):
        unread[a.paths.get(key) or b.paths[key]] += abs(a.dead[key] - b.dead[key])
    named = {"cse": duplicated, "hoisting": moved, "dead-code": unread}
    return {rule: use(rule, places) for rule, places in named.items() if places}


def _depth(path: str) -> int:
    """How many loops a path leads through."""
    return sum(part in LOOPS for part in path.split("/"))


def use(rule: str, places: Counter[str] | Iterable[str]) -> RuleUse:
    """A `RuleUse` from counted paths, the most frequent first."""
    counted = places if isinstance(places, Counter) else Counter(places)
    named = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return RuleUse(rule, max(1, counted.total()), tuple(path for path, _ in named[:PLACES]))
