"""Tracers: a function, or any of JAX's staged objects, brought to the stages of its compilation and read.

``jax.jit(f).trace(...)`` gives the jaxpr, ``.lower()`` StableHLO and the HLO before optimization, ``.compile()`` the optimized HLO.
A jitted function is used as it is, with its options. The function is traced, never run.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scanir import _compat
from scanir.errors import ScanirError, TraceError
from scanir.ir.attrs import Attr, Callable, Int, Seq, Text
from scanir.ir.graph import Module
from scanir.ir.walk import attrs_in, ops_of
from scanir.program import Argument, Interface, Program

#: In the order in which one comes from the other.
_ORDER = ("jaxpr", "stablehlo", "hlo-in", "hlo")


def trace(target: Any, args: Sequence[Any], kwargs: Mapping[str, Any], stages: Iterable[str]) -> dict[str, Program]:
    """The programs of a target at the given stages.

    ``args`` and ``kwargs`` are pytrees of arrays, shapes and Python scalars (not used by staged objects). Raises TraceError for
    what cannot be traced, lowered or compiled, and for a stage that a staged object cannot give any more.
    """
    staged = _Staged(target, tuple(args), dict(kwargs))
    return {stage: staged.program(stage) for stage in stages}


class _Staged:
    """One target with what it was brought to so far."""

    def __init__(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        import jax
        import jax.export

        self._target, self._args, self._kwargs = target, args, kwargs
        self._traced = self._lowered = self._compiled = self._jaxpr = self._exported = None
        if isinstance(target, jax.stages.Lowered):
            self._lowered = target
        elif isinstance(target, jax.stages.Compiled):
            self._compiled = target
        elif isinstance(target, jax.export.Exported):
            self._exported = target
        elif _compat.jaxpr_parts(target) is not None:
            self._jaxpr = target
            self._target = jax.jit(jax.extend.core.jaxpr_as_fun(target)) if hasattr(jax, "extend") else target
        elif hasattr(target, "jaxpr") and hasattr(target, "lower") and not hasattr(target, "trace"):
            self._traced = target

    def program(self, stage: str) -> Program:
        reader = {"jaxpr": self._read_jaxpr, "stablehlo": self._read_stablehlo, "hlo-in": self._read_input, "hlo": self._read_hlo}
        module = _staged(f"reaching stage {stage}", reader[stage])
        return Program(
            stage, module, self._interface(stage, module), callbacks=_callbacks(module) if stage == "jaxpr" else None,
            provenance=provenance(), notes=(),
        )  # fmt: skip

    # -- stages ------------------------------------------------------------------------------------------------------------

    def _trace(self) -> Any:
        if self._traced is None:
            if self._lowered is not None or self._compiled is not None or self._exported is not None:
                raise TraceError(
                    f"a {type(self._lowered or self._compiled or self._exported).__name__} has no jaxpr any more",
                    hint="give the function itself, or ask for a later stage",
                )
            import jax

            target = self._target
            if self._jaxpr is not None:
                parts = _compat.jaxpr_parts(self._jaxpr)
                assert parts is not None
                self._args = tuple(_shape(var.aval) for var in parts[0].invars)
            if not hasattr(target, "trace"):
                target = jax.jit(target)
            self._traced = target.trace(*self._args, **self._kwargs)
        return self._traced

    def _lower(self) -> Any:
        if self._lowered is None:
            if self._compiled is not None:
                raise TraceError("a Compiled has no StableHLO any more", hint="give the function itself, or stage hlo")
            if not hasattr(self._target, "trace") and hasattr(self._target, "lower") and self._traced is None:
                self._lowered = self._target.lower(*self._args, **self._kwargs)
            else:
                self._lowered = self._trace().lower()
        return self._lowered

    def _compile(self) -> Any:
        if self._compiled is None:
            with _compat.without_persistent_cache():
                self._compiled = self._lower().compile()
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
        compiled = self._compile()
        return _with_splits(_read_xla(_compat.optimized_module(compiled)), compiled)

    # -- interface -----------------------------------------------------------------------------------------------------------

    def _interface(self, stage: str, module: Module) -> Interface:
        """How the module's parameters hang on the function's arguments; the module's own where JAX does not say."""
        params = module.function(module.entry).body.params
        owner = self._traced or self._lowered or self._compiled
        if owner is None:
            arguments = tuple(Argument(p.name or f"argument {k}", p.type, k) for k, p in enumerate(params))
            return Interface(arguments, tuple(range(len(params))))
        arguments = _arguments(owner, self._target)
        results, output_tree = _results(owner)
        positions: Sequence[int] | None = range(len(arguments))
        constants: dict[int, Attr] = {}
        if stage != "jaxpr":
            positions = _compat.kept_arguments(self._lowered or self._compiled)
            if stage == "hlo" and positions is None:
                positions = _compat.kept_arguments(self._compiled)
        kept, constants = self._kept(module, tuple(positions if positions is not None else range(len(arguments))), len(arguments))
        return Interface(arguments, kept, results, tuple(sorted(constants.items())), str(owner.in_tree), output_tree)

    def _kept(self, module: Module, positions: tuple[int, ...], count: int) -> tuple[tuple[int, ...], dict[int, Attr]]:
        """For each parameter its argument, or -1 for tokens and for closed-over values, which are constants."""
        from scanir.ir.types import TOKEN
        from scanir.readers.jaxpr.params import read_array

        params = module.function(module.entry).body.params
        values = _compat.constant_arguments(self._lowered) if self._lowered is not None else ()
        real = [k for k, param in enumerate(params) if param.type != TOKEN]
        extra = len(real) - len(positions)
        if extra != len(values):
            if extra == 0:
                values = ()
            else:
                raise TraceError(
                    f"the module has {len(real)} parameters where {len(positions)} arguments and {len(values)} constants are known",
                    hint="please report this with the function",
                )
        kept = [-1] * len(params)
        constants: dict[int, Attr] = {}
        for number, k in enumerate(real):
            if number < extra:
                constants[k] = read_array(values[number])
            else:
                kept[k] = positions[number - extra]
        return tuple(kept), constants


