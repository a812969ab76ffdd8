"""Where each side is made: here, if its settings can be had here, else in a process of its own.

- Nothing asked for: as ever.
- The same for both sides: here, for the while.
- Settings that differ: a side that is named (a strategy, ``module:function``, ``file.py:function``) is made in a child
  process, so that its module too is imported under them; an object is at hand here alone, and is traced within JAX's
  own context managers.
- Settings that JAX reads as it starts, and variables of the environment: in a child process.

Refuses settings for what is made already, and settings for an object that only another process can have.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from scanir import _compat
from scanir.contexts.context import AT_START, Context
from scanir.errors import ArgumentError
from scanir.strategies import find
from scanir.targets.arguments import Arguments
from scanir.targets.imports import IMPORTED
from scanir.targets.names import shown
from scanir.targets.resolve import resolve
from scanir.targets.target import Target, kind_of

if TYPE_CHECKING:
    from scanir.contexts.spawn import Remote
    from scanir.targets.under import Transform

#: Modules that are loaded when a side needs them: most need no settings.
_SPAWN, _INSIDE = "scanir.contexts.spawn", "scanir.contexts.inside"


@contextlib.contextmanager
def opened(values: tuple[Any, ...], contexts: tuple[Context, ...]) -> Iterator[tuple[Target, ...]]:
    """The sides as targets. Child processes are started by `begin` and have ended afterwards."""
    if not any(contexts):
        yield tuple(resolve(value) for value in values)
        return
    from scanir.contexts.spawn import Child, Remote

    watched = tuple(sorted({name for c in contexts for name, _ in (*c.config, *c.environment)}))
    away = [_needs_a_process(value, context, contexts) for value, context in zip(values, contexts, strict=True)]
    sides: list[Target] = []
    try:
        for value, context, own in zip(values, contexts, away, strict=True):
            sides.append(Remote(value, Child(value, context, watched)) if own else _here(value, context, watched))
        _refuse(sides, contexts)
        yield tuple(sides)
    finally:
        for side in sides:
            if _is_remote(side):
                side.child.close()


def begin(
    sides: tuple[Target, ...], stages: tuple[str, ...], given: tuple[Arguments | str | None, ...],
    under: tuple[Transform, ...],
) -> None:  # fmt: skip
    """Start the children, so that they work while this process does."""
    for side, arguments in zip(sides, given, strict=True):
        if _is_remote(side):
            side.child.start(stages, arguments, under)


def is_remote(*sides: Target) -> bool:
    """Whether any of the sides is made in another process."""
    return any(map(_is_remote, sides))


def _is_remote(side: Target) -> TypeGuard[Remote]:
    """Where the module was never asked for, nothing is of its class."""
    return _SPAWN in sys.modules and isinstance(side, sys.modules[_SPAWN].Remote)


def _is_placed(side: Target) -> bool:
    return _INSIDE in sys.modules and isinstance(side, sys.modules[_INSIDE].Placed)


def _needs_a_process(value: Any, context: Context, contexts: tuple[Context, ...]) -> bool:
    """Whether a side cannot, or should not, be made in this process."""
    if _is_made(value):
        return False
    late = sorted(name for name, new in context.config if name in AT_START and _compat.setting(name) != new)
    late += sorted(name for name, text in context.environment if os.environ.get(name) != text)
    if late and not _is_named(value):
        raise ArgumentError(
            f"{', '.join(late)} must be set before JAX starts, which is too late for an object of this process",
            where=shown(str(getattr(value, "__qualname__", value))),
            hint="name the function as module:function, which another process can import",
        )
    names = sorted({name for other in contexts for name, _ in other.config})
    in_force = [{name: dict(other.config).get(name, _compat.setting(name)) for name in names} for other in contexts]
    changes = any(_compat.setting(name) != new for name, new in context.config)
    differs = changes and any(other != in_force[0] for other in in_force)
    return bool(late) or (differs and _is_named(value))


def _is_made(value: Any) -> bool:
    """Whether no setting of JAX can change a value any more: a file of IR, text of one, or a staged object."""
    if isinstance(value, Target):
        return value.kind not in ("function", "jitted")
    if not isinstance(value, (str, Path)):
        return kind_of(value) not in ("function", "jitted")
    text = str(value)
    if find(text) is not None:
        return False
    try:
        return text == "-" or "\n" in text.strip() or (not text.endswith(".py") and Path(text).is_file())
    except (OSError, ValueError):  # no name of a file at all
        return False


def _is_named(value: Any) -> bool:
    """Whether another process finds the same under the same text."""
    if not isinstance(value, str) or _is_made(value):
        return False
    strategy = find(value)
    return strategy is None or isinstance(strategy.target, str) or bool(IMPORTED)


def _here(value: Any, context: Context, watched: tuple[str, ...]) -> Target:
    """A side of this process. What is lowered already may still be compiled with options."""
    from scanir.contexts.inside import Placed, placed

    if not _is_made(value):
        return placed(value, context, watched)
    target = resolve(value)
    options = context.compiler_options
    return (
        Placed(target, Context((), options), ())
        if options and target.kind in ("lowered", "traced", "jaxpr")
        else target
    )


def _refuse(sides: list[Target], contexts: tuple[Context, ...]) -> None:
    """Settings for a side that was made long ago are a misunderstanding, unless they are for the other side too."""
    for k, (side, context) in enumerate(zip(sides, contexts, strict=True)):
        if _is_remote(side) or _is_placed(side):
            continue
        free = [other for n, other in enumerate(contexts) if n != k and (_is_remote(sides[n]) or _is_placed(sides[n]))]
        shared = {pair for other in free for pair in (*other.config, *other.compiler_options)}
        own = [pair for pair in (*context.config, *context.compiler_options) if pair not in shared]
        if own or context.environment:
            raise ArgumentError(
                f"{side.label} is made already, and settings cannot change it",
                where=str(context),
                hint="give the function itself",
            )
