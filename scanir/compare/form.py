"""The form of a program: what it is, as one key, so that many programs are sorted by it in one pass.

Programs of equal form are IDENTICAL: the key spells the graph out, op by op in an order that the graph itself gives,
with attributes and types by exact equality and operands by number. Nothing is hashed away, and nothing is normalized.
The converse holds but for dead work whose order decides, which can give one graph two forms.

Values are numbered from the results down: operands before what uses them, effects in their order first (in HLO their
order is what operands and control say). A constant is its value, however often it is written down. Linear in the
number of ops.

A form is a row of numbers: even ones are places in the graph, odd ones stand for what ops, types and constants are. So
two forms that are alike but for some odd ones tell what differs, and forms can be made vaguer after they are made.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from scanir.errors import ScanirError
from scanir.ir.attrs import Bool
from scanir.ir.graph import Module, Op, Region, Value
from scanir.ir.types import Type
from scanir.normalize.classes import MODULE_CLASSES, facts
from scanir.normalize.effects import callee_order, effects_of
from scanir.normalize.erase import Eraser
from scanir.program import Program

Form: TypeAlias = "array[int]"
_REGION, _RESULTS, _ORDER = -2, -4, -6


class NoForm(ScanirError):
    """What the program is cannot be told from its module."""


class Forms:
    """Makes forms; those of one object can be compared."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self.keys: list[Any] = []

    def of(self, program: Program) -> Form:
        """The form. Raises NoForm where something hides what the program is (a constant left out, a callback known by
        number)."""
        module = program.module
        if module.dialect != "hlo" and (cycle := callee_order(module)[1]):  # no order of their effects is known
            raise NoForm(f"functions call each other in a cycle: {', '.join(cycle)}")
        stream = array("q", [self.number(self._header(program))])
        writer = _Writer(self, module)
        for body in writer.bodies():
            stream.extend(_Body(writer, body).written())
        if hidden := writer.eraser.hidden:
            raise NoForm("; ".join(f"{what}: {remedy}" for what, (_, remedy) in sorted(hidden.items())))
        return stream

    def number(self, key: Any) -> int:
        """The odd number of a key: the same for equal ones, and for these alone."""
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = 2 * len(self.keys) + 1
            self.keys.append(key)
        return found

    def key(self, number: int) -> Any:
        """The key that an odd number stands for."""
        return self.keys[number >> 1]

    def _header(self, program: Program) -> Any:
        """All that a program says besides its ops. What a function only says to whom it is named stays out."""
        module, interface = program.module, program.interface
        said = tuple(
            (name, value)
            for name, value in module.attributes
            if MODULE_CLASSES.get((module.dialect, name), "") is not None or name == "entry_computation_layout"
        )
        arguments = tuple((a.keyword, a.path, a.name if a.keyword else "", a.sharding) for a in interface.arguments)
        named = arguments if interface.input_tree else len(arguments)  # a file has no pytrees
        results = (interface.output_tree, interface.results if interface.output_tree else len(interface.results))
        return (
            "program", program.stage, module.dialect, said, named, interface.kept, interface.constants, results,
            program.provenance,
        )  # fmt: skip


class _Writer:
    """What the bodies of one module share: keys of its ops, and the numbers of its functions."""

    def __init__(self, forms: Forms, module: Module) -> None:
        self.forms, self.module = forms, module
        self.nested = module.dialect != "hlo"
        self.scheduled = ("is_scheduled", Bool(True)) in module.attributes
        self.eraser = Eraser(module, "a", frozenset(), guess=False, settled=False)
        self.eraser.symbol = self._named
        self._names: list[str] = []
        self._called: dict[int, list[str]] = {}
        self._types: dict[int, tuple[Type, int]] = {}
        self._found: dict[int, int] = {}
        self._queue: list[tuple[Region, Any]] = []
        self._functions = {function.name: function for function in module.functions}
        self._said = {id(function.body): facts(function) for function in module.functions}

    def bodies(self) -> Iterator[tuple[Region, Any]]:
        """The closed regions with what their functions say, each once: from the entry in the order in which they are
        named, then those that nothing names."""
        self.closed(self._functions[self.module.entry].body)
        done = 0
        functions = iter(self.module.functions)
        while True:
            while done < len(self._queue):
                yield self._queue[done]
                done += 1
            function = next((f for f in functions if id(f.body) not in self._found), None)
            if function is None:
                return
            self.closed(function.body)

    def closed(self, region: Region) -> int:
        """The number of a region that nothing around it binds."""
        if id(region) not in self._found:
            self._found[id(region)] = 2 * len(self._queue)
            self._queue.append((region, self._said.get(id(region), ())))
        return self._found[id(region)]

    def _named(self, name: str) -> str:
        """Functions are told by number, after the op that names them."""
        self._names.append(name)
        return "function"

    def attributes(self, op: Op) -> Any:
        """The key of its attributes; what functions they name is noted by the way."""
        key = self.eraser.attributes(op)
        if self._names:  # it asks once an op
            self._called[id(op)] = [name for name in self._names if name in self._functions]
            self._names.clear()
        return key

    def op(self, op: Op) -> tuple[int, Sequence[int]]:
        """The number of what an op is, besides its operands and types; the numbers of the functions that it names."""
        key = (op.name, self.attributes(op), len(op.operands), len(op.results), len(op.regions), len(op.control))
        called = self._called.get(id(op)) if self._called else None
        if called is None:
            return self.forms.number(key), ()
        return self.forms.number((*key, len(called))), [self.closed(self._functions[name].body) for name in called]

    def constant(self, op: Op) -> int:
        return self.forms.number((op.name, self.attributes(op), op.results[0].type, len(op.control)))

    def type(self, type: Type) -> int:
        # By identity: types are few objects, met often, and hashing one walks all of it.
        known = self._types.get(id(type))
        if known is None:
            known = self._types[id(type)] = (type, self.forms.number(type))
        return known[1]


