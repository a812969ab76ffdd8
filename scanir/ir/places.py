"""Whose line a place is: lines of a program, and lines of what traced it.

A stack of frames is read from the innermost frame outwards. It belongs to the program up to the first frame in scanir's
own files, since from there on it is scanir, and whoever called it, that traces. Of the program's frames those in
installed packages stand for all their uses alike, so a person's own line is the better answer where there is one.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Container, Iterable
from functools import lru_cache
from pathlib import Path

from scanir.ir.graph import Location

_PACKAGE = f"{Path(__file__).resolve().parents[1]}/"
#: Programs that happen to lie in the package.
_PROGRAMS = f"{_PACKAGE}strategies/"

#: Where Python keeps what is installed, and its own library.
_INSTALLED = re.compile(r"[/\\](?:(?:site|dist)-packages|lib[/\\]python3\.\d+)[/\\]", re.IGNORECASE)

Stack = tuple[Location, ...]


@lru_cache(1024)
def is_own(file: str) -> bool:
    """Whether a file is one of scanir's own; those of the built-in strategies are programs."""
    return file.startswith(_PACKAGE) and not file.startswith(_PROGRAMS)


@lru_cache(1024)
def is_installed(file: str) -> bool:
    """Whether a file belongs to an installed package or to Python; scanir's built-in strategies are programs."""
    return _INSTALLED.search(file) is not None and not file.startswith(_PROGRAMS)


def of_program(frames: Iterable[Location]) -> Stack:
    """The frames of a stack, innermost first, that belong to the program."""
    return tuple(itertools.takewhile(lambda frame: not is_own(frame.file), frames))


def innermost(frames: Iterable[Location]) -> Location | None:
    """The line of the program that a stack, innermost frame first, stands for: outside installed packages if it can be.

    Where JAX uses what it lowered for one line for another line of the same function too, both lines are there, and the
    outer one is right. (A function that calls itself looks alike; the outer line is on its stack as well.)
    """
    found: Location | None = None
    program = of_program(frames)
    written = tuple(itertools.dropwhile(lambda frame: is_installed(frame.file), program))
    for frame in written or program:
        if found is not None and not _same_function(found, frame):
            break
        found = frame
    return found


def _same_function(inner: Location, outer: Location) -> bool:
    """Lambdas of one function share a name."""
    named = inner.function and not inner.function.endswith("<lambda>")
    return bool(named) and (inner.file, inner.function) == (outer.file, outer.function)


def inside(frames: Iterable[Location], calls: Container[Location]) -> Stack:
    """What of a stack lies inside a function; ``calls``: the frames of all that call it.

    One function may serve several calls, and what was traced for the first of them may have its line, which is no line
    of the others.
    """
    return tuple(itertools.takewhile(lambda frame: frame not in calls, frames))


def place(file: str) -> str:
    """A file as an output names it: from the working directory, or by its last two parts, never by an absolute path."""
    if not os.path.isabs(file):
        return file
    here = os.getcwd().rstrip(os.sep) + os.sep
    return file[len(here) :] if file.startswith(here) else f"...{os.sep}{os.sep.join(file.split(os.sep)[-2:])}"
