"""Whether two ops are the same but for their operands, and which rules that takes.

Attributes and types are compared in full, floats by their bits; only what the tables assign to a rule may differ, and
only where that rule is in force. What no artifact shows equals nothing but itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from scanir.checker.effects import calls_python
from scanir.checker.tables import (
    ATTRIBUTE_CLASSES,
    CODE_GENERATION,
    HOST_NUMBERS,
    LABELS,
    ORIGINS,
    SMALL_CALL,
    STRICT,
    TYPE_CLASSES,
)
from scanir.ir.attrs import Attr, Bool, Callable, Hidden, Opaque, Record, Seq, Symbol, Text, TypeAttr
from scanir.ir.graph import Op
from scanir.ir.types import TensorType, TupleType, Type

NOTHING: frozenset[str] = frozenset()


class Keys:
    """Comparisons under ``rules``. Each answers with the rules that it takes, or None where the two differ.

    ``settled``: host functions that modules know by number only are known to be the same.
    """

    def __init__(self, dialect: str, rules: frozenset[str], *, settled: bool = False) -> None:
        self._dialect, self._rules, self._settled = dialect, rules, settled

    def types(self, left: Type, right: Type, *, strict: bool = False) -> frozenset[str] | None:
        if left is right or left == right:
            return NOTHING
        if strict:
            return None
        used: set[str] = set()
        stack = [(left, right)]
        while stack:
            match stack.pop():
                case TensorType() as x, TensorType() as y:
                    if x.dtype != y.dtype or x.shape != y.shape:
                        return None
                    facts, others = dict(x.extras), dict(y.extras)
                    for name in facts.keys() | others.keys():
                        if name in facts and name in others and facts[name] == others[name]:
                            continue
                        kind = TYPE_CLASSES.get(name)
                        if kind is None or kind not in self._rules:
                            return None
                        used.add(kind)
                case TupleType(xs), TupleType(ys):
                    if len(xs) != len(ys):
                        return None
                    stack.extend(zip(xs, ys, strict=True))
                case x, y:
                    if x != y:
                        return None
        return frozenset(used)

    def ops(self, left: Op, right: Op, dropped: frozenset[str] = NOTHING) -> frozenset[str] | None:
        """Name, attributes but those ``dropped``, number of operands and regions, and result types."""
        if left is right:
            return NOTHING
        if (
            left.name != right.name
            or len(left.results) != len(right.results)
            or len(left.regions) != len(right.regions)
        ):
            return None
        used = self.attributes(left, right, dropped)
        strict = left.name in STRICT
        pairs = [(x.type, y.type, strict) for x, y in zip(left.results, right.results, strict=True)]
        if left.name == "bitcast" or (strict and self._dialect == "hlo"):  # what it means lies in all layouts
            pairs += [(x.type, y.type, True) for x, y in zip(left.operands, right.operands, strict=True)]
            pairs = [(x, y, True) for x, y, _ in pairs]
        for x, y, exact in pairs:
            more = self.types(x, y, strict=exact)
            if used is None or more is None:
                return None
            used |= more
        return used

    def attributes(self, left: Op, right: Op, dropped: frozenset[str] = NOTHING) -> frozenset[str] | None:
        if left is right:
            return NOTHING
        if calls_python(left) or calls_python(right):
            if not self._settled:
                return None  # known by a number only
            dropped |= HOST_NUMBERS
        used: set[str] = set()
        mine, others = dict(left.attributes), dict(right.attributes)
        for name in mine.keys() | others.keys():
            if name in dropped or (self._dialect, left.name, name) in LABELS:
                continue
            if name in mine and name in others:
                more = self.attr(mine[name], others[name])
                if more is not None:
                    used |= more
                    continue
            kind = self._class(left.name, name, [values[name] for values in (mine, others) if name in values])
            if kind is None or kind not in self._rules or left.name in STRICT:
                return None
            used.add(kind)
        return frozenset(used)

    def _class(self, op: str, name: str, values: Sequence[Attr]) -> str | None:
        if name == "backend_config" and op in ("fusion", "call"):
            return "class:backend-config" if all(map(_only_code_generation, values)) else None
        table = ATTRIBUTE_CLASSES
        return table.get((self._dialect, op, name)) or table.get((self._dialect, "*", name))

    def set_aside(self, op: Op, dropped: frozenset[str]) -> frozenset[str] | None:
        """The rules that set aside all attributes but those ``dropped``; None where one belongs to the meaning."""
        used: set[str] = set()
        for name, value in op.attributes:
            if name not in dropped:
                kind = None if op.name in STRICT else self._class(op.name, name, (value,))
                if kind is None or kind not in self._rules:
                    return None
                used.add(kind)
        return frozenset(used)

    def inlined(self, op: Op) -> frozenset[str] | None:
        """The rules that it takes to lose a call itself; None where it asks for something that no rule sets aside."""
        used: set[str] = set()
        for name, value in op.attributes:
            if name in ORIGINS or _asks_nothing(value):
                continue
            if name == "frontend_attributes" and isinstance(value, Record):
                if all(field == SMALL_CALL for field, _ in value.fields):
                    continue
            kind = self._class(op.name, name, (value,))
            if kind is None or kind not in self._rules:
                return None
            used.add(kind)
        return frozenset(used)

    def attr(self, left: Attr, right: Attr) -> frozenset[str] | None:
        """Names of functions agree here: what they name is compared as closed regions of the op."""
        used: frozenset[str] = NOTHING
        stack = [(left, right)]
        while stack:
            x, y = stack.pop()
            if isinstance(x, Seq) and isinstance(y, Seq) and len(x.items) == len(y.items):
                stack.extend(zip(x.items, y.items, strict=True))
            elif isinstance(x, Record) and isinstance(y, Record) and len(x.fields) == len(y.fields):
                if any(name != other for (name, _), (other, _) in zip(x.fields, y.fields, strict=True)):
                    return None
                stack.extend((v, w) for (_, v), (_, w) in zip(x.fields, y.fields, strict=True))
            else:
                more = self._leaf(x, y)
                if more is None:
                    return None
                used |= more
        return used

    def _leaf(self, left: Attr, right: Attr) -> frozenset[str] | None:
        """Two attributes that hold no others."""
        match left, right:
            case TypeAttr(x), TypeAttr(y):
                return self.types(x, y)
            case Symbol(), Symbol():
                return NOTHING
            case Callable() as f, Callable() as g:
                named = (f.qualname, f.code_digest) == (g.qualname, g.code_digest)
                if f is g or (named and f.identity == g.identity != 0):
                    return NOTHING
                return self._allowed("callback-by-name", named and f.code_digest != "")
            case Hidden() as h, Hidden() as k:
                elided = h.what == k.what == "elided-constant" and h.detail == k.detail
                return NOTHING if h is k else self._allowed("elided-constants", elided)
            case Opaque("unresolved-symbol"), _:
                return NOTHING if left is right else None
        return NOTHING if left == right else None

    def _allowed(self, rule: str, applies: bool) -> frozenset[str] | None:
        return frozenset({rule}) if applies and rule in self._rules else None


def _only_code_generation(config: Attr) -> bool:
    return isinstance(config, Record) and all(name in CODE_GENERATION for name, _ in config.fields)


def _asks_nothing(value: Attr) -> bool:
    """An attribute of a call that leaves open what it could ask for: no sharding, no layout, no mesh, no option."""
    if isinstance(value, Seq):
        return all(map(_asks_nothing, value.items))
    if isinstance(value, Record):
        fields = dict(value.fields)
        return fields.get("shows") == Text("UnspecifiedValue") or fields.get("axes") == Seq(())
    return value in (Opaque("none", ""), Bool(False))
