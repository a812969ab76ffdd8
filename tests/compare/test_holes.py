"""Loops that are the same but for what fills their holes, or for how often they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import scanir
from scanir.result import LoopDiff, StageDiff

pytestmark = pytest.mark.compat
V = jax.ShapeDtypeStruct((3,), jnp.float32)
STAGES = ("jaxpr", "stablehlo", "hlo")


def stacking(length: int, factor: float = 1.0, op: Callable[[Any], Any] = jnp.sin) -> Callable[..., Any]:
    def f(x: Any, w: Any) -> Any:
        return lax.scan(lambda c, _: (op(c * w) * factor, c), x, None, length=length)

    return f


def reducing(reduce: Callable[[Any], Any]) -> Callable[..., Any]:
    def f(x: Any, w: Any) -> Any:
        return lax.fori_loop(0, 5, lambda i, c: c * w + reduce(c), x)

    return f


def only_loop(f: Any, g: Any, stage: str) -> tuple[StageDiff, LoopDiff]:
    found = scanir.diff(f, g, V, V, stage=stage).stages[0]
    assert len(found.loops) == 1
    return found, found.loops[0]


@pytest.mark.parametrize("stage", STAGES)
def test_the_same_body_run_another_number_of_times(stage: str) -> None:
    _, loop = only_loop(stacking(10), stacking(12), stage)
    assert loop.verdict == "SAME-BODY"
    assert "trip count 10 against 12" in loop.notes
    fillings = [(c.left.value, c.right.value) for c in loop.captures if c.left and c.right]
    assert len(fillings) == len(loop.captures)  # each capture has its counterpart
    assert ("w", "w") in fillings
    text = str(scanir.diff(stacking(10), stacking(12), V, V, stage=stage))
    assert "the same body, run another number of times" in text


@pytest.mark.parametrize("stage", STAGES)
def test_another_body_is_no_matter_of_its_length(stage: str) -> None:
    _, loop = only_loop(stacking(10), stacking(12, op=jnp.cos), stage)
    assert loop.verdict == "DIFFERENT"
    # A constant is a hole like others, and its fillings are shown.
    _, loop = only_loop(stacking(10, 2.0), stacking(12, 3.0), stage)
    assert loop.verdict == "SAME-BODY"
    assert any(c.left and c.right and c.left.value != c.right.value for c in loop.captures)


@pytest.mark.parametrize("stage", STAGES)
def test_what_a_reduction_does_belongs_to_the_body(stage: str) -> None:
    _, loop = only_loop(reducing(jnp.sum), reducing(jnp.max), stage)
    assert loop.verdict == "DIFFERENT"
    assert all(c.type for c in loop.captures)
    _, loop = only_loop(reducing(jnp.sum), reducing(jnp.sum), stage)
    assert loop.verdict == "IDENTICAL"
