"""Every use of JAX internals, one function each; what each needs is named by its test.

Works with JAX 0.5.3 to the newest. Imports jax, but only when called.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any


def jaxpr_parts(value: Any) -> tuple[Any, Sequence[Any]] | None:
    """(jaxpr, consts) of a ClosedJaxpr or Jaxpr; None for anything else. In JAX 0.12 both are one class."""
    from jax._src import core

    closed = getattr(core, "ClosedJaxpr", None)
    if closed is not None and isinstance(value, closed):
        return value.jaxpr, value.consts
    return (value, getattr(value, "consts", ())) if isinstance(value, core.Jaxpr) else None


def is_literal(atom: Any) -> bool:
    """Whether an operand of an equation is written there and not a variable."""
    from jax._src import core

    return isinstance(atom, core.Literal)


def scan_split(params: dict[str, Any]) -> tuple[int, int, frozenset[str]]:
    """(number of consts, number of carries, parameters that say so) of a scan equation."""
    if "num_carry" in params:
        return params["num_consts"], params["num_carry"], frozenset({"num_consts", "num_carry"})
    consts, carries, _ = params["ft_in"].unpack()
    return len(list(consts.vals)), len(list(carries.vals)), frozenset({"ft_in", "ft_out"})


def user_location(source_info: Any) -> tuple[str, int, str] | None:
    """(file, line, function) of the innermost frame of the user's code, or None."""
    from jax._src import source_info_util

    try:
        frame = source_info_util.user_frame(getattr(source_info, "traceback", None))
    except (AttributeError, TypeError):  # up to JAX 0.6 it takes the source info itself
        frame = source_info_util.user_frame(source_info)
    return None if frame is None else (frame.file_name, frame.start_line, frame.function_name)


def equation_context(ctx: Any) -> dict[str, Any]:
    """What the equation's context says beyond the defaults; ``threefry_partitionable`` always."""
    slots = [name for name in getattr(type(ctx), "__slots__", ()) if not name.startswith("_") and name != "manager"]
    found = {name: getattr(ctx, name, None) for name in slots}
    quiet = (None, False)
    mesh = found.get("cur_abstract_mesh")
    if mesh is not None and not getattr(mesh, "shape", None):
        found.pop("cur_abstract_mesh")
    if str(found.get("cur_layout_mode", "")).endswith("AUTO"):
        found.pop("cur_layout_mode")
    if not found.get("no_collectives"):
        found.pop("no_collectives", None)
    return {name: value for name, value in found.items() if name == "threefry_partitionable" or value not in quiet}


def derivative_jaxpr(eqn: Any) -> Any | None:
    """The derivative rule of a custom_jvp_call or custom_vjp_call equation, traced on abstract values of its operands.

    For a jvp: primals and tangents to both results; for a vjp: operands and cotangents to cotangents. None where the rule
    cannot be traced.
    """
    import jax

    avals = [atom.aval for atom in eqn.invars]
    shapes = [jax.ShapeDtypeStruct(aval.shape, aval.dtype) for aval in avals]
    inexact = [jax.numpy.issubdtype(shape.dtype, jax.numpy.inexact) for shape in shapes]
    outs = [jax.ShapeDtypeStruct(var.aval.shape, var.aval.dtype) for var in eqn.outvars]
    function = _one_equation(eqn)

    def jvp(primals: Any, tangents: Any) -> Any:
        given = iter(tangents)
        full = [next(given) if real else _float0(shape) for real, shape in zip(inexact, shapes, strict=True)]
        return _real_leaves(jax.jvp(function, tuple(primals), tuple(full)))

    def vjp(primals: Any, cotangents: Any) -> Any:
        given = iter(cotangents)
        full = [next(given) if _is_real(out) else _float0(out) for out in outs]
        return _real_leaves(jax.vjp(function, *primals)[1](list(full)))

    try:
        if eqn.primitive.name == "custom_jvp_call":
            return jax.make_jaxpr(jvp)(shapes, [s for s, real in zip(shapes, inexact, strict=True) if real])
        return jax.make_jaxpr(vjp)(shapes, [out for out in outs if _is_real(out)])
    except Exception:  # a user's rule may fail in any way outside its own context: then it is not to be traced here
        return None


