"""Errors of tracing, told with what was called, with what arguments, and how the arguments should have been given."""

from __future__ import annotations

import re
from typing import Any

from scanir import _compat
from scanir.errors import ArgumentError, TraceError
from scanir.program import Program
from scanir.targets.arguments import Arguments, both_ways, describe, example_of
from scanir.targets.leaves import ADDRESS, argument_names, flatten
from scanir.targets.specs import Static, written

#: Where JAX says which arguments a value depends on that a function needs while it is traced.
_DEPENDS = re.compile(r"depends on the values? of the arguments? (.+?)\.\s", re.DOTALL)
#: The name of an argument, without the path to a leaf of it.
_BASE = re.compile(r"[^\W\d]\w*(?:\[\d+\])?")
#: Example of a static value, by the kind of a dtype.
_VALUES = {"b": True, "i": 3, "u": 3, "f": 0.5}
_NEEDS = "it needs the value of"
#: Characters of arguments that an error repeats.
_LONGEST = 300


def explained(problem: TraceError, function: Any, kind: str, arguments: Arguments) -> TraceError:
    """An error of tracing with its place in full and the way out."""
    given = _text(arguments) or "no arguments"
    where = f"{describe(function)} given {given if len(given) <= _LONGEST else given[: _LONGEST - 3] + '...'}"
    about = _known(problem.__cause__, function)
    if not about:
        about = _about_arguments(problem, function, kind, arguments)
        about = about if about.startswith(_NEEDS) else "; ".join(hint for hint in (problem.hint, about) if hint)
    return TraceError(
        ADDRESS.sub("", problem.what).removesuffix(": "),  # of an exception without a message
        where=f"{problem.where}, in {where}" if problem.where else where,
        hint=about,
    )


def _known(cause: BaseException | None, function: Any) -> str:
    """The way out of a mistake that is known by its exception, or nothing."""
    kind, said = type(cause).__name__, str(cause)
    if kind == "TracerArrayConversionError":
        return (
            "numpy computes with values, and a traced array has none: use jax.numpy in its place, or give what numpy "
            "is to compute with as static(...)"
        )
    if kind == "InvalidRngError" and (named := re.search(r'needs PRNG for "(\w+)"', said)):
        return f"a Flax module is given its random numbers by --args '..., rngs={{\"{named.group(1)}\": key<fry>[]}}'"
    if kind == "ModifyScopeVariableError" and (named := re.search(r'collection "(\w+)" is immutable', said)):
        return f"what a Flax module writes must be named: --args '..., mutable=static((\"{named.group(1)}\",))'"
    if "is not a valid JAX type" in said and "returned a value" in said:
        if isinstance(function, type):
            return f"{function.__name__} is a class: name an instance, {function.__name__}(...), for what that computes"
        return (
            "results are pytrees of arrays: return those alone, or name the function as it is jitted in use, such as "
            "equinox.filter_jit(...), which takes and returns objects with static parts"
        )
    return ""


def _text(arguments: Arguments, static: frozenset[int | str] = frozenset()) -> str:
    """Arguments as ``--args`` has them, with these static too."""
    static |= arguments.static
    return written(
        tuple(_static(value, key in static) for key, value in enumerate(arguments.args)),
        {name: _static(value, name in static) for name, value in arguments.kwargs.items()},
    )


def _static(value: Any, wanted: bool) -> Any:
    return Static(_example(value)) if wanted else value


def _example(value: Any) -> Any:
    """A static value in the place of an argument: itself, or where only its type is known one of that type."""
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is None or shape is None:
        return value
    return _VALUES.get(getattr(dtype, "kind", ""), 3)


def _about_arguments(problem: TraceError, function: Any, kind: str, arguments: Arguments) -> str:
    cause = problem.__cause__
    if cause is not None and "UnexpectedTracer" in type(cause).__name__:
        return (
            "an object among the arguments may hold arrays of another trace: a class that holds arrays must be "
            "registered as a pytree where arguments are made on shapes alone"
        )
    names = argument_names(function, len(arguments.args))
    if needed := _needed(cause, names, arguments):
        return _make_static(needed, names, function, kind, arguments)
    if kind == "jitted" and (odd := _untraceable(names, arguments)):
        return f"its own jit refuses {odd[1]}, which is no array: {_own_jit(odd[0])}"
    example = example_of(function)
    return "" if example == _text(arguments) else f"for other arguments: {both_ways(example)}"


def _needed(cause: BaseException | None, names: tuple[str, ...], arguments: Arguments) -> list[int | str]:
    """Positions and keywords of the arguments whose values the function needs, as far as JAX can tell."""
    found = _DEPENDS.search(f"{cause}\n")
    parts = re.split(r",\s*|\s+and\s+", found.group(1)) if found else []
    said = {base.group() for part in parts if (base := _BASE.match(part))}
    positions = [k for k, name in enumerate(names) if name in said]
    return [*positions, *(name for name in arguments.kwargs if name in said)]


def _make_static(
    needed: list[int | str], names: tuple[str, ...], function: Any, kind: str, arguments: Arguments
) -> str:
    called = [names[key] if isinstance(key, int) else key for key in needed]
    said = " and ".join(called)
    if kind == "jitted":
        return f"{_NEEDS} {said}: {_own_jit(*called)}, or use jax.lax.cond in it"
    text = _text(arguments, frozenset(needed))
    quoted = ", ".join(repr(name) for name in called)
    python = f"scanir.Target({function_name(function)}, args, static_argnames=({quoted},))"
    if "..." in text or len(text) > _LONGEST:
        return f"{_NEEDS} {said}: in --args write static(3) for it, in Python {python}"
    return f"{_NEEDS} {said}: write --args '{text}', in Python {python}"


def _own_jit(*names: str) -> str:
    plain = tuple(re.sub(r"\W.*", "", name) for name in names)
    shown = repr(plain[0]) if len(plain) == 1 else repr(plain)
    return f"it is jitted already, and its jit must say static_argnames={shown}"


def function_name(function: Any) -> str:
    """What to write for a function in an example."""
    name = getattr(function, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else "f"


def _untraceable(names: tuple[str, ...], arguments: Arguments) -> tuple[str, str] | None:
    """(argument, leaf) of the first leaf that JAX has no type for."""
    import jax

    for key, value in arguments.each():
        name = names[key] if isinstance(key, int) else key
        for path, leaf in flatten(value, name)[0]:
            if not _compat.is_traceable(leaf):
                return name, f"{name}{jax.tree_util.keystr(path)}"
    return None


def check_static(function: Any, arguments: Arguments, program: Program, label: str) -> None:
    """Raise ArgumentError where a jitted function traced what was given as static: its jit would not know."""
    names = argument_names(function, len(arguments.args))
    traced = {base.group() for a in program.interface.arguments if (base := _BASE.match(a.name))}
    for key in sorted(arguments.static, key=str):
        name = names[key] if isinstance(key, int) else key
        if name in traced:
            raise ArgumentError(
                f"{name} was given as static, but the jit of {label} traces it",
                where=describe(function),
                hint=f"{_own_jit(name)}; or give {name} as a value of its type, without static(...)",
            )
