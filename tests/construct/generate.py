"""Random programs: loops of all kinds in each other, branches, functions, closures. Small, and of finite results."""

from __future__ import annotations

import random
from collections.abc import Iterable

from tests.construct.language import (
    BINARY,
    SCANNED,
    Atom,
    Block,
    Call,
    Cond,
    Const,
    Let,
    Loop,
    Program,
    Stmt,
    result_type,
)

CONSTANTS = (0.5, 2.0, 0.1, -1.5)


def generated(rng: random.Random, *, depth: int = 2, size: int = 3) -> Program:
    """A program of three or four parameters; loops nest ``depth`` deep, blocks have about ``size`` statements."""
    return _Generator(rng, depth, size).program()


class _Generator:
    def __init__(self, rng: random.Random, depth: int, size: int) -> None:
        self._rng, self._depth, self._size = rng, depth, size
        self.types: dict[str, str] = {}
        self._used: set[str] = set()

    def program(self) -> Program:
        params = tuple(self._new(kind, "p") for kind in ("f", "f", "v", "i", "x"))
        scope = list(params)
        stmts = self._stmts(scope, self._depth)
        if not any(isinstance(stmt, Loop) for stmt in stmts):
            stmts.append(self._loop(scope, self._depth))
        results = [name for name in stmts_outs(stmts) if name not in self._used and self.types[name] != "i"]
        while len(results) > 3:  # what nobody reads yet becomes part of a result: little of a program shall be dead
            one, two = (results.pop(self._rng.randrange(len(results))) for _ in "ab")
            if {"stack", "x"} & {self.types[one], self.types[two]}:
                continue
            out = self._new(result_type("sub", (self.types[one], self.types[two])), "a")
            stmts.append(Let(out, "sub", (one, two)))
            results.append(out)
        style = self._rng.choice(("tuple", "tuple", "dict", "nested"))
        return Program(params, Block(tuple(stmts), tuple(results or scope[-1:])), self.types, style)

    def _new(self, kind: str, letter: str) -> str:
        name = f"{letter}{len(self.types)}"
        self.types[name] = kind
        return name

    def _pick(self, scope: Iterable[str], kinds: str) -> str | None:
        found = [name for name in scope if self.types[name] in kinds]
        if not found:
            return None
        fresh = [name for name in found if name not in self._used]
        name = self._rng.choice(fresh if fresh and self._rng.random() < 0.7 else found)
        self._used.add(name)
        return name

    def _atom(self, scope: list[str], kind: str) -> Atom:
        name = self._pick(scope, kind)
        if name is None or (kind != "v" and self._rng.random() < 0.15):
            assert kind != "v"
            return Const(self._rng.choice(CONSTANTS)) if kind == "f" else Const(self._rng.randint(0, 3), "i")
        return name

    def _stmts(self, scope: list[str], depth: int) -> list[Stmt]:
        """Some statements; ``scope`` grows by what they define."""
        made: list[Stmt] = []
        for _ in range(self._rng.randint(1, self._size + 1)):
            what = self._rng.random()
            if depth and what < 0.35:
                made.append(self._loop(scope, depth))
            elif depth and what < 0.5:
                made.append(self._cond(scope, depth))
            elif depth and what < 0.6:
                made.append(self._call(scope, depth))
            else:
                made.append(self._let(scope))
        return made

    def _let(self, scope: list[str]) -> Let:
        first = self._pick(scope, "fv" if self._rng.random() < 0.85 else "i") or self._pick(scope, "fv")
        assert first is not None
        if self.types[first] == "i":
            op, args = self._rng.choice((("lift", (first,)), ("add", (first, self._atom(scope, "i")))))
        elif self._rng.random() < 0.4:
            op, args = self._rng.choice(("sin", "tanh")), (first,)
        elif self.types[first] == "v" and self._rng.random() < 0.4:
            place = self._atom(scope, "i")
            op, args = self._rng.choice((("get", (first, place)), ("set", (first, place, self._atom(scope, "f")))))
        else:
            op = self._rng.choice(BINARY)
            other = self._pick(scope, "v") if self._rng.random() < 0.2 else self._atom(scope, "f")
            args = (first, other) if self._rng.random() < 0.5 and other is not None else (other or first, first)
        types = tuple(arg.type if isinstance(arg, Const) else self.types[arg] for arg in args)
        out = self._new(result_type(op, types), "a")
        scope.append(out)
        return Let(out, op, args)

    def _loop(self, scope: list[str], depth: int) -> Loop:
        kind = self._rng.choice(("scan", "scan", "fori", "while"))
        counted = kind != "scan" and self._rng.random() < 0.6
        bound = self._pick(scope[:4], "i") if counted else None
        trips: Atom = bound or Const(self._rng.choice((2, 3, 3, SCANNED)), "i")
        kinds = [self._rng.choice(("f", "f", "v")) for _ in range(self._rng.randint(1, 3))]
        inits = tuple(self._atom(scope, type) for type in kinds)
        carries = tuple(self._new(type, "c") for type in kinds)
        index = "" if kind == "scan" else self._new("i", "i")
        xs: tuple[Atom, ...] = ()
        if kind == "scan" and self._rng.random() < 0.4:
            trips = Const(SCANNED, "i")
            xs = tuple(x for _ in range(self._rng.randint(1, 2)) if (x := self._pick(scope, "x")) is not None)
        elems = tuple(self._new("f", "e") for _ in xs)
        inner = [*scope, *([index] if index else []), *carries, *elems]
        stmts = self._stmts(inner, depth - 1)
        nexts: list[Atom] = []
        for carry in carries:
            nexts.append(self._next(carry, inner, stmts))
        outs = [self._new(type, "r") for type in kinds]
        if kind == "scan" and self._rng.random() < 0.3 and (y := self._pick(inner, "f")) is not None:
            nexts.append(y)
            outs.append(self._new("x" if trips == Const(SCANNED, "i") else "stack", "y"))
        also = None
        if kind == "while" and self._rng.random() < 0.4:
            scalars = [c for c in carries if self.types[c] == "f"]
            also = (self._rng.choice([*scalars, scope[0]]), self._rng.choice((Const(1.25), scope[1])))
        scope += outs
        tree = self._rng.choice(("tuple", "tuple", "dict", "nested", "list"))
        return Loop(
            kind, tuple(outs), carries, inits, Block(tuple(stmts), tuple(nexts)), trips, index, also, tree, xs, elems
        )

    def _next(self, carry: str, inner: list[str], stmts: list[Stmt]) -> Atom:
        """The next value of a carry: itself, another of its type, or (mostly) something bounded."""
        type, luck = self.types[carry], self._rng.random()
        if luck < 0.15:
            return carry
        if luck < 0.4:
            return self._pick(inner, type) or carry
        source = self._pick(inner, type) or carry
        mixed = self._new(type, "a")
        out = self._new(type, "a")
        stmts += [Let(mixed, "sub", (source, carry)) if source != carry else Let(mixed, "mul", (carry, Const(1.5))),
                  Let(out, self._rng.choice(("sin", "tanh")), (mixed,))]  # fmt: skip
        inner += [mixed, out]
        return out

    def _cond(self, scope: list[str], depth: int) -> Cond:
        test = (self._pick(scope, "f") or scope[0], self._atom(scope, "f"))
        kinds = [self._rng.choice(("f", "f", "v")) for _ in range(self._rng.randint(1, 2))]
        branches = []
        for _ in "tf":
            inner = list(scope)
            stmts = self._stmts(inner, depth - 1) if self._rng.random() < 0.8 else []
            branches.append(Block(tuple(stmts), tuple(self._atom(inner, type) for type in kinds)))
        outs = tuple(self._new(type, "b") for type in kinds)
        scope += outs
        return Cond(outs, test, (branches[0], branches[1]))

    def _call(self, scope: list[str], depth: int) -> Call:
        inner = list(scope)
        stmts = self._stmts(inner, depth - 1)
        made = [name for name in inner[len(scope) :] if self.types[name] in "fvix"]
        results = tuple([name for name in made if name not in self._used][-3:] or made[-1:])
        outs = tuple(self._new(self.types[name], "j") for name in results)
        scope += outs
        return Call(outs, Block(tuple(stmts), results), jit=self._rng.random() < 0.7, label=f"f{len(self.types)}")


def stmts_outs(stmts: Iterable[Stmt]) -> list[str]:
    return [name for stmt in stmts for name in ((stmt.out,) if isinstance(stmt, Let) else stmt.outs)]
