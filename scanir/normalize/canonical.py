"""Canonical form: from the terms of one evaluation to terms that two programs share when they are the same.

Liveness over terms first (a dead slot's own update is no use), then an order of slots and exchangeable operands from structure
(`scanir.normalize.colours`), then one ascending pass that closes each binder, naming its parameters by height. The result lives
in a table that both sides share, so equality is equality of ids.
"""

from __future__ import annotations

from collections.abc import Iterable

from scanir.normalize.binders import Fun, Loop, State, bound_names, close_fun, close_loop, close_ys, loop_names
from scanir.normalize.colours import Colours
from scanir.normalize.values import Table


class Canonical:
    """The conversion of one evaluation. ``of[t]`` is the canonical id of a live term, binders around it still open."""

    def __init__(self, source: Table, state: State, target: Table, rules: frozenset[str]) -> None:
        self._source, self._state, self._target, self._rules = source, state, target, rules
        self.of: dict[int, int] = {}
        self.live: dict[int, dict[int, None]] = {}
        self.order: dict[int, list[int]] = {}
        #: Terms that only dead slots need: the updates of carries that nobody reads.
        self.updates: frozenset[int] = frozenset()
        self._closers: dict[int, tuple[dict[int, int], int, dict[int, int]]] = {}

    def convert(self, roots: Iterable[int]) -> tuple[int, ...]:
        """The canonical ids of the roots. Called once."""
        roots = tuple(roots)
        terms = sorted(self._reach(roots, self.live, keep_dead="dead-carry" not in self._rules))
        self.updates = frozenset(self._reach(roots, {}, keep_dead=True)) - self.of.keys() - set(terms)
        self._colours = Colours(self._source, self._state, terms, self.live)
        for term in terms:
            self.of[term] = self._term(term)
        return tuple(self.of[root] for root in roots)

    # -- liveness ----------------------------------------------------------------------------------------------------------

    def _reach(self, roots: Iterable[int], live: dict[int, dict[int, None]], *, keep_dead: bool) -> set[int]:
        """All terms that the roots need, with the slots of each loop that are needed (into ``live``)."""
        source, state = self._source, self._state
        stack, seen = list(roots), set(roots)

        def need(term: int) -> None:
            if term not in seen:
                seen.add(term)
                stack.append(term)

        def demand(loop: int, rank: int) -> None:
            ranks = live.setdefault(loop, {})
            if rank not in ranks:
                ranks[rank] = None
                need(loop)
                need(state.loops[loop].inits[rank])
                need(state.loops[loop].steps[rank])

        while stack:
            term = stack.pop()
            kind, payload, children = source.keys[term]
            match kind:
                case "loop":
                    loop = state.loops[term]
                    live.setdefault(term, {})
                    if loop.condition is not None:
                        need(loop.condition)
                    if keep_dead:
                        for rank in range(len(loop.types)):
                            demand(term, rank)
                case "res":
                    need(children[0])
                    if isinstance(payload, int):
                        demand(children[0], payload)
                case "ys":
                    need(children[0])
                    need(state.ys[term][0])
                case "fun":
                    for result in state.funs[term].results:
                        need(result)
                case "leaf":
                    owner = state.owner.get(payload[0])
                    if isinstance(owner, Loop) and isinstance(payload[1], int):
                        demand(owner.term, payload[1])
                case _:
                    for child in children:
                        need(child)
        return seen

    # -- conversion --------------------------------------------------------------------------------------------------------

    def _term(self, term: int) -> int:
        kind, payload, children = self._source.keys[term]
        of, target = self.of, self._target
        match kind:
            case "loop":
                return self._loop(term)
            case "res":
                rank = self.order[children[0]].index(payload) if isinstance(payload, int) else payload
                return target.intern(kind, rank, (of[children[0]],))
            case "ys":
                return self._ys(term)
            case "fun":
                fun = self._state.funs[term]
                return close_fun(target, fun, [of[result] for result in fun.results])
            case "leaf" | "elem":
                return target.intern(kind, payload, tuple(of[child] for child in children), free=1 << payload[3])
            case "lemma" | "given":
                shared: int = payload if kind == "lemma" else payload[0]
                return shared
            case "op" if payload[4] == "exchange":
                self._state.touched.add("commutative")
                pair = sorted(children, key=self._colours.term)
                return target.intern(kind, payload, tuple(of[child] for child in pair))
            case _:
                return target.intern(kind, payload, tuple(of[child] for child in children))

    def _loop(self, term: int) -> int:
        ranks = sorted(self.live[term])
        if "carry-order" in self._rules:
            written = list(ranks)
            ranks.sort(key=lambda rank: self._colours.slot(term, rank))
            if ranks != written:
                self._state.touched.add("carry-order")
        if len(ranks) < len(self._state.loops[term].types):
            self._state.touched.add("dead-carry")
        self.order[term] = ranks
        return close_loop(self._target, self._state.loops[term], ranks, self.of)

    def _ys(self, term: int) -> int:
        loop, (y, owner) = self._source.children(term)[0], self._state.ys[term]
        type = self._source.payload(term)[1]
        return close_ys(self._target, owner, self.of[loop], self.of[y], type, self.order[loop], self.of)

    # -- places ------------------------------------------------------------------------------------------------------------

    def closed(self, term: int, binders: Iterable[Loop | Fun]) -> int:
        """The canonical id of a live term, closed under the binders around it (innermost first)."""
        found = self.of[term]
        for binder in binders:
            names, depth, memo = self._closer(binder)
            self._target.substitute((found,), names, depth, memo)
            found = memo[found]
        return found

    def _closer(self, binder: Loop | Fun) -> tuple[dict[int, int], int, dict[int, int]]:
        closer = self._closers.get(binder.scope)
        if closer is None:
            height = self._target.height[self.of[binder.term]]
            if isinstance(binder, Loop):
                names = loop_names(self._target, binder, height, self.order[binder.term], self.of)
            else:
                names = bound_names(self._target, binder, height)
            closer = self._closers[binder.scope] = (names, binder.depth, {})
        return closer
