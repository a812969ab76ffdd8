"""From HLO syntax to a `Module`: names resolved, regions attached, computations built callees first.

Every name is resolved or refused. A computation is built once, after all it refers to, in an order without recursion;
one that refers to itself, directly or through others, is an error.
"""

from __future__ import annotations

from collections.abc import Mapping

from scanir.ir.attrs import Array, Attr, Attrs, Bool, Seq, Symbol, Text, attributes
from scanir.ir.graph import Function, Location, Module, Op, Region, Value
from scanir.ir.places import Stack
from scanir.ir.types import TensorType, TupleType, Type
from scanir.ir.verify import ASSUMED
from scanir.ir.walk import ops_of, symbols
from scanir.readers.hlo.attributes import AttributeReader, names_in
from scanir.readers.hlo.constants import elided, literal
from scanir.readers.hlo.infer import infer
from scanir.readers.hlo.source import Source
from scanir.readers.hlo.syntax import REFERENCES, Attribute, Computation, Instruction, Syntax

_REFERENCES = frozenset(REFERENCES)
_CALLS = frozenset({"call", "call-start", "call-update", "call-done"})

#: The roles of regions that need not be said; any others are kept as attribute ``region_roles``.
_USUAL_ROLES: dict[str, frozenset[tuple[str, ...]]] = {
    "while": frozenset({("condition", "body")}),
    "conditional": frozenset({("true_computation", "false_computation"), ("branch_computations",)}),
    "select-and-scatter": frozenset({("select", "scatter")}),
    "custom-call": frozenset({("called_computations",), ("to_apply",)}),
}
_TO_APPLY = frozenset({("to_apply",)})


def read_hlo(text: str, *, literals: Mapping[str, Array] | None = None, source: str = "<string>") -> Module:
    """The module that HLO text spells. ``literals``: values of elided constants by instruction name."""
    return _Assembly(Syntax(Source(text, source)), literals or {}).module()


class _Assembly:
    def __init__(self, syntax: Syntax, literals: Mapping[str, Array]) -> None:
        self.syntax = syntax
        self.source = syntax.source
        self.literals = literals
        self.computations: dict[str, Computation] = {}
        for computation in syntax.computations:
            if computation.name in self.computations:
                raise self.source.fail(computation.position, f"a second computation '{computation.name}'")
            self.computations[computation.name] = computation
        self.reader = AttributeReader(self.computations)
        self.regions: dict[str, Region] = {}
        self.functions: dict[str, Function] = {}
        self.erased: dict[Type, Type] = {}
        self.calls: dict[str, set[Location]] = {}

    def module(self) -> Module:
        order = self._order()
        self.calls = self._shared()
        for name in order:
            self.functions[name] = self._function(self.computations[name])
        found: dict[str, Attr] = {}
        for attribute in self.syntax.attributes:
            found[attribute.key] = self.reader.read(attribute.key, attribute.text, self.regions, ())
        functions = tuple(self.functions[name] for name in self.computations)
        if self.syntax.unmarked and len(_unnamed(functions)) > 1:
            found[ASSUMED] = Bool(True)
        return Module("hlo", functions, self.syntax.entry, attributes(found), self.syntax.name)

    # -- references between computations ------------------------------------------------------------------------

    def referred(self, attribute: Attribute) -> list[str]:
        """The computations that an attribute of `REFERENCES` names."""
        nested = self.syntax.references.get(attribute.position)
        if nested is not None:
            return [nested]
        text = attribute.text
        listed = text[1:-1].split(",") if text[0] == "{" else [text]
        names = [name.strip().removeprefix("%") for name in listed if name.strip()]
        for name in names:
            if name not in self.computations:
                raise self.source.fail(attribute.position, f"computation '{name}' is not defined")
        return names

    def _callees(self, computation: Computation) -> list[str]:
        found: dict[str, None] = {}
        for instruction in computation.instructions:
            for attribute in instruction.attributes:
                if attribute.key in _REFERENCES:
                    found.update(dict.fromkeys(self.referred(attribute)))
                elif "%" in attribute.text and attribute.key not in ("metadata", "control-predecessors"):
                    found.update((name, None) for name in names_in(attribute.text) if name in self.computations)
        return list(found)

    def _order(self) -> list[str]:
        """All computations, each after those it refers to."""
        callees = {name: self._callees(computation) for name, computation in self.computations.items()}
        done: dict[str, None] = {}
        for start in self.computations:
            stack = [] if start in done else [(start, iter(callees[start]))]
            active = dict.fromkeys(name for name, _ in stack)
            while stack:
                name, rest = stack[-1]
                callee = next((callee for callee in rest if callee not in done), None)
                if callee is None:
                    stack.pop()
                    del active[name]
                    done[name] = None
                elif callee in active:
                    where = self.computations[callee].position
                    raise self.source.fail(where, f"computation '{callee}' refers to itself, through '{name}'")
                else:
                    stack.append((callee, iter(callees[callee])))
                    active[callee] = None
        return list(done)

    def _shared(self) -> dict[str, set[Location]]:
        """The frames of the instructions that use each computation which more than one uses."""
        users: dict[str, list[Instruction]] = {}
        for computation in self.computations.values():
            for instruction in computation.instructions:
                for attribute in instruction.attributes:
                    if attribute.key in _REFERENCES:
                        for name in self.referred(attribute):
                            users.setdefault(name, []).append(instruction)
        return {
            name: {frame for user in found for frame in self._stack(user)}
            for name, found in users.items()
            if len(found) > 1
        }

    def _stack(self, instruction: Instruction) -> Stack:
        found = [attribute.text for attribute in instruction.attributes if attribute.key == "metadata"]
        return self.syntax.locations.stack(found[0]) if found else ()

    # -- one computation ----------------------------------------------------------------------------------------

    def _function(self, computation: Computation) -> Function:
        body = _Body(self, computation)
        region, param_attrs = body.region()
        self.regions[computation.name] = region
        found = {a.key: self.reader.read(a.key, a.text, self.regions, ()) for a in computation.attributes}
        return Function(computation.name, region, attributes(found), param_attrs if any(param_attrs) else (), ())

    def agree(self, written: Type, defined: Type) -> bool:
        """Whether two types are alike but for layout, memory space and bounds, which an operand need not repeat."""
        return written == defined or self._erase(written) == self._erase(defined)

    def _erase(self, type: Type) -> Type:
        known = self.erased.get(type)
        if known is None:
            known = type
            if isinstance(type, TensorType):
                known = TensorType(type.dtype, type.shape)
            elif isinstance(type, TupleType):
                known = TupleType(tuple(map(self._erase, type.elements)))
            self.erased[type] = known
        return known


