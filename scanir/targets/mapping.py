"""``vmap`` of a call: the function mapped over new axes, and its example arguments with these axes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scanir.errors import ArgumentError
from scanir.targets.calls import Call, called, outline, shapes
from scanir.targets.under import Transform

#: Elements of the axis that vmap adds, unless axis_size says another number.
AXIS_SIZE = 8


def vmap(call: Call, transform: Transform) -> Call:
    import jax

    size = transform.option("axis_size", AXIS_SIZE)
    axes = _axes(call, transform)
    options = {name: value for name, value in transform.options if name not in ("in_axes", "out_axes")}
    # Out axes may be a list in JAX too, but a tuple of results asks for a tuple.
    out_axes = transform.option("out_axes", 0)

    def mapped(*args: Any, **kwargs: Any) -> Any:
        return jax.vmap(call.function, in_axes=axes, out_axes=out_axes, **options)(*args, **kwargs)

    args = tuple(
        _batched(value, axis, size, f"{transform}: argument {slot.word}")
        for value, axis, slot in zip(call.args, axes, call.slots, strict=True)
    )
    kwargs = {name: _batched(value, 0, size, f"{transform}: {name}") for name, value in call.kwargs.items()}
    return replace(call, function=called(mapped, call.function), args=args, kwargs=kwargs)


def _axes(call: Call, transform: Transform) -> tuple[Any, ...]:
    """One specification of axes for each positional argument."""
    given = transform.option("in_axes", 0)
    if not isinstance(given, (tuple, list)):
        if isinstance(given, dict):
            raise ArgumentError(f"{transform}: in_axes is a whole number, None or a tuple, one an argument",
                                where=call.listed())  # fmt: skip
        return (given,) * len(call.args)
    if len(given) != len(call.numbers):
        raise ArgumentError(
            f"{transform}: in_axes is for {len(given)} arguments, and there are {len(call.numbers)}",
            where=call.listed(),
            hint="one axis an argument, None for those that are not mapped; keywords are mapped over axis 0",
        )
    for number, axis in zip(call.numbers, given, strict=True):
        if number is None and axis is not None:
            raise ArgumentError(
                f"{transform}: a static argument cannot be mapped", where=call.listed(), hint="its axis is None"
            )
    return tuple(axis for number, axis in zip(call.numbers, given, strict=True) if number is not None)


def _batched(value: Any, axis: Any, size: int, where: str) -> Any:
    """An example with the new axis. ``axis`` is a tree as deep as the option was written, which the grammar bounds."""
    import jax

    if axis is None:
        return value
    if isinstance(axis, int):
        return jax.tree.map(lambda leaf: _longer(leaf, axis, size, where), value)
    if isinstance(axis, dict):
        if isinstance(value, dict) and axis.keys() == value.keys():
            return {key: _batched(value[key], axis[key], size, f"{where}[{key!r}]") for key in value}
    elif isinstance(value, (tuple, list)) and len(value) == len(axis):
        parts = [_batched(v, a, size, f"{where}[{k}]") for k, (v, a) in enumerate(zip(value, axis, strict=True))]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    raise ArgumentError(
        f"{where} is {outline(value)}, and its axes are {axis}",
        hint="a whole number holds for all of a pytree; a tuple or dict of axes has the form of the argument",
    )


def _longer(leaf: Any, axis: int, size: int, where: str) -> Any:
    import jax

    shape = shapes(leaf)
    rank = len(shape.shape) + 1
    if not -rank <= axis < rank:
        raise ArgumentError(f"{where} is {outline(shape)}: a new axis cannot be number {axis}")
    at = axis % rank
    longer = (*shape.shape[:at], size, *shape.shape[at:])
    return jax.ShapeDtypeStruct(longer, shape.dtype, weak_type=bool(getattr(shape, "weak_type", False)))
