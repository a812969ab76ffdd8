"""Tracers: a function, or any of JAX's staged objects, brought to the stages of its compilation and read.

``jax.jit(f).trace(...)`` gives the jaxpr, ``.lower()`` StableHLO and the HLO before optimization, ``.compile()`` the
optimized HLO. A jitted function is used as it is, with its options, and never wrapped again. The function is traced,
never run. It is traced and lowered apart from what JAX keeps of other programs, which holds their lines; JAX's caches
stay as they are.
"""

from __future__ import annotations

import inspect
import io
import os
import platform
import traceback
from collections.abc import Callable as Function
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scanir import _compat, _compat_run
from scanir.artifact.trace import flags_anywhere
from scanir.errors import ArgumentError, ScanirError, TraceError
from scanir.ir.attrs import Callable
from scanir.ir.graph import Module
from scanir.ir.walk import attrs_in, ops_of
from scanir.program import Interface, Program, Source

#: What each of JAX's staged objects still has.
_HAS = {
    "Lowered": "stablehlo, hlo-in and hlo",
    "Compiled": "hlo",
    "Exported": "stablehlo",
}


def trace(
    target: Any, args: Sequence[Any], kwargs: Mapping[str, Any], stages: Iterable[str],
    compiler_options: Iterable[tuple[str, Any]] = (),
) -> dict[str, Program]:  # fmt: skip
    """The programs of a target at the given stages, compiled with these options beside those that its jit has.

    ``args`` and ``kwargs`` are pytrees of arrays, shapes and Python scalars (not used by staged objects). Raises
    TraceError for what cannot be traced, lowered or compiled, and for a stage that a staged object cannot give any
    more; ArgumentError for arguments that do not fit the function's signature.
    """
    staged = _Staged(target, tuple(args), dict(kwargs), dict(compiler_options))
    return {stage: staged.program(stage) for stage in stages}


