"""The canonical text of a module, which `scanir.ir.parser` reads back.

    module jaxpr entry @main
    func @main(%0: f32[3], %1: f32[100]) {
      %2, %3 = scan(%0, %1) {length = 100, num_carry = 1} : f32[3], f32[100,3] region (%4: f32[3], %5: f32[]) {
        %6 = mul(%4, %5) : f32[3]
        return %6, %6
      }
      return %2, %3
    }

Promises: equal text for modules that are equal but for names and locations (by default), every bit of every payload
(by default), ASCII, linear time, no recursion. A region that several ops share is printed once, with a label (``^0``),
and named by it afterwards. What cannot be printed: the identity of a `Callable`, which is a fact of this process; its
parsed form has identity 0. Refuses a module that uses a value before its definition.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

from scanir.ir.attrs import (
    Array,
    Attr,
    Attrs,
    Bool,
    Callable,
    Digest,
    Float,
    Hidden,
    Int,
    Opaque,
    Record,
    Seq,
    Symbol,
    Text,
    TypeAttr,
)
from scanir.ir.elements import elements
from scanir.ir.graph import Function, Location, Module, Op, Region, Value
from scanir.ir.lexical import BARE, quote, spell
from scanir.ir.types import Dim, OpaqueType, TensorType, TokenType, TupleType, Type
from scanir.ir.verify import VerifyError

#: Payloads up to this many bytes are hexadecimal, for the eye; longer ones base64, for size.
HEX_BYTES = 64
#: Elements shown in the comment beside a payload.
SHOWN = 8
#: Nesting deeper than this is not indented further, so that text stays linear in the size of the module.
DEEPEST = 24


@dataclass(frozen=True, slots=True)
class Style:
    """``names``: values by their display names. ``locations``: with source locations. ``digests``: payloads longer than
    `HEX_BYTES`, of what is no splat, as a digest, which is read back as a `Digest`."""

    names: bool = False
    locations: bool = False
    digests: bool = False


@dataclass(frozen=True, slots=True)
class _At:
    """A region, an op or the results of a region on the printer's agenda, with its indentation."""

    node: Region | Op | tuple[Value, ...]
    depth: int


_Item: TypeAlias = "str | Attr | Type | _At | Function"


def print_module(module: Module, style: Style | None = None) -> str:
    """The text of a module."""
    name = f" name {quote(module.name)}" if module.name else ""
    head: list[_Item] = [f"module {spell(module.dialect)} entry @{spell(module.entry)}{name}"]
    if module.attributes:
        head += [" attrs {", *_fields(module.attributes), "}"]
    printer = _Printer(style or Style(), _labels([function.body for function in module.functions]))
    return printer.run([*head, "\n", *module.functions])


def print_op(op: Op, names: Mapping[Value, str], style: Style | None = None) -> str:
    """The text of one op with its regions, where values have these names (``%12``)."""
    printer = _Printer(style or Style(), _labels(op.regions))
    printer.given(names)
    return printer.run([_At(op, 0)])


def print_region(region: Region, names: Mapping[Value, str], style: Style | None = None) -> str:
    """The text of one region, where values have these names."""
    printer = _Printer(style or Style(), _labels([region]))
    printer.given(names)
    return printer.run([_At(region, 0)])


def print_attr(attr: Attr, style: Style | None = None) -> str:
    """The text of an attribute."""
    return _Printer(style or Style(), {}).run([attr])


def print_type(type: Type, style: Style | None = None) -> str:
    """The text of a type."""
    return _Printer(style or Style(), {}).run([type])


def _labels(regions: Sequence[Region]) -> dict[int, int]:
    """A number for each region that occurs more than once, in order of first occurrence."""
    counts: dict[int, int] = {}
    stack = [*reversed(regions)]
    while stack:
        region = stack.pop()
        counts[id(region)] = counts.get(id(region), 0) + 1
        if counts[id(region)] == 1:
            stack.extend(inner for op in reversed(region.ops) for inner in reversed(op.regions))
    return {region: k for k, region in enumerate(region for region, count in counts.items() if count > 1)}


