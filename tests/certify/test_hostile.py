"""Certificates written by an enemy: never accepted, never a traceback of Python, never long."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from scanir.certify.produce import checked, document
from scanir.checker.certificate import read
from scanir.checker.check import check
from scanir.checker.verdict import Rejected, Unreadable
from scanir.compare.verdict import compare
from scanir.normalize.rules import DEFAULT
from tests.normalize.test_rules import PAIRS, Pair

HOSTILE: tuple[Any, ...] = (None, True, 1.0, -1, 10**12, -(10**12), "", "x", [], [[]], {}, {"x": 1})
#: A pair with loops inside, and what else certificates hold.
CHOSEN = [pair for pair in PAIRS if pair.rules][::12]
FREE = ("schema_version", "count", "line", "column", "arguments", "under")


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to everything in a document: of a long list the first two and the last entry."""
    yield path
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from places(entry, (*path, name))
    elif isinstance(value, list):
        for k in sorted({*range(min(2, len(value))), *range(max(0, len(value) - 1), len(value))}):
            yield from places(value[k], (*path, k))


def put(document: Any, path: tuple[Any, ...], value: Any) -> tuple[Any, Any]:
    """A copy with another value at a path, and what stood there."""
    if not path:
        return deepcopy(value), document
    changed = deepcopy(document)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    before, inner[path[-1]] = inner[path[-1]], deepcopy(value)
    return changed, before


def replay(certificate: Any, pair: Pair) -> None:
    for record in read(certificate):
        check(record, pair.left, pair.right)


@pytest.mark.parametrize("pair", CHOSEN, ids=lambda pair: pair.rule)
def test_anything_in_the_place_of_anything(pair: Pair) -> None:
    whole = document([checked(pair.left, pair.right, compare(pair.left, pair.right, DEFAULT | {*pair.rules}))])
    for path in places(whole):
        if path and path[-1] in FREE:
            continue
        for value in HOSTILE:
            changed, before = put(whole, path, value)
            if type(before) is type(value) and before == value:
                continue
            with pytest.raises((Rejected, Unreadable)):
                replay(changed, pair)


def test_a_height_beyond_all_memory() -> None:
    pair = next(pair for pair in PAIRS if pair.rule == "carry-order" and pair.rules)
    whole = document([checked(pair.left, pair.right, compare(pair.left, pair.right, DEFAULT | {*pair.rules}))])
    rows = whole["stages"][0]["classes"]
    tried = 0
    for k, row in enumerate(rows):
        for j, field in enumerate(row):
            if type(field) is int:
                tried += 1
                changed, _ = put(whole, ("stages", 0, "classes", k, j), 10**15)
                with pytest.raises(Rejected):
                    replay(changed, pair)
    assert tried > 10
