"""Host functions and derivative rules inside JAX's wrappers: which ones they are, and what they do when traced.

Promises keys that are equal only for functions that do the same: the same function object with the same values bound
to it. Objects named by a key are kept alive, so that no later object takes their place. What it cannot look into is
named by its place in memory: such a key equals itself only. Imports jax, but only when called.
"""

from __future__ import annotations

import contextlib
import functools
import struct
import types
from collections.abc import Callable, Hashable, Iterator
from typing import Any

Key = tuple[Hashable, ...]

#: Objects named by identity in a key, and the numbers given to keys: both for the life of the process.
_ALIVE: dict[int, Any] = {}
_NUMBERS: dict[Key, int] = {}
#: Nesting of wrappers that is looked into; JAX's own is below ten.
_DEEPEST = 40
#: Parameters of custom derivative calls that hold the rules.
RULES = ("jvp_jaxpr_fun", "jvp_jaxpr_thunk", "fwd_jaxpr_thunk", "bwd")


def identity(value: Any) -> int:
    """A number that two host functions share only if they are one function with the same values bound to it."""
    return number_of(function_key(value))


def number_of(key: Key) -> int:
    """The number of a key, from 1."""
    return _NUMBERS.setdefault(key, len(_NUMBERS) + 1)


def same_object(value: Any) -> Key:
    """The key of an object that equals only itself."""
    _ALIVE[id(value)] = value
    return ("object", id(value))


def function_key(value: Any) -> Key:
    """What a host function is, seen through partials, bound methods and JAX's wrappers."""
    return _key(value, 0)


def rule_key(params: dict[str, Any]) -> Key:
    """What the derivative rules of a custom_jvp_call or custom_vjp_call are."""
    return tuple((name, _key(params[name], 0)) for name in RULES if name in params)


def _key(value: Any, depth: int) -> Key:
    if depth > _DEEPEST:
        return same_object(value)
    kind = type(value)
    if kind in (bool, int, str, bytes) or value is None:
        return (kind.__name__, value)
    if kind is float:
        return ("float", struct.pack("<d", value))
    if kind in (tuple, list):
        return (kind.__name__, *(_key(item, depth + 1) for item in value))
    if kind is dict:
        return ("dict", *((_key(k, depth + 1), _key(v, depth + 1)) for k, v in value.items()))
    if isinstance(value, functools.partial):
        parts = (value.func, value.args, tuple(value.keywords.items()))
        return ("partial", *(_key(part, depth + 1) for part in parts))
    if isinstance(value, types.MethodType):
        return ("method", _key(value.__func__, depth + 1), same_object(value.__self__))
    if isinstance(value, types.FunctionType):
        return _function(value, depth)
    return _jax_object(value, depth) or same_object(value)


def _jax_object(value: Any, depth: int) -> Key | None:
    """The key of one of JAX's own objects whose equality means equal behaviour, or None."""
    import numpy as np
    from jax._src import core, linear_util

    if isinstance(value, linear_util.WrappedFun):
        return _wrapped(value, depth)
    if isinstance(value, (core.Trace, core.DebugInfo, linear_util.Store)) or type(value) is object:
        return ("jax", type(value).__name__)  # bookkeeping: says where and for whom, not what
    if type(value).__name__ == "EqualStore":
        return ("jax", "EqualStore")
    if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        return ("array", str(value.dtype), value.shape, value.tobytes())
    if isinstance(value, core.AbstractValue) or type(value).__name__ == "PyTreeDef" or isinstance(value, np.dtype):
        try:
            hash(value)
        except TypeError:  # static data inside a tree need not be hashable
            return None
        return ("value", type(value).__name__, repr(value), value)
    if type(value).__module__.startswith("jax.") and hasattr(value, "val"):  # a box around a static argument
        return ("box", type(value).__name__, _key(value.val, depth + 1))
    return None


#: Functions of JAX that only put another one off, or lift one over closed-over values -> where that one is. As a rule
#: is traced, JAX lifts it once more: it still is the same rule.
_LAYERS = {
    "_memoize.<locals>.memoized": "fn",
    "DynamicJaxprTrace.process_custom_jvp_call.<locals>.jvp_jaxpr_thunk": "jvp",
    "DynamicJaxprTrace.process_custom_vjp_call.<locals>.fwd_jaxpr_from_zeros": "fwd",
    "lift_jvp.<locals>.jvp": "jvp_jaxpr_fun",
    "lift_fwd.<locals>.fwd": "fwd_jaxpr_thunk",
}


def _wrapped(value: Any, depth: int) -> Key:
    """A function with the transformations that JAX put around it; those that do nothing are left out."""
    around = [
        pair for pair in value.transforms if not (pair[0].__name__ == "_handle_consts_in_bwd" and not any(pair[1]))
    ]
    inside = _key(value.f, depth + 1)
    return ("wrapped", inside, _key(tuple(map(tuple, around)), depth + 1)) if around else inside


