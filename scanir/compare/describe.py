"""Terms in a person's words: the name of an argument, the digits of a constant, the op that computed a value."""

from __future__ import annotations

from typing import Any

from scanir.compare.attributes import attribute_text, constant_text
from scanir.ir.attrs import Int
from scanir.ir.types import TensorType
from scanir.normalize.identities import result_type
from scanir.normalize.reify import unkeyed
from scanir.normalize.values import Table
from scanir.program import Argument

#: Ops within ops that a description shows, and the characters it may have.
DEPTH, LONGEST = 2, 60
#: Comparisons whose name alone does not say what they ask -> the attribute that does.
_DIRECTIONS = {"stablehlo.compare": "comparison_direction", "compare": "direction"}
#: Ops that choose between two values, and which operand is which.
SELECTS = {"select_n": ("false", "true"), "select": ("true", "false"), "stablehlo.select": ("true", "false")}


class Describer:
    """Describes canonical terms of one side. ``arguments[k]``: the argument that has number k in the pairing."""

    def __init__(self, table: Table, arguments: dict[int, Argument]) -> None:
        self._table = table
        self._arguments = arguments

    def type(self, term: int) -> str:
        kind, payload, _ = self._table.keys[term]
        if kind == "in" and payload[0] in self._arguments:
            return str(self._arguments[payload[0]].type)
        return str(result_type(self._table, term) or "")

    def value(self, term: int) -> str:
        """A description of its own: ``dtau``, ``0.01``, ``mul(s, sin(gain)) -> f32[3]``."""
        kind, payload, children = self._table.keys[term]
        match kind:
            case "op" if payload[0] == "affine":
                return f"the counter {self._affine(term)} -> {payload[2][0]}"
            case "op" if payload[0] in SELECTS and len(children) == 3:
                return f"{payload[0]} on {self._choice(children, self._cases(payload[0], children))} -> {payload[2][0]}"
            case "op":
                return f"{self._fitting(term)} -> {', '.join(map(str, payload[2]))}".rstrip()
            case "sel":
                return f"a {payload[0]} on {self._choice(children, self._branches(term))}"
            case "res" if payload != "trip":
                return f"slot {payload} of {self.value(children[0])}" if isinstance(payload, int) else "the trip count"
            case "ys":
                return f"stacked values {payload[1]} of {self.value(children[0])}"
            case "slot":
                return f"a carried {payload[2]}" if payload[1] != "trip" else "the trip number"
            case "item":
                return f"an element {payload[1]} of {self.value(children[0])}"
            case "loop":
                return f"a {payload[1][0]} loop"
            case "call":
                return f"a call ({payload[0]})"
            case "leaf" | "elem":
                return f"a loop value {payload[2]}"
            case _:
                return self._inner(term, 0)

    def effect(self, term: int) -> str:
        """What an effect's token stands for: the op that made it."""
        kind, _, children = self._table.keys[term]
        return "no effect" if kind == "in" else self.value(children[0] if kind == "proj" else term)

    def _fitting(self, term: int) -> str:
        """An op with as much of its operands as fits."""
        for depth in range(DEPTH, 0, -1):
            text = self._inner(term, depth)
            if len(text) <= LONGEST:
                return text
        return f"{_bare(self._table.payload(term)[0])}(..)"

    def _inner(self, term: int, depth: int) -> str:
        """A value within the description of another one."""
        kind, payload, children = self._table.keys[term]
        match kind:
            case "in":
                argument = self._arguments.get(payload[0])
                return argument.name if argument is not None else "the token"
            case "const":
                return constant_text(payload[0]) if depth == 0 else self._short_constant(term)
            case "op":
                return self._op(term, depth)
            case "proj":
                return f"{f'result {payload} of ' if payload != 'token' else ''}{self._inner(children[0], depth)}"
            case "item":
                return f"{self._inner(children[0], 0)}[trip]"
            case "bound":
                return f"parameter {payload[1]} of a region"
            case "sel":
                return f"{_bare(payload[0])}(..)"
            case _:
                return self._bound(kind, payload)

    def _bound(self, kind: str, payload: Any) -> str:
        """What hangs on a loop or a call."""
        match kind:
            case "res":
                return f"loop result {payload}" if payload != "trip" else "trip count"
            case "slot":
                return "carry" if payload[1] != "trip" else "trip"
            case "ys":
                return "stacked loop values"
            case "loop":
                return f"{payload[1][0]} loop"
            case "call":
                return f"call {payload[0]}"
            case "leaf" | "elem":
                return "loop value"
            case _:
                return kind

    def _op(self, term: int, depth: int) -> str:
        payload, children = self._table.payload(term), self._table.children(term)
        if payload[0] == "affine":
            return self._affine(term)
        name, operands = _bare(payload[0]), children[: payload[3]]
        if payload[0] in _DIRECTIONS and (direction := unkeyed(payload[1]).get(_DIRECTIONS[payload[0]])):
            name = f"{name}[{attribute_text(direction)}]"
        if not depth:
            return f"{name}(..)" if operands else f"{name}()"
        return f"{name}({', '.join(self._operand(child, depth - 1) for child in operands)})"

    def _operand(self, term: int, depth: int) -> str:
        if self._table.kind(term) == "const":
            return self._short_constant(term)
        return self._inner(term, depth)

    def _short_constant(self, term: int) -> str:
        value, type = self._table.payload(term)
        splat = getattr(value, "splat", False) or (isinstance(type, TensorType) and not type.shape)
        return constant_text(value).partition(" everywhere")[0] if splat else f"constant {type}"

    def _affine(self, term: int) -> str:
        """A function of the trip number: ``trip``, ``2*trip+1``."""
        found = unkeyed(self._table.payload(term)[1])
        factor, offset = (attr.value if isinstance(attr := found[name], Int) else 0 for name in ("factor", "offset"))
        trip = self._inner(self._table.children(term)[0], 0)
        text = trip if factor == 1 else f"{factor}*{trip}"
        return text if not offset else f"{text}{offset:+d}"

    def _cases(self, name: str, children: tuple[int, ...]) -> list[str]:
        type = result_type(self._table, children[0])
        return list(SELECTS[name]) if isinstance(type, TensorType) and type.dtype == "bool" else ["0", "1"]

    def _branches(self, term: int) -> list[str]:
        """What selects each branch of a choice."""
        (name, _, _), children = self._table.payload(term), self._table.children(term)
        type = result_type(self._table, children[0])
        if not isinstance(type, TensorType) or type.dtype != "bool":
            return [str(k) for k in range(len(children) - 1)]
        return ["false", "true"] if name == "cond" else ["true", "false"]  # jaxpr counts branches, the others ask

    def _choice(self, children: tuple[int, ...], cases: list[str]) -> str:
        """``gt(x, 0.0): 0 gives mul(..), 1 gives add(..)``."""
        outcomes = [f"{case} gives {self._inner(child, 1)}" for case, child in zip(cases, children[1:], strict=False)]
        type = result_type(self._table, children[0])
        return f"{self._inner(children[0], 1)} ({type}): {', '.join(outcomes)}"


def _bare(name: str) -> str:
    """An op without its dialect, which the line it stands in tells."""
    return name.removeprefix("stablehlo.")
