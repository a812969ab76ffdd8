"""Interning: every expression of both programs lives in one table, keyed by its structure.

A *term* is an int. Equal ids mean equal structure, exactly: keys hold attributes by exact equality (full bytes of
constants included) and operands by id, so a hash only finds the bucket. Operands have smaller ids than what uses them.

A key is ``(kind, payload, children)``::

    in     (index, type)            ()                  an argument of the program, by paired index
    const  (Array, type)            ()
    op     (name, attrs, types, n)  n operands, funs    all results of an op; a single result is the term itself
    proj   k                        (op or call)        result k of several
    tuple  types                    elements
    leaf   (scope, k, type)         ()                  parameter of a binder that is still open
    elem   (scope, k, type)         (xs)                element of a scanned input, binder still open
    slot   (height, k, type)        ()                  the same two, closed: named by the height of their binder
    item   (height, type)           (xs)
    loop   Loop payload             inits, nexts, condition
    res    k                        (loop)              value of slot k after the loop
    ys     (height, type)           (loop, value)       the value of each trip, stacked
    fun    (height, types, n)       results             a closed region
    call   (attrs, types)           (fun, arguments)
    sel    (name, attrs, type)      (selector, branches)

Closed binders are named as in the design: height is 1 + the largest height inside, so that a name says nothing of the
place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Key = tuple[str, Any, tuple[int, ...]]


class Table:
    """The interning table, append-only.

    ``free[t]`` is a bit set of the depths of open binders whose leaves occur in t, ``height[t]`` the largest height of
    a closed binder inside t.
    """

    def __init__(self) -> None:
        self._ids: dict[Key, int] = {}
        self.keys: list[Key] = []
        self.free: list[int] = []
        self.height: list[int] = []

    def __len__(self) -> int:
        return len(self.keys)

    def intern(self, kind: str, payload: Any, children: tuple[int, ...] = (), *, free: int = 0, height: int = 0) -> int:
        """The id of a term. ``free`` and ``height`` are what the term adds to those of its children."""
        key = (kind, payload, children)
        found = self._ids.get(key)
        if found is not None:
            return found
        for child in children:
            free |= self.free[child]
            if self.height[child] > height:
                height = self.height[child]
        index = len(self.keys)
        self._ids[key] = index
        self.keys.append(key)
        self.free.append(free)
        self.height.append(height)
        return index

    def kind(self, term: int) -> str:
        return self.keys[term][0]

    def payload(self, term: int) -> Any:
        return self.keys[term][1]

    def children(self, term: int) -> tuple[int, ...]:
        return self.keys[term][2]

    def substitute(self, roots: Iterable[int], replace: Mapping[int, int], depth: int, memo: dict[int, int]) -> None:
        """Extend ``memo`` to map each root to itself with the leaves of the binder at ``depth`` replaced.

        Visits only terms in which such a leaf occurs; linear in their number, over all calls with the same memo.
        """
        bit = 1 << depth
        stack = list(roots)
        while stack:
            term = stack[-1]
            if term in memo:
                stack.pop()
                continue
            if not self.free[term] & bit:
                memo[term] = term
                stack.pop()
                continue
            kind, payload, children = self.keys[term]
            todo = [child for child in children if child not in memo]
            if todo:
                stack.extend(todo)
                continue
            stack.pop()
            memo[term] = self._rebuilt(term, kind, payload, tuple(memo[child] for child in children), replace)

    def _rebuilt(
        self, term: int, kind: str, payload: Any, children: tuple[int, ...], replace: Mapping[int, int]
    ) -> int:
        target = replace.get(term)
        if target is not None:
            # A closed `item` keeps the (rebuilt) scanned input that it is an element of.
            return self.intern("item", self.payload(target), children) if kind == "elem" else target
        own_free, own_height = 0, 0
        if kind in ("leaf", "elem"):
            own_free = 1 << payload[3]
        elif kind in ("loop", "fun", "ys"):
            own_height = payload[0]
        return self.intern(kind, payload, children, free=own_free, height=own_height)
