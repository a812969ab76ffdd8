"""A proof attempt: are two programs equal under exactly these rules?

Both sides are normalized into one table; equal ids of paired results are the proof. Calls are tried as they stand, then
kept only where both sides call the same function, then inlined. Bindings of surplus arguments are found by unification
and proved by substituting and comparing again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from scanir.compare.bindings import unify
from scanir.compare.interface import InterfaceDifference
from scanir.compare.isomorphism import Isomorphism
from scanir.compare.pairing import Pairing
from scanir.compare.profile import Profile, differences, profile, use
from scanir.ir.structure import CALLS
from scanir.ir.summary import summaries
from scanir.ir.types import Type
from scanir.normalize.evaluate import BudgetExceeded
from scanir.normalize.rules import HARMLESS, PROVENANCE
from scanir.normalize.side import Settings, Side, inputs, normalize
from scanir.normalize.values import Table
from scanir.program import Program
from scanir.result import ForwardedOutput, RuleUse

#: For each side the names of the functions that stay calls.
Keep: TypeAlias = "tuple[frozenset[str], frozenset[str]]"
#: Ops that may be evaluated, per side, to describe loops.
EXPLAIN_BUDGET = 300_000


@dataclass(slots=True)
class Proof:
    """An attempt under ``rules``. ``equal``: the results agree. ``uses``: rules needed outside the terms, with counts;
    the attempt ``holds`` if the rules allow all of them.
    """

    rules: frozenset[str]
    sides: tuple[Side, Side]
    equal: bool
    bindings: dict[tuple[str, int], int] = field(default_factory=dict)
    forwarded: tuple[ForwardedOutput, ...] = ()
    uses: dict[str, RuleUse] = field(default_factory=dict)
    profiles: tuple[Profile, Profile] | None = None
    keep: Keep | None = None

    @property
    def holds(self) -> bool:
        return self.equal and self.uses.keys() <= self.rules

    def used(self) -> dict[str, RuleUse]:
        """Every rule that was applied on one side more often than on the other, or outside the terms."""
        counts: dict[str, Counter[str]] = {}
        for own, other in (self.sides, self.sides[::-1]):
            for (rule, where), count in (own.log - other.log).items():
                counts.setdefault(rule, Counter())[where] += count
        for side in self.sides:
            for rule in side.used - counts.keys():
                counts[rule] = Counter({where: n for (name, where), n in side.log.items() if name == rule})
        return {rule: use(rule, places) for rule, places in counts.items()} | self.uses


class Prover:
    """Proof attempts about one pair of programs; sides that were normalized once are kept."""

    def __init__(
        self,
        a: Program,
        b: Program,
        pairing: Pairing,
        interface: InterfaceDifference,
        *,
        settled: bool,
        exact_nans: bool,
    ) -> None:
        self.programs = (a, b)
        self.pairing = pairing
        self.interface = interface
        self.table = Table()
        self.budget_hit = False
        self.dead_functions = Isomorphism(*self.programs).dead_functions()
        self._settings = Settings(settled=settled, exact_nans=exact_nans)
        #: By all that a side is made under but the rules and the budget: the rules, and the side.
        self._sides: dict[object, list[tuple[frozenset[str], Side]]] = {}
        self._as_they_stand: list[tuple[frozenset[str], Proof]] = []
        self._has_calls = [not CALLS.isdisjoint(summaries(p.module).names) for p in self.programs]
        #: Set by the verdict where terms agree without any rule and only sharing differs.
        self.catch_all: RuleUse | None = None

    def attempt(self, rules: frozenset[str], *, guess: bool = False) -> Proof:
        """The best proof attempt under ``rules``: the first that holds, else the last one made.

        Calls as they stand come first. Where they did not do, they will not under fewer rules.
        """
        settings = replace(self._settings, guess=guess)
        proof = next((p for failed, p in self._as_they_stand if rules <= failed and not guess), None)
        if proof is None:
            proof = self._match(rules, settings, {})
            if proof.holds:
                return proof
            if not guess:
                self._as_they_stand.append((rules, proof))
        if "calls" not in rules or not any(self._has_calls):
            return proof
        for keep in self._keeps(proof):
            try:
                proof = self._match(rules, settings, {}, keep)
            except BudgetExceeded:
                self.budget_hit = True
                continue
            if proof.holds:
                break
        return proof

    def prepare(self, rules: frozenset[str], proof: Proof) -> None:
        """Make the sides for rules that will be tried after a proof: a side of which no rule came anything then stands
        for no rules, too, and need not be made for that."""
        if rules and proof.keep is None and not proof.bindings:
            for k in (0, 1):
                self._side(k, rules, self._settings, {}, None)

    def _keeps(self, proof: Proof) -> list[Keep]:
        """Which functions stay calls: those that both sides have, then none."""
        common = set(proof.sides[0].lemmas.values()) & set(proof.sides[1].lemmas.values())
        left, right = (
            frozenset(name for name, lemma in side.lemmas.items() if lemma in common) for side in proof.sides
        )
        none: frozenset[str] = frozenset()
        return [(left, right), (none, none)] if common else [(none, none)]

    def explain(self, rules: frozenset[str]) -> tuple[Side, Side] | None:
        """Both sides with all calls inlined and nothing bound, to tell what loops are made of; None if that is too
        much."""
        settings = replace(self._settings, budget=EXPLAIN_BUDGET)
        try:
            left, right = (self._side(k, rules - {"constant-argument"}, settings, {}, frozenset()) for k in (0, 1))
        except BudgetExceeded:
            return None
        return left, right

    def recorded(self, proof: Proof) -> tuple[Side, Side]:
        """Both sides of a proof once more, in a table of their own, with the term of each value kept."""
        before, self.table = self.table, Table()
        try:
            return self._record(proof, before, 0), self._record(proof, before, 1)
        finally:
            self.table = before

    def _record(self, proof: Proof, table: Table, k: int) -> Side:
        """``table`` holds the constants that the proof binds arguments to."""
        bound = {
            argument: self.table.intern(*table.keys[term])
            for (name, argument), term in proof.bindings.items()
            if name == "ab"[k]
        }
        keep = None if proof.keep is None else proof.keep[k]
        settings = replace(self._settings, keep=keep, recording=True)
        given = self._inputs(k, bound)
        return normalize(self.programs[k], "ab"[k], proof.rules, self.table, given, settings)

    def _match(
        self, rules: frozenset[str], settings: Settings, bound: dict[tuple[str, int], int],
        keep: Keep | None = None,
    ) -> Proof:  # fmt: skip
        sides = tuple(
            self._side(k, rules, settings, bound, None if keep is None else keep[k])
            for k in (0, 1)
        )  # fmt: skip
        proof = Proof(rules, (sides[0], sides[1]), False, dict(bound), keep=keep)
        self._results(proof, settings, keep)
        if not proof.equal and not bound and "constant-argument" in rules:
            found = self._bindings(rules, settings, keep, proof.sides)
            if found:
                return self._match(rules, settings, found, keep)
        if proof.equal:
            self._uses(proof)
        return proof

    def _bindings(
        self, rules: frozenset[str], settings: Settings, keep: Keep | None,
        sides: tuple[Side, Side],
    ) -> dict[tuple[str, int], int]:  # fmt: skip
        """Candidate bindings; where an argument and a constant put slots in unlike orders, the written order is
        tried."""
        if not (self.pairing.left or self.pairing.right):
            return {}
        found = unify(self.table, self.flat(sides[0])[:-1], self.flat(sides[1])[:-1], self.pairing)
        if not found and "carry-order" in rules:
            written = self._match(rules - {"carry-order", "constant-argument"}, settings, {}, keep)
            found = unify(self.table, self.flat(written.sides[0])[:-1], self.flat(written.sides[1])[:-1], self.pairing)
        return found

    def _side(
        self,
        k: int,
        rules: frozenset[str],
        settings: Settings,
        bound: dict[tuple[str, int], int],
        keep: frozenset[str] | None,
    ) -> Side:
        name = "ab"[k]
        mine = {index: term for (side, index), term in bound.items() if side == name}
        known = self._sides.setdefault((k, settings.guess, keep, tuple(sorted(mine.items()))), [])
        for wider, side in known:
            # Rules of which nothing came may be left out, and the side is the same (`Side.fired`).
            if rules <= wider and side.ops <= settings.budget and side.fired <= rules:
                return side
        given = self._inputs(k, mine)
        found = normalize(self.programs[k], name, rules, self.table, given, replace(settings, keep=keep))
        known.append((rules, found))
        return found

    def _inputs(self, k: int, bound: dict[int, int]) -> tuple[int, ...]:
        """The term of each parameter of the module: a numbered argument, or the constant it is bound to."""

        def argument(index: int, type: Type) -> int:
            return bound[index] if index in bound else table.intern("in", (pairing.index("ab"[k], index), type))

        table, pairing = self.table, self.pairing
        return inputs(self.programs[k], table, argument)

    # -- results
    # -------------------------------------------------------------------------------------------------------------

    def _results(self, proof: Proof, settings: Settings, keep: Keep | None) -> None:
        """Compare results and tokens; a shorter list may be one that does not return some of its inputs."""
        left, right = (self.flat(side) for side in proof.sides)
        if left[-1] != right[-1] or not self._types_agree(proof):
            return
        left, right = left[:-1], right[:-1]
        if len(left) == len(right):
            proof.equal = left == right
            return
        longer, shorter, name = (left, right, "a") if len(left) > len(right) else (right, left, "b")
        given = self._handed_on("ab".index(name), proof.rules, settings, keep)
        surplus = self._injection(longer, shorter, given)
        if surplus is not None:
            proof.equal = True
            arguments = self.programs["ab".index(name)].interface.arguments
            handed = [(k, self._argument(name, given[k])) for k in surplus]
            proof.forwarded = tuple(ForwardedOutput(name, k, index, arguments[index].name) for k, index in handed)
            proof.uses["forwarded-outputs"] = RuleUse(
                "forwarded-outputs", len(surplus), tuple(f"output {k} of {name}" for k in surplus[:4])
            )

    def _handed_on(self, k: int, rules: frozenset[str], settings: Settings, keep: Keep | None) -> list[int]:
        """The results of one side with no argument bound, and with what loops hand on unchanged seen as what it is.

        Whether a surplus result is an argument does not depend on the rules that the rest of the proof may use.
        """
        more = rules | {"carry-closure", "constant-carry"}
        return self.flat(self._side(k, more, settings, {}, None if keep is None else keep[k]))[:-1]

    def flat(self, side: Side) -> list[int]:
        """Results with an outermost tuple (HLO) taken apart; the token last."""
        *results, token = side.results
        if len(results) == 1 and self.table.kind(results[0]) == "tuple":
            results = list(self.table.children(results[0]))
        return [*results, token]

    def _types_agree(self, proof: Proof) -> bool:
        """Paired arguments that both modules have must be of one type, as far as the rules tell types apart."""
        for x, y in self.pairing.pairs:
            types = []
            for side, argument in zip(proof.sides, (x, y), strict=True):
                kept = side.program.interface.kept
                if argument in kept:
                    module = side.program.module
                    param = module.function(module.entry).body.params[kept.index(argument)]
                    types.append(side.evaluator.eraser.type(param.type))
            if len(types) == 2 and types[0] != types[1]:
                return False
        return all(self._exact(proof, side, argument, term) for (side, argument), term in proof.bindings.items())

    def _exact(self, proof: Proof, side: str, argument: int, term: int) -> bool:
        """A bound argument has exactly the type of its constant."""
        normalized = proof.sides["ab".index(side)]
        kept, module = normalized.program.interface.kept, normalized.program.module
        if argument not in kept:
            return False
        param = module.function(module.entry).body.params[kept.index(argument)]
        same: bool = normalized.evaluator.eraser.type(param.type) == self.table.payload(term)[1]
        return same

    def _injection(self, longer: list[int], shorter: list[int], given: list[int]) -> list[int] | None:
        """Positions of ``longer`` that are left over when ``shorter`` is found in it in order; each must be an
        argument."""
        surplus, wanted = [], 0
        for position, term in enumerate(longer):
            if wanted < len(shorter) and term == shorter[wanted]:
                wanted += 1
            elif self.table.kind(given[position]) == "in":
                surplus.append(position)
            else:
                return None
        return surplus if wanted == len(shorter) else None

    def _argument(self, side: str, term: int) -> int:
        number: int = self.table.payload(term)[0]
        pairs = self.pairing.pairs
        if number < len(pairs):
            return pairs[number][0 if side == "a" else 1]
        alone = self.pairing.left if side == "a" else self.pairing.right
        return alone[number - len(pairs) - (len(self.pairing.left) if side == "b" else 0)]

    # -- rules outside the terms
    # -----------------------------------------------------------------------------------------------

    def _uses(self, proof: Proof) -> None:
        """What besides equal results the verdict rests on."""
        for name, places in self.interface.classes.items():
            proof.uses[name] = use(PROVENANCE if name == HARMLESS else name, places)
        if proof.bindings:
            places = [self.programs["ab".index(side)].interface.arguments[index].name for side, index in proof.bindings]
            proof.uses["constant-argument"] = use("constant-argument", places)
        unused = self._unused(proof)
        if unused:
            proof.uses["unused-argument"] = use("unused-argument", unused)
        proof.profiles = (profile(proof.sides[0]), profile(proof.sides[1]))
        proof.uses |= differences(*proof.profiles)
        if self.dead_functions:
            found = proof.uses.get("dead-code", RuleUse("dead-code", 0))
            where = (*found.where, *self.dead_functions)[:4]
            proof.uses["dead-code"] = RuleUse("dead-code", found.count + len(self.dead_functions), where)
        if self.catch_all is not None and not proof.uses:
            proof.uses[self.catch_all.rule] = self.catch_all

    def _unused(self, proof: Proof) -> list[str]:
        """Arguments that only one side's signature or module has; equal results show that nobody reads them."""
        names = []
        for k, (side, alone) in enumerate(zip("ab", (self.pairing.left, self.pairing.right), strict=True)):
            arguments = self.programs[k].interface.arguments
            names += [arguments[index].name for index in alone if (side, index) not in proof.bindings]
        kept = [set(program.interface.kept) for program in self.programs]
        for x, y in self.pairing.pairs:
            if (x in kept[0]) != (y in kept[1]):
                names.append(self.programs[0].interface.arguments[x].name)
        return names


def one_sided(proof: Proof) -> frozenset[str]:
    """The rules that were applied on one side more often than on the other, and those outside the terms."""
    left, right = (side.log for side in proof.sides)
    found = {rule for rule, _ in (left - right) + (right - left)} | set(proof.uses)
    if found & {"carry-closure", "constant-carry"}:
        found |= {"carry-order"}
    return frozenset(found)


def candidates(proof: Proof) -> frozenset[str]:
    """The rules that a proof that holds may rest on."""
    found = frozenset().union(proof.sides[0].used, proof.sides[1].used, proof.uses)
    if found & {"carry-closure", "constant-carry"}:
        # With all unchanged carries out of the way their order cannot matter; with them in, it may be all that does.
        found |= {"carry-order"}
    return proof.rules & found
