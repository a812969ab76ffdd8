"""Ratios of paired rounds: the levels are exact, and noise that both sides share does not matter."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.measured.ratios import ERROR, Ratio, _cut, ratio, rounds_needed

times = st.lists(st.tuples(st.floats(1e-6, 1e3), st.floats(1e-6, 1e3)), min_size=1, max_size=25)


@pytest.mark.parametrize("count", range(1, 13))
@pytest.mark.parametrize("error", [0.2, 0.05, 0.01])
def test_the_level_is_that_of_all_signs(count: int, error: float) -> None:
    """Against the sum of ranks under each of the 2^n signs: as many averages lie outside as the level allows."""
    sums = sorted(
        sum(r for r, sign in enumerate(signs, 1) if sign) for signs in itertools.product((0, 1), repeat=count)
    )
    allowed = [k for k in range(sums[-1] + 1) if sum(s <= k for s in sums) <= error / 2 * len(sums)]
    assert _cut(count, error) == (max(allowed) if allowed else None)


@given(times, st.floats(0.1, 10))
def test_ratios_are_ratios(pairs: list[tuple[float, float]], factor: float) -> None:
    ours, theirs = zip(*pairs, strict=True)
    found, other = ratio(ours, theirs, 0.2), ratio(theirs, ours, 0.2)
    assert found.low <= found.estimate <= found.high
    assert math.isclose(found.estimate, 1 / other.estimate, rel_tol=1e-9)
    assert found.known is other.known
    if found.known:
        assert math.isclose(found.low, 1 / other.high, rel_tol=1e-9)
        assert math.isclose(found.inverse().high, other.high, rel_tol=1e-9)
    scaled = ratio([factor * x for x in ours], theirs, 0.2)
    assert math.isclose(scaled.estimate, factor * found.estimate, rel_tol=1e-9)
    assert not ratio(ours, ours, 0.2).differs


def stalls(rng: np.random.Generator, count: int) -> np.ndarray:
    """Factors of a machine that others use: it drifts, and each tenth measurement takes several times as long."""
    drift = np.exp(np.cumsum(rng.normal(0, 0.2, count)))
    return drift * (1 + rng.exponential(0.1, count)) * np.where(rng.random(count) < 0.1, 1 + 5 * rng.random(count), 1)


@pytest.mark.parametrize(("factor", "least", "most"), [(1.0, 0, 10), (1.2, 190, 200)])
def test_noise_of_a_shared_machine(factor: float, least: int, most: int) -> None:
    """200 benches of 40 rounds, noise of many times the difference: a planted fifth is found, nothing else is.

    The level of 1 % lets 2 of 200 equal ones differ; 10 would be very bad luck, and the seed is fixed.
    """
    rng = np.random.default_rng(7)
    told = 0
    for _ in range(200):
        both = np.repeat(stalls(rng, 40), 2).reshape(40, 2)
        noise = 1 + rng.exponential(0.05, (40, 2)) + np.where(rng.random((40, 2)) < 0.1, rng.random((40, 2)), 0)
        ours, theirs = (both * noise).T
        found = ratio(ours * factor, theirs, ERROR)
        told += found.differs and found.estimate > 1
    assert least <= told <= most


def test_too_few_rounds() -> None:
    found = ratio([2.0] * 5, [1.0] * 5, ERROR)
    assert (found.estimate, found.known, found.differs, found.width) == (2.0, False, False, math.inf)
    assert ratio([], [], ERROR) == Ratio(1.0, 0.0, math.inf)
    enough = rounds_needed(ERROR)
    assert not ratio([2.0] * (enough - 1), [1.0] * (enough - 1), ERROR).known
    assert ratio([2.0] * enough, [1.0] * enough, ERROR).differs
