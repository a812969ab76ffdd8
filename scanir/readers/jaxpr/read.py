"""A jaxpr as a module. See `scanir.ir.graph` for the forms that structured equations take.

Promises every parameter, effect and context of every equation, every bit of captured values, weak types, and the lines of
the user's code. Jaxprs that JAX shares are one function each, so nested calls are read once. What it does not know it carries
along: any primitive, any parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scanir import _compat
from scanir.errors import ReadError
from scanir.ir.attrs import Attr, Int, Record, Seq, Symbol, Text
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Location, Module, Region, Value
from scanir.ir.steps import Steps, run
from scanir.readers.jaxpr.params import read_array, read_callable, read_param
from scanir.readers.jaxpr.types import read_type

#: Primitives that call a jaxpr and do nothing else -> (op name, the parameter that holds it).
CALLS = {"jit": ("jit", "jaxpr"), "pjit": ("jit", "jaxpr"), "closed_call": ("closed_call", "call_jaxpr"), "core_call": ("core_call", "call_jaxpr")}
DERIVATIVES = {"custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"}
#: Parameters that only repeat what regions, operands or derivative rules say, or that hold caches.
_RULES = frozenset({"jvp_jaxpr_fun", "jvp_jaxpr_thunk", "fwd_jaxpr_thunk", "bwd", "out_trees", "num_consts"})


#: Derivative rules inside derivative rules are traced to this depth; what is deeper is known by its function only.
_DEEPEST_RULE = 24


def read_jaxpr(closed_jaxpr: Any, *, name: str = "main") -> Module:
    """Read a ClosedJaxpr (or a closed Jaxpr of newer JAX). Raises ReadError for anything else."""
    parts = _compat.jaxpr_parts(closed_jaxpr)
    if parts is None:
        raise ReadError(f"a {type(closed_jaxpr).__name__} is no jaxpr", hint="give a ClosedJaxpr")
    return _Reader().module(*parts, name)


class _Reader:
    def __init__(self) -> None:
        self._functions: dict[int, Function] = {}
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        self._arrays: dict[int, tuple[Any, Any]] = {}
        self._contexts: dict[tuple[int, bool], tuple[Any, Attr | None]] = {}
        self._alive: list[Any] = []
        self._rules_around: list[int] = []

    def module(self, jaxpr: Any, consts: Sequence[Any], name: str) -> Module:
        self._taken.add(name)
        body = run(self._closed(jaxpr, consts))
        return Module("jaxpr", (*self._functions.values(), Function(name, body)), name)

    def _closed(self, jaxpr: Any, consts: Sequence[Any]) -> Steps[Region]:
        """A region whose parameters are all arguments; consts become constants inside it."""
        builder = RegionBuilder()
        env: dict[Any, Value] = {}
        for var in jaxpr.invars:
            env[var] = builder.param(read_type(var.aval))
        return (yield self._body(builder, env, jaxpr, consts))

    def _body(self, builder: RegionBuilder, env: dict[Any, Value], jaxpr: Any, consts: Sequence[Any]) -> Steps[Region]:
        """The equations of a jaxpr into ``builder``; its arguments are in ``env`` already."""
        for var, const in zip(jaxpr.constvars, consts, strict=True):
            env[var] = self._constant(builder, const, var.aval)
        for eqn in jaxpr.eqns:
            operands = [self._atom(builder, env, atom) for atom in eqn.invars]
            results = yield self._equation(builder, env, eqn, operands)
            for var, value in zip(eqn.outvars, results, strict=True):
                env[var] = value
        return builder.region([self._atom(builder, env, atom) for atom in jaxpr.outvars])

    def _atom(self, builder: RegionBuilder, env: dict[Any, Value], atom: Any) -> Value:
        if _compat.is_literal(atom):
            return self._constant(builder, atom.val, atom.aval)
        return env[atom]

    def _constant(self, builder: RegionBuilder, value: Any, aval: Any) -> Value:
        """A constant of the abstract value's type: a Python scalar is converted to its dtype first."""
        found = self._arrays.get(id(value))
        key = (id(value), str(getattr(aval, "dtype", "")))
        if found is None or found[0] != key:
            import numpy as np

            array = value
            if isinstance(value, (bool, int, float, complex, np.generic)):
                array = np.asarray(value).astype(aval.dtype)
            found = self._arrays[id(value)] = (key, read_array(array))
            self._alive.append(value)
        return builder.op("constant", (), (read_type(aval),), {"value": found[1]})[0]

    # -- equations ---------------------------------------------------------------------------------------------------------

    def _equation(self, builder: RegionBuilder, env: dict[Any, Value], eqn: Any, operands: list[Value]) -> Steps[tuple[Value, ...]]:
        name = eqn.primitive.name
        if name in CALLS:
            return (yield self._call(builder, eqn, operands))
        if name == "scan":
            return (yield self._scan(builder, eqn, operands))
        if name == "while":
            return (yield self._while(builder, eqn, operands))
        if name == "cond":
            return (yield self._cond(builder, eqn, operands))
        return (yield self._plain(builder, env, eqn, operands))

    def _emit(self, builder: RegionBuilder, eqn: Any, name: str, operands: Sequence[Value], attrs: dict[str, Attr], regions: Sequence[Region] = ()) -> tuple[Value, ...]:
        where = _compat.user_location(eqn.source_info)
        types = [read_type(var.aval) for var in eqn.outvars]
        effects = sorted(map(_effect, eqn.effects))
        if effects:
            attrs["effects"] = Seq(tuple(map(Text, effects)))
        context = self._context(eqn.ctx, _draws(eqn.primitive.name))
        if context is not None:
            attrs["ctx"] = context
        return builder.op(name, operands, types, attrs, regions, location=Location(*where) if where else None)

    def _context(self, ctx: Any, draws: bool) -> Attr | None:
        """What an equation's context says beyond the defaults; which random numbers are drawn only where some are."""
        key = (id(ctx), draws)
        if key not in self._contexts:
            said = {k: v for k, v in _compat.equation_context(ctx).items() if draws or k != "threefry_partitionable"}
            record = Record(tuple((k, read_param(v)) for k, v in sorted(said.items())))
            self._contexts[key] = (ctx, record if said else None)
        return self._contexts[key][1]

    def _params(self, eqn: Any, without: frozenset[str]) -> dict[str, Attr]:
        return {key: read_param(value) for key, value in eqn.params.items() if key not in without}

    def _call(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[tuple[Value, ...]]:
        name, param = CALLS[eqn.primitive.name]
        inner = eqn.params[param]
        callee = yield self._function(inner, str(eqn.params.get("name", "call")))
        attrs = self._params(eqn, frozenset({param}))
        return self._emit(builder, eqn, name, operands, attrs | {"callee": Symbol(callee)})

    def _function(self, closed: Any, wanted: str) -> Steps[str]:
        """The name of the function that a jaxpr is; JAX's own sharing is kept."""
        parts = _compat.jaxpr_parts(closed)
        assert parts is not None
        jaxpr, consts = parts
        key = id(closed) if len(consts) else id(jaxpr)
        if key not in self._names:
            name, number = wanted, 0
            while name in self._taken:
                number += 1
                name = f"{wanted}_{number}"
            self._taken.add(name)
            self._alive.append(closed)
            self._names[key] = name
            body = yield self._closed(jaxpr, consts)
            self._functions[key] = Function(name, body)
        return self._names[key]

    def _bound(self, closed: Any, captured: Sequence[Value]) -> Steps[Region]:
        """A region whose first arguments are captured values and whose others are parameters."""
        parts = _compat.jaxpr_parts(closed)
        assert parts is not None
        jaxpr, consts = parts
        builder = RegionBuilder()
        env: dict[Any, Value] = dict(zip(jaxpr.invars, captured, strict=False))
        for var in jaxpr.invars[len(captured) :]:
            env[var] = builder.param(read_type(var.aval))
        return (yield self._body(builder, env, jaxpr, consts))

    def _scan(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[tuple[Value, ...]]:
        consts, carries, said = _compat.scan_split(eqn.params)
        body = yield self._bound(eqn.params["jaxpr"], operands[:consts])
        attrs = self._params(eqn, said | {"jaxpr", "linear"})
        return self._emit(builder, eqn, "scan", operands[consts:], attrs | {"num_carry": Int(carries)}, (body,))

    def _while(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[tuple[Value, ...]]:
        head, rest = eqn.params["cond_nconsts"], eqn.params["body_nconsts"]
        condition = yield self._bound(eqn.params["cond_jaxpr"], operands[:head])
        body = yield self._bound(eqn.params["body_jaxpr"], operands[head : head + rest])
        attrs = self._params(eqn, frozenset({"cond_nconsts", "body_nconsts", "cond_jaxpr", "body_jaxpr"}))
        return self._emit(builder, eqn, "while", operands[head + rest :], attrs, (condition, body))

    def _cond(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[tuple[Value, ...]]:
        regions = []
        for branch in eqn.params["branches"]:
            regions.append((yield self._bound(branch, ())))
        return self._emit(builder, eqn, "cond", operands, self._params(eqn, frozenset({"branches", "linear"})), regions)

    def _plain(self, builder: RegionBuilder, env: dict[Any, Value], eqn: Any, operands: list[Value]) -> Steps[tuple[Value, ...]]:
        """Any other equation: jaxprs among its parameters, wherever they are, become regions, in the order of names."""
        name, params = eqn.primitive.name, dict(eqn.params)
        attrs: dict[str, Attr] = {}
        rule = None
        if name in DERIVATIVES:
            rule = _compat.rule_function(params)
            attrs |= self._rules(eqn, rule, params)
            params = {key: value for key, value in params.items() if key not in _RULES}
        found: list[Any] = []
        for key in sorted(params):
            attrs[key] = _without_jaxprs(params[key], found)
        regions = []
        self._rules_around.append(id(rule))
        for inner in found:
            regions.append((yield self._bound_or_open(inner)))
        self._rules_around.pop()
        return self._emit(builder, eqn, name, operands, attrs, regions)

    def _rules(self, eqn: Any, rule: Any, params: dict[str, Any]) -> dict[str, Attr]:
        """Derivative rules, traced: their jaxprs go into ``params``. A rule inside itself is named by how far out it is."""
        consts = {"num_consts": read_param(params.get("num_consts", 0))}
        around = [k for k, outer in enumerate(reversed(self._rules_around)) if rule is not None and outer == id(rule)]
        if around:
            return consts | {"rules": Text(f"those of the rule {around[0]} levels out")}
        traced = None
        if rule is not None and len(self._rules_around) < _DEEPEST_RULE:
            self._alive.append(rule)
            traced = _compat.derivative_jaxpr(eqn)
        if traced is None:
            functions = [params[key] if rule is None else rule for key in ("bwd", "jvp_jaxpr_fun", "jvp_jaxpr_thunk") if key in params]
            return consts | {"rules": Seq(tuple(read_callable(function) for function in functions))}
        params["rule"] = traced
        return consts

    def _bound_or_open(self, inner: Any) -> Steps[Region]:
        """A jaxpr among parameters. One with constvars but no values for them (as in Pallas) takes them as parameters."""
        parts = _compat.jaxpr_parts(inner)
        assert parts is not None
        jaxpr, consts = parts
        if len(consts) == len(jaxpr.constvars):
            return (yield self._closed(jaxpr, consts))
        builder = RegionBuilder()
        env: dict[Any, Value] = {}
        for var in (*jaxpr.constvars, *jaxpr.invars):
            env[var] = builder.param(read_type(var.aval))
        return (yield self._body(builder, env, _NoConstvars(jaxpr), ()))


class _NoConstvars:
    """A jaxpr whose constvars are bound already."""

    def __init__(self, jaxpr: Any) -> None:
        self.constvars: tuple[Any, ...] = ()
        self.eqns, self.outvars = jaxpr.eqns, jaxpr.outvars


def _without_jaxprs(value: Any, found: list[Any], depth: int = 0) -> Attr:
    """A parameter with each jaxpr in it replaced by the number of the region that it becomes."""
    if _compat.jaxpr_parts(value) is not None:
        found.append(value)
        return Text(f"region {len(found) - 1}")
    if isinstance(value, (tuple, list)) and depth < 8 and _holds_jaxpr(value):
        return Seq(tuple(_without_jaxprs(item, found, depth + 1) for item in value))
    return read_param(value)


def _holds_jaxpr(value: Any) -> bool:
    stack = [value]
    while stack:
        item = stack.pop()
        if _compat.jaxpr_parts(item) is not None:
            return True
        if isinstance(item, (tuple, list)):
            stack.extend(item)
    return False


def _draws(primitive: str) -> bool:
    """Whether the numbers that a primitive makes depend on how threefry counts."""
    return primitive.startswith(("random_", "threefry", "rng_"))


def _effect(effect: Any) -> str:
    """An effect by its kind and, for effects on references, the position of the reference among the operands."""
    index = getattr(effect, "input_index", None)
    return type(effect).__name__ if index is None else f"{type(effect).__name__} {index}"
