"""Binders: loops and regions while their parameters are open, and how they are closed.

An open binder's parameters are ``leaf`` terms of its own scope; closing one names them by (height, number), where the
height is 1 + the largest height of a binder inside. The same functions close binders in the table of one evaluation
(numbers in written order) and in the table that both sides share (numbers in canonical order).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scanir.ir.graph import Op, Value
from scanir.ir.types import TensorType, Type
from scanir.normalize.values import Table


@dataclass(slots=True)
class Loop:
    """One evaluated loop, with its binder open: leaves of ``scope`` stand for its slots.

    ``types``, ``inits``, ``steps`` list the varying blocks of slots in rank order; ``rank[i]`` is the block of written
    slot i, or None where its value is known: ``values[i]`` is what it is inside the loop. ``numbers`` are leaves that
    stand for the trip number, ``elems`` those of scanned inputs.
    """

    op: Op
    scope: int
    depth: int
    numbers: tuple[int, ...]
    elems: tuple[int, ...]
    types: tuple[Type, ...]
    inits: tuple[int, ...]
    steps: tuple[int, ...]
    condition: int | None
    payload: tuple[Any, ...]
    rank: tuple[int | None, ...]
    starts: tuple[int, ...]
    values: list[int]
    nexts: tuple[int, ...]
    ys: tuple[int, ...]
    xs: tuple[int, ...]
    effect: bool
    trips: int | None
    term: int = -1


@dataclass(slots=True)
class Fun:
    """One evaluated region of a plain op, or a function, with its binder open. With ``token``, the last parameter is
    one."""

    scope: int
    depth: int
    types: tuple[Type, ...]
    results: tuple[int, ...]
    token: bool
    term: int = -1


@dataclass(slots=True)
class Trace:
    """What an evaluated region did: its ops with their terms, and the traces inside them, in order.

    ``kind`` is ``body`` (nothing bound), ``loop``, ``fun``, ``branch`` or ``call``. ``op``: whose region or callee it
    is. Where a certificate is wanted there is also ``trivial``, with the regions of a loop of few trips inside, and
    ``values`` and ``tokens`` hold the term of each value, and the token before each op and at the end.
    """

    kind: str
    binder: Loop | Fun | None = None
    label: str = ""
    selector: tuple[int, int] | None = None
    entries: list[tuple[Op, int]] = field(default_factory=list)
    inner: list[Trace] = field(default_factory=list)
    op: Op | None = None
    values: dict[Value, int] = field(default_factory=dict)
    tokens: list[int] = field(default_factory=list)


@dataclass(slots=True)
class State:
    """What outlives the evaluation of a region: open binders by closed term, owners of scopes, the log of rules.

    ``touched``: rules that may have changed a form without a place of their own. ``fired``: rules that anything at all
    came of, in evaluations that were abandoned too.
    """

    loops: dict[int, Loop] = field(default_factory=dict)
    funs: dict[int, Fun] = field(default_factory=dict)
    owner: dict[int, Loop | Fun] = field(default_factory=dict)
    ys: dict[int, tuple[int, Loop]] = field(default_factory=dict)
    log: list[tuple[str, str]] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    fired: set[str] = field(default_factory=set)

    def mark(self) -> tuple[int, ...]:
        """How much there is now, for `forget`."""
        return len(self.log), len(self.loops), len(self.funs), len(self.ys)

    def forget(self, mark: tuple[int, ...]) -> None:
        """Drop what an evaluation left behind that is made again: a closed term may come out the same, and then the
        binder that it is known by must be the last one, whose leaves the trace has."""
        del self.log[mark[0] :]
        made: tuple[dict[int, Any], ...] = (self.loops, self.funs, self.ys)
        for entries, count in zip(made, mark[1:], strict=True):
            while len(entries) > count:
                entries.popitem()


def leaf(table: Table, scope: int, k: int | str, type: Type, depth: int) -> int:
    """A parameter of an open binder."""
    return table.intern("leaf", (scope, k, type, depth), free=1 << depth)


def plain(type: Type) -> Type:
    """The type of a trip number: dtype only."""
    assert isinstance(type, TensorType)
    return TensorType(type.dtype)


def closed(table: Table, terms: Sequence[int], names: Mapping[int, int], depth: int) -> tuple[int, ...]:
    """The terms with the leaves of one binder named."""
    memo: dict[int, int] = {}
    table.substitute(terms, names, depth, memo)
    return tuple([memo[term] for term in terms])


def loop_names(
    table: Table, loop: Loop, height: int, ranks: Sequence[int], of: Mapping[int, int] | None = None
) -> dict[int, int]:
    """Closed names of a loop's leaves. ``of`` maps the leaves' ids to those of ``table``, where it is another one."""
    names = {
        leaf(table, loop.scope, rank, loop.types[rank], loop.depth): table.intern("slot", (height, k, loop.types[rank]))
        for k, rank in enumerate(ranks)
    }
    for number in loop.numbers if of is None else [n for n in loop.numbers if n in of]:
        here = number if of is None else of[number]
        names[here] = table.intern("slot", (height, *table.payload(here)[1:3]))
    for elem in loop.elems if of is None else [e for e in loop.elems if e in of]:
        here = elem if of is None else of[elem]
        names[here] = table.intern("item", (height, table.payload(here)[2]))
    return names


def close_loop(table: Table, loop: Loop, ranks: Sequence[int], of: Mapping[int, int] | None = None) -> int:
    """The closed term of a loop with the slots in ``ranks``, in that order."""
    inside = [loop.steps[rank] for rank in ranks]
    if loop.condition is not None:
        inside.append(loop.condition)
    inits = [loop.inits[rank] for rank in ranks]
    if of is not None:
        inside, inits = [of[term] for term in inside], [of[term] for term in inits]
    height = 1 + max((table.height[term] for term in inside), default=0)
    bodies = closed(table, inside, loop_names(table, loop, height, ranks, of), loop.depth)
    payload = (height, loop.payload, tuple(loop.types[rank] for rank in ranks), loop.condition is not None)
    return table.intern("loop", payload, (*inits, *bodies), height=height)


def close_ys(
    table: Table, loop: Loop, term: int, y: int, type: Type, ranks: Sequence[int], of: Mapping[int, int] | None = None
) -> int:
    """The closed term of a ys result; ``term`` and ``y`` are ids of ``table``."""
    height = max(table.height[term], 1 + table.height[y])
    (body,) = closed(table, (y,), loop_names(table, loop, height, ranks, of), loop.depth)
    return table.intern("ys", (height, type), (term, body), height=height)


def bound_names(table: Table, fun: Fun, height: int) -> dict[int, int]:
    """Closed names of the parameters of a region."""
    last = len(fun.types) - 1
    return {
        leaf(table, fun.scope, "token" if fun.token and k == last else k, type, fun.depth): table.intern(
            "bound", (height, k, type)
        )
        for k, type in enumerate(fun.types)
    }


def close_fun(table: Table, fun: Fun, results: Sequence[int]) -> int:
    """The closed term of a region; ``results`` are ids of ``table``."""
    height = 1 + max((table.height[result] for result in results), default=0)
    inside = closed(table, results, bound_names(table, fun, height), fun.depth)
    return table.intern("fun", (height, fun.types, len(results)), inside, height=height)
