"""Ops and regions of MLIR as ops and regions of the IR.

Promises every op with its full name, operands, results, attributes and regions, in order. A plain return becomes the
results of its region; one that has attributes of its own stays an op as well. ``stablehlo.constant`` becomes
``constant`` where its value is known in full. Refuses control flow between blocks and values used before they are
defined. Iterative: regions may nest as deep as the program has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from scanir.errors import ReadError
from scanir.ir.attrs import Array, Attr, Hidden, attributes
from scanir.ir.graph import Op, Region, Value
from scanir.ir.types import TensorType
from scanir.readers.stablehlo.attributes import Attributes
from scanir.readers.stablehlo.defaults import without_defaults
from scanir.readers.stablehlo.locations import Locations, value_name
from scanir.readers.stablehlo.types import Types

#: Terminators that hand on their operands and do nothing else.
RETURNS = frozenset(
    {"stablehlo.return", "func.return", "sdy.return", "mhlo.return", "mpmd.return", "chlo.return", "scf.yield",
     "tensor.yield", "shape.assuming_yield"}
)  # fmt: skip


@dataclass(slots=True, eq=False)
class _Frame:
    """A block being read: what is left of it, what has been read, and the op whose regions are being read."""

    left: Iterator[Any]
    params: tuple[Value, ...]
    ops: list[Op] = field(default_factory=list)
    results: tuple[Value, ...] = ()
    current: Any = None
    waiting: list[Any] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)


class Ops:
    """Reads the functions of one module."""

    def __init__(self, types: Types, attributes: Attributes, locations: Locations) -> None:
        self._types = types
        self._attributes = attributes
        self._locations = locations
        self._values: dict[Any, Value] = {}
        self._function = ""

    def region(self, mlir_region: Any, function: str) -> Region:
        """The body of the function of that name, with all regions in it."""
        self._values, self._function = {}, function
        where = f"function {function}"
        frames = [self._open(mlir_region, where, named=True)]
        while True:
            frame = frames[-1]
            if frame.waiting:
                frames.append(self._open(frame.waiting.pop(), f"{where}, {frame.current.name}"))
                continue
            if frame.current is not None:
                frame.ops.append(self._op(frame.current, tuple(frame.regions), where))
            if self._advance(frame, where):
                continue
            done = Region(frame.params, tuple(frame.ops), frame.results)
            frames.pop()
            if not frames:
                return done
            frames[-1].regions.append(done)

    def _open(self, mlir_region: Any, where: str, *, named: bool = False) -> _Frame:
        blocks = list(mlir_region.blocks)
        if len(blocks) > 1:
            raise ReadError(
                f"{len(blocks)} blocks in one region: control flow between blocks is not supported",
                where=where,
                hint="JAX lowers control flow to regions; was this module lowered further (to the cf dialect)?",
            )
        if not blocks:
            return _Frame(iter(()), ())
        params = []
        for argument in blocks[0].arguments:
            value = Value(self._types.read(argument.type), value_name(argument) if named else "")
            self._values[argument] = value
            params.append(value)
        # A list: the iterator of the bindings cannot be left and resumed.
        return _Frame(iter(list(blocks[0].operations)), tuple(params))

    def _advance(self, frame: _Frame, where: str) -> bool:
        """Go on to the next op that has regions, or to the end of the block (then False)."""
        frame.current, frame.regions = None, []
        for view in frame.left:
            mlir_op = view.operation
            if len(mlir_op.regions):
                frame.current, frame.waiting = mlir_op, list(mlir_op.regions)[::-1]
                return True
            if mlir_op.name in RETURNS:
                frame.results = self._operands(mlir_op, where)
                if not len(mlir_op.attributes):
                    continue
            frame.ops.append(self._op(mlir_op, (), where))
        return False

    def _op(self, mlir_op: Any, regions: tuple[Region, ...], where: str) -> Op:
        name = mlir_op.name
        if len(mlir_op.successors):
            raise ReadError(f"{name} goes to another block, which is not supported", where=where)
        operands = self._operands(mlir_op, where)
        results = []
        for result in mlir_op.results:
            value = self._values[result] = Value(self._types.read(result.type))
            results.append(value)
        fields = without_defaults(name, self._attributes.of(mlir_op))
        if name == "stablehlo.constant" and _is_constant(fields.get("value"), results):
            name = "constant"
        elif "." not in name:
            name = f"unregistered.{name}"  # what is called "while" in no dialect is no loop of ours
        location = self._locations.read(mlir_op.location, self._function)
        return Op(name, operands, tuple(results), attributes(fields), regions, (), location)

    def _operands(self, mlir_op: Any, where: str) -> tuple[Value, ...]:
        try:
            return tuple(self._values[operand] for operand in mlir_op.operands)
        except KeyError as error:
            raise ReadError(f"an operand of {mlir_op.name} is used before it is defined", where=where) from error


def _is_constant(value: Attr | None, results: list[Value]) -> bool:
    """Whether the value is of the result's own type (that of a quantized constant is of its storage type)."""
    type = results[0].type
    if not isinstance(type, TensorType):
        return False
    if isinstance(value, Array):
        return (value.dtype, value.shape) == (type.dtype, type.shape)
    return isinstance(value, Hidden)
