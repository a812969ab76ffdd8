"""How two programs are run on the same inputs: which parameters take one value, which results are held together.

Promises the correspondence of the verdict: arguments pair as `scanir.compare.pairing` pairs them, a bound argument has
its constant, results that one side only hands on are left out. Where nothing corresponds there is a reason instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from scanir.compare.pairing import pair_arguments
from scanir.evidence.elements import numpy_dtype
from scanir.evidence.expansion import CONSTRAINT, CONSTRAINTS
from scanir.ir.attrs import Array, Attr, Int, Seq
from scanir.ir.types import TensorType
from scanir.ir.walk import ops_of
from scanir.normalize.effects import CUSTOM_CALLS, Effects, callee_order, calls_python
from scanir.program import Program
from scanir.result import StageDiff

#: Ops that end the interpreter for sure, which need not be tried.
_MISSING = frozenset({"chlo.erf", "chlo.top_k", "stablehlo.rng_bit_generator", "stablehlo.rng"})
#: Attributes of a module that say how many devices it is for.
_DEVICES = ("mhlo.num_partitions", "mhlo.num_replicas")
#: Ops that are no more than their values when they are run, or whose functions are looked at by themselves.
_VALUES = frozenset({"stablehlo.optimization_barrier", "func.call"})
#: Custom calls that take values to their parts on each device, and back.
_SPLITTING = frozenset({"SPMDFullToShardShape", "SPMDShardToFullShape"})


class Unrunnable(Exception):
    """The programs cannot be run, or not on the same inputs; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """One value of an input. ``params``: the parameters of either side that take it. ``fixed``: its only value."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    params: tuple[tuple[str, int], ...]
    fixed: Any = None
    example: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """``results``: pairs of indices that are held together. ``missing``: why the interpreter cannot run a side, empty
    where it may. ``unlike``: a pair of results of unlike types, which differ whatever the input."""

    slots: tuple[Slot, ...]
    results: tuple[tuple[int, int], ...]
    counts: tuple[int, int]
    missing: str = ""
    unlike: tuple[int, int, str, str] | None = None

    def given(self, side: str, values: list[Any]) -> list[Any]:
        """What the parameters of one side are given."""
        taken = {k: value for slot, value in zip(self.slots, values, strict=True) for s, k in slot.params if s == side}
        return [taken[k] for k in range(self.counts[side == "b"])]


def plan(a: Program, b: Program, answer: StageDiff) -> Plan:
    """How to run two programs of stage stablehlo, as a verdict on them pairs them. Raises Unrunnable."""
    sides = {"a": a, "b": b}
    for side, program in sides.items():
        if reason := refusal(program):
            raise Unrunnable(f"{side} {reason}")
    fixed = {(bound.side, bound.index): bound.value for bound in answer.bindings}
    examples = {side: _examples(program) for side, program in sides.items()}
    pairing = pair_arguments(a, b)
    groups: list[tuple[tuple[str, int], ...]] = [(("a", x), ("b", y)) for x, y in pairing.pairs]
    groups += [(("a", k),) for k in pairing.left] + [(("b", k),) for k in pairing.right]
    slots = []
    for group in groups:
        params = tuple(
            (side, k) for side, argument in group for k, kept in enumerate(sides[side].interface.kept)
            if kept == argument
        )  # fmt: skip
        if params:
            slots.append(_slot(sides, group, params, fixed, examples))
    slots += [
        Slot("", *_type(program, k), ((side, k),), _value(value, *_type(program, k)))
        for side, program in sides.items()
        for k, value in program.interface.constants
    ]
    results = _results(a, b, answer)
    missing = next((f"{side} has {what}" for side, p in sides.items() if (what := _unsupported(p))), "")
    counts = (len(_entry(a).params), len(_entry(b).params))
    return Plan(tuple(slots), results, counts, missing, _unlike(a, b, results))


def _entry(program: Program) -> Any:
    return program.module.function(program.module.entry).body


def _type(program: Program, param: int) -> tuple[str, tuple[int, ...]]:
    type = _entry(program).params[param].type
    return type.dtype, type.shape


def _slot(
    sides: dict[str, Program], group: tuple[tuple[str, int], ...], params: tuple[tuple[str, int], ...],
    fixed: dict[tuple[str, int], Attr], examples: dict[str, tuple[Any, ...]],
) -> Slot:  # fmt: skip
    names = [sides[side].interface.arguments[k].name for side, k in group]
    types = list(dict.fromkeys(_type(sides[side], k) for side, k in params))
    if len(types) > 1:
        shown = " and ".join(f"{dtype}[{','.join(map(str, shape))}]" for dtype, shape in types)
        raise Unrunnable(f"argument {names[0]} of a and argument {names[-1]} of b are of unlike types: {shown}")
    dtype, shape = types[0]
    constant = next((_value(fixed[key], dtype, shape) for key in group if key in fixed), None)
    given = next((value for side, k in group if (value := _fitting(examples[side][k], dtype, shape)) is not None), None)
    name = names[0] if len(group) > 1 else f"{names[0]} of {group[0][0]}"
    return Slot(name, dtype, shape, params, constant, given)


def _examples(program: Program) -> tuple[Any, ...]:
    assert program.source is not None
    return program.source.examples() or (None,) * len(program.interface.arguments)


def _fitting(value: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    """An example as an array of that type; None where it is none."""
    kind = numpy_dtype(dtype)
    if value is None or value.shape != shape or kind is None or value.dtype.kind not in "biufcV":
        return None
    with np.errstate(all="ignore"):
        return value.astype(kind)


def _value(attr: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    """A constant as an array of that type. Raises Unrunnable where it is not known."""
    kind = numpy_dtype(dtype)
    if isinstance(attr, Array) and kind is not None:
        size = kind.itemsize * math.prod(shape)
        if attr.splat and attr.dtype == dtype:
            return np.array(np.broadcast_to(np.frombuffer(attr.data, np.uint8).view(kind), shape))
        if len(attr.data) == size:
            return np.frombuffer(attr.data, np.uint8).view(kind).reshape(shape).copy()
    raise Unrunnable(f"a constant of type {dtype} is not known in full")


# -- results -----------------------------------------------------------------------------------------------------------


def _results(a: Program, b: Program, answer: StageDiff) -> tuple[tuple[int, int], ...]:
    left, right = len(_entry(a).results), len(_entry(b).results)
    if left == right:
        return tuple((k, k) for k in range(left))
    longer, side = (a, "a") if left > right else (b, "b")
    surplus = {output.output for output in answer.forwarded_outputs if output.side == side}
    if len(surplus) != abs(left - right):
        params = {id(param) for param in _entry(longer).params}
        surplus = {k for k, value in enumerate(_entry(longer).results) if id(value) in params}
    if len(surplus) != abs(left - right):
        raise Unrunnable(f"sides return {left} and {right} results, and which of them correspond is not known")
    rest = [k for k in range(max(left, right)) if k not in surplus]
    return tuple((k, n) if side == "a" else (n, k) for n, k in enumerate(rest))


def _unlike(a: Program, b: Program, results: tuple[tuple[int, int], ...]) -> tuple[int, int, str, str] | None:
    for x, y in results:
        left, right = _entry(a).results[x].type, _entry(b).results[y].type
        if (left.dtype, left.shape) != (right.dtype, right.shape):
            return x, y, str(left), str(right)
    return None


# -- what can be run ---------------------------------------------------------------------------------------------------


def refusal(program: Program) -> str:
    """Why a program is not run at all; empty where it may be. What is not known to be pure is not run."""
    if program.source is None:
        return "is not at hand as StableHLO that other tools read"
    order, cycle = callee_order(program.module)
    if cycle:
        return f"has functions that call one another ({cycle[0]})"
    effects = Effects(program.module, order)
    ops = [op for function in program.module.functions for op in ops_of(function.body)]
    for op in ops:
        target = getattr(op.attribute("call_target_name"), "value", "")
        if calls_python(op):
            return "calls a host function, which is never run"
        if target in _SPLITTING or (op.name.startswith("sdy.") and op.name not in CONSTRAINTS):
            return "is split over devices"
    if any(_number(value) > 1 for name, value in program.module.attributes if name in _DEVICES):
        return "is split over devices"
    for op in ops:
        if not op.regions and effects.op(op) and op.name not in _VALUES:
            return f"has an effect: {op.name}"
    body = _entry(program)
    for value in (*body.params, *body.results):
        if not isinstance(value.type, TensorType) or not all(isinstance(dim, int) for dim in value.type.shape):
            return f"takes or returns a value of type {value.type}"
        if numpy_dtype(value.type.dtype) is None:
            return f"takes or returns {value.type.dtype}, which numpy has not"
    return ""


def _number(attr: Attr) -> int:
    """A number, which may come with its type before it."""
    if isinstance(attr, Seq) and attr.items:
        attr = attr.items[-1]
    return attr.value if isinstance(attr, Int) else 1


def _unsupported(program: Program) -> str:
    """An op that the interpreter does not have; others are found out by trying."""
    for function in program.module.functions:
        for op in ops_of(function.body):
            target = getattr(op.attribute("call_target_name"), "value", "?")
            if op.name in CUSTOM_CALLS and target != CONSTRAINT:
                return f"{op.name} @{target}"
            if op.name in _MISSING:
                return op.name
    return ""
