"""Family ``rollout``: one trajectory of a small car, with what the step needs handed to it in several ways.

One step from state s with the controls a[:, t]:

    v = [cos(s[2]) * a[0, t], sin(s[2]) * a[0, t], a[1, t]]
    s + v * dtau - damp * v

The loop's state is (s, t), with t counted by hand from 0; the trajectory is stacked.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

STEPS = 100
DTAU = 0.01
DAMP = 1e-6


def short_example() -> tuple[Any, ...]:
    """Example arguments (s0, a)."""
    s0 = np.array([2.0, 3.0, 4.0], np.float32)
    return s0, jax.random.uniform(jax.random.key(0), (2, STEPS), jnp.float32)


def example() -> tuple[Any, ...]:
    """Example arguments (s0, a, dtau, damp)."""
    return *short_example(), np.float32(DTAU), np.float32(DAMP)


def step(s: Any, column: Any, dtau: Any, damp: Any) -> Any:
    """The next state."""
    v = jnp.stack([jnp.cos(s[2]) * column[0], jnp.sin(s[2]) * column[0], column[1]])
    return s + v * dtau - damp * v


def advance(state: Any, a: Any, dtau: Any, damp: Any) -> Any:
    """One step of the loop: the next (s, t), and the s to stack."""
    s, t = state
    s = step(s, a[:, t], dtau, damp)
    return (s, t + 1), s


def lambda_(s0: Any, a: Any, dtau: Any, damp: Any) -> Any:
    """The body is a lambda that closes over a, dtau and damp."""
    return lax.scan(lambda state, _: advance(state, a, dtau, damp), (s0, 0), None, length=STEPS)


def def_(s0: Any, a: Any, dtau: Any, damp: Any) -> Any:
    """The same body as a nested def."""

    def body(state: Any, _: None) -> Any:
        return advance(state, a, dtau, damp)

    return lax.scan(body, (s0, 0), None, length=STEPS)


def carried_body(state: Any, _: None) -> Any:
    """A body that closes over nothing: a, dtau and damp come with the carry and are handed on in it."""
    s, t, a, dtau, damp = state
    (s, t), out = advance((s, t), a, dtau, damp)
    return (s, t, a, dtau, damp), out


def carry(s0: Any, a: Any, dtau: Any, damp: Any) -> Any:
    """a, dtau and damp are threaded through the carry, and returned in it."""
    return lax.scan(carried_body, (s0, 0, a, dtau, damp), None, length=STEPS)


def constant(s0: Any, a: Any) -> Any:
    """dtau and damp are Python numbers closed over."""
    return lax.scan(lambda state, _: advance(state, a, DTAU, DAMP), (s0, 0), None, length=STEPS)


def xs(s0: Any, a: Any, dtau: Any, damp: Any) -> Any:
    """The columns of a are scanned inputs; t is still counted."""

    def body(state: Any, column: Any) -> Any:
        s, t = state
        s = step(s, column, dtau, damp)
        return (s, t + 1), s

    return lax.scan(body, (s0, 0), a.T)


def jit_body(s0: Any, a: Any, dtau: Any, damp: Any) -> Any:
    """carry, with its body wrapped in jit."""
    return lax.scan(jax.jit(carried_body), (s0, 0, a, dtau, damp), None, length=STEPS)


def swapped(s0: Any, a: Any, dtau: Any, damp: Any) -> Any:
    """lambda with dtau and damp exchanged: another program, which no rule may call equivalent."""
    return lax.scan(lambda state, _: advance(state, a, damp, dtau), (s0, 0), None, length=STEPS)
