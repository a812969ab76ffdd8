"""The search for a proof, where programs are not one graph: equivalent modulo a minimal set of rules, different, or not
to be decided; and what is to be said of loops."""

from __future__ import annotations

from dataclasses import replace

from scanir.compare.attributes import constant_text
from scanir.compare.describe import Describer
from scanir.compare.facts import facts
from scanir.compare.interface import InterfaceDifference
from scanir.compare.loops import compare_loops
from scanir.compare.mismatch import Origins, exchanged_places, first_mismatch
from scanir.compare.pairing import Pairing
from scanir.compare.profile import profile, use
from scanir.compare.proof import Proof, Prover, candidates, one_sided
from scanir.compare.provenance import differences, told
from scanir.compare.verdict import has_loops, notes
from scanir.ir.graph import Location
from scanir.ir.verify import entry_is_assumed, problems
from scanir.normalize.evaluate import BudgetExceeded
from scanir.normalize.rules import DEFAULT, HARMLESS, PROVENANCE, RULES
from scanir.normalize.side import CallCycle, Side, nan_bits_are_seen
from scanir.program import Program
from scanir.result import Binding, LoopDiff, Mismatch, RuleUse, StageDiff, Verdict

NONE: frozenset[str] = frozenset()


class Search:
    """The answer about two programs, given how their arguments are paired and what differs outside their graphs."""

    def __init__(
        self, a: Program, b: Program, rules: frozenset[str], pairing: Pairing, interface: InterfaceDifference, *,
        settled: bool,
    ) -> None:  # fmt: skip
        self._a, self._b, self._rules = a, b, rules
        self._pairing, self._interface = pairing, interface
        self._renamed: tuple[tuple[str, str], ...] = ()
        self._prover = Prover(a, b, pairing, interface, settled=settled, exact_nans=nan_bits_are_seen(a, b))

    def identical(self, renamed: tuple[tuple[str, str], ...]) -> StageDiff:
        """The answer about one graph, with what there is to say of its loops."""
        self._renamed = renamed
        return self._answer(Verdict.IDENTICAL, None)

    def run(self) -> StageDiff:
        """The answer about two graphs."""
        try:
            return self._run()
        except (BudgetExceeded, CallCycle) as problem:
            reason = "inlining calls exceeds the budget" if isinstance(problem, BudgetExceeded) else problem.what
            return self._answer(Verdict.INCONCLUSIVE, None, reasons=(f"{reason}; compare the callees themselves",))

    def _run(self) -> StageDiff:
        proof = self._prover.attempt(self._rules)
        if self._interface.semantic:
            return self._different(proof, tuple(self._interface.semantic))
        if proof.holds:
            self._prover.prepare((one_sided(proof) - {"commutative"}) & proof.rules, proof)
        if self._terms_alone():
            proof = self._prover.attempt(self._rules)
        if proof.holds:
            return self._equivalent(self._minimal(proof))
        return self._not_proved(proof)

    def _terms_alone(self) -> bool:
        """Terms that agree without any rule while the graphs do not: then it is sharing (or packing) that differs."""
        bare = self._prover.attempt(NONE)
        if not bare.holds:
            return False
        packing = {"tuple", "get-tuple-element", "stablehlo.tuple", "stablehlo.get_tuple_element"}
        counts = [
            sum(op.name in packing for function in program.module.functions for op in function.body.ops)
            for program in (self._a, self._b)
        ]
        rule = "tuples" if counts[0] != counts[1] else "cse"
        self._prover.catch_all = RuleUse(rule, max(1, abs(counts[0] - counts[1])), (self._a.module.entry,))
        return True

    def _minimal(self, proof: Proof) -> Proof:
        """A proof from which no rule can be taken away; rules are tried in the fixed order of the table."""
        keep, smaller = proof.rules, proof
        # The fewest first: what one side alone needed (exchanged operands are logged where nothing rests on them), then
        # what the sides rest on outside the terms, then all in use.
        one = one_sided(proof)
        for guess in dict.fromkeys((one - {"commutative"}, one, frozenset(proof.uses), candidates(proof))):
            attempt = self._prover.attempt(guess & proof.rules)
            if attempt.holds:
                keep, smaller = attempt.rules, attempt
                break
        order = [rule for rule in (*RULES, HARMLESS) if rule in keep]
        at_once = True
        while order:
            rule = order.pop(0)
            attempt = self._prover.attempt(keep - {rule})
            if not attempt.holds:
                continue
            keep, smaller = keep - {rule}, attempt
            # One that can be spared says that the candidates are too many: often all that is left can be.
            if at_once and len(order) > 1 and (rest := self._prover.attempt(keep - set(order))).holds:
                return rest
            at_once = False
        return smaller

    def _equivalent(self, proof: Proof) -> StageDiff:
        """The verdict of a proof that holds; a module that contradicts itself proves nothing."""
        for program in (self._a, self._b):
            for problem in problems(program.module)[:1]:
                reason = f"{program.label or program.module.name} contradicts itself in {problem.where}: {problem.what}"
                return self._answer(Verdict.INCONCLUSIVE, proof, reasons=(f"{reason}; dump it again",))
            if entry_is_assumed(program.module):
                reason = (
                    f"{program.label or program.module.name} marks no computation as ENTRY, and several could be it"
                )
                return self._answer(Verdict.INCONCLUSIVE, proof, reasons=(f"{reason}; mark the one that is",))
        used = proof.used()
        if "commutative" in proof.rules and (places := self._exchanges()):
            used["commutative"] = use("commutative", places)
        if HARMLESS in proof.rules:
            found = used.get(PROVENANCE, RuleUse(PROVENANCE, 0))
            settings = used.get(HARMLESS, RuleUse(PROVENANCE, 0))
            used[PROVENANCE] = RuleUse(PROVENANCE, found.count + settings.count, (*found.where, *settings.where)[:4])
        modulo = tuple(used.get(rule, RuleUse(rule, 1)) for rule in RULES if rule in _named(proof.rules))
        return self._answer(Verdict.EQUIVALENT, proof, modulo=modulo)

    def _not_proved(self, proof: Proof) -> StageDiff:
        hidden = _hidden(proof)
        if hidden and self._prover.attempt(self._rules, guess=True).holds:
            reasons = tuple(f"{what} ({count} times): {remedy}" for what, (count, remedy) in sorted(hidden.items()))
            return self._answer(Verdict.INCONCLUSIVE, proof, reasons=reasons)
        if self._prover.budget_hit:
            reason = "inlining calls exceeds the budget; compare the callees themselves"
            return self._answer(Verdict.INCONCLUSIVE, proof, reasons=(reason,), mismatch=self._mismatch(proof))
        return self._different(proof, ())

    def _different(self, proof: Proof, reasons: tuple[str, ...]) -> StageDiff:
        if not reasons:
            reasons = self._forbidden()
        mismatch = None if proof.equal else self._mismatch(proof)
        if mismatch is None and not reasons:
            reasons = ("no proof of equality within the rules",)
        return self._answer(Verdict.DIFFERENT, proof, reasons=reasons, mismatch=mismatch)

    def _forbidden(self) -> tuple[str, ...]:
        """The rules under which the programs would be equal, where these are forbidden."""
        more = DEFAULT | {name for name in (PROVENANCE,) if name in self._interface.classes}
        if self._rules >= more:
            return ()
        allowed = self._prover.attempt(self._rules | more)
        if not allowed.holds:
            return ()
        missing = sorted(_named(self._minimal(allowed).rules - self._rules))
        return (f"EQUIVALENT if allowed: {', '.join(missing)}",)

    def _describers(self) -> tuple[Describer, Describer]:
        left, right = (
            Describer(
                self._prover.table,
                {self._pairing.index(side, k): argument for k, argument in enumerate(program.interface.arguments)},
            )
            for side, program in (("a", self._a), ("b", self._b))
        )
        return left, right

    def _mismatch(self, proof: Proof) -> Mismatch | None:
        """The first mismatch, looked for with operands and slots in written order, which people recognize."""
        written = self._prover.explain(self._rules - {"commutative", "carry-order"})
        for sides in (written, proof.sides):
            if sides is not None:
                found = first_mismatch(self._prover.table, sides, self._describers(), _origins(sides))
                if found is not None:
                    return found
        return None

    def _exchanges(self) -> list[str]:
        """Where operands stand in another order."""
        written = self._prover.explain(self._rules - {"commutative"})
        if written is None:
            return []
        return exchanged_places(self._prover.table, written, self._describers(), _origins(written))

    def _answer(
        self, verdict: Verdict, proof: Proof | None, *, modulo: tuple[RuleUse, ...] = (), reasons: tuple[str, ...] = (),
        mismatch: Mismatch | None = None,
    ) -> StageDiff:  # fmt: skip
        describers = self._describers()
        bindings: tuple[Binding, ...] = ()
        if proof is not None and proof.equal:
            bindings = tuple(
                Binding(
                    side,
                    self._program(side).interface.arguments[index].name,
                    constant_text(self._prover.table.payload(term)[0]),
                    index,
                    self._prover.table.payload(term)[0],
                )
                for (side, index), term in sorted(proof.bindings.items())
            )
        loops = (
            self._loops(proof, describers, identical=verdict is Verdict.IDENTICAL)
            if has_loops(self._a, self._b)
            else ()
        )
        return StageDiff(
            stage=self._a.stage,
            verdict=verdict,
            modulo=modulo,
            bindings=bindings,
            forwarded_outputs=() if proof is None or not proof.equal else proof.forwarded,
            reasons=reasons,
            assumptions=() if proof is None or verdict is not Verdict.EQUIVALENT else assumptions(proof),
            loops=loops,
            mismatch=mismatch,
            facts=facts(
                self._a,
                self._b,
                verdict,
                self._results(proof),
                self._renamed,
                forwarded=proof is not None and proof.equal,
            ),
            provenance=tuple(told(*fact) for fact in differences(self._a, self._b)),
            notes=notes(self._a, self._b),
        )

    def _results(self, proof: Proof | None) -> tuple[list[int], list[int]] | None:
        if proof is None:
            return None
        left, right = (self._prover.flat(side)[:-1] for side in proof.sides)
        return left, right

    def _loops(
        self, proof: Proof | None, describers: tuple[Describer, Describer], *, identical: bool
    ) -> tuple[LoopDiff, ...]:
        """The pairs of loops, with calls inlined and the holes as the unbound programs fill them."""
        try:
            sides = self._prover.explain(DEFAULT if identical else self._rules) or (
                None if proof is None else proof.sides
            )
        except CallCycle:  # without a closed form there is nothing to tell of loops
            return ()
        if sides is None:
            return ()
        loops = compare_loops(self._prover.table, sides, describers, identical=identical)
        if proof is None or not proof.holds:
            return loops
        # What holds for the programs holds for their loops: under the bindings, or as the lemmas show.
        return tuple(replace(loop, verdict="EQUIVALENT") if loop.verdict == "SAME-BODY" else loop for loop in loops)

    def _program(self, side: str) -> Program:
        return self._a if side == "a" else self._b


