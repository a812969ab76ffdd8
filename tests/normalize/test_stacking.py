"""Programs of JAX that are one program because a scan takes apart, or stacks, copies of one value."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import scanir
from scanir.result import Verdict
from scanir.strategies import find

pytestmark = pytest.mark.compat

F = jnp.float32


def gradient(name: str) -> Any:
    strategy = find(name)
    assert strategy is not None
    return jax.grad(lambda *args: jnp.sum(jax.tree.leaves(strategy.function(*args))[0]), argnums=(0, 1))


def test_residuals_that_no_trip_changes() -> None:
    """JAX stacks them for the backward scan where a call hides that they stay the same."""
    strategy = find("lambda")
    assert strategy is not None
    answer = scanir.diff(gradient("lambda"), gradient("jit-body"), *strategy.example(), stage="jaxpr")
    assert answer.verdict is Verdict.EQUIVALENT
    assert "stacking" in {use.rule for use in answer.stages[0].modulo}


def closed(w: Any, x: Any) -> Any:
    return lax.scan(lambda c, _: (jnp.sin(c) * w, None), x, None, length=5)[0]


def scanned(w: Any, x: Any) -> Any:
    return lax.scan(lambda c, v: (jnp.sin(c) * v, None), x, jnp.broadcast_to(w, (5, 3)))[0]


def another(w: Any, x: Any) -> Any:
    return lax.scan(lambda c, v: (jnp.sin(c) * v, None), x, jnp.broadcast_to(w[:, None], (3, 3)))[0]


def test_a_broadcast_that_is_scanned() -> None:
    specs = (jax.ShapeDtypeStruct((3,), F), jax.ShapeDtypeStruct((3,), F))
    answer = scanir.diff(closed, scanned, *specs, stage="jaxpr")
    assert {use.rule for use in answer.stages[0].modulo} == {"stacking", "dead-code"}
    assert scanir.diff(closed, another, *specs, stage="jaxpr").verdict is Verdict.DIFFERENT
