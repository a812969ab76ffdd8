"""Plants edits in a module: at live ops, far enough from one another to stay as many edits as they are.

Each is what a person does to a program: another op, another attribute, another constant, another operand, an op put in,
an op left out. Results and carries in another order are not planted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from scanir.align.graph import Graph, Numbers
from scanir.ir.attrs import Array, Attr, Bool, Int, Seq, Text
from scanir.ir.graph import Function, Module, Op, Region, Value
from scanir.ir.types import TensorType
from scanir.ir.walk import sites, symbols
from scanir.normalize.classes import attribute_class
from scanir.program import Program
from scanir.targets.artifact import interface_of

#: Ops that stand for one another without a change of types.
LIKE = {
    "jaxpr": (("sin", "cos"), ("tanh", "logistic"), ("add", "sub", "mul"), ("max", "min")),
    "hlo": (("sine", "cosine"), ("tanh", "logistic"), ("add", "subtract", "multiply"), ("maximum", "minimum")),
}
LIKE["stablehlo"] = tuple(tuple(f"stablehlo.{name}" for name in names) for names in LIKE["hlo"])
#: Attributes that are not an op's own business: what they name is another op's, or a place.
STRUCTURE = frozenset({"callee", "value", "num_carry", "index", "known_trip_count"})
NEGATE = {"jaxpr": "neg", "stablehlo": "stablehlo.negate", "hlo": "negate"}
DIRECTIONS = {"LT": "LE", "LE": "LT", "GT": "GE", "GE": "GT", "EQ": "NE", "NE": "EQ"}
#: Ops that may hand on their operand as it is: leaving one out then is no edit, by the rule `no-op`.
HANDS_ON = ("convert", "reshape", "copy", "broadcast", "bitcast", "transpose", "squeeze", "slice", "barrier", "stop")
#: Live ops of a module for each edit in it.
ROOM = 8
NUMBERS = ("f", "bf", "i", "s", "u")


#: What a value of the old module is in the new one.
Now = Callable[[Value], Value]


@dataclass(frozen=True, slots=True)
class Planted:
    """One edit: its kind as the script calls it, the op's name, and the op's path where the left side has it."""

    kind: str
    op: str
    path: str


@dataclass(frozen=True, slots=True)
class Change:
    """An edit of one op. ``touches``: ops near it, where no other edit may be. ``make`` gives the ops that take its
    place, from the op with its new operands and what any older value is now; then what its results are (None: its
    own)."""

    planted: Planted
    op: Op
    touches: tuple[int, ...]
    make: Callable[[Op, Now], tuple[tuple[Op, ...], tuple[Value, ...] | None]]


class Planter:
    """Finds the places for edits in one module, once, and plants any number of them."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._home: dict[Value, Op] = {}
        self._users: dict[Value, list[Op]] = {}
        self._path: dict[int, str] = {}
        self._seen: dict[int, list[Value]] = {}
        self._live = _live(module)
        for function in module.functions:
            self._look(function.body, [], module.dialect != "hlo")
        graph = Graph(Program(module.dialect, module, interface_of(module)), "a", Numbers())
        for index, node in enumerate(graph.nodes):
            self._path[id(node.op)] = graph.route(index)
        self.changes = [change for function in module.functions for change in self._all(function.body)]

    def plant(self, count: int, random: Random) -> tuple[Module, list[Planted]] | None:
        """The module with so many edits; None where it has not the room for them."""
        if len(self._live) < ROOM * count:
            return None
        chosen: dict[int, Change] = {}
        touched: set[int] = set()
        waiting = list(self.changes)
        random.shuffle(waiting)
        for kind in _turns(waiting, random):
            if len(chosen) == count:
                break
            if touched.isdisjoint(kind.touches):
                chosen[id(kind.op)] = kind
                touched.update(kind.touches)
        if len(chosen) < count:
            return None
        return rebuilt(self._module, chosen), [change.planted for change in chosen.values()]

    # -- places

    def _look(self, region: Region, around: list[Value], nested: bool) -> None:
        known = [*around, *region.params] if nested else list(region.params)
        for op in region.ops:
            self._seen[id(op)] = list(known[-200:])
            for value in (*op.operands, *op.control):
                self._users.setdefault(value, []).append(op)
            for value in op.results:
                self._home[value] = op
            for inner in op.regions:
                self._look(inner, known, nested)
            known += op.results

    def _all(self, region: Region) -> Iterator[Change]:
        for op in region.ops:
            if id(op) in self._live and op.name != "constant":
                yield from self._of(op)
            for inner in op.regions:
                yield from self._all(inner)

    def _near(self, op: Op) -> tuple[int, ...]:
        """An op, what feeds it and what uses it: no second edit there."""
        feeds = [self._home[value] for value in op.operands if value in self._home]
        users = [user for value in op.results for user in self._users.get(value, ())]
        return tuple(id(near) for near in (op, *feeds, *users) if near.name != "constant")

    def _change(self, kind: str, op: Op, make: Any, name: str = "", path: str | None = None) -> Change:
        where = self._path[id(op)] if path is None else path
        return Change(Planted(kind, name or op.name, where), op, self._near(op), make)

    def _of(self, op: Op) -> Iterator[Change]:
        for names in LIKE[self._module.dialect]:
            if op.name in names:
                other = names[(names.index(op.name) + 1) % len(names)]
                if len(op.results) == 1 and _is_number(op.results[0]):
                    yield self._change("replace", op, lambda new, now, other=other: ((replace(new, name=other),), None))
        yield from self._attributes(op)
        for place, value in enumerate(op.operands):
            maker = self._home.get(value)
            if maker is not None and maker.name == "constant":
                yield from self._constant(op, place, maker)
            else:
                yield from self._operand(op, place, value)
        same = len(op.operands) == len(op.results) == 1 and op.operands[0].type == op.results[0].type
        same = same and not any(part in op.name for part in HANDS_ON)
        if same and not op.regions and op.attribute("callee") is None and self._users.get(op.results[0]):
            yield self._change("delete", op, lambda new, now: ((), (new.operands[0],)))

    def _attributes(self, op: Op) -> Iterator[Change]:
        for k, (name, attr) in enumerate(op.attributes):
            if name in STRUCTURE or attribute_class(self._module.dialect, op, name) is not None:
                continue
            other = _other(name, attr)
            if other is not None:
                attributes = (*op.attributes[:k], (name, other), *op.attributes[k + 1 :])
                yield self._change(
                    "replace", op, lambda new, now, attrs=attributes: ((replace(new, attributes=attrs),), None)
                )

    def _constant(self, op: Op, place: int, maker: Op) -> Iterator[Change]:
        value = maker.attribute("value")
        if not isinstance(value, Array) or not value.data or value.dtype == "bool":
            return
        size = len(value.data)
        other = replace(value, data=bytes([value.data[0] ^ 1]) + value.data[1:size])

        def make(new: Op, now: Now) -> tuple[tuple[Op, ...], None]:
            result = replace(maker.results[0])
            attributes = tuple((n, other if n == "value" else a) for n, a in maker.attributes)
            constant = replace(maker, results=(result,), attributes=attributes)
            return (constant, _with(new, place, result)), None

        yield self._change("replace", op, make, "constant")

    def _operand(self, op: Op, place: int, value: Value) -> Iterator[Change]:
        others = [v for v in self._seen[id(op)] if v.type == value.type and v not in op.operands]
        others = [v for v in others if v not in self._home or self._home[v].name != "constant"]
        # Were this the only use, the op that makes it could as well be called left out.
        kept = value not in self._home or len(self._users[value]) > 1
        if others and kept and len(op.operands) > 1:
            other = others[len(op.operands) * 7 % len(others)]

            def rewire(new: Op, now: Now) -> tuple[tuple[Op, ...], None]:
                return (_with(new, place, now(other)),), None

            yield self._change("rewire", op, rewire)
        if _is_number(value):
            name = NEGATE[self._module.dialect]

            def put(new: Op, now: Now) -> tuple[tuple[Op, ...], None]:
                result = Value(value.type)
                return (Op(name, (new.operands[place],), (result,), location=new.location),
                        _with(new, place, result)), None  # fmt: skip

            yield self._change("insert", op, put, name, "")