class _Body:
    """Writes one closed region down, with the regions inside it."""

    def __init__(self, writer: _Writer, body: tuple[Region, Any]) -> None:
        self._writer, (self._root, self._said) = writer, body
        self._has_effect = effects_of(writer.module).op if writer.nested else None
        self._out: list[int] = []
        self._values: dict[Value, int] = {}
        self._next = 0
        self._ops: dict[int, int] = {}
        self._count = 0
        self._home: dict[Value, tuple[Op, Region]] = {}
        self._regions: dict[int, int] = {}
        self._entered: list[Region] = []
        self._waiting: deque[Region] = deque()

    def written(self) -> list[int]:
        self._index()
        self._waiting.append(self._root)
        self._enter()
        self._leftovers()
        if self._writer.scheduled:
            self._out += (_ORDER, *(self._ops[id(op)] for op in self._root.ops if op.name != "constant"))
        return [self._writer.forms.number(("body", self._said)), 2 * len(self._out), *self._out]

    def _index(self) -> None:
        stack = [self._root]
        home = self._home
        while stack:
            region = stack.pop()
            for op in region.ops:
                at = (op, region)
                for value in op.results:
                    home[value] = at
                if self._writer.nested:
                    stack.extend(op.regions)

    def _enter(self) -> None:
        """Write the regions that wait, and those of the ops that they need: parameters, effects in order, results."""
        while self._waiting:
            current = self._waiting.popleft()
            self._regions[id(current)] = 2 * len(self._entered)
            self._entered.append(current)
            self._out += (_REGION, 2 * len(current.params))
            for param in current.params:
                self._out.append(self._writer.type(param.type))
                self._values[param] = self._number()
            if self._has_effect is not None:
                for op in current.ops:
                    if self._has_effect(op):
                        self._need(op, current)
            ends = [self._use(value) for value in current.results]
            self._out += (_RESULTS, *ends)

    def _number(self) -> int:
        self._next += 2
        return self._next - 2

    def _use(self, value: Value) -> int:
        """The number of a value, or of the key of a constant, after all that it needs is written."""
        if value not in self._values:
            self._need(*self._home[value])
        return self._values[value]

    def _need(self, op: Op, region: Region) -> None:
        """Write an op after all that it needs, depth first, operands in their order."""
        values, homes, ops = self._values, self._home, self._ops
        stack = [(op, region)]
        open_: set[int] = set()
        while stack:
            current, home = stack[-1]
            number = id(current)
            if number in ops:
                stack.pop()
                continue
            size = len(stack)
            for value in reversed(current.operands):
                if value not in values:
                    stack.append(homes[value])
            if current.control:
                stack.extend(homes[value] for value in reversed(current.control) if value not in values)
            if len(stack) == size:
                stack.pop()
                if current.name == "constant":  # stands where it is used
                    ops[number] = -1
                    values[current.results[0]] = self._writer.constant(current)
                else:
                    self._write(current, home)
            elif number in open_:
                raise NoForm(f"an op needs itself: {current.name}")
            else:
                open_.add(number)

    def _write(self, op: Op, home: Region) -> None:
        writer, values, out = self._writer, self._values, self._out
        self._ops[id(op)] = self._count
        self._count += 2
        key, called = writer.op(op)
        out += (key, self._regions[id(home)])
        out += map(values.__getitem__, op.operands)
        if op.control:
            out += map(values.__getitem__, op.control)
        if called:
            out += called
        for value in op.results:
            out.append(writer.type(value.type))
            values[value] = self._next
            self._next += 2
        if op.regions:
            if writer.nested:
                self._waiting.extend(op.regions)
            else:
                out += map(writer.closed, op.regions)

    def _leftovers(self) -> None:
        """Write what no result and no effect needs, in an order that what it is decides."""
        done = 0
        while done < len(self._entered):
            region = self._entered[done]
            done += 1
            dead = [op for op in region.ops if op.name != "constant" and id(op) not in self._ops]
            for op in sorted(dead, key=self._signatures(dead).__getitem__) if dead else ():
                self._need(op, region)
                self._enter()

    def _signatures(self, dead: list[Op]) -> dict[Op, int]:
        """What dead ops are made of, as numbers; operands stand before what uses them in a region."""
        found: dict[Op, int] = {}
        for op in dead:
            parts = []
            for value in op.operands:
                maker = self._home.get(value)
                if value in self._values:
                    parts.append((0, self._values[value]))
                elif maker is not None and maker[0] in found:
                    parts.append((1, found[maker[0]]))
                else:
                    parts.append((2, -1 if maker is None else self._spelled(maker[0])))
            found[op] = self._writer.forms.number(("dead", self._spelled(op), tuple(parts)))
        return found

    def _spelled(self, op: Op) -> int:
        """The number of an op with its types, whatever its operands and callees are."""
        key = (op.name, self._writer.attributes(op), tuple([value.type for value in op.results]))
        return self._writer.forms.number(key)
