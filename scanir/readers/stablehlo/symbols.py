"""What names in an MLIR module name: functions, meshes, and whatever else a module holds.

Promises that a reference to a function becomes its `Symbol` and any other reference the definition itself, so that
two modules whose meshes share a name and differ are different. A name that names nothing stays an opaque name.
"""

from __future__ import annotations

from typing import Any

from scanir.ir.attrs import Attr, Opaque, Record, Symbol, attributes
from scanir.readers.stablehlo.attributes import Attributes, symbols_in_text, tagged, unquoted

FUNCTION = "func.func"
#: Definitions that mean nothing unless something names them.
NAMED_ONLY = frozenset({"sdy.mesh"})


class Symbols:
    """The definitions at the top of one module."""

    def __init__(self, operations: list[Any]) -> None:
        #: Reads attributes; set by the reader, which needs `resolve` to make it.
        self.attributes: Attributes | None = None
        self._operations = operations
        self._definitions: dict[str, Any] = {}
        self._resolved: dict[str, Attr] = {}
        for op in operations:
            if "sym_name" in op.attributes:
                self._definitions[unquoted(str(op.attributes["sym_name"]))] = op

    def resolve(self, name: str) -> Attr:
        """What a reference to ``name`` stands for."""
        found = self._resolved.get(name)
        if found is not None:
            return found
        op = self._definitions.get(name)
        if op is None:
            return Opaque("unresolved-symbol", name)
        if op.name == FUNCTION:
            return Symbol(name)
        # A definition that names itself, directly or through others, meets its own name in place of its contents.
        self._resolved[name] = Opaque("unresolved-symbol", name)
        self._resolved[name] = definition = self._definition(op)
        return definition

    def others(self) -> dict[str, Attr]:
        """The definitions that are no functions and matter even if nothing names them, as attributes of the module."""
        others = [op for op in self._operations if op.name != FUNCTION and op.name not in NAMED_ONLY]
        return {f"op {index:06}: {op.name}": self._whole(op) for index, op in enumerate(others)}

    def _definition(self, op: Any) -> Attr:
        if len(op.regions):
            return self._whole(op)
        assert self.attributes is not None
        fields = self.attributes.of(op, without=frozenset({"sym_name"}))
        return tagged("definition", Opaque("mlir", op.name), Record(attributes(fields)))

    def _whole(self, op: Any) -> Attr:
        text = op.get_asm(print_generic_op_form=True, use_local_scope=True)
        return symbols_in_text(text, self.resolve)
