"""Laws about scans: what one takes apart and puts together again, and what it takes from copies of one value.

Side conditions are read off the module itself, so that the checker of certificates can see them without a search: where
a value comes from is looked for in its own region and in calls there, which hand values on. A scan says how long it is,
and what it takes apart and what it stacks must be just as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scanir.ir.attrs import Int, Opaque, Seq
from scanir.ir.graph import Op, Region, Value
from scanir.ir.structure import CallView, LoopView, view
from scanir.ir.types import TensorType, Type
from scanir.normalize.identities import permutation

if TYPE_CHECKING:
    from scanir.normalize.evaluate import Evaluator

RULE = "stacking"


class Stacking:
    """The laws, for one evaluation."""

    def __init__(self, run: Evaluator) -> None:
        self._run = run
        #: Region -> value -> (number of the parameter, None) or (number of the result, its op).
        self._places: dict[int, dict[Value, tuple[int, Op | None]]] = {}

    def again(self, loop: LoopView, result: Value, k: int, y: int) -> int | None:
        """Which scanned input the scan stacks again as its ys ``k``, whose term of each trip is ``y``.

        Elements of a scanned input, stacked as they are, are that input, forwards and backwards: each is put where it
        was. None where it is not one, or not of this type and length.
        """
        first = len(loop.inits)
        if RULE not in self._run.rules or self._run.table.kind(y) != "elem" or not _whole(loop, result.type):
            return None
        value, made = self._source(loop.body, loop.body.results[first + k])
        place, op = self._of(loop.body).get(value, (-1, None))  # -1: an element of a scan around this one, say
        if made is not None or op is not None or place < first:
            return None
        return place - first if loop.xs[place - first].type == result.type else None

    def repeated(self, region: Region, loop: LoopView, x: int, term: int) -> int | None:
        """The one value that all elements of scanned input ``x`` are; ``region`` is around the loop.

        An element of stacked copies of a value is the value: of a scan that stacks what no trip changes and what it
        does not compute itself, or of a broadcast along the scanned dimension. None where it is not known to be one.
        """
        table, scanned = self._run.table, loop.xs[x]
        kind = table.kind(term)
        if RULE not in self._run.rules or kind not in ("ys", "op") or not _whole(loop, scanned.type):
            return None
        value, made = self._source(region, scanned)
        param = loop.body.params[len(loop.inits) + x].type
        if made is None:
            return None
        if kind == "op":
            fits = made.name == "broadcast_in_dim" and made.operands[0].type == param and repeats(made, value.type)
            return table.children(term)[0] if fits and table.payload(term)[0] == made.name else None
        maker, (y, owner) = view(made), self._run.state.ys[term]
        if not isinstance(maker, LoopView) or not _whole(maker, value.type) or table.free[y] >> owner.depth & 1:
            return None
        stacked = maker.body.results[made.results.index(value)]
        inside = self._source(maker.body, stacked)[1]
        return y if stacked.type == param and (inside is None or inside.name == "constant") else None

    def _source(self, region: Region, value: Value) -> tuple[Value, Op | None]:
        """Where a value of a region comes from, seen through calls, and the op that makes it there; no op where it is
        a parameter of the region or stands outside."""
        around: list[tuple[Region, tuple[Value, ...]]] = []
        while True:
            place, op = self._of(region).get(value, (-1, None))
            if op is None:
                if not around or place < 0:
                    return value, None
                region, arguments = around.pop()
                value = arguments[place]
                continue
            call = view(op)
            if not isinstance(call, CallView) or call.callee in self._run.kept:
                return value, op
            around.append((region, call.arguments))
            region = self._run.functions[call.callee].body
            value = region.results[place]

    def _of(self, region: Region) -> dict[Value, tuple[int, Op | None]]:
        found = self._places.get(id(region))
        if found is None:
            found = {param: (k, None) for k, param in enumerate(region.params)}
            found |= {result: (k, op) for op in region.ops for k, result in enumerate(op.results)}
            self._places[id(region)] = found
        return found


def _whole(loop: LoopView, type: Type) -> bool:
    """Whether a scanned or stacked value has an element for each trip and no more."""
    return loop.length is not None and isinstance(type, TensorType) and type.shape[:1] == (loop.length,)


def repeats(op: Op, type: Type) -> bool:
    """Whether a broadcast repeats its operand along the first dimension, and no attribute says anything else."""
    said = {name: value for name, value in op.attributes if name != "ctx" and value != Opaque("none", "")}
    if not isinstance(type, TensorType) or not all(isinstance(dim, int) for dim in type.shape):
        return False
    shape = Seq(tuple(Int(dim) for dim in type.shape if isinstance(dim, int)))
    return (
        permutation(said.get("broadcast_dimensions")) == tuple(range(1, len(type.shape)))
        and said.get("shape", shape) == shape
        and said.keys() <= {"broadcast_dimensions", "shape"}
    )
