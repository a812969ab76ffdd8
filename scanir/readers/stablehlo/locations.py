"""MLIR locations as the place in the user's Python that they start from.

Promises the innermost file and line of a location: the first one in its text, since callees come before callers.
Locations are for people; nothing compares them.
"""

from __future__ import annotations

import re
from typing import Any

from scanir.ir.graph import Location

_PLACE = re.compile(r'(?:"((?:[^"\\]|\\.)*)"\()?"((?:[^"\\]|\\.)*)":(\d+)(?::\d+)?')
_NAME = re.compile(r'loc\("((?:[^"\\]|\\.)*)"[()]')
#: The name that MLIR's parser gives the text it reads.
_TEXT_ITSELF = "-"


class Locations:
    """Reads the locations of one module; each of them once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._read: dict[Any, Location | None] = {}

    def read(self, location: Any) -> Location | None:
        key = location.attr
        if key in self._read:
            return self._read[key]
        found = self._read[key] = self._convert(str(location))
        return found

    def _convert(self, text: str) -> Location | None:
        place = _PLACE.search(text)
        if place is None:
            return None
        function, file, line = place[1] or "", place[2], int(place[3])
        return Location(self._name if file == _TEXT_ITSELF else file, line, function)


def value_name(value: Any) -> str:
    """The name a person gave a parameter, where its location has one."""
    location = getattr(value, "location", None)  # older bindings do not say
    found = _NAME.match(str(location)) if location is not None else None
    return found[1] if found else ""
