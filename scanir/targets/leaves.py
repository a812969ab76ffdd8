"""Which leaves of arguments are traced and which are static: what JAX has a type for, and all the rest.

A function that is not jitted yet is given its static leaves by a closure, so a string, a function, an enum or a
configuration may stand anywhere in its arguments. Promises: what is traced keeps its place and its name (an absent leaf
is ``None``, which is a pytree without leaves), so that options of jit still point at the same arguments; static values
are told by name, without the address they lie at.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from scanir import _compat
from scanir.errors import ArgumentError
from scanir.targets.arguments import Arguments, signature_of

#: Where an object lies in memory is news to nobody, and other in each run.
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
#: Characters of a static value that a note repeats, and notes for one function.
SHOWN, MOST = 80, 8


@dataclass(frozen=True, slots=True)
class Closed:
    """A function with its static leaves closed over, and what is left to trace it with.

    ``static``: positions and keywords of the arguments with nothing in them that is traced; ``notes`` say all that is
    static.
    """

    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    static: frozenset[int | str] = frozenset()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """One argument: its pytree, for each leaf whether it is traced, and the static values in order."""

    tree: Any
    traced: tuple[bool, ...]
    static: tuple[Any, ...]

    @property
    def all_static(self) -> bool:
        return not any(self.traced)

    def whole(self, value: Any) -> Any:
        """The argument with its static leaves in their places again."""
        import jax

        given, held = iter(jax.tree.leaves(value)), iter(self.static)
        return jax.tree.unflatten(self.tree, [next(given) if traced else next(held) for traced in self.traced])


@dataclass(frozen=True, slots=True)
class _Held:
    """One argument that is static as it is."""

    value: Any
    all_static: bool = True

    def whole(self, _: Any) -> Any:
        return self.value


def close_over(function: Any, arguments: Arguments, passed: frozenset[int | str]) -> Closed:
    """Close a function over what is static in its arguments.

    ``passed``: positions and keywords that the function's jit itself takes as static; they stay as they are. Raises
    ArgumentError for an argument that is no pytree.
    """
    parts: dict[int | str, _Part | _Held] = {}
    notes: list[str] = []
    names = argument_names(function, len(arguments.args))
    given = dict(arguments.each())
    for key, value in given.items():
        name = names[key] if isinstance(key, int) else key
        if key in passed:
            notes.append(_note(name, value))
        elif key in arguments.static:
            parts[key], given[key] = _Held(value), None
            notes.append(_note(name, value))
        else:
            given[key], part, held = _parted(value, name)
            notes += held
            if part is not None:
                parts[key] = part
    count = len(arguments.args)
    args, kwargs = tuple(given[k] for k in range(count)), {name: given[name] for name in arguments.kwargs}
    static = passed | {key for key, part in parts.items() if part.all_static}
    return Closed(_closure(function, parts) if parts else function, args, kwargs, static, tuple(_few(notes)))


def _closure(function: Any, parts: dict[int | str, _Part | _Held]) -> Callable[..., Any]:
    def whole(key: int | str, value: Any) -> Any:
        return parts[key].whole(value) if key in parts else value

    def closure(*args: Any, **kwargs: Any) -> Any:
        return function(
            *(whole(key, value) for key, value in enumerate(args)),
            **{key: whole(key, value) for key, value in kwargs.items()},
        )

    functools.update_wrapper(closure, function, updated=())
    if not hasattr(function, "__name__"):
        inner = getattr(function, "func", None)  # a functools.partial, which jit calls by what it is made of
        closure.__name__ = getattr(inner, "__name__", type(function).__name__)
    signature = signature_of(function)
    if signature is not None:
        closure.__signature__ = signature  # type: ignore[attr-defined]
    return closure


def _parted(value: Any, name: str) -> tuple[Any, _Part | None, list[str]]:
    """(what is traced of an argument, how to put it together again unless all of it is traced, notes)."""
    import jax

    leaves, tree = flatten(value, name)
    traced = tuple(_compat.is_traceable(leaf) for _, leaf in leaves)
    if all(traced):
        return value, None, []
    held = [(path, leaf) for (path, leaf), keep in zip(leaves, traced, strict=True) if not keep]
    notes = [_note(f"{name}{jax.tree_util.keystr(path)}", leaf) for path, leaf in held]
    rest = jax.tree.unflatten(tree, [leaf if keep else None for (_, leaf), keep in zip(leaves, traced, strict=True)])
    return rest, _Part(tree, traced, tuple(leaf for _, leaf in held)), notes


def flatten(value: Any, name: str) -> tuple[list[tuple[Any, Any]], Any]:
    """Leaves with their paths, and the pytree. Raises ArgumentError for what JAX cannot flatten."""
    import jax

    try:
        leaves, tree = jax.tree_util.tree_flatten_with_path(value)
    except (TypeError, ValueError, RecursionError) as problem:
        first = str(problem).partition("\n")[0]
        raise ArgumentError(f"argument {name} is no pytree: {first}", hint="keys of a dict must be sortable") from None
    return list(leaves), tree


def argument_names(function: Any, count: int) -> tuple[str, ...]:
    """What the first so many positional arguments are called."""
    names: list[str] = []
    signature = signature_of(function)
    for parameter in signature.parameters.values() if signature else ():
        if parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}[{k}]" for k in range(count - len(names))]
    names += [f"argument {k}" for k in range(len(names), count)]
    return tuple(names[:count])


def static_notes(function: Any, arguments: Arguments) -> tuple[str, ...]:
    """Notes about what a jitted function, which traced well, took as static: what was given so, and what has no type.

    What its jit takes as static besides cannot be told from outside.
    """
    names = argument_names(function, len(arguments.args))
    notes = []
    for key, value in arguments.each():
        name = names[key] if isinstance(key, int) else key
        notes += [_note(name, value)] if key in arguments.static else _parted(value, name)[2]
    return tuple(_few(notes))


def _note(name: str, value: Any) -> str:
    return f"argument {name} is static: {static_text(value)}"


def _few(notes: Iterable[str]) -> list[str]:
    notes = list(notes)
    if len(notes) <= MOST:
        return notes
    return [*notes[: MOST - 1], f"{len(notes) - MOST + 1} more leaves of the arguments are static"]


def static_text(value: Any) -> str:
    """A static value in one line: a function or class by its name, anything else as Python shows it."""
    if inspect.ismodule(value):
        return f"<module {value.__name__}>"
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if callable(value) and isinstance(name, str):
        return f"<{'class' if isinstance(value, type) else 'function'} {name}>"
    try:
        text = ADDRESS.sub("", repr(value))
    except Exception:  # noqa: BLE001 - a person's __repr__ may raise anything
        text = f"<{type(value).__name__}>"
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
