"""A ``.scanir`` file as a target: programs that were traced once, at every stage that was saved.

Nothing of it is traced again. The arguments it was traced with are there for the other side of a comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from scanir.artifact import SavedTrace, read_trace
from scanir.errors import ArgumentError, ReadError, TargetError
from scanir.program import Program
from scanir.targets.arguments import Arguments, parse_arguments
from scanir.targets.target import Target


class Saved(Target):
    """A trace that was read from a file."""

    __slots__ = ("_read", "_set_aside", "saved")

    def __init__(self, label: str, saved: SavedTrace, set_aside: frozenset[str] = frozenset()) -> None:
        """``set_aside``: facts of how it was made that are not to be compared."""
        self._set_aside = set_aside
        self.function = saved
        self.kind = "file"
        self.label = label
        self.saved = saved
        self._read: dict[str, Program] = {}
        self._arguments = None
        self._directory = ""
        self._options = {}

    @property
    def stage(self) -> str | None:
        """The one stage that is there; None where there are several."""
        return self.saved.stages[0] if len(self.saved.stages) == 1 else None

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that are there, the last the furthest."""
        return self.saved.stages

    def has_stage(self, stage: str) -> bool:
        return stage in self.saved.stages

    def arguments(self, override: Arguments | str | None = None) -> Arguments:
        """None: a file is traced already."""
        return Arguments()

    @property
    def traced_with(self) -> str:
        """The arguments it was traced with, as ``--args`` takes them; empty where they are not known."""
        return self.saved.arguments

    def trace(
        self, stages: tuple[str, ...], override: Arguments | str | None = None,
        compiler_options: tuple[tuple[str, Any], ...] = (),
    ) -> dict[str, Program]:  # fmt: skip
        """The programs as they were saved. Raises TargetError for a stage that was not."""
        for stage in stages:
            if not self.has_stage(stage):
                raise TargetError(
                    f"stage {stage} was not saved", where=self.label, hint=f"it has {', '.join(self.saved.stages)}"
                )
            if stage not in self._read:
                program = self.saved.program(stage)
                facts = tuple(fact for fact in program.provenance if fact[0] not in self._set_aside)
                self._read[stage] = replace(program, label=self.label, provenance=facts)
        return {stage: self._read[stage] for stage in stages}


def read_saved(data: bytes, label: str) -> Saved:
    """The target of a trace's bytes, which are not compressed any more. Raises ReadError."""
    try:
        text = data.decode("ascii").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        raise ReadError(
            f"{label} is damaged: byte {problem.start} is not ASCII, which a .scanir file is throughout", where=label,
            hint="write it again with scanir trace",
        ) from None  # fmt: skip
    return Saved(label, read_trace(text, label))


def text_of(arguments: Arguments) -> str:
    """Arguments as text, where that says all of them: reading it gives what is traced alike; empty elsewhere."""
    text = str(arguments)
    try:
        again = parse_arguments(text)
    except ArgumentError:
        return ""
    return text if "..." not in text and str(again) == text and not _split(arguments) else ""


def _split(arguments: Arguments) -> bool:
    """Whether any array says how it is split over devices, which the text does not."""
    return any(getattr(leaf, "sharding", None) is not None for leaf in _leaves(arguments))


def _leaves(arguments: Arguments) -> Iterator[Any]:
    stack: list[Any] = [value for _, value in arguments.each()]
    while stack:
        value = stack.pop()
        match value:
            case tuple() | list():
                stack.extend(value)
            case dict():
                stack.extend(value.values())
            case _:
                yield value


def traced_with(targets: tuple[Target, ...]) -> str:
    """The arguments that saved sides were traced with, for sides that have none. Raises ArgumentError for sides of
    unlike ones."""
    found = {target.traced_with: target for target in targets if isinstance(target, Saved) and target.traced_with}
    if len(found) > 1:
        raise ArgumentError(
            "saved sides were traced with unlike arguments", where=" and ".join(t.label for t in found.values()),
            hint="say with which: --args",
        )  # fmt: skip
    return next(iter(found), "")
