"""MLIR attributes as attributes of the IR.

Promises that attributes which MLIR calls different never become equal: an integer is an `Int` only where its type is
i64, a `Seq` of numbers is a dense array (``array<i64: 0, 1>``); what is written otherwise but holds the same numbers
is tagged (see `tagged`). What is not taken apart is carried as its text. A name of something in the module is
replaced by what it names, wherever it stands, in a text too.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable
from typing import Any

from scanir.errors import ReadError
from scanir.ir.attrs import Attr, Bool, Float, Hidden, Int, Opaque, Record, Seq, Text, TypeAttr, attributes
from scanir.ir.types import TensorType
from scanir.readers.stablehlo.elements import (
    COMPLEX,
    MANY,
    elements,
    elements_of_bytecode,
    elements_of_resource,
    elements_of_text,
    resources,
)
from scanir.readers.stablehlo.types import Types

#: Lists in lists deeper than this are carried as text: JAX nests them three deep.
MAX_DEPTH = 50

_SYMBOL = re.compile(r'"(?:[^"\\]|\\.)*"|@(?:[A-Za-z_][\w$.]*|"(?:[^"\\]|\\.)*")')
_ESCAPE = re.compile(rb"\\([0-9A-Fa-f]{2}|.)")


def tagged(tag: str, *items: Attr) -> Seq:
    """Items with the way they were written. No other attribute read here has an Opaque of kind ``as``."""
    return Seq((Opaque("as", tag), *items))


def symbols_in_text(text: str, resolve: Callable[[str], Attr]) -> Attr:
    """A text that is carried as it is, except that names of the module (``@mesh``) are what they name."""
    if "@" not in text:
        return Opaque("mlir", text)
    names: dict[str, int] = {}

    def number(token: re.Match[str]) -> str:
        if token[0].startswith('"'):
            return token[0]
        return f"@{names.setdefault(token[0], len(names))}"

    numbered = _SYMBOL.sub(number, text)
    if not names:
        return Opaque("mlir", text)
    return tagged("names", Opaque("mlir", numbered), *(resolve(symbol_name(name)) for name in names))


def symbol_name(token: str) -> str:
    """The name in ``@name`` or ``@"a name"``."""
    if not token.startswith('@"'):
        return token[1:]
    return unquoted(token[1:])


def unquoted(text: str) -> str:
    """What MLIR prints as this string. (Its own ``value`` fails where that is not UTF-8.)"""
    return _ESCAPE.sub(_unescaped, text[1:-1].encode()).decode(errors="backslashreplace")


def _unescaped(escape: re.Match[bytes]) -> bytes:
    return bytes.fromhex(escape[1].decode()) if len(escape[1]) == 2 else escape[1]


class Attributes:
    """Reads the attributes of one module; each of them once. ``resolve`` says what a name of the module names."""

    def __init__(self, ir: Any, module: Any, types: Types, resolve: Callable[[str], Attr]) -> None:
        self._ir = ir
        self._module = module
        self._resources: dict[str, bytes] | None = None
        self._types = types
        self._resolve = resolve
        self._read: dict[Any, Attr] = {}
        self._by_kind: dict[type, Callable[[Any, int], Attr]] = {
            ir.BoolAttr: lambda attr, _: Bool(attr.value),
            ir.IntegerAttr: self._integer,
            ir.FloatAttr: self._float,
            ir.StringAttr: self._string,
            ir.TypeAttr: lambda attr, _: TypeAttr(types.read(attr.value)),
            ir.DictAttr: self._dict,
            ir.ArrayAttr: self._list,
            ir.FlatSymbolRefAttr: lambda attr, _: resolve(symbol_name(str(attr))),
            ir.SymbolRefAttr: self._path,
            ir.DenseI64ArrayAttr: lambda attr, _: Seq(tuple(Int(item) for item in attr)),
            ir.DenseBoolArrayAttr: lambda attr, _: tagged("array<i1>", *(Bool(bool(item)) for item in attr)),
            **{getattr(ir, f"DenseI{bits}ArrayAttr"): self._array(f"array<i{bits}>") for bits in (8, 16, 32)},
        }
        for kind in ("DenseElementsAttr", "DenseIntElementsAttr", "DenseFPElementsAttr"):
            self._by_kind[getattr(ir, kind)] = self._dense
        types.attribute = self.read

    def of(self, op: Any, without: frozenset[str] = frozenset()) -> dict[str, Attr]:
        """The attributes of an op, inherent and discardable."""
        op_attributes = op.attributes
        if not len(op_attributes):
            return {}
        if op.name == "stablehlo.constant":
            type = self._types.read(op.results[0].type)
            if isinstance(type, TensorType) and type.dtype in COMPLEX:
                return self._of_complex_constant(op, type)
        try:
            return {name: self.read(attr) for name, attr in named(op_attributes) if name not in without}
        except TypeError:
            # Some kinds (dense complex numbers) have no class in the bindings, which cannot even hand them out. (Up to
            # jaxlib 0.5 that ends the process, which is why constants are looked at first.)
            return self._of_text(op, without)

    def read(self, attr: Any, depth: int = 0) -> Attr:
        found = self._read.get(attr)
        if found is None:
            convert = self._by_kind.get(type(attr))
            if convert is None or depth > MAX_DEPTH:
                found = self._text(attr)
            else:
                found = convert(attr, depth + 1)
            self._read[attr] = found
        return found

    def of_text(self, text: str) -> Attr:
        """An attribute of which only the text can be had."""
        if text.startswith("dense<") and "> : " in text:
            mlir_type = self._ir.Type.parse(text[text.rindex("> : ") + 4 :], self._module.context)
            found = self._types.read(mlir_type)
            if isinstance(found, TensorType) and _is_plain(self._ir, mlir_type, found):
                array = elements_of_text(text, found)
                if array is not None:
                    return array
        return self._text(text)

    def _text(self, attr: Any) -> Attr:
        text = str(attr)
        if text.startswith("dense_resource<"):
            return self._resource(text)
        return symbols_in_text(text, self._resolve)

    def _resource(self, text: str) -> Attr:
        if self._resources is None:
            self._resources = resources(self._module.get_asm())
        name, _, type_text = text.removeprefix("dense_resource<").rpartition("> : ")
        mlir_type = self._ir.Type.parse(type_text, self._module.context)
        type = self._types.read(mlir_type)
        if isinstance(type, TensorType) and _is_plain(self._ir, mlir_type, type):
            array = elements_of_resource(self._resources.get(name.strip('"'), b""), type)
            if array is not None:
                return array
        return Hidden("dense resource", text, "write the constant inline (`dense<...>`)")

    def _of_complex_constant(self, op: Any, type: TensorType) -> dict[str, Attr]:
        """MLIR writes complex numbers as decimals, however many: large ones are taken from bytecode."""
        value = None
        if math.prod(dim for dim in type.shape if isinstance(dim, int)) > MANY:
            buffer = io.BytesIO()
            op.write_bytecode(buffer)
            value = elements_of_bytecode(buffer.getvalue(), type)
        if value is None:
            return self._of_text(op, frozenset())
        names = [op.attributes[k].name for k in range(len(op.attributes))]
        return {name: value if name == "value" else self.read(op.attributes[name]) for name in names}

    def _of_text(self, op: Any, without: frozenset[str]) -> dict[str, Attr]:
        texts = attribute_texts(op.get_asm(print_generic_op_form=True, use_local_scope=True, skip_regions=True))
        if len(texts) != len(op.attributes):
            raise ReadError(f"the attributes of a {op.name} cannot be told apart in its text")
        found: dict[str, Attr] = {}
        for name, text in texts.items():
            if name in without:
                continue
            try:
                found[name] = self.of_text(text) if _is_complex(text) else self.read(op.attributes[name])
            except TypeError:
                found[name] = self.of_text(text)
        return found

    def _integer(self, attr: Any, depth: int) -> Attr:
        # Not `attr.value`: in old versions that is the low 64 bits, signed.
        number, _, kind = str(attr).partition(" : ")
        return Int(int(number)) if kind == "i64" else tagged(kind, Int(int(number)))

    def _float(self, attr: Any, depth: int) -> Attr:
        value, text = attr.value, str(attr.type)
        if value != value or text in ("f80", "f128"):  # a NaN may lose its payload on the way to a Python float
            return Opaque("mlir", str(attr))
        return Float.of(value) if text == "f64" else tagged(text, Float.of(value))

    def _string(self, attr: Any, depth: int) -> Attr:
        if str(attr.type) != "none":
            return Opaque("mlir", str(attr))
        try:
            return Text(attr.value)
        except (UnicodeDecodeError, RuntimeError):  # not UTF-8; which of the two depends on the version
            return tagged("bytes", Text(attr.value_bytes.hex()))

    def _dict(self, attr: Any, depth: int) -> Attr:
        try:
            names = [attr[k].name for k in range(len(attr))]
            return Record(attributes({name: self.read(attr[name], depth) for name in names}))
        except TypeError:  # a kind of attribute that the bindings do not know (see `of`)
            return self._text(attr)

    def _list(self, attr: Any, depth: int) -> Attr:
        try:
            items = tuple(self.read(item, depth) for item in attr)
        except TypeError:  # as in `_dict`
            return self._text(attr)
        # Where it could be taken for a dense array it says that it is none.
        return tagged("list", *items) if all(isinstance(item, Int) for item in items) else Seq(items)

    def _array(self, tag: str) -> Callable[[Any, int], Attr]:
        return lambda attr, _: tagged(tag, *(Int(item) for item in attr))

    def _path(self, attr: Any, depth: int) -> Attr:
        return symbols_in_text(str(attr), self._resolve)

    def _dense(self, attr: Any, depth: int) -> Attr:
        found = self._types.read(attr.type)
        if isinstance(found, TensorType) and _is_plain(self._ir, attr.type, found):
            array = elements(attr, found)
            if array is not None:
                return array
        return self._text(attr)


def _is_plain(ir: Any, mlir_type: Any, found: TensorType) -> bool:
    """Whether an `Array` says all of a type: no encoding, which it has no place for."""
    return isinstance(mlir_type, ir.RankedTensorType) and not found.extras


def named(op_attributes: Any) -> list[tuple[str, Any]]:
    """The pairs of an op's attributes."""
    if hasattr(op_attributes, "items"):
        return list(op_attributes.items())
    return [(entry.name, entry.attr) for entry in op_attributes]  # jaxlib 0.5 and before


def _is_complex(text: str) -> bool:
    return text.startswith("dense<") and text.endswith(">>") and "complex<" in text[-40:]


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->|[<>(){}\[\],=]|[^"<>(){}\[\],=-]+|-')
_CLOSERS = {"<": ">", "(": ")", "[": "]", "{": "}"}


def attribute_texts(asm: str) -> dict[str, str]:
    """The attributes of an op printed in generic form, each as its text: ``<{a = 1 : i64}> {b = "x"}``."""
    found: dict[str, str] = {}
    stack: list[str] = []
    pieces: list[str] = []
    for token in _TOKEN.finditer(asm):
        piece = token[0]
        level = 1 if stack[:1] == ["{"] else 2 if stack[:2] == ["<", "{"] else 0
        if level == len(stack) and piece in (",", "}"):
            name, equals, text = "".join(pieces).partition("=")
            if name.strip():
                found[name.strip().strip('"')] = text.strip() if equals else "unit"
            pieces.clear()
        elif level:
            pieces.append(piece)
        if piece in _CLOSERS:
            stack.append(piece)
        elif stack and piece == _CLOSERS[stack[-1]]:
            stack.pop()
    return found
