"""What a person named, made ready to trace: a function or one of JAX's own objects, and the arguments to trace with.

Recognized, never flagged by hand: a jitted function is used with the options it has and is never wrapped in jit again.
The function is traced, never run.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scanir.errors import TargetError, TraceError
from scanir.targets.arguments import Arguments, check, default_arguments, describe, example_of, missing, takes_nothing
from scanir.targets.imports import first_line
from scanir.targets.specs import written
from scanir.targets.worlds import world

if TYPE_CHECKING:
    from scanir.program import Program

#: Kinds of objects that are traced already: they take no arguments any more.
_STAGED = ("traced", "lowered", "compiled", "jaxpr", "exported")
#: Where an object lies in memory is news to nobody, and other in each run.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
#: Kinds that are one stage only.
_ONLY = {"compiled": "hlo", "exported": "stablehlo"}


class Target:
    """A function with example arguments and options for jit.

    ``f`` is a callable, a jitted function, or a ``Traced``, ``Lowered``, ``Compiled``, ``ClosedJaxpr`` or ``Exported``.
    ``args`` and ``kwargs`` are example arguments; shapes are enough. The other keywords are those of ``jax.jit``, for a
    function that is not jitted yet.
    """

    __slots__ = ("_arguments", "_directory", "_options", "function", "kind", "label")

    def __init__(
        self, f: Any, args: Sequence[Any] | None = None, kwargs: dict[str, Any] | None = None, *, label: str = "",
        directory: str = "", **jit_options: Any,
    ) -> None:  # fmt: skip
        self.function = f
        self.kind = kind_of(f)
        self.label = label or _label(f, self.kind)
        self._arguments = Arguments(tuple(args or ()), dict(kwargs or {})) if args is not None or kwargs else None
        self._directory = directory
        self._options = {name: value for name, value in jit_options.items() if value is not None}
        if self._options and self.kind != "function":
            raise TargetError(
                f"{self.label} is {self.kind} already and takes no more options: {', '.join(sorted(self._options))}",
                hint="give the options to its own jit",
            )

    def __repr__(self) -> str:
        return f"Target({self.label!r}, kind={self.kind!r})"

    @property
    def stage(self) -> str | None:
        """The one stage that an artifact is of; None for what can be brought to any."""
        return _ONLY.get(self.kind)

    def has_stage(self, stage: str) -> bool:
        """Whether the target can be traced to that stage."""
        return stage == self.stage if self.stage else not (self.kind == "lowered" and stage == "jaxpr")

    def arguments(self, override: Arguments | None = None) -> Arguments:
        """What to trace with: the given arguments, its own, or its function's example. Raises ArgumentError."""
        if self.kind in _STAGED:
            return Arguments()
        found = override or self._arguments or self._default()
        if found is None:
            raise missing(self.function, self.label)
        if callable(self.function):
            check(self.function, found, self.label)
        return found

    def _default(self) -> Arguments | None:
        with world(self._directory):
            found = default_arguments(self.function)
        if found is None and takes_nothing(self.function):
            return Arguments()
        return found

    def trace(self, stages: tuple[str, ...], override: Arguments | None = None) -> dict[str, Program]:
        """The program at each of the stages. Raises ScanirError."""
        arguments = self.arguments(override)
        try:
            with world(self._directory):
                programs = self._programs(arguments, stages)
        except TraceError as problem:
            if self.kind in _STAGED:
                raise TraceError(problem.what, where=problem.where or self.label, hint=problem.hint) from problem
            raise self._explained(problem, arguments) from problem
        except SystemExit as problem:
            raise self._explained(TraceError("the function ends the process (sys.exit)"), arguments) from problem
        return {stage: replace(program, label=self.label) for stage, program in programs.items()}

    def _programs(self, arguments: Arguments, stages: tuple[str, ...]) -> dict[str, Program]:
        from scanir.tracers import trace

        return trace(self._traceable(arguments), arguments.args, arguments.kwargs, stages)

    def _explained(self, problem: TraceError, arguments: Arguments) -> TraceError:
        """An error of tracing that also says what was called, with what, and how other arguments are given."""
        given = written(arguments.args, arguments.kwargs) or "no arguments"
        where = f"{describe(self.function)} given {given}"
        example = f"for other arguments: {example_of(self.function)}"
        if any(isinstance(value, str) for value in (*arguments.args, *arguments.kwargs.values())):
            example = """text is never traced, but may be given as it is: --args 'static("text")'"""
        return TraceError(
            _ADDRESS.sub("", problem.what).removesuffix(": "),  # of an exception without a message
            where=f"{problem.where}, in {where}" if problem.where else where,
            hint=f"{problem.hint}; {example}" if problem.hint else example,
        )

    def _traceable(self, arguments: Arguments) -> Any:
        """The function with its options; itself where there are none, so that nothing is wrapped without need."""
        if self.kind != "function" or not (self._options or arguments.static):
            return self.function
        import jax

        options = dict(self._options)
        numbers = [key for key in arguments.static if isinstance(key, int)]
        names = [key for key in arguments.static if isinstance(key, str)]
        if numbers:
            options["static_argnums"] = sorted({*_several(options.get("static_argnums")), *numbers})
        if names:
            options["static_argnames"] = sorted({*_several(options.get("static_argnames")), *names})
        try:
            return jax.jit(self.function, **options)
        except (TypeError, ValueError) as problem:  # an option that jit does not have, or that does not fit
            raise TargetError(
                f"jit refuses its options: {first_line(problem)}",
                where=describe(self.function),
                hint=f"options: {', '.join(f'{name}={value!r}' for name, value in options.items())}",
            ) from problem


def _several(value: Any) -> tuple[Any, ...]:
    """One or several, as jit takes them."""
    return () if value is None else (value,) if isinstance(value, (int, str)) else tuple(value)


def kind_of(value: Any) -> str:
    """``function``, ``jitted``, or which of JAX's objects it is. Raises TargetError for what cannot be traced."""
    if "jax" in sys.modules:
        import jax.extend.core

        for kind, type_ in (
            ("lowered", jax.stages.Lowered),
            ("compiled", jax.stages.Compiled),
            ("traced", getattr(jax.stages, "Traced", ())),
            ("jaxpr", jax.extend.core.ClosedJaxpr),
        ):
            if isinstance(value, type_):
                return kind
    if type(value).__name__ == "Exported" and hasattr(value, "mlir_module_serialized"):
        # Not imported to be asked: jax.export of JAX 0.6 wants a package that JAX itself does not need.
        return "exported"
    # A text has a method ``lower`` and an array one called ``trace``: neither is a function.
    if (callable(value) and hasattr(value, "trace")) or (
        hasattr(value, "lower") and not isinstance(value, (str, bytes, bytearray))
    ):
        return "jitted"
    if callable(value):
        return "function"
    raise TargetError(
        f"a value of type {type(value).__name__} cannot be traced",
        hint="give a function, jitted or not, a Traced, Lowered, Compiled, ClosedJaxpr or Exported, or a name of one",
    )


def _label(value: Any, kind: str) -> str:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if isinstance(name, str):
        return name
    inner = getattr(value, "fun_name", None)
    return f"{inner} ({kind})" if isinstance(inner, str) else f"a {type(value).__name__}"