def _named(rules: frozenset[str]) -> frozenset[str]:
    """Rules by the names that people know."""
    return frozenset(PROVENANCE if rule == HARMLESS else rule for rule in rules)


def _hidden(proof: Proof) -> dict[str, tuple[int, str]]:
    """What either side hides: kind -> (how many, the remedy). A host function that both have hides nothing."""
    left, right = (side.evaluator.eraser.functions for side in proof.sides)
    return {
        what: entry
        for side in proof.sides
        for what, entry in side.hidden.items()
        if what not in left or left[what] != right.get(what)
    }


def _origins(sides: tuple[Side, Side]) -> Origins:
    """For each side: term -> path and line of an op that computes it."""
    left, right = (
        {term: (path, line(found.lines.get(term))) for term, (_, path) in found.ops.items()}
        for found in map(profile, sides)
    )
    return left, right


def line(location: Location | None) -> str:
    """``file:line`` of a location, empty where unknown."""
    return "" if location is None or not location.line else f"{location.file}:{location.line}"


def assumptions(proof: Proof) -> tuple[str, ...]:
    """What the verdict takes for granted: a removed or moved `while` terminates."""
    if proof.profiles is None:
        return ()
    found = []
    left, right = proof.profiles
    for path in sorted(set(left.dropped_loops) | set(right.dropped_loops)):
        if left.dropped_loops.count(path) != right.dropped_loops.count(path):
            found.append(f"terminates: {path}, a loop that is removed")
    for value in sorted(left.counts.keys() & right.counts.keys()):
        op, path = left.ops[value]
        moved = set(left.counts[value]) != set(right.counts[value])
        if moved and op.name in ("while", "stablehlo.while"):
            found.append(f"terminates: {path}, a loop that stands in another place on the other side")
    return tuple(found)
