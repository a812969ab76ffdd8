"""Parts of jaxlib that the campaign needs and the tool does not: HLO text in full, and HLO text as StableHLO."""

from __future__ import annotations

from typing import Any


def whole_text(module: Any) -> str:
    """The text of an XLA module with all elements of constants and without metadata."""
    from jaxlib import _hlo

    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    options.print_metadata = False
    text: str = module.to_string(options)
    return text


def hlo_as_stablehlo(text: str) -> bytes:
    """HLO text as StableHLO bytecode, through XLA's own parser. Only in a child process: it may end the process."""
    from jaxlib import _hlo, _jax

    module = _hlo.hlo_module_from_text(text)
    bytecode: bytes = _jax.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    return bytecode


def new_var(aval: Any) -> Any:
    """A variable of a jaxpr."""
    from jax.extend.core import Var

    return Var(aval)


def other_context() -> Any:
    """The context of an equation whose random numbers are made in the older way."""
    import jax
    from jax._src import core

    with jax.threefry_partitionable(False):
        return core.JaxprEqnContext()


def compiled(text: str) -> Any:
    """A StableHLO module compiled for one device: a function from arrays to arrays."""
    import jax
    import numpy as np
    from jaxlib import _jax, xla_client

    device = jax.devices()[0]
    options = xla_client.CompileOptions()
    program = device.client.compile_and_load(text.encode(), _jax.DeviceList((device,)), options)

    def run(values: Any) -> Any:
        results = program.execute_sharded([jax.device_put(value, device) for value in values])
        return [np.asarray(first) for (first,) in results.disassemble_into_single_device_arrays()]

    return run
