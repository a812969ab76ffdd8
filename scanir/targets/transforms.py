"""Transforms of JAX applied to what a person named, as they would apply them: the function is transformed as it is
called.

- ``vmap`` adds an axis of `scanir.targets.mapping.AXIS_SIZE` elements (or axis_size) to the arguments where in_axes
  says so; keywords get it in front, as in JAX.
- ``jvp`` adds one argument, a tuple with the tangents of all positional arguments; it returns values and tangents.
- ``vjp`` adds one argument, the cotangents of the results; it returns the results and the cotangents of the positional
  arguments.
- ``grad``, ``value_and_grad`` and ``checkpoint`` leave the arguments as they are.

Refuses what was lowered before: it has no derivative any more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from scanir import _compat
from scanir.errors import ArgumentError, TargetError, TraceError
from scanir.program import Program
from scanir.targets.arguments import Arguments
from scanir.targets.calls import Call, Slot, call_of, called, renamed
from scanir.targets.derivatives import grad, jvp, vjp
from scanir.targets.leaves import Closed
from scanir.targets.mapping import vmap
from scanir.targets.names import near
from scanir.targets.target import Target
from scanir.targets.under import Transform

#: Policies of checkpoint that are made from names.
_OF_NAMES = frozenset({"save_only_these_names", "save_anything_except_these_names", "save_any_names_but_these"})
#: ... and from what no text can name.
_OF_MORE = re.compile(r"save_from|save_and_offload|offload_")

_Apply: TypeAlias = "Callable[[Call, Transform], Call]"


def apply(call: Call, transform: Transform) -> Call:
    """The transformed call. Raises ArgumentError where the transform does not fit it."""
    for step in transform.chain():
        call = _APPLY[step.name](call, step)
    return call


def _none(call: Call, transform: Transform) -> Call:
    return call


def _checkpoint(call: Call, transform: Transform) -> Call:
    import jax

    options = dict(transform.options)
    if "policy" in options:
        options["policy"] = _policy(transform)

    def saved(*args: Any, **kwargs: Any) -> Any:
        return jax.checkpoint(call.function, **options)(*args, **kwargs)

    return replace(call, function=called(saved, call.function))


def _policy(transform: Transform) -> Any:
    """What one of jax.checkpoint_policies is, by its name."""
    import jax

    word = transform.option("policy")
    public = sorted(name for name in dir(jax.checkpoint_policies) if not name.startswith("_"))
    known = [name for name in public if not _OF_MORE.match(name)]
    if word.name not in known:
        found = near(word.name, known)
        raise ArgumentError(
            f"{transform}: there is no policy {word.name} here",
            hint=f"did you mean {' or '.join(found)}?" if found else f"policies: {', '.join(known)}",
        )
    policy = getattr(jax.checkpoint_policies, word.name)
    if (word.name in _OF_NAMES) != (word.given is not None):
        example = f'{word.name}("name")' if word.given is None else word.name
        raise ArgumentError(f"{transform}: the policy is written {example}", hint=f"policies: {', '.join(known)}")
    return policy if word.given is None else policy(*word.given)


_APPLY: dict[str, _Apply] = {
    "none": _none,
    "grad": grad,
    "value_and_grad": grad,
    "jvp": jvp,
    "vjp": vjp,
    "vmap": vmap,
    "checkpoint": _checkpoint,
}


class Transformed(Target):
    """A target under a transform. It has the label, the example arguments and the stages of the target itself."""

    __slots__ = ("_target", "transform")

    def __init__(self, target: Target, transform: Transform) -> None:
        if target.kind not in _TRANSFORMABLE:
            article = "an" if target.kind[0] in "aeiou" else "a"
            raise TargetError(
                f"{target.label} cannot be transformed: it is {article} {target.kind} already",
                where=f"under {transform}",
                hint="give the function itself, or compare what you transformed before",
            )
        self._target = target
        self.transform = transform
        self.function, self.kind, self.label = target.function, target.kind, target.label
        self._arguments, self._directory, self._options = target._arguments, target._directory, target._options

    def has_stage(self, stage: str) -> bool:
        return True

    def _programs(
        self, ready: Closed, arguments: Arguments, stages: tuple[str, ...],
        compiler_options: tuple[tuple[str, Any], ...],
    ) -> dict[str, Program]:  # fmt: skip
        from scanir.tracers import step, trace

        call = step(f"applying {self.transform.name}", lambda: apply(self._call(ready), self.transform))
        programs = trace(call.function, call.args, call.kwargs, stages, compiler_options)
        return {
            stage: replace(program, interface=renamed(program.interface, call)) for stage, program in programs.items()
        }

    def _staged(self, ready: Closed) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        call = apply(self._call(ready), self.transform)
        return call.function, call.args, call.kwargs

    def _call(self, ready: Closed) -> Call:
        if self.kind == "jaxpr":
            return _call_of_jaxpr(self.function, self.label)
        # Options for jit are those of the function that is transformed, as a jit around it would have them.
        return call_of(ready.function, Arguments(ready.args, ready.kwargs, ready.static), self.label)

    def _explained(self, problem: TraceError, arguments: Arguments) -> TraceError:
        explained = super()._explained(problem, arguments)
        return TraceError(explained.what, where=f"{explained.where}, under {self.transform}", hint=explained.hint)


#: Kinds of targets that can be transformed.
_TRANSFORMABLE = ("function", "jitted", "module", "jaxpr")


def _call_of_jaxpr(jaxpr: Any, label: str) -> Call:
    """A call of what a jaxpr does, with the types of its inputs. Of one result it returns that, of several a tuple."""
    import jax
    import jax.extend.core

    parts = _compat.jaxpr_parts(jaxpr)
    assert parts is not None
    flat = jax.extend.core.jaxpr_as_fun(jaxpr)

    def function(*args: Any) -> Any:
        results = flat(*args)
        return results[0] if len(results) == 1 else tuple(results)

    examples = tuple(
        jax.ShapeDtypeStruct(var.aval.shape, var.aval.dtype, weak_type=bool(getattr(var.aval, "weak_type", False)))
        for var in parts[0].invars
    )
    names = _compat.argument_names(jaxpr)
    known = names if len(names) == len(examples) else ("",) * len(examples)
    slots = tuple(Slot("own", name or f"argument {k}") for k, name in enumerate(known))
    return Call(function, examples, {}, slots, tuple(range(len(examples))), label)
