"""Wrong answers that an adversarial tester once got, as the smallest programs that gave them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

import scanir
from scanir.result import Verdict

f32 = jax.ShapeDtypeStruct((), jnp.float32)
UNEQUAL = (Verdict.DIFFERENT, Verdict.INCONCLUSIVE)


def printing(in_condition: bool) -> Any:
    def said(x: Any, value: Any, here: bool) -> Any:
        if here:
            jax.debug.print("{}", x)
        return value

    return lambda x: lax.while_loop(
        lambda s: said(x, s[0] < 1, in_condition), lambda s: said(x, (s[0] + 1, jnp.sin(s[1])), not in_condition), (0, x)
    )[1]


def test_effects_of_a_condition_are_not_effects_of_the_body() -> None:
    """The condition runs once more than the body."""
    for stage in ("jaxpr", "stablehlo", "hlo"):
        assert scanir.diff(printing(True), printing(False), f32, stage=stage).verdict in UNEQUAL, stage
        assert scanir.diff(printing(True), printing(True), f32, stage=stage).verdict is Verdict.IDENTICAL, stage
