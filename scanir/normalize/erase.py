"""What of a type or an attribute belongs to identity under a set of rules.

Turns types and attribute lists into hashable keys: noise is gone, what an active class sets aside is gone, names of
functions are what they name, host functions are objects, and what an artifact hides equals nothing but itself.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any

from scanir.ir.attrs import (
    Array,
    Attr,
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
from scanir.ir.graph import Module, Op
from scanir.ir.types import TensorType, TupleType, Type
from scanir.normalize.classes import STRICT_OPS, TYPE_CLASSES, attribute_class
from scanir.normalize.effects import CUSTOM_CALLS, calls_python

#: Attributes that are their own keys.
_THEMSELVES = frozenset({Bool, Int, Float, Text, Array, Digest})

#: Ops whose key says more than their attributes.
_MORE = STRICT_OPS | CUSTOM_CALLS | {"bitcast"}


class Eraser:
    """Keys of the types and attributes of one module under one set of rules.

    ``guess``: take what cannot be compared (hidden constants, callbacks known by number, distinct functions of equal
    code) as equal; used only to tell INCONCLUSIVE from DIFFERENT. ``settled``: callbacks known by number are known to
    be the same.
    """

    def __init__(self, module: Module, side: str, rules: frozenset[str], *, guess: bool, settled: bool) -> None:
        self.dialect = module.dialect
        self._side = side
        self._rules = rules
        self._guess = guess
        self._settled = settled
        self._types: dict[Type, Type] = {}
        self._known: dict[int, tuple[Type, Type]] = {}
        self._attrs: dict[int, tuple[Op, tuple[tuple[str, Any], ...]]] = {}
        self.symbol: Function[[str], Any] = lambda name: ("symbol", side, name)
        #: What was met that hides an answer: kind -> (how many, the remedy).
        #: Rules and classes that took something away.
        self.touched: set[str] = set()
        self.hidden: dict[str, tuple[int, str]] = {}
        #: The objects behind each entry of ``hidden`` that is about host functions.
        self.functions: dict[str, set[int]] = {}

    def type(self, type: Type) -> Type:
        """The type without the facts that an active class sets aside."""
        # By identity: types are few objects, met often, and hashing one walks all of it.
        known = self._known.get(id(type))
        if known is not None:
            return known[1]
        found = self._types.get(type)
        if found is None:
            found = self._types[type] = self._erase(type)
        self._known[id(type)] = (type, found)
        return found

    def _erase(self, type: Type) -> Type:
        if isinstance(type, TensorType) and type.extras:
            kept = tuple(extra for extra in type.extras if TYPE_CLASSES.get(extra[0]) not in self._rules)
            self.touched.update(TYPE_CLASSES[extra[0]] for extra in type.extras if extra not in kept)
            return TensorType(type.dtype, type.shape, kept)
        if isinstance(type, TupleType):
            return TupleType(tuple(self.type(element) for element in type.elements))
        return type

    def result_type(self, op: Op, type: Type) -> Type:
        return type if op.name in STRICT_OPS else self.type(type)

    def attributes(self, op: Op, dropped: frozenset[str] = frozenset()) -> tuple[tuple[str, Any], ...]:
        """The key of an op's attributes, without those in ``dropped``."""
        if not op.attributes and op.name not in _MORE:
            return ()
        found = self._attrs.get(id(op))
        if found is not None:
            return found[1]
        fields = []
        for name, value in op.attributes:
            kind = attribute_class(self.dialect, op, name)
            if kind is not None and kind in self._rules:
                self.touched.add(kind)
                continue
            if name in dropped or kind == "noise":
                continue
            fields.append((name, self.attr(value)))
        if calls_python(op):
            fields.append(("host function", self._numbered_callback()))
            fields = [field for field in fields if field[0] not in ("backend_config", "mhlo.backend_config", "opaque")]
        if op.name == "bitcast" and op.operands:
            # A bitcast reinterprets memory: its meaning lies in both layouts, whatever classes are set aside.
            fields.append(("layouts", (op.operands[0].type, op.results[0].type)))
        if self.dialect == "hlo" and op.name in STRICT_OPS and op.operands:
            # What leaves XLA is read as it lies in memory.
            fields.append(("layouts", tuple(value.type for value in op.operands)))
        key = tuple(fields)
        self._attrs[id(op)] = (op, key)
        return key

    def _numbered_callback(self) -> Any:
        if self._settled or self._guess:
            return "settled"
        self._note("a host callback is known by number only", "compare at stage jaxpr, where the functions are known")
        return ("callback", self._side, len(self._attrs))

    def _note(self, what: str, remedy: str) -> None:
        count, _ = self.hidden.get(what, (0, ""))
        self.hidden[what] = (count + 1, remedy)

    def attr(self, attr: Attr) -> Any:
        """A hashable key of one attribute."""
        if type(attr) in _THEMSELVES:
            return attr
        match attr:
            case Callable():
                return self._callable(attr)
            case Hidden():
                return self._hidden(attr)
            case Symbol(name):
                return self.symbol(name)
            case Seq(items):
                return ("seq", tuple([item if type(item) in _THEMSELVES else self.attr(item) for item in items]))
            case Record(fields):
                return ("record", tuple((name, self.attr(value)) for name, value in fields))
            case TypeAttr(named):
                return ("type", self.type(named))
            case Opaque(kind="unresolved-symbol"):
                return self._hidden(
                    Hidden("a name that the module does not define", attr.text, "dump the whole module")
                )
            case _:
                return attr

    def _callable(self, attr: Callable) -> Any:
        if "callback-by-name" in self._rules or self._guess:
            self.touched.add("callback-by-name")
            return ("function", attr.qualname, attr.code_digest)
        text = f"{attr.qualname} (code {attr.code_digest[:8]}) is another function object of equal code, so unknown"
        self._note(text, "use one function object on both sides, or --allow callback-by-name")
        # A function of another process has no identity here, and is nobody's of the other side.
        self.functions.setdefault(text, set()).add(attr.identity or (-1 if self._side == "a" else -2))
        if attr.identity == 0:
            return ("function", attr.qualname, attr.code_digest, self._side)
        return ("function", attr.qualname, attr.code_digest, attr.identity)

    def _hidden(self, attr: Hidden) -> Any:
        allowed = attr.what == "elided-constant" and "elided-constants" in self._rules
        if self._guess or allowed:
            self.touched.add("elided-constants")
            return ("hidden", attr.what, attr.detail)
        self._note(attr.what, attr.remedy)
        return ("hidden", self._side, id(attr))