def _one_equation(eqn: Any) -> Any:
    """A function that does what one equation does, derivative rules included."""
    def function(*values: Any) -> Any:
        bound = eqn.primitive.get_bind_params(eqn.params)
        subfuns, params = bound if isinstance(bound, tuple) else ((), bound)  # up to JAX 0.9 a pair
        results = eqn.primitive.bind(*subfuns, *values, **params)
        return list(results) if eqn.primitive.multiple_results else [results]

    return function


def _is_real(value: Any) -> bool:
    import jax

    return bool(jax.numpy.issubdtype(value.dtype, jax.numpy.inexact))


def _float0(shape: Any) -> Any:
    import jax
    import numpy as np

    return np.zeros(shape.shape, jax.dtypes.float0)


def _real_leaves(tree: Any) -> list[Any]:
    import jax

    return [leaf for leaf in jax.tree.leaves(tree) if leaf.dtype != jax.dtypes.float0]


#: Modules of JAX in which the wrappers of a rule live, not the rule.
_PLUMBING = ("custom_derivatives", "linear_util", "partial_eval", "api_util", "core", "interpreters", "tree_util", "profiler")


def rule_function(params: dict[str, Any]) -> Any:
    """The function that a derivative rule is, found in the closures of JAX's wrappers; None if it is not found."""
    names = ("jvp_jaxpr_fun", "jvp_jaxpr_thunk", "bwd")
    queue = [params[name] for name in names if name in params]
    seen: set[int] = set()
    while queue and len(seen) < 200:
        value = queue.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        module = str(getattr(value, "__module__", "") or "")
        if hasattr(value, "__code__") and not any(part in module.split(".") for part in _PLUMBING):
            return value
        queue += [getattr(value, name) for name in ("f", "func", "__wrapped__") if hasattr(value, name)]
        for cell in getattr(value, "__closure__", None) or ():
            try:
                inner = cell.cell_contents
            except ValueError:  # an empty cell
                continue
            if callable(inner) or hasattr(inner, "f"):
                queue.append(inner)
    return None


def user_function(value: Any) -> Any:
    """The function a person wrote inside JAX's wrappers of callbacks and rules."""
    for _ in range(16):
        if isinstance(value, functools.partial):
            return value
        for name in ("callback_func", "callback", "f", "fun", "__wrapped__"):
            inner = getattr(value, name, None)
            if callable(inner) and inner is not value:
                value = inner
                break
        else:
            return value
    return value


def kept_arguments(lowered_or_compiled: Any) -> tuple[int, ...] | None:
    """Indices of the flattened arguments that are parameters of the module, or None where JAX does not say."""
    lowering = getattr(lowered_or_compiled, "_lowering", None)
    if lowering is not None:
        kept = lowering.compile_args.get("kept_var_idx")
    else:
        kept = getattr(getattr(lowered_or_compiled, "_executable", None), "_kept_var_idx", None)
    return None if kept is None else tuple(sorted(kept))


def constant_arguments(lowered: Any) -> tuple[Any, ...]:
    """Values that JAX passes to the module as leading arguments instead of as constants in it."""
    return tuple(getattr(getattr(lowered, "_lowering", None), "const_args", None) or ())


def hlo_text_and_proto(module: Any) -> tuple[str, bytes]:
    """Text of an XLA module with large constants elided, and the serialized module that holds them."""
    return module.to_string(), module.as_serialized_hlo_module_proto()


def optimized_module(compiled: Any) -> Any:
    """XLA's optimized module of a Compiled."""
    return compiled.runtime_executable().hlo_modules()[0]


def unoptimized_module(lowered: Any) -> Any:
    """XLA's module of a Lowered, before optimization."""
    computation = lowered.compiler_ir("hlo")
    return computation.get_hlo_module() if hasattr(computation, "get_hlo_module") else computation.as_hlo_module()


def without_persistent_cache() -> Any:
    """A context in which compiling uses no persistent cache: its entries carry the lines of whoever compiled first."""
    from jax._src import config

    return config.enable_compilation_cache(False)


def registered_primitives() -> frozenset[str]:
    """Names of all primitives that JAX can lower on any platform."""
    from jax._src.interpreters import mlir

    tables = [mlir._lowerings, *mlir._platform_specific_lowerings.values()]
    return frozenset(primitive.name for table in tables for primitive in table)
