"""The values that a measured program is called with: those of the example, else made ones of the types asked for.

Made from a fixed seed: floats from 0 to 1, integers from 0 to 9, truths by lot, keys from the same seed. Equal inputs
of several programs are one array, so that none of them has the better place in memory.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scanir import _compat
from scanir.errors import ArgumentError
from scanir.targets.names import shown

_SEED = 20_240_229


@dataclass(slots=True)
class Inputs:
    """Arrays on the device, each made once."""

    _made: dict[Any, Any] = field(default_factory=dict)

    def of(self, tree: Any) -> Any:
        """A pytree with an array for each leaf that JAX traces; what is static stays."""
        import jax

        return jax.tree.map(self._leaf, tree)

    def _leaf(self, leaf: Any) -> Any:
        import jax

        if not _compat.is_traceable(leaf) or _compat.is_tracer(leaf):
            return leaf
        if isinstance(leaf, jax.Array):
            return leaf
        if isinstance(leaf, jax.ShapeDtypeStruct):
            weak, placed = bool(getattr(leaf, "weak_type", False)), getattr(leaf, "sharding", None)
            key = (leaf.shape, str(leaf.dtype), weak, placed)
            return self._once(key, lambda: _random(leaf.shape, leaf.dtype, weak, placed))
        value = np.asarray(leaf)
        digest = hashlib.sha256(value.tobytes()).digest()
        return self._once((value.shape, str(value.dtype), type(leaf), digest), lambda: jax.numpy.asarray(leaf))

    def _once(self, key: Any, make: Any) -> Any:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


def _random(shape: tuple[int, ...], dtype: Any, weak: bool, placed: Any) -> Any:
    import jax

    if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        keys = jax.random.split(jax.random.key(_SEED, impl=_generator(dtype)), int(np.prod(shape, dtype=int)) or 1)
        return keys.reshape(-1)[: int(np.prod(shape, dtype=int))].reshape(shape)
    rng = np.random.default_rng(_SEED)
    if jax.dtypes.issubdtype(dtype, np.bool_):
        value: Any = rng.integers(0, 2, shape)
    elif jax.dtypes.issubdtype(dtype, np.integer):
        value = rng.integers(0, 2 if jax.numpy.iinfo(dtype).max < 9 else 10, shape)
    else:
        value = rng.random(shape)
    if weak and not shape:
        return jax.numpy.asarray(value.item() if hasattr(value, "item") else value)
    try:
        with np.errstate(all="ignore"):
            return jax.device_put(np.asarray(value).astype(dtype), placed)
    except (TypeError, ValueError) as problem:
        raise ArgumentError(
            f"no values of type {dtype} can be made: {shown(str(problem))}", hint="give the values themselves"
        ) from problem


def _generator(dtype: Any) -> str:
    return str(getattr(getattr(dtype, "_impl", None), "name", "threefry2x32"))
