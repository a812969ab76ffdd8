"""What a person named, made ready to trace: a function or one of JAX's own objects, and the arguments to trace with.

Recognized, never flagged by hand: a jitted function is used with the options it has and is never wrapped in jit again.
The function is traced, never run.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scanir.errors import ArgumentError, TargetError, TraceError
from scanir.targets.arguments import (
    Arguments,
    check,
    default_arguments,
    describe,
    missing,
    parse_arguments,
    signature_of,
    takes_nothing,
)
from scanir.targets.explain import check_static, explained
from scanir.targets.frameworks import FilterJit, framework_of, opened, own_call
from scanir.targets.imports import first_line
from scanir.targets.leaves import Closed, close_over, static_notes
from scanir.targets.worlds import world

if TYPE_CHECKING:
    from scanir.program import Program
    from scanir.targets.under import Transform

#: Kinds of objects that are traced already: they take no arguments any more.
_STAGED = ("traced", "lowered", "compiled", "jaxpr", "exported")
#: Kinds that are one stage only.
_ONLY = {"compiled": "hlo", "exported": "stablehlo"}


class Target:
    """A function with example arguments and options for jit.

    ``f`` is a callable, a jitted function, or a ``Traced``, ``Lowered``, ``Compiled``, ``ClosedJaxpr`` or ``Exported``.
    ``args`` and ``kwargs`` are example arguments; shapes are enough, and what is no array is static. They win over the
    arguments that ``scanir.diff`` is given for both sides. The other keywords are those of ``jax.jit``, such as
    ``static_argnames`` and ``donate_argnums``, for a function that is not jitted yet.
    """

    __slots__ = ("_arguments", "_directory", "_options", "function", "kind", "label")

    def __init__(
        self, f: Any, args: Sequence[Any] | Arguments | None = None, kwargs: dict[str, Any] | None = None, *,
        label: str = "", directory: str = "", **jit_options: Any,
    ) -> None:  # fmt: skip
        self.function = f
        self.kind = kind_of(f)
        self.label = label or _label(f, self.kind)
        self._arguments = _own(args, kwargs)
        self._directory = directory
        self._options = {name: value for name, value in jit_options.items() if value is not None}
        if self._options and self.kind != "function":
            what = "a module" if self.kind == "module" else f"{self.kind} already"
            raise TargetError(
                f"{self.label} is {what} and takes no more options: {', '.join(sorted(self._options))}",
                hint="write a function that calls it" if self.kind == "module" else "give the options to its own jit",
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

    @property
    def has_arguments(self) -> bool:
        """Whether the target was made with arguments of its own."""
        return self._arguments is not None

    def under(self, transform: Transform) -> Target:
        """The target under a transform of JAX; under ``none`` itself. Raises TargetError for what was lowered."""
        from scanir.targets.transforms import Transformed

        return self if transform.name == "none" else Transformed(self, transform)

    def arguments(self, override: Arguments | str | None = None) -> Arguments:
        """What to trace with: the given arguments, its own, or its function's example. Raises ArgumentError."""
        if self.kind in _STAGED:
            return Arguments()
        if isinstance(override, str):
            override = parse_arguments(override)
        found = override or self._arguments or self._default()
        if found is None:
            raise missing(self.function, self.label)
        if callable(self.function):
            check(self.function, own_call(found) if self.kind == "module" else found, self.label)
        return found

    def _default(self) -> Arguments | None:
        with world(self._directory):
            found = default_arguments(self.function)
        if found is None and takes_nothing(self.function):
            return Arguments()
        return found

    def trace(
        self, stages: tuple[str, ...], override: Arguments | str | None = None,
        compiler_options: tuple[tuple[str, Any], ...] = (),
    ) -> dict[str, Program]:  # fmt: skip
        """The program at each of the stages, compiled with these options beside its own. Raises ScanirError."""
        arguments = self.arguments(override)
        try:
            with world(self._directory):
                ready = self._ready(arguments)
                programs = self._programs(ready, arguments, stages, compiler_options)
        except TraceError as problem:
            if self.kind in _STAGED:
                raise TraceError(problem.what, where=problem.where or self.label, hint=problem.hint) from problem
            raise self._explained(problem, arguments) from problem
        except SystemExit as problem:
            ended = TraceError("the function ends the process (sys.exit)")
            raise self._explained(ended, arguments) from problem
        notes = ready.notes
        if self.kind == "jitted":
            for program in programs.values():
                check_static(self.function, arguments, program, self.label)
            notes = static_notes(self.function, arguments)
        return {
            stage: replace(program, label=self.label, notes=(*notes, *program.notes))
            for stage, program in programs.items()
        }

    def _programs(
        self, ready: Closed, arguments: Arguments, stages: tuple[str, ...],
        compiler_options: tuple[tuple[str, Any], ...],
    ) -> dict[str, Program]:  # fmt: skip
        from scanir.tracers import trace

        programs = trace(*self._staged(ready), stages, compiler_options)
        if isinstance(ready.function, FilterJit):
            return {stage: ready.function.named(program) for stage, program in programs.items()}
        return programs

    def _staged(self, ready: Closed) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """(what is traced, with these positional arguments, with these keywords)."""
        function: Any = ready.function
        if self.kind == "jitted" and inspect.ismethod(function):
            # Python hands on the ``trace`` of a jitted function, which does not know what the method is bound to.
            return function.__func__, (function.__self__, *ready.args), ready.kwargs
        return function, ready.args, ready.kwargs

    def staged(self, override: Arguments | str | None = None) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """A function that can be jitted, or is, and the arguments it is traced with. Raises ScanirError."""
        arguments = self.arguments(override)
        with world(self._directory):
            return self._staged(self._ready(arguments))

    def explained(self, problem: TraceError, override: Arguments | str | None = None) -> TraceError:
        """An error of making or running the program, with what was called."""
        return self._explained(problem, self.arguments(override))

    def _explained(self, problem: TraceError, arguments: Arguments) -> TraceError:
        """An error of tracing that also says what was called, with what, and how other arguments are given."""
        return explained(problem, self.function, self.kind, arguments)

    def _ready(self, arguments: Arguments) -> Closed:
        """The function with its options and static leaves; itself where there are none, wrapped without need in
        nothing."""
        if self.kind == "module":
            function, given, note = opened(self.function, arguments)
            closed = close_over(function, given, frozenset())
            return replace(closed, notes=(note, *closed.notes))
        if self.kind != "function":
            function = FilterJit(self.function) if framework_of(self.function) == "filter_jit" else self.function
            return Closed(function, arguments.args, arguments.kwargs, arguments.static)
        closed = close_over(self.function, arguments, self._declared(arguments))
        if not self._options:
            return closed
        import jax

        try:
            return replace(closed, function=jax.jit(closed.function, **self._options))
        except (TypeError, ValueError) as problem:  # an option that jit does not have, or that does not fit
            raise TargetError(
                f"jit refuses its options: {first_line(problem)}",
                where=describe(self.function),
                hint=f"options: {', '.join(f'{name}={value!r}' for name, value in self._options.items())}",
            ) from problem

    def _declared(self, arguments: Arguments) -> frozenset[int | str]:
        """Positions and keywords of the arguments that the target's own options say are static."""
        numbers = {key for key in _several(self._options.get("static_argnums")) if isinstance(key, int)}
        names = {name for name in _several(self._options.get("static_argnames")) if isinstance(name, str)}
        count = len(arguments.args)
        positions = {key + count if key < 0 else key for key in numbers}
        signature = signature_of(self.function)
        ordered = list(signature.parameters) if signature else []
        # As jit does: what only one of the two options says is worked out for the other.
        if not numbers:
            positions = {key for key, name in enumerate(ordered) if name in names}
        elif not names:
            names = {ordered[key] for key in positions if key < len(ordered)}
        return frozenset(positions | names)