@dataclass(slots=True)
class _Printer:
    style: Style
    labels: dict[int, int]
    _names: dict[Value, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)
    _suffixes: dict[str, int] = field(default_factory=dict)
    _given: Mapping[Value, str] = field(default_factory=dict)
    _count: int = 0
    _printed: set[int] = field(default_factory=set)

    def given(self, names: Mapping[Value, str]) -> None:
        """Use these names, instead of numbers in the order of printing."""
        self._given = names
        self._names.update(names)

    def run(self, items: list[_Item]) -> str:
        out: list[str] = []
        stack = items[::-1]
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                out.append(item)
            else:
                stack.extend(reversed(self._parts(item)))
        return "".join(out)

    def _parts(self, item: Attr | Type | _At | Function) -> list[_Item]:
        match item:
            case _At():
                return self._node(item.node, item.depth)
            case Function():
                return self._function(item)
            case TensorType() | TupleType() | TokenType() | OpaqueType():
                return _type(item)
            case _:
                return _attr(item, self.style.digests)

    def _node(self, node: Region | Op | tuple[Value, ...], depth: int) -> list[_Item]:
        match node:
            case Op():
                return self._op(node, depth)
            case Region():
                return self._region(node, depth)
            case _:
                return [_margin(depth), f"return {self._uses(node)}".rstrip(), "\n"]

    def _function(self, function: Function) -> list[_Item]:
        self._names.clear()
        self._taken.clear()
        self._suffixes.clear()
        self._count = 0
        parts: list[_Item] = [f"\nfunc @{spell(function.name)}"]
        for word, lists in (("params", function.param_attrs), ("results", function.result_attrs)):
            if lists:
                parts.append(f" {word} [")
                for attributes in lists:
                    parts += ["{", *_fields(attributes), "}", ", "]
                parts[-1] = "]"
        if function.attributes:
            parts += [" attrs {", *_fields(function.attributes), "}"]
        return [*parts, _At(function.body, 0), "\n"]

    def _region(self, region: Region, depth: int) -> list[_Item]:
        parts: list[_Item] = [" "]
        if id(region) in self.labels:
            parts.append(f"^{self.labels[id(region)]} ")
            if id(region) in self._printed:
                return [f" ^{self.labels[id(region)]}"]
        self._printed.add(id(region))
        parts.append("(")
        for index, param in enumerate(region.params):
            parts += [", " if index else "", f"{self._define(param)}: ", param.type]
        parts.append(") {\n")
        parts += [_At(op, depth + 1) for op in region.ops]
        # The names of the results are known only when the ops have been printed, so they are an item of their own.
        return [*parts, _At(region.results, depth + 1), _margin(depth), "}"]

    def _op(self, op: Op, depth: int) -> list[_Item]:
        operands, control = self._uses(op.operands), self._uses(op.control)
        parts: list[_Item] = [_margin(depth)]
        if op.results:
            parts.append(", ".join(self._define(value) for value in op.results) + " = ")
        parts.append(f"{spell(op.name)}({operands})")
        if op.attributes:
            parts += [" {", *_fields(op.attributes), "}"]
        for index, value in enumerate(op.results):
            parts += [", " if index else " : ", value.type]
        if control:
            parts.append(f" control({control})")
        if op.location is not None and self.style.locations:
            parts.append(_location(op.location))
        for region in op.regions:
            parts += [" region", _At(region, depth)]
        return [*parts, "\n"]

    def _define(self, value: Value) -> str:
        if value in self._given:
            return self._given[value]
        name = str(self._count)
        self._count += 1
        if self.style.names and value.name:
            name = value.name if BARE.fullmatch(value.name) else quote(value.name)
            while name in self._taken:
                suffix = self._suffixes[value.name] = self._suffixes.get(value.name, 0) + 1
                longer = f"{value.name}.{suffix}"
                name = longer if BARE.fullmatch(longer) else quote(longer)
            self._taken.add(name)
        self._names[value] = f"%{name}"
        return self._names[value]

    def _uses(self, values: tuple[Value, ...]) -> str:
        return ", ".join(self._use(value) for value in values)

    def _use(self, value: Value) -> str:
        try:
            return self._names[value]
        except KeyError:
            raise VerifyError(
                f"a value of type {print_type(value.type)} is used before its definition",
                where=value.name,
                hint="this is a bug of whoever built the module; scanir.ir.verify tells more",
            ) from None


