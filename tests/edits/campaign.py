"""Plants edits in real modules and asks the edit script for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from rapidfuzz.distance import LCSseq

from scanir.align.script import script
from scanir.compare.isomorphism import Isomorphism
from scanir.errors import ScanirError
from scanir.ir.printer import print_module
from scanir.normalize.rules import DEFAULT
from scanir.program import Program
from scanir.result import Edit
from scanir.targets.artifact import interface_of
from tests.edits.plant import Planted, Planter
from tests.mutation.judge import program_of
from tests.mutation.sources import artifact

COUNTS = (1, 2, 5, 20)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A pair with ``planted`` edits. ``told``: edits of the script, places counted; ``named``: how many of the planted
    ones an edit of the script is at. ``lines``: lines that a diff of the canonical texts has; ``tokens``: tokens that
    an alignment of them leaves over."""

    dialect: str
    source: str
    planted: int
    told: int
    named: int
    lines: int
    tokens: int
    missed: tuple[Planted, ...] = ()
    edits: tuple[Edit, ...] = ()

    @property
    def good(self) -> bool:
        """Exactly one edit for one planted, at most one more for several. Fewer hide some, and are no success."""
        return self.told == 1 if self.planted == 1 else self.planted <= self.told <= self.planted + 1

    @property
    def fewer(self) -> bool:
        """Less than was planted: two of the planted ones are one, or a rule explains one."""
        return self.told < self.planted


def attempts(dialect: str, source: str, counts: tuple[int, ...], seed: int, corpus: Path | None) -> Iterator[Outcome]:
    """The outcomes for one module; none where it has no room for edits. Raises ScanirError."""
    program = program_of(dialect, artifact(dialect, source, corpus))
    planter = Planter(program.module)
    for count in counts:
        found = planter.plant(count, Random(f"{source} {count} {seed}"))
        if found is None:
            continue
        module, planted = found
        other = Program(program.stage, module, interface_of(module))
        if not Isomorphism(program, other).holds():
            yield _judged(dialect, source, program, other, planted)


def _judged(dialect: str, source: str, a: Program, b: Program, planted: list[Planted]) -> Outcome:
    edits, _, _ = script(a, b, DEFAULT)
    told = sum(edit.times for edit in edits)
    missed = tuple(one for one in planted if not any(_names(edit, one) for edit in edits))
    texts = [_text(program) for program in (a, b)]
    return Outcome(
        dialect, source, len(planted), told, len(planted) - len(missed), _apart(*(t.splitlines() for t in texts)),
        _apart(*(t.split() for t in texts)), missed, edits,
    )  # fmt: skip


def _names(edit: Edit, planted: Planted) -> bool:
    """Whether an edit is at the planted one: of the op that is put in, else at its path."""
    if planted.kind == "insert":
        return edit.kind == "insert" and edit.op == planted.op
    return any(left is not None and left.path == planted.path for left, _ in edit.places)


def _text(program: Program) -> str:
    return print_module(replace(program.module, name=""))


def _apart(left: list[str], right: list[str]) -> int:
    return LCSseq.distance(left, right)


def readable(dialect: str, source: str, counts: tuple[int, ...], seed: int, corpus: Path | None) -> list[Outcome]:
    """The same, with nothing for what cannot be read."""
    try:
        return list(attempts(dialect, source, counts, seed, corpus))
    except ScanirError:
        return []
