"""A jaxpr as a module. See `scanir.ir.graph` for the forms that structured equations take.

Promises every parameter, effect and context of every equation, every bit of captured values, weak types, and the lines
of the user's code. Jaxprs that JAX shares are one function each, so nested calls are read once. What it does not know
it carries along: any primitive, any parameter. Jaxprs among the parameters of an equation that has no form of its own
become its regions, in the order of the parameters' names, and each parameter says which region it became.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from scanir import _compat
from scanir.errors import ReadError
from scanir.ir.attrs import Array, Attr, Int, Record, Seq, Symbol, Text
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Location, Module, Region, Value
from scanir.ir.steps import Steps, run
from scanir.ir.types import Type
from scanir.readers.jaxpr.arrays import is_key, read_array
from scanir.readers.jaxpr.params import read_param
from scanir.readers.jaxpr.rules import DERIVATIVES, Rules
from scanir.readers.jaxpr.types import read_type

#: Primitives that call a jaxpr and do nothing else -> (op name, the parameter that holds it).
CALLS = {
    "jit": ("jit", "jaxpr"),
    "pjit": ("jit", "jaxpr"),  # its name up to JAX 0.6
    "closed_call": ("closed_call", "call_jaxpr"),
    "core_call": ("core_call", "call_jaxpr"),
}
#: Parameters that only repeat what a jaxpr beside them says, as the function that it was traced from does.
REPEATED = {"reduce": frozenset({"computation"})}
Env = dict[Any, Value]
Results = tuple[Value, ...]


def read_jaxpr(closed_jaxpr: Any, *, name: str = "main") -> Module:
    """Read a ClosedJaxpr (or a closed Jaxpr of newer JAX). Raises ReadError for anything else."""
    parts = _compat.jaxpr_parts(closed_jaxpr)
    if parts is None:
        raise ReadError(f"a {type(closed_jaxpr).__name__} is no jaxpr", hint="give a ClosedJaxpr")
    jaxpr, consts = parts
    if len(jaxpr.constvars) != len(consts):
        raise ReadError("the jaxpr is open: it has no values for its constants", hint="give a ClosedJaxpr")
    return _Reader().module(jaxpr, consts, name)


class _Reader:
    """Reads one module. ``_alive`` keeps what is known by its place in memory."""

    def __init__(self) -> None:
        self._functions: dict[int, Function] = {}
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        self._arrays: dict[tuple[int, Any], Array] = {}
        self._types: dict[int, Type] = {}
        self._contexts: dict[int, Attr | None] = {}
        self._locations: dict[int, Location | None] = {}
        self._alive: list[Any] = []
        self._rules = Rules()

    def module(self, jaxpr: Any, consts: Sequence[Any], name: str) -> Module:
        self._taken.add(name)
        body = run(self._closed(jaxpr, consts))
        return Module("jaxpr", (*self._functions.values(), Function(name, body)), name)

    # -- jaxprs and what stands in them ----------------------------------------------------------------------------

    def _closed(self, jaxpr: Any, consts: Sequence[Any]) -> Steps[Region]:
        """A region whose parameters are all arguments; consts become constants inside it.

        A jaxpr with variables for consts and no values for them (scatter's, Pallas') takes those as parameters, too.
        """
        builder = RegionBuilder()
        env: Env = {}
        open_ = jaxpr.constvars if len(consts) != len(jaxpr.constvars) else ()
        for var in (*open_, *jaxpr.invars):
            env[var] = builder.param(self._type(var.aval))
        return (yield from self._body(builder, env, jaxpr, () if open_ else consts))

    def _bound(self, closed: Any, captured: Sequence[Value]) -> Steps[Region]:
        """A region whose first arguments are captured values and whose others are parameters."""
        jaxpr, consts = _parts(closed)
        builder = RegionBuilder()
        env: Env = dict(zip(jaxpr.invars[: len(captured)], captured, strict=True))
        for var in jaxpr.invars[len(captured) :]:
            env[var] = builder.param(self._type(var.aval))
        return (yield from self._body(builder, env, jaxpr, consts))

    def _body(self, builder: RegionBuilder, env: Env, jaxpr: Any, consts: Sequence[Any]) -> Steps[Region]:
        """The equations of a jaxpr into ``builder``; its arguments are in ``env`` already."""
        for var, const in zip(jaxpr.constvars if consts else (), consts, strict=True):
            env[var] = self._constant(builder, const, var.aval)
        for eqn in jaxpr.eqns:
            operands = [self._atom(builder, env, atom) for atom in eqn.invars]
            # Another generator, not `yield from`: the depth of nesting must not be that of Python's stack.
            results = cast(Results, (yield self._equation(builder, eqn, operands)))
            for var, value in zip(eqn.outvars, results, strict=True):
                env[var] = value
        return builder.region([self._atom(builder, env, atom) for atom in jaxpr.outvars])

    def _atom(self, builder: RegionBuilder, env: Env, atom: Any) -> Value:
        if _compat.is_literal(atom):
            return self._constant(builder, atom.val, atom.aval)
        return env[atom]

    def _constant(self, builder: RegionBuilder, value: Any, aval: Any) -> Value:
        """A constant of the abstract value's type: a Python scalar is converted to its dtype first."""
        type_ = self._type(aval)
        key = (id(value), getattr(aval, "dtype", None))
        if key not in self._arrays:
            if not hasattr(aval, "dtype") or hasattr(aval, "inner_aval"):
                raise ReadError(
                    f"the jaxpr closes over a {type_}, which has no value while it is traced",
                    hint="pass mutable arrays and tokens as arguments",
                )
            self._arrays[key] = read_array(value, None if is_key(value) else aval.dtype)
            self._alive.append(value)
        return builder.op("constant", (), (type_,), {"value": self._arrays[key]})[0]

    def _type(self, aval: Any) -> Type:
        if id(aval) not in self._types:
            self._types[id(aval)] = read_type(aval)
            self._alive.append(aval)
        return self._types[id(aval)]

    # -- equations --------------------------------------------------------------------------------------------------

    def _equation(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[Results]:
        name = eqn.primitive.name
        if name in CALLS:
            return (yield from self._call(builder, eqn, operands))
        if name == "scan":
            return (yield from self._scan(builder, eqn, operands))
        if name == "while":
            return (yield from self._while(builder, eqn, operands))
        if name == "cond":
            return (yield from self._cond(builder, eqn, operands))
        if name in DERIVATIVES:
            return (yield from self._derivative(builder, eqn, operands))
        return (yield from self._plain(builder, eqn, operands))

    def _emit(
        self, builder: RegionBuilder, eqn: Any, name: str, operands: Sequence[Value], attrs: dict[str, Attr],
        regions: Sequence[Region] = (),
    ) -> Results:  # fmt: skip
        """The op of an equation. Where regions say which effects there are, the equation says their kinds only."""
        where = self._location(eqn.source_info)
        effects: set[str] = set()
        if eqn.effects:
            said = [_compat.effect_text(effect, eqn.invars) for effect in eqn.effects]
            effects = {text for text in said if text is not None}
        if name in CALLS or name in ("scan", "while", "cond"):
            effects = {text.split()[0] for text in effects}
        if effects:
            attrs["effects"] = Seq(tuple(map(Text, sorted(effects))))
        context = self._context(eqn.ctx)
        if context is not None:
            attrs["ctx"] = context
        types = [self._type(var.aval) for var in eqn.outvars]
        return builder.op(name, operands, types, attrs, regions, location=where)

    def _location(self, source_info: Any) -> Location | None:
        """The line of an equation; those of one call have one traceback."""
        number = id(getattr(source_info, "traceback", None))
        if number not in self._locations:
            where = _compat.user_location(source_info)
            self._locations[number] = Location(*where) if where else None
            self._alive.append(source_info)
        return self._locations[number]

    def _context(self, ctx: Any) -> Attr | None:
        """What the context of an equation says beyond JAX's defaults; None where it says nothing."""
        if id(ctx) not in self._contexts:
            said = _compat.equation_context(ctx)
            fields = tuple((key, read_param(value)) for key, value in sorted(said.items()))
            self._contexts[id(ctx)] = Record(fields) if said else None
            self._alive.append(ctx)
        return self._contexts[id(ctx)]

    def _call(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[Results]:
        name, param = CALLS[eqn.primitive.name]
        callee = yield self._function(eqn.params[param], str(eqn.params.get("name", "call")))
        attrs = _params(eqn, {param}) | {"callee": Symbol(cast(str, callee))}
        return self._emit(builder, eqn, name, operands, attrs)

    def _function(self, closed: Any, wanted: str) -> Steps[str]:
        """The name of the function that a jaxpr is; JAX's own sharing is kept."""
        jaxpr, consts = _parts(closed)
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
            self._functions[key] = Function(name, cast(Region, body))
        return self._names[key]

    def _scan(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[Results]:
        consts, carries, said = _compat.scan_split(eqn.params)
        body = yield self._bound(eqn.params["jaxpr"], operands[:consts])
        # ``linear`` is a promise to the transposition of the scan, made before; it says nothing of this program.
        attrs = _params(eqn, said | {"jaxpr", "linear"}) | {"num_carry": Int(carries)}
        return self._emit(builder, eqn, "scan", operands[consts:], attrs, (cast(Region, body),))

    def _while(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[Results]:
        head, rest = eqn.params["cond_nconsts"], eqn.params["body_nconsts"]
        condition = yield self._bound(eqn.params["cond_jaxpr"], operands[:head])
        body = yield self._bound(eqn.params["body_jaxpr"], operands[head : head + rest])
        attrs = _params(eqn, {"cond_nconsts", "body_nconsts", "cond_jaxpr", "body_jaxpr"})
        regions = (cast(Region, condition), cast(Region, body))
        return self._emit(builder, eqn, "while", operands[head + rest :], attrs, regions)

    def _cond(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[Results]:
        regions: list[Region] = []
        for branch in eqn.params["branches"]:
            regions.append(cast(Region, (yield self._bound(branch, ()))))
        return self._emit(builder, eqn, "cond", operands, _params(eqn, {"branches", "linear"}), regions)

    def _derivative(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[Results]:
        """custom_jvp_call, custom_vjp_call: regions are the function and, where it can be traced, its derivative."""
        attrs, traced, params = self._rules.of(eqn)
        jaxprs: list[Any] = []
        attrs |= {key: read_param(params[key], jaxprs) for key in sorted(params)}
        regions = yield self._regions(jaxprs)
        found = cast("list[Region]", regions)
        if traced is not None:
            ready = self._rules.region(traced)
            if ready is None:
                with self._rules.inside(traced):
                    ready = cast(Region, (yield self._closed(*_parts(traced.jaxpr))))
                self._rules.keep(traced, ready)
            found = [*found, ready]
        return self._emit(builder, eqn, eqn.primitive.name, operands, attrs, found)

    def _plain(self, builder: RegionBuilder, eqn: Any, operands: list[Value]) -> Steps[Results]:
        """Any other equation."""
        jaxprs: list[Any] = []
        without = REPEATED.get(eqn.primitive.name, frozenset()) if "jaxpr" in eqn.params else frozenset()
        attrs = {key: read_param(eqn.params[key], jaxprs) for key in sorted(eqn.params) if key not in without}
        regions = (yield self._regions(jaxprs)) if jaxprs else []
        return self._emit(builder, eqn, eqn.primitive.name, operands, attrs, cast("list[Region]", regions))

    def _regions(self, jaxprs: list[Any]) -> Steps[list[Region]]:
        regions: list[Region] = []
        for inner in jaxprs:
            self._alive.append(inner)
            regions.append(cast(Region, (yield self._closed(*_parts(inner)))))
        return regions


def _parts(closed: Any) -> tuple[Any, Sequence[Any]]:
    parts = _compat.jaxpr_parts(closed)
    if parts is None:
        raise ReadError(f"a {type(closed).__name__} stands where a jaxpr belongs", hint="please report this program")
    return parts


def _params(eqn: Any, without: set[str] | frozenset[str]) -> dict[str, Attr]:
    return {key: read_param(value) for key, value in eqn.params.items() if key not in without}
