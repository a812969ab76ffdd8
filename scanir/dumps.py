"""Two directories of programs, compared program by program: what both have by name and order, never by number.

A program is the first, the second of its name in a dump, whatever numbers the files have; in any other directory it is
the file of a name. What one side alone has is a difference.
"""

from __future__ import annotations

from dataclasses import dataclass

from scanir.errors import ScanirError
from scanir.outcome import worst
from scanir.result import Diff


@dataclass(frozen=True, slots=True)
class Row:
    """A program of the directories: the answer where both have it, else ``only`` says which side has; ``problem``: why
    it could not be compared."""

    name: str
    answer: Diff | None = None
    only: str = ""
    problem: ScanirError | None = None

    @property
    def word(self) -> str:
        if self.answer is not None:
            return self.answer.verdict.name
        return "ERROR" if self.problem is not None else "DIFFERENT"

    @property
    def exit_code(self) -> int:
        if self.answer is not None:
            return self.answer.exit_code
        return 2 if self.problem is not None else 1


@dataclass(frozen=True, slots=True)
class Dumps:
    """The programs of two directories, in the order of the first, then what the second alone has. ``left_out``: files
    that are no IR."""

    a: str
    b: str
    rows: tuple[Row, ...]
    left_out: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """2 if any cannot be compared, else 1 if any differs, else 3 if any is inconclusive, else 0."""
        return worst(row.exit_code for row in self.rows)
