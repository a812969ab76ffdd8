"""Where an instruction comes from: ``metadata={...}`` and the tables FileNames ... StackFrames.

Answers with file, line and function of the innermost frame of the program (`scanir.ir.places`). Nothing here is part of
a program's identity, so what is incomplete gives a place that says less, never an error; only a table that is no table
is refused.
"""

from __future__ import annotations

import re
from collections.abc import Container

from scanir.ir.graph import Location
from scanir.ir.places import Stack, innermost, inside
from scanir.readers.hlo.source import STRING_PATTERN, Source

_TABLE = re.compile(r"\s*(FileNames|FunctionNames|FileLocations|StackFrames)[ \t]*(?=\n|$)")
_ROW = re.compile(r"\s*(\d{1,18})[ \t]*(" + STRING_PATTERN + r"|\{[^{}]*\})", re.S)
#: A row that the end of the text interrupts.
_CUT = re.compile(r"\s*\d+[ \t]*[{\"][^{}\"]*\Z")
#: Frames of one stack that are looked at; JAX writes ten.
_FRAMES = 40
_FIELD = re.compile(r"(\w+)=(" + STRING_PATTERN + r"|[^\s{}\"]+)", re.S)


def _fields(text: str) -> dict[str, str]:
    return dict(_FIELD.findall(text))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 18 else 0


class Locations:
    """The tables of one module, and the places that its metadata name."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._tables: dict[str, dict[int, str]] = {}
        self._stacks: dict[int, Stack] = {0: ()}
        self._known: dict[str, Stack] = {}

    def read(self, pos: int) -> int | None:
        """Reads the table at ``pos`` and returns where it ends; None where no table begins."""
        text = self._source.text
        title = _TABLE.match(text, pos)
        if not title:
            return None
        rows = self._tables.setdefault(title[1], {})
        pos = title.end()
        while row := _ROW.match(text, pos):
            rows[int(row[1])] = row[2]
            pos = row.end()
        if _CUT.match(text, pos):
            raise self._source.fail(pos, f"the table {title[1]} is cut off", "the file ends too early: dump it again")
        return pos

    def of(self, metadata: str, calls: Container[Location] = ()) -> Location | None:
        """The line that the text of a ``metadata={...}`` stands for; ``calls``: frames of what uses its computation."""
        return innermost(inside(self.stack(metadata), calls))

    def stack(self, metadata: str) -> Stack:
        """The frames that the text of a ``metadata={...}`` names, innermost first."""
        if metadata not in self._known:
            fields = _fields(metadata)
            found = self._stack(_number(fields.get("stack_frame_id", "")))
            file = fields.get("source_file", '""')[1:-1]
            if not found and file:
                found = (Location(file, _number(fields.get("source_line", ""))),)
            self._known[metadata] = found
        return self._known[metadata]

    def _stack(self, frame: int) -> Stack:
        """A frame and its parents. What a stack shares with another one is looked up once."""
        fresh: dict[int, Location | None] = {}
        rows = self._tables.get("StackFrames", {})
        start = frame
        while frame not in self._stacks and frame not in fresh:
            row = _fields(rows.get(frame, ""))
            fresh[frame] = self._place(_number(row.get("file_location_id", "")))
            # XLA writes the number of the parent plus one, and one where there is none.
            parent = max(0, _number(row.get("parent_frame_id", "")) - 1)
            frame = parent if len(fresh) < _FRAMES else 0
        stack = self._stacks.get(frame, ())
        for number, place in reversed(fresh.items()):
            stack = stack if place is None else (place, *stack[: _FRAMES - 1])
            self._stacks[number] = stack
        return self._stacks[start]

    def _place(self, number: int) -> Location | None:
        place = self._tables.get("FileLocations", {}).get(number)
        if place is None:
            return None
        fields = _fields(place)
        file = self._tables.get("FileNames", {}).get(_number(fields.get("file_name_id", "")), '""')[1:-1]
        name = self._tables.get("FunctionNames", {}).get(_number(fields.get("function_name_id", "")), '""')[1:-1]
        return Location(file, _number(fields.get("line", "")), name)