class _Body:
    """Builds the region of one computation."""

    def __init__(self, assembly: _Assembly, computation: Computation) -> None:
        self.assembly = assembly
        self.source: Source = assembly.source
        self.computation = computation
        self.values: dict[str, Value] = {}
        self.ops: list[Op] = []
        self.params: dict[int, tuple[Value, Attrs]] = {}

    def region(self) -> tuple[Region, tuple[Attrs, ...]]:
        result: Value | None = None
        for index, instruction in enumerate(self.computation.instructions):
            if instruction.name in self.values:
                raise self.source.fail(instruction.position, f"a second instruction '{instruction.name}'")
            value = self._instruction(instruction)
            self.values[instruction.name] = value
            if index == self.computation.root:
                result = value
        numbers = sorted(self.params)
        if numbers != list(range(len(numbers))):
            raise self.source.fail(
                self.computation.position,
                f"computation '{self.computation.name}' has parameters {numbers} and not 0 to {len(numbers) - 1}",
            )
        assert result is not None  # the syntax has a root for each computation
        params = [self.params[number] for number in numbers]
        region = Region(tuple(value for value, _ in params), tuple(self.ops), (result,))
        return region, tuple(attrs for _, attrs in params)

    def _instruction(self, instruction: Instruction) -> Value:
        if instruction.opcode == "parameter":
            return self._parameter(instruction)
        operands = tuple([self._operand(instruction, index) for index in range(len(instruction.operands))])
        found: dict[str, Attr] = {}
        location: Location | None = None
        control: tuple[Value, ...] = ()
        roles: dict[str, list[str]] = {}
        for attribute in instruction.attributes:
            key = attribute.key
            if key == "metadata":
                calls = self.assembly.calls.get(self.computation.name, ())
                location = self.assembly.syntax.locations.of(attribute.text, calls)
            elif key in _REFERENCES:
                roles[key] = self.assembly.referred(attribute)
            elif key == "control-predecessors":
                control = self._control(attribute)
            else:
                found[key] = self._attribute(attribute)
        type = self._type(instruction, operands, roles)
        regions = self._regions(instruction, roles, found) if roles else ()
        opcode = instruction.opcode
        if opcode == "constant":
            written = self._constant(instruction, type)
            if isinstance(written, Seq) and isinstance(type, TupleType):
                opcode = "tuple"  # a constant is an array; a constant tuple is a tuple of constants
                operands = self._elements(instruction.name, written, type, location)
            else:
                found["value"] = written
        value = Value(type, instruction.name)
        self.ops.append(Op(opcode, operands, (value,), attributes(found), regions, control, location))
        return value

    def _elements(self, name: str, tuple_: Seq, type: TupleType, location: Location | None) -> tuple[Value, ...]:
        """Ops for the elements of a constant tuple. Recurses over its type, whose depth the reader of types bounds."""
        values: list[Value] = []
        for index, (written, element) in enumerate(zip(tuple_.items, type.elements, strict=True)):
            value = Value(element, f"{name}/{index}")
            if isinstance(written, Seq) and isinstance(element, TupleType):
                inner = self._elements(value.name, written, element, location)
                self.ops.append(Op("tuple", inner, (value,), (), (), (), location))
            else:
                self.ops.append(Op("constant", (), (value,), attributes({"value": written}), (), (), location))
            values.append(value)
        return tuple(values)

    def _attribute(self, attribute: Attribute) -> Attr:
        return self.assembly.reader.read(attribute.key, attribute.text, self.assembly.regions, self.values)

    def _type(self, instruction: Instruction, operands: tuple[Value, ...], roles: dict[str, list[str]]) -> Type:
        if instruction.type is not None:
            return self.assembly.syntax.shapes.type(instruction.type, instruction.type_position)
        written = {attribute.key: attribute.text for attribute in instruction.attributes}
        results = [self.assembly.regions[name].results[0].type for names in roles.values() for name in names]
        type = infer(instruction.opcode, [operand.type for operand in operands], written, results)
        if type is None:
            raise self.source.fail(
                instruction.type_position,
                f"'{instruction.name}' is written without a type, and for '{instruction.opcode}' none follows",
                "write the type after '='",
            )
        return type

    def _parameter(self, instruction: Instruction) -> Value:
        number = instruction.payload.strip()
        if not number.isdecimal() or len(number) > 9:
            raise self.source.fail(instruction.payload_position, "the number of a parameter was expected")
        if int(number) in self.params:
            raise self.source.fail(instruction.position, f"a second parameter {number}")
        found = {a.key: self._attribute(a) for a in instruction.attributes if a.key != "metadata"}
        value = Value(self._type(instruction, (), {}), instruction.name)
        self.params[int(number)] = (value, attributes(found))
        return value

    def _operand(self, instruction: Instruction, index: int) -> Value:
        operand = instruction.operands[index]
        value = self.values.get(operand.name)
        if value is None:
            name = operand.name
            known = any(other.name == name for other in self.computation.instructions)
            what = "used before it is defined" if known else "not defined"
            place = max(self.source.text.find(name, operand.position), operand.position)
            raise self.source.fail(place, f"operand '{name}' of '{instruction.name}' is {what}")
        if operand.type is not None:
            written = self.assembly.syntax.shapes.type(operand.type, operand.position)
            if not self.assembly.agree(written, value.type):
                raise self.source.fail(operand.position, f"operand '{operand.name}' is {value.type} and not {written}")
        return value

    def _control(self, attribute: Attribute) -> tuple[Value, ...]:
        names = [name.strip().removeprefix("%") for name in attribute.text.strip("{}").split(",")]
        found: list[Value] = []
        for name in names:
            if name and name not in self.values:
                raise self.source.fail(attribute.position, f"control predecessor '{name}' is not defined before")
            if name:
                found.append(self.values[name])
        return tuple(found)

    def _regions(
        self, instruction: Instruction, roles: dict[str, list[str]], found: dict[str, Attr]
    ) -> tuple[Region, ...]:
        """Takes calls into ``found`` as ``callee``; returns the regions of all other roles, in their fixed order."""
        callees = "to_apply" if instruction.opcode in _CALLS and "calls" not in roles else "calls"
        if callees in roles:
            names = roles.pop(callees)
            found["callee"] = Symbol(names[0]) if len(names) == 1 else Seq(tuple(map(Symbol, names)))
        order = tuple(role for role in REFERENCES if role in roles)
        if order and order not in _USUAL_ROLES.get(instruction.opcode, _TO_APPLY):
            found["region_roles"] = Seq(tuple(Text(role) for role in order for _ in roles[role]))
        return tuple(self.assembly.regions[name] for role in order for name in roles[role])

    def _constant(self, instruction: Instruction, type: Type) -> Attr:
        text = instruction.payload
        if "..." not in text:
            return literal(text, type, self.source, instruction.payload_position)
        value = self.assembly.literals.get(instruction.name)
        if value is None:
            return elided(type)
        if not isinstance(type, TensorType) or (value.dtype, value.shape) != (type.dtype, type.shape):
            raise self.source.fail(
                instruction.position,
                f"the literal for '{instruction.name}' is {value.dtype}{list(value.shape)} and not {type}",
                "text and serialized module must be of one and the same module",
            )
        return value


def _unnamed(functions: tuple[Function, ...]) -> list[Function]:
    """The functions that no op names or holds: any of them could be the program."""
    ops = [op for function in functions for op in ops_of(function.body)]
    named = {name for op in ops for name in symbols(op.attributes)}
    held = {id(region) for op in ops for region in op.regions}
    return [f for f in functions if f.name not in named and id(f.body) not in held]