def _function(function: types.FunctionType, depth: int) -> Key:
    """A function of JAX's own by name and by what it closes over; any other by identity."""
    module = str(function.__module__)
    if not module.startswith("jax.") or hasattr(function, "__wrapped__"):
        return same_object(function)
    place = (module, function.__qualname__, function.__code__.co_firstlineno)
    if "<locals>" not in function.__qualname__:
        return ("jax", *place)
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    layer = _LAYERS.get(function.__qualname__)
    if layer in cells and not ("num_consts" in cells and cells["num_consts"].cell_contents):
        return _cell(cells[layer], depth + 1)
    inside = tuple((name, _cell(cell, depth + 1)) for name, cell in cells.items())
    return ("closure", *place, inside, _key(function.__defaults__, depth + 1))


def _cell(cell: Any, depth: int) -> Key:
    try:
        return _key(cell.cell_contents, depth)
    except ValueError:
        return ("empty",)


def written_by_user(value: Any) -> Any:
    """The first function inside JAX's wrappers that is not JAX's own, for display; else the value itself."""
    queue, seen = [value], set[int]()
    while queue and len(seen) < 500:
        item = queue.pop(0)
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, types.FunctionType) and not str(item.__module__).startswith("jax."):
            return item
        queue.extend(_inside(item))
    return value


def _inside(item: Any) -> Iterator[Any]:
    if isinstance(item, functools.partial):
        yield item.func
    if isinstance(item, (tuple, list)):
        yield from item
    for name in ("callback_func", "f", "fun", "__func__", "__wrapped__"):
        if (inner := getattr(item, name, None)) is not None:
            yield inner
    for cell in getattr(item, "__closure__", None) or ():
        with contextlib.suppress(ValueError):  # an empty cell
            yield cell.cell_contents


def derivative_jaxpr(eqn: Any) -> Any | None:
    """The derivative rule of a custom_jvp_call or custom_vjp_call equation, traced on abstract values of its operands.

    For a jvp: primals and tangents to both results; for a vjp: operands and cotangents to cotangents. None where the
    rule cannot be traced by itself.
    """
    import jax
    from jax._src import core

    avals = [atom.aval for atom in (*eqn.invars, *eqn.outvars)]
    if any(hasattr(aval, "inner_aval") or not hasattr(aval, "dtype") for aval in avals):
        return None  # references and tokens have no values to trace with
    shapes = [_shape(atom.aval) for atom in eqn.invars]
    outs = [_shape(var.aval) for var in eqn.outvars]
    rule = _jvp_of if eqn.primitive.name == "custom_jvp_call" else _vjp_of
    function, directions = rule(_one_equation(eqn), shapes, outs)
    try:
        with getattr(eqn.ctx, "manager", None) or contextlib.nullcontext():
            traced = jax.make_jaxpr(function)(shapes, directions)
    except Exception:  # noqa: BLE001 - a user's rule may fail in any way outside its own context: it is not traced then
        return None
    return None if any(isinstance(const, core.Tracer) for const in traced.consts) else traced


def _jvp_of(function: Callable[..., Any], shapes: list[Any], outs: list[Any]) -> tuple[Callable[..., Any], list[Any]]:
    import jax

    def jvp(primals: Any, tangents: Any) -> Any:
        given = iter(tangents)
        full = [next(given) if _is_real(shape) else _float0(shape) for shape in shapes]
        return _real_leaves(jax.jvp(function, tuple(primals), tuple(full)))

    return jvp, [shape for shape in shapes if _is_real(shape)]


def _vjp_of(function: Callable[..., Any], shapes: list[Any], outs: list[Any]) -> tuple[Callable[..., Any], list[Any]]:
    import jax

    def vjp(primals: Any, cotangents: Any) -> Any:
        given = iter(cotangents)
        full = [next(given) if _is_real(out) else _float0(out) for out in outs]
        return _real_leaves(jax.vjp(function, *primals)[1](full))

    return vjp, [out for out in outs if _is_real(out)]


def _one_equation(eqn: Any) -> Callable[..., list[Any]]:
    """A function that does what one equation does, derivative rules included."""

    def function(*values: Any) -> list[Any]:
        bound = eqn.primitive.get_bind_params(eqn.params)
        subfuns, params = bound if isinstance(bound, tuple) else ((), bound)  # up to JAX 0.9 a pair
        results = eqn.primitive.bind(*subfuns, *values, **params)
        return list(results) if eqn.primitive.multiple_results else [results]

    return function


def _shape(aval: Any) -> Any:
    import jax

    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=bool(getattr(aval, "weak_type", False)))


def _is_real(value: Any) -> bool:
    """Whether a value has a tangent: its dtype is of floats or complex numbers."""
    import jax

    return bool(jax.numpy.issubdtype(value.dtype, jax.numpy.inexact))


def _float0(shape: Any) -> Any:
    import jax
    import numpy as np

    return np.zeros(shape.shape, jax.dtypes.float0)


def _real_leaves(tree: Any) -> list[Any]:
    import jax

    return [leaf for leaf in jax.tree.leaves(tree) if leaf.dtype != jax.dtypes.float0]
