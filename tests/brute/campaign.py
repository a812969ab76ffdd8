"""The brute force campaign: partitions of wirings by meaning and by canonical form, compared.

``python -m tests.brute.campaign`` runs the whole of it and prints its table; the tests run a fixed share.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

from scanir.ir.attrs import Int
from scanir.ir.walk import ops_of
from scanir.normalize.rules import DEFAULT
from scanir.normalize.side import Settings, bare, normalize
from scanir.normalize.values import Table
from scanir.program import Program
from tests.brute import wirings as w
from tests.brute.wirings import Wiring
from tests.compare.programs import I32, unrolled
from tests.compare.programs import Wiring as Nest

#: trivial-loop says something about one trip count, the other two about unlike lists: not compared here.
RULES = DEFAULT - {"constant-argument", "forwarded-outputs", "trivial-loop"}


def canonical(program: Program, table: Table, *, exact_nans: bool = True) -> tuple[int, ...]:
    """The canonical form of a program, as ids of a shared table: equal ids are what a proof of equality is."""
    entry = program.module.function(program.module.entry)
    inputs = tuple(table.intern("in", (k, bare(param.type))) for k, param in enumerate(entry.body.params))
    return normalize(program, "a", RULES, table, inputs, Settings(exact_nans=exact_nans)).results


@dataclass(slots=True)
class Partitions:
    """Programs by meaning and by form. ``wrong``: a form with two meanings. ``forms[meaning][form]``: how many."""

    name: str
    programs: int = 0
    wrong: list[tuple[Wiring | int, Wiring | int]] = field(default_factory=list)
    forms: dict[Hashable, Counter[Hashable]] = field(default_factory=lambda: defaultdict(Counter))
    seconds: float = 0.0
    _meaning: dict[Hashable, tuple[Hashable, Wiring | int]] = field(default_factory=dict)
    _first: dict[tuple[Hashable, Hashable], Wiring | int] = field(default_factory=dict)

    def add(self, wiring: Wiring | int, meaning: Hashable, form: Hashable) -> None:
        self.programs += 1
        known, first = self._meaning.setdefault(form, (meaning, wiring))
        if known != meaning:
            self.wrong.append((first, wiring))
        self.forms[meaning][form] += 1
        self._first.setdefault((meaning, form), wiring)

    @property
    def apart(self) -> int:
        """Programs that do not have the commonest form of their meaning."""
        return sum(found.total() - max(found.values()) for found in self.forms.values())

    @property
    def pairs(self) -> tuple[int, int]:
        """Pairs of equal programs, and those of them that have unlike forms."""
        equal = sum(n * (n - 1) // 2 for found in self.forms.values() for n in [found.total()])
        proved = sum(n * (n - 1) // 2 for found in self.forms.values() for n in found.values())
        return equal, equal - proved

    def missed(self, count: int) -> list[tuple[Wiring | int, ...]]:
        """Wirings of one meaning and unlike forms, one a form: the first few meanings."""
        found = [m for m, forms in self.forms.items() if len(forms) > 1][:count]
        return [tuple(self._first[meaning, form] for form in self.forms[meaning]) for meaning in found]

    def row(self) -> str:
        equal, missed = self.pairs
        return (
            f"{self.name:34} {self.programs:8} {len(self.forms):8} {len(self._meaning):8} {len(self.wrong):6}"
            f" {self.apart:7} {100 * self.apart / max(1, self.programs):6.2f}% {100 * missed / max(1, equal):6.2f}%"
            f" {self.seconds:7.0f} s"
        )


HEAD = (
    f"{'wirings':34} {'programs':>8} {'meanings':>8} {'forms':>8} {'wrong':>6} {'apart':>7} {'apart':>7}"
    f" {'pairs':>7} {'time':>9}"
)


def partitions(
    name: str, wirings: Iterable[Wiring], build: Callable[[Wiring], Program], meaning: Callable[[Wiring], Hashable]
) -> Partitions:
    start, table, found = time.perf_counter(), Table(), Partitions(name)
    for wiring in wirings:
        found.add(wiring, meaning(wiring), canonical(build(wiring), table, exact_nans=False))
    found.seconds = time.perf_counter() - start
    return found


def exhaustive(slots: int, ops: int) -> Partitions:
    """All wirings of up to so many slots and ops, two captures, as scans."""
    every = (x for s in range(1, slots + 1) for k in range(ops + 1) for x in w.wirings(s, 2, k))
    return partitions(f"scan, all to {slots} slots, {ops} ops", every, w.scanned, w.Terms().meaning)


def sample(spelling: str, count: int, size: tuple[int, int, int] = (3, 2, 3)) -> Partitions:
    """Sampled wirings in one of the spellings."""
    builders: dict[str, Callable[[Wiring], Program]] = {
        "scan": w.scanned,
        "while": lambda wiring: w.counted(wiring, "jaxpr"),
        "stablehlo.while": lambda wiring: w.counted(wiring, "stablehlo"),
        "stablehlo.while, bound carried": lambda wiring: w.counted(wiring, "stablehlo", inside=True),
    }
    some = (w.sampled(seed, *size) for seed in range(count))
    return partitions(
        f"{spelling}, {count} to {size[0]},{size[1]},{size[2]}", some, builders[spelling], w.Terms().meaning
    )


def whole(count: int) -> Partitions:
    """Sampled wirings of integers, whose meaning is what they give for some arguments: laws of integers are in use.

    Only ``wrong`` counts here: that integers agree by laws outside the rules (x - (x - y) is y) is no miss.
    """
    rng = random.Random(8)
    arguments = [0, 1, 0xFFFFFFFF, *(rng.getrandbits(32) for _ in range(3))]
    some = (w.sampled(seed, 3, 3, 3, w.INTEGER_OPS) for seed in range(count))
    return partitions(
        f"scan of integers, {count} to 3,3,3", some,
        lambda wiring: w.scanned(wiring, I32),
        lambda wiring: tuple(w.integers(wiring, argument) for argument in arguments),
    )  # fmt: skip


def nested(depth: int, count: int) -> Partitions:
    """Sampled loops in loops (`tests.compare.programs.Wiring`), at every combination of small trip counts."""
    name = f"scans nested to {depth}, {count} to 3,2,2"
    start, table, found = time.perf_counter(), Table(), Partitions(name)
    trips = [(0, inner, middle, outer) for inner in range(6) for middle in range(4) for outer in range(4)]
    for seed in range(count):
        program = Nest(seed, depth=depth).program()
        lengths = [op.attribute("length") for op in ops_of(program.module.function("main").body) if op.name == "scan"]
        levels = max(length.value for length in lengths if isinstance(length, Int))
        meant = tuple(unrolled(program, some) for some in trips if not any(some[levels + 1 :]))
        found.add(seed, meant, canonical(program, table, exact_nans=False))
    found.seconds = time.perf_counter() - start
    return found


def main() -> int:
    print(HEAD)
    bad = 0
    for run in (
        lambda: exhaustive(2, 2),
        *(lambda spelling=spelling: sample(spelling, 40_000) for spelling in (
            "scan", "while", "stablehlo.while", "stablehlo.while, bound carried",
        )),
        lambda: nested(2, 6_000),
        lambda: nested(3, 1_500),
        lambda: whole(40_000),
    ):  # fmt: skip
        found = run()
        print(found.row(), flush=True)
        bad += len(found.wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
