"""Names in errors: repeated without control characters and not endlessly, and with the names that look like them."""

from __future__ import annotations

from collections.abc import Iterable

#: Characters of a name that an error repeats.
SHOWN = 200
#: How alike (0 to 100) two names must be for one to be suggested for the other.
ALIKE = 65


def shown(text: str) -> str:
    """A name as an error repeats it."""
    clean = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    return clean if len(clean) <= SHOWN else f"{clean[:SHOWN]}..."


def near(name: str, names: Iterable[str], limit: int = 3) -> list[str]:
    """The names likest to this one, the likest first."""
    from rapidfuzz import fuzz, process

    found = process.extract(name, list(names), scorer=fuzz.ratio, limit=limit, score_cutoff=ALIKE)
    return [match for match, _, _ in found]
