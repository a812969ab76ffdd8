"""Where an instruction comes from: ``metadata={...}`` and the tables FileNames ... StackFrames.

Answers with file, line and function of the innermost frame. Nothing here is part of a program's identity, so what is
incomplete gives a place that says less, never an error; only a table that is no table is refused.
"""

from __future__ import annotations

import re

from scanir.ir.graph import Location
from scanir.readers.hlo.source import STRING_PATTERN, Source

_TABLE = re.compile(r"\s*(FileNames|FunctionNames|FileLocations|StackFrames)[ \t]*(?=\n|$)")
_ROW = re.compile(r"\s*(\d{1,18})[ \t]*(" + STRING_PATTERN + r"|\{[^{}]*\})", re.S)
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
        self._frames: dict[int, Location | None] = {}
        self._known: dict[str, Location | None] = {}

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
        return pos

    def of(self, metadata: str) -> Location | None:
        """The place that the text of a ``metadata={...}`` names."""
        if metadata not in self._known:
            fields = _fields(metadata)
            found = self._frame(_number(fields.get("stack_frame_id", "")))
            file = fields.get("source_file", '""')[1:-1]
            if found is None and file:
                found = Location(file, _number(fields.get("source_line", "")))
            self._known[metadata] = found
        return self._known[metadata]

    def _frame(self, frame: int) -> Location | None:
        if frame not in self._frames:
            self._frames[frame] = self._resolve(frame)
        return self._frames[frame]

    def _resolve(self, frame: int) -> Location | None:
        row = _fields(self._tables.get("StackFrames", {}).get(frame, ""))
        place = self._tables.get("FileLocations", {}).get(_number(row.get("file_location_id", "")))
        if place is None:
            return None
        fields = _fields(place)
        file = self._tables.get("FileNames", {}).get(_number(fields.get("file_name_id", "")), '""')[1:-1]
        name = self._tables.get("FunctionNames", {}).get(_number(fields.get("function_name_id", "")), '""')[1:-1]
        return Location(file, _number(fields.get("line", "")), name)
