"""Modules of one name in a directory that JAX or XLA dumped: what changed from one compile to the next.

Modules alone tell types, shapes and constants. Why the function was called so they do not tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scanir.compiles import Call, Leaf, Reason
from scanir.compiles.reasons import of_calls
from scanir.errors import TargetError
from scanir.recording.calls import spelled

if TYPE_CHECKING:
    from scanir.program import Program

#: Modules that are read: of each name the first ones.
_MOST = 40


@dataclass(frozen=True, slots=True)
class Module:
    """A dumped module. ``beside`` and ``reasons`` as of a recorded compile; ``said``: what comparing the two showed.
    ``stands_for``: how many files, of those that were not read."""

    name: str
    file: str
    beside: str = ""
    reasons: tuple[Reason, ...] = ()
    said: str = ""
    stands_for: int = 1


def read_dump(directory: str) -> tuple[tuple[Module, ...], ...]:
    """The modules that were compiled more than once, by name, in order. Raises ScanirError."""
    from scanir.targets.dumps import dumped

    groups: dict[str, list[Path]] = {}
    files = dumped(directory) if Path(directory).is_dir() else ()
    for stage in ("stablehlo", "hlo-in", "hlo"):
        for file in files:
            if file.stage == stage:
                groups.setdefault(file.name, []).append(file.path)
        if groups:
            break
    if not groups:
        raise TargetError(
            f"{directory} holds no dump of compiled modules",
            where=directory,
            hint="JAX_DUMP_IR_TO=DIR with JAX_DUMP_IR_MODES=stablehlo, or XLA_FLAGS=--xla_dump_to=DIR, writes one",
        )
    return tuple(_group(name, found) for name, found in sorted(groups.items()))


def _group(name: str, files: list[Path]) -> tuple[Module, ...]:
    from scanir.targets.artifact import read_artifact

    found: list[Module] = []
    kept: list[tuple[Call, Program]] = []
    for file in files[:_MOST]:
        artifact = read_artifact(str(file))
        (program,) = artifact.trace(artifact.stages[-1:]).values()
        call = _call(name, program)
        if not kept:
            found.append(Module(name, file.name))
        else:
            before, (earlier, other) = found[-1], kept[-1]
            reasons = of_calls(earlier, call)
            found.append(Module(name, file.name, before.file, reasons, "" if reasons else _compared(other, program)))
        kept.append((call, program))
    if unread := len(files[_MOST:]):
        said = f"not read: of each name the first {_MOST} are"
        found.append(Module(name, f"and {unread} more", said=said, stands_for=unread))
    return tuple(found)


def _call(name: str, program: Program) -> Call:
    leaves = tuple(
        Leaf(f"argument {k}", spelled(argument.type)[0]) for k, argument in enumerate(program.interface.arguments)
    )
    return Call(name, leaves=leaves)


def _compared(a: Program, b: Program) -> str:
    """What a comparison of two modules of equal types shows."""
    from scanir.compare.verdict import compare
    from scanir.normalize.rules import rule_set

    answer = compare(a, b, rule_set())
    if answer.mismatch is not None and answer.verdict.name == "DIFFERENT":
        return f"another program: {answer.mismatch.reason}"
    if answer.verdict.name in ("IDENTICAL", "EQUIVALENT"):
        needed = ", ".join(use.rule for use in answer.modulo)
        return "the same program" + (f", modulo {needed}" if needed else "") + ": another function object, or not kept"
    return f"{answer.verdict.name}: {'; '.join(answer.reasons)}"
