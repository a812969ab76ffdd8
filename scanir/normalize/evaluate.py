"""Evaluation: a module becomes terms, under a set of rules and a hypothesis about the slots of its loops.

One pass over the ops in reading order, values looked up in one environment; regions are entered through generators on
an explicit stack, so that no nesting depth is a recursion depth. A loop is evaluated again, in place, until its
partition of slots holds (`scanir.normalize.partition`); what is left behind is the `Trace`, which says which op gave
which term where.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scanir.ir.graph import Function, Module, Op, Region, Value
from scanir.ir.steps import Steps, run
from scanir.ir.structure import BRANCHES, CALLS, SCANS, WHILES, BranchView, CallView, LoopView, label, view
from scanir.ir.types import TOKEN, Type
from scanir.normalize.binders import (
    Fun,
    Loop,
    State,
    Trace,
    close_fun,
    close_loop,
    close_ys,
    leaf,
    plain,
)
from scanir.normalize.classes import says_nothing
from scanir.normalize.effects import CUSTOM_CALLS, Effects
from scanir.normalize.erase import Eraser
from scanir.normalize.identities import Identities
from scanir.normalize.numbers import affine
from scanir.normalize.partition import Partition
from scanir.normalize.payloads import without_pointer
from scanir.normalize.stacking import RULE, Stacking
from scanir.normalize.trips import declared_trips, starts_of, trip_count
from scanir.normalize.tuples import PACKING, Tuples, packs
from scanir.normalize.values import Table

#: Evaluations of one loop's body are bounded by its slots; this bounds ops over all inlined calls of one side.
BUDGET = 1_000_000
#: Names of all ops that `view` sees something in.
STRUCTURED = BRANCHES | CALLS | SCANS | WHILES


class BudgetExceeded(Exception):
    """Inlining calls took more ops than the budget allows."""


class Evaluator:
    """Evaluates regions of one module. ``kept`` maps names of functions that stay calls to the shared ids of their
    lemmas."""

    def __init__(self, module: Module, table: Table, eraser: Eraser, effects: Effects, rules: frozenset[str]) -> None:
        self.module = module
        self.table = table
        self.eraser = eraser
        self.effects = effects
        self.tuples = Tuples(table)
        self.rules = rules
        self.functions: dict[str, Function] = {function.name: function for function in module.functions}
        self.kept: dict[str, int] = {}
        self.state = State()
        self.skipped: frozenset[int] = frozenset()
        self.budget = BUDGET
        #: Whether traces keep the term of each value and token, for a certificate.
        self.recording = False
        self.identities = Identities(table, module.dialect, rules)
        self._stacking = Stacking(self)
        self._partitions: dict[tuple[int, ...], Partition] = {}
        self._env: dict[Value, int] = {}
        self._token = table.intern("in", "token")
        self._scopes = 0
        self._path: tuple[int, ...] = ()
        self._place: tuple[str, ...] = ()

    # -- driving
    # ---------------------------------------------------------------------------------------------------------

    def run(self, region: Region, arguments: Iterable[int], trace: Trace, depth: int = 0) -> tuple[int, ...]:
        """The terms of the region's results, and of its last token."""
        return (*run(self._enter(region, tuple(arguments), trace, depth)), self._token)

    def lemma(self, function: Function, trace: Trace) -> Fun:
        """A function of the module as a closed region, whatever its arguments."""
        self._path, self._place, before = (id(function),), (function.name,), self._token
        fun: Fun = run(self.fun(function.body, trace, 0, self.effects.function(function.name)))
        self._path, self._place, self._token = (), (), before
        return fun

    def _enter(self, region: Region, arguments: tuple[int, ...], trace: Trace, depth: int) -> Steps[Any]:
        env = self._env
        for param, argument in zip(region.params, arguments, strict=True):
            env[param] = argument
        for op in region.ops:
            if self.recording:
                trace.tokens.append(self._token)
            if id(op) in self.skipped:
                trace.entries.append((op, -1))
                for k, value in enumerate(op.results):
                    env[value] = self.table.intern("dropped", (id(op), k))
                continue
            self.budget -= 1
            structure = None if op.name not in STRUCTURED else view(op)
            if structure is None and not op.regions:
                self._plain(op, trace)
                continue
            match structure:
                case LoopView():
                    results = yield self._loop(op, structure, region, trace, depth)
                case BranchView():
                    results = yield self._branch(op, structure, trace, depth)
                case CallView():
                    results = yield self._call(op, structure, trace, depth)
                case _:
                    results = yield self._regions(op, trace, depth)
            for value, term in zip(op.results, results, strict=True):
                env[value] = term
            if self.budget < 0:
                raise BudgetExceeded
        if self.recording:
            trace.tokens.append(self._token)
            defined = (*region.params, *[result for op in region.ops for result in op.results])
            trace.values = {value: env[value] for value in defined}
        return tuple([env[value] for value in region.results])

    def use(self, rule: str, op: Op, more: str = "") -> None:
        """Log that a rule was applied here."""
        self.state.fired.add(rule)
        self.state.log.append((rule, "/".join((*self._place, label(op))) + more))

    def _scope(self) -> int:
        self._scopes += 1
        return self._scopes

    # -- plain ops
    # ---------------------------------------------------------------------------------------------------------

    def _plain(self, op: Op, trace: Trace) -> None:
        env = self._env
        results = self.plain_terms(op, tuple([env[value] for value in op.operands]), (), trace)
        for value, term in zip(op.results, results, strict=True):
            env[value] = term

    def plain_terms(self, op: Op, operands: tuple[int, ...], funs: tuple[int, ...], trace: Trace) -> tuple[int, ...]:
        table = self.table
        types = tuple([self.eraser.result_type(op, value.type) for value in op.results])
        if op.name == "constant":
            value = op.attribute("value")
            assert value is not None
            plain = table.intern("const", (self.eraser.attr(value), types[0]))
            told = self.eraser.attributes(op, frozenset({"value"})) if len(op.attributes) > 1 else ()
            return (plain if not told else table.intern("op", ("constant with", told, types, 1, ""), (plain,)),)
        if op.name in PACKING:
            packed = self.tuples.results(op, operands, types)
            if packed and packs(self.eraser.dialect, op):
                return packed
        elif op.name in CUSTOM_CALLS and "payload-noise" in self.rules:
            rest = without_pointer(table, op, operands)
            if rest is not None:
                operands = rest
                self.use("payload-noise", op)
        effect = self.effects.op(op)
        if not effect and not funs and len(types) == 1:
            same = self.identities.simplify(op, operands, types[0], self)
            if same is not None:
                return (same,)
        exchange = not effect and not funs and self.identities.exchange(op)
        if exchange:
            self.state.fired.add("commutative")
            if operands[0] > operands[1]:
                operands = operands[::-1]
                self.use("commutative", op)
        children = (*operands, *funs, *((self._token,) if effect else ()))
        form = "exchange" if exchange else "effect" if effect else ""
        term = table.intern("op", (op.name, self.eraser.attributes(op), types, len(operands), form), children)
        trace.entries.append((op, term))
        if effect:
            self._token = table.intern("proj", "token", (term,))
        if len(types) == 1:
            return (term,)
        return tuple([table.intern("proj", k, (term,)) for k in range(len(types))])

    # -- regions of plain ops
    # ----------------------------------------------------------------------------------------------

    def _regions(self, op: Op, trace: Trace, depth: int) -> Steps[Any]:
        effect = self.effects.op(op)
        before, place = self._token, self._place
        funs = []
        for index, region in enumerate(op.regions):
            self._place = (*place, op.name, str(index)) if len(op.regions) > 1 else (*place, op.name)
            inner = Trace("fun", label=op.name, op=op)
            trace.inner.append(inner)
            fun = yield self.fun(region, inner, depth, effect)
            funs.append(fun.term)
        self._token, self._place = before, place
        return self.plain_terms(op, tuple([self._env[value] for value in op.operands]), tuple(funs), trace)

    def fun(self, region: Region, trace: Trace, depth: int, effect: bool) -> Steps[Any]:
        """Evaluate a region as a closed function of its parameters (and of the token, if it has effects)."""
        scope = self._scope()
        types = tuple([self.eraser.type(param.type) for param in region.params])
        leaves = tuple([leaf(self.table, scope, k, type, depth) for k, type in enumerate(types)])
        if effect:
            types = (*types, TOKEN)
            self._token = leaf(self.table, scope, "token", TOKEN, depth)
        results: tuple[int, ...] = yield self._enter(region, leaves, trace, depth + 1)
        if effect:
            results = (*results, self._token)
        fun = Fun(scope, depth, types, results, effect)
        fun.term = close_fun(self.table, fun, results)
        self.state.owner[scope] = trace.binder = fun
        return self.state.funs.setdefault(fun.term, fun)

    # -- calls
    # ---------------------------------------------------------------------------------------------------------------

    def _call(self, op: Op, call: CallView, trace: Trace, depth: int) -> Steps[Any]:
        arguments = tuple([self._env[value] for value in call.arguments])
        function = self.functions[call.callee]
        if call.callee in self.kept:
            return self._kept(op, function, arguments, trace)
        self.use("calls", op)
        if op.name == "fusion":
            self.use("class:fusion", op)
        place, path = self._place, self._path
        self._place = (*place, call.callee)
        self._path = (*path, id(op))
        inner = Trace("call", label=call.callee, op=op)
        trace.inner.append(inner)
        results: tuple[int, ...] = yield self._enter(function.body, arguments, inner, depth)
        self._place, self._path = place, path
        return self._said(op, results)

    def _said(self, op: Op, results: tuple[int, ...]) -> tuple[int, ...]:
        """Results of an inlined call under what the call itself asks for, where that is anything."""
        key = self.eraser.attributes(op, frozenset({"callee"}))
        told = tuple([field for field in key if not says_nothing(op, field[0])])
        if not told:
            return results
        types = [self.eraser.type(value.type) for value in op.results]
        return tuple([
            self.table.intern("op", (f"{op.name} with", told, (type,), 1, ""), (result,))
            for result, type in zip(results, types, strict=True)
        ])  # fmt: skip

    def _kept(self, op: Op, function: Function, arguments: tuple[int, ...], trace: Trace) -> tuple[int, ...]:
        table = self.table
        effect = self.effects.function(function.name)
        types = tuple([self.eraser.type(value.type) for value in op.results])
        children = (table.intern("lemma", self.kept[function.name]), *arguments, *((self._token,) if effect else ()))
        term = table.intern("call", (op.name, self.eraser.attributes(op, frozenset({"callee"})), types), children)
        trace.entries.append((op, term))
        if effect:
            self._token = table.intern("proj", len(types), (term,))
        if len(types) == 1 and not effect:
            return (term,)
        return tuple([table.intern("proj", k, (term,)) for k in range(len(types))])

    # -- branches
    # --------------------------------------------------------------------------------------------------------------

    def _branch(self, op: Op, branch: BranchView, trace: Trace, depth: int) -> Steps[Any]:
        selector = self._env[branch.selector]
        before, place = self._token, self._place
        outcomes, tokens = [], []
        for index, (region, bound) in enumerate(zip(branch.regions, branch.arguments, strict=True)):
            self._token, self._place = before, (*place, f"{op.name}.{index}")
            inner = Trace("branch", label=f"{op.name}.{index}", selector=(selector, index), op=op)
            trace.inner.append(inner)
            outcomes.append((yield self._enter(region, tuple([self._env[value] for value in bound]), inner, depth)))
            tokens.append(self._token)
        self._place = place
        attrs = self.eraser.attributes(op)
        results, chosen = [], []
        for k, value in enumerate(op.results):
            type = self.eraser.type(value.type)
            leaves = [self.tuples.unpack(outcome[k], type) for outcome in outcomes]
            merged = [
                self._select(op, attrs, leaf[0][1], selector, tuple([term for term, _ in leaf]))
                for leaf in zip(*leaves, strict=True)
            ]
            chosen += merged
            results.append(self.tuples.repack(iter(merged), type))
        self._token = self._select(op, attrs, TOKEN, selector, tuple(tokens))
        # The branch counts as work where anything is chosen; its first choice stands for it.
        choices = [term for term in (*chosen, self._token) if self.table.kind(term) == "sel"]
        trace.entries.extend((op, term) for term in choices[:1])
        return tuple(results)

    def _select(self, op: Op, attrs: Any, type: Type, selector: int, outcomes: tuple[int, ...]) -> int:
        if all(outcome == outcomes[0] for outcome in outcomes):
            if type == TOKEN:
                return outcomes[0]
            if "branch-passthrough" in self.rules:
                self.use("branch-passthrough", op)
                return outcomes[0]
        return self.table.intern("sel", (op.name, attrs, type), (selector, *outcomes))

    # -- loops
    # -----------------------------------------------------------------------------------------------------------------

    def _loop(self, op: Op, loop: LoopView, region: Region, trace: Trace, depth: int) -> Steps[Any]:
        """Evaluate until the partition of the slots holds; results by slot, then ys."""
        slots = [
            leaf for value in loop.inits for leaf in self.tuples.unpack(self._env[value], self.eraser.type(value.type))
        ]
        effect = self.effects.op(op)
        if effect:
            slots.append((self._token, TOKEN))
        starts, types = tuple([term for term, _ in slots]), tuple([type for _, type in slots])
        partition = self._partitions.setdefault((*self._path, id(op)), Partition(len(slots), self.rules))
        partition.start(starts, types, self.table)
        trivial = "trivial-loop" in self.rules and not effect
        said = declared_trips(op)
        path, place, mark = self._path, self._place, self.state.mark()
        self._path, self._place = (*path, id(op)), (*place, op.name)
        while True:
            self.state.forget(mark)
            inner = Trace("loop", op=op)
            trip = yield self._trip(op, loop, region, partition, starts, types, effect, inner, depth)
            # No trip: the condition was evaluated on the initial values themselves, whatever is supposed of later ones.
            few = trivial and trip.trips in (0, 1) and said in (None, trip.trips)
            if (few and trip.trips == 0) or partition.refine(starts, trip.values, trip.nexts):
                break
        self.state.fired |= partition.fired
        self._path, self._place = path, place
        if few:
            self.state.forget(mark)
            return (yield self._unrolled(op, loop, trip.trips, starts, trace, depth))
        trace.inner.append(inner)
        return self._loop_results(op, loop, partition, trip, inner, trace)

    def _trip(
        self, op: Op, loop: LoopView, region: Region, partition: Partition, starts: tuple[int, ...],
        types: tuple[Type, ...], effect: bool, inner: Trace, depth: int,
    ) -> Steps[Any]:  # fmt: skip
        """One evaluation of condition and body under the partition's hypothesis: a `Loop`."""
        table, scope = self.table, self._scope()
        rank = partition.ranks()
        firsts = [rank.index(r) for r in range(len({r for r in rank if r is not None}))]
        leaves = tuple([leaf(table, scope, r, types[i], depth) for r, i in enumerate(firsts)])
        trips: dict[Type, int] = {}
        values = []
        for i, r in enumerate(rank):
            if (counter := partition.affine[i]) is not None:
                number = trips.setdefault(plain(types[i]), leaf(table, scope, "trip", plain(types[i]), depth))
                values.append(affine(table, number, *counter, types[i]))
            else:
                values.append(starts[i] if r is None else leaves[r])
        queue = iter(values[:-1] if effect else values)
        if effect:
            self._token = values[-1]
        params = [self.tuples.repack(queue, self.eraser.type(value.type)) for value in loop.inits]
        condition = None
        if loop.condition is not None:
            head = Trace("condition")
            inner.inner.append(head)
            (condition,) = yield self._enter(loop.condition, tuple(params), head, depth + 1)
        guard = condition
        if loop.condition is not None and condition is not None and effect and self._token != values[-1]:
            # What the condition does happens once more than what the body does: its own token tells the two apart.
            type = self.eraser.type(loop.condition.results[0].type)
            guard = table.intern("op", ("condition", (), (type,), 2, ""), (condition, self._token))
        elems = []
        for x, (value, param) in enumerate(zip(loop.xs, loop.body.params[len(params) :], strict=True)):
            same = self._stacking.repeated(region, loop, x, self._env[value])
            if same is None:
                type = self.eraser.type(param.type)
                elems.append(table.intern("elem", (scope, 0, type, depth), (self._env[value],), free=1 << depth))
            else:
                self.use(RULE, op)
                elems.append(same)
        results = yield self._enter(loop.body, (*params, *elems), inner, depth + 1)
        nexts = [
            leaf for value, result in zip(loop.inits, results[: len(loop.inits)], strict=True)
            for leaf, _ in self.tuples.unpack(result, self.eraser.type(value.type))
        ]  # fmt: skip
        if effect:
            nexts.append(self._token)
        counters = starts_of(table, starts, values, tuple(nexts), types)
        record = Loop(
            op=op, scope=scope, depth=depth, numbers=tuple(trips.values()),
            elems=tuple(dict.fromkeys(e for e in elems if table.kind(e) == "elem" and table.payload(e)[0] == scope)),

            types=tuple([types[i] for i in firsts]), inits=tuple([starts[i] for i in firsts]),
            steps=tuple([nexts[i] for i in firsts]), condition=guard,
            payload=(op.name, self.eraser.attributes(op, loop.dropped)), rank=tuple(rank), starts=starts, values=values,
            nexts=tuple(nexts), ys=tuple(results[len(loop.inits):]), xs=tuple([self._env[value] for value in loop.xs]),
            effect=effect,
            trips=trip_count(table, condition, loop.length, counters),
        )  # fmt: skip
        inner.binder = record
        return record

    def _unrolled(
        self, op: Op, loop: LoopView, trips: int, starts: tuple[int, ...], trace: Trace, depth: int
    ) -> Steps[Any]:
        """A loop of 0 or 1 trips: its starts (and empty ys), or its body with the starts put in."""
        self.use("trivial-loop", op, f" of {trips} trip{'s' if not trips else ''}")
        table = self.table
        queue = iter(starts)
        params = [self.tuples.repack(queue, self.eraser.type(value.type)) for value in loop.inits]
        ys = op.results[len(loop.inits) :]
        if self.recording:
            record, trace = trace, Trace("trivial", label=str(trips))
            record.inner.append(trace)
            yield self._condition_again(loop, params, trace, depth)
        if trips == 0:
            empty = [table.intern("op", ("empty", (), (self.eraser.type(y.type),), 0, "")) for y in ys]
            return (*params, *empty)
        inner = Trace("call", label=op.name, op=op)
        trace.inner.append(inner)
        firsts = [
            table.intern("op", ("first element", (), (self.eraser.type(param.type),), 1, ""), (self._env[value],))
            for value, param in zip(loop.xs, loop.body.params[len(params):], strict=True)
        ]  # fmt: skip
        place, self._place = self._place, (*self._place, op.name)
        results = yield self._enter(loop.body, (*params, *firsts), inner, depth)
        self._place = place
        if self.recording:
            yield self._condition_again(loop, results[: len(params)], trace, depth)
        stacked = [
            table.intern("op", ("stack of one", (), (self.eraser.type(value.type),), 1, ""), (y,))
            for value, y in zip(ys, results[len(params):], strict=True)
        ]  # fmt: skip
        return (*results[: len(params)], *stacked)

    def _condition_again(self, loop: LoopView, state: Iterable[int], trace: Trace, depth: int) -> Steps[Any]:
        """The condition of a loop of 0 or 1 trips on the values that it is asked about, for a certificate."""
        if loop.condition is not None:
            head = Trace("condition")
            trace.inner.append(head)
            yield self._enter(loop.condition, tuple(state), head, depth)

    def _loop_results(
        self, op: Op, loop: LoopView, partition: Partition, record: Loop, inner: Trace, trace: Trace
    ) -> tuple[int, ...]:
        table = self.table
        for rule in partition.used(record.starts):
            self.use(rule, op)
        record.term = close_loop(table, record, range(len(record.types)))
        self.state.owner[record.scope] = record
        self.state.loops.setdefault(record.term, record)
        trace.entries.append((op, record.term))
        finals = []
        for i, r in enumerate(record.rank):
            if (counter := partition.affine[i]) is not None:
                type = self.table.payload(record.values[i])[2][0]
                number = table.intern("res", ("trip", plain(type)), (record.term,))
                finals.append(affine(table, number, *counter, type))
            else:
                finals.append(record.starts[i] if r is None else table.intern("res", r, (record.term,)))
        if record.effect:
            self._token = finals.pop()
        queue = iter(finals)
        results = [self.tuples.repack(queue, self.eraser.type(value.type)) for value in loop.inits]
        for k, (value, y) in enumerate(zip(op.results[len(loop.inits) :], record.ys, strict=True)):
            x = self._stacking.again(loop, value, k, y)
            if x is not None:
                self.use(RULE, op)
            results.append(self._stack(record, y, self.eraser.type(value.type)) if x is None else record.xs[x])
        return tuple(results)

    def _stack(self, record: Loop, y: int, type: Type) -> int:
        """The closed term of one ys result, with its open form remembered."""
        stacked = close_ys(self.table, record, record.term, y, type, range(len(record.types)))
        self.state.ys.setdefault(stacked, (y, record))
        return stacked
