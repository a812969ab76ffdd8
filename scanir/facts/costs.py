"""What a program costs, and each of its loops a trip at a time: a table over `scanir.costs`."""

from __future__ import annotations

from dataclasses import dataclass

from scanir.cost import Cost
from scanir.costs.count import Costs
from scanir.facts.loops import loops_with_ops
from scanir.facts.places import Places


@dataclass(frozen=True, slots=True)
class LoopCost:
    """A loop's ``number`` in reports (None: none), its path, and what one trip costs, condition included."""

    number: int | None
    path: str
    trips: int | None
    trip: Cost


@dataclass(frozen=True, slots=True)
class CostTable:
    """``total`` of the program; ``loops`` in the order of the table of loops; ``loop_ops``: ops inside of any loop."""

    total: Cost
    loops: tuple[LoopCost, ...]
    loop_ops: int


def costs(places: Places) -> CostTable:
    """The costs of a program and of each of its loops."""
    table, ops = loops_with_ops(places)
    trips = {id(op): row.trips for row, op in zip(table.rows, ops, strict=True)}
    count = Costs(places.program.module, trips)
    total = count.function(places.program.module.entry)
    found = tuple(
        LoopCost(row.number, row.path, row.trips, count.trip(op)) for row, op in zip(table.rows, ops, strict=True)
    )
    return CostTable(total, found, count.loop_ops())
