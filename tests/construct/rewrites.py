"""Rewrites that keep what a program means, each with its law. They change data and spelling, never values.

A rewrite takes a program and a source of chance and gives another program, or None where it does not apply. All of them
can follow one another. `RULES` lists them by name.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from tests.construct.language import (
    Atom,
    Block,
    Cond,
    Const,
    Let,
    Loop,
    Path,
    Program,
    Stmt,
    bound_in,
    free,
    outs_of,
    places,
    put,
    put_for,
    reads,
    renamed,
    renamed_stmt,
    visible,
)  # fmt: skip

Rewrite: TypeAlias = "Callable[[Program, random.Random], Program | None]"
REWRITES: dict[str, Rewrite] = {}


def rewrite(function: Rewrite) -> Rewrite:
    REWRITES[function.__name__.replace("_", " ")] = function
    return function


class Names:
    """New names for one rewrite; the types of all names."""

    def __init__(self, program: Program) -> None:
        self.types = dict(program.types)

    def new(self, type: str, letter: str = "n") -> str:
        name = f"{letter}{len(self.types)}"
        self.types[name] = type
        return name


def loops(program: Program) -> list[tuple[Path, int, Loop]]:
    """All loops with their places."""
    return [(p, k, stmt) for p, b in places(program) for k, stmt in enumerate(b.stmts) if isinstance(stmt, Loop)]


def at(program: Program, path: Path) -> Block:
    return next(block for found, block in places(program) if found == path)


def exchanged(
    program: Program, path: Path, index: int, new: Stmt, names: Names, after: Callable[[Atom], Atom] | None = None,
    before: tuple[Stmt, ...] = (),
) -> Program:  # fmt: skip
    """The program with another statement at a place (and some before it), and the uses after it mapped."""
    block = at(program, path)
    rest = Block(block.stmts[index + 1 :], block.results)
    if after is not None:
        rest = renamed(rest, after)
    done = Block((*block.stmts[:index], *before, new, *rest.stmts), rest.results)
    return put(replace(program, types=names.types), path, done)


def with_carry(loop: Loop, carry: str, init: Atom, next: Atom, out: str, at: int) -> Loop:
    """A loop with one more carry, at position ``at``."""

    def into(items: tuple[Atom, ...], item: Atom) -> tuple[Atom, ...]:
        return (*items[:at], item, *items[at:])

    return replace(
        loop, carries=into(loop.carries, carry), inits=into(loop.inits, init), outs=into(loop.outs, out),
        body=Block(loop.body.stmts, into(loop.body.results, next)),
    )  # fmt: skip


def unchanged(loop: Loop) -> list[int]:
    """The carries that a body hands on as they are."""
    return [k for k, carry in enumerate(loop.carries) if loop.body.results[k] == carry]


def some_uses(rng: random.Random, name: str, other: Atom) -> Callable[[Atom], Atom]:
    """A substitution that is made in about half of the places."""
    return lambda found: other if isinstance(found, str) and found == name and rng.random() < 0.5 else found


# -- carries -----------------------------------------------------------------------------------------------------------


@rewrite
def closure_to_carry(program: Program, rng: random.Random) -> Program | None:
    """A carry that is handed on unchanged is its initial value, in every trip and after the loop."""
    chosen = [
        (path, k, loop, name)
        for path, k, loop in loops(program)
        for name in free(loop.body, bound_in(loop, 0))
        if program.types[name] in "fvix"
    ]
    return None if not chosen else carried(program, rng, *rng.choice(chosen))


def carried(program: Program, rng: random.Random, path: Path, k: int, loop: Loop, name: str) -> Program:
    names = Names(program)
    inside, out = names.new(program.types[name]), names.new(program.types[name])
    into = put_for(name, inside)
    also = loop.also and (into(loop.also[0]), into(loop.also[1]))
    loop = replace(loop, body=renamed(loop.body, into), also=also)
    loop = with_carry(loop, inside, name, inside, out, rng.randint(0, len(loop.carries)))
    after = some_uses(rng, name, out) if rng.random() < 0.5 else None
    return exchanged(program, path, k, loop, names, after)


@rewrite
def constant_to_carry(program: Program, rng: random.Random) -> Program | None:
    """A constant that a body hands on unchanged is that constant."""
    chosen = [
        (path, k, loop, j, stmt)
        for path, k, loop in loops(program)
        for j, stmt in enumerate(loop.body.stmts)
        if isinstance(stmt, Let) and any(isinstance(arg, Const) for arg in stmt.args)
    ]
    if not chosen:
        return None
    path, k, loop, j, stmt = rng.choice(chosen)
    names = Names(program)
    constant = next(arg for arg in stmt.args if isinstance(arg, Const))
    inside, out = names.new(constant.type), names.new(constant.type)
    new = replace(stmt, args=tuple(inside if arg is constant else arg for arg in stmt.args))
    body = Block((*loop.body.stmts[:j], new, *loop.body.stmts[j + 1 :]), loop.body.results)
    loop = with_carry(replace(loop, body=body), inside, constant, inside, out, rng.randint(0, len(loop.carries)))
    return exchanged(program, path, k, loop, names)


@rewrite
def carry_to_closure(program: Program, rng: random.Random) -> Program | None:
    """The same law read backwards: the carry is taken away, its initial value is closed over."""
    chosen = [(*found, slot) for found in loops(program) if len(found[2].carries) > 1 for slot in unchanged(found[2])]
    if not chosen:
        return None
    path, k, loop, slot = rng.choice(chosen)
    into = put_for(loop.carries[slot], loop.inits[slot])
    drop: Callable[[tuple[Atom, ...]], tuple[Atom, ...]] = lambda items: (*items[:slot], *items[slot + 1 :])  # noqa: E731
    new = replace(
        loop, carries=drop(loop.carries), inits=drop(loop.inits), outs=drop(loop.outs),
        body=renamed(Block(loop.body.stmts, drop(loop.body.results)), into),
        also=loop.also and (into(loop.also[0]), into(loop.also[1])),
    )  # fmt: skip
    return exchanged(program, path, k, new, Names(program), put_for(loop.outs[slot], loop.inits[slot]))


@rewrite
def carries_permuted(program: Program, rng: random.Random) -> Program | None:
    """One permutation of initial values, parameters, next values and results changes nothing."""
    chosen = [found for found in loops(program) if len(found[2].carries) > 1]
    if not chosen:
        return None
    path, k, loop = rng.choice(chosen)
    count = len(loop.carries)
    order = list(range(count))
    while order == sorted(order):
        rng.shuffle(order)
    move: Callable[[tuple[Atom, ...]], tuple[Atom, ...]] = lambda items: (*(items[j] for j in order), *items[count:])  # noqa: E731
    new = replace(
        loop, carries=move(loop.carries), inits=move(loop.inits), outs=move(loop.outs),
        body=Block(loop.body.stmts, move(loop.body.results)),
    )  # fmt: skip
    return exchanged(program, path, k, new, Names(program))


@rewrite
def carry_duplicated(program: Program, rng: random.Random) -> Program | None:
    """Two carries of one start and one next value are equal in every trip: either may be used."""
    chosen = [(*found, slot) for found in loops(program) for slot in range(len(found[2].carries))]
    if not chosen:
        return None
    path, k, loop, slot = rng.choice(chosen)
    names = Names(program)
    carry, init, next, old = loop.carries[slot], loop.inits[slot], loop.body.results[slot], loop.outs[slot]
    twin, out = names.new(names.types[carry]), names.new(names.types[carry])
    body = renamed(loop.body, some_uses(rng, carry, twin))
    # A carry handed on as itself may be handed on as its twin, and the other way round: still equal.
    loop = with_carry(replace(loop, body=body), twin, init, next, out, rng.randint(0, len(loop.carries)))
    return exchanged(program, path, k, loop, names, some_uses(rng, old, out))


@rewrite
def equal_carries_swapped(program: Program, rng: random.Random) -> Program | None:
    """Two equal carries whose updates are made from each other, exchanged each step, stay equal."""
    chosen = [
        (*found, slot)
        for found in loops(program)
        for slot, next in enumerate(found[2].body.results[: len(found[2].carries)])
        if isinstance(next, str)
    ]
    if not chosen:
        return None
    path, k, loop, slot = rng.choice(chosen)
    names = Names(program)
    carry, next = loop.carries[slot], loop.body.results[slot]
    twin, out = names.new(names.types[carry]), names.new(names.types[carry])
    copies: dict[Atom, Atom] = {carry: twin}
    body = list(loop.body.stmts)
    for stmt in loop.body.stmts:
        if not any(name in copies for name in reads(stmt)):
            continue
        body.append(_copied(stmt, copies, names))
    other = copies.get(next, next)
    results = (*loop.body.results[:slot], other, *loop.body.results[slot + 1 :])
    loop = with_carry(
        replace(loop, body=Block(tuple(body), results)), twin, loop.inits[slot], next, out,
        rng.randint(0, len(loop.carries)),
    )  # fmt: skip
    return exchanged(program, path, k, loop, names, some_uses(rng, loop.outs[loop.carries.index(carry)], out))


def _copied(stmt: Stmt, copies: dict[Atom, Atom], names: Names) -> Stmt:
    """A statement again, under new names, reading the copies; ``copies`` grows by what it defines."""

    def fresh(name: Atom) -> Atom:
        if isinstance(name, str) and name not in copies and name in defined:
            copies[name] = names.new(names.types[name])
        return copies.get(name, name)

    defined = _defined(stmt)
    return renamed_stmt(stmt, fresh, define=True)


def _defined(stmt: Stmt) -> set[str]:
    program = Program((), Block((stmt,), ()), {})
    found: set[str] = set()
    for path, block in places(program):
        found.update(name for inner in block.stmts for name in outs_of(inner))
        if path:
            found.update(set(visible(program, path, 0)))
    return found


@rewrite
def dead_carry(program: Program, rng: random.Random) -> Program | None:
    """A carry that nothing but its own update reads."""
    return _dead(program, rng, 1)


@rewrite
def mutually_dead_carries(program: Program, rng: random.Random) -> Program | None:
    """Carries that only each other's updates read."""
    return _dead(program, rng, 2)


