"""A call that transforms change: a function of arrays, its example arguments, and what each argument is called.

Static values are bound first: those that a person gave as static, and those of the function's own jit, which stays
inside. Positions (of argnums, in_axes) are those of the person's own call, static arguments included.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from scanir import _compat
from scanir.program import Argument, Interface
from scanir.targets.arguments import Arguments
from scanir.targets.leaves import argument_names
from scanir.targets.specs import written

_FIRST = re.compile(r"\[(\d+)\](.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Slot:
    """What a positional argument of a transformed function is. ``kind``: ``own``, ``tangent`` or ``cotangent``;
    ``word`` names it (a parameter's name, or ``tangent``, ``cotangent``, with a number from the second on)."""

    kind: str
    word: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function of arrays alone with example arguments. ``slots``: one a positional argument. ``numbers``: for each
    position of the person's call the positional argument it is now; None for a static one."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    slots: tuple[Slot, ...]
    numbers: tuple[int | None, ...]
    label: str

    def listed(self) -> str:
        """The positional arguments by name, for errors."""
        return f"{self.label}({', '.join(slot.word for slot in self.slots)})"


def call_of(function: Any, arguments: Arguments, label: str) -> Call:
    """A call with its static values bound: those of the arguments, and those of the function's own jit."""
    static = _static(function, arguments)
    dynamic = [k for k in range(len(arguments.args)) if k not in static]
    names = {name: value for name, value in arguments.kwargs.items() if name not in static}
    fixed = {name: value for name, value in arguments.kwargs.items() if name in static}
    written = argument_names(function, len(arguments.args))

    def bound(*args: Any, **kwargs: Any) -> Any:
        given = list(arguments.args)
        for k, value in zip(dynamic, args, strict=True):
            given[k] = value
        return function(*given, **fixed, **kwargs)

    return Call(
        called(bound, function),
        tuple(arguments.args[k] for k in dynamic),
        names,
        tuple(Slot("own", written[k]) for k in dynamic),
        tuple(dynamic.index(k) if k in dynamic else None for k in range(len(arguments.args))),
        label,
    )


def renamed(interface: Interface, call: Call) -> Interface:
    """The interface of a transformed function with the arguments called after those of the function itself."""
    arguments = tuple(
        argument if argument.keyword else _argument(argument, call.slots[argument.position], call.slots)
        for argument in interface.arguments
    )
    return replace(interface, arguments=arguments)


def _argument(argument: Argument, slot: Slot, slots: tuple[Slot, ...]) -> Argument:
    """``params['w']``, ``tangent of params['w']``, ``cotangent of result[0]``."""
    match slot.kind:
        case "own":
            return replace(argument, name=f"{slot.word}{argument.path}")
        case "tangent":
            found = _FIRST.fullmatch(argument.path)
            assert found is not None  # tangents are a tuple
            inner = replace(argument, position=int(found[1]), path=found[2])
            inner = _argument(inner, slots[int(found[1])], slots)
            return replace(inner, name=f"{slot.word} of {inner.name}", group=f"{slot.word} {inner.group}".rstrip())
        case _:
            return replace(argument, name=f"{slot.word} of result{argument.path}", position=0, group=slot.word)


def _static(function: Any, arguments: Arguments) -> frozenset[int | str]:
    """Positions and keywords of a call whose values are static."""
    numbers, names = _compat.static_arguments(getattr(function, "__func__", function))
    first = 1 if inspect.ismethod(function) else 0  # the object itself is argument 0 of a method's function
    count = len(arguments.args)
    found = {number - first if number >= 0 else number + count for number in numbers}
    positional = argument_names(function, count)
    found |= {k for k, name in enumerate(positional) if name in names}
    return arguments.static | found | names


def called(function: Callable[..., Any], after: Any) -> Callable[..., Any]:
    """A function by another one's name, under which JAX reports it."""
    for name in ("__name__", "__qualname__"):
        if isinstance(text := getattr(after, name, None), str):
            setattr(function, name, text)
    return function


def added(call: Call, function: Callable[..., Any], kind: str, example: Any) -> Call:
    """A call with one more positional argument."""
    count = sum(slot.kind == kind for slot in call.slots)
    slot = Slot(kind, kind if not count else f"{kind} {count + 1}")
    return replace(
        call,
        function=called(function, call.function),
        args=(*call.args, example),
        slots=(*call.slots, slot),
        numbers=(*call.numbers, len(call.args)),
    )


def shapes(tree: Any) -> Any:
    """Examples by shape and dtype alone."""
    import jax

    return jax.eval_shape(lambda x: x, tree)


def outline(value: Any) -> str:
    """A value by its types, as a person would write them."""
    return written((value,))
