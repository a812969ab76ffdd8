"""The effects of a program in order: what prints, calls the host, waits for other devices, or reads hidden state.

What counts as an effect is what the verdict counts as one: every op that no purity table lists, and those that declare
one. Effects of a function stand where it is first called; each later call is a row of its own that points there. Below
the jaxpr a host function is known by its number only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from scanir.compare.attributes import attribute_text
from scanir.facts.places import Place, Places
from scanir.facts.select import bare, code
from scanir.ir.attrs import Callable, Seq, Text
from scanir.ir.graph import Op
from scanir.ir.structure import BRANCHES, LoopView, view
from scanir.ir.types import TokenType, TupleType, Type
from scanir.ir.walk import attrs_in
from scanir.normalize.effects import CUSTOM_CALLS, Effects, callee_order, calls_python, has_own_effect, purity
from scanir.normalize.liveness import dead_callbacks

#: Kinds of effects by what the op's name, spelled with underscores, begins with.
_KINDS = {
    "debug_print": "print", "debug_callback": "host callback", "io_callback": "host callback",
    "pure_callback": "host callback", "python_callback": "host callback",
    "psum": "collective", "pmax": "collective", "pmin": "collective", "ppermute": "collective",
    "pbroadcast": "collective", "pgather": "collective", "all_": "collective", "reduce_scatter": "collective",
    "collective_": "collective", "ragged_all": "collective", "cross_replica": "collective", "unreduced_": "collective",
    "infeed": "transfer", "outfeed": "transfer", "send": "transfer", "recv": "transfer", "psend": "transfer",
    "precv": "transfer", "rng": "random state", "optimization_barrier": "barrier", "opt_barrier": "barrier",
    "get": "reference", "swap": "reference", "addupdate": "reference", "new_ref": "reference", "ref_": "reference",
    "masked_load": "reference", "masked_swap": "reference", "freeze": "reference", "empty_ref": "reference",
    "run_state": "reference", "custom_call": "foreign code", "ffi_call": "foreign code", "check": "check",
}  # fmt: skip
_INDEX = re.compile(r"\bindex\s*[=:]\s*\[?(?:ui64,\s*)?(\d+)")


@dataclass(frozen=True, slots=True)
class HostFunction:
    """A host function: its name with its module, a digest of its code, and where it was written. ``number`` is all
    that a module below the jaxpr knows of it."""

    name: str
    digest: str
    file: str
    line: int
    number: int | None = None


@dataclass(frozen=True, slots=True)
class EffectRow:
    """``kind``: print, host callback, collective, transfer, random state, reference, barrier, foreign code, check, call
    or unknown. ``what``: format, axis, target. ``ordered`` is None where the op says nothing of it. ``inside``: the
    loops and branches that it runs in, outer first."""

    op: str
    kind: str
    what: str
    function: HostFunction | None
    ordered: bool | None
    inside: tuple[str, ...]
    path: str
    file: str
    line: int
    code: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class EffectTable:
    rows: tuple[EffectRow, ...]
    notes: tuple[str, ...] = ()


def effects(places: Places) -> EffectTable:
    """The effects in the order of the program."""
    module = places.program.module
    transparent, pure = purity(module.dialect)
    unused = dead_callbacks(module)
    again = _called_again(places)
    found = []
    for place in places.all:
        if has_own_effect(place.op, transparent, pure):
            note = "nothing uses its result, so it may be dropped" if id(place.op) in unused else ""
            found.append(_row(place, note))
        elif (callee := again.get(place.number)) is not None:
            where = ("", 0) if place.location is None else (place.location.file, place.location.line)
            note = f"the effects of {callee}, which stand where it is called first"
            inside = tuple(inside_of(place))
            found.append(
                EffectRow(place.op.name, "call", callee, None, None, inside, place.path, *where, code(*where), note)
            )
    numbered = any(row.function is not None and row.function.number is not None for row in found)
    note = "below the jaxpr host functions are known by number only; stage jaxpr names them"
    return EffectTable(tuple(found), (note,) if numbered else ())


def _called_again(places: Places) -> dict[int, str]:
    """Later calls of functions with effects: number of the place -> the function."""
    module = places.program.module
    order, cycle = callee_order(module)
    if cycle:  # nobody knows how often they run
        return {}
    known = Effects(module, order)
    found = {}
    for name, calls in places.calls.items():
        if known.function(name):
            found.update({call.number: name for call in calls[1:]})
    return found


def inside_of(place: Place) -> list[str]:
    """Loops, branches and other ops that a place stands in, outer first: ``while``, ``while condition``, ``cond.1``."""
    found = []
    frame = place.frame
    while frame.parent is not None:
        if not frame.is_body:
            op = frame.parent.op
            loop = view(op)
            if op.name in BRANCHES:
                found.append(f"{op.name}.{frame.index}")
            elif isinstance(loop, LoopView) and frame.region is loop.condition:
                found.append(f"{op.name} condition")
            else:
                found.append(op.name)
        frame = frame.parent.frame
    return found[::-1]


def _row(place: Place, note: str) -> EffectRow:
    op = place.op
    file, line = ("", 0) if place.location is None else (place.location.file, place.location.line)
    return EffectRow(
        op.name, _kind(op), _what(op), _host_function(op), _ordered(op), tuple(inside_of(place)), place.path, file,
        line, code(file, line), note,
    )  # fmt: skip


def _kind(op: Op) -> str:
    if calls_python(op):
        return "host callback"
    name = bare(op.name)
    return next((kind for start, kind in _KINDS.items() if name.startswith(start)), "unknown")


def _what(op: Op) -> str:
    """The attribute that says most about an effect."""
    if op.name in CUSTOM_CALLS and not calls_python(op):
        target = op.attribute("call_target_name") or op.attribute("custom_call_target")
        return attribute_text(target) if target is not None else ""
    if isinstance(text := op.attribute("fmt"), Text):
        return repr(text.value)
    for name in ("axes", "axis_name", "replica_groups", "source_target_pairs", "target_name", "ref_effects"):
        value = op.attribute(name)
        if value is not None:
            return f"{name} = {attribute_text(value)[:60]}"
    return ""


def _host_function(op: Op) -> HostFunction | None:
    if calls_python(op):
        number = next((int(found[1]) for text in _configs(op) if (found := _INDEX.search(text))), None)
        return HostFunction("", "", "", 0, number)
    if _kind(op) not in ("host callback", "print"):
        return None
    functions = [attr for attr in attrs_in(value for _, value in op.attributes) if isinstance(attr, Callable)]
    # Functions with code come before classes and trees, which are known by identity alone.
    functions.sort(key=lambda function: not function.code_digest)
    if not functions:
        return None
    first = functions[0]
    return HostFunction(first.qualname, first.code_digest[:16], first.file, first.line)


def _configs(op: Op) -> Iterator[str]:
    for name in ("mhlo.backend_config", "backend_config", "opaque"):
        value = op.attribute(name)
        if value is not None:
            yield attribute_text(value)


def _ordered(op: Op) -> bool | None:
    """Whether an effect keeps its place among those of its kind."""
    declared = op.attribute("effects")
    if isinstance(declared, Seq):
        kinds = [attr.value for attr in declared.items if isinstance(attr, Text)]
        if any(kind.startswith("Ordered") for kind in kinds):
            return True
        return False if any(kind in ("DebugEffect", "IOEffect") for kind in kinds) else None
    if calls_python(op):
        return any(_holds_token(value.type) for value in (*op.operands, *op.results))
    return None


def _holds_token(type: Type) -> bool:
    stack = [type]
    while stack:
        match stack.pop():
            case TokenType():
                return True
            case TupleType(elements=elements):
                stack.extend(elements)
    return False
