"""Canonical form: from the terms of one evaluation to terms that two programs share when they are the same.

Liveness over terms first (a dead slot's own update is no use), then an order of slots and exchangeable operands from
structure (`scanir.normalize.colours`), then one ascending pass that closes each binder, naming its parameters by
height. The result lives in a table that both sides share, so equality is equality of ids.
"""

from __future__ import annotations

from collections.abc import Iterable

from scanir.normalize.binders import Fun, Loop, State, bound_names, close_fun, close_loop, close_ys, loop_names
from scanir.normalize.colours import Colours
from scanir.normalize.reach import Reach
from scanir.normalize.values import Table


class Canonical:
    """The conversion of one evaluation. ``of[t]`` is the canonical id of a live term, binders around it still open."""

    def __init__(self, source: Table, state: State, target: Table, rules: frozenset[str]) -> None:
        self._source, self._state, self._target, self._rules = source, state, target, rules
        self.target = target
        self.of: dict[int, int] = {}
        self.live: dict[int, dict[int, None]] = {}
        self.order: dict[int, list[int]] = {}
        #: Terms that only dead slots need: the updates of carries that nobody reads.
        self.updates: frozenset[int] = frozenset()
        self._terms: list[int] = []
        self._painted: Colours | None = None
        self._closers: dict[int, tuple[dict[int, int], int, dict[int, int]]] = {}

    def convert(self, roots: Iterable[int]) -> tuple[int, ...]:
        """The canonical ids of the roots. Called once."""
        roots = tuple(roots)
        reach = Reach(self._source, self._state, roots, keep_dead="dead-carry" not in self._rules)
        terms, self.live = reach.ordered(), reach.live
        if self.live:  # without loops nothing is an update
            self.updates = frozenset(Reach(self._source, self._state, roots, keep_dead=True).terms - reach.terms)
        self._terms = terms
        for term in terms:
            self.of[term] = self._term(term)
        return tuple(self.of[root] for root in roots)

    def _colours(self) -> Colours:
        """Worked out when an order is asked for."""
        if self._painted is None:
            self._painted = Colours(self._source, self._state, self._terms, self.live)
        return self._painted

    # -- conversion
    # --------------------------------------------------------------------------------------------------------

    def _term(self, term: int) -> int:
        kind, payload, children = self._source.keys[term]
        of, target = self.of, self._target
        if kind == "op" and payload[4] != "exchange":  # nearly all terms
            return target.intern(kind, payload, tuple([of[child] for child in children]))
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
                if children[0] != children[1]:
                    children = tuple(sorted(children, key=self._colours().term))
                return target.intern(kind, payload, tuple([of[child] for child in children]))
            case _:
                return target.intern(kind, payload, tuple(of[child] for child in children))

    def _loop(self, term: int) -> int:
        ranks = sorted(self.live[term])
        if "carry-order" in self._rules and len(ranks) > 1:
            written = list(ranks)
            ranks.sort(key=lambda rank: self._colours().slot(term, rank))
            if ranks != written:
                self._use("carry-order", term)
        if len(ranks) < len(self._state.loops[term].types):
            self._use("dead-carry", term)
        self.order[term] = ranks
        return close_loop(self._target, self._state.loops[term], ranks, self.of)

    def _use(self, rule: str, loop: int) -> None:
        self._state.fired.add(rule)
        self._state.log.append((rule, self._state.loops[loop].op.name))

    def _ys(self, term: int) -> int:
        loop, (y, owner) = self._source.children(term)[0], self._state.ys[term]
        type = self._source.payload(term)[1]
        return close_ys(self._target, owner, self.of[loop], self.of[y], type, self.order[loop], self.of)

    # -- places
    # ------------------------------------------------------------------------------------------------------------

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
