"""Costs against XLA's own analysis of the same compiled module, and against arithmetic done by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from scanir import _compat
from scanir.cost import Cost
from scanir.facts.costs import CostTable, costs
from scanir.facts.places import Places
from scanir.targets.target import Target

pytestmark = pytest.mark.compat

A = jnp.ones((8, 9))
#: Programs without loops, of which XLA's analysis counts everything once as well.
PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "elementwise": (lambda x, y: x * y + jnp.sin(x) - x / y, (A, A)),
    "dot": (lambda x, y: x @ y, (A, jnp.ones((9, 7)))),
    "batched dot": (lambda x, y: jnp.einsum("bij,bjk->bik", x, y), (jnp.ones((3, 8, 9)), jnp.ones((3, 9, 7)))),
    "reduce": (lambda x: x.sum(0), (A,)),
    "softmax": (jax.nn.softmax, (A,)),
    "cumulative": (jnp.cumsum, (jnp.ones(16),)),
    "sort": (jnp.sort, (jnp.ones(16),)),
    "convolution": (lambda x, w: lax.conv(x, w, (1, 1), "VALID"), (jnp.ones((2, 3, 8, 8)), jnp.ones((5, 3, 3, 3)))),
    "mlp": (lambda x, w, v: jax.nn.gelu(x @ w) @ v, (jnp.ones((4, 8)), jnp.ones((8, 16)), jnp.ones((16, 8)))),
    "pooling": (
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        (jnp.ones((1, 8, 8, 3)),),
    ),
}


def table(function: Callable[..., Any], *args: Any, stage: str) -> CostTable:
    return costs(Places.build(Target(function, args).trace((stage,))[stage]))


@pytest.mark.parametrize("name", PROGRAMS)
def test_optimized_hlo_costs_what_xla_says(name: str) -> None:
    function, args = PROGRAMS[name]
    said = _compat.cost_analysis(jax.jit(function).lower(*args).compile())
    total = table(function, *args, stage="hlo").total
    assert total.flops == said.get("flops", 0)
    assert total.transcendentals == said.get("transcendentals", 0)
    assert total.bytes == said["bytes accessed"]
    assert total.uncounted == ()


@pytest.mark.parametrize("name", ["elementwise", "dot", "batched dot", "reduce", "convolution"])
def test_work_is_the_same_at_each_stage(name: str) -> None:
    function, args = PROGRAMS[name]
    found = {stage: table(function, *args, stage=stage).total for stage in ("jaxpr", "stablehlo", "hlo")}
    assert len({(cost.flops, cost.transcendentals) for cost in found.values()}) == 1


@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo", "hlo"])
def test_a_loop_costs_its_body_as_often_as_it_runs(stage: str) -> None:
    def power(x: Any) -> Any:
        return lax.scan(lambda c, _: (jnp.sin(c) @ c, None), x, None, length=5)[0]

    found = table(power, jnp.ones((8, 8)), stage=stage)
    (loop,) = found.loops
    assert loop.trips == 5
    assert loop.trip.transcendentals == 64
    assert 2 * 8**3 <= loop.trip.flops <= 2 * 8**3 + 2  # the counter and its comparison, where they are written out
    assert found.total.flops == 5 * loop.trip.flops
    assert not found.total.dynamic
    assert 2 <= found.loop_ops <= found.total.ops


def test_a_dynamic_loop_counts_once_and_says_so() -> None:
    def repeat(x: Any, n: Any) -> Any:
        return lax.fori_loop(0, n, lambda i, c: c * 2.0, x)

    found = table(repeat, A, jnp.int32(3), stage="jaxpr")
    assert found.total.dynamic
    assert found.loops[0].trips is None
    assert found.total.flops == found.loops[0].trip.flops == 72 + 2  # i < n, i + 1


def test_the_costlier_branch_counts() -> None:
    def choose(p: Any, x: Any) -> Any:
        return lax.cond(p, lambda: x @ x, lambda: x)

    assert table(choose, True, jnp.ones((4, 4)), stage="jaxpr").total.flops >= 2 * 4**3


def test_host_calls_and_what_nobody_knows() -> None:
    def calls(x: Any) -> Any:
        jax.debug.print("{}", x)
        return jnp.linalg.eigvals(x)

    total = table(calls, jnp.ones((3, 3)), stage="jaxpr").total
    assert total.callbacks == 1
    assert "eig" in dict(total.uncounted)


def test_sums_of_costs() -> None:
    one = Cost(ops=1, flops=2, bytes=3, uncounted=(("x", 1),))
    both = one + Cost(ops=1, flops=1, uncounted=(("x", 1), ("y", 1)), dynamic=True)
    assert both == Cost(ops=2, flops=3, bytes=3, uncounted=(("x", 2), ("y", 1)), dynamic=True)
    assert both.times(3).flops == 9
    assert both.times(3).ops == 2
