"""A context within this process: settings and compiler options for a while, everything as it was afterwards.

JAX keeps traces under a key that not all settings are part of (jax_default_prng_impl is not). For such a setting JAX's
caches are emptied before and after, so that no side gets what was traced for the other.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from scanir import _compat
from scanir.contexts.context import Context
from scanir.errors import ArgumentError
from scanir.program import Program
from scanir.targets.arguments import Arguments
from scanir.targets.names import near
from scanir.targets.resolve import resolve
from scanir.targets.target import Target
from scanir.targets.under import Transform

#: Facts that say what these settings did better than the settings do.
_SHOWN_BY_FACTS = frozenset({"jax_platforms", "jax_platform_name", "jax_num_cpu_devices"})


@contextlib.contextmanager
def applied(context: Context) -> Iterator[None]:
    """Within: the settings of the context."""
    changes = [(name, value) for name, value in context.config if _compat.setting(name) != value]
    forgets = False
    with contextlib.ExitStack() as stack:
        for name, value in changes:
            forgets |= stack.enter_context(_compat.setting_context(name, value))
        if forgets:
            _compat.forget_traces()
            stack.callback(_compat.forget_traces)
        yield


def with_facts(program: Program, context: Context, watched: tuple[str, ...]) -> Program:
    """The program with what this process says of the watched settings, and of the environment."""
    import os

    facts = dict(program.provenance)
    for name in watched:
        if name in _compat.setting_names():
            facts.setdefault(name, str(_compat.setting(name)))
        elif name.lower() in _compat.setting_names() and name.lower() not in _SHOWN_BY_FACTS:
            facts.setdefault(name.lower(), str(_compat.setting(name.lower())))
        elif name.lower() not in _SHOWN_BY_FACTS:
            facts.setdefault(name, os.environ.get(name, ""))
    shown = tuple(sorted((name, value) for name, value in facts.items() if name not in _SHOWN_BY_FACTS))
    return replace(program, provenance=shown)


def check_options(options: tuple[tuple[str, Any], ...]) -> None:
    """Ask XLA whether it knows these options, by compiling next to nothing. Raises ArgumentError."""
    for name, value in options:
        problem = _compat.option_refused(name, value)
        if problem:
            found = near(name, _compat.compiler_option_names())
            hint = f"did you mean {' or '.join(found)}?" if found else "options are the names of XLA's flags, xla_..."
            unknown = "No such compile option" in problem
            raise ArgumentError(
                f"the compiler has no option {name!r}"
                if unknown
                else f"the compiler option {name} cannot be {value!r}",
                where="" if unknown else problem,
                hint=hint if unknown else "",
            )


class Placed(Target):
    """A target that is resolved, transformed and traced within a context."""

    __slots__ = ("_context", "_target", "_watched")

    def __init__(self, target: Target, context: Context, watched: tuple[str, ...]) -> None:
        self._target, self._context, self._watched = target, context, watched
        self.function, self.kind, self.label = target.function, target.kind, target.label
        self._arguments, self._directory, self._options = target._arguments, target._directory, target._options

    @property
    def stage(self) -> str | None:
        return self._target.stage

    def has_stage(self, stage: str) -> bool:
        return self._target.has_stage(stage)

    def under(self, transform: Transform) -> Target:
        return Placed(self._target.under(transform), self._context, self._watched)

    def trace(
        self, stages: tuple[str, ...], override: Arguments | str | None = None,
        compiler_options: tuple[tuple[str, Any], ...] = (),
    ) -> dict[str, Program]:  # fmt: skip
        with applied(self._context):
            check_options(self._context.compiler_options)
            programs = self._target.trace(stages, override, (*self._context.compiler_options, *compiler_options))
            return {stage: with_facts(program, self._context, self._watched) for stage, program in programs.items()}


def placed(value: Any, context: Context, watched: tuple[str, ...]) -> Target:
    """A target made within a context: what it imports is imported there."""
    with applied(context):
        return Placed(resolve(value), context, watched)
