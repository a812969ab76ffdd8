"""What of a type or an attribute belongs to identity under a set of rules.

Turns types and attribute lists into hashable keys: noise is gone, what an active class sets aside is gone, names of
functions are what they name, host functions are objects, and what an artifact hides equals nothing but itself.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

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
from scanir.normalize.classes import CLASSES, STRICT_OPS, TYPE_CLASSES, attribute_class
from scanir.normalize.effects import CUSTOM_CALLS, calls_python

#: Attributes that are their own keys.
_THEMSELVES = frozenset({Bool, Int, Float, Text, Array, Digest})

#: Ops whose key says more than their attributes.
_MORE = STRICT_OPS | CUSTOM_CALLS | {"bitcast"}


#: The key of the attributes of an op.
Key: TypeAlias = "tuple[tuple[str, Any], ...]"
#: Kinds of attributes that a rule may set aside.
_KINDS = frozenset({*CLASSES.values(), "class:backend-config"})


def _layouts(dialect: str, op: Op) -> Key:
    """The layouts that an op is about, whatever classes are set aside."""
    if op.name == "bitcast" and op.operands:
        # A bitcast reinterprets memory: its meaning lies in both layouts.
        return (("layouts", (op.operands[0].type, op.results[0].type)),)
    if dialect == "hlo" and op.name in STRICT_OPS and op.operands:
        # What leaves XLA is read as it lies in memory.
        return (("layouts", tuple([value.type for value in op.operands])),)
    return ()


class FixedKeys:
    """The keys of those ops of a module whose attributes name nothing, hide nothing and hold no type that a rule could
    erase: they depend on the rules by the kinds of attributes that are set aside, and on nothing else.

    Kept for as long as the module lives, for all attempts at a proof; equal keys are one object.
    """

    def __init__(self, dialect: str, erased: frozenset[str]) -> None:
        self._dialect, self._erased = dialect, erased
        self._known: dict[int, tuple[Key, tuple[str, ...]] | None] = {}
        self._one: dict[Key, Key] = {}

    def of(self, op: Op) -> tuple[Key, tuple[str, ...]] | None:
        """The key and what kinds were set aside; None for an op whose key depends on more."""
        number = id(op)
        if number in self._known:
            return self._known[number]
        found = self._known[number] = self._fixed(op)
        return found

    def _fixed(self, op: Op) -> tuple[Key, tuple[str, ...]] | None:
        if op.name in CUSTOM_CALLS:
            return None
        fields: list[tuple[str, Any]] = []
        kinds = []
        for name, value in op.attributes:
            kind = attribute_class(self._dialect, op, name)
            if kind in self._erased:
                kinds.append(kind)
            elif kind != "noise":
                key = _fixed_key(value)
                if key is None:
                    return None
                fields.append((name, key))
        fields += _layouts(self._dialect, op)
        key = tuple(fields)
        return self._one.setdefault(key, key), tuple(kinds)


def _fixed_key(attr: Attr) -> Any:
    """What `Eraser.attr` makes of an attribute under any rules; None where that may differ."""
    if type(attr) in _THEMSELVES or (type(attr) is Opaque and attr.kind != "unresolved-symbol"):
        return attr
    if type(attr) is Seq and _THEMSELVES.issuperset(map(type, attr.items)):
        return ("seq", attr.items)
    if type(attr) is Seq:
        items = [_fixed_key(item) for item in attr.items]
        return None if None in items else ("seq", tuple(items))
    if type(attr) is Record:
        fields = [(name, _fixed_key(value)) for name, value in attr.fields]
        return None if any(key is None for _, key in fields) else ("record", tuple(fields))
    if type(attr) is TypeAttr and type(attr.type) is TensorType and not attr.type.extras:
        return ("type", attr.type)
    return None


_FIXED: WeakKeyDictionary[Module, dict[frozenset[str], FixedKeys]] = WeakKeyDictionary()


def fixed_keys(module: Module, rules: frozenset[str]) -> FixedKeys:
    """The fixed keys of a module under rules."""
    known, erased = _FIXED.setdefault(module, {}), rules & _KINDS
    if erased not in known:
        known[erased] = FixedKeys(module.dialect, erased)
    return known[erased]


class Eraser:
    """Keys of the types and attributes of one module under one set of rules.

    ``guess``: take what cannot be compared (hidden constants, callbacks known by number, distinct functions of equal
    code) as equal; used only to tell INCONCLUSIVE from DIFFERENT. ``settled``: callbacks known by number are known to
    be the same.
    """

    def __init__(self, module: Module, side: str, rules: frozenset[str], *, guess: bool, settled: bool) -> None:
        self.dialect = module.dialect
        self._module = module  # alive: keys are known by the places of ops in memory
        self._side = side
        self._rules = rules
        self._guess = guess
        self._settled = settled
        self._types: dict[Type, Type] = {}
        self._known: dict[int, tuple[Type, Type]] = {}
        self._attrs: dict[int, Key] = {}
        self._fixed = fixed_keys(module, rules)
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

    def attributes(self, op: Op, dropped: frozenset[str] = frozenset()) -> Key:
        """The key of an op's attributes, without those in ``dropped``."""
        if not op.attributes and op.name not in _MORE:
            return ()
        found = self._attrs.get(id(op))
        if found is not None:
            return found
        if not dropped and (fixed := self._fixed.of(op)) is not None:
            key, kinds = fixed
            if kinds:
                self.touched.update(kinds)
            self._attrs[id(op)] = key
            return key
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
        fields += _layouts(self.dialect, op)
        key = tuple(fields)
        self._attrs[id(op)] = key
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
        # Of an object that has no code the name alone says nothing: that of a class is the name of all its objects.
        if ("callback-by-name" in self._rules and attr.code_digest) or self._guess:
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
