"""What each strategy computes, against numpy."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from scanir.strategies import find, strategies

STEPS, DTAU, DAMP = 100, 0.01, 1e-6


def run(name: str) -> Any:
    strategy = find(name)
    assert strategy is not None
    return jax.jit(strategy.function)(*strategy.example()) if name != "fibonacci-jit" else strategy.function()


def trajectory(dtau: float, damp: float) -> np.ndarray[Any, Any]:
    """The rollout in double precision."""
    strategy = find("lambda")
    assert strategy is not None
    s, a = (np.asarray(value, np.float64) for value in strategy.example()[:2])
    states = []
    for t in range(STEPS):
        v = np.array([np.cos(s[2]) * a[0, t], np.sin(s[2]) * a[0, t], a[1, t]])
        s = s + v * dtau - damp * v
        states.append(s)
    return np.array(states)


@pytest.mark.parametrize("name", ["lambda", "def", "constant", "xs", "swapped"])
def test_rollout(name: str) -> None:
    (s, t), states = run(name)
    expected = trajectory(DAMP, DTAU) if name == "swapped" else trajectory(DTAU, DAMP)
    np.testing.assert_allclose(states, expected, rtol=1e-5)
    np.testing.assert_array_equal(s, states[-1])
    assert t == STEPS


@pytest.mark.parametrize("name", ["carry", "jit-body"])
def test_rollout_that_returns_what_it_carries(name: str) -> None:
    (s, t, *rest), states = run(name)
    np.testing.assert_allclose(states, trajectory(DTAU, DAMP), rtol=1e-5)
    np.testing.assert_array_equal(s, states[-1])
    assert t == STEPS
    for value, given in zip(rest, find("carry").example()[1:], strict=True):  # type: ignore[union-attr]
        np.testing.assert_array_equal(value, given)


def test_the_swapped_rollout_is_another_one() -> None:
    assert not np.allclose(trajectory(DTAU, DAMP), trajectory(DAMP, DTAU), rtol=1e-3)


@pytest.mark.parametrize("name", ["sum-scan", "sum-fori", "sum-while", "sum-python"])
def test_sum(name: str) -> None:
    assert run(name) == 45


@pytest.mark.parametrize("name", ["factorial-scan", "factorial-fori", "factorial-python"])
def test_factorial(name: str) -> None:
    assert run(name) == 120


@pytest.mark.parametrize("kind", ["scan", "fori", "python", "jit", "xs-unused"])
def test_fibonacci(kind: str) -> None:
    np.testing.assert_array_equal(run(f"fibonacci-{kind}"), [0, 1, 1, 2, 3, 5, 8, 13, 21, 34])


def test_fibonacci_over_several_starts() -> None:
    terms = run("fibonacci-vmap")
    assert terms.shape == (4, 10)
    np.testing.assert_array_equal(terms[2], [2, 1, 3, 4, 7, 11, 18, 29, 47, 76])


def test_the_jitted_one_needs_its_own_options() -> None:
    function = find("fibonacci-jit").function  # type: ignore[union-attr]
    assert hasattr(function, "trace")
    assert function(terms=4).tolist() == [0, 1, 1, 2]


@pytest.mark.parametrize("name", [strategy.name for strategy in strategies()])
def test_the_shapes_listed_are_those_of_the_example(name: str) -> None:
    from scanir.targets.arguments import parse_arguments

    strategy = find(name)
    assert strategy is not None
    listed = parse_arguments(strategy.shapes).args if strategy.shapes else ()
    shapes = [(np.asarray(value).dtype, np.shape(value)) for value in strategy.example()]
    assert [(spec.dtype, spec.shape) for spec in listed] == shapes
