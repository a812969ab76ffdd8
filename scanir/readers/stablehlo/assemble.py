"""From a module of the MLIR bindings to a `Module` of the IR."""

from __future__ import annotations

from typing import Any

from scanir._compat_mlir import mlir_ir
from scanir.errors import ReadError
from scanir.ir.attrs import Attr, Attrs, Symbol, Text, attributes
from scanir.ir.graph import Function, Module, Op, Region, Value
from scanir.readers.mlir_context import parse_module
from scanir.readers.stablehlo.attributes import Attributes, unquoted
from scanir.readers.stablehlo.locations import Locations
from scanir.readers.stablehlo.ops import Ops
from scanir.readers.stablehlo.symbols import FUNCTION, Symbols
from scanir.readers.stablehlo.types import Types

ENTRY = "main"
#: Attributes of a function that are read in another way than as attributes.
_TAKEN_APART = frozenset({"sym_name", "function_type", "arg_attrs", "res_attrs"})


def read_stablehlo(source: str | bytes | Any, *, name: str = "<string>") -> Module:
    """The module in MLIR text, bytecode, a portable artifact, or an ``mlir.ir.Module``, which is read as it is.

    Raises ReadError where the source is none of these, or holds what this reader refuses. ``name`` says in errors and
    locations where the source comes from.
    """
    module = parse_module(source, name) if isinstance(source, (str, bytes)) else source
    if not isinstance(module, mlir_ir().Module):
        raise ReadError(f"a {type(source).__name__} is no MLIR module", where=name)
    try:
        return _Reader(module, name).module()
    except ReadError as error:
        where = ", ".join(part for part in (name, error.where) if part)
        raise ReadError(error.what, where=where, hint=error.hint) from error
    except (UnicodeDecodeError, RuntimeError) as error:
        # How the bindings report a name of an op or attribute that is not UTF-8, depending on their version.
        raise ReadError(f"MLIR holds something that its bindings cannot show: {error}", where=name) from error


class _Reader:
    """The parts that read one module, with what they share."""

    def __init__(self, module: Any, name: str) -> None:
        ir = mlir_ir()
        self._operation = module.operation
        operations = [view.operation for view in module.body.operations]
        self._functions = [op for op in operations if op.name == FUNCTION]
        self._symbols = Symbols(operations)
        types = Types(ir)
        self._types = types
        self._attributes = self._symbols.attributes = Attributes(ir, module.operation, types, self._symbols.resolve)
        self._locations = Locations(name, self._functions)
        self._ops = Ops(types, self._attributes, self._locations)

    def module(self) -> Module:
        functions = tuple(self._function(op) for op in self._functions)
        fields = self._attributes.of(self._operation)
        label = fields.pop("sym_name", None)
        fields.update(self._symbols.others())
        return Module(
            "stablehlo",
            functions,
            _entry(functions),
            attributes(fields),
            label.value if isinstance(label, Text) else "",
        )

    def _function(self, op: Any) -> Function:
        name = unquoted(str(op.attributes["sym_name"]))
        fields = self._attributes.of(op, without=_TAKEN_APART)
        mlir_type = op.attributes["function_type"].value
        region = op.regions[0]
        if len(list(region.blocks)):
            body = self._ops.region(region, name)
        else:
            body = self._declared(op, name, mlir_type)
        if len(body.results) != len(mlir_type.results):
            raise ReadError("a function that does not end in a return", where=f"function {name}")
        return Function(
            name,
            body,
            attributes(fields),
            self._lists(op, "arg_attrs", len(mlir_type.inputs)),
            self._lists(op, "res_attrs", len(mlir_type.results)),
        )

    def _declared(self, op: Any, name: str, mlir_type: Any) -> Region:
        """The body of a function that is only declared: one op, which nobody knows, does what its name says."""
        params = tuple(Value(self._types.read(type)) for type in mlir_type.inputs)
        results = tuple(Value(self._types.read(type)) for type in mlir_type.results)
        location = self._locations.read(op.location)
        outside = Op("func.external", params, results, (("name", Text(name)),), location=location)
        return Region(params, (outside,), results)

    def _lists(self, op: Any, name: str, count: int) -> tuple[Attrs, ...]:
        """The attributes of each parameter or result; empty where none has any."""
        if name not in op.attributes:
            return ()
        lists = list(op.attributes[name])
        if len(lists) != count:
            raise ReadError(f"{name} has {len(lists)} lists of attributes for {count} values")
        found = tuple(self._fields(entry) for entry in lists)
        return found if any(found) else ()

    def _fields(self, entry: Any) -> Attrs:
        names = [entry[k].name for k in range(len(entry))]
        fields: dict[str, Attr] = {name: self._attributes.read(entry[name]) for name in names}
        return attributes(fields)


def _entry(functions: tuple[Function, ...]) -> str:
    """``main``, or the only function, or the only one that others can see."""
    if not functions:
        raise ReadError("the module has no function", hint="is this MLIR of another kind, or an empty file?")
    if any(function.name == ENTRY for function in functions):
        return ENTRY
    called = {callee for function in functions for callee in _called(function.body)}
    public = [function.name for function in functions if ("sym_visibility", Text("private")) not in function.attributes]
    for names in (public, [name for name in public if name not in called]):
        if len(names) == 1:
            return names[0]
    if len(functions) == 1:
        return functions[0].name
    raise ReadError(
        f"no function is called {ENTRY!r}, and {len(public)} are public",
        hint="rename the one to compare to 'main', or make the others private",
    )


def _called(body: Region) -> set[str]:
    found: set[str] = set()
    stack = [body]
    while stack:
        for op in stack.pop().ops:
            found.update(attr.name for _, attr in op.attributes if isinstance(attr, Symbol))
            stack.extend(op.regions)
    return found
