"""What to say of a name that a program does not have: the names likest to it, and what there is."""

from __future__ import annotations

from collections.abc import Iterable

from scanir.errors import ArgumentError

#: How alike (0 to 100) two names must be for one to be suggested for the other.
ALIKE = 60
#: Names listed in an error.
LISTED = 12


def unknown(what: str, name: str, names: Iterable[str], where: str) -> ArgumentError:
    """An error for a name that nothing has. ``what`` is the sentence that says so."""
    from rapidfuzz import fuzz, process

    there = list(dict.fromkeys(names))
    found = process.extract(name, there, scorer=fuzz.WRatio, limit=3, score_cutoff=ALIKE)
    near = [match for match, _, _ in found]
    more = f", and {len(there) - LISTED} more" if len(there) > LISTED else ""
    listed = f"there is: {', '.join(there[:LISTED])}{more}" if there else "there is none"
    return ArgumentError(what, where=where, hint=f"did you mean {' or '.join(near)}? {listed}" if near else listed)
