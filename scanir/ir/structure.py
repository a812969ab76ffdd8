"""The structured view: which ops are loops, branches or calls, and how their regions are bound.

The one place that knows the shapes of structured ops in all dialects, so that no phase looks at op names for it. An op
that is none of them is *plain*; its regions, if it has any, are bound by the op itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from scanir.ir.attrs import Attr, Bool, Int, Symbol
from scanir.ir.graph import Op, Region, Value

#: What JAX (``clip_0``) and XLA (``region_1.2``) put behind the name of a function that there is already.
_COPY = re.compile(r"(_\d+|(\.\d+)+)\Z")
SCANS = frozenset({"scan"})
WHILES = frozenset({"while", "stablehlo.while"})
BRANCHES = frozenset({"cond", "stablehlo.if", "stablehlo.case", "conditional"})
CALLS = frozenset({"jit", "closed_call", "core_call", "func.call", "call", "fusion"})


@dataclass(frozen=True, slots=True)
class LoopView:
    """A loop. ``inits[i]`` starts slot i; ``body.params`` are slots, then elements of ``xs``; ``body.results`` are next
    values, then ys. ``condition`` is None for a scan, whose trip count is ``length``. ``dropped`` names the attributes
    that this view has taken apart; all others belong to the identity of the loop.
    """

    inits: tuple[Value, ...]
    xs: tuple[Value, ...]
    body: Region
    condition: Region | None
    length: int | None
    reverse: bool
    dropped: frozenset[str]


@dataclass(frozen=True, slots=True)
class BranchView:
    """A choice between regions. ``arguments[k]`` bind the parameters of ``regions[k]``."""

    selector: Value
    arguments: tuple[tuple[Value, ...], ...]
    regions: tuple[Region, ...]


@dataclass(frozen=True, slots=True)
class CallView:
    """A call of a function of the module."""

    callee: str
    arguments: tuple[Value, ...]


def _int(attr: Attr | None) -> int | None:
    return attr.value if isinstance(attr, Int) else None


def label(op: Op) -> str:
    """How a report names an op: a call with its callee, less the number that tells copies of one function apart."""
    callee = op.attribute("callee") if op.name in CALLS else None
    return op.name if not isinstance(callee, Symbol) else f"{op.name} {_COPY.sub('', callee.name)}"


def view(op: Op) -> LoopView | BranchView | CallView | None:
    """The structured view of an op, or None for a plain one."""
    if op.name in CALLS:
        callee = op.attribute("callee")
        return CallView(callee.name, op.operands) if isinstance(callee, Symbol) else None
    if op.name in WHILES and len(op.regions) == 2:
        return LoopView(op.operands, (), op.regions[1], op.regions[0], None, False, frozenset())
    if op.name in SCANS and len(op.regions) == 1:
        return _scan(op)
    if op.name in BRANCHES and op.regions and op.operands:
        return _branch(op)
    return None


def _scan(op: Op) -> LoopView | None:
    carries = _int(op.attribute("num_carry"))
    if carries is None:
        return None
    reverse = op.attribute("reverse")
    return LoopView(
        op.operands[:carries],
        op.operands[carries:],
        op.regions[0],
        None,
        _int(op.attribute("length")),
        isinstance(reverse, Bool) and reverse.value,
        frozenset({"num_carry"}),
    )


def _branch(op: Op) -> BranchView | None:
    rest = op.operands[1:]
    arguments: tuple[tuple[Value, ...], ...]
    if op.name == "conditional":
        arguments = tuple((value,) for value in rest)
    else:
        arguments = (rest,) * len(op.regions)
    fits = len(arguments) == len(op.regions) and all(
        len(bound) == len(region.params) for bound, region in zip(arguments, op.regions, strict=True)
    )
    return BranchView(op.operands[0], arguments, op.regions) if fits else None
