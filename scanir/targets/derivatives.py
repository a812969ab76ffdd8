"""Derivatives of a call: ``grad`` and ``value_and_grad``; ``jvp`` and ``vjp``, which add (co)tangents as an argument.

Derivatives are taken of positional arguments, as in JAX. What has no tangent (integers, keys) gets none, and
derivatives of it, which are empty, are left out of the results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scanir.errors import ArgumentError
from scanir.targets.calls import Call, added, called, outline, shapes
from scanir.targets.under import Transform


def grad(call: Call, transform: Transform) -> Call:
    import jax

    options = {name: value for name, value in transform.options if name != "argnums"}
    chosen = transform.option("argnums", 0)
    several = isinstance(chosen, (tuple, list))
    numbers = tuple(_number(call, transform, k) for k in (chosen if several else (chosen,)))
    make = jax.grad if transform.name == "grad" else jax.value_and_grad
    function = make(_scalar(call, transform), argnums=numbers if several else numbers[0], **options)

    def derivative(*args: Any, **kwargs: Any) -> Any:
        return _real(function(*args, **kwargs))

    return replace(call, function=called(derivative, call.function))


def _number(call: Call, transform: Transform, wanted: int) -> int:
    """The positional argument now that stood at a position of the person's call."""
    count = len(call.numbers)
    if not -count <= wanted < count:
        raise ArgumentError(
            f"{transform} is about positional argument {wanted}, and there are {count}",
            where=call.listed(),
            hint="derivatives are taken of positional arguments: give them without a name" if call.kwargs else "",
        )
    number = call.numbers[wanted]
    if number is None:
        raise ArgumentError(
            f"{transform} is about argument {wanted}, which is static and has no derivative",
            where=call.listed(),
            hint=f"{transform.name}(argnums=N) takes another one, counted from 0",
        )
    return number


def _scalar(call: Call, transform: Transform) -> Callable[..., Any]:
    """The function, which says clearly when its result is none that a gradient is defined of."""

    def scalar(*args: Any, **kwargs: Any) -> Any:
        import jax

        found = call.function(*args, **kwargs)
        value = found
        if transform.option("has_aux"):
            if not (isinstance(found, tuple) and len(found) == 2):
                raise ArgumentError(
                    f"{transform} wants a pair (value, aux), and {call.label} returns {outline(found)}",
                    hint="leave has_aux out, or return a pair",
                )
            value = found[0]
        leaves = jax.tree.leaves(value)
        if len(leaves) != 1 or value is not leaves[0] or getattr(value, "shape", ()) != ():
            also = ", has_aux=True for a pair (value, aux)" if isinstance(found, tuple) and len(found) == 2 else ""
            raise ArgumentError(
                f"{transform.name} wants a scalar result, and {call.label} returns {outline(found)}",
                hint=f"vjp takes a cotangent of each result, jvp tangents of the arguments{also}",
            )
        return found

    return called(scalar, call.function)


def jvp(call: Call, transform: Transform) -> Call:
    import jax

    def derivative(*args: Any, **kwargs: Any) -> Any:
        *primals, tangents = args
        full = tuple(_completed(x, t) for x, t in zip(primals, tangents, strict=True))
        return _real(
            jax.jvp(
                lambda *xs: call.function(*xs, **kwargs),
                tuple(primals),
                full,
                has_aux=transform.option("has_aux", False),
            )
        )

    if not any(map(_is_real, jax.tree.leaves(shapes(call.args)))):
        raise ArgumentError(
            f"{transform}: no positional argument of {call.label} has a tangent",
            where=call.listed(),
            hint="tangents are of floats and complex numbers, given without a name",
        )
    return added(call, derivative, "tangent", tuple(jax.tree.map(_tangent, x) for x in call.args))


def vjp(call: Call, transform: Transform) -> Call:
    import jax

    aux = bool(transform.option("has_aux", False))

    def derivative(*args: Any, **kwargs: Any) -> Any:
        *primals, cotangents = args
        value, pull, *rest = jax.vjp(lambda *xs: call.function(*xs, **kwargs), *primals, has_aux=aux)
        return _real((value, pull(_completed(value, cotangents)), *rest))

    result = jax.eval_shape(call.function, *call.args, **call.kwargs)
    if aux:
        if not (isinstance(result, tuple) and len(result) == 2):
            raise ArgumentError(f"{transform} wants a pair (value, aux), and {call.label} returns {outline(result)}")
        result = result[0]
    cotangents = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if _is_real(leaf) else None,
                              result)  # fmt: skip
    if not jax.tree.leaves(cotangents):
        raise ArgumentError(
            f"{transform}: no result of {call.label} has a cotangent",
            where=f"it returns {outline(result)}",
            hint="cotangents are of floats and complex numbers",
        )
    return added(call, derivative, "cotangent", cotangents)


def _is_real(leaf: Any) -> bool:
    """Whether a leaf has a tangent."""
    import jax

    return bool(jax.numpy.issubdtype(leaf.dtype, jax.numpy.inexact))


def _tangent(leaf: Any) -> Any:
    """An example of a tangent; None where there is none."""
    shape = shapes(leaf)
    return shape if _is_real(shape) else None


def _completed(values: Any, given: Any) -> Any:
    """(Co)tangents with the empty ones put in where there are none."""
    import jax
    import numpy as np

    def complete(value: Any, own: Any) -> Any:
        if value is None or own is not None:
            return own
        return np.zeros(np.shape(value), jax.dtypes.float0)

    return jax.tree.map(complete, values, given, is_leaf=lambda x: x is None)


def _real(tree: Any) -> Any:
    """Results without the empty derivatives."""
    import jax

    empty = jax.dtypes.float0
    return jax.tree.map(lambda leaf: None if getattr(leaf, "dtype", None) == empty else leaf, tree)