def _dead(program: Program, rng: random.Random, count: int) -> Program | None:
    found = loops(program)
    if not found:
        return None
    path, k, loop = rng.choice(found)
    names = Names(program)
    scope = [name for name in visible(program, path, k) if names.types[name] == "f"]
    inner = [*scope, *(name for name in loop.carries if names.types[name] == "f")]
    new = [names.new("f", "d") for _ in range(count)]
    stmts = list(loop.body.stmts)
    for j, carry in enumerate(new):
        update, init = names.new("f"), rng.choice(scope)
        if rng.random() < 0.3:
            stmts.append(Let(update, "sin", (new[j - 1],)))
        else:
            stmts.append(Let(update, "sub", (new[j - 1], rng.choice(inner))))
        loop = with_carry(loop, carry, init, update, names.new("f"), rng.randint(0, len(loop.carries)))
    loop = replace(loop, body=Block(tuple(stmts), loop.body.results))
    return exchanged(program, path, k, loop, names)


@rewrite
def invariant_through_a_branch(program: Program, rng: random.Random) -> Program | None:
    """An invariant carry that both sides of a branch hand on is handed on."""
    found = loops(program)
    if not any(unchanged(loop) for _, _, loop in found):
        made = closure_to_carry(program, rng)
        if made is None:
            return None
        program = made
        found = loops(program)
    path, k, loop, slot = rng.choice([(*place, slot) for place in found for slot in unchanged(place[2])])
    names = Names(program)
    carry, out = loop.carries[slot], names.new(names.types[loop.carries[slot]], "b")
    scalars = [name for name in (*program.params, *loop.carries) if names.types[name] == "f"]
    results = (*loop.body.results[:slot], out, *loop.body.results[slot + 1 :])
    stmts = list(loop.body.stmts)
    branches = [j for j, stmt in enumerate(stmts) if isinstance(stmt, Cond)]
    if branches and rng.random() < 0.7:
        j = rng.choice(branches)
        cond = stmts[j]
        assert isinstance(cond, Cond)
        stmts[j] = _handing_on(cond, carry, out, names, rng)
    else:
        empty = Cond((), (rng.choice(scalars), rng.choice(scalars)), (Block((), ()), Block((), ())))
        stmts.append(_handing_on(empty, carry, out, names, rng))
    return exchanged(program, path, k, replace(loop, body=Block(tuple(stmts), results)), names)


