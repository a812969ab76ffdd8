"""What scanir says of a module and its mutant: programs from artifacts, a fast refusal, and the full answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from scanir.compare.interface import compare_interfaces
from scanir.compare.isomorphism import Isomorphism
from scanir.compare.pairing import pair_arguments
from scanir.compare.proof import Prover
from scanir.compare.verdict import compare
from scanir.ir.graph import Module
from scanir.ir.types import TOKEN
from scanir.normalize.evaluate import BudgetExceeded
from scanir.normalize.rules import DEFAULT
from scanir.normalize.side import CallCycle, Settings, bare, nan_bits_are_seen, normalize
from scanir.normalize.values import Table
from scanir.program import Program
from scanir.result import StageDiff, Verdict
from scanir.targets.artifact import interface_of

EQUAL = (Verdict.IDENTICAL, Verdict.EQUIVALENT)


def program_of(dialect: str, artifact: Any) -> Program:
    """An artifact as the command line reads it. Raises ScanirError."""
    from scanir.readers.hlo import read_hlo
    from scanir.readers.jaxpr import read_jaxpr
    from scanir.readers.stablehlo import read_stablehlo

    read = {"hlo": read_hlo, "stablehlo": read_stablehlo, "jaxpr": read_jaxpr}[dialect]
    module: Module = read(artifact)
    return Program(module.dialect, module, interface_of(module))


def may_be_equal(a: Program, b: Program) -> bool:
    """False only where `compare` answers DIFFERENT or INCONCLUSIVE: nothing is told of why, so it is quick.

    `compare` says IDENTICAL only for an isomorphism, and EQUIVALENT only for an attempt that holds under all rules
    while the interfaces agree; a test holds it to that.
    """
    pairing = pair_arguments(a, b)
    interface = compare_interfaces(a, b, pairing)
    try:
        if Isomorphism(a, b).holds():
            return True
        if interface.semantic:
            return False
        prover = Prover(a, b, pairing, interface, settled=False, exact_nans=nan_bits_are_seen(a, b))
        return prover.attempt(DEFAULT).holds
    except (BudgetExceeded, CallCycle):
        return False


class Quick:
    """`may_be_equal` for many mutants of one module, which is normalized once: all calls inlined, every rule on."""

    def __init__(self, module: Program) -> None:
        self._module, self._table = module, Table()
        self._known: dict[bool, list[int]] = {}

    def may_be_equal(self, other: Program) -> bool:
        """False only where `compare` answers DIFFERENT or INCONCLUSIVE."""
        ours, theirs = self._module.interface, other.interface
        if ours.kept != theirs.kept or ours.constants or theirs.constants:
            return may_be_equal(self._module, other)
        exact = nan_bits_are_seen(self._module, other)
        try:
            if exact not in self._known:
                self._known[exact] = self._results(self._module, "a", exact)
            results = self._results(other, "b", exact)
        except (BudgetExceeded, CallCycle):
            return may_be_equal(self._module, other)
        if len(results) != len(self._known[exact]):  # one side may return some of its arguments besides
            return may_be_equal(self._module, other)
        return results == self._known[exact]

    def _results(self, program: Program, side: str, exact: bool) -> list[int]:
        """Canonical ids of the results and the last token, an outermost tuple taken apart."""
        table, params = self._table, program.module.function(program.module.entry).body.params
        inputs = tuple(
            table.intern("in", ("token argument", k) if param.type == TOKEN else (k, bare(param.type)))
            for k, param in enumerate(params)
        )
        settings = Settings(exact_nans=exact, keep=frozenset())
        *results, token = normalize(program, side, DEFAULT, table, inputs, settings).results
        if len(results) == 1 and table.kind(results[0]) == "tuple":
            results = list(table.children(results[0]))
        return [*results, token]


def answer(a: Program, b: Program) -> StageDiff:
    """The whole answer under the default rules."""
    return compare(replace(a, label="module"), replace(b, label="mutant"), DEFAULT)
