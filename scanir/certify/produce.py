"""A certificate of one stage: the proof that was found is evaluated once more, recorded, and written down as classes.

Made on request only. What is written is checked before it is handed out: an answer that the checker does not accept is
a bug, and has no certificate (`Uncertified`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from scanir.certify.bijection import arrays, identical
from scanir.certify.classes import Classes, Converter
from scanir.certify.recorded import Recorded
from scanir.checker.certificate import SCHEMA_VERSION, Class, SideRecord, StageRecord, read, row
from scanir.checker.check import check, derive
from scanir.checker.digest import artifact
from scanir.checker.hosts import SAME, how, known_by_number
from scanir.checker.liveness import Liveness
from scanir.checker.verdict import Rejected
from scanir.compare.interface import compare_interfaces
from scanir.compare.pairing import pair_arguments
from scanir.compare.proof import Proof, Prover
from scanir.errors import ScanirError
from scanir.normalize.rules import HARMLESS, PROVENANCE
from scanir.normalize.side import Side, nan_bits_are_seen
from scanir.program import Program
from scanir.result import StageDiff, Verdict


class Uncertified(ScanirError):
    """There is no certificate: the verdict has none, or rests on what the checker does not understand."""


class BeyondModules(Uncertified):
    """The verdict rests on what modules and jaxprs do not show the checker."""


class LoopsAlone(BeyondModules):
    """The programs are not equal under the rules: the verdict is about their loops."""


#: A pair of jaxprs that say which host functions lowered modules know by number.
Jaxprs: TypeAlias = "tuple[Program, Program] | None"


def certify(a: Program, b: Program, answer: StageDiff, jaxprs: Jaxprs = None) -> StageRecord:
    """The certificate of an answer, which was settled by ``jaxprs`` if any are given. Raises Uncertified."""
    if answer.verdict not in (Verdict.IDENTICAL, Verdict.EQUIVALENT):
        raise Uncertified(f"{answer.verdict.name} has no certificate", where=f"{a.label} and {b.label} at {a.stage}")
    by_number = known_by_number(a) or known_by_number(b)
    host = how(jaxprs) if jaxprs is not None and by_number else ""
    rules = frozenset(use.rule for use in answer.modulo)
    try:
        record = identical(a, b, host) if answer.verdict is Verdict.IDENTICAL else _equivalent(a, b, rules, host)
        return replace(record, jaxprs=arrays(*jaxprs)) if jaxprs is not None and host == SAME else record
    except Rejected as problem:
        if by_number and not host:
            raise _beyond(
                BeyondModules, a, b, "the modules know host functions by number only",
                "ask at stage jaxpr, where they are known; or name both sides, so that they can be traced",
            ) from problem  # fmt: skip
        raise _disagreement(problem, a, b) from problem


def _equivalent(a: Program, b: Program, rules: frozenset[str], host: str) -> StageRecord:
    """The record of a pair that is EQUIVALENT modulo exactly ``rules``. Raises Uncertified, Rejected."""
    prover = Prover(
        a, b, (pairing := pair_arguments(a, b)), compare_interfaces(a, b, pairing), settled=bool(host),
        exact_nans=nan_bits_are_seen(a, b),
    )  # fmt: skip
    proof = prover.attempt(rules | {HARMLESS} if PROVENANCE in rules else rules)
    if not proof.equal:
        if (known_by_number(a) or known_by_number(b)) and not host:
            raise Rejected("O1", "host functions are known by number only")
        raise _beyond(
            LoopsAlone, a, b, "the answer is about loops alone", "certificates are of programs: --scope program"
        )
    if "payload-noise" in rules:
        raise _beyond(
            BeyondModules, a, b, "the address of a host call is set aside, which the checker never does",
            "JAX up to 0.5 writes such addresses; later ones do not",
        )  # fmt: skip
    record = replace(_written(prover, proof, (a, b)), host=host)
    record = replace(record, rules=tuple((rule, ()) for rule in sorted(rules)))
    found = derive(record, a, b)
    applied = found.rules()
    if applied.keys() != rules:
        other = ", ".join(sorted(applied.keys() ^ rules))
        raise Rejected("O13", f"the rules that it finds applied differ in {other}")
    listed = tuple((rule, tuple(places)) for rule, places in applied.items())
    return replace(record, rules=listed, assumptions=found.assumptions)


def _written(prover: Prover, proof: Proof, programs: tuple[Program, Program]) -> StageRecord:
    """The proof as a record, without rules."""
    sides = prover.recorded(proof)
    classes = Classes()
    layouts = [_laid_out(classes, side) for side in sides]
    maps = [_live(layout, classes, "dead-carry" in proof.rules) for layout in layouts]
    numbered, numbers = _numbered(classes, layouts, maps)
    bindings = []
    for name, argument in sorted(proof.bindings):
        k = "ab".index(name)
        kept = programs[k].interface.kept
        first = [p for p in layouts[k].entry.params if layouts[k].roles[p] == ("in", kept.index(argument))]
        c = maps[k][first[0]] if first else -1
        bindings.append((k, argument, numbers[c] if c != -1 else -1))
    records = tuple(
        SideRecord(
            program.label, "", artifact(program.module), tuple(sorted(program.provenance)), tuple(layout.shape),
            tuple(sorted(k for k in layout.dropped_numbers)), tuple(-1 if c == -1 else numbers[c] for c in map),
        )
        for program, layout, map in zip(programs, layouts, maps, strict=True)
    )  # fmt: skip
    surplus = tuple(("ab".index(output.side), output.output) for output in proof.forwarded)
    return StageRecord(
        programs[0].stage, "", "EQUIVALENT", (records[0], records[1]), prover.pairing.pairs, tuple(bindings), surplus,
        (), (), tuple(numbered), (),
    )  # fmt: skip


def _laid_out(classes: Classes, side: Side) -> Recorded:
    table, state = side.evaluator.table, side.evaluator.state
    lemmas: dict[int, int] = {}
    parts = {}
    for name, (canonical, trace, fun) in side.parts.items():  # callees first
        converter = Converter(classes, table, state, canonical, side.canonical.target, lemmas)
        (lemmas[side.lemmas[name]],) = converter.leaves(fun.term)
        parts[name] = (trace, converter)
    converter = Converter(classes, table, state, side.canonical, side.canonical.target, lemmas)
    passed = frozenset(k for k, _ in side.program.interface.constants)
    return Recorded(
        side.program.module,
        side.trace,
        converter,
        parts,
        frozenset(side.evaluator.kept),
        side.evaluator.skipped,
        passed,
    )


def _live(layout: Recorded, classes: Classes, drop_dead: bool) -> list[int]:
    """The map with -1 for everything that the checker will find dead."""
    counters = frozenset(c for c, entry in enumerate(classes.entries) if entry.kind == "affine")
    folded = [c for node in layout.nodes if node.kind == "trivial" for c in node.conditions]
    roots = (*layout.entry.results, layout.entry.token_out, *folded)
    live = Liveness(layout, layout.map, roots, keep_dead=not drop_dead, counters=counters).live
    for position in sorted(live):
        if layout.map[position] == -1:
            node = layout.makers[position]
            raise Uncertified(f"a value has no class: {'an argument' if node is None else node.where}")
    return [c if position in live else -1 for position, c in enumerate(layout.map)]


def _numbered(
    classes: Classes, layouts: Sequence[Recorded], maps: Sequence[Sequence[int]]
) -> tuple[list[Class], dict[int, int]]:
    """Classes in the order in which they are met, each with the place where it is met first."""
    numbers: dict[int, int] = {}
    places: dict[int, tuple[int, int]] = {}
    for side, (layout, map) in enumerate(zip(layouts, maps, strict=True)):
        for position, c in enumerate(map):
            if c == -1:
                continue
            node = layout.makers[position]
            if classes.entries[c].kind == "const":
                role, k = layout.roles[position]
                if (node is not None and node.kind == "constant") or (
                    node is None and role == "in" and k in layout.passed
                ):
                    places.setdefault(c, (side, position))
            if c not in numbers:
                _meet(c, classes, numbers, places, (side, position), (side, -1 if node is None else node.number))
    order = sorted(numbers, key=numbers.__getitem__)
    found = []
    for c in order:
        entry = classes.entries[c]
        side, at = places.get(c, (-1, -1))
        if entry.kind == "op":
            node = layouts[side].nodes[at]
            written = tuple([maps[side][position] for position in node.operands])
            if written == entry.lists[0][::-1]:  # operands that may exchange stand as they do where they are met first
                entry = replace(entry, lists=(written, *entry.lists[1:]))
        lists = tuple(tuple(numbers[ref] for ref in part) for part in entry.lists)
        found.append(replace(entry, lists=lists, side=side, at=at))
    return found, numbers


_PLACELESS = frozenset({"proj", "trip", "trips", "fun", "const"})


def _meet(
    root: int, classes: Classes, numbers: dict[int, int], places: dict[int, tuple[int, int]],
    position: tuple[int, int], node: tuple[int, int],
) -> None:  # fmt: skip
    stack = [(root, iter(classes.entries[root].refs))]
    while stack:
        c, refs = stack[-1]
        for ref in refs:
            if ref not in numbers:
                stack.append((ref, iter(classes.entries[ref].refs)))
                break
        else:
            stack.pop()
            numbers[c] = len(numbers)
            kind = classes.entries[c].kind
            if kind not in _PLACELESS:
                places[c] = node if kind in ("op", "loop", "call") else position


def checked(
    a: Program, b: Program, answer: StageDiff, arguments: tuple[str, str] = ("", ""), jaxprs: Jaxprs = None
) -> StageRecord:
    """The certificate of an answer, accepted by the checker as it will be read. Raises Uncertified."""
    record = certify(a, b, answer, jaxprs)
    sides = [replace(side, arguments=text) for side, text in zip(record.sides, arguments, strict=True)]
    (read_back,) = read(document([replace(record, sides=(sides[0], sides[1]), under=answer.under)]))
    try:
        check(read_back, a, b, jaxprs=jaxprs)
    except Rejected as problem:
        raise _disagreement(problem, a, b) from problem
    return read_back


def _beyond(kind: type[BeyondModules], a: Program, b: Program, why: str, hint: str) -> BeyondModules:
    return kind(f"there is no certificate: {why}", where=f"{a.label} and {b.label} at {a.stage}", hint=hint)


def _disagreement(problem: Rejected, a: Program, b: Program) -> Uncertified:
    return Uncertified(
        f"the checker does not accept this answer: {problem}",
        where=f"{a.label} and {b.label} at {a.stage}",
        hint=f"this is a bug of scanir: please report it with what scanir show --stage {a.stage} prints of both sides",
    )


def document(records: Sequence[StageRecord]) -> dict[str, Any]:
    """The certificate as plain JSON data."""
    return {"schema_version": SCHEMA_VERSION, "stages": [_stage(record) for record in records]}


def _stage(record: StageRecord) -> dict[str, Any]:
    return {
        "stage": record.stage,
        "under": record.under,
        "verdict": record.verdict,
        "a": _side(record.sides[0]),
        "b": _side(record.sides[1]),
        "arguments": [list(pair) for pair in record.arguments],
        "bindings": [list(entry) for entry in record.bindings],
        "surplus": [list(entry) for entry in record.surplus],
        "rules": [
            {"rule": rule, "count": len(places), "places": [list(place) for place in places]}
            for rule, places in record.rules
        ],
        "assumptions": [list(entry) for entry in record.assumptions],
        "classes": [row(entry) for entry in record.classes],
        "bijection": [list(array) for array in record.bijection],
        "host": record.host,
        "jaxprs": [list(array) for array in record.jaxprs],
    }


def _side(side: SideRecord) -> dict[str, Any]:
    return {
        "target": side.target,
        "arguments": side.arguments,
        "artifact": side.artifact,
        "provenance": dict(side.provenance),
        "shape": list(side.shape),
        "dropped": list(side.dropped),
        "map": list(side.map),
    }
