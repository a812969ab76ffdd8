"""The modules of a target by stage, as `scanir.trace` answers: a dict that can be saved."""

from __future__ import annotations

from pathlib import Path

from scanir.artifact.file import keep, packed
from scanir.artifact.printer import print_trace
from scanir.artifact.trace import Trace, portable
from scanir.errors import ArgumentError
from scanir.ir.graph import Module
from scanir.program import Program

#: How constants can be saved.
CONSTANTS = ("values", "digest")


class Modules(dict[str, Module]):
    """Modules by stage, and the trace that `save` writes: None for modules in normal form, which are no programs."""

    def __init__(self, modules: dict[str, Module], trace: Trace | None) -> None:
        super().__init__(modules)
        self._trace = trace

    @property
    def programs(self) -> tuple[Program, ...]:
        """The programs by stage; of modules in normal form none."""
        return () if self._trace is None else self._trace.programs

    def text(self, *, constants: str = "values", lines: bool = True) -> str:
        """The text of a ``.scanir`` file. ``constants``: ``values``, or ``digest`` for large ones by type and SHA-256.
        Raises ArgumentError."""
        if constants not in CONSTANTS:
            raise ArgumentError(f"unknown kind of constants {constants!r}", hint=f"one of {', '.join(CONSTANTS)}")
        if self._trace is None:
            raise ArgumentError("modules in normal form are no programs", hint="save them without normalized=True")
        return print_trace(portable(self._trace), digests=constants == "digest", lines=lines)

    def save(self, path: str | Path, *, constants: str = "values") -> None:
        """Write a ``.scanir`` file, compressed if its name ends with ``.gz``. The file is there as a whole or not
        at all. Raises ScanirError."""
        keep(Path(path), packed(self.text(constants=constants), Path(path)))
