"""Calls of one function that are only traced: which of them share a compile, and why others do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scanir.compiles import Call, Leaf, Reason
from scanir.compiles.reasons import cost, of_calls
from scanir.errors import ArgumentError
from scanir.ir.attrs import Bool
from scanir.ir.types import TensorType, Type

if TYPE_CHECKING:
    from scanir.program import Program
    from scanir.result import StageDiff
    from scanir.targets.arguments import Arguments
    from scanir.targets.target import Target

_STATIC = " is static: "
#: Reasons of which it is plain that another program is compiled.
_PLAIN = frozenset({"shape", "dtype"})


@dataclass(frozen=True, slots=True)
class Traced:
    """One call. ``beside``: the number of the earlier call that it is nearest to, ``reasons`` what tells it from that
    one (none: it shares the compile). ``verdict``: of the two programs, where types do not settle it."""

    number: int
    text: str
    beside: int | None = None
    reasons: tuple[Reason, ...] = ()
    verdict: StageDiff | None = None

    @property
    def compiles(self) -> bool:
        """Whether the call compiles a program of its own."""
        return self.beside is None or bool(self.reasons)


def compare_calls(target: Target, calls: Sequence[Arguments | str]) -> tuple[Traced, ...]:
    """Hold each call against the earlier ones. Raises ScanirError for calls that cannot be traced."""
    if len(calls) < 2:
        raise ArgumentError(
            "one call compiles once: there is nothing to compare",
            hint="give --args for each of the calls, or scanir recompile -- python train.py",
        )
    found: list[Traced] = []
    kept: list[tuple[Call, Program]] = []
    for number, arguments in enumerate(calls, 1):
        given = target.arguments(arguments)
        program = target.trace(("jaxpr",), given)["jaxpr"]
        call = call_of(program, given)
        kept.append((call, program))
        text = arguments if isinstance(arguments, str) else str(given)
        if number == 1:
            found.append(Traced(number, text))
            continue
        options = [(k, of_calls(earlier, call)) for k, (earlier, _) in enumerate(kept[:-1])]
        index, reasons = min(reversed(options), key=lambda option: cost(option[1]))
        found.append(Traced(number, text, index + 1, reasons, _verdict(kept[index][1], program, reasons)))
    return tuple(found)


def call_of(program: Program, given: Arguments) -> Call:
    """A call as `scanir.compiles` tells calls apart, from the interface of what was traced."""
    interface = program.interface
    positional = dict(given.each())
    leaves = []
    for argument in interface.arguments:
        value = positional.get(argument.position if not argument.keyword else argument.name)
        python = type(value).__name__ if not argument.path and type(value) in (bool, int, float, complex) else ""
        shown, weak = spelled(argument.type)
        leaves.append(Leaf(argument.name, shown, weak, python, argument.sharding, argument.donated))
    statics = []
    for note in program.notes:
        name, found, value = note.partition(_STATIC)
        if found:
            statics.append((name.removeprefix("argument "), value))
    return Call(program.label, leaves=tuple(leaves), tree=interface.input_tree, statics=tuple(statics))


def spelled(type: Type) -> tuple[str, bool]:
    """A type as ``f32[8]``, and whether it is weak."""
    if not isinstance(type, TensorType):
        return str(type), False
    return str(replace(type, extras=())), ("weak_type", Bool(True)) in type.extras


def _verdict(a: Program, b: Program, reasons: Sequence[Reason]) -> Any:
    if not reasons or any(reason.kind in _PLAIN for reason in reasons):
        return None
    from scanir.compare.verdict import compare
    from scanir.normalize.rules import rule_set

    return compare(a, b, rule_set())
