"""The terminal that reports are written for: a width, colour or none, and no markup in what a program brings along."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.console import Console, RenderableType

WIDTH = 80
#: Narrower than this, columns would hold single letters.
NARROWEST = 40


def written(parts: Iterable[RenderableType], *, color: bool = False, width: int = WIDTH) -> str:
    """The parts as text, one under the other, without trailing blanks, ending in a newline."""
    target = io.StringIO()
    console = Console(
        file=target,
        width=max(width, NARROWEST),
        color_system="standard" if color else None,
        force_terminal=color,
        no_color=not color,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    for part in parts:
        console.print(part)
    return "".join(f"{line.rstrip()}\n" for line in target.getvalue().splitlines())
