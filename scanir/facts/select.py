"""Ops that a person points at: by name, by path, or by the line of Python that made them.

Several selections hold together. Promises what each row says in a person's words, and an error with near names for what
a program does not have. Reads source files only to show a line, and shows none where it cannot.
"""

from __future__ import annotations

import linecache
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from scanir.compare.attributes import attribute_text
from scanir.errors import ArgumentError
from scanir.facts.near import unknown
from scanir.facts.places import Place, Places
from scanir.facts.values import Values
from scanir.ir.graph import Op

_LINE = re.compile(r"(?P<file>.*?)(?::(?P<first>\d+)(?:-(?P<last>\d+))?)?\Z", re.DOTALL)
_PICK = re.compile(r"(?P<path>.*)\[(?P<number>\d+)\]\Z", re.DOTALL)
#: Attributes that say how an op came about, not what it does.
_QUIET = frozenset({"ctx", "operand_layouts", "result_layouts", "sharding", "ctx_mesh", "name", "value", "callee"})
#: Characters of an attribute.
LONGEST = 60


@dataclass(frozen=True, slots=True)
class Operand:
    """A value as an op takes or gives it: the name ``scanir show`` prints, its type, and what it is."""

    name: str
    type: str
    what: str


@dataclass(frozen=True, slots=True)
class OpRow:
    """One op. ``number`` is its place in the selection, from 0; ``loop_depth`` counts the loops around it; names of
    values hold in ``function``; ``code`` is the line of Python, where it could be read."""

    number: int
    path: str
    op: str
    loop_depth: int
    operands: tuple[Operand, ...]
    results: tuple[Operand, ...]
    function: str
    attributes: tuple[tuple[str, str], ...]
    file: str
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """Places that were selected, and of the ops among them the one region that was meant (-1: the op)."""

    places: tuple[Place, ...]
    region: int = -1


def select(places: Places, *, op: str = "", at: str = "", line: str = "") -> Chosen:
    """The ops that all given selections name. Raises ArgumentError where one of them names nothing."""
    chosen = at_path(places, at) if at else Chosen(tuple(places.all))
    found = chosen.places
    if op:
        named = set(_named(places, op))
        found = tuple(place for place in found if place.op.name in named)
    if line:
        lines = _of_line(places, line)
        found = tuple(place for place in found if place.number in lines)
    if not found:
        given = [f"{name} {value}" for name, value in (("--op", op), ("--at", at), ("--line", line)) if value]
        raise ArgumentError(f"no op is selected by {' and '.join(given)} together", hint="leave one of them out")
    return Chosen(found, chosen.region)


def bare(name: str) -> str:
    """An op's name without its dialect, spelled alike in all of them."""
    return name.rpartition(".")[2].replace("-", "_")


def _named(places: Places, name: str) -> list[str]:
    """The op names that a name stands for: itself, else those of that bare name, else those that begin with it."""
    names = dict.fromkeys(place.op.name for place in places.all)
    if name in names:
        return [name]
    wanted = bare(name)
    same = [each for each in names if bare(each) == wanted]
    found = same or [each for each in names if bare(each).startswith(f"{wanted}_")]
    if not found:
        raise unknown(f"no op is called {name}", name, sorted(names), _where(places))
    return found


def at_path(places: Places, path: str) -> Chosen:
    """The ops (or the region of one) at a path; ``[k]`` picks one of several."""
    pick = _PICK.match(path)
    found, region = _at(places, path)
    if not found and pick is not None:
        found, region = _at(places, pick["path"])
        number = int(pick["number"])
        if found and number >= len(found):
            what = f"{pick['path']} names {len(found)} op{'s' if len(found) > 1 else ''}, there is no [{number}]"
            raise ArgumentError(what, hint=f"[0] to [{len(found) - 1}]")
        found = found[number : number + 1]
    if not found:
        raise unknown(f"nothing is at {path}", path, _paths(places, path), _where(places))
    return Chosen(tuple(found), region)


