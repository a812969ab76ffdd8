"""Values in a person's words: the name of an argument, the digits of a constant, a slot of a loop, else ``%12 (mul)``.

Calls of functions that are called once are looked through, and so are HLO's tuples.
"""

from __future__ import annotations

from scanir.compare.attributes import constant_text
from scanir.facts.places import Places
from scanir.ir.attrs import Int
from scanir.ir.graph import Op, Value
from scanir.ir.structure import BranchView, CallView, LoopView, label, view

ELEMENTS = frozenset({"get-tuple-element", "stablehlo.get_tuple_element"})
#: Calls, tuples and branches that are looked through for one name.
FURTHEST = 40


class Values:
    """Describes the values of a program. ``through``: ops of one operand that are looked through."""

    def __init__(self, places: Places, through: frozenset[str] = frozenset()) -> None:
        self._places, self._through = places, through
        self._entry = places.program.module.entry

    def name(self, value: Value, here: str = "") -> str:
        """The name that ``scanir show`` prints, with its function unless that is ``here`` (else the entry)."""
        name = self._places.names.get(value, "%?")
        function = self._places.homes.get(value, "")
        return name if function in ("", here or self._entry) else f"@{function}/{name}"

    def maker(self, value: Value) -> Op | None:
        """The op that a value is a result of."""
        made = self._places.makers.get(value)
        return None if made is None else made[0].op

    def describe(self, value: Value, *elements: int, here: str = "") -> str:
        """What a value is: ``dtau``, ``0.01``, ``slot 2``, ``%12 (mul)``. ``elements``: the element of a tuple, the
        outermost first; ``here``: the function whose names need no function."""
        taken: list[int] = [*reversed(elements)]
        for _ in range(FURTHEST):
            made = self._places.makers.get(value)
            if made is None:
                text, source = self._parameter(value, taken, here)
            else:
                text, source = self._result(value, made[0].op, made[1], taken, here)
            if source is None:
                return text
            value = source
        return self.name(value, here)

    def _result(self, value: Value, op: Op, k: int, taken: list[int], here: str) -> tuple[str, Value | None]:
        """Words for a result of an op, or the value that it is."""
        if op.name == "constant":
            return constant_text(op.attribute("value")), None
        index = op.attribute("index")
        if op.name in ELEMENTS and op.operands and isinstance(index, Int):
            taken.append(index.value)
            return "", op.operands[0]
        if op.name.endswith("tuple") and taken and taken[-1] < len(op.operands):
            return "", op.operands[taken.pop()]
        if op.name in self._through and op.operands:
            return "", op.operands[0]
        which = f", result {taken[-1] if taken else k}" if len(op.results) > 1 or taken else ""
        return f"{self.name(value, here)} ({label(op)}{which})", None

    def _parameter(self, value: Value, taken: list[int], here: str) -> tuple[str, Value | None]:
        bound = self._places.bound.get(value)
        if bound is None:
            return self.name(value, here), None
        frame, index = bound.frame, bound.index
        if frame.is_body:
            return self._argument(value, frame.function, index, here)
        assert frame.parent is not None
        op = frame.parent.op
        match view(op):
            case LoopView() as loop:
                if index >= len(loop.inits):
                    return f"element of {self.describe(loop.xs[index - len(loop.inits)], here=here)}", None
                return f"slot {taken[-1] if taken else index} of {label(op)}", None
            case BranchView() as branch if frame.index < len(branch.arguments):
                return "", branch.arguments[frame.index][index]
            case _:
                return f"parameter {index} of a region of {label(op)}", None

    def _argument(self, value: Value, function: str, index: int, here: str) -> tuple[str, Value | None]:
        if function == self._entry:
            return self.argument(index), None
        calls = self._places.calls.get(function, [])
        if len(calls) == 1 and isinstance(view(calls[0].op), CallView) and index < len(calls[0].op.operands):
            return "", calls[0].op.operands[index]
        return f"{self.name(value, here)} (argument {index})", None

    def argument(self, index: int) -> str:
        """What parameter ``index`` of the program is called."""
        interface = self._places.program.interface
        number = interface.kept[index] if index < len(interface.kept) else -1
        if 0 <= number < len(interface.arguments):
            return interface.arguments[number].name
        if index in dict(interface.constants):
            return f"%{index} (a constant that JAX passes as an argument)"
        return f"%{index} (argument {index})"
