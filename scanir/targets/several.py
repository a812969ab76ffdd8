"""Files that hold several modules of HLO, one after the other: which there are, and the text of one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scanir.errors import TargetError
from scanir.targets.names import near, shown

_START = re.compile(r"^[ \t]*HloModule[ \t]+([^\s,]+)", re.MULTILINE)
#: Names of a hint.
SHOWN = 8


@dataclass(frozen=True, slots=True)
class Part:
    """A module of a file: its name there, the how-manieth of that name, and where its text starts and ends."""

    name: str
    count: int
    start: int
    end: int

    @property
    def label(self) -> str:
        return self.name if self.count == 1 else f"{self.name}#{self.count}"


def parts(text: str) -> tuple[Part, ...]:
    """The modules of a text, in order."""
    found: list[Part] = []
    seen: dict[str, int] = {}
    starts = list(_START.finditer(text))
    ends = [*(match.start() for match in starts[1:]), len(text)]
    for match, end in zip(starts, ends, strict=False):
        seen[match[1]] = seen.get(match[1], 0) + 1
        found.append(Part(match[1], seen[match[1]], match.start(), end))
    return tuple(found)


def chosen(text: str, pick: str, label: str) -> str:
    """The text of the module that ``pick`` names, ``jit_step``, ``jit_step#2`` or its number, or of the only one; lines
    keep their numbers. Raises TargetError."""
    found = parts(text)
    if not pick and len(found) <= 1:
        return text
    names = [part.label for part in found]
    if not pick:
        raise TargetError(
            f"{shown(label)} holds {len(found)} modules", where=shown(label),
            hint=f"name one: {', '.join(f'{shown(label)}#{shown(name)}' for name in names[:SHOWN])}",
        )  # fmt: skip
    number = int(pick) if pick.isdecimal() and len(pick) < 9 else 0
    part = next((part for part in found if pick in (part.label, f"{part.name}#{part.count}")), None)
    if part is None and 0 < number <= len(found):
        part = found[number - 1]
    if part is None:
        likely = near(pick, names)
        there = f"there is {', '.join(map(shown, names[:SHOWN]))}" if names else "it is no HLO text"
        hint = f"did you mean {' or '.join(likely)}?" if likely else there
        raise TargetError(f"there is no module {shown(pick)} in {shown(label)}", where=shown(label), hint=hint)
    return "\n" * text.count("\n", 0, part.start) + text[part.start : part.end]
