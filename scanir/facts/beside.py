"""What the tables say beside a verdict, where both sides do not say the same (donation, constants, effects, keys), and
what compiled sides cost.

Nothing here decides anything: the facts are added to an answer that is given already. Promises none for programs that
are IDENTICAL, and at most `ROWS` lines of one kind a side; ``scanir show`` has the whole tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scanir.costs.count import Costs
from scanir.facts.constants import ConstantRow, constants
from scanir.facts.effects import EffectRow, effects
from scanir.facts.interface import AliasRow, aliasing
from scanir.facts.keys import DrawRow, KeyTable, keys
from scanir.facts.places import Places
from scanir.ir.structure import LoopView, view
from scanir.ir.walk import ops_of
from scanir.normalize.trips import declared_trips
from scanir.program import Program
from scanir.result import Fact, SideCost, StageDiff, Verdict

#: Lines of one kind that a side has in a report.
ROWS = 8
#: Bytes over which a constant is more than a number or two.
LARGE = 64


def with_tables(answer: StageDiff, a: Program, b: Program) -> StageDiff:
    """The answer with the facts that the tables add."""
    if answer.verdict is Verdict.IDENTICAL:
        return answer
    places = Places.build(a), Places.build(b)
    found = _contrast("aliasing", *([_alias(row) for row in aliasing(side).rows] for side in places), none="nothing")
    if answer.verdict is not Verdict.EQUIVALENT:
        found += _constants(*places)
        lists = [[_effect(row) for row in effects(side).rows] for side in places]
        found += _contrast("effects, in order", *lists, none="none")
        if answer.verdict is Verdict.INCONCLUSIVE and not found:
            found += _both("effects, in order", lists[0])
        found += _keys(*(keys(side) for side in places))
    return replace(answer, facts=(*answer.facts, *found), costs=_costs(a, b))


def _costs(a: Program, b: Program) -> tuple[SideCost, SideCost] | None:
    """What the sides cost, where they are compiled."""
    return None if a.stage != "hlo" else (_cost(a), _cost(b))


def _cost(program: Program) -> SideCost:
    module = program.module
    whiles = [op for function in module.functions for op in ops_of(function.body) if isinstance(view(op), LoopView)]
    trips = {id(op): declared for op in whiles if (declared := declared_trips(op)) not in (None, -1)}
    # The size of the machine code is another one in each place that a program is compiled in.
    sizes = tuple((kind, size) for kind, size in program.sizes if kind != "code")
    return SideCost(Costs(module, trips).function(module.entry), sizes)


def _contrast(kind: str, left: Sequence[str], right: Sequence[str], *, none: str) -> list[Fact]:
    """Both lists in full, where they differ; what is there on one side only is no list of ours to shorten further."""
    if list(left) == list(right):
        return []
    return [Fact(kind, side, text) for side, rows in (("a", left), ("b", right)) for text in _cut(rows, none)]


def _both(kind: str, rows: Sequence[str]) -> list[Fact]:
    return [Fact(kind, "", text) for text in _cut(rows, "none")] if rows else []


def _cut(rows: Sequence[str], none: str) -> list[str]:
    more = [f"and {len(rows) - ROWS} more, in scanir show"] if len(rows) > ROWS else []
    return [*rows[:ROWS], *more] or [none]


def _alias(row: AliasRow) -> str:
    """``p f32[3], 12 bytes: output 0 takes its memory``."""
    size = "" if row.bytes is None else f", {row.bytes:,} bytes"
    what = {
        "aliased": f"output {row.output} takes its memory",
        "offered": "the compiler may take its memory",
        "wanted": "donated; which output takes its memory is decided below",
        "unused": "donated, but no output takes its memory",
    }[row.state]
    return f"{row.argument} {row.type}{size}: {what}"


def _constants(a: Places, b: Places) -> list[Fact]:
    """Constants that one side alone holds, by digest."""
    tables = [constants(side, LARGE).rows for side in (a, b)]
    digests = [{row.digest for row in rows} for rows in tables]
    alone = [[_constant(row) for row in rows if row.digest not in digests[1 - k]] for k, rows in enumerate(tables)]
    return [
        Fact("constants of one side alone", side, text)
        for side, rows in zip("ab", alone, strict=True)
        if rows
        for text in _cut(rows, "")
    ]


def _constant(row: ConstantRow) -> str:
    """``f32[64], 256 bytes, sha256 1a2b3c4d (iota): enters main/add``."""
    looks = f" ({row.looks})" if row.looks else ""
    hidden = "value not shown" if row.elided else f"sha256 {row.digest[:8]}{looks}"
    enters = ", ".join(row.enters[:2]) + (f" and {row.uses - 2} more" if row.uses > 2 else "")
    return f"{row.type}, {row.bytes:,} bytes, {hidden}: enters {enters or 'the results'}"


def _effect(row: EffectRow) -> str:
    """``debug_print "b {}" (print, ordered) in main/scan``."""
    parts = [row.op, row.what]
    if row.function is not None:
        function = row.function
        parts.append(
            f"number {function.number}"
            if function.number is not None
            else f"{function.name} (code {function.digest[:8]})"
        )
    ordered = {True: ", ordered", False: ", in no order", None: ""}[row.ordered]
    inside = f" in {'/'.join(row.inside)}" if row.inside else ""
    return f"{' '.join(part for part in parts if part)} ({row.kind}{ordered}){inside}"


def _keys(left: KeyTable, right: KeyTable) -> list[Fact]:
    found = _contrast("random draws", *([_draw(row) for row in table.rows] for table in (left, right)), none="none")
    for side, table in (("a", left), ("b", right)):
        for warning in table.warnings[:ROWS]:
            again = f"in each trip of {warning.loop}" if warning.loop else f"at {warning.second}"
            found.append(
                Fact("random draws", side, f"one key is used again {again}, and gives the same numbers: {warning.key}")
            )
    return found


def _draw(row: DrawRow) -> str:
    """``random_bits u32[3] from split(key, 4)[i]; ...``."""
    note = f"; {row.note}" if row.note else ""
    return f"{row.op} {row.type} from {row.key or 'a state of its own'}{note}"
