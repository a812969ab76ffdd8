"""From the terms of two recorded evaluations to the classes of one quotient program.

Terms keep the parameters of binders open, each binder with a scope of its own. Here a parameter is named by the height
of its binder and its number there, at once: height and order of the slots of a loop are known, since the proof is done.
Both sides share one table of classes. A term that needs a dead slot has no class (-1).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from scanir.checker.certificate import Class
from scanir.checker.layout import leaf_types
from scanir.ir.steps import Steps, run
from scanir.ir.types import TOKEN, TupleType, Type
from scanir.normalize.binders import Fun, Loop, State
from scanir.normalize.canonical import Canonical
from scanir.normalize.identities import result_type
from scanir.normalize.values import Table

NONE = -1
#: Ops that the normalizer makes up, and the classes that they are.
_MADE_UP = {"empty": "empty", "first element": "first", "stack of one": "stack"}


class Classes:
    """The table of classes: ``entries[c]`` has all but the place of c; ``keys`` tell classes apart."""

    def __init__(self) -> None:
        self.entries: list[Class] = []
        self._ids: dict[Any, int] = {}

    def intern(self, key: Any, kind: str, *lists: tuple[int, ...], **numbers: Any) -> int:
        """The class of a kind with these references; ``key`` is what else tells it from others of its kind."""
        if any(ref == NONE for part in lists for ref in part):
            return NONE
        whole = (kind, key, lists, tuple(numbers.items()))
        found = self._ids.get(whole)
        if found is None:
            found = self._ids[whole] = len(self.entries)
            self.entries.append(Class(kind, lists, **numbers))
        return found


class Converter:
    """The classes of the terms of one evaluated part of a side: the entry, or one function that stayed a call.

    ``lemmas``: canonical id of a function -> its class. ``target``: the table that holds the ids of arguments.
    """

    def __init__(
        self, classes: Classes, table: Table, state: State, canonical: Canonical, target: Table, lemmas: dict[int, int]
    ) -> None:
        self._classes, self._table, self._state = classes, table, state
        self._canonical, self._target, self._lemmas = canonical, target, lemmas
        self._heights: dict[int, int] = {}
        self._found: dict[int, tuple[int, ...]] = {}
        self._named: dict[int, int] = {}
        self._twins: dict[int, int] = {}
        self._places: dict[int, dict[int, int]] = {}
        self._stacked: dict[int, list[int]] = defaultdict(list)
        for term in canonical.of:
            if table.kind(term) == "ys":
                self._stacked[table.children(term)[0]].append(state.ys[term][0])

    def leaves(self, term: int) -> tuple[int, ...]:
        """The class of each leaf of a term's value."""
        if term not in self._found:
            run(self._convert(term))
        return self._found[term]

    # -- heights
    # ---------------------------------------------------------------------------------------------------------

    def _below(self, term: int) -> list[int]:
        """The terms, all of smaller number, that a term's height depends on."""
        kind, _, children = self._table.keys[term]
        if kind == "loop":
            loop = self._state.loops[term]
            return [*self._inside(loop), *[loop.inits[rank] for rank in self._order(loop)]]
        if kind == "fun":
            return list(self._state.funs[term].results)
        return list(children[:1]) if kind in ("res", "ys") else list(children)

    def _order(self, loop: Loop) -> list[int]:
        return self._canonical.order.get(self._twin(loop.term), [])

    def _twin(self, loop: int) -> int:
        """The loop that the proof put in order. Of equal loops it is the first; loops inside the others are found by
        putting the parameters of the first around them."""
        return loop if loop in self._canonical.order else run(self._translated(loop))

    def _translated(self, term: int) -> Steps[int]:
        """A term with the parameters of each binder that repeats an earlier one replaced by those of the first."""
        table = self._table
        if not table.free[term]:
            return term
        found = self._twins.get(term)
        if found is None:
            kind, payload, children = table.keys[term]
            below = []
            for child in children:
                below.append((yield self._translated(child)))
            free, height = 0, payload[0] if kind in ("loop", "fun", "ys") else 0
            if kind in ("leaf", "elem"):
                owner = self._state.owner.get(payload[0])
                if owner is not None:
                    whole = yield self._translated(owner.term)
                    among: dict[int, Any] = self._state.loops if isinstance(owner, Loop) else self._state.funs
                    first = among.get(whole, owner)
                    payload = (first.scope, *payload[1:3], first.depth)
                free = 1 << payload[3]
            found = self._twins[term] = table.intern(kind, payload, tuple(below), free=free, height=height)
        return found

    def _inside(self, loop: Loop) -> list[int]:
        terms = [loop.steps[rank] for rank in self._order(loop)]
        if loop.condition is not None:
            terms.append(loop.condition)
        return terms + self._stacked.get(self._twin(loop.term), [])

    def height(self, term: int) -> int:
        """The largest height of a binder inside a term."""
        stack = [term]
        while stack:
            current = stack[-1]
            if current in self._heights:
                stack.pop()
                continue
            waiting = [t for t in self._below(current) if t not in self._heights]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            self._heights[current] = self._height(current)
        return self._heights[term]

    def _height(self, term: int) -> int:
        kind, payload, _ = self._table.keys[term]
        heights = self._heights
        if kind == "loop":
            loop = self._state.loops[term]
            own = 1 + max((heights[t] if t in heights else self.height(t) for t in self._inside(loop)), default=0)
            return max([own, *[heights[loop.inits[rank]] for rank in self._order(loop)]])
        if kind == "fun":
            return 1 + max((heights[t] for t in self._state.funs[term].results), default=0)
        if kind == "lemma":
            return self._classes.entries[self._lemmas[payload]].height
        return max((heights[t] for t in self._below(term)), default=0)

    def _binder(self, binder: Loop | Fun) -> int:
        """The height by which the parameters of a binder are named."""
        if binder.scope not in self._named:
            inside = self._inside(binder) if isinstance(binder, Loop) else binder.results
            self._named[binder.scope] = 1 + max((self.height(t) for t in inside), default=0)
        return self._named[binder.scope]

    def _place(self, loop: int, rank: int) -> int | None:
        """The number of a slot in a loop, None for one that is dead."""
        if loop not in self._places:
            order = self._canonical.order.get(self._twin(loop), [])
            self._places[loop] = {rank: k for k, rank in enumerate(order)}
        return self._places[loop].get(rank)

    # -- classes
    # ---------------------------------------------------------------------------------------------------------

    def _convert(self, term: int) -> Steps[Any]:
        kind, payload, children = self._table.keys[term]
        for child in self._operands(term):
            if child not in self._found:
                yield self._convert(child)
        self._found[term] = self._class(term, kind, payload, children)

    def _operands(self, term: int) -> Iterable[int]:
        kind, _, children = self._table.keys[term]
        match kind:
            case "loop":
                loop = self._state.loops[term]
                order = self._order(loop)
                guard = () if loop.condition is None else self._guards(loop.condition)
                return [*[loop.inits[r] for r in order], *[loop.steps[r] for r in order], *guard]
            case "fun":
                return self._state.funs[term].results
            case "ys":
                return (children[0], self._state.ys[term][0])
            case "op" if self._table.payload(term)[0] == "condition":
                return ()
        return children

    def _guards(self, condition: int) -> tuple[int, ...]:
        """The condition, and the token behind it where it has effects."""
        kind, payload, children = self._table.keys[condition]
        return children if kind == "op" and payload[0] == "condition" and not payload[1] else (condition,)

    def _one(self, term: int) -> int:
        leaves = self._found[term]
        return leaves[0] if len(leaves) == 1 else NONE

    def _flat(self, terms: Iterable[int]) -> tuple[int, ...]:
        return tuple([leaf for term in terms for leaf in self._found[term]])

    def _class(self, term: int, kind: str, payload: Any, children: tuple[int, ...]) -> tuple[int, ...]:
        intern = self._classes.intern
        match kind:
            case "in":
                return (intern("token", "in", number=-1),)
            case "given":
                return self._given(payload[0], payload[1])
            case "const":
                return (intern(payload, "const"),)
            case "sel":
                return (intern(payload, "sel", self._flat(children)),)
            case "tuple":
                return self._flat(children)
            case "proj":
                return self._part(children[0], payload)
            case "op":
                return self._op(term, payload, children)
            case "call":
                arguments = self._flat(children[1:])
                call = intern(payload, "call", (self._one(children[0]), *arguments))
                return self._results(call, payload[2], len(payload[2]) == 1 and not self._effect(term))
        return self._of_binder(term, kind, payload, children)

    def _of_binder(self, term: int, kind: str, payload: Any, children: tuple[int, ...]) -> tuple[int, ...]:
        """The class of a binder, of a parameter of one, or of a result of a loop."""
        intern = self._classes.intern
        match kind:
            case "leaf":
                return self._leaf(payload)
            case "elem":
                owner = self._state.owner.get(payload[0])
                height = self._binder(owner) if owner is not None else 0
                return (intern(payload[2], "elem", (self._one(children[0]),), height=height) if height else NONE,)
            case "lemma":
                return (self._lemmas[payload],)
            case "fun":
                return (self._fun(self._state.funs[term]),)
            case "loop":
                return (self._loop(self._state.loops[term]),)
            case "res" if isinstance(payload, int):
                place = self._place(children[0], payload)
                return (NONE if place is None else intern(None, "proj", (self._one(children[0]),), number=place),)
            case "res":
                return (intern(None, "trips", (self._one(children[0]),), dtype=payload[1].dtype),)
            case "ys":
                return (intern(payload[1], "ys", (self._one(children[0]), self._one(self._state.ys[term][0]))),)
        return (NONE,)

    def _given(self, target: int, type: Type) -> tuple[int, ...]:
        _, payload, _ = self._target.keys[target]
        number = -2 - payload[1] if payload[0] == "token argument" else payload[0]
        count = len(leaf_types(type))
        return tuple([self._classes.intern(None, "in", number=number, offset=k) for k in range(count)])

    def _leaf(self, payload: Any) -> tuple[int, ...]:
        scope, k, type, _ = payload
        owner = self._state.owner.get(scope)
        if owner is None:
            return (NONE,) * len(leaf_types(type))
        height, intern = self._binder(owner), self._classes.intern
        if isinstance(owner, Fun):
            at = len(owner.types) - 1 if k == "token" else k
            before = sum(len(leaf_types(t)) for t in owner.types[:at])
            types = enumerate(leaf_types(type))
            return tuple([intern(t, "bound", height=height, number=before + i) for i, t in types])
        if k == "trip":
            return (intern(None, "trip", height=height, dtype=type.dtype),)
        place = self._place(owner.term, k)
        return (NONE if place is None else intern(type, "slot", height=height, number=place),)

    def _fun(self, fun: Fun) -> int:
        height = self._binder(fun)
        types = [t for type in fun.types for t in leaf_types(type)]
        intern = self._classes.intern
        bounds = tuple([intern(t, "bound", height=height, number=k) for k, t in enumerate(types)])
        return intern(None, "fun", bounds, self._flat(fun.results), height=height)

    def _loop(self, loop: Loop) -> int:
        order, height, intern = self._order(loop), self._binder(loop), self._classes.intern
        slots = tuple([intern(loop.types[r], "slot", height=height, number=k) for k, r in enumerate(order)])
        inits = tuple([self._one(loop.inits[r]) for r in order])
        nexts = tuple([self._one(loop.steps[r]) for r in order])
        guards = () if loop.condition is None else self._flat(self._guards(loop.condition))
        return intern((loop.payload, loop.effect), "loop", inits, slots, nexts, guards, height=height)

    def _effect(self, term: int) -> bool:
        """Whether an op or call takes the token, which then is its last child."""
        kind, payload, children = self._table.keys[term]
        if kind == "op":
            return bool(payload[4] == "effect")
        return bool(children) and self._is_token(children[-1])

    def _is_token(self, term: int) -> bool:
        kind, payload, _ = self._table.keys[term]
        return (kind, payload) == ("in", "token") or (
            kind in ("proj", "leaf", "res", "sel") and result_type(self._table, term) == TOKEN
        )

    def _op(self, term: int, payload: Any, children: tuple[int, ...]) -> tuple[int, ...]:
        name, attrs, types, count, form = payload
        intern = self._classes.intern
        if name == "affine":
            factor, offset = (dict(attrs)[key].value for key in ("factor", "offset"))
            return (intern(types[0], "affine", (self._one(children[0]),), factor=factor, offset=offset),)
        if name in _MADE_UP and not attrs:
            return (intern(types[0], _MADE_UP[name], *([self._flat(children)] if children else [])),)
        if name == "condition" and not attrs:
            return (NONE,)
        operands = self._flat(children[:count])
        if form == "exchange":
            operands = tuple(sorted(operands))
        token = self._flat(children[-1:]) if form == "effect" else ()
        regions = children[count : len(children) - len(token)]
        named = tuple([self._lemmas[lemma] for lemma in _lemmas(attrs)])
        groups = [len(self._found[child]) for child in children[:count]]
        key = (name, attrs, types, form == "effect", tuple(groups) if any(g != 1 for g in groups) else ())
        c = intern(key, "op", (*operands, *token), (*self._flat(regions), *named))
        return self._results(c, types, len(types) == 1 and form != "effect")

    def _results(self, c: int, types: tuple[Type, ...], single: bool) -> tuple[int, ...]:
        """The leaves of an op's only result; of several, the class of all."""
        if len(types) != 1 or (single and not isinstance(types[0], TupleType)):
            return (c,)
        width = len(leaf_types(types[0]))
        return tuple([self._classes.intern(None, "proj", (c,), number=k) for k in range(width)])

    def _part(self, whole: int, k: int | str) -> tuple[int, ...]:
        """Result k of several, element k of a tuple, or the token that an op returns."""
        kind, payload, _ = self._table.keys[whole]
        types: tuple[Type, ...] = payload[2] if kind in ("op", "call") else ()
        token = k == "token" or (kind == "call" and k == len(types) and self._effect(whole))
        if token or len(types) > 1 or (not types and kind in ("op", "call")):
            c = self._whole(whole)
            before = sum(len(leaf_types(t)) for t in (types if token else types[: int(k)]))
            width = 1 if token else len(leaf_types(types[int(k)]))
            return tuple([self._classes.intern(None, "proj", (c,), number=before + i) for i in range(width)])
        if len(types) == 1 and not isinstance(types[0], TupleType):
            return self._found[whole]  # the only result of a call with an effect
        type = types[0] if types else result_type(self._table, whole)
        if not isinstance(type, TupleType) or not isinstance(k, int) or not 0 <= k < len(type.elements):
            return (NONE,)
        before = sum(len(leaf_types(t)) for t in type.elements[:k])
        return self._found[whole][before : before + len(leaf_types(type.elements[k]))]

    def _whole(self, term: int) -> int:
        """The class of all results of an op or call."""
        c = self._found[term][0] if self._found[term] else NONE
        if c != NONE and self._classes.entries[c].kind == "proj":
            return self._classes.entries[c].refs[0]
        return c


def _lemmas(attrs: Any) -> list[int]:
    """The functions that the key of attributes names, in order."""
    found: list[int] = []
    stack = [attrs]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            if len(node) == 2 and node[0] == "fun" and isinstance(node[1], int):
                found.append(node[1])
            else:
                stack.extend(reversed(node))
    return found
