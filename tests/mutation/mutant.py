"""A mutant: an artifact with one thing changed, made where a person or a compiler would make it, above the reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

#: (start, end, new text): one replacement in a text.
Edit = tuple[int, int, str]
#: In place of a class: what is changed only repeats what another place says.
REPEATED = "repeated elsewhere"


@dataclass(frozen=True, slots=True)
class Mutant:
    """``kind``: what was changed; ``where``: the op and what it has now; ``make``: gives the artifact.

    ``aside``: the class that may set this change aside by name, empty for a change of meaning. ``dead``: nothing that
    the program returns or does depends on the op, by the campaign's own look at the artifact.
    """

    kind: str
    where: str
    make: Callable[[], Any]
    aside: str = ""
    dead: bool = False


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with its edits made; they must not overlap."""
    parts, last = [], len(text)
    for start, end, new in sorted(edits, reverse=True):
        assert end <= last, "edits overlap"
        parts += [text[end:last], new]
        last = start
    parts.append(text[:last])
    return "".join(reversed(parts))


def chosen(mutants: Iterable[Mutant], limit: int, random: Random) -> list[Mutant]:
    """At most ``limit`` of the mutants: kinds take turns, so that rare kinds are all there."""
    by_kind: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        by_kind.setdefault(mutant.kind, []).append(mutant)
    for group in by_kind.values():
        random.shuffle(group)
    groups = [by_kind[kind] for kind in sorted(by_kind)]
    found: list[Mutant] = []
    while groups and len(found) < limit:
        for group in groups:
            found.append(group.pop())
        groups = [group for group in groups if group]
    return found[:limit]
