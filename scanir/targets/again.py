"""A target that is traced afresh: what JAX keeps of earlier traces in this process is forgotten first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scanir import _compat
from scanir.targets.target import Target

if TYPE_CHECKING:
    from scanir.program import Program
    from scanir.targets.arguments import Arguments
    from scanir.targets.under import Transform


class Again(Target):
    """Another target, which is not given what was traced before."""

    __slots__ = ("_of",)

    def __init__(self, of: Target) -> None:
        self._of = of
        self.function, self.kind, self.label = of.function, of.kind, of.label

    @property
    def stage(self) -> str | None:
        return self._of.stage

    def has_stage(self, stage: str) -> bool:
        return self._of.has_stage(stage)

    @property
    def has_arguments(self) -> bool:
        return self._of.has_arguments

    def under(self, transform: Transform) -> Target:
        return Again(self._of.under(transform))

    def arguments(self, override: Arguments | str | None = None) -> Arguments:
        return self._of.arguments(override)

    def trace(
        self, stages: tuple[str, ...], override: Arguments | str | None = None,
        compiler_options: tuple[tuple[str, Any], ...] = (),
    ) -> dict[str, Program]:  # fmt: skip
        _compat.forget_traces()
        return self._of.trace(stages, override, compiler_options)
