"""MLIR locations as the place in the user's Python that they start from.

Promises the innermost file and line of a location that belongs to the program (`scanir.ir.places`): in its text callees
come before callers. In a function that serves several calls, what is a line of one of the calls is left open.
Locations are for people; nothing compares them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from scanir.ir.graph import Location
from scanir.ir.places import Stack, innermost, inside

_PLACE = re.compile(r'(?:"((?:[^"\\]|\\.)*)"\()?"((?:[^"\\]|\\.)*)":(\d+)(?::\d+)?')
_NAME = re.compile(r'loc\("((?:[^"\\]|\\.)*)"[()]')
#: The name that MLIR's parser gives the text it reads.
_TEXT_ITSELF = "-"


_CALL = "func.call"


class Locations:
    """Reads the locations of one module; each of them once."""

    def __init__(self, name: str, functions: Iterable[Any] = ()) -> None:
        self._name = name
        self._stacks: dict[Any, Stack] = {}
        self._calls = self._shared([*functions])

    def read(self, location: Any, function: str = "") -> Location | None:
        """The line of an op; ``function`` names the one that it stands in."""
        stack = self._stack(location)
        calls = self._calls.get(function)
        return innermost(stack if calls is None else inside(stack, calls))

    def _stack(self, location: Any) -> Stack:
        key = location.attr
        if key not in self._stacks:
            self._stacks[key] = tuple(
                Location(self._name if place[2] == _TEXT_ITSELF else place[2], int(place[3]), place[1] or "")
                for place in _PLACE.finditer(str(location))
            )
        return self._stacks[key]

    def _shared(self, functions: list[Any]) -> dict[str, frozenset[Location]]:
        """The frames of the calls of each function that is called more than once."""
        if len(functions) < 2:
            return {}
        times: Counter[str] = Counter()
        frames: dict[str, set[Location]] = {}
        stack = [region for function in functions for region in function.regions]
        while stack:
            for block in stack.pop():
                for view in block:
                    op = view.operation
                    stack.extend(op.regions)
                    if op.name == _CALL:
                        callee = str(op.attributes["callee"]).removeprefix("@").strip('"')
                        times[callee] += 1
                        frames.setdefault(callee, set()).update(self._stack(op.location))
        return {name: frozenset(found) for name, found in frames.items() if times[name] > 1}


def value_name(value: Any) -> str:
    """The name a person gave a parameter, where its location has one."""
    location = getattr(value, "location", None)  # older bindings do not say
    found = _NAME.match(str(location)) if location is not None else None
    return found[1] if found else ""
