"""The verifier: what every module must be before anyone compares it.

Promises that a module without problems has unique functions, calls that fit their callees, values defined once and
before use in a region that sees them, sorted attributes, and structured ops shaped as `scanir.ir.graph` says. Where
types must agree, dtype and shape (and being a reference) must; layouts, shardings and weak types may differ, as they do
in programs that JAX and XLA make. Symbolic dimensions fit any dimension. It does not know what ops mean, so the types
of plain ops are not checked. Iterative and linear in the size of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from scanir.errors import ScanirError
from scanir.ir.attrs import Attr, Attrs, Record
from scanir.ir.conventions import CONVENTIONAL, convention_problems
from scanir.ir.graph import Function, Module, Op, Region, Value
from scanir.ir.types import TensorType, TupleType, Type
from scanir.ir.walk import LEAVES, attrs_in, symbols

DIALECTS = frozenset({"jaxpr", "stablehlo", "hlo"})

#: How many problems an error shows; all of them are in `problems`.
SHOWN = 10


class VerifyError(ScanirError):
    """A module breaks a rule of the IR: a reader's or builder's fault, never the user's program."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One broken rule. ``where`` is a function or ``function/op`` with ops counted from 0 in each region."""

    where: str
    what: str


def verify(module: Module) -> None:
    """Raise VerifyError with the first few problems, if there are any."""
    found = problems(module)
    if found:
        lines = [f"{problem.where}: {problem.what}" for problem in found[:SHOWN]]
        if len(found) > SHOWN:
            lines.append(f"and {len(found) - SHOWN} more")
        raise VerifyError(
            "malformed module: " + "\n".join(lines),
            where=f"module {module.name or module.entry} ({module.dialect})",
            hint="this is a bug of the reader that made the module; please report it with the input",
        )


#: Attribute of a module in which no function is marked as the entry while several could be it: the reader took one.
ASSUMED = "entry_is_assumed"


def entry_is_assumed(module: Module) -> bool:
    """Whether it is not known which function is the program. All that is true of the one that was taken says nothing
    of the others, so no rule may leave those out: such a module proves nothing but that it is IDENTICAL."""
    return any(name == ASSUMED for name, _ in module.attributes)


def problems(module: Module) -> tuple[Problem, ...]:
    """Everything that is wrong with a module, in reading order."""
    return tuple(_module_problems(module))


def _module_problems(module: Module) -> Iterator[Problem]:
    functions: dict[str, Function] = {}
    for function in module.functions:
        if function.name in functions:
            yield Problem(function.name, "a second function of this name")
        functions[function.name] = function
    if module.dialect not in DIALECTS:
        yield Problem("module", f"unknown dialect {module.dialect!r}")
    if module.entry not in functions:
        yield Problem("module", f"no function is called {module.entry!r}, the entry")
    yield from _attribute_problems("module", module.attributes, functions)
    scopes = _Scopes(module.dialect == "hlo")
    sound: set[int] = set()  # by id: types and lists of attributes that many ops share, seen to be in order
    for function in module.functions:
        yield from _function_problems(function, functions)
        for op in scopes.enter(function):
            if op.regions or op.name in CONVENTIONAL or not _is_sound(op, sound):
                found = tuple(_op_problems(scopes.place(), op, functions))
                if not found:
                    sound.add(id(op.attributes))
                    sound.update(id(value.type) for value in op.results)
                yield from found
        yield from scopes.found
        scopes.found.clear()


def _function_problems(function: Function, functions: dict[str, Function]) -> Iterator[Problem]:
    yield from _attribute_problems(function.name, function.attributes, functions)
    for kind, given, values in (
        ("parameter", function.param_attrs, function.body.params),
        ("result", function.result_attrs, function.body.results),
    ):
        if given and len(given) != len(values):
            yield Problem(function.name, f"{len(given)} lists of {kind} attributes for {len(values)} {kind}s")
        for attributes in given:
            yield from _attribute_problems(function.name, attributes, functions)
    for value in function.body.params:
        yield from _type_problems(function.name, value.type)


def _is_sound(op: Op, sound: set[int]) -> bool:
    for value in op.results:
        if id(value.type) not in sound:
            return False
    return not op.attributes or id(op.attributes) in sound


def _op_problems(where: str, op: Op, functions: dict[str, Function]) -> Iterator[Problem]:
    yield from _attribute_problems(where, op.attributes, functions)
    for value in (*op.results, *(param for region in op.regions for param in region.params)):
        yield from _type_problems(where, value.type)
    for what in convention_problems(op, functions):
        yield Problem(where, what)


def _attribute_problems(where: str, attributes: Attrs, functions: dict[str, Function]) -> Iterator[Problem]:
    yield from _order_problems(where, attributes)
    if all(type(value) in LEAVES for _, value in attributes):
        return
    for name in symbols(attributes):
        if name not in functions:
            yield Problem(where, f"an attribute names {name!r}, which is no function of the module")
    for attr in attrs_in(value for _, value in attributes):
        if isinstance(attr, Record):
            yield from _order_problems(where, attr.fields)


