"""Host functions as attributes: who a function is, what its code is, and which object.

``code_digest`` covers the code, its constants (code inside it too), names, number of arguments, defaults, and of the
values a function closes over those that are plain numbers, texts or None. It does not cover what the function finds in
globals.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
from typing import Any

from scanir._compat_rules import Key, identity, number_of, written_by_user
from scanir.ir.attrs import Callable

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_PLAIN = (int, float, complex, str, bytes, bool, type(None))


def read_callable(value: Any) -> Callable:
    """A host function, seen through partials, bound methods and JAX's wrappers."""
    function = written_by_user(value)
    return Callable(_name(function), _digest(value, function), identity(value), *_place(function))


def read_rule(value: Any, key: Key) -> Callable:
    """A derivative rule that is known by what it is, not by what it does."""
    function = written_by_user(value)
    return Callable(_name(function), _digest(value, function), number_of(key))


def _place(function: Any) -> tuple[str, int]:
    """File and line of a function's code; nothing for what has no Python code."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return ("", 0) if code is None else (str(code.co_filename), int(code.co_firstlineno))


def _name(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    function = getattr(function, "__func__", function)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', None) or type(function).__module__}.{name}"


def _digest(value: Any, function: Any) -> str:
    parts = [_code(getattr(function, "__func__", function))]
    while isinstance(value, functools.partial):
        parts.append(repr((_plain(value.args), _plain(sorted(value.keywords.items())))))
        value = value.func
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:32]


def _plain(values: Any) -> list[str]:
    return [repr(item) if isinstance(item, (*_PLAIN, tuple)) else type(item).__name__ for item in values]


def _code(function: Any) -> str:
    code = getattr(function, "__code__", None)
    if code is None:
        return f"{type(function).__module__}.{type(function).__qualname__}"
    closure = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            content = cell.cell_contents
        except ValueError:  # an empty cell
            content = None
        closure.append(repr(content) if isinstance(content, _PLAIN) else "?")
    defaults = repr((getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)))
    return "\n".join((_code_text(code), _ADDRESS.sub("", defaults), *closure))


def _code_text(root: Any) -> str:
    """Code objects inside code objects, outer first. Lines and files are no part of it."""
    parts, stack = [], [root]
    while stack:
        code = stack.pop()
        consts = [const for const in code.co_consts if not inspect.iscode(const)]
        stack += [const for const in code.co_consts if inspect.iscode(const)]
        parts += [code.co_code.hex(), repr(consts), repr(code.co_names), repr(code.co_freevars), str(code.co_argcount)]
    return "\n".join(parts)