class _Staged:
    """One target with what it was brought to so far: each step is done once, when a stage needs it."""

    def __init__(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], extra: dict[str, Any]) -> None:
        import jax

        self._extra = extra
        self._separate = _compat.separate_traces(target)
        self._args, self._kwargs = args, kwargs
        self._function: Any = None
        self._jaxpr: Any = None
        self._traced: Any = None
        self._lowered: Any = None
        self._compiled: Any = None
        self._exported: Any = None
        if isinstance(target, jax.stages.Lowered):
            self._lowered = target
        elif isinstance(target, jax.stages.Compiled):
            self._compiled = target
        elif type(target).__name__ == "Exported" and hasattr(target, "mlir_module_serialized"):
            # Not imported to be asked: jax.export of JAX 0.6 wants a package that JAX itself does not need.
            self._exported = target
        elif _compat.jaxpr_parts(target) is not None:
            self._jaxpr = target
        elif isinstance(target, jax.stages.Traced):
            self._traced = target
        else:
            _check(target, args, kwargs)
            self._function = target

    def program(self, stage: str) -> Program:
        reader: dict[str, Function[[], Module]] = {
            "jaxpr": self._read_jaxpr,
            "stablehlo": self._read_stablehlo,
            "hlo-in": self._read_input,
            "hlo": self._read_hlo,
        }
        module = step(f"reaching stage {stage}", reader[stage])
        interface = step("reading the interface", lambda: self._interface(stage, module))
        options, notes = self._options()
        return Program(
            stage,
            module,
            interface,
            callbacks=callbacks(module) if stage == "jaxpr" else None,
            provenance=provenance(tuple((dict(options) | self._extra).items())),
            notes=notes,
            sizes=self._sizes() if stage == "hlo" else (),
            source=Source(self._bytecode, lambda: self._examples(interface)) if stage == "stablehlo" else None,
        )

    def _sizes(self) -> tuple[tuple[str, int], ...]:
        """Bytes that the executable takes; empty for a backend that does not tell."""
        try:
            return tuple(sorted(_compat.executable_sizes(self._compiled).items()))
        except (NotImplementedError, RuntimeError):  # XlaRuntimeError: UNIMPLEMENTED
            return ()

    # -- stages --------------------------------------------------------------------------------------------------------

    def _missing(self, stage: str) -> TraceError:
        kind = type(self._exported or self._compiled or self._lowered).__name__
        return TraceError(
            f"stage {stage} cannot be had from {kind}",
            hint=f"it has {_HAS.get(kind, 'later stages')}; give the function itself for the others",
        )

    def _trace(self) -> Any:
        import jax

        if self._traced is None:
            if self._jaxpr is not None:
                self._traced = _of_jaxpr(self._jaxpr)
            elif self._function is None:
                raise self._missing("jaxpr")
            else:
                jitted = self._function if hasattr(self._function, "trace") else jax.jit(self._function)
                with self._separate():
                    traced = jitted.trace(*self._args, **self._kwargs)
                self._traced = getattr(traced, "traced", traced)  # wrappers keep JAX's own object there
        return self._traced

    def _lower(self) -> Any:
        if self._lowered is None:
            if self._compiled is not None or self._exported is not None:
                raise self._missing("stablehlo or hlo-in")
            if self._function is not None and hasattr(self._function, "lower") and not hasattr(self._function, "trace"):
                with self._separate():
                    lowered = self._function.lower(*self._args, **self._kwargs)
                self._lowered = getattr(lowered, "lowered", lowered)  # wrappers keep JAX's own object there
            else:
                traced = self._trace()
                with self._separate():
                    self._lowered = traced.lower()
        return self._lowered

    def _compile(self) -> Any:
        if self._compiled is None:
            if self._exported is not None:
                raise self._missing("hlo")
            lowered = self._lower()
            options = dict(self._options()[0]) | self._extra if self._extra else None
            with _compat.without_persistent_cache():
                self._compiled = lowered.compile(compiler_options=options)
        return self._compiled

    def _read_jaxpr(self) -> Module:
        from scanir.readers.jaxpr import read_jaxpr

        return read_jaxpr(self._jaxpr if self._jaxpr is not None else self._trace().jaxpr)

    def _read_stablehlo(self) -> Module:
        from scanir.readers.stablehlo import read_stablehlo

        if self._exported is not None:
            return read_stablehlo(self._exported.mlir_module_serialized)
        return read_stablehlo(self._lower().compiler_ir("stablehlo"))

    def _read_input(self) -> Module:
        return _read_xla(_compat.unoptimized_module(self._lower()))

    def _read_hlo(self) -> Module:
        from scanir.readers.splits import with_splits

        compiled = self._compile()
        module = _read_xla(_compat.optimized_module(compiled))
        return with_splits(module, compiled, _compat.kept_arguments(compiled))

    # -- what can be run -----------------------------------------------------------------------------------------------

    def _bytecode(self) -> bytes:
        if self._exported is not None:
            return bytes(self._exported.mlir_module_serialized)
        buffer = io.BytesIO()
        self._lower().compiler_ir("stablehlo").operation.write_bytecode(buffer)
        return buffer.getvalue()

    def _examples(self, interface: Interface) -> tuple[Any, ...]:
        """The values of the arguments, by leaf; of a key its numbers. None where no values were given."""
        import jax

        leaves = jax.tree.leaves((self._args, self._kwargs))
        if len(leaves) != len(interface.arguments):
            return (None,) * len(interface.arguments)
        return tuple(_compat_run.value_of(leaf) for leaf in leaves)

    # -- what is known besides -----------------------------------------------------------------------------------------

    def _interface(self, stage: str, module: Module) -> Interface:
        from scanir.readers.jaxpr.interface import exported_interface, jaxpr_interface, staged_interface

        if self._exported is not None:
            return exported_interface(module, self._exported)
        if stage == "jaxpr":
            if self._jaxpr is not None:
                return jaxpr_interface(module, self._jaxpr)
            return staged_interface(module, self._traced, self._function, None, ())
        below = self._lowered if self._lowered is not None else self._compiled
        owner = self._traced if self._traced is not None else below
        kept, constants = _compat.kept_arguments(below), _compat.constant_arguments(below)
        return staged_interface(module, owner, self._function, kept, constants)

    def _options(self) -> tuple[tuple[tuple[str, Any], ...], tuple[str, ...]]:
        """Options for the compiler, and a note where nobody knows them any more."""
        for stage in (self._traced, self._lowered):
            if stage is not None and (found := _compat.compiler_options(stage)) is not None:
                return found, ()
        known = self._jaxpr is not None or self._exported is not None
        return (), () if known else ("compiler options are not known of an object that is compiled already",)


