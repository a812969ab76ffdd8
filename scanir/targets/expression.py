"""The part of a target behind the colon: ``name``, ``obj.method``, ``make()``, ``make(3, "x").step``.

Attributes and calls with literal arguments, nothing else, and never Python's ``eval``. The arguments of a call are
written as those of ``--args``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from scanir.errors import TargetError
from scanir.targets.arguments import parse_arguments
from scanir.targets.imports import first_line, place
from scanir.targets.names import near, shown

_NAME = re.compile(r"[^\W\d]\w*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^'\\]|\\.)*'", re.DOTALL)
_OPEN, _CLOSE = "([{", ")]}"


def evaluate(root: Any, expression: str, text: str, *, defer: bool = False) -> Any:
    """What an expression names, starting at a module. ``text`` is the whole target, for errors. Raises TargetError.

    ``defer``: where it ends in a call, that call is not made: the answer is a function that makes it.
    """
    value, position, expected = root, 0, "name"
    path = getattr(root, "__name__", "")
    while position < len(expression) or expected == "name":
        name = _NAME.match(expression, position) if expected == "name" else None
        if name is not None:
            value = _attribute(value, name.group(), path, text)
            path, position, expected = f"{path}.{name.group()}", name.end(), ""
        elif expected != "name" and expression[position] == ".":
            position, expected = position + 1, "name"
        elif expected != "name" and expression[position] == "(":
            end = _closing(expression, position, text)
            call = _call_of(value, expression[position + 1 : end], path, text)
            value = (
                call
                if defer and end + 1 == len(expression)
                else _made(call, expression[position : end + 1], path, text)
            )
            path, position = f"{path}()", end + 1
        else:
            raise _error(f"{expression!r} is not a name, or a path of names and calls", text)
    return value


def _error(what: str, text: str, hint: str = "") -> TargetError:
    return TargetError(
        shown(what), where=shown(text), hint=hint or "module:function, module:obj.method, module:make(3)"
    )


def _attribute(value: Any, name: str, path: str, text: str) -> Any:
    try:
        return getattr(value, name)
    except AttributeError:
        public = [other for other in dir(value) if not other.startswith("_")]
        likely = [other for other in public if callable(getattr(value, other, None))]
        found = near(name, likely) or near(name, public)
        hint = f"did you mean {' or '.join(found)}?" if found else f"it has: {', '.join(likely[:8])}" if likely else ""
        raise _error(f"{path} has no {name}", text, hint) from None


def _closing(expression: str, position: int, text: str) -> int:
    """Where the bracket at a position is closed."""
    depth = 0
    while position < len(expression):
        char = expression[position]
        if char in "'\"":
            string = _STRING.match(expression, position)
            if string is None:
                raise _error("a string that does not end", text)
            position = string.end()
            continue
        depth += (char in _OPEN) - (char in _CLOSE)
        if depth == 0:
            return position
        position += 1
    raise _error("a bracket that is not closed", text)


def _call_of(function: Any, inside: str, path: str, text: str) -> Callable[[], Any]:
    if not callable(function):
        raise _error(f"{path} cannot be called: it is a {type(function).__name__}", text)
    arguments = parse_arguments(inside)
    return functools.partial(function, *arguments.args, **arguments.kwargs)


def _made(call: Callable[[], Any], written: str, path: str, text: str) -> Any:
    try:
        return call()
    except (Exception, SystemExit) as problem:  # whatever a person's function raises is theirs to know
        raise TargetError(
            f"{path}{written} failed: {type(problem).__name__}: {first_line(problem)}",
            where=place(problem) or text,
            hint="--traceback shows the whole of it",
        ) from problem
