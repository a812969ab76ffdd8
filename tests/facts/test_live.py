"""Tables about traced functions, where JAX says more than a file does: donation, dropped arguments, host functions."""

from __future__ import annotations

from typing import Any

import pytest

import scanir

pytestmark = pytest.mark.compat


def donating() -> Any:
    import jax

    return jax.jit(lambda x, y, z: (x + z, z * 2.0), donate_argnums=(0, 1))


@pytest.mark.parametrize("stage", ["stablehlo", "hlo-in", "hlo"])
def test_donation_that_came_to_nothing_is_said(stage: str) -> None:
    import jax.numpy as jnp

    table: Any = scanir.table("aliasing", donating(), jnp.ones(3), jnp.ones(4), jnp.ones(3), stage=stage)
    assert [(row.argument, row.state, row.output) for row in table.rows] == [("x", "aliased", 0), ("y", "unused", None)]
    assert table.saved == 12


@pytest.mark.parametrize("stage", ["stablehlo", "hlo"])
def test_dropped_arguments_are_listed(stage: str) -> None:
    import jax.numpy as jnp

    table: Any = scanir.table("kept-args", donating(), jnp.ones(3), jnp.ones(4), jnp.ones(3), stage=stage)
    rows = [(row.parameter, row.kind, row.argument) for row in table.rows]
    assert rows == [(0, "argument", "x"), (1, "argument", "z"), (None, "dropped", "y")]


def host(x: Any) -> Any:
    return x


def test_host_functions_are_named_in_the_jaxpr_and_numbered_below() -> None:
    import jax
    import jax.numpy as jnp

    def f(x: Any) -> Any:
        return jax.pure_callback(host, jax.ShapeDtypeStruct((3,), jnp.float32), x) + 1.0

    above: Any = scanir.table("effects", f, jnp.ones(3), stage="jaxpr")
    (row,) = above.rows
    assert row.function.name.endswith("test_live.host")
    assert row.function.file.endswith("test_live.py")
    assert row.function.line == host.__code__.co_firstlineno
    below: Any = scanir.table("effects", f, jnp.ones(3), stage="stablehlo")
    assert [row.function.number for row in below.rows] == [0]
    assert "by number only" in below.notes[0]