def _handing_on(cond: Cond, carry: str, out: str, names: Names, rng: random.Random) -> Cond:
    """A branch that also hands on a value, from its operands or from outside."""
    if rng.random() < 0.5:
        branches = tuple(Block(b.stmts, (*b.results, carry)) for b in cond.branches)
        return replace(cond, outs=(*cond.outs, out), branches=(branches[0], branches[1]))
    inner = [names.new(names.types[carry]) for _ in "tf"]
    branches = tuple(Block(b.stmts, (*b.results, name)) for b, name in zip(cond.branches, inner, strict=True))
    params = tuple((*some, name) for some, name in zip(cond.params, inner, strict=True))
    return Cond((*cond.outs, out), cond.test, (branches[0], branches[1]), (params[0], params[1]), (*cond.args, carry))


@rewrite
def invariant_at_both_levels(program: Program, rng: random.Random) -> Program | None:
    """What an inner loop closes over may be carried by the outer loop, and by the inner, and come back out of it."""
    chosen = []
    for path, k, inner in loops(program):
        outer = next(((p, j) for p, j, loop in loops(program) if path[:-1] == p and path and path[-1][0] == j), None)
        if outer is None:
            continue
        outside = set(visible(program, outer[0], outer[1]))
        chosen += [(outer, k, name) for name in free(inner.body, bound_in(inner, 0)) if name in outside]
    chosen = [found for found in chosen if program.types[found[2]] in "fvix"]
    if not chosen:
        return None
    (path, j), k, name = rng.choice(chosen)
    stmt = at(program, path).stmts[j]
    assert isinstance(stmt, Loop)
    program = carried(program, rng, path, j, stmt, name)
    outer = at(program, path).stmts[j]
    assert isinstance(outer, Loop)
    slot = next(s for s in unchanged(outer) if outer.inits[s] == name and outer.carries[s] not in stmt.carries)
    inner = outer.body.stmts[k]
    assert isinstance(inner, Loop)
    names = Names(program)
    here, out = names.new(names.types[name]), names.new(names.types[name])
    into = put_for(outer.carries[slot], here)
    also = inner.also and (into(inner.also[0]), into(inner.also[1]))
    inner = replace(inner, body=renamed(inner.body, into), also=also)
    inner = with_carry(inner, here, outer.carries[slot], here, out, len(inner.carries))
    results = (*outer.body.results[:slot], out, *outer.body.results[slot + 1 :])
    stmts = (*outer.body.stmts[:k], inner, *outer.body.stmts[k + 1 :])
    return exchanged(program, path, j, replace(outer, body=Block(stmts, results)), names)