def _read_xla(module: Any) -> Module:
    """XLA's module, from its text, with the large constants from the serialized module."""
    from scanir.readers.hlo import read_hlo, read_hlo_proto_literals

    text, proto = _compat.hlo_text_and_proto(module)
    return read_hlo(text, literals=read_hlo_proto_literals(proto) if "{...}" in text else None, source="compiled module")


def _with_splits(module: Module, compiled: Any) -> Module:
    """A partitioned module with the way its arguments and results are split over devices, which its text does not say.

    The same program for each device means another function when the pieces are put together in another way.
    """
    import jax

    partitions = module_int(module, "num_partitions")
    if partitions is None or partitions < 2:
        return module
    given = jax.tree.leaves(compiled.input_shardings, is_leaf=lambda x: hasattr(x, "device_set") or x is None)
    returned = jax.tree.leaves(compiled.output_shardings, is_leaf=lambda x: hasattr(x, "device_set") or x is None)
    avals = jax.tree.leaves(compiled.in_avals, is_leaf=lambda x: hasattr(x, "dtype"))
    kept = _compat.kept_arguments(compiled)
    if kept is not None and len(given) == len(avals):
        given, avals = [given[k] for k in kept], [avals[k] for k in kept]
    outs = jax.tree.leaves(compiled.out_info, is_leaf=lambda x: hasattr(x, "dtype"))
    splits = {
        "split of arguments": Seq(tuple(map(_split, given, avals))),
        "split of results": Seq(tuple(map(_split, returned, outs))),
    }
    return replace(module, attributes=tuple(sorted((*module.attributes, *splits.items()))))


def _split(sharding: Any, aval: Any) -> Attr:
    """Which part of a value each device holds."""
    if sharding is None:
        return Text("not said")
    parts = sharding.devices_indices_map(tuple(aval.shape))
    return Text("; ".join(sorted(f"{device.id}: {[(s.start, s.stop, s.step) for s in index]}" for device, index in parts.items())))


def module_int(module: Module, name: str) -> int | None:
    """An integer attribute of a module."""
    for key, value in module.attributes:
        if key == name and isinstance(value, Int):
            return value.value
    return None


