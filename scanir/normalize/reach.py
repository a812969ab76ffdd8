"""Liveness over terms: what results need, loops slot by slot.

A result of a loop needs one slot, and a slot's own update is no use of it, so carries that only feed each other are
dead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from scanir.normalize.binders import Loop, State
from scanir.normalize.values import Table


class Reach:
    """The terms that roots need (``terms``), and of each loop among them the slots (``live``: loop -> ranks).

    ``keep_dead``: a loop that is needed at all needs all its slots.
    """

    def __init__(self, table: Table, state: State, roots: Iterable[int], *, keep_dead: bool) -> None:
        self._table, self._state, self._keep_dead = table, state, keep_dead
        self._stack: list[int] = []
        self.terms: set[int] = set()
        self.live: dict[int, dict[int, None]] = {}
        for root in roots:
            self._need(root)
        while self._stack:
            self._visit(self._stack.pop())

    def ordered(self) -> list[int]:
        """The terms, each after those that its form is made of: by id, but for a closed binder that is older than what
        it is known by, as one that an abandoned evaluation of the loop around it came to as well."""
        found: list[int] = []
        done: set[int] = set()
        keys = self._table.keys
        for term in sorted(self.terms):
            if term in done:
                continue
            kind, _, children = keys[term]
            if kind == "op" and done.issuperset(children):  # nearly all terms
                found.append(term)
                done.add(term)
                continue
            stack = [term]
            while stack:
                if stack[-1] in done:
                    stack.pop()
                    continue
                before = [other for other in self._parts(stack[-1]) if other not in done]
                if before:
                    stack.extend(before)
                else:
                    found.append(stack.pop())
                    done.add(found[-1])
        return found

    def _parts(self, term: int) -> Iterator[int]:
        """The needed terms that the canonical form and the colour of a term are made of."""
        kind, payload, children = self._table.keys[term]
        match kind:
            case "loop":
                loop = self._state.loops[term]
                for rank in self.live[term]:
                    yield from (loop.inits[rank], loop.steps[rank])
                if loop.condition is not None:
                    yield loop.condition
            case "ys":
                yield from (children[0], self._state.ys[term][0])
            case "fun":
                yield from self._state.funs[term].results
            case "leaf":
                owner = self._state.owner.get(payload[0])
                if isinstance(owner, Loop) and isinstance(payload[1], int):
                    yield self._state.loops[owner.term].inits[payload[1]]
            case _:
                yield from children

    def _need(self, term: int) -> None:
        if term not in self.terms:
            self.terms.add(term)
            self._stack.append(term)

    def _demand(self, loop: int, rank: int) -> None:
        ranks = self.live.setdefault(loop, {})
        if rank not in ranks:
            ranks[rank] = None
            self._need(loop)
            self._need(self._state.loops[loop].inits[rank])
            self._need(self._state.loops[loop].steps[rank])

    def _visit(self, term: int) -> None:
        kind, payload, children = self._table.keys[term]
        if kind == "op":  # nearly all terms
            terms, stack = self.terms, self._stack
            for child in children:
                if child not in terms:
                    terms.add(child)
                    stack.append(child)
            return
        match kind:
            case "loop":
                self._loop(term)
            case "res":
                self._need(children[0])
                if isinstance(payload, int):
                    self._demand(children[0], payload)
            case "ys":
                self._need(children[0])
                self._need(self._state.ys[term][0])
            case "fun":
                for result in self._state.funs[term].results:
                    self._need(result)
            case "leaf":
                self._leaf(payload)
            case _:
                for child in children:
                    self._need(child)

    def _loop(self, term: int) -> None:
        loop = self._state.loops[term]
        self.live.setdefault(term, {})
        if loop.condition is not None:
            self._need(loop.condition)
        if self._keep_dead:
            for rank in range(len(loop.types)):
                self._demand(term, rank)

    def _leaf(self, payload: Any) -> None:
        owner = self._state.owner.get(payload[0])
        if isinstance(owner, Loop) and isinstance(payload[1], int):
            self._demand(owner.term, payload[1])