def _margin(depth: int) -> str:
    return "  " * min(depth, DEEPEST)


def _location(location: Location) -> str:
    function = f", {quote(location.function)}" if location.function else ""
    return f" at({quote(location.file)}: {location.line}{function})"


def _fields(fields: Attrs) -> list[_Item]:
    parts: list[_Item] = []
    for index, (name, attr) in enumerate(fields):
        parts += [f"{', ' if index else ''}{spell(name)} = ", attr]
    return parts


def _listed(items: tuple[Attr, ...] | tuple[Type, ...]) -> list[_Item]:
    parts: list[_Item] = []
    for index, item in enumerate(items):
        parts += [", " if index else "", item]
    return parts


def _dims(shape: tuple[Dim, ...]) -> str:
    return ",".join(str(dim) if isinstance(dim, int) else spell(dim) for dim in shape)


def _type(type: Type) -> list[_Item]:
    match type:
        case TensorType(dtype=dtype, shape=shape, extras=extras):
            parts: list[_Item] = [f"{spell(dtype)}[{_dims(shape)}]"]
            return [*parts, "<", *_fields(extras), ">"] if extras else parts
        case TupleType(elements=members):
            return ["(", *_listed(members), ")"]
        case TokenType():
            return ["token"]
        case OpaqueType(text=text):
            return [f"opaque {quote(text)}"]
        case _:
            assert_never(type)


def _attr(attr: Attr, digests: bool) -> list[_Item]:
    match attr:
        case Bool(value=truth):
            return ["true" if truth else "false"]
        case Int(value=number):
            # Decimal digits of huge numbers take quadratic time, and Python limits them.
            return [str(number) if number.bit_length() <= 64 else hex(number)]
        case Float():
            return [_float(attr)]
        case Text(value=text):
            return [quote(text)]
        case Array():
            return [_array(attr, digests)]
        case Digest(dtype=dtype, shape=shape, sha256=digest):
            return [f"array({spell(dtype)}[{_dims(shape)}], sha256 {quote(digest)})"]
        case Seq(items=items):
            return ["[", *_listed(items), "]"]
        case Record(fields=fields):
            return ["{", *_fields(fields), "}"]
        case TypeAttr(type=type):
            return ["type ", type]
        case Symbol(name=name):
            return [f"@{spell(name)}"]
        case Opaque(kind=kind, text=text):
            return [f"opaque({quote(kind)}, {quote(text)})"]
        case Callable(qualname=qualname, code_digest=digest):
            return [f"callable({quote(qualname)}, {quote(digest)})"]
        case Hidden(what=what, detail=detail, remedy=remedy):
            return [f"hidden({quote(what)}, {quote(detail)}, {quote(remedy)})"]
        case _:
            assert_never(attr)


def _float(attr: Float) -> str:
    text = repr(attr.value)
    finite = text[-1].isdigit()
    return text if finite and Float.of(float(text)) == attr else f"float(0x{attr.bits:016x})"


def _array(array: Array, digests: bool) -> str:
    word = "splat" if array.splat else "array"
    comment = ""
    if array.splat or len(array.data) <= HEX_BYTES:
        shown = elements(array, SHOWN + 1)
        comment = f" /* {', '.join(shown[:SHOWN])}{', ...' if len(shown) > SHOWN else ''} */" if shown else ""
    if len(array.data) <= HEX_BYTES:
        payload = f"0x{array.data.hex()}"
    elif digests and not array.splat:
        payload = f"sha256 {quote(Digest.of(array).sha256)}"
    else:
        payload = f'b64 "{base64.b64encode(array.data).decode("ascii")}"'
    return f"{word}({spell(array.dtype)}[{_dims(array.shape)}], {payload}{comment})"
