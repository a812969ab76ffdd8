"""Programs that differ from one in a single operand, constant, name, attribute or result."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

from scanir.ir.attrs import Array, Attr, Bool, Int
from scanir.ir.graph import Module, Op, Region, Value
from scanir.ir.verify import problems
from scanir.program import Program

#: Ops that take each other's place.
NAMES = (("sin", "cos", "neg", "tanh"), ("add", "sub", "mul", "max", "min"), ("lt", "le", "gt", "ge", "eq", "ne"),
         ("stablehlo.add", "stablehlo.subtract", "stablehlo.multiply"), ("add", "subtract", "multiply", "maximum"),
         ("sine", "cosine", "negate"), ("stablehlo.sine", "stablehlo.cosine", "stablehlo.negate"))  # fmt: skip


def mutants(program: Program, seed: int, count: int) -> Iterator[Program]:
    """Up to ``count`` well formed mutants."""
    rng = random.Random(seed)
    for _ in range(count * 4):
        changed = _mutate(program.module, rng)
        if changed is not None and not problems(changed):
            yield replace(program, module=changed)
            count -= 1
            if count == 0:
                return


def _mutate(module: Module, rng: random.Random) -> Module | None:
    places = list(_places(module))
    region, op, visible = rng.choice(places)
    if op is None:
        results = list(region.results)
        if not results:
            return None
        k = rng.randrange(len(results))
        results[k] = rng.choice([v for v in visible if v.type == results[k].type])
        return _rebuilt(module, {id(region): replace(region, results=tuple(results))}, {})
    new = _changed(op, visible, rng)
    return None if new is None else _rebuilt(module, {}, {id(op): new})


def _places(module: Module) -> Iterator[tuple[Region, Op | None, list[Value]]]:
    """Each op, and each region's list of results, with the values that are visible there."""
    for function in module.functions:
        stack: list[tuple[Region, list[Value]]] = [(function.body, [])]
        while stack:
            region, outside = stack.pop()
            visible = [*outside, *region.params]
            for op in region.ops:
                yield region, op, list(visible)
                inner = [] if module.dialect == "hlo" else list(visible)
                stack.extend((r, inner) for r in op.regions)
                visible += op.results
            yield region, None, visible


def _changed(op: Op, visible: list[Value], rng: random.Random) -> Op | None:
    match rng.choice(("swap", "rewire", "rename", "attribute", "attribute")):
        case "swap" if len(op.operands) > 1:
            i, j = rng.sample(range(len(op.operands)), 2)
            operands = list(op.operands)
            operands[i], operands[j] = operands[j], operands[i]
            return replace(op, operands=tuple(operands))
        case "rewire" if op.operands:
            k = rng.randrange(len(op.operands))
            others = [v for v in visible if v.type == op.operands[k].type and v is not op.operands[k]]
            if not others:
                return None
            return replace(op, operands=(*op.operands[:k], rng.choice(others), *op.operands[k + 1 :]))
        case "rename":
            others = [name for group in NAMES if op.name in group for name in group if name != op.name]
            return replace(op, name=rng.choice(others)) if others else None
        case "attribute" if op.attributes:
            k = rng.randrange(len(op.attributes))
            name, value = op.attributes[k]
            other = _attribute(value, rng)
            if other is None:
                return None
            return replace(op, attributes=(*op.attributes[:k], (name, other), *op.attributes[k + 1 :]))
    return None


def _attribute(value: Attr, rng: random.Random) -> Attr | None:
    match value:
        case Int(number):
            return Int(number + rng.choice((-1, 1)))
        case Bool(flag):
            return Bool(not flag)
        case Array(data=data) if data and value.dtype != "bool":
            at = rng.randrange(len(data))
            return replace(value, data=data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :])
    return None


def _rebuilt(module: Module, regions: dict[int, Region], ops: dict[int, Op]) -> Module:
    functions = tuple(replace(f, body=_region(f.body, regions, ops)) for f in module.functions)
    return replace(module, functions=functions)


def _region(region: Region, regions: dict[int, Region], ops: dict[int, Op]) -> Region:
    new = regions.get(id(region), region)
    return replace(new, ops=tuple(_op(op, regions, ops) for op in new.ops))


def _op(op: Op, regions: dict[int, Region], ops: dict[int, Op]) -> Op:
    new = ops.get(id(op), op)
    return replace(new, regions=tuple(_region(region, regions, ops) for region in op.regions)) if op.regions else new
