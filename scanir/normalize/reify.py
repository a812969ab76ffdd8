"""Normal form as a module again, for people to read: canonical terms become ops, each in the outermost region it can
stand in.

Values carry no place, so pure work stands outside the loops and branches that it does not depend on; a branch is a
``select`` of values. Tokens are explicit: an op with an effect takes one and returns one. What is printed is what was
compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scanir.ir.attrs import (
    Array,
    Attr,
    Bool,
    Callable,
    Digest,
    Hidden,
    Int,
    Opaque,
    Record,
    Seq,
    Symbol,
    Text,
    TypeAttr,
)
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Module, Region, Value
from scanir.ir.steps import Steps, run
from scanir.ir.types import TOKEN, OpaqueType, Type
from scanir.normalize.identities import result_type
from scanir.normalize.side import Settings, Side, bare, nan_bits_are_seen, normalize
from scanir.normalize.values import Table
from scanir.program import Program


def normal_form(program: Program, rules: frozenset[str]) -> Module:
    """The module of a program in normal form under ``rules``."""
    table = Table()
    entry = program.module.function(program.module.entry)
    inputs = tuple(table.intern("in", (k, bare(param.type))) for k, param in enumerate(entry.body.params))
    settings = Settings(exact_nans=nan_bits_are_seen(program))
    side = normalize(program, "a", rules, table, inputs, settings)
    return _Reifier(table, side).module()


class _Reifier:
    def __init__(self, table: Table, side: Side) -> None:
        self._table, self._side = table, side
        self._needs: dict[int, int] = {}
        self._functions: dict[int, Function] = {}

    def module(self) -> Module:
        source = self._side.program.module
        entry = source.function(source.entry)
        roots = list(self._side.results)
        if self._table.payload(roots[-1]) == "token":
            roots.pop()  # no effects
        self._measure(roots)
        params = [Value(param.type, param.name) for param in entry.body.params]
        env = {
            self._table.intern("in", (k, bare(param.type))): value
            for k, (param, value) in enumerate(zip(entry.body.params, params, strict=True))
        }
        builder = RegionBuilder(params)
        token = self._table.intern("in", "token")
        if token in self._needs:
            env[token] = builder.op("token", (), (TOKEN,))[0]
        body = run(self._region(builder, roots, 0, env))
        functions = (*self._functions.values(), Function(source.entry, body))
        return Module(source.dialect, functions, source.entry, source.attributes, source.name)

    def _measure(self, roots: Iterable[int]) -> None:
        """For each term the heights of the binders whose parameters occur in it, as a bit set."""
        seen, stack = set(roots), list(roots)
        while stack:
            for child in self._table.children(stack.pop()):
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        for term in sorted(seen):
            kind, payload, children = self._table.keys[term]
            below = 0
            for child in children:
                below |= self._needs[child]
            bit = 1 << payload[0] if kind in ("slot", "item", "bound", "loop", "fun", "ys") else 0
            if kind in ("slot", "bound", "item"):
                below |= bit
            elif kind == "fun":
                below &= ~bit
            elif kind in ("loop", "ys"):
                outer = children[: self._inits(term)] if kind == "loop" else children[:1]
                below &= ~bit
                for child in outer:
                    below |= self._needs[child]
            self._needs[term] = below

    def _inits(self, loop: int) -> int:
        return len(self._table.payload(loop)[2])

    def _region(self, builder: RegionBuilder, roots: list[int], height: int, env: dict[int, Value]) -> Steps[Any]:
        """Emit what ``roots`` need in this region: everything not in ``env`` yet."""
        stack = list(reversed(roots))
        while stack:
            term = stack[-1]
            if term in env:
                stack.pop()
                continue
            waiting = [need for need in self._operands(term) if need not in env]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            yield self._emit(builder, term, env)
        return builder.region([env[root] for root in roots])

    def _operands(self, term: int) -> list[int]:
        """What must stand before a term: children, and for a binder what its inside takes from outside."""
        kind, payload, children = self._table.keys[term]
        if kind == "loop":
            count = self._inits(term)
            return [*children[:count], *self._outside(children[count:], payload[0])]
        if kind == "ys":
            return [children[0]]
        if kind == "fun":
            return self._outside(children, payload[0])
        if kind == "call":
            return list(children[1:])
        if kind == "op":
            funs = [child for child in children if self._table.kind(child) == "fun"]
            needs = [need for fun in funs for need in self._operands(fun)]
            return [child for child in children if self._table.kind(child) != "fun"] + needs
        return list(children)

    def _outside(self, roots: Iterable[int], height: int) -> list[int]:
        """Terms that a body needs and that do not depend on its parameters."""
        bit = 1 << height
        found: dict[int, None] = {}
        seen, stack = set(roots), list(roots)
        while stack:
            term = stack.pop()
            if not self._needs[term] & bit:
                found[term] = None
                continue
            below = self._table.children(term) if self._table.kind(term) == "item" else self._operands(term)
            for child in below:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return sorted(found)

    def _type(self, term: int) -> Type:
        return result_type(self._table, term) or OpaqueType("unknown")

    def _emit(self, builder: RegionBuilder, term: int, env: dict[int, Value]) -> Steps[Any]:
        kind, payload, children = self._table.keys[term]
        if kind == "const":
            shown = isinstance(payload[0], (Array, Digest, Hidden))
            value = payload[0] if shown else Hidden("constant", str(payload[0]), "")
            (env[term],) = builder.op("constant", (), (payload[1],), {"value": value})
        elif kind == "op":
            yield self._op(builder, term, env)
        elif kind == "loop":
            yield self._loop(builder, term, env)
        elif kind == "call":
            yield self._call(builder, term, env)
        elif kind == "sel":
            name, attrs, type = payload
            operands = [env[child] for child in children]
            (env[term],) = builder.op("select", operands, (type,), {"of": Text(name), **unkeyed(attrs)})
        elif kind == "tuple":
            (env[term],) = builder.op("tuple", [env[child] for child in children], (payload,))
        elif kind in ("proj", "res"):
            number = payload if isinstance(payload, int) else -1
            (env[term],) = builder.op("result", [env[children[0]]], (self._type(term),), {"index": Int(number)})
        else:
            (env[term],) = builder.op(kind, (), (self._type(term),))

    def _stacked(self, loop: int) -> list[int]:
        """All ys of a loop, in the order in which they are printed."""
        return [t for t in sorted(self._needs) if self._table.kind(t) == "ys" and self._table.children(t)[0] == loop]

    def _op(self, builder: RegionBuilder, term: int, env: dict[int, Value]) -> Steps[Any]:
        (name, attrs, types, _, form), children = self._table.payload(term), self._table.children(term)
        regions = []
        for child in children:
            if self._table.kind(child) == "fun":
                regions.append((yield self._fun(child, env)))
        operands = [env[child] for child in children if self._table.kind(child) != "fun"]
        if len(types) == 1 and form != "effect":
            (env[term],) = builder.op(name, operands, types, unkeyed(attrs), regions)
            return
        results = builder.op(name, operands, (*types, *((TOKEN,) if form == "effect" else ())), unkeyed(attrs), regions)
        for k, value in enumerate(results):
            last = form == "effect" and k == len(types)
            env[self._table.intern("proj", "token" if last else k, (term,))] = value
        env[term] = results[0]

    def _fun(self, term: int, env: dict[int, Value]) -> Steps[Any]:
        (height, types, _), children = self._table.payload(term), self._table.children(term)
        builder, inner = RegionBuilder(), dict(env)
        for k, type in enumerate(types):
            inner[self._table.intern("bound", (height, k, type))] = builder.param(type)
        return (yield self._region(builder, list(children), height, inner))

    def _call(self, builder: RegionBuilder, term: int, env: dict[int, Value]) -> Steps[Any]:
        (name, attrs, _), (fun, *arguments) = self._table.payload(term), self._table.children(term)
        if fun not in self._functions:
            region: Region = yield self._fun(fun, {})
            self._functions[fun] = Function(f"fun{len(self._functions)}", region)
        function = self._functions[fun]
        results = builder.op(name, [env[a] for a in arguments], [r.type for r in function.body.results],
                             {**unkeyed(attrs), "callee": Symbol(function.name)})  # fmt: skip
        for k, value in enumerate(results):
            env[self._table.intern("proj", k, (term,))] = value
        env[term] = results[0]

    def _loop(self, builder: RegionBuilder, term: int, env: dict[int, Value]) -> Steps[Any]:
        (height, (name, attrs), types, has_condition), children = self._table.payload(term), self._table.children(term)
        count = len(types)
        body, inner = RegionBuilder(), dict(env)
        for k, type in enumerate(types):
            inner[self._table.intern("slot", (height, k, type))] = body.param(type, f"slot{k}")
        ys = self._stacked(term)
        bodies = list(children[count : 2 * count])
        stacked = []
        for y in ys:
            inner_height = self._table.payload(y)[0]
            stacked.append(self._table.children(y)[1])
            for k, type in enumerate(types):
                inner[self._table.intern("slot", (inner_height, k, type))] = body.params[k]
        for leaf in self._elements((*bodies, *children[2 * count :], *stacked)):
            inner[leaf] = body.param(self._type(leaf), "item" if self._table.kind(leaf) == "item" else "trip")
        regions = []
        if has_condition:
            head = RegionBuilder(body.params)
            regions.append((yield self._region(head, [children[-1]], height, dict(inner))))
        regions.append((yield self._region(body, [*bodies, *stacked], height, dict(inner))))
        all_types = [*types, *(self._table.payload(y)[1] for y in ys)]
        attributes = {**unkeyed(attrs), "normal": Bool(True)}
        results = builder.op(name, [env[child] for child in children[:count]], all_types, attributes, regions)
        for k in range(count):
            env[self._table.intern("res", k, (term,))] = results[k]
        for k, y in enumerate(ys):
            env[y] = results[count + k]
        env[term] = results[0] if results else builder.op("loop token", (), (TOKEN,))[0]

    def _elements(self, roots: Iterable[int]) -> list[int]:
        """Items and trip numbers that a body reads, in the order of their terms."""
        found, seen, stack = set(), set(roots), list(roots)
        while stack:
            term = stack.pop()
            kind, payload, children = self._table.keys[term]
            if kind == "item" or (kind == "slot" and payload[1] == "trip"):
                found.add(term)
            for child in children:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return sorted(found)


def unkeyed(key: Any) -> dict[str, Attr]:
    """Attributes from their comparison key, for printing."""
    return {str(name): attr_of_key(value) for name, value in key} if isinstance(key, tuple) else {}


def attr_of_key(value: Any) -> Attr:
    """An attribute from its comparison key (see `scanir.normalize.erase`), for printing."""
    if isinstance(value, tuple) and value and value[0] == "seq":
        return Seq(tuple(attr_of_key(item) for item in value[1]))
    if isinstance(value, tuple) and value and value[0] == "record":
        return Record(tuple((name, attr_of_key(item)) for name, item in value[1]))
    if isinstance(value, tuple) and value and value[0] == "type":
        return TypeAttr(value[1])
    if isinstance(value, tuple) and value and value[0] == "function":
        return Callable(value[1], value[2], 0)
    if isinstance(value, tuple):
        return Opaque("key", " ".join(str(part) for part in value[:3]))
    if isinstance(value, (str, int)):
        return Text(str(value))
    attr: Attr = value  # any other attribute is its own key
    return attr
