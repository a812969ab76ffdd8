"""Where a random key comes from: the splits, fold-ins and choices between a draw and an argument, seed or constant.

Followed over terms, so calls, unchanged carries and packing are looked through already. Typed keys at stage jaxpr, raw
keys of words as far as they are sliced, wrapped and put together again; in StableHLO by the names of JAX's own
functions, which are kept as calls. What cannot be followed is ``computed``, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from scanir.ir.attrs import Array, Seq
from scanir.ir.elements import elements
from scanir.ir.graph import Op
from scanir.ir.structure import CALLS
from scanir.normalize.binders import Loop, Trace
from scanir.normalize.derivation import Step, affine, constant, is_words, part_taken, rank_of, rows, written
from scanir.normalize.identities import result_type
from scanir.normalize.side import Side
from scanir.normalize.values import Table
from scanir.program import Argument

#: Terms that are looked at to see on which loops a key depends.
FURTHEST = 2_000
_SAME = frozenset(
    """
    random_wrap random_unwrap random_clone reshape squeeze copy convert_element_type convert bitcast stop_gradient
    transpose device_put concatenate sharding_constraint reshard sdy.sharding_constraint sdy.reshard
    """.split()  # noqa: SIM905 -- words read better than a list
)
#: JAX's own functions that StableHLO knows by name, and what each does.
_NAMED = {
    "_threefry_split": "split", "_threefry_split_original": "split", "_threefry_split_foldlike": "split",
    "_threefry_fold_in": "fold_in", "_threefry_seed": "seed", "threefry2x32": "draw", "threefry_2x32": "draw",
}  # fmt: skip
_NUMBER = re.compile(r"_\d+$")


@dataclass(frozen=True, slots=True)
class Origin:
    """``source``: ``argument``, ``constant``, ``seed``, ``slot`` (a chain through a loop's carry) or ``computed``.

    ``text`` is the derivation as a person would write it; ``root`` and ``steps`` (outermost first) tell one key from
    another. ``note`` says how a carried key goes on.
    """

    source: str
    text: str
    root: int
    steps: tuple[Step, ...]
    note: str = ""

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for keys that are the same one."""
        return (self.root, *[step.same for step in self.steps])


@dataclass(slots=True)
class _Walk:
    term: int
    steps: list[Step] = field(default_factory=list)


def base_name(name: str) -> str:
    """A function's name without the number that tells it from others of that name."""
    return _NUMBER.sub("", name)


def key_functions(names: frozenset[str]) -> frozenset[str]:
    """Those of a module's functions that derive keys or draw, by JAX's own names."""
    return frozenset(name for name in names if base_name(name) in _NAMED)


def named(op: Op) -> str:
    """``split``, ``fold_in``, ``seed`` or ``draw`` for a call of one of JAX's own functions, else empty."""
    callee = op.attribute("callee") if op.name in CALLS else None
    return _NAMED.get(base_name(getattr(callee, "name", "")), "")


class Origins:
    """Answers `of` for the keys of one side. ``shared`` is the table of its canonical terms, ``arguments[k]`` the
    argument that has number k there."""

    def __init__(self, side: Side, shared: Table, arguments: Mapping[int, Argument]) -> None:
        self._side, self._shared, self._arguments = side, shared, arguments
        self._table = side.evaluator.table
        self._ops: dict[int, Op] = {}
        stack: list[Trace] = [side.trace, *[trace for _, trace, _ in side.parts.values()]]
        while stack:
            trace = stack.pop()
            for op, term in trace.entries:
                self._ops.setdefault(term, op)
            stack.extend(trace.inner)

    def of(self, term: int) -> Origin:
        """Where the key that a term is comes from."""
        walk = self._followed(term)
        source, text, note = self._root(walk.term)
        if walk.steps and walk.steps[-1].kind == "seed":
            source = "seed"
        return Origin(source, written(text, walk.steps), walk.term, tuple(walk.steps), note)

    def depends(self, origin: Origin) -> int:
        """Bit set of the depths of the open loops whose trip a key depends on; all bits where that takes too long."""
        table, found = self._table, 0
        stack = [origin.root, *[term for step in origin.steps for term in step.data]]
        seen = set(stack)
        while stack:
            kind, payload, children = table.keys[stack.pop()]
            below = children
            if kind in ("leaf", "elem"):
                found |= 1 << payload[3]
                loop = self._side.evaluator.state.owner.get(payload[0])
                if kind == "leaf" and isinstance(loop, Loop) and isinstance(payload[1], int):
                    below = (loop.inits[payload[1]], loop.steps[payload[1]])
            fresh = [term for term in below if table.free[term] and term not in seen]
            seen.update(fresh)
            stack.extend(fresh)
            if len(seen) > FURTHEST:
                return -1
        return found

    # -- the way back -------------------------------------------------------------------------------------------------

    def _followed(self, term: int) -> _Walk:
        walk = _Walk(term)
        while (before := self._step(walk)) is not None:
            walk.term = before
        return walk

    def _step(self, walk: _Walk) -> int | None:
        """The term that the walk's term is derived from, its step noted; None at a root."""
        table, term = self._table, walk.term
        kind, payload, children = table.keys[term]
        if kind == "elem":
            walk.steps.append(Step("index", "[i]", ("item", payload[0]), (term,)))
            return children[0]
        if kind == "proj" and table.kind(children[0]) == "op":
            return self._part(walk, children[0], payload)
        if kind == "call":
            return self._call(walk, self._ops.get(term), children[1:])
        if kind != "op" or not children:
            return None
        name = str(payload[0]).removeprefix("stablehlo.").replace("-", "_")
        if name in _SAME and self._alike(children[: payload[3]]):
            return children[0]
        if name in ("broadcast_in_dim", "broadcast"):
            return self._broadcast(walk, term, children[0])
        if name in ("slice", "dynamic_slice", "gather", "dynamic_index_in_dim"):
            return self._index(walk, name, term, children)
        if name == "random_split":
            return self._derived(walk, "split", self._count(term), children[0])
        if name == "random_fold_in":
            return self._derived(walk, "fold_in", self._number(children[1]), children[0], children[1])
        if name == "random_seed":
            return self._derived(walk, "seed", "", children[0])
        return None

    def _derived(self, walk: _Walk, kind: str, text: str, before: int, data: int | None = None) -> int:
        walk.steps.append(Step(kind, text, (kind, text, data), () if data is None else (data,)))
        return before

    def _alike(self, operands: tuple[int, ...]) -> bool:
        """Parts that are put together are words of one key."""
        return len({self._whole(operand) for operand in operands}) == 1

    def _whole(self, term: int) -> int:
        """The array that a word was taken from."""
        table = self._table
        while table.kind(term) == "op" and table.children(term):
            name = str(table.payload(term)[0]).removeprefix("stablehlo.")
            if name not in ("reshape", "squeeze", "slice", "broadcast_in_dim", "broadcast"):
                break
            term = table.children(term)[0]
        return term

    def _part(self, walk: _Walk, term: int, index: object) -> int | None:
        """One of several results: of a list of keys taken apart, or a call of one of JAX's functions."""
        name = str(self._table.payload(term)[0])
        if name not in ("unstack", "split"):
            return None
        walk.steps.append(Step("index", f"[{index}]", ("index", str(index))))
        return self._table.children(term)[0]

    def _call(self, walk: _Walk, op: Op | None, arguments: tuple[int, ...]) -> int | None:
        what = "" if op is None else named(op)
        if what not in ("split", "fold_in", "seed") or op is None:
            return None
        if what == "fold_in":
            return self._derived(walk, what, self._number(arguments[1]), arguments[0], arguments[1])
        return self._derived(walk, what, rows(op) if what == "split" else "", arguments[0])

    def _broadcast(self, walk: _Walk, term: int, operand: int) -> int:
        """One key repeated: whichever is taken, it is that one."""
        wider, narrower = result_type(self._table, term), result_type(self._table, operand)
        repeated = rank_of(wider) > rank_of(narrower)
        if repeated and walk.steps and walk.steps[-1].kind == "index":
            walk.steps.pop()
        return operand

    def _index(self, walk: _Walk, name: str, term: int, children: tuple[int, ...]) -> int:
        """An element of an array of keys; of raw keys maybe only a word of each."""
        operand, op = children[0], self._ops.get(term)
        if is_words(result_type(self._table, operand)):
            return operand
        text, same = "[?]", ("term", str(term))
        if name == "slice":
            part = None if op is None else part_taken(op)
            if part == "":
                return operand
            if part is not None:
                text, same = f"[{part}]", ("index", part)
        elif name.startswith("dynamic") and len(children) > 1:
            number = self._number(children[1])
            constant = self._table.kind(children[1]) == "const"
            text, same = f"[{number}]", ("index", number if constant else f"term {children[1]}")
        walk.steps.append(Step("index", text, same, children[1:]))
        return operand

    def _count(self, term: int) -> str:
        op = self._ops.get(term)
        shape = op.attribute("shape") if op is not None else None
        if isinstance(shape, Seq):
            return ", ".join(str(getattr(item, "value", "?")) for item in shape.items)
        return "?"

    # -- roots ---------------------------------------------------------------------------------------------------------

    def _root(self, term: int) -> tuple[str, str, str]:
        """(source, what a person calls it, how it goes on)."""
        table = self._table
        kind, payload, children = table.keys[term]
        match kind:
            case "given":
                return "argument", self._argument(payload[0]), ""
            case "const":
                return "constant", constant(payload[0]), ""
            case "leaf":
                return self._slot(term)
            case "res" if isinstance(payload, int):
                loop = self._side.evaluator.state.loops.get(children[0])
                slot = "?" if loop is None else loop.rank.index(payload)
                return "computed", f"(slot {slot} after a {self._loop_name(loop)})", ""
            case "sel":
                return "computed", f"(a choice of {payload[0]})", ""
            case "op" | "call":
                return "computed", f"(computed by {self._op_name(term)})", ""
            case "proj":
                return "computed", f"(computed by {self._op_name(children[0])})", ""
            case _:
                return "computed", "(computed)", ""

    def _op_name(self, term: int) -> str:
        op = self._ops.get(term)
        callee = getattr(op.attribute("callee"), "name", "") if op is not None else ""
        return callee or (op.name if op is not None else str(self._table.payload(term)[0]))

    def _argument(self, shared: int) -> str:
        argument = self._arguments.get(self._shared.payload(shared)[0])
        return "an argument" if argument is None else argument.name

    def _loop_name(self, loop: Loop | None) -> str:
        return "loop" if loop is None else loop.op.name.removeprefix("stablehlo.")

    def _slot(self, term: int) -> tuple[str, str, str]:
        """A key that is carried: where it starts and what it becomes."""
        scope, rank, *_ = self._table.payload(term)
        loop = self._side.evaluator.state.owner.get(scope)
        if not isinstance(loop, Loop) or not isinstance(rank, int):
            return "computed", "(a parameter of a region)", ""
        slot = loop.rank.index(rank)
        start, following = self._short(loop.inits[rank]), self._short(loop.steps[rank])
        return "slot", f"slot {slot}", f"slot {slot} of the {self._loop_name(loop)} starts as {start}, then {following}"

    def _short(self, term: int) -> str:
        """A derivation whose root is named only, so that slots of loops in loops are not followed for ever."""
        walk = self._followed(term)
        if self._table.kind(walk.term) == "leaf":
            scope, rank, *_ = self._table.payload(walk.term)
            loop = self._side.evaluator.state.owner.get(scope)
            slot = loop.rank.index(rank) if isinstance(loop, Loop) and isinstance(rank, int) else "?"
            return written(f"slot {slot}", walk.steps)
        return written(self._root(walk.term)[1], walk.steps)

    def _number(self, term: int) -> str:
        """The data of a fold_in, or an index: a constant, an argument, the trip number, or some value."""
        table = self._table
        for _ in range(len(table)):  # through conversions and shapes; each step goes to an older term
            kind, payload, children = table.keys[term]
            name = str(payload[0]).removeprefix("stablehlo.") if kind == "op" else ""
            if name not in _SAME | {"broadcast_in_dim"} or not children:
                break
            term = children[0]
        match kind:
            case "const" if isinstance(payload[0], Array):
                return ", ".join(elements(payload[0], 1)) or "?"
            case "given":
                return self._argument(payload[0])
            case "elem":
                return f"{self._number(children[0])}[i]" if table.kind(children[0]) == "given" else "i"
            case "leaf":
                return "i" if payload[1] == "trip" else "a carried value"
            case "op" if name == "affine":
                said = dict(payload[1])
                return affine(said["factor"], said["offset"])
            case "op" if name == "iota":
                return "0, 1, ..."
            case _:
                return "a computed value"