def _order_problems(where: str, fields: tuple[tuple[str, Attr], ...]) -> Iterator[Problem]:
    for (before, _), (after, _) in pairwise(fields):
        if before >= after:
            yield Problem(where, f"attributes are not sorted or not unique: {before!r} before {after!r}")


def _type_problems(where: str, type: Type) -> Iterator[Problem]:
    stack = [type]
    while stack:
        match stack.pop():
            case TupleType(elements=elements):
                stack.extend(reversed(elements))
            case TensorType(shape=shape, extras=extras):
                yield from _order_problems(where, extras)
                if any(isinstance(dim, bool) or (isinstance(dim, int) and dim < 0) for dim in shape):
                    yield Problem(where, f"a dimension is negative or a bool: {shape}")
            case _:
                pass


@dataclass(slots=True, eq=False)
class _Frame:
    """A region on the walk. ``lowest``: the smallest depth of a value used in it; ``pending``: the op whose regions
    are being walked, so that its results are not visible yet; ``inner``: how many of these have been entered."""

    region: Region
    where: str
    depth: int
    parent: _Frame | None
    lowest: int
    at: int = -1
    pending: Op | None = None
    inner: int = 0


class _Scopes:
    """Walks regions, keeps what is visible, and notes uses of what is not.

    A value is visible from its definition to the end of its region, in the regions of later ops too. A shared region
    is walked once, where it is met first, and must be closed.
    """

    def __init__(self, closed_regions: bool) -> None:
        self.found: list[Problem] = []
        self._closed_regions = closed_regions
        self._visible: dict[Value, int] = {}
        self._defined: set[Value] = set()
        self._closed: dict[int, bool | None] = {}  # by id of a region; None while it is being walked
        self._frames: list[_Frame] = []

    def place(self) -> str:
        """Where the op is that was entered last; at the ends of a region, the region."""
        frame = self._frames[-1]
        return f"{frame.where}/{frame.at}:{frame.pending.name}" if frame.pending is not None else frame.where

    def enter(self, function: Function) -> Iterator[Op]:
        """Each op of the function, before the ops in it."""
        self._push(function.body, function.name, None)
        while self._frames:
            frame = self._frames[-1]
            if frame.at < 0:
                self._define(frame, frame.region.params)
                frame.at = 0
            elif frame.pending is not None:
                self._continue(frame, frame.pending)
            elif frame.at == len(frame.region.ops):
                self._use(frame, frame.region.results)
                self._pop(frame)
            else:
                op = frame.pending = frame.region.ops[frame.at]
                self._use(frame, op.operands)
                if op.control:
                    self._use(frame, op.control)
                yield op

    def _continue(self, frame: _Frame, op: Op) -> None:
        """Enter the op's next region; after the last one its results are visible."""
        if frame.inner < len(op.regions):
            frame.inner += 1
            self._push(op.regions[frame.inner - 1], self.place(), frame)
        else:
            self._define(frame, op.results)
            frame.pending, frame.inner, frame.at = None, 0, frame.at + 1

    def _push(self, region: Region, where: str, parent: _Frame | None) -> None:
        if id(region) not in self._closed:
            depth = parent.depth + 1 if parent else 0
            self._closed[id(region)] = None
            self._frames.append(_Frame(region, where, depth, parent, lowest=depth))
        elif not self._closed[id(region)]:
            self.found.append(Problem(where, "a shared region uses values from outside, or contains itself"))

    def _pop(self, frame: _Frame) -> None:
        self._frames.pop()
        for value in (*frame.region.params, *(result for op in frame.region.ops for result in op.results)):
            self._visible.pop(value, None)
        closed = self._closed[id(frame.region)] = frame.lowest == frame.depth
        if self._closed_regions and not closed:
            self.found.append(Problem(frame.where, "an HLO computation uses values from outside"))
        if frame.parent is not None:
            frame.parent.lowest = min(frame.parent.lowest, frame.lowest)

    def _define(self, frame: _Frame, values: tuple[Value, ...]) -> None:
        for value in values:
            if value in self._defined:
                self.found.append(Problem(self.place(), f"value {value.name or value.type} is defined twice"))
            else:
                self._defined.add(value)
                self._visible[value] = frame.depth

    def _use(self, frame: _Frame, values: tuple[Value, ...]) -> None:
        for value in values:
            depth = self._visible.get(value)
            if depth is None:
                known = "outside of its region" if value in self._defined else "before its definition"
                self.found.append(Problem(self.place(), f"value {value.name or value.type} is used {known}"))
            elif depth < frame.lowest:
                frame.lowest = depth