def _at(places: Places, path: str) -> tuple[list[Place], int]:
    found = places.matching(path)
    if found:
        return found, -1
    regions = places.regions_at(path)
    return [place for place, _ in regions], regions[0][1] if regions else -1


def _paths(places: Places, path: str) -> list[str]:
    """Paths to suggest: of ops of the last name, else of ops that hold others."""
    last = path.rsplit("/", 1)[-1]
    named = [place.path for place in places.all if place.step[0] == last][:200]
    return named or [place.path for place in places.all if place.op.regions][:200]


def _of_line(places: Places, text: str) -> set[int]:
    """Numbers of the places that a line made: ``f.py:42``, ``f.py:42-50``, ``f.py``, ``:42``."""
    match = _LINE.match(text)
    assert match is not None
    file = match["file"].replace("\\", "/")
    first = int(match["first"] or 0)
    last = int(match["last"] or first)
    found: set[int] = set()
    files: dict[str, None] = {}
    lines: dict[int, str] = {}
    for place in places.all:
        where = place.location
        if where is None:
            continue
        files[where.file] = None
        if not _ends(where.file, file):
            continue
        lines[where.line] = where.file
        if not match["first"] or first <= where.line <= last:
            found.add(place.number)
    if found:
        return found
    if not files:
        hint = "files of IR may have lost their lines: dump them with metadata, or name the function itself"
        raise ArgumentError("no op of this program says which line made it", where=_where(places), hint=hint)
    if not lines:
        raise unknown(f"no op was made by a file {file}", file, map(os.path.basename, files), _where(places))
    near = sorted(lines, key=lambda line: (abs(line - first), line))[:8]
    spelled = ", ".join(f"{os.path.basename(lines[line])}:{line}" for line in sorted(near))
    raise ArgumentError(f"no op was made by {text}", where=_where(places), hint=f"the nearest lines: {spelled}")


def _ends(file: str, wanted: str) -> bool:
    """Whether a path ends in the wanted one, part by part."""
    have, want = file.replace("\\", "/").split("/"), [part for part in wanted.split("/") if part not in ("", ".")]
    return not want or have[-len(want) :] == want


def _where(places: Places) -> str:
    program = places.program
    return f"{program.label or program.module.name or 'the program'} at {program.stage}"


def rows(places: Places, chosen: Iterable[Place]) -> tuple[OpRow, ...]:
    """What there is to say of ops."""
    values = Values(places)
    return tuple(_row(places, values, place, number) for number, place in enumerate(chosen))


def _row(places: Places, values: Values, place: Place, number: int) -> OpRow:
    op, where, home = place.op, place.location, places.home(place)
    file, line = (where.file, where.line) if where is not None else ("", 0)
    operands = [(value, values.describe(value, here=home)) for value in op.operands]
    results = [(value, _result(values, op, k)) for k, value in enumerate(op.results)]
    return OpRow(
        number,
        place.path,
        op.name,
        place.depth,
        tuple(Operand(values.name(value, home), str(value.type), what) for value, what in operands),
        tuple(Operand(values.name(value, home), str(value.type), what) for value, what in results),
        home,
        attributes(op),
        file,
        line,
        code(file, line),
    )


def _result(values: Values, op: Op, k: int) -> str:
    return values.describe(op.results[k]) if op.name == "constant" else ""


def attributes(op: Op) -> tuple[tuple[str, str], ...]:
    """What an op's attributes say, without those that only say how it came about."""
    found = ((name, attribute_text(value)) for name, value in op.attributes if name not in _QUIET)
    return tuple(
        (name, f"{text[:LONGEST]}..." if len(text) > LONGEST else text) for name, text in found if text != "None"
    )


def code(file: str, line: int) -> str:
    """A line of a source file, empty where it cannot be read."""
    return linecache.getline(file, line).strip() if file and line else ""
