"""Which ops of a module take the token: all that the checker's tables do not call pure. Linear, no recursion."""

from __future__ import annotations

from collections.abc import Collection

from scanir.checker.tables import CUSTOM_CALLS, PURE, PYTHON_CALLS, REGIONAL, STRUCTURED
from scanir.checker.verdict import Rejected
from scanir.ir.attrs import Bool
from scanir.ir.graph import Module, Op, Region
from scanir.ir.walk import LEAVES, ops_of, symbols

#: The one op with an effect that may be left out, where nothing reads its results.
DROPPABLE = "pure_callback"


def calls_python(op: Op) -> bool:
    """A custom call of a host function that the module knows by a number only."""
    target = op.attribute("call_target_name") or op.attribute("custom_call_target")
    return op.name in CUSTOM_CALLS and getattr(target, "value", "") in PYTHON_CALLS


def droppable(module: Module) -> list[Op]:
    """The ops that a certificate may call dropped, in reading order."""
    return [op for function in module.functions for op in ops_of(function.body) if op.name == DROPPABLE]


class Effects:
    """``op(o)``: whether it takes the token; ``function(name)``: whether a call does. Ops in ``dropped`` do not."""

    def __init__(self, module: Module, dropped: Collection[int] = ()) -> None:
        self._dropped = dropped
        self._known = PURE[module.dialect] | REGIONAL[module.dialect] | STRUCTURED
        self._bodies = {function.name: function.body for function in module.functions}
        self._found: dict[int, bool] = {}
        self._names: dict[int, tuple[str, ...]] = {}
        self._regions: dict[int, bool | None] = {}

    def function(self, name: str) -> bool:
        return self.region(self._bodies[name])

    def op(self, op: Op) -> bool:
        inside = self._inside(op)
        if not inside:
            return self._judge(op, inside)
        found = self._found.get(id(op))
        if found is None:
            for region in inside:
                self.region(region)
            found = self._found[id(op)] = self._judge(op, inside)
        return found

    def names(self, op: Op) -> tuple[str, ...]:
        """The functions that the attributes of an op name."""
        for _, value in op.attributes:
            if type(value) not in LEAVES:
                found = self._names.get(id(op))
                if found is None:
                    found = self._names[id(op)] = tuple(symbols(op.attributes))
                return found
        return ()

    def _inside(self, op: Op) -> tuple[Region, ...]:
        named = self.names(op)
        return (*op.regions, *[self._bodies[name] for name in named]) if named else op.regions

    def region(self, region: Region) -> bool:
        """Whether any op in it takes the token. Raises Rejected for functions that call each other in a cycle."""
        stack = [region]
        while stack:
            current = stack[-1]
            if self._regions.get(id(current)) is not None:
                stack.pop()
                continue
            again = id(current) in self._regions
            self._regions[id(current)] = None
            waiting = [r for op in current.ops for r in self._inside(op) if self._regions.get(id(r), None) is None]
            if waiting and again:
                raise Rejected("O8", "functions call each other in a cycle")
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            self._regions[id(current)] = any(self._judge(op, self._inside(op)) for op in current.ops)
        return bool(self._regions[id(region)])

    def _judge(self, op: Op, inside: tuple[Region, ...]) -> bool:
        if id(op) in self._dropped:
            return False
        if op.name in CUSTOM_CALLS:
            says = op.attribute("has_side_effect") or op.attribute("custom_call_has_side_effect")
            return not (says is None or says == Bool(False)) or calls_python(op)
        if op.name not in self._known:
            return True
        if not op.regions and op.attribute("effects") is not None:
            return True
        return any(self._regions[id(region)] for region in inside)
