"""Random keys: where each draw's key comes from, and which keys are used twice.

The jaxpr is the stage for it. StableHLO still knows JAX's own functions by name, HLO knows its own generators only:
there threefry is arithmetic like any other, and the table says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from scanir.facts.alone import alone
from scanir.facts.places import Places
from scanir.facts.select import code
from scanir.normalize.draws import KeyUse, draws
from scanir.normalize.origins import key_functions

#: What a stage can know of keys.
KNOWN = {
    "stablehlo": "StableHLO knows JAX's random functions by name only; stage jaxpr says more",
    "hlo-in": "in HLO threefry is plain arithmetic, so that only HLO's own generators are listed; ask at stage jaxpr",
    "hlo": "in HLO threefry is plain arithmetic, so that only HLO's own generators are listed; ask at stage jaxpr",
}


@dataclass(frozen=True, slots=True)
class DrawRow:
    """``key``: the derivation as one would write it, empty where the op has a state of its own; ``source``: argument,
    constant, seed, slot or computed; ``note`` says how a carried key goes on; ``loops``: paths of those around it."""

    op: str
    type: str
    key: str
    source: str
    note: str
    path: str
    loops: tuple[str, ...]
    file: str
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class ReuseRow:
    """A warning: ``first`` and ``second`` use one key; or ``first`` alone, in each trip of ``loop`` alike."""

    key: str
    first: str
    first_file: str
    first_line: int
    second: str
    second_file: str
    second_line: int
    loop: str


@dataclass(frozen=True, slots=True)
class KeyTable:
    rows: tuple[DrawRow, ...]
    warnings: tuple[ReuseRow, ...]
    notes: tuple[str, ...] = ()


def keys(places: Places) -> KeyTable:
    """The draws of a program and the keys that are used twice."""
    program = places.program
    notes = (KNOWN[program.stage],) if program.stage in KNOWN else ()
    names = frozenset(function.name for function in program.module.functions)
    one = alone(program, key_functions(names))
    if isinstance(one, str):
        return KeyTable((), (), (*notes, f"keys cannot be followed: {one}"))
    found, reuses = draws(one.side, one.table, dict(enumerate(program.interface.arguments)))
    warnings = []
    for reuse in reuses:
        second = ("", "", 0) if reuse.second is None else _at(reuse.second)
        warnings.append(ReuseRow(reuse.key, *_at(reuse.first), *second, reuse.loop))
    return KeyTable(tuple(map(_row, found)), tuple(warnings), notes)


def _at(use: KeyUse) -> tuple[str, str, int]:
    where = use.location
    return (use.path, "", 0) if where is None else (use.path, where.file, where.line)


def _row(use: KeyUse) -> DrawRow:
    path, file, line = _at(use)
    origin = use.origin
    said = ("", "none", "a generator with a state of its own") if origin is None else (
        origin.text, origin.source, origin.note
    )  # fmt: skip
    return DrawRow(use.op, use.type, *said, path, use.loops, file, line, code(file, line))