def _own(args: Sequence[Any] | Arguments | None, kwargs: dict[str, Any] | None) -> Arguments | None:
    """The arguments a target is made with. Raises ArgumentError for what is no list of them."""
    if args is None and not kwargs:
        return None
    if isinstance(args, Arguments):
        return replace(args, kwargs={**args.kwargs, **(kwargs or {})})
    if not isinstance(args, (tuple, list, type(None))) or hasattr(args, "_fields"):
        raise ArgumentError(
            f"the arguments of a Target are a tuple, not a {type(args).__name__}", hint="for one: Target(f, (x,))"
        )
    return Arguments(tuple(args or ()), dict(kwargs or {}))


def _several(value: Any) -> tuple[Any, ...]:
    """One or several, as jit takes them."""
    return () if value is None else (value,) if isinstance(value, (int, str)) else tuple(value)


def kind_of(value: Any) -> str:
    """``function``, ``jitted``, ``module`` or which of JAX's objects it is. Raises TargetError for what cannot be
    traced."""
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
    if framework_of(value) == "filter_jit":
        return "jitted"
    # A text has a method ``lower`` and an array one called ``trace``: neither is a function.
    if (callable(value) and hasattr(value, "trace")) or (
        hasattr(value, "lower") and not isinstance(value, (str, bytes, bytearray))
    ):
        return "jitted"
    if callable(value):
        return "module" if framework_of(value) else "function"
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
