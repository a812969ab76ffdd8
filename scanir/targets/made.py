"""Arguments that a person's own function makes, by their shapes: ``--args-from m.py:make_args``.

The function runs abstractly: of the arrays it makes only types are known, so that parameters of any size take no
memory. It returns a tuple of positional arguments, a dict of arguments by keyword, or a `scanir.Arguments` for both;
what is no array in it (a number, a string, a function, an array that was there before) comes back as it is, and an
array that the function puts somewhere (``jax.device_put``, ``out_shardings``) keeps its sharding. Refuses a function
that needs the values of its arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from scanir import _compat
from scanir.errors import ArgumentError
from scanir.targets.arguments import Arguments, describe, signature_of
from scanir.targets.expression import evaluate
from scanir.targets.imports import first_line, place
from scanir.targets.leaves import flatten
from scanir.targets.resolve import module_of
from scanir.targets.worlds import world

_FORMS = "return a tuple of positional arguments, a dict of arguments by keyword, or scanir.Arguments(args, kwargs)"


class _NeedsValues(ArgumentError):
    """A function that cannot run on shapes alone."""


def arguments_from(text: str) -> Arguments:
    """The arguments that ``m.py:make_args``, ``pkg.mod:make_args`` or ``m.py:make_args(2)`` makes.

    The name may also be of a tuple, a dict or an Arguments. Raises ScanirError.
    """
    module, expression, directory = module_of(text, "m.py:make_args")
    with world(directory):
        found = evaluate(module, expression, text, defer=True)
        if isinstance(found, (Arguments, tuple, list, dict)):
            return as_arguments(found, text)
        if not callable(found):
            what = f"{text} is neither a function nor a tuple or dict, but a {type(found).__name__}"
            raise ArgumentError(what, hint=_FORMS)
        return make_arguments(found, text)


def make_arguments(function: Callable[[], Any], label: str, *, values: bool = False) -> Arguments:
    """The arguments that a function makes, which is run on shapes alone. Raises ArgumentError.

    ``values``: a function that needs the values of its arrays is run once more, for real.
    """
    _takes_nothing(function, label)
    try:
        return _abstractly(function, label)
    except _NeedsValues:
        if not values:
            raise
    return as_arguments(function(), label)


def as_arguments(value: Any, label: str) -> Arguments:
    """What a function may return for arguments, as Arguments. Raises ArgumentError."""
    if isinstance(value, Arguments):
        return value
    if isinstance(value, dict):
        if all(isinstance(name, str) and name.isidentifier() for name in value):
            return Arguments((), dict(value))
        raise ArgumentError(f"{label} gives a dict whose keys are not names of arguments", hint=_FORMS)
    # A named tuple is one value with parts, such as a training state: not a list of arguments.
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return Arguments(tuple(value))
    what = "array" if hasattr(value, "shape") else type(value).__name__
    raise ArgumentError(
        f"{label} gives one value ({what}), not a tuple of arguments",
        hint=f"for one argument return a tuple of one: return (x,); {_FORMS}",
    )


def _takes_nothing(function: Callable[..., Any], label: str) -> None:
    signature = signature_of(function)
    try:
        if signature is not None:
            signature.bind()
    except TypeError:
        raise ArgumentError(
            f"{label} needs arguments itself",
            where=describe(function),
            hint=f"give them in the name: {label.partition('(')[0]}(2)",
        ) from None


def _abstractly(function: Callable[[], Any], label: str) -> Arguments:
    """Trace a function for the types of what it returns."""
    import jax

    kept: list[tuple[Any, list[Any], frozenset[int | str]]] = []

    def arrays() -> list[Any]:
        made = as_arguments(function(), label)
        leaves, tree = flatten((made.args, made.kwargs), f"of {label}")
        for path, leaf in leaves:
            _refuse_hidden(leaf, f"{label}, {jax.tree_util.keystr(path)}")
        kept.append((tree, [None if _compat.is_tracer(leaf) else leaf for _, leaf in leaves], made.static))
        return [leaf for _, leaf in leaves if _compat.is_tracer(leaf)]

    try:
        jaxpr = jax.jit(arrays).trace().jaxpr
    except ArgumentError:
        raise
    except (Exception, SystemExit) as problem:  # whatever a person's function raises is theirs to know
        raise _failed(problem, label) from problem
    tree, others, static = kept[-1]
    given = map(_typed, _compat.result_types(jaxpr), _compat.placed(jaxpr))
    args, kwargs = jax.tree.unflatten(tree, [next(given) if leaf is None else leaf for leaf in others])
    return Arguments(args, kwargs, static)


def _refuse_hidden(leaf: Any, name: str) -> None:
    """Raise ArgumentError for a static object that holds an array of this trace, which would be lost with it."""
    import jax

    if _compat.is_tracer(leaf) or isinstance(leaf, type) or hasattr(leaf, "dtype"):
        return
    cells = [cell.cell_contents for cell in getattr(leaf, "__closure__", None) or ()]
    held = [*getattr(leaf, "__dict__", {}).values(), *cells]
    slots = getattr(type(leaf), "__slots__", ())
    held += [getattr(leaf, name, None) for name in slots if isinstance(name, str) and not name.startswith("__")]
    if isinstance(leaf, functools.partial):
        held += [leaf.args, leaf.keywords]
    if any(_compat.is_tracer(inner) for inner in jax.tree.leaves(held)):
        raise ArgumentError(
            f"{name}: a {type(leaf).__name__} holds an array that JAX does not see",
            hint="register its class as a pytree, use jax.tree_util.Partial for a function, or give the array as an "
            "argument of its own",
        )


def _typed(aval: Any, sharding: Any) -> Any:
    """A ShapeDtypeStruct for what was made, with the sharding it was given."""
    import jax

    known: Any = getattr(aval, "sharding", None)  # its mesh is empty where no axis is "explicit"
    if sharding is None and known is not None and known.mesh.axis_names:
        sharding = known
    weak = bool(getattr(aval, "weak_type", False))
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding, weak_type=weak)


def _failed(problem: BaseException, label: str) -> ArgumentError:
    import jax

    concrete = (
        jax.errors.ConcretizationTypeError,
        jax.errors.TracerArrayConversionError,
        jax.errors.TracerIntegerConversionError,
    )
    if isinstance(problem, concrete):
        return _NeedsValues(
            f"{label} needs the values of arrays it makes, but only their shapes are known: {first_line(problem)}",
            where=place(problem),
            hint="compute sizes and choices with Python numbers or numpy; or name a value that was made before, "
            "such as a tuple at the top of the module",
        )
    return ArgumentError(
        f"{label} failed: {type(problem).__name__}: {first_line(problem)}",
        where=place(problem),
        hint="it is run on shapes alone, as jax.eval_shape does; --traceback shows the whole of it",
    )
