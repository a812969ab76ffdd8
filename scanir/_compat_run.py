"""Uses of JAX internals that run programs: compiling StableHLO, running what was compiled, values of arguments.

As `scanir._compat`: one function each, named by its test, imported where jax may be.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from scanir._compat import is_tracer


def run_compiled(executable: Any, values: Sequence[Any]) -> list[Any]:
    """The results of an executable of `compile_stablehlo` on numpy arrays."""
    import jax
    import numpy as np

    device = jax.devices("cpu")[0]
    return [np.asarray(result) for result in executable.execute([jax.device_put(value, device) for value in values])]


def compile_stablehlo(module: bytes) -> Any:
    """A module, as bytecode, compiled for one CPU as jit would compile it without options."""
    import jax
    from jax._src.lib import xla_client

    with contextlib.suppress(ImportError, AttributeError):  # kernels that lowering in this process would have set up
        from jaxlib import lapack

        lapack._lapack.initialize()
    device = jax.devices("cpu")[0]
    options = xla_client.CompileOptions()
    if not hasattr(device.client, "compile_and_load"):  # up to JAX 0.6
        return device.client.compile(module, options)
    devices = getattr(xla_client, "DeviceList", None)
    if devices is None:
        from jax._src.lib import _jax

        devices = _jax.DeviceList
    return device.client.compile_and_load(module, devices((device,)), options)


def value_of(leaf: Any) -> Any:
    """An array or number as an array of numpy, a typed key as its numbers; None of a shape or of what was donated."""
    import jax
    import numpy as np

    if isinstance(leaf, (bool, int, float, complex, np.ndarray, np.generic)):
        return np.asarray(leaf)
    if not isinstance(leaf, jax.Array) or is_tracer(leaf) or leaf.is_deleted() or not leaf.is_fully_addressable:
        return None
    keys = jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return np.asarray(jax.random.key_data(leaf) if keys else leaf)