def _turns(changes: list[Change], random: Random) -> Iterator[Change]:
    """Kinds in turn, so that a module is not given the kind alone that fits everywhere."""
    kinds: dict[str, list[Change]] = {}
    for change in changes:
        kinds.setdefault(f"{change.planted.kind} {change.planted.op == 'constant'}", []).append(change)
    order = list(kinds)
    random.shuffle(order)
    while order:
        for kind in list(order):
            if kinds[kind]:
                yield kinds[kind].pop()
            else:
                order.remove(kind)


def _with(op: Op, place: int, value: Value) -> Op:
    return replace(op, operands=(*op.operands[:place], value, *op.operands[place + 1 :]))


def _is_number(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.dtype.startswith(NUMBERS)


def _other(name: str, attr: Attr) -> Attr | None:
    """Another value of an attribute, of its kind."""
    match attr:
        case Bool(value):
            return Bool(not value)
        case Text(value) if value in DIRECTIONS:
            return Text(DIRECTIONS[value])
        case Int(value) if name in ("dimension", "axis", "iota_dimension"):
            return Int(value + 1)
        case Seq(items) if name in ("permutation", "dimensions", "axes", "broadcast_dimensions") and len(items) > 1:
            if all(isinstance(item, Int) for item in items):
                return Seq((items[1], items[0], *items[2:]))
    return None


def _live(module: Module) -> set[int]:
    """Ops that some result or some effect needs, by their operands alone; an op with regions needs all of these."""
    home = {value: site.op for site in sites(module) for value in site.op.results}
    functions = {function.name: function for function in module.functions}
    live: set[int] = set()
    stack: list[Value] = []
    entered: set[str] = set()

    def enter(function: Function) -> None:
        if function.name not in entered:
            entered.add(function.name)
            stack.extend(function.body.results)

    enter(functions[module.entry])
    while stack:
        op = home.get(stack.pop())
        if op is None or id(op) in live:
            continue
        live.add(id(op))
        stack += (*op.operands, *op.control)
        for region in op.regions:
            stack += region.results
        for name in symbols(op.attributes):
            if name in functions:
                enter(functions[name])
    return live


def rebuilt(module: Module, changes: dict[int, Change]) -> Module:
    """The module with its ops made anew, and some changed."""
    values: dict[Value, Value] = {}
    regions: dict[int, Region] = {}

    def region(old: Region) -> Region:
        if id(old) in regions:
            return regions[id(old)]
        params = tuple(values.setdefault(value, replace(value)) for value in old.params)
        ops = tuple(op for each in old.ops for op in rebuild(each))
        regions[id(old)] = Region(params, ops, tuple(values[value] for value in old.results))
        return regions[id(old)]

    def rebuild(op: Op) -> tuple[Op, ...]:
        operands = tuple(values[value] for value in op.operands)
        control = tuple(values[value] for value in op.control)
        results = tuple(replace(value) for value in op.results)
        new = replace(op, operands=operands, control=control, results=results,
                      regions=tuple(region(inner) for inner in op.regions))  # fmt: skip
        made, given = ((new,), None) if id(op) not in changes else changes[id(op)].make(new, values.__getitem__)
        for value, now in zip(op.results, results if given is None else given, strict=True):
            values[value] = now
        return made

    functions = tuple(replace(function, body=region(function.body)) for function in module.functions)
    return replace(module, functions=functions)
