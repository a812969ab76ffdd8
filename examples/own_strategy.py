"""Give a function of your own a name, and compare it with a built-in strategy.

A strategy is a plain function with example arguments. Built-in ones are registered with the same call.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import scanir
from scanir.strategies import register


@register("sum-reversed", family="sum", example=(np.arange(10, dtype=np.int32),), shapes="i32[10]")
def sum_reversed(values: jax.Array) -> jax.Array:
    """The sum of an array by a scan from its end."""
    total, _ = jax.lax.scan(lambda t, v: (t + v, None), jnp.zeros((), values.dtype), values, reverse=True)
    return total


def main() -> None:
    for other in ("sum-reversed", "sum-scan"):
        answer = scanir.diff("sum-reversed", other, stage="jaxpr")
        print(f"sum-reversed against {other}: {answer.verdict.name}")


if __name__ == "__main__":
    main()
