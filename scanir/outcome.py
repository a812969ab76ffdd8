"""What a check answers: one neutral object for a pair, a budget or a comparison, from which every format is made.

Plain data that another process can hand over. Files are named from the directory of the file that lists the checks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

#: What a finding can be: its id, which stays, and what it says. Ids of budgets are ``budget/`` and the limit's name.
FINDINGS = {
    "different": "The programs are DIFFERENT: no proof of equality within the rules.",
    "not-identical": "The programs are EQUIVALENT, where the check asks for IDENTICAL.",
    "inconclusive": "Something hides the answer.",
    "contradicted": "Running both sides contradicts the verdict, which is a bug of scanir's.",
    "version-mismatch": "Another version or machine made the baseline, where the check asks for the same.",
    "error": "The check could not be made.",
    "budget": "The compiled program is over a limit.",
}


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of a person's: ``file`` as reports name it, ``line`` 0 where only the file is known, ``label`` of whom."""

    file: str
    line: int
    label: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Finding:
    """Why a check does not pass. ``rule``: one of `FINDINGS`, or ``budget/LIMIT``; ``row``: stage and transform;
    ``paths``: where in the programs; ``spots``: lines, the one to look at first."""

    rule: str
    message: str
    row: str = ""
    paths: tuple[str, ...] = ()
    spots: tuple[Spot, ...] = ()

    def fingerprint(self, check: str) -> str:
        """The same as long as it is the same finding: of the check, the rule and places in the program, no line."""
        parts = "\0".join((check, self.rule, self.row, *self.paths))
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer of one check.

    ``kind``: pair, budget, baseline or diff. ``word``: the verdict, or WITHIN, EXCEEDED, SKIPPED, ERROR. ``exit_code``:
    0 where it passes, else as the command's. ``summary``: the rest of its line. ``report``: all there is to read.
    ``spot``: where the check is written. ``data``: the answer as the command prints it as JSON.
    """

    name: str
    kind: str
    word: str
    exit_code: int
    summary: str = ""
    findings: tuple[Finding, ...] = ()
    report: str = ""
    notes: tuple[str, ...] = ()
    spot: Spot | None = None
    data: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The answers of all checks, in the order of the file that lists them. ``source`` is that file's name."""

    source: str
    rows: tuple[Outcome, ...]

    @property
    def exit_code(self) -> int:
        """2 if any is an error, else 1 if any fails, else 3 if any is inconclusive, else 0."""
        return worst(row.exit_code for row in self.rows)

    def findings(self) -> Iterator[tuple[Outcome, Finding]]:
        """Each finding of what does not pass, with its check."""
        for row in self.rows:
            for finding in row.findings if row.exit_code else ():
                yield row, finding


def worst(codes: Any) -> int:
    """Of several exit codes the one that says most: 2, 1, 3, 0."""
    found = set(codes)
    return next((code for code in (2, 1, 3) if code in found), 0)