def _of_jaxpr(jaxpr: Any) -> Any:
    """A Traced that does what a jaxpr does."""
    import jax
    import jax.extend.core

    parts = _compat.jaxpr_parts(jaxpr)
    assert parts is not None
    shapes = [
        jax.ShapeDtypeStruct(var.aval.shape, var.aval.dtype, weak_type=bool(getattr(var.aval, "weak_type", False)))
        for var in parts[0].invars
    ]
    return jax.jit(jax.extend.core.jaxpr_as_fun(jaxpr)).trace(*shapes)


def _read_xla(module: Any) -> Module:
    """XLA's module, from its text, with the large constants from the serialized module."""
    from scanir.readers.hlo import read_hlo, read_hlo_proto_literals

    text, proto = _compat.hlo_text_and_proto(module)
    literals = read_hlo_proto_literals(proto()) if "{...}" in text else None
    return read_hlo(text, literals=literals, source="compiled module")


def callbacks(module: Module) -> tuple[Callable, ...]:
    """The host functions of a jaxpr in the order of its equations."""
    ops = (op for function in module.functions for op in ops_of(function.body) if "callback" in op.name)
    found = (attr for op in ops for attr in attrs_in(value for _, value in op.attributes))
    return tuple(attr for attr in found if isinstance(attr, Callable))


def provenance(options: tuple[tuple[str, Any], ...] = ()) -> tuple[tuple[str, str], ...]:
    """Facts of this process, and options for the compiler, that may explain a difference."""
    import jax
    import jaxlib

    device = jax.devices()[0]
    facts = {
        "jax": jax.__version__,
        "jaxlib": jaxlib.__version__,
        "platform": device.platform,
        "device": device.device_kind,
        "devices": str(jax.device_count()),
        "XLA_FLAGS": flags_anywhere(os.environ.get("XLA_FLAGS", "")),
        "compiler options": ", ".join(sorted(f"{name}={value}" for name, value in options)),
        **_compat.flags(),
    }
    return tuple(sorted(facts.items()))


#: Features of a processor that decide what XLA makes of a program.
_FEATURES = ("amx", "asimd", "avx", "bf16", "f16c", "fma", "sse4", "sve")


def machine() -> tuple[tuple[str, str], ...]:
    """Facts of this machine that decide what XLA compiles for its processor: what the processor can, and its cores."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            said = next((line for line in file if line.startswith(("flags", "Features"))), "")
    except OSError:
        said = ""
    features = sorted({word for word in said.partition(":")[2].split() if word.startswith(_FEATURES)})
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0
    return (("cores", str(cores)), ("features", " ".join(features)), ("processor", platform.machine()))


# -- errors ------------------------------------------------------------------------------------------------------------


def _check(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise ArgumentError for arguments that do not fit a function's signature."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a builtin, or an object that only looks callable
        return
    try:
        signature.bind(*args, **kwargs)
    except TypeError as problem:
        name = getattr(function, "__qualname__", type(function).__name__)
        example = ", ".join("f32[3]" for p in signature.parameters.values() if p.default is p.empty)
        raise ArgumentError(
            f"the arguments do not fit {name}: {problem}",
            where=f"{name}{signature}",
            hint=f"for example {example}",
        ) from None


def step(what: str, run: Function[[], Any]) -> Any:
    """Run one step of JAX; whatever the user's function or the compiler raises becomes a TraceError."""
    try:
        return run()
    except ScanirError:
        raise
    except Exception as problem:  # tracing runs the user's code, which may raise anything
        said = [line.strip() for line in str(problem).strip().splitlines() if line.strip()]
        first = " ".join(said[: 2 if said and said[0].endswith(":") else 1])
        raise TraceError(
            f"{type(problem).__name__}: {first}"[:400], where=_where(problem), hint=_hint(problem, what)
        ) from problem


def _where(problem: BaseException) -> str:
    """The innermost line of the user's code on the way to the error."""
    for frame in reversed(traceback.extract_tb(problem.__traceback__)):
        parts = frame.filename.replace("\\", "/").split("/")
        inside = not {"jax", "jaxlib", "scanir", "site-packages"}.isdisjoint(parts)
        if not inside and not frame.filename.startswith("<"):
            return f"{frame.filename}:{frame.lineno}"
    return ""


def _hint(problem: BaseException, what: str) -> str:
    name = type(problem).__name__
    if "TracerBool" in name or "Concretization" in name or "TracerInteger" in name:
        return "the function needs a traced value as a Python value: make that argument static, or use jax.lax.cond"
    if isinstance(problem, TypeError):
        return ""
    return f"{what} failed; --traceback shows all of it"
