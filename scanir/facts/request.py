"""What a person asks of a program, and the answer as data: one table, or the ops, loop or slice that were selected.

Imports neither jax nor click; every answer is a frozen dataclass, from which text and JSON are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from scanir.errors import ArgumentError
from scanir.facts.back import Slice, backward
from scanir.facts.constants import LARGE, ConstantTable, constants
from scanir.facts.effects import EffectTable, effects
from scanir.facts.interface import AliasTable, KeptTable, aliasing, kept_arguments
from scanir.facts.keys import KeyTable, keys
from scanir.facts.loops import LoopRow, LoopTable, loop_text, loops, pick_loop
from scanir.facts.near import unknown
from scanir.facts.places import Place, Places
from scanir.facts.select import Chosen, OpRow, rows, select
from scanir.ir.printer import Style, print_op, print_region
from scanir.program import Program


@dataclass(frozen=True, slots=True)
class LoopShown:
    """One loop, and its text as ``scanir show`` prints it."""

    loop: LoopRow
    text: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The ops that were selected; ``text`` is that of the op (or region) where it is one."""

    rows: tuple[OpRow, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Absent:
    """What was selected is not there: the sentence that says so, and what is there."""

    what: str
    hint: str


Answer: TypeAlias = (
    "LoopTable | LoopShown | Selection | Slice | ConstantTable | AliasTable | KeptTable | EffectTable | KeyTable"
    " | Absent"
)


@dataclass(frozen=True, slots=True)
class Request:
    """A table by name, or selections, which hold together. ``over`` and ``depth`` belong to constants and ``back``."""

    table: str = ""
    loop: int | None = None
    op: str = ""
    at: str = ""
    line: str = ""
    back: str = ""
    depth: int | None = None
    over: int = LARGE

    @property
    def selects(self) -> bool:
        return self.loop is not None or bool(self.op or self.at or self.line or self.back)

    def check(self, *, normalized: bool = False) -> None:
        """Raise ArgumentError for what cannot be asked together, or not of a program in normal form."""
        asked = self.table or ("loop" if self.loop is not None else "")
        if normalized and asked in WRITTEN:
            raise ArgumentError(
                f"--{asked} tells of the program as it is written, not of its normal form",
                hint="leave --normalized out; --op, --at, --line, --back and --constants take it",
            )
        if self.table and self.table not in TABLES:
            raise unknown(f"there is no table {self.table}", self.table, TABLES, "")
        if self.table and self.selects:
            raise ArgumentError(
                f"--{self.table} is a table of the whole program and takes no selection",
                hint="ask for the table and for the selection one after the other",
            )
        if self.depth is not None and not self.back:
            raise ArgumentError("--depth limits --back, which is not given", hint="--back 'result 0' --depth 3")
        if self.over < 0:
            raise ArgumentError("a number of bytes is 0 or more", hint="--constants 0 lists all constants")


@dataclass(frozen=True, slots=True)
class Report:
    """An answer about one program at one stage. ``what`` is the table's name, ``loop``, ``ops``, ``back`` or
    ``absent``; ``under`` names the transform that it was brought under."""

    target: str
    stage: str
    what: str
    answer: Answer
    under: str = ""


#: The tables by name; what each takes from the request beyond the program is in `answer`.
TABLES: dict[str, Callable[[Places], Answer]] = {
    "loops": loops,
    "constants": constants,
    "aliasing": aliasing,
    "kept-args": kept_arguments,
    "effects": effects,
    "keys": keys,
}
#: What a program in normal form has no room for: there it is set aside, or made explicit.
WRITTEN = ("loops", "loop", "aliasing", "kept-args", "effects", "keys")


def answers(programs: Iterable[Program], request: Request) -> tuple[Report, ...]:
    """The answer about each program. What some do not have is said in their place; raises ArgumentError where none has
    it."""
    reports: list[Report] = []
    problems: list[ArgumentError] = []
    for program in programs:
        try:
            reports.append(answer(program, request))
        except ArgumentError as problem:
            problems.append(problem)
            reports.append(_report(program, "absent", Absent(problem.what, problem.hint)))
    if len(problems) == len(reports) and problems:
        raise problems[0]
    return tuple(reports)


def answer(program: Program, request: Request) -> Report:
    """The answer about a program. Raises ArgumentError for what it does not have."""
    request.check()
    places = Places.build(program)
    if request.table == "constants":
        return _report(program, "constants", constants(places, request.over))
    if request.table:
        return _report(program, request.table, TABLES[request.table](places))
    if request.back:
        found = backward(places, request.back, request.depth)
        return _report(program, "back", _within(places, found, request))
    if request.loop is not None and not (request.op or request.at or request.line):
        row, op = pick_loop(places, request.loop)
        return _report(program, "loop", LoopShown(row, loop_text(places, op)))
    chosen = _chosen(places, request)
    return _report(program, "ops", Selection(rows(places, chosen.places), _text(places, chosen)))


def _report(program: Program, what: str, found: Answer) -> Report:
    return Report(program.label or program.module.name, program.stage, what, found)


def _chosen(places: Places, request: Request) -> Chosen:
    chosen = select(places, op=request.op, at=request.at, line=request.line)
    if request.loop is None:
        return chosen
    _, op = pick_loop(places, request.loop)
    inside = tuple(place for place in chosen.places if place.op is op or any(up.op is op for up in place.around()))
    if not inside:
        raise ArgumentError(f"none of the selected ops is in loop {request.loop}", hint="leave --loop out")
    return replace(chosen, places=inside)


def _within(places: Places, found: Slice, request: Request) -> Slice:
    """The part of a slice that the other selections name, too."""
    if request.loop is None and not (request.op or request.at or request.line):
        return found
    paths = {(place.path, place.op.name) for place in _chosen(places, request).places}
    return replace(found, rows=tuple(row for row in found.rows if (row.path, row.op.split()[0]) in paths))


def _text(places: Places, chosen: Chosen) -> str:
    """The text of a single op, if it has regions to show, or of the region that was asked for."""
    if len(chosen.places) != 1:
        return ""
    place: Place = chosen.places[0]
    style = Style(digests=True)
    if chosen.region >= 0:
        return print_region(place.op.regions[chosen.region], places.names, style).strip()
    return print_op(place.op, places.names, style)