def _shape(aval: Any) -> Any:
    import jax

    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=getattr(aval, "weak_type", False))


def _arguments(owner: Any, function: Any) -> tuple[Argument, ...]:
    """The flattened arguments with names as a person would write them."""
    import jax

    from scanir.readers.jaxpr.types import read_type

    names = _parameter_names(function)
    leaves, _ = jax.tree_util.tree_flatten_with_path(owner.args_info, is_leaf=lambda x: hasattr(x, "donated"))
    avals = jax.tree.leaves(owner.in_avals, is_leaf=lambda x: hasattr(x, "dtype"))
    found = []
    for (path, info), aval in zip(leaves, avals, strict=True):
        first, rest = path[0], path[1:]
        keyword = getattr(first, "idx", None) == 1 if hasattr(first, "idx") else False
        position = getattr(rest[0], "idx", -1) if rest and not keyword else -1
        text = jax.tree_util.keystr(rest[1:])
        if keyword:
            name = str(getattr(rest[0], "key", rest[0]))
        else:
            name = names[position] if 0 <= position < len(names) else f"argument {position}"
        found.append(Argument(f"{name}{text}", read_type(aval), position, text, keyword, bool(getattr(info, "donated", False))))
    return tuple(found)


def _parameter_names(function: Any) -> list[str]:
    """Names of positional parameters that are arrays: those that jit keeps static are not among the arguments."""
    import inspect

    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    names: list[str] = []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}[{k}]" for k in range(256)]
        elif parameter.kind is not parameter.KEYWORD_ONLY:
            names.append(parameter.name)
    return names


def _results(owner: Any) -> tuple[tuple[str, ...], str]:
    import jax

    tree = getattr(owner, "out_tree", None)
    info = getattr(owner, "out_info", None)
    if tree is None:
        return (), ""
    paths = [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_flatten_with_path(info)[0]]
    return tuple(paths), str(tree)


def _callbacks(module: Module) -> tuple[Callable, ...]:
    """The host functions of a jaxpr in the order of its equations."""
    ops = (op for function in module.functions for op in ops_of(function.body) if "callback" in op.name)
    return tuple(
        attr for op in ops for attr in attrs_in(value for _, value in op.attributes) if isinstance(attr, Callable)
    )


def provenance() -> tuple[tuple[str, str], ...]:
    """Facts of this process that may explain a difference."""
    import os

    import jax
    import jaxlib

    device = jax.devices()[0]
    facts = {
        "jax": jax.__version__,
        "jaxlib": jaxlib.__version__,
        "platform": device.platform,
        "device": device.device_kind,
        "devices": str(jax.device_count()),
        "XLA_FLAGS": os.environ.get("XLA_FLAGS", ""),
    }
    for flag in ("jax_enable_x64", "jax_default_matmul_precision", "jax_threefry_partitionable", "jax_default_prng_impl"):
        facts[flag] = str(getattr(jax.config, flag, None))
    return tuple(sorted(facts.items()))


def _staged(what: str, step: Any) -> Any:
    """Run one step of JAX; whatever the user's function or the compiler raises becomes a TraceError."""
    try:
        return step()
    except ScanirError:
        raise
    except Exception as problem:  # tracing runs the user's code, which may raise anything
        first = next(iter(str(problem).strip().splitlines()), "")
        raise TraceError(f"{type(problem).__name__}: {first}"[:400], where=_where(problem), hint=_hint(problem, what)) from problem


def _where(problem: BaseException) -> str:
    """The innermost line of the user's code on the way to the error."""
    for frame in reversed(traceback.extract_tb(problem.__traceback__)):
        inside = any(f"/{part}/" in frame.filename.replace("\\", "/") for part in ("jax", "jaxlib", "scanir", "site-packages"))
        if not inside and not frame.filename.startswith("<"):
            return f"{frame.filename}:{frame.lineno}"
    return ""


def _hint(problem: BaseException, what: str) -> str:
    name = type(problem).__name__
    if "TracerBool" in name or "Concretization" in name or "TracerInteger" in name:
        return "the function branches on a traced value; make that argument static, or use jax.lax.cond"
    if isinstance(problem, TypeError):
        return ""
    return f"{what} failed; --traceback shows all of it"
