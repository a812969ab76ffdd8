"""Directories of programs: the files that JAX and XLA write when they are told to dump what they compile, by the names
of modules; or else any files, by their own names."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

#: What JAX_DUMP_IR_TO, and --xla_dump_to before and after optimization, call a module; by the stage it is of.
_NAMES = (
    ("stablehlo", re.compile(r"jax_ir(?P<number>\d+)_(?P<name>.+?)_compile\.mlir$")),
    (
        "hlo-in",
        re.compile(r"module_(?P<number>\d+)\.(?P<name>.+?)\.(?:[\w.-]+_)?before_optimizations\.(?:txt|hlo\.pb)$"),
    ),
    ("hlo", re.compile(r"module_(?P<number>\d+)\.(?P<name>.+?)\.(?:[\w.-]+_)?after_optimizations\.(?:txt|hlo\.pb)$")),
)


@dataclass(frozen=True, slots=True, order=True)
class Dumped:
    """A file of a dump: the module's number in it, its name, and the stage it shows."""

    number: int
    name: str
    stage: str
    path: Path


def dumped(directory: str) -> tuple[Dumped, ...]:
    """The modules in a directory, in the order in which they were compiled; none where it is no dump. Raises
    OSError."""
    found = {}
    for file in sorted(Path(directory).iterdir()):  # where a module is there as text, too, that is the later name
        for stage, pattern in _NAMES:
            if match := pattern.match(file.name):
                module = Dumped(int(match["number"]), match["name"], stage, file)
                found[module.number, module.name, stage] = module
    return tuple(sorted(found.values()))


@dataclass(frozen=True, slots=True)
class Entry:
    """A program in a directory: the ``count``-th of its name, in the order in which they were compiled. ``files``: by
    stage, in the order of stages; of a directory that is no dump one file, of no stage that is known."""

    name: str
    count: int
    files: tuple[tuple[str, Path], ...]

    @property
    def label(self) -> str:
        return self.name if self.count == 1 else f"{self.name}#{self.count}"


def entries(directory: str) -> tuple[Entry, ...]:
    """The programs in a directory, in their order. What is numbered otherwise is still the first, the second of its
    name. Raises OSError."""
    modules = dumped(directory)
    if not modules:
        return tuple(Entry(str(file.relative_to(directory)), 1, (("", file),)) for file in files_below(Path(directory)))
    found: dict[tuple[str, int], dict[str, Path]] = {}
    seen: defaultdict[tuple[str, str], int] = defaultdict(int)
    for module in modules:
        seen[module.stage, module.name] += 1
        found.setdefault((module.name, seen[module.stage, module.name]), {})[module.stage] = module.path
    order = [stage for stage, _ in _NAMES]
    return tuple(
        Entry(name, count, tuple((stage, files[stage]) for stage in order if stage in files))
        for (name, count), files in found.items()
    )


def files_below(directory: Path) -> list[Path]:
    """The files in a directory and below, hidden ones left out, in the order in which people count: file2 before
    file10."""
    found: list[Path] = []
    for at, below, names in os.walk(directory):
        below[:] = [name for name in below if not name.startswith(".")]
        found += [file for name in names if not name.startswith(".") and (file := Path(at, name)).is_file()]
    return sorted(found, key=_natural)


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", str(path))]
