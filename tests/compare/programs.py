"""Small hand-made programs for tests: builders of loops in jaxpr-like IR, and an evaluator over free terms.

The evaluator is the ground truth: it unrolls loops for a given trip count and builds one term a result, with no rule
but the meaning of the graph.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from typing import Any

from scanir.ir.attrs import Array, Bool, Int, array
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Module, Region, Value
from scanir.ir.structure import BranchView, CallView, LoopView, view
from scanir.ir.types import TensorType
from scanir.program import Argument, Interface, Program

F32, I32, BOOL = TensorType("f32"), TensorType("i32"), TensorType("bool")


def number(builder: RegionBuilder, value: float, type: TensorType = F32) -> Value:
    """A scalar constant."""
    data = struct.pack("<f", value) if type.dtype == "f32" else struct.pack("<i", int(value))
    return builder.op("constant", (), (type,), {"value": array(type.dtype, (), data)})[0]


def scan(
    builder: RegionBuilder,
    inits: Sequence[Value],
    body: Region,
    length: int = 5,
    xs: Sequence[Value] = (),
    stacked: int = 0,
) -> tuple[Value, ...]:
    """A scan of scalars; ``stacked`` counts the ys."""
    ys = [TensorType("f32", (length,))] * stacked
    attrs = {"num_carry": Int(len(inits)), "length": Int(length), "reverse": Bool(False)}
    return builder.op("scan", (*inits, *xs), (*(v.type for v in inits), *ys), attrs, (body,))


def program(builder: RegionBuilder, results: Sequence[Value], names: Sequence[str] = ()) -> Program:
    """A program of one function whose arguments are all kept."""
    body = builder.region(results)
    labels = names or [param.name or f"x{k}" for k, param in enumerate(body.params)]
    arguments = tuple(
        Argument(name, param.type, k) for k, (name, param) in enumerate(zip(labels, body.params, strict=True))
    )
    module = Module("jaxpr", (Function("main", body),), "main")
    return Program("jaxpr", module, Interface(arguments, tuple(range(len(arguments)))))


def unrolled(program: Program, trips: Sequence[int]) -> tuple[Any, ...]:
    """The results as free terms when a loop of length n makes ``trips[n]`` trips."""
    entry = program.module.function(program.module.entry)
    arguments = [("argument", k) for k in range(len(entry.body.params))]
    return tuple(_evaluate(program.module, entry.body, dict(zip(entry.body.params, arguments, strict=True)), trips))


def _evaluate(module: Module, region: Region, env: dict[Value, Any], trips: Sequence[int]) -> list[Any]:
    for op in region.ops:
        shape = view(op)
        if isinstance(shape, LoopView):
            results = _loop(module, shape, env, trips)
        elif isinstance(shape, CallView):
            body = module.function(shape.callee).body
            inner = dict(zip(body.params, (env[a] for a in shape.arguments), strict=True))
            results = _evaluate(module, body, inner, trips)
        elif isinstance(shape, BranchView):
            raise AssertionError("no branches here")
        elif op.name == "constant":
            value = op.attribute("value")
            assert isinstance(value, Array)
            results = [("constant", value.dtype, value.data)]
        else:
            results = [(op.name, *(env[operand] for operand in op.operands))]
        env.update(zip(op.results, results, strict=True))
    return [env[result] for result in region.results]


def _loop(module: Module, loop: LoopView, env: dict[Value, Any], trips: Sequence[int]) -> list[Any]:
    values = [env[init] for init in loop.inits]
    assert loop.length is not None
    for _ in range(trips[loop.length]):
        inner = dict(env)
        inner.update(zip(loop.body.params, values, strict=True))
        values = _evaluate(module, loop.body, inner, trips)
    return values


class Wiring:
    """A random program: loops over scalar slots, wired at random from slots, captures and ops, nested up to ``depth``.

    Loops of one level share their length, which is the number of levels below, plus one: with one length for all, most
    programs of equal meaning would be equal by accident.
    """

    def __init__(self, seed: int, *, slots: int = 3, captures: int = 2, ops: int = 2, depth: int = 1) -> None:
        self._random = random.Random(seed)
        self._slots, self._captures, self._ops, self._depth = slots, captures, ops, depth

    def program(self) -> Program:
        builder = RegionBuilder()
        values = [builder.param(F32, f"x{k}") for k in range(self._captures)]
        values += self._loop(builder, values, self._depth)
        picked = [self._random.choice(values[self._captures :]) for _ in range(2)]
        return program(builder, picked)

    def _loop(self, builder: RegionBuilder, outside: list[Value], depth: int) -> list[Value]:
        count = self._random.randint(1, self._slots)
        inits = [self._random.choice(outside) for _ in range(count)]
        body = RegionBuilder()
        slots = [body.param(F32) for _ in range(count)]
        values = [*slots, *outside]
        for _ in range(self._random.randint(0, self._ops)):
            name = self._random.choice(("sub", "sin"))
            operands = [self._random.choice(values) for _ in range(2 if name == "sub" else 1)]
            values += body.op(name, operands, (F32,))
        if depth > 1 and self._random.random() < 0.8:
            values += self._loop(body, values, depth - 1)
        nexts = [self._random.choice(values) for _ in range(count)]
        return list(scan(builder, inits, body.region(nexts), length=depth))
