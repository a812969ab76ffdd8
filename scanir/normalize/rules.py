"""The rules and classes: what may be set aside between two programs, by name.

A rule is an algebraic law or a structural fact with a side condition; a class is a kind of difference that provably
leaves results alone. Both share one namespace, are allowed and forbidden alike, and are reported in ``modulo`` when
they were needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scanir.errors import RuleError


@dataclass(frozen=True, slots=True)
class Rule:
    """``name``; ``law``: what is taken as equal; ``condition``: when; ``default``: on in the `diff` profile."""

    name: str
    law: str
    condition: str
    default: bool = True


_TABLE = (
    Rule(
        "constant-argument",
        "an argument of one side is a constant of the other, under the printed binding",
        "the argument has no counterpart; one constant of its exact type; never at equal arity",
    ),
    Rule(
        "forwarded-outputs",
        "one side also returns some of its own inputs",
        "one order-preserving injection of the shorter result list; each surplus result is a parameter",
    ),
    Rule(
        "unused-argument", "an argument that nobody reads is left out", "no counterpart on the other side, and unread"
    ),
    Rule("weak-type", "only the weak_type bit differs", "stage jaxpr; the same program is lowered, another cache key"),
    Rule(
        "class:interface", "pytree structure or keyword names of arguments and results differ", "same leaves in order"
    ),
    Rule("class:donation", "buffer donation and aliasing differ", "no result depends on it"),
    Rule(
        "class:sharding",
        "shardings of arguments, results and constraints differ",
        "not the manual ones (shard_map, SPMD full-to-shard), which are semantic",
    ),
    Rule("class:layout", "in-memory layouts differ", "not on custom calls and host transfers; bitcasts keep theirs"),
    Rule("class:memory-space", "memory spaces differ", "not on custom calls and host transfers"),
    Rule("class:schedule", "the order of a scheduled module differs", "token and control order agree"),
    Rule("class:backend-config", "known code-generation fields of backend_config differ", "listed fields only"),
    Rule("class:fusion", "fusion decisions differ", "fused computations are inlined"),
    Rule("class:copies", "copies differ", "copy to the same type and layout"),
    Rule(
        "trivial-loop",
        "a loop of 0 or 1 trips is its initial values or its body",
        "trip count folded from the condition, which has no effect",
    ),
    Rule("branch-passthrough", "a branch whose sides hand on the same value is that value", "pure, same value id"),
    Rule(
        "integer-induction",
        "a counter is a function of the trip number, modulo 2^n",
        "constant start and step, one type",
    ),
    Rule(
        "carry-closure",
        "a carry handed on unchanged is a captured value",
        "next value is the parameter at the fixpoint",
    ),
    Rule("constant-carry", "a constant carry handed on unchanged is the constant", "as carry-closure, constant start"),
    Rule("duplicate-carry", "two carries that stay equal are one", "equal start, preserved by the body"),
    Rule(
        "stacking",
        "a scanned input that a scan stacks unchanged is that input; an element of stacked copies is the value",
        "seen through calls only; as long as the scan; a copy that the scan was given, or a broadcast",
    ),
    Rule("dead-carry", "a carry nobody reads is left out", "its own update is no use; pure"),
    Rule("carry-order", "the order of carries is free", "one bijection for starts, parameters, next values, results"),
    Rule(
        "commutative",
        "operands of a commutative op exchange",
        "integers and bool; float add, mul where no op sees NaN bits",
    ),
    Rule(
        "exact-identities",
        "x*1, x+(-0.0), x-0, x/1, max(x, x), x and x, and integer kin are x",
        "full bits of the constant; floats where no op sees NaN bits",
    ),
    Rule(
        "no-op",
        "copy, reshape, convert, broadcast, transpose to the same type and order is its operand",
        "type and layout agree",
    ),
    Rule("tuples", "packing and unpacking of tuples", "element k of tuple(..) is operand k"),
    Rule("payload-noise", "known fields of known payloads (paths, pointers, locations)", "the address of a host call"),
    Rule(
        "calls",
        "call boundaries only: a call is its callee's body",
        "same callee on both sides is a lemma; inlined otherwise, within a budget",
    ),
    Rule("hoisting", "pure work inside a loop or branch on one side, outside on the other", "pure"),
    Rule("cse", "duplicated pure work counts once", "pure, same attributes and operands"),
    Rule("dead-code", "work nobody reads is left out", "pure and total; a removed while is an assumption"),
    Rule(
        "inexact", "x+0.0, x*0.0+y and other float identities that are not exact", "allowed by hand only", default=False
    ),
    Rule(
        "elided-constants",
        "constants that the artifact does not show are taken as equal",
        "allowed by hand only",
        default=False,
    ),
    Rule(
        "callback-by-name",
        "host functions of equal qualified name and code are taken as equal",
        "allowed by hand only",
        default=False,
    ),
    Rule(
        "provenance",
        "settings, compiler options, flags or versions of the sides differ",
        "allowed by hand only, unless all they do to numbers is written in the IR",
        default=False,
    ),
)

#: All rules in the fixed order in which `modulo` tries to do without them.
RULES: dict[str, Rule] = {rule.name: rule for rule in _TABLE}
PROVENANCE = "provenance"
#: The half of `provenance` that is on by default, in a set of rules: facts that change numbers through the IR alone.
#: It is no name of its own for people, who allow and forbid both halves as one.
HARMLESS = "provenance, harmless"
DEFAULT: frozenset[str] = frozenset(rule.name for rule in _TABLE if rule.default) | {HARMLESS}
#: What a gate (`assert_equivalent`, `check`, the pytest plugin) forbids on top.
GATE_FORBIDS = ("constant-argument", "forwarded-outputs", "class:interface", "class:donation", "class:sharding")


def gate_forbids(allow: Iterable[str], forbid: Iterable[str]) -> tuple[str, ...]:
    """What a gate forbids: what it is told to, and all of `GATE_FORBIDS` that is not allowed by name."""
    opened = frozenset(map(full_name, allow))
    return (*forbid, *(name for name in GATE_FORBIDS if name not in opened))


def full_name(name: str) -> str:
    """A class may be named without its prefix: ``copies`` is ``class:copies``."""
    return f"class:{name}" if name not in RULES and f"class:{name}" in RULES else name


def rule_set(allow: Iterable[str] = (), forbid: Iterable[str] = (), *, strict: bool = False) -> frozenset[str]:
    """The rules in force. Raises RuleError for a name nobody knows or one both allowed and forbidden."""
    allowed, forbidden = frozenset(map(full_name, allow)), frozenset(map(full_name, forbid))
    for name in sorted(allowed | forbidden):
        if name not in RULES:
            raise RuleError(f"unknown rule or class {name!r}", hint=_near(name))
    if both := allowed & forbidden:
        raise RuleError(f"both allowed and forbidden: {', '.join(sorted(both))}", hint="name it once")
    allowed, forbidden = (names | {HARMLESS} if PROVENANCE in names else names for names in (allowed, forbidden))
    return ((frozenset() if strict else DEFAULT) | allowed) - forbidden


def _near(name: str) -> str:
    from rapidfuzz import process

    near = [match for match, score, _ in process.extract(name, list(RULES), limit=3) if score > 60]
    return f"did you mean {', '.join(near)}?" if near else f"known: {', '.join(RULES)}"
