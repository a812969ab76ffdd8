"""Names of the files that JAX and XLA write when they are told to dump what they compile."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

#: What JAX_DUMP_IR_TO, and --xla_dump_to before and after optimization, call a module; by the stage it is of.
_NAMES = (
    ("stablehlo", re.compile(r"jax_ir(?P<number>\d+)_(?P<name>.+?)_compile\.mlir$")),
    ("hlo-in", re.compile(r"module_(?P<number>\d+)\.(?P<name>.+?)\.(?:[\w.-]+_)?before_optimizations\.txt$")),
    ("hlo", re.compile(r"module_(?P<number>\d+)\.(?P<name>.+?)\.(?:[\w.-]+_)?after_optimizations\.txt$")),
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
    found = []
    for file in Path(directory).iterdir():
        for stage, pattern in _NAMES:
            if match := pattern.match(file.name):
                found.append(Dumped(int(match["number"]), match["name"], stage, file))
    return tuple(sorted(found))
