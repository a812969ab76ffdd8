"""What a person asks to be run, and where its answer goes. Imports nothing that runs programs before it must.

Promises that nothing is run unless asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from scanir.errors import ArgumentError
from scanir.program import Program
from scanir.result import Evidence, StageDiff

#: Inputs beside the example, and seconds, unless asked otherwise.
COUNT = 16
SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Run:
    """How much is run: inputs beside the example, and seconds for the search."""

    count: int = COUNT
    seconds: float = SECONDS


class _Side(Protocol):
    def has_stage(self, stage: str) -> bool: ...


def asked(count: int, seconds: float | None) -> Run:
    """How much is run for ``run=count``, of which True is the usual number. Raises ArgumentError."""
    if not isinstance(count, int) or count < 0:
        raise ArgumentError(f"run is a number of inputs, not {count!r}", hint=f"run={COUNT}")
    seconds = SECONDS if seconds is None else seconds
    if not seconds > 0:
        raise ArgumentError(f"run_timeout is a number of seconds, not {seconds!r}", hint=f"run_timeout={SECONDS:g}")
    return Run(COUNT if count is True else count, seconds)


def with_source(stages: tuple[str, ...], sides: Iterable[_Side]) -> tuple[str, ...]:
    """The stages with stablehlo, which is what runs, where both sides get there."""
    if "stablehlo" in stages or not all(side.has_stage("stablehlo") for side in sides):
        return stages
    return (*stages, "stablehlo")


def attach(
    rows: list[StageDiff], left: Mapping[str, Program], right: Mapping[str, Program], run: Run, scope: str
) -> list[StageDiff]:
    """The rows of one pair of programs, given by stage, with their evidence."""
    a, b = left.get("stablehlo"), right.get("stablehlo")
    if scope == "loops":
        reason = "programs are run as wholes, and --scope loops asks about their loops alone"
    elif a is None or b is None:
        reason = f"there is no StableHLO of {'a' if a is None else 'b'}, which alone is run"
    else:
        from scanir.evidence.judge import judge

        return judge(rows, a, b, run.count, run.seconds)
    return [replace(row, evidence=Evidence("not run", reason=reason)) for row in rows]
