"""A module of a dump directory as a target, ``dir#jit_step``: each stage is in a file of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from scanir.errors import TargetError
from scanir.program import Program
from scanir.targets.arguments import Arguments
from scanir.targets.artifact import read_artifact
from scanir.targets.dumps import Entry, entries
from scanir.targets.names import near, shown
from scanir.targets.target import Target

#: Names of a hint.
SHOWN = 8


class DumpedModule(Target):
    """A program in a directory."""

    __slots__ = ("_files",)

    def __init__(self, label: str, entry: Entry) -> None:
        self.function = entry
        self.kind = "file"
        self.label = label
        self._files = dict(entry.files)
        self._arguments = None
        self._directory = ""
        self._options = {}

    @property
    def stages(self) -> tuple[str, ...]:
        return tuple(self._files)

    @property
    def stage(self) -> str | None:
        """The one stage that is there; None where there are several."""
        return next(iter(self._files)) if len(self._files) == 1 else None

    def has_stage(self, stage: str) -> bool:
        return stage in self._files

    def arguments(self, override: Arguments | str | None = None) -> Arguments:
        """None: a file is traced already."""
        return Arguments()

    def trace(
        self, stages: tuple[str, ...], override: Arguments | str | None = None,
        compiler_options: tuple[tuple[str, Any], ...] = (),
    ) -> dict[str, Program]:  # fmt: skip
        """The programs of these stages. Raises ScanirError."""
        if missing := [stage for stage in stages if stage not in self._files]:
            raise TargetError(
                f"the dump has no {', '.join(missing)} of {self.label}",
                where=self.label, hint=f"it has {', '.join(self._files)}",
            )  # fmt: skip
        return {stage: self._read(stage) for stage in stages}

    def _read(self, stage: str) -> Program:
        artifact = read_artifact(str(self._files[stage]))
        ((_, program),) = artifact.trace(artifact.stages).items()
        return replace(program, stage=stage, label=self.label)


def of_directory(text: str, directory: str, name: str) -> Target:
    """The program that ``name`` (``jit_step``, ``jit_step#2``) picks in a directory. Raises TargetError."""
    found = listed(directory)
    entry = next((entry for entry in found if entry.label == name or f"{entry.name}#{entry.count}" == name), None)
    if entry is None:
        names = [entry.label for entry in found]
        likely = near(name, names)
        raise TargetError(
            f"there is no module {shown(name)} in {shown(directory)}", where=shown(text),
            hint=f"did you mean {' or '.join(likely)}?" if likely else few(names),
        )  # fmt: skip
    return target_of(text, entry)


def target_of(label: str, entry: Entry) -> Target:
    """The target of an entry; a file that is no part of a dump is what is in it. Raises ScanirError."""
    if entry.files[0][0]:
        return DumpedModule(label, entry)
    return read_artifact(str(entry.files[0][1]))


def listed(directory: str) -> tuple[Entry, ...]:
    """The programs in a directory. Raises TargetError where there is none."""
    try:
        found = entries(directory)
    except OSError as problem:
        raise TargetError(f"{shown(directory)} cannot be read: {problem.strerror}", where=shown(directory)) from problem
    if not found:
        raise TargetError(
            f"there are no files in {shown(directory)}", hint="name a directory of IR files, or a dump of JAX or XLA"
        )
    return found


def is_directory(value: Any) -> bool:
    """Whether a target is a directory as a whole."""
    try:
        return isinstance(value, (str, Path)) and bool(str(value)) and Path(value).is_dir()
    except (OSError, ValueError):
        return False


def hint_for(directory: str) -> str:
    """What to name in place of a directory."""
    try:
        names = [f"{directory.rstrip('/')}#{entry.label}" for entry in entries(directory) if entry.files[0][0]]
    except OSError:
        names = []
    return f"name a program in it: {few(names)}" if names else "name one of the files in it"


def few(names: list[str]) -> str:
    more = f", and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"there is {', '.join(map(shown, names[:SHOWN]))}{more}"
