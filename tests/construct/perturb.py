"""Changes of meaning: near copies of a program that, where execution shows other results, must never be called equal.

Each takes a program and a source of chance and gives a near copy, or None where it does not apply. Some changes happen
to change nothing (what they touch is dead); whether results differ is found out by running both.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

from tests.construct.language import (
    Block,
    Cond,
    Const,
    Let,
    Loop,
    Path,
    Program,
    Stmt,
    blocks_of,
    places,
    put,
    renamed_stmt,
    visible,
)  # fmt: skip
from tests.construct.rewrites import Names, Rewrite, at, exchanged, loops

PERTURBATIONS: dict[str, Rewrite] = {}


def perturbation(function: Rewrite) -> Rewrite:
    PERTURBATIONS[function.__name__.replace("_", " ")] = function
    return function


def _lets(program: Program, fits: Callable[[Let], bool]) -> list[tuple[Path, int, Let]]:
    return [
        (path, k, stmt)
        for path, block in places(program)
        for k, stmt in enumerate(block.stmts)
        if isinstance(stmt, Let) and fits(stmt)
    ]


@perturbation
def another_constant(program: Program, rng: random.Random) -> Program | None:
    found = _lets(program, lambda stmt: any(isinstance(arg, Const) for arg in stmt.args))
    if not found:
        return None
    path, k, stmt = rng.choice(found)
    args = tuple(Const(arg.value + 1, arg.type) if isinstance(arg, Const) else arg for arg in stmt.args)
    return exchanged(program, path, k, replace(stmt, args=args), Names(program))


@perturbation
def operands_of_sub_exchanged(program: Program, rng: random.Random) -> Program | None:
    found = _lets(program, lambda stmt: stmt.op == "sub" and stmt.args[0] != stmt.args[1])
    if not found:
        return None
    path, k, stmt = rng.choice(found)
    return exchanged(program, path, k, replace(stmt, args=stmt.args[::-1]), Names(program))


@perturbation
def another_op(program: Program, rng: random.Random) -> Program | None:
    others = {"sin": "tanh", "tanh": "sin", "add": "sub", "sub": "add", "mul": "max", "max": "mul"}
    found = _lets(program, lambda stmt: stmt.op in others)
    if not found:
        return None
    path, k, stmt = rng.choice(found)
    return exchanged(program, path, k, replace(stmt, op=others[stmt.op]), Names(program))


@perturbation
def another_trip_count(program: Program, rng: random.Random) -> Program | None:
    # What is stacked has as many elements as there are trips: another count would be another type.
    found = [(p, k, loop) for p, k, loop in loops(program) if len(loop.outs) == len(loop.carries) and not loop.xs]
    found = [(p, k, loop) for p, k, loop in found if isinstance(loop.trips, Const)]
    if not found:
        return None
    path, k, loop = rng.choice(found)
    assert isinstance(loop.trips, Const)
    trips = Const(loop.trips.value + rng.choice((-1, 1)), "i")
    return exchanged(program, path, k, replace(loop, trips=trips), Names(program))


@perturbation
def another_capture(program: Program, rng: random.Random) -> Program | None:
    """Another value of the same type is read in one statement."""
    chosen = [
        (path, k, stmt, old, new)
        for path, block in places(program)
        for k, stmt in enumerate(block.stmts)
        if not isinstance(stmt, Loop)
        for old in _read(stmt)
        for new in visible(program, path, k)
        if new != old and program.types[new] == program.types[old]
    ]
    if not chosen:
        return None
    path, k, stmt, old, new = rng.choice(chosen)
    done = renamed_stmt(stmt, lambda atom: new if atom == old and isinstance(atom, str) else atom)
    return exchanged(program, path, k, done, Names(program))


def _read(stmt: Stmt) -> list[str]:
    match stmt:
        case Let():
            return [arg for arg in stmt.args if isinstance(arg, str)]
        case Cond():
            return [arg for arg in (*stmt.test, *stmt.args) if isinstance(arg, str)]
        case _:
            return [arg for arg in getattr(stmt, "args", ()) if isinstance(arg, str)]


@perturbation
def starts_exchanged(program: Program, rng: random.Random) -> Program | None:
    """The initial values of two carries change places, and nothing else does."""
    return _two_carries(program, rng, starts=True)


@perturbation
def next_values_exchanged(program: Program, rng: random.Random) -> Program | None:
    return _two_carries(program, rng, starts=False)


def _two_carries(program: Program, rng: random.Random, *, starts: bool) -> Program | None:
    found = [
        (path, k, loop, i, j)
        for path, k, loop in loops(program)
        for i, one in enumerate(loop.carries)
        for j, two in enumerate(loop.carries[:i])
        if program.types[one] == program.types[two]
        if (loop.inits[i] != loop.inits[j] if starts else loop.body.results[i] != loop.body.results[j])
    ]
    if not found:
        return None
    path, k, loop, i, j = rng.choice(found)
    items = list(loop.inits if starts else loop.body.results)
    items[i], items[j] = items[j], items[i]
    if starts:
        loop = replace(loop, inits=tuple(items))
    else:
        loop = replace(loop, body=Block(loop.body.stmts, tuple(items)))
    return exchanged(program, path, k, loop, Names(program))


@perturbation
def branches_exchanged(program: Program, rng: random.Random) -> Program | None:
    found = [
        (path, k, stmt) for path, block in places(program) for k, stmt in enumerate(block.stmts)
        if isinstance(stmt, Cond)
    ]  # fmt: skip
    if not found:
        return None
    path, k, cond = rng.choice(found)
    new = replace(cond, branches=cond.branches[::-1], params=cond.params[::-1])
    return exchanged(program, path, k, new, Names(program))


@perturbation
def another_result(program: Program, rng: random.Random) -> Program | None:
    """A block hands on another value of the same type."""
    chosen = [
        (path, k, new)
        for path, block in places(program)
        for k, old in enumerate(block.results)
        for new in visible(program, path, len(block.stmts))
        if isinstance(old, str) and new != old and program.types[new] == program.types[old]
    ]
    if not chosen:
        return None
    path, k, new = rng.choice(chosen)
    block = at(program, path)
    return put(program, path, Block(block.stmts, (*block.results[:k], new, *block.results[k + 1 :])))


@perturbation
def carried_or_started_with(program: Program, rng: random.Random) -> Program | None:
    """A use of a carry becomes a use of what it starts with."""
    chosen = [
        (path, k, loop, slot, j)
        for path, k, loop in loops(program)
        for slot, carry in enumerate(loop.carries)
        for j, stmt in enumerate(loop.body.stmts)
        if isinstance(stmt, Let) and carry in stmt.args and isinstance(loop.inits[slot], str)
    ]
    if not chosen:
        return None
    path, k, loop, slot, j = rng.choice(chosen)
    carry, init = loop.carries[slot], loop.inits[slot]
    stmt = renamed_stmt(loop.body.stmts[j], lambda atom: init if atom == carry and isinstance(atom, str) else atom)
    body = Block((*loop.body.stmts[:j], stmt, *loop.body.stmts[j + 1 :]), loop.body.results)
    return exchanged(program, path, k, replace(loop, body=body), Names(program))


@perturbation
def a_trip_too_few(program: Program, rng: random.Random) -> Program | None:
    """A value of the last trip but one, kept in one more carry, is read for that of the last."""
    found = [(p, k, loop) for p, k, loop in loops(program) if not blocks_have(loop) and not loop.index]
    if not found:
        return None
    path, k, loop = rng.choice(found)
    names = Names(program)
    slot = rng.randrange(len(loop.carries))
    before, out = names.new(names.types[loop.carries[slot]]), names.new(names.types[loop.carries[slot]])
    new = replace(
        loop, carries=(*loop.carries, before), inits=(*loop.inits, loop.inits[slot]),
        outs=(*loop.outs[: len(loop.carries)], out, *loop.outs[len(loop.carries) :]),
        body=Block(loop.body.stmts, (
            *loop.body.results[: len(loop.carries)], loop.carries[slot], *loop.body.results[len(loop.carries) :]
        )),
    )  # fmt: skip
    old = loop.outs[slot]
    return exchanged(program, path, k, new, names, lambda a: out if a == old and isinstance(a, str) else a)


def blocks_have(loop: Loop) -> bool:
    return any(blocks_of(stmt) for stmt in loop.body.stmts)
