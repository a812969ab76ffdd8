"""The way back from a value: every op that leads to it, through loops, branches and calls.

A worklist over values (of HLO's tuples: over their elements), each looked at once, so sharing costs nothing. A loop
result leads to the slot's start and next value and to what decides the number of trips; a parameter of a function leads
to the arguments of the calls that were met on the way. Effects are not followed: what one op writes and another reads
besides its operands is not in here, and the slice says so.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from scanir.errors import ArgumentError
from scanir.facts.near import unknown
from scanir.facts.places import Place, Places
from scanir.facts.select import at_path
from scanir.facts.values import ELEMENTS, Values
from scanir.ir.attrs import Int
from scanir.ir.graph import Op, Region, Value
from scanir.ir.structure import BranchView, CallView, LoopView, label, view
from scanir.ir.types import TupleType
from scanir.normalize.effects import Effects, callee_order

_RESULT = re.compile(r"(?:result|output)\s*#?(\d+)\Z")
_NAMED = re.compile(r"(?:@?(?P<function>[^%]+?)/)?%(?P<name>.+)\Z")
#: Ops that a slice goes through without a word.
QUIET = ELEMENTS | {"constant", "tuple", "stablehlo.tuple"}
#: A value, and the way to an element of it where it is a tuple.
Item = tuple[Value, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class SliceRow:
    """One op on the way: ``distance`` counts ops to the value asked for; ``uses`` are its operands in words;
    names hold in ``function``, where ``scanir show`` prints the op;
    ``more`` is True where the way goes on beyond the depth that was asked for."""

    name: str
    function: str
    op: str
    types: str
    uses: tuple[str, ...]
    path: str
    nesting: int
    distance: int
    more: bool
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Slice:
    """``rows`` in the order of the program, each op once; ``arguments``: those that are reached; ``effects`` counts the
    rows that have one; ``left_out`` the ops at which the way ends because of the depth."""

    value: str
    rows: tuple[SliceRow, ...]
    arguments: tuple[str, ...]
    effects: int
    left_out: int = 0


def find_value(places: Places, text: str) -> list[Item]:
    """The values that a text names: ``result 0``, ``%12``, ``@f/%3``, an argument's name, a path. Raises
    ArgumentError."""
    entry = places.program.module.function(places.program.module.entry)
    text = text.strip()
    if (result := _RESULT.match(text)) is not None:
        items = _results(entry.body)
        number = int(result.group(1))
        if number >= len(items):
            hint = f"it has {len(items)} results, from 0" if items else "it has none"
            raise ArgumentError(f"there is no result {number}", where=places.program.label, hint=hint)
        return [items[number]]
    if (named := _NAMED.match(text)) is not None:
        return [(_by_name(places, named["function"], f"%{named['name']}"), ())]
    values = Values(places)
    arguments = {values.argument(k): param for k, param in enumerate(entry.body.params)}
    if text in arguments:
        return [(arguments[text], ())]
    shown = [value for value in (*places.makers, *places.bound) if value.name and text.lstrip("%") == value.name]
    if shown:
        return [(value, ()) for value in shown]
    if places.matching(text):
        return [(value, ()) for place in at_path(places, text).places for value in place.op.results]
    names = [*(f"result {k}" for k in range(len(_results(entry.body)))), *arguments]
    raise unknown(
        f"no value is called {text}", text, names, "values also go by %12, @function/%12, or the path of an op"
    )


def _results(body: Region) -> list[Item]:
    """The results of a program; HLO's one tuple by its elements."""
    if len(body.results) == 1 and isinstance(type := body.results[0].type, TupleType):
        return [(body.results[0], (k,)) for k in range(len(type.elements))]
    return [(value, ()) for value in body.results]


def _by_name(places: Places, function: str | None, name: str) -> Value:
    wanted = function or places.program.module.entry
    here = {text: value for value, text in places.names.items() if places.homes[value] == wanted}
    if name not in here:
        functions = [function.name for function in places.program.module.functions]
        if wanted not in functions:
            raise unknown(f"no function is called {wanted}", wanted, functions, places.program.label)
        raise unknown(f"no value of {wanted} is called {name}", name, here, places.program.label)
    return here[name]


