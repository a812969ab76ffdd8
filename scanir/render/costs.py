"""What two programs cost, side by side, and what the loops of each copy."""

from __future__ import annotations

from scanir.cost import Cost
from scanir.render.words import NAMED, clean, count, listed, short_place
from scanir.result import CopyFact, LoopSide, SideCost

#: Carries of a loop whose copies are listed.
COPIES = 6


def copies(side: LoopSide) -> list[str]:
    """``2 copies a trip, 128 bytes: f32[4,4] 2x``, or a line below for each carry; empty where there are none."""
    if not side.copies:
        return []
    noun = "copy" if side.copies == 1 else "copies"
    head = f"{side.copies} {noun} a trip, {side.copied_bytes:,} bytes"
    if not side.copy_facts:
        return [f"{head}: {listed(side.copied)}"]
    more = len(side.copy_facts) - COPIES
    rest = [f"  and of {count(more, 'carry' if more == 1 else 'carrie')}"] if more > 0 else []
    return [head, *(f"  {_copied(fact)}" for fact in side.copy_facts[:COPIES]), *rest]


def _copied(fact: CopyFact) -> str:
    """``carry 2 w: f32[1024] 2x, 8,192 bytes, model.py:11``."""
    start = clean(fact.start) if len(fact.start) <= NAMED else ""
    what = "of no carry" if fact.slot is None else f"carry {fact.slot} {start}".rstrip()
    times = f" {fact.count}x" if fact.count > 1 else ""
    size = "" if fact.bytes is None else f", {fact.bytes * fact.count:,} bytes"
    where = f", {clean(short_place(fact.file))}:{fact.line}" if fact.file else ""
    return f"{what}: {clean(fact.type)}{times}{size}{where}"


def trip_cost(cost: Cost | None) -> str:
    """``a trip: 13 ops, 514 flops, 7,513 bytes``; empty where the loop is not compiled."""
    if cost is None:
        return ""
    parts = [count(cost.ops, "op"), f"{cost.flops + cost.transcendentals:,} flops", f"{cost.bytes:,} bytes"]
    parts += [count(cost.collectives, "collective")] if cost.collectives else []
    parts += [count(cost.callbacks, "host callback")] if cost.callbacks else []
    return f"a trip: {', '.join(parts)}{' and more: a loop inside counts once' if cost.dynamic else ''}"


def cost_rows(costs: tuple[SideCost, SideCost]) -> tuple[list[tuple[str, ...]], str]:
    """The costs that differ, as name, both sides and their ratio; and those that do not in one line."""
    left, right = ({**_counts(side), **dict(_sizes(side))} for side in costs)
    rows: list[tuple[str, ...]] = []
    same: list[str] = []
    for name in dict.fromkeys((*left, *right)):
        x, y = left.get(name), right.get(name)
        if x == y:
            same += [f"{name} {x:,}"] if x else []
            continue
        ratio = f"{y / x:.2f}x" if x and y else ""
        rows.append((name, *("-" if n is None else f"{n:,}" for n in (x, y)), ratio))
    return rows, ", ".join(same)


def _counts(side: SideCost) -> dict[str, int]:
    total = side.total
    return {
        "instructions": total.ops, "fusions": total.fusions, "flops": total.flops,
        "transcendentals": total.transcendentals, "bytes accessed": total.bytes, "copies": total.copies,
        "bytes copied": total.copied_bytes, "collectives": total.collectives, "host callbacks": total.callbacks,
    }  # fmt: skip


def _sizes(side: SideCost) -> list[tuple[str, int]]:
    return [(f"{kind} bytes", size) for kind, size in side.sizes if kind in ("argument", "output", "temp")]
