"""The MLIR bindings inside jaxlib, where they differ from version to version or are private.

Promises an MLIR context of its own for each call, with every dialect that JAX can emit: JAX shares its contexts between
lowerings, and a reader must not change what those accept. Imports jaxlib, but not jax, and only when called.
"""

from __future__ import annotations

from typing import Any


def mlir_ir() -> Any:
    """The module ``jaxlib.mlir.ir``."""
    from jaxlib.mlir import ir

    return ir


def new_context() -> Any:
    """A fresh context that knows JAX's dialects and accepts ops and dialects it does not know."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import chlo, mhlo, sdy, stablehlo

    # `ir.Context.__init__` would load every dialect linked into the library; its base class makes an empty context.
    context = ir.Context.__new__(ir.Context)
    super(ir.Context, context).__init__()
    # A pool of threads for each file read costs more than it gains.
    context.enable_multithreading(False)
    context.append_dialect_registry(_upstream_dialects(ir))
    context.load_all_available_dialects()
    for dialect in (sdy, chlo, stablehlo):
        dialect.register_dialect(context)
    mhlo.register_mhlo_dialect(context)
    _register_mpmd(context)
    context.allow_unregistered_dialects = True
    return context


def _upstream_dialects(ir: Any) -> Any:
    registry = ir.DialectRegistry()
    try:
        from jaxlib.mlir._mlir_libs import _jax_mlir_ext
    except ImportError:  # its name up to jaxlib 0.5
        from jaxlib.mlir._mlir_libs import register_jax_dialects

        register_jax_dialects.register_dialects(registry)
    else:
        _jax_mlir_ext.register_dialects(registry)
    return registry


def _register_mpmd(context: Any) -> None:
    try:
        from jaxlib.mlir.dialects import mpmd
    except ImportError:  # older than the dialect: its ops are read as unregistered ones
        return
    mpmd.register_dialect(context)


def deserialize_portable_artifact(context: Any, artifact: bytes) -> Any:
    """The StableHLO module of a portable artifact (VHLO bytecode), upgraded to this version's ops."""
    from jaxlib.mlir.dialects import stablehlo

    return stablehlo.deserialize_portable_artifact(context, artifact)


def eval_module(module: Any, inputs: list[str]) -> list[Any]:
    """The results of ``main`` in StableHLO's reference interpreter, as attributes, on inputs given as their text.

    Ends the process on what the interpreter does not know, on an integer division by zero, and on complex arguments or
    results, which the bindings cannot hand out; may never return. Only for a process that may end.
    """
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    with module.context:
        return list(stablehlo.eval_module(module, [ir.Attribute.parse(text) for text in inputs]))


def through_hlo(text: str) -> str | bytes:
    """A module as XLA's own front end expands it: converted to HLO and back to StableHLO."""
    try:
        from jaxlib import _jax as bindings
    except ImportError:  # its name up to jaxlib 0.5
        from jaxlib import xla_extension as bindings
    back = bindings.mlir.xla_computation_to_mlir_module(bindings.mlir.mlir_module_to_xla_computation(text))
    return back if isinstance(back, (str, bytes)) else str(back)
