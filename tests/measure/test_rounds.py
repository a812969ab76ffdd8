"""The plan of measuring, with programs that only say how long they take."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable

import pytest

from scanir.measure import rounds
from scanir.measure.rounds import BLOCK, Budget, measure
from scanir.measured.result import METRICS, comparisons


@pytest.fixture(autouse=True)
def no_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is measured here, and a process of tests is full of objects."""
    monkeypatch.setattr(rounds.gc, "collect", lambda: 0)


class Fake:
    """A program of so many seconds a call, on a machine that is now slower, now faster."""

    def __init__(self, name: str, call: float, log: list[str], noise: Callable[[], float] = lambda: 1.0) -> None:
        self.name, self.call, self.log, self.noise = name, call, log, noise
        self.calls: list[int] = []

    def compile(self) -> dict[str, float]:
        self.log.append(self.name)
        return {"trace": 0.1 * self.noise(), "lower": 0.2 * self.noise(), "compile": 0.3 * self.noise()}

    def first(self) -> float:
        return self.call * 10

    def block(self, calls: int) -> float:
        self.log.append(f"{self.name} runs")
        self.calls.append(calls)
        return self.call * self.noise()


def machine(seed: int) -> Callable[[], float]:
    lots = random.Random(seed)
    return lambda: (1 + lots.expovariate(20)) * (4 if lots.random() < 0.05 else 1)


def wild(seed: int) -> Callable[[], float]:
    lots = random.Random(seed)
    return lambda: 1 + lots.random()


def test_every_round_makes_and_runs_all_in_turns() -> None:
    log: list[str] = []
    done: list[float] = []
    samples = measure([Fake("a", 1e-3, log), Fake("b", 1e-3, log)], Budget(1e6, 6), done.append)
    assert [sorted(found) for found in samples] == [sorted(METRICS)] * 2
    assert {len(values) for found in samples for values in found.values()} == {6}
    made = [name for name in log if name in "ab"]
    orders = ["".join(made[k : k + 2]) for k in range(2, len(made), 2)]  # the first round warms up
    assert set(orders) == {"ab", "ba"}, "the order is drawn by lot"
    assert done == sorted(done)
    assert done[-1] == 1.0


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_orders_are_even(count: int) -> None:
    """Of any two programs, each is in a place, while the other is in another, just as often as the other way round."""
    orders = list(itertools.islice(rounds._orders(count), 4 * count))
    assert all(sorted(order) == list(range(count)) for order in orders)
    for a, b in itertools.combinations(range(count), 2):
        places = Counter((order.index(a), order.index(b)) for order in orders)
        assert all(places[q, p] == times for (p, q), times in places.items())
        assert len({order.index(a) for order in orders}) == count


def test_blocks_are_long_against_the_clock() -> None:
    log: list[str] = []
    short, long = Fake("short", 1e-6, log), Fake("long", 1.0, log)
    measure([short, long], Budget(1e6, 1))
    assert max(short.calls) == round(BLOCK / 1e-6)
    assert max(long.calls) == 1


def test_it_ends_when_the_interval_is_narrow_or_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []
    steady = measure([Fake("a", 1e-3, log), Fake("b", 1.5e-3, log)], Budget(1e6, 200))
    assert len(steady[0]["run"]) < 24
    clock = iter(range(0, 10_000, 3))
    monkeypatch.setattr(rounds.time, "monotonic", lambda: next(clock))
    timed = measure([Fake("a", 1e-3, log, wild(1)), Fake("b", 1e-3, log, wild(2))], Budget(100, 200))
    assert len(timed[0]["run"]) == 36, "the time is up after 34; orders come in fours"
    clock = iter(range(0, 10_000, 50))
    few = measure([Fake("a", 1e-3, log, wild(1)), Fake("b", 1e-3, log, wild(2))], Budget(100, 200))
    assert len(few[0]["run"]) == 6, "three times the time, where rounds are too few"


@pytest.mark.parametrize(("factor", "told"), [(1.0, 0), (1.2, 10)])
def test_a_fifth_is_found_and_nothing_is_not(factor: float, told: int) -> None:
    differs = 0
    for seed in range(10):
        noise = machine(seed)
        samples = measure([Fake("a", 1e-3, [], noise), Fake("b", factor * 1e-3, [], noise)], Budget(1e6, 40))
        (found,), _ = comparisons(samples, [0, 1])
        differs += found.ratio("run").differs
    assert differs == told
