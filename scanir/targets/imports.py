"""Importing what a person named, with their errors told as theirs: file, line and message, no traceback of scanir's."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from pathlib import Path
from types import ModuleType

from scanir.errors import TargetError
from scanir.targets.names import shown
from scanir.targets.worlds import load


def import_module(name: str) -> ModuleType:
    """Import a module by name, with the working directory on the path, as ``python -m`` has it. Raises TargetError."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as problem:
        # The module itself or a package above it is missing; a missing import inside of it is the person's error below.
        if problem.name is not None and (name == problem.name or name.startswith(f"{problem.name}.")):
            raise TargetError(
                f"there is no module {problem.name}",
                where=f"{name}, looked up from the working directory",
                hint=_hint(name),
            ) from problem
        raise _theirs(name, problem) from problem
    except (Exception, SystemExit) as problem:  # whatever a person's module raises is theirs to know
        raise _theirs(name, problem) from problem


def import_file(path: Path) -> ModuleType:
    """Import a file. Raises TargetError."""
    try:
        return load(path)
    except (Exception, SystemExit) as problem:  # whatever a person's file raises is theirs to know
        raise _theirs(str(path), problem) from problem


#: What was imported by `import_named` in this process, in order: another process must import it too.
IMPORTED: list[str] = []


def import_named(name: str) -> ModuleType:
    """Import a module by its name, or a file by its path. Raises TargetError."""
    module = _import_named(name)
    if name not in IMPORTED:
        IMPORTED.append(name)
    return module


def _import_named(name: str) -> ModuleType:
    if not name.endswith(".py"):
        return import_module(name)
    if not Path(name).is_file():
        raise TargetError(
            f"there is no file {shown(name)}", hint="give the path of a Python file, or the name of a module"
        )
    return import_file(Path(name))


def _hint(name: str) -> str:
    file = Path(*name.split(".")).with_suffix(".py")
    return f"for a file write {file}:FUNCTION" if file.is_file() else "is it installed, or is this the right directory?"


def _theirs(name: str, problem: BaseException) -> TargetError:
    what = f"{name} cannot be imported: {type(problem).__name__}: {first_line(problem)}".rstrip(": ")
    return TargetError(what, where=place(problem), hint="--traceback shows the whole of it")


def first_line(problem: BaseException) -> str:
    """The first line of an exception's message."""
    if isinstance(problem, SyntaxError):
        return problem.msg
    return str(problem).strip().partition("\n")[0]


def place(problem: BaseException) -> str:
    """``file:line`` where an exception was raised, as near to the person's own code as can be told."""
    if isinstance(problem, SyntaxError) and problem.filename:
        return f"{problem.filename}:{problem.lineno or 0}"
    here = str(Path(__file__).resolve().parent.parent)
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if not _ours(frame.filename, here)]
    own = [frame for frame in frames if "site-packages" not in frame.filename] or frames
    return f"{own[-1].filename}:{own[-1].lineno}" if own else ""


def _ours(file: str, here: str) -> bool:
    return file.startswith(("<frozen importlib", here + os.sep)) or f"{os.sep}importlib{os.sep}" in file