class _Walk:
    """``reached``: value items with their distance; ``ops``: the numbers of the places met, with theirs."""

    def __init__(self, places: Places, depth: int | None) -> None:
        self._places, self._depth = places, depth
        self._functions = {function.name: function for function in places.program.module.functions}
        self.reached: dict[Item, int] = {}
        self.ops: dict[int, int] = {}
        self.cut: set[int] = set()
        self._queue: deque[tuple[Item, int]] = deque()
        self._parameters: dict[str, dict[tuple[int, tuple[int, ...]], int]] = {}
        self._calls: dict[str, dict[int, CallView]] = {}

    def run(self, items: list[Item]) -> None:
        for item in items:
            self._add(item, 0)
        while self._queue:
            item, distance = self._queue.popleft()
            if item not in self.reached:
                self.reached[item] = distance
                self._visit(item, distance)

    def _add(self, item: Item, distance: int, *, near: bool = False) -> None:
        """``near``: no further away than what led to it, so that it comes first."""
        if item not in self.reached:
            (self._queue.appendleft if near else self._queue.append)((item, distance))

    def _visit(self, item: Item, distance: int) -> None:
        value, path = item
        made = self._places.makers.get(value)
        if made is None:
            for source in self._sources(value, path, distance):
                self._add(source, distance, near=True)
            return
        place, k = made
        if place.number not in self.ops:
            if self._depth is not None and distance >= self._depth and place.op.name not in ELEMENTS:
                self.cut.add(place.number)
                return
            self.ops[place.number] = distance
        near = place.op.name in ELEMENTS
        for source in self._behind(place, k, path, distance):
            self._add(source, distance if near else distance + 1, near=near)

    def _behind(self, place: Place, k: int, path: tuple[int, ...], distance: int) -> Iterator[Item]:
        """What a result of an op is made from."""
        op = place.op
        yield from ((value, ()) for value in op.control)
        index = op.attribute("index")
        if op.name in ELEMENTS and isinstance(index, Int):
            yield op.operands[0], (index.value, *path)
        elif op.name.endswith("tuple") and path and path[0] < len(op.operands):
            yield op.operands[path[0]], path[1:]
        else:
            yield from self._through(op, k, path, distance)

    def _through(self, op: Op, k: int, path: tuple[int, ...], distance: int) -> Iterator[Item]:
        match view(op):
            case LoopView() as loop:
                if k < len(loop.inits):
                    yield loop.inits[k], path
                if k < len(loop.body.results):
                    yield loop.body.results[k], path
                yield from ((value, ()) for value in (loop.condition.results if loop.condition is not None else ()))
            case BranchView() as branch:
                yield branch.selector, ()
                yield from ((region.results[k], path) for region in branch.regions if k < len(region.results))
            case CallView() as call if call.callee in self._functions:
                self._called(op, call, distance + 1)
                body = self._functions[call.callee].body
                if k < len(body.results):
                    yield body.results[k], path
            case _:
                yield from ((value, ()) for value in op.operands)
                yield from ((value, ()) for region in op.regions for value in region.results)

    def _called(self, op: Op, call: CallView, distance: int) -> None:
        """A call that was met: parameters of its callee that were met before lead to its arguments."""
        calls = self._calls.setdefault(call.callee, {})
        if id(op) in calls:
            return
        calls[id(op)] = call
        for index, path in list(self._parameters.get(call.callee, ())):
            if index < len(call.arguments):
                self._add((call.arguments[index], path), distance)

    def _sources(self, value: Value, path: tuple[int, ...], distance: int) -> Iterator[Item]:
        """What a parameter of a region stands for."""
        bound = self._places.bound.get(value)
        if bound is None:
            return
        frame, index = bound.frame, bound.index
        if frame.is_body:
            self._parameters.setdefault(frame.function, {})[index, path] = distance
            for call in self._calls.get(frame.function, {}).values():
                if index < len(call.arguments):
                    yield call.arguments[index], path
            return
        assert frame.parent is not None
        op = frame.parent.op
        self.ops.setdefault(frame.parent.number, distance)
        match view(op):
            case LoopView() as loop if index < len(loop.inits):
                yield loop.inits[index], path
                yield loop.body.results[index], path
                yield from ((result, ()) for result in (loop.condition.results if loop.condition is not None else ()))
            case LoopView() as loop:
                yield loop.xs[index - len(loop.inits)], path
            case BranchView() as branch if frame.index < len(branch.arguments):
                yield branch.arguments[frame.index][index], path
            case _:
                yield from ((operand, ()) for operand in op.operands)


def backward(places: Places, text: str, depth: int | None = None) -> Slice:
    """The slice back from a value; ops further than ``depth`` away are left out."""
    if depth is not None and depth < 1:
        raise ArgumentError("a depth is 1 or more", hint="leave --depth out for all of them")
    walk = _Walk(places, depth)
    walk.run(find_value(places, text))
    order, _ = callee_order(places.program.module)
    effects = Effects(places.program.module, order) if len(order) == len(places.program.module.functions) else None
    met = [places.all[number] for number in sorted(walk.ops)]
    shown = [place for place in met if place.op.name not in QUIET]
    values = Values(places)
    paths: dict[Value, list[tuple[int, ...]]] = {}
    for value, path in walk.reached:
        paths.setdefault(value, []).append(path)
    found = tuple(_row(places, values, place, walk, paths) for place in shown)
    entry = places.program.module.function(places.program.module.entry).body
    reached = {value for value, _ in walk.reached}
    arguments = tuple(values.argument(k) for k, param in enumerate(entry.params) if param in reached)
    count = sum(1 for place in shown if effects is not None and not place.op.regions and effects.op(place.op))
    return Slice(text, found, arguments, count, len(walk.cut - walk.ops.keys()))


def _row(
    places: Places, values: Values, place: Place, walk: _Walk, paths: dict[Value, list[tuple[int, ...]]]
) -> SliceRow:  # fmt: skip
    op, where, home = place.op, place.location, places.home(place)
    behind = [places.makers[value][0].number for value in op.operands if value in places.makers]
    uses = []
    for value in op.operands:
        # Of a tuple, those elements that matter here.
        wanted = sorted(paths.get(value, [()])) if isinstance(value.type, TupleType) else [()]
        uses += [values.describe(value, *path, here=home) for path in wanted]
    return SliceRow(
        ", ".join(values.name(value, home) for value in op.results),
        home,
        label(op),
        ", ".join(str(value.type) for value in op.results),
        tuple(dict.fromkeys(uses)),
        place.path,
        sum(1 for _ in place.around()),
        walk.ops[place.number],
        any(number in walk.cut for number in behind),
        where.file if where is not None else "",
        where.line if where is not None else 0,
    )
