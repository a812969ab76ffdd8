"""One program brought to terms on its own, with all calls inlined: what the tables about loops and keys are read from.

Under the rules of a plain comparison, so that a loop has the number here that the report of a comparison gives it.
"""

from __future__ import annotations

from dataclasses import dataclass

from scanir.ir.types import TOKEN
from scanir.normalize.evaluate import BudgetExceeded
from scanir.normalize.rules import DEFAULT
from scanir.normalize.side import CallCycle, Settings, Side, bare, nan_bits_are_seen, normalize
from scanir.normalize.values import Table
from scanir.program import Program

#: Ops that may be evaluated, inlined calls included: as many as the report of a comparison allows itself.
ALONE_BUDGET = 300_000


@dataclass(frozen=True, slots=True)
class Alone:
    """A normalized program and the table of its canonical terms."""

    table: Table
    side: Side


def alone(program: Program, keep: frozenset[str] = frozenset()) -> Alone | str:
    """The program in terms; a sentence that says why where it has none. ``keep``: functions that stay calls."""
    table = Table()
    constants = dict(program.interface.constants)
    inputs = []
    for position, param in enumerate(program.module.function(program.module.entry).body.params):
        if position in constants:
            inputs.append(table.intern("const", (constants[position], param.type)))
        elif param.type == TOKEN:
            inputs.append(table.intern("in", ("token argument", position)))
        else:
            inputs.append(table.intern("in", (program.interface.kept[position], bare(param.type))))
    settings = Settings(keep=keep, exact_nans=nan_bits_are_seen(program), budget=ALONE_BUDGET)
    try:
        side = normalize(program, "a", DEFAULT - {"constant-argument"}, table, tuple(inputs), settings)
    except BudgetExceeded:
        return f"with its calls inlined the program has more than {ALONE_BUDGET} ops"
    except CallCycle as problem:
        return problem.what
    return Alone(table, side)
