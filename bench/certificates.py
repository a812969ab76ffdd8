"""How long does the checker take, against normalizing both sides once and against the whole comparison?

All EQUIVALENT pairs of built-in strategies at three stages, then a straight-line program of many ops with a loop in
it, written in two ways. Seconds of this process's CPU: the whole comparison once, the rest a few times, of which the
fastest counts.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

from scanir.certify.produce import checked
from scanir.checker.check import check
from scanir.checker.digest import artifact
from scanir.compare.interface import compare_interfaces
from scanir.compare.pairing import pair_arguments
from scanir.compare.proof import Prover
from scanir.compare.verdict import compare
from scanir.ir.attrs import Bool, Int, array
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Module, Value
from scanir.ir.types import TensorType
from scanir.ir.verify import problems
from scanir.normalize.rules import DEFAULT
from scanir.normalize.side import nan_bits_are_seen
from scanir.program import Argument, Interface, Program
from scanir.result import Verdict
from scanir.strategies import strategies
from scanir.targets import resolve

F32, I32 = TensorType("f32"), TensorType("i32")
STAGES = ("jaxpr", "stablehlo", "hlo")


def fastest(work: Callable[[], Any], rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def normalized(a: Program, b: Program) -> None:
    """Both sides brought to normal form and compared, once, under all rules."""
    pairing = pair_arguments(a, b)
    interface = compare_interfaces(a, b, pairing)
    Prover(a, b, pairing, interface, settled=False, exact_nans=nan_bits_are_seen(a, b)).attempt(DEFAULT)


def large(ops: int, *, exchanged: bool) -> Program:
    """``ops`` ops in a row, a tenth of them in the body of a loop; integer sums the other way round on one side."""
    builder = RegionBuilder()
    x, n = builder.param(F32, "x"), builder.param(I32, "n")

    def chain(inside: RegionBuilder, x: Value, n: Value, count: int) -> tuple[Value, Value]:
        for k in range(count // 4):
            (s,) = inside.op("sin", (x,), (F32,))
            (x,) = inside.op("sub", (s, x), (F32,))
            (one,) = inside.op("constant", (), (I32,), {"value": array("i32", (), (k % 1000).to_bytes(4, "little"))})
            (n,) = inside.op("add", (one, n) if exchanged else (n, one), (I32,))
        return x, n

    x, n = chain(builder, x, n, ops * 9 // 10)
    body = RegionBuilder()
    slots = body.param(F32), body.param(I32)
    region = body.region(chain(body, *slots, ops // 10))
    attrs = {"num_carry": Int(2), "length": Int(9), "reverse": Bool(False)}
    x, n = builder.op("scan", (x, n), (F32, I32), attrs, (region,))
    module = Module("jaxpr", (Function("main", builder.region((x, n))),), "main")
    arguments = (Argument("x", F32, 0), Argument("n", I32, 1))
    return Program("jaxpr", module, Interface(arguments, (0, 1)), "large")


def measure(name: str, a: Program, b: Program, rounds: int) -> tuple[float, float] | None:
    start = time.process_time()
    answer = compare(a, b, DEFAULT)
    whole = time.process_time() - start
    if answer.verdict is not Verdict.EQUIVALENT:
        return None
    record = checked(a, b, answer)
    normal = fastest(lambda: normalized(a, b), rounds)
    accepted = fastest(lambda: check(record, a, b), rounds)
    reading = fastest(lambda: [(artifact(p.module), problems(p.module)) for p in (a, b)], rounds)
    print(
        f"{name:36}{1e3 * whole:>10.1f}{1e3 * normal:>11.1f}{1e3 * accepted:>10.1f}{1e3 * reading:>10.1f}"
        f"{accepted / normal:>8.2f}{(accepted - reading) / normal:>8.2f}"
    )
    return accepted, normal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (default 5)")
    parser.add_argument("--ops", type=int, default=20_000, help="ops of each side of the large pair (default 20000)")
    given = parser.parse_args()
    print(f"{'milliseconds':36}{'compare':>10}{'normalize':>11}{'check':>10}{'digests':>10}{'ratio':>8}{'replay':>8}")
    total = [0.0, 0.0]
    traced = {s.name: resolve(s.name).trace(STAGES) for s in strategies()}
    for x, y in combinations(strategies(), 2):
        for stage in STAGES if x.family == y.family else ():
            found = measure(f"{x.name} {y.name} {stage}", traced[x.name][stage], traced[y.name][stage], given.rounds)
            total = [t + f for t, f in zip(total, found or (0.0, 0.0), strict=True)]
    print(f"{'all of these':36}{'':10}{1e3 * total[1]:>11.1f}{1e3 * total[0]:>10.1f}{'':10}{total[0] / total[1]:>8.2f}")
    sides = (large(given.ops, exchanged=False), large(given.ops, exchanged=True))
    measure(f"large, {given.ops} ops a side", *sides, min(given.rounds, 2))


if __name__ == "__main__":
    main()
