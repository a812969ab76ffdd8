"""The check of one stage: digests, quotient, both sides, results, rules.

Accepts by saying nothing; else raises Rejected with the obligation that failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scanir.checker import hosts, interface, loops, ops
from scanir.checker.certificate import StageRecord
from scanir.checker.digest import artifact
from scanir.checker.identical import identical
from scanir.checker.interface import BOTH, Use
from scanir.checker.layout import Layout, Node
from scanir.checker.quotient import Quotient
from scanir.checker.side import Order, Side
from scanir.checker.tables import ELEMENT, NAN_READERS, PACKING, PURE, REGIONAL, STRUCTURED
from scanir.checker.verdict import Rejected
from scanir.checker.work import Work, assumptions, differences
from scanir.ir.attrs import Bool, Opaque, Text
from scanir.ir.graph import Op
from scanir.ir.verify import entry_is_assumed, problems
from scanir.ir.walk import ops_of
from scanir.program import Program

_KNOWN = frozenset().union(STRUCTURED, *PURE.values(), *REGIONAL.values())


@dataclass(frozen=True, slots=True)
class Found:
    """What a pass over both sides found out: applications of rules, and assumptions."""

    uses: tuple[Use, ...]
    assumptions: tuple[tuple[int, int], ...]

    def rules(self) -> dict[str, list[tuple[int, int]]]:
        """Places by rule, in order."""
        found: dict[str, set[tuple[int, int]]] = {}
        for rule, side, at in self.uses:
            found.setdefault(rule, set()).add((side, at))
        return {rule: sorted(found[rule]) for rule in sorted(found)}


def check(
    record: StageRecord, a: Program, b: Program, names: tuple[str, str] = ("", ""),
    jaxprs: tuple[Program, Program] | None = None,
) -> None:  # fmt: skip
    """Accept a certificate of two programs, or raise Rejected. ``names``: what people call them, if not by label.

    ``jaxprs``: what the programs were lowered from, which say what host functions they know by number.
    """
    _same_artifacts(record, (a, b), (names[0] or a.label, names[1] or b.label))
    hosts.settled(record, (a, b), jaxprs)
    if record.verdict == "IDENTICAL":
        if record.assumptions or record.bindings or record.surplus or any(s.map or s.shape for s in record.sides):
            raise Rejected("O13", "identical programs need no assumptions, bindings or maps")
        identical(record, a, b)
        return
    if record.verdict != "EQUIVALENT" or record.bijection:
        raise Rejected("O13", f"no certificate for the verdict {record.verdict}")
    found = derive(record, a, b)
    listed = {rule: list(places) for rule, places in record.rules}
    if list(listed) != sorted(listed) or len(listed) != len(record.rules):
        raise Rejected("O13", "rules are not in order")
    rules = found.rules()
    for rule in sorted(listed.keys() | rules.keys()):
        if listed.get(rule) != rules.get(rule):
            raise Rejected("O13", f"the rule {rule} is listed with other places than it is applied at")
    if record.assumptions != found.assumptions:
        raise Rejected("O13", "other assumptions than those listed")
    if not rules:
        raise Rejected("O13", "EQUIVALENT without a rule")


def derive(record: StageRecord, a: Program, b: Program) -> Found:
    """Discharge every obligation but that the rules are listed as they are applied; what is applied is the answer."""
    programs, rules = (a, b), frozenset(rule for rule, _ in record.rules)
    if record.arguments != interface.pairs_of(a, b):
        raise Rejected("O3", "arguments pair otherwise")
    layouts = [_layout(record, k, program) for k, program in enumerate(programs)]
    quotient, seen = Quotient(record.classes), _nan_bits_are_seen(programs)
    sides = [
        Side(
            k, programs, layouts, quotient, record.sides[k].map, rules, nan_bits_are_seen=seen,
            settled=bool(record.host),
        )
        for k in (0, 1)
    ]  # fmt: skip
    order = Order(record.classes, sides)
    uses: list[Use] = [
        *interface.attributes(a, b, record),
        *interface.bindings(record, programs, order.shown),
        *interface.unused(record, programs),
    ]
    for each in sides:
        _side(each, record)
    uses += interface.results(sides, record)
    works = [Work(side) for side in sides]
    uses += [(rule, each.me, at) for each in sides for rule, at in each.uses]
    uses += differences(works[0], works[1])
    uses += _functions(a, b)
    if not uses:
        uses.append((_packing(programs, rules), BOTH, -1))
    for rule, side, at in uses:
        if rule not in rules:
            raise Rejected("O13", f"the rule {rule} is applied and not listed", f"{side}, {at}")
    return Found(tuple(uses), tuple(sorted(assumptions(works[0], works[1]))))


def _same_artifacts(record: StageRecord, programs: Sequence[Program], names: Sequence[str]) -> None:
    for said, program, name in zip(record.sides, programs, names, strict=True):
        if record.stage != program.stage:
            raise Rejected("O1", f"the certificate is about stage {record.stage}, not {program.stage}")
        if said.target != program.label:
            raise Rejected("O1", f"the certificate is about {said.target}, not {program.label}")
        if said.provenance != tuple(sorted(program.provenance)):
            raise Rejected("O1", f"{name} was made by another JAX, platform or options")
        if said.artifact != artifact(program.module):
            about = "the certificate" if name == said.target else f"{said.target}, which the certificate"
            raise Rejected("O1", f"{name} is another program than {about} is about")
        for problem in problems(program.module)[:1]:
            raise Rejected("O1", f"{name} contradicts itself: {problem.what}", problem.where)
        if record.verdict != "IDENTICAL" and entry_is_assumed(program.module):
            raise Rejected("O1", f"{name} does not say which computation is the program")


def _layout(record: StageRecord, k: int, program: Program) -> Layout:
    said = record.sides[k]
    layout = Layout(program.module, said.shape, said.dropped, len(said.map))
    if len(layout.types) != len(said.map) or layout.choices != len(said.shape):
        raise Rejected("O1", "the map does not fit the module", "ab"[k])
    if any(not -1 <= c < len(record.classes) for c in said.map):
        raise Rejected("O1", "the map names a class that there is not", "ab"[k])
    return layout


def _side(side: Side, record: StageRecord) -> None:
    """Liveness, then the obligations of each live node in reading order."""
    live, map = side.live, side.map
    for position, c in enumerate(map):
        if (c != -1) != (position in live):
            raise side.bad(
                "O10", f"position {position} is {'dead' if c != -1 else 'live'}", side.layout.makers[position]
            )
    interface.parameters(side, record)
    for packed in side.layout.packings.values():
        ops.packing(side, packed)
    for node in side.layout.nodes:
        if node.kind == "trivial":
            loops.trivial(side, node)
        elif node.kind == "inline":
            side.use("calls", node.number)
            side.use_all(side.keys.inlined(node.op), "O8", "an inlined call that asks for something", node)
            if node.op.name == "fusion":
                side.use("class:fusion", node.number)
        elif node.kind == "loop":
            loops.loop(side, node)
        elif _has_class(map, node):
            _OBLIGATIONS[node.kind](side, node)


def _has_class(map: Sequence[int], node: Node) -> bool:
    if node.width == 1 and map[node.first] != -1:
        return True
    positions = range(node.first, node.first + node.width)
    return (node.token_out >= 0 and map[node.token_out] != -1) or any(map[p] != -1 for p in positions)


_OBLIGATIONS = {"constant": ops.constant, "plain": ops.plain, "call": ops.call, "branch": ops.branch}


def _nan_bits_are_seen(programs: Sequence[Program]) -> bool:
    """Whether some op may tell one NaN from another; one that no table lists may."""
    return any(_reads_nans(op) for p in programs for f in p.module.functions for op in ops_of(f.body))


def _reads_nans(op: Op) -> bool:
    if op.name in NAN_READERS or op.name not in _KNOWN or op.attribute("effects") is not None:
        return True
    words = [v.value if isinstance(v, Text) else v.text for _, v in op.attributes if isinstance(v, Text | Opaque)]
    return any("TOTALORDER" in text for text in words)


def _functions(a: Program, b: Program) -> list[Use]:
    """Functions that nobody calls: dead code where one side has others."""
    left, right = (interface.unreachable(p.module) for p in (a, b))
    return [("dead-code", BOTH, -1)] if left or right else []


def _packing(programs: Sequence[Program], rules: frozenset[str]) -> str:
    """Where no rule was applied, what differs is the order of the schedule, packing, or what is computed twice."""
    if rules == {"class:schedule"} and all(("is_scheduled", Bool(True)) in p.module.attributes for p in programs):
        return "class:schedule"
    left, right = (sum(op.name in PACKING | ELEMENT for f in p.module.functions for op in f.body.ops) for p in programs)
    return "tuples" if left != right else "cse"
