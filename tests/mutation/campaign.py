"""The campaign: mutants of one module after another, each compared with its module, suspects decided by execution."""

from __future__ import annotations

import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from scanir.certify.produce import Uncertified
from scanir.errors import ScanirError
from scanir.program import Program
from scanir.result import StageDiff, Verdict
from tests.mutation.execution import Interpreter, Ran
from tests.mutation.judge import EQUAL, Quick, answer, program_of
from tests.mutation.mutant import REPEATED, Mutant, chosen
from tests.mutation.sources import artifact

#: What can become of a mutant. ``wrong`` is a bug of scanir, ``undecided`` must be argued by hand.
#: ``not certified``: called equal, but the checker of certificates, where it runs, does not accept the answer.
OUTCOMES = (
    "told apart", "refused", "set aside by name", "equal in truth", "not certified", "undecided", "wrong", "crash",
)  # fmt: skip
#: Kinds that may give the very same graph, where what is exchanged is alike.
WIRING = frozenset(
    {
        "operand order", "operand rewired", "initial value", "result order", "result", "parameter order",
        "order of effects", "called computation", "called function",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Suspect:
    """A mutant that is called equal, or that broke scanir. ``argument``: why it is equal in truth, or what is wrong."""

    dialect: str
    source: str
    kind: str
    where: str
    outcome: str
    verdict: str
    argument: str


@dataclass(slots=True)
class Tally:
    """What became of the mutants of one module. ``blind``: why the module was not mutated."""

    dialect: str
    source: str
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    suspects: list[Suspect] = field(default_factory=list)
    blind: str = ""
    seconds: float = 0.0


def mutants_of(dialect: str, given: Any, random: Random) -> Iterator[Mutant]:
    """All mutants of an artifact."""
    from tests.mutation.hlo import hlo_mutants
    from tests.mutation.jaxpr import jaxpr_mutants
    from tests.mutation.stablehlo import stablehlo_mutants

    makers = {"hlo": hlo_mutants, "stablehlo": stablehlo_mutants, "jaxpr": jaxpr_mutants}
    yield from makers[dialect](given, random)


def attack(dialect: str, source: str, limit: int, seed: int, corpus: Path | None, interpreter: Interpreter) -> Tally:
    """Mutate one module at most ``limit`` times."""
    start, tally = time.perf_counter(), Tally(dialect, source)
    random = Random(f"{seed} {dialect} {source}")
    try:
        given = artifact(dialect, source, corpus)
        module = program_of(dialect, given)
        control = answer(module, program_of(dialect, given)).verdict
    except ScanirError as problem:
        tally.blind = f"cannot be read: {problem.what}"
        return tally
    if control is not Verdict.IDENTICAL:
        tally.blind = f"it is {control.value} to itself"
        return tally
    quick = Quick(module)
    for mutant in chosen(mutants_of(dialect, given, random), limit, random):
        outcome = _judged(tally, mutant, given, module, quick, interpreter)
        tally.counts[mutant.kind, outcome] += 1
    tally.seconds = time.perf_counter() - start
    return tally


def _judged(
    tally: Tally, mutant: Mutant, given: Any, module: Program, quick: Quick, interpreter: Interpreter
) -> str:  # fmt: skip
    try:
        other = mutant.make()
        try:
            program = program_of(tally.dialect, other)
        except ScanirError:
            return "refused"
        if not quick.may_be_equal(program):
            return "told apart"
        found = answer(module, program)
    except Uncertified as problem:
        said = Suspect(tally.dialect, tally.source, mutant.kind, mutant.where, "not certified", "", problem.what)
        tally.suspects.append(said)
        return "not certified"
    except Exception:  # noqa: BLE001 -- whatever it is, it is a finding
        where = traceback.format_exc(limit=-3)
        tally.suspects.append(Suspect(tally.dialect, tally.source, mutant.kind, mutant.where, "crash", "", where))
        return "crash"
    if found.verdict not in EQUAL:
        return "told apart"
    outcome, argument = _decided(tally.dialect, mutant, found, given, other, interpreter)
    if outcome != "set aside by name":
        said = f"{found.verdict.value} modulo {', '.join(use.rule for use in found.modulo) or 'nothing'}"
        tally.suspects.append(
            Suspect(tally.dialect, tally.source, mutant.kind, mutant.where, outcome, said, argument)
        )  # fmt: skip
    return outcome


def _decided(
    dialect: str, mutant: Mutant, found: StageDiff, given: Any, other: Any, interpreter: Interpreter
) -> tuple[str, str]:
    """What a mutant that is called equal is in truth, and why."""
    rules = {use.rule for use in found.modulo}
    if found.verdict is Verdict.IDENTICAL and mutant.dead and " constant" in mutant.where:
        return "equal in truth", "nothing reads the constant, and constants count as values"
    if found.verdict is Verdict.IDENTICAL and mutant.kind not in WIRING:
        return "wrong", "what is changed here is no noise"
    if mutant.aside and (mutant.aside in rules or mutant.aside == REPEATED):
        return "set aside by name", mutant.aside
    # A class that is not named was not needed: what says it is left out by the rules that are. Execution must agree.
    ran = _run(dialect, given, other, interpreter)
    match ran.outcome:
        case "unequal":
            return "wrong", f"results differ on input {ran.inputs + 1}"
        case "equal":
            more = "; nothing depends on the op" if mutant.dead else ""
            if mutant.aside:
                more = f"; what says the {mutant.aside.removeprefix('class:')} is left out"
            if found.verdict is Verdict.IDENTICAL:
                more = "; what is exchanged is alike, so that the graph is the same"
            return "equal in truth", f"results agree on {ran.inputs} inputs{more}"
        case _ if mutant.dead:
            return "equal in truth", f"nothing depends on the op; not run: {ran.detail}"
        case _:
            return "undecided", f"not run: {ran.detail}"


def _run(dialect: str, a: Any, b: Any, interpreter: Interpreter) -> Ran:
    if dialect == "jaxpr":
        from tests.mutation.jaxpr import run_both

        return run_both(a, b)
    return interpreter.compare(dialect, a, b)
