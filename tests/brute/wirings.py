"""Wirings: small loops as plain numbers, all of them or some; what each means, and each as a program.

A wiring is data: which capture starts each slot, which values each op of the body reads, which value each slot becomes,
which slots are results. Values of a body are numbered: the slots, the captures, then the ops. What a wiring means is
computed from the numbers alone, without the IR and without any rule, at every trip count from 0 to `TRIPS`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Any

from scanir.ir.attrs import Opaque
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Module, Value
from scanir.ir.types import TensorType
from scanir.program import Argument, Interface, Program
from tests.compare.programs import BOOL, F32, I32, number, program, scan

#: Programs mean the same if they agree after 0, 1 ... TRIPS trips: one fixed count makes most equal pairs accidents.
TRIPS = 8
#: Ops of a wiring: of floats, whose terms are free, and of integers, which scanir knows some laws of.
FLOAT_OPS = (("sub", 2), ("sin", 1))
INTEGER_OPS = (("sub", 2), ("add", 2))
#: In wirings of integers these captures are constants; capture 0 is an argument.
CONSTANTS = {1: 1, 2: 0}


@dataclass(frozen=True, slots=True)
class Wiring:
    """``inits``, ``nexts``: by slot. ``ops``: name, operands. ``results``: slots, in order. ``captures``: how many."""

    captures: int
    inits: tuple[int, ...]
    ops: tuple[tuple[str, tuple[int, ...]], ...]
    nexts: tuple[int, ...]
    results: tuple[int, ...]


# -- all of them, or some ----------------------------------------------------------------------------------------------


def wirings(slots: int, captures: int, ops: int, kinds: Sequence[tuple[str, int]] = FLOAT_OPS) -> Iterator[Wiring]:
    """Every wiring of exactly so many slots and ops."""
    outside = slots + captures
    bodies: list[tuple[Any, ...]] = [()]
    for k in range(ops):
        choices = [(name, reads) for name, arity in kinds for reads in product(range(outside + k), repeat=arity)]
        bodies = [(*body, op) for body in bodies for op in choices]
    chosen = [picked for count in range(1, slots + 1) for picked in permutations(range(slots), count)]
    for body in bodies:
        for nexts in product(range(outside + ops), repeat=slots):
            for inits in product(range(captures), repeat=slots):
                for results in chosen:
                    yield Wiring(captures, inits, body, nexts, results)


def sampled(seed: int, slots: int, captures: int, ops: int, kinds: Sequence[tuple[str, int]] = FLOAT_OPS) -> Wiring:
    """One wiring of at most so many slots and ops."""
    rng = random.Random(seed)
    count, steps = rng.randint(1, slots), rng.randint(0, ops)
    outside = count + captures
    body = []
    for k in range(steps):
        name, arity = rng.choice(kinds)
        body.append((name, tuple(rng.randrange(outside + k) for _ in range(arity))))
    order = list(range(count))
    rng.shuffle(order)
    return Wiring(
        captures,
        tuple(rng.randrange(captures) for _ in range(count)),
        tuple(body),
        tuple(rng.randrange(outside + steps) for _ in range(count)),
        tuple(order[: rng.randint(1, count)]),
    )


# -- what they mean ----------------------------------------------------------------------------------------------------


class Terms:
    """Free terms, each a number: equal numbers are equal terms."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}

    def of(self, *key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def meaning(self, wiring: Wiring) -> tuple[int, ...]:
        """The results as terms, after each number of trips."""
        outside = [self.of("capture", k) for k in range(wiring.captures)]
        slots = [outside[k] for k in wiring.inits]
        said = [slots[k] for k in wiring.results]
        for _ in range(TRIPS):
            values = slots + outside
            for name, reads in wiring.ops:
                values.append(self.of(name, *[values[k] for k in reads]))
            slots = [values[k] for k in wiring.nexts]
            said += [slots[k] for k in wiring.results]
        return (len(wiring.results), *said)


def integers(wiring: Wiring, argument: int) -> tuple[int, ...]:
    """The results as 32-bit integers, after each number of trips."""
    outside = [CONSTANTS.get(k, argument) for k in range(wiring.captures)]
    slots = [outside[k] for k in wiring.inits]
    said = [slots[k] for k in wiring.results]
    for _ in range(TRIPS):
        values = slots + outside
        for name, (x, y) in wiring.ops:
            values.append((values[x] + values[y] if name == "add" else values[x] - values[y]) % (1 << 32))
        slots = [values[k] for k in wiring.nexts]
        said += [slots[k] for k in wiring.results]
    return (len(wiring.results), *said)


# -- as programs -------------------------------------------------------------------------------------------------------


def scanned(wiring: Wiring, type: TensorType = F32) -> Program:
    """The wiring as a `scan` in a jaxpr; its length stands for any, as no rule looks at one above 1."""
    top = RegionBuilder()
    outside = _captures(top, wiring, type)
    body = RegionBuilder()
    slots = [body.param(type) for _ in wiring.inits]
    values = _ops(body, wiring, [*slots, *outside], "", type)
    region = body.region([values[k] for k in wiring.nexts])
    results = scan(top, [outside[k] for k in wiring.inits], region, length=5)
    return program(top, [results[k] for k in wiring.results])


def counted(wiring: Wiring, dialect: str, *, inside: bool = False) -> Program:
    """The wiring as a `while` that counts to an argument, which it closes over or, with ``inside``, carries."""
    prefix = "stablehlo." if dialect == "stablehlo" else ""
    top = RegionBuilder()
    outside = _captures(top, wiring, F32)
    bound = top.param(I32, "trips")
    zero, one = number(top, 0, I32), number(top, 1, I32)
    inits = [zero, *(outside[k] for k in wiring.inits), *([bound] if inside else [])]
    head, body = RegionBuilder(), RegionBuilder()
    params = [head.param(value.type) for value in inits]
    limit = params[-1] if inside else bound
    if dialect == "jaxpr":
        (go,) = head.op("lt", (params[0], limit), (BOOL,))
    else:
        said = {"comparison_direction": Opaque("attr", "#stablehlo<comparison_direction LT>")}
        (go,) = head.op("stablehlo.compare", (params[0], limit), (BOOL,), said)
    slots = [body.param(value.type) for value in inits]
    values = _ops(body, wiring, [*slots[1 : len(wiring.inits) + 1], *outside], prefix, F32)
    (count,) = body.op(f"{prefix}add", (slots[0], one), (I32,))
    nexts = [count, *(values[k] for k in wiring.nexts), *(slots[-1:] if inside else [])]
    regions = (head.region([go]), body.region(nexts))
    results = top.op(f"{prefix}while", inits, [value.type for value in inits], {}, regions)[1:]
    return _program(dialect, top, [results[k] for k in wiring.results])


def _captures(top: RegionBuilder, wiring: Wiring, type: TensorType) -> list[Value]:
    if type == F32:
        return [top.param(F32, f"x{k}") for k in range(wiring.captures)]
    return [
        number(top, CONSTANTS[k], I32) if k in CONSTANTS else top.param(I32, f"x{k}") for k in range(wiring.captures)
    ]


def _ops(body: RegionBuilder, wiring: Wiring, values: list[Value], prefix: str, type: TensorType) -> list[Value]:
    words = {"sub": "subtract", "sin": "sine"} if prefix else {}
    for name, reads in wiring.ops:
        values += body.op(prefix + words.get(name, name), [values[k] for k in reads], (type,))
    return values


def _program(dialect: str, builder: RegionBuilder, results: Sequence[Value]) -> Program:
    body = builder.region(results)
    arguments = tuple(Argument(param.name, param.type, k) for k, param in enumerate(body.params))
    module = Module(dialect, (Function("main", body),), "main")
    return Program(dialect, module, Interface(arguments, tuple(range(len(arguments)))))
