"""All certificates that differ from one in a single number or name."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

#: Keys whose values say nothing that is checked.
FREE = frozenset({"schema_version", "count"})
#: Keys that tell how a side is read again; `scanir.api.verify` reads it by them.
READING = frozenset({"arguments_text", "under"})

Path = tuple[str | int, ...]


def places(document: Any) -> list[Path]:
    """The paths of all numbers and texts, names of keys too."""
    found: list[Path] = []
    stack: list[tuple[Path, Any]] = [((), document)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict):
            stack.extend(((*path, key), value) for key, value in node.items() if key not in FREE)
        elif isinstance(node, list):
            stack.extend(((*path, k), value) for k, value in enumerate(node))
        else:
            found.append(path)
    return sorted(found, key=repr)


def changed(document: Any, path: Path, value: Any) -> Any:
    """A copy with another value in one place."""
    result = copy.copy(document)
    node = result
    for step in path[:-1]:
        node[step] = copy.copy(node[step])
        node = node[step]
    node[path[-1]] = value
    return result


def at(document: Any, path: Path) -> Any:
    for step in path:
        document = document[step]
    return document


def others(value: Any) -> tuple[Any, ...]:
    """Values that stand near one, and far from it."""
    if isinstance(value, str):
        return (value + "x", value[:-1], "in")
    return (value + 1, value - 1, 0, -1, value + 7)


def single_changes(document: Any) -> Iterator[tuple[Path, Any]]:
    """Each changed certificate, with the place of the change."""
    for path in places(document):
        value = at(document, path)
        for other in dict.fromkeys(others(value)):
            if other != value:
                yield path, changed(document, path, other)
