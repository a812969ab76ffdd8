"""The registry of strategies: one place where a name gets a function, example arguments and a line of summary.

Built-in strategies (`scanir.strategies.builtin`) and a user's own are registered the same way, with `register`. Nothing
here imports jax: a function or an example may be given as ``pkg.module:name``, which is imported when it is wanted.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scanir.errors import TargetError

#: What a name may look like: nothing that a path, a module or an option could be taken for.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
#: How alike (0 to 100) two names must be for one to be suggested for the other.
ALIKE = 60


@dataclass(frozen=True, slots=True)
class Strategy:
    """A way of writing a program.

    ``target`` is the function, or ``pkg.module:name`` of it. ``arguments`` is a tuple of example arguments (shapes are
    enough), a callable that makes one, ``pkg.module:name`` of either, or None for a function without any. ``shapes``
    shows them in the form that ``--args`` reads.
    """

    name: str
    family: str
    summary: str
    target: Callable[..., Any] | str
    arguments: tuple[Any, ...] | Callable[[], tuple[Any, ...]] | str | None = None
    shapes: str = ""

    @property
    def function(self) -> Callable[..., Any]:
        """The function itself, imported now if need be."""
        found: Callable[..., Any] = _load(self.target) if isinstance(self.target, str) else self.target
        return found

    def example(self) -> tuple[Any, ...]:
        """Its example arguments."""
        value = _load(self.arguments) if isinstance(self.arguments, str) else self.arguments
        if callable(value):
            value = value()
        return () if value is None else tuple(value)


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


_REGISTRY: dict[str, Strategy] = {}


def register(
    name: str,
    function: Callable[..., Any] | str | None = None,
    *,
    family: str = "user",
    summary: str = "",
    example: tuple[Any, ...] | Callable[[], tuple[Any, ...]] | str | None = None,
    shapes: str = "",
) -> Any:
    """Give a function a name that ``scanir diff`` knows. Returns the function as it is; without one, a decorator.

        @scanir.register("mine", example=(x, y))
        def f(x, y): ...

    Registering the same function again is allowed (a module may be imported twice); another one under a name that is
    taken is a TargetError.
    """
    if function is None:

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            register(name, function, family=family, summary=summary, example=example, shapes=shapes)
            return function

        return decorate
    if not _NAME.fullmatch(name):
        raise TargetError(f"{name!r} cannot name a strategy", hint="letters, digits, '-' and '_', a letter first")
    new = Strategy(name, family, summary or _summary(function), function, example, shapes)
    _built_in()
    old = _REGISTRY.get(name)
    if old is not None and _place(old.target) != _place(function):
        raise TargetError(
            f"a strategy {name!r} is registered already", where=_place(old.target), hint="choose another name"
        )
    _REGISTRY[name] = new
    return function


def _summary(function: Callable[..., Any] | str) -> str:
    text = "" if isinstance(function, str) else (getattr(function, "__doc__", None) or "")
    return text.strip().partition("\n")[0]


def _place(function: Callable[..., Any] | str) -> str:
    """Where a function is, in words: the same for the same function of a module that was imported twice."""
    if isinstance(function, str):
        return function
    return f"{getattr(function, '__module__', '?')}:{getattr(function, '__qualname__', repr(function))}"


def _built_in() -> None:
    """Register the built-in strategies, once."""
    global _loaded
    if not _loaded:
        _loaded = True
        importlib.import_module("scanir.strategies.builtin")


_loaded = False


def strategies() -> tuple[Strategy, ...]:
    """All strategies, families together, in the order of their registration."""
    _built_in()
    families = {family: k for k, family in enumerate(dict.fromkeys(s.family for s in _REGISTRY.values()))}
    return tuple(sorted(_REGISTRY.values(), key=lambda strategy: families[strategy.family]))


def find(name: str) -> Strategy | None:
    """The strategy of that name."""
    _built_in()
    return _REGISTRY.get(name)


def registered(function: Any) -> Strategy | None:
    """The strategy whose function this very object is."""
    _built_in()
    for strategy in _REGISTRY.values():
        if not isinstance(strategy.target, str) and strategy.target is function:
            return strategy
    place = _place(function) if callable(function) else ""
    for strategy in _REGISTRY.values():
        if isinstance(strategy.target, str) and strategy.target == place:
            return strategy
    return None


def near_names(name: str, limit: int = 3) -> tuple[str, ...]:
    """Names of strategies that look like this one, the likest first."""
    from rapidfuzz import fuzz, process

    _built_in()
    found = process.extract(name, sorted(_REGISTRY), scorer=fuzz.ratio, limit=limit, score_cutoff=ALIKE)
    return tuple(match for match, _, _ in found)
