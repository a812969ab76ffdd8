"""From a name to a target: a strategy, ``pkg.module:function``, ``path/file.py:function``, a file of IR, or an object.

After the colon may stand a path through attributes and calls with literal arguments: ``obj.method``, ``make()``,
``make(3).step``. Text of several lines is IR itself: what ``as_text()`` of a Lowered or Compiled returns. Every failure
is a TargetError that says what was looked for, where, and what lies near.
"""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType
from typing import Any

from scanir.errors import ScanirError, TargetError
from scanir.strategies import find, near_names, strategies
from scanir.targets.expression import evaluate
from scanir.targets.imports import import_file, import_module
from scanir.targets.names import near, shown
from scanir.targets.target import Target
from scanir.targets.worlds import home, world

#: Endings by which a name that is nothing else was meant for a file.
_SUFFIXES = frozenset({".py", ".txt", ".hlo", ".scanir", ".mlir", ".mlirbc", ".stablehlo", ".pb"})


def resolve(value: Any) -> Target:
    """The target a text names, or that an object is. Raises TargetError."""
    if isinstance(value, Target):
        return value
    if isinstance(value, Path):
        value = str(value)
    return _named(value) if isinstance(value, str) else Target(value)


def _named(text: str) -> Target:
    strategy = find(text)
    if strategy is not None:
        return Target(strategy.function, label=strategy.name, directory=home(strategy.function))
    if not text.strip() or "\0" in text:
        raise TargetError("an empty target" if not text.strip() else "a target with a NUL in it", hint=_forms())
    if text == "-" or (not text.endswith(".py") and _is(Path(text), "file")):
        from scanir.targets.artifact import read_artifact

        return read_artifact(text)
    if "\n" in text.strip():
        from scanir.targets.artifact import read_text

        return read_text(text)
    if (picked := _picked(text)) is not None:
        return picked
    if not _split(text)[1]:
        raise _unknown(text)
    module, expression, directory = module_of(text, _forms())
    return _attribute(module, expression, text, directory=directory)


def _picked(text: str) -> Target | None:
    """One program of a directory or file that holds several, ``dir#jit_step``; None for any other text."""
    base, mark, name = text.partition("#")
    if not mark or not base:
        return None
    if _is(Path(base), "dir"):
        from scanir.targets.dumped import of_directory

        return of_directory(text, base, name)
    if not base.endswith(".py") and _is(Path(base), "file"):
        from scanir.targets.artifact import read_artifact

        return read_artifact(base, name)
    return None


def module_of(text: str, forms: str) -> tuple[ModuleType, str, str]:
    """(module, expression behind the colon, directory whose world it is in) of a name. Raises TargetError.

    ``forms`` is a hint for a text that is no such name.
    """
    path, separator, expression = _split(text)
    if not separator:
        raise TargetError(f"{shown(text) or repr(text)} names no part of a file or module", hint=f"write {forms}")
    if path.endswith(".py"):
        file = Path(path)
        if _is(file, "dir"):
            raise TargetError(f"{shown(path)} is a directory", where=shown(text), hint="name one of the files in it")
        if not _is(file, "file"):
            raise TargetError(f"there is no file {shown(path)}", where=shown(text), hint=_files_near(file) or forms)
        return import_file(file), expression, str(file.resolve().parent)
    if not all(part.isidentifier() for part in path.split(".")):
        raise TargetError(
            f"{shown(path) or repr(path)} is neither a Python file nor a module", where=shown(text), hint=forms
        )
    return import_module(path), expression, ""


def _split(text: str) -> tuple[str, str, str]:
    """(path, ":", expression): at the colon behind ``.py`` if there is one, else at the first."""
    file, separator, rest = text.partition(".py:")
    return (f"{file}.py", ":", rest) if separator else text.partition(":")


def _attribute(module: Any, expression: str, text: str, *, directory: str) -> Target:
    with world(directory):
        value = evaluate(module, expression, text)
    try:
        return Target(value, label=text, directory=directory)
    except TargetError as problem:
        raise TargetError(problem.what, where=shown(text), hint=problem.hint) from None


def _forms() -> str:
    return "a target is a strategy (see scanir list), pkg.module:function, path/to/file.py:function, or a file of IR"


def _unknown(text: str) -> ScanirError:
    """The error for a text without a colon that is no strategy and no file: its likeliest meaning first."""
    path = Path(text)
    if _is(path, "dir"):
        from scanir.targets.dumped import hint_for

        return TargetError(f"{shown(text)} is a directory", hint=hint_for(text))
    if text.endswith(".py") and _is(path, "file"):
        names = _functions(path)
        return TargetError(
            f"{shown(text)} is a Python file: say which function of it",
            hint=", ".join(f"{shown(text)}:{name}" for name in names[:5]) if names else f"{shown(text)}:FUNCTION",
        )
    if "/" in text or path.suffix in _SUFFIXES:
        return TargetError(f"there is no file {shown(text)}", hint=_files_near(path) or _forms())
    hints = []
    if likely := near_names(text):
        hints.append(f"did you mean {' or '.join(likely)}?")
    module, dot, name = text.rpartition(".")
    if dot and all(part.isidentifier() for part in text.split(".")):
        hints.append(f"a function of a module is written {module}:{name}")
    if files := _files_near(path):
        hints.append(files)
    known = ", ".join(strategy.name for strategy in strategies())
    return TargetError(f"unknown target {shown(text)}", hint="; ".join(hints) or f"{_forms()}; strategies: {known}")


def _is(path: Path, kind: str) -> bool:
    """Whether there is such a directory, or anything else to read: a pipe of the shell's ``<(...)`` is a file too."""
    try:
        return path.is_dir() if kind == "dir" else path.exists() and not path.is_dir()
    except OSError:  # a name too long for the file system
        return False


def _functions(path: Path) -> list[str]:
    """Names of the functions at the top level of a file, without importing it."""
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]


def _files_near(path: Path) -> str:
    try:
        names = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
    except OSError:
        return ""
    found = near(path.name, names)
    return f"files near: {', '.join(str(path.parent / name) for name in found)}" if found else ""
