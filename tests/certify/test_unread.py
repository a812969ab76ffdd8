"""Work that nobody reads: the verdict and the checker give it the same name, and without it they are not equivalent."""

from __future__ import annotations

import pytest

from scanir.certify.produce import checked
from scanir.compare.verdict import compare
from scanir.normalize.rules import DEFAULT
from scanir.program import Program
from scanir.result import Verdict
from tests.normalize.test_rules import program, scan

TWICE = "%c = constant() {value = array(f32[], 0x00000040)} : f32[]\n%a = mul(%x, %c) : f32[]\n"
AGAIN = "%d = constant() {value = array(f32[], 0x00000040)} : f32[]\n%b = mul(%x, %d) : f32[]\n"
ZERO = "%o = constant() {value = array(f32[], 0x00000000)} : f32[]\n"
TANH = "func @f (%p: f32[]) {\n%q = tanh(%p) : f32[]\nreturn %q\n}\n"
MORE = "func @f (%p: f32[]) {\n%q = tanh(%p) : f32[]\n%s = sin(%p) : f32[]\nreturn %q\n}\n"
CALL = "%k = jit(%x) {callee = @f} : f32[]\nreturn %y"


def looped(body: str, results: str = "%r0") -> Program:
    return program(ZERO + scan("%x", "%s: f32[]", body, "f32[]") + f"return {results}")


def carried(more: str) -> Program:
    """A loop with a slot that only it reads."""
    body = f"%m = tanh(%s) : f32[]\n{more}%u = sub(%t, %s) : f32[]\nreturn %m, %u"
    return program(scan("%x, %y", "%s: f32[], %t: f32[]", body, "f32[], f32[]") + "return %r0")


CALLED = "%m = tanh(%s) : f32[]\n%w = pure_callback(%s) : f32[]\n%u = sub(%t, %w) : f32[]\nreturn %m, %u"

STARTED = (
    "%i = sin(%x) : f32[]\n%w, %q = while(%y, %i) : f32[], f32[] "
    "region (%c: f32[], %e: f32[]) {\n%p = lt(%c, %y) : bool[]\nreturn %p\n} "
    "region (%d: f32[], %g: f32[]) {\n%j = sin(%d) : f32[]\n%h = cos(%g) : f32[]\nreturn %j, %h\n}\n"
)
TWO = TANH + TANH.replace("@f", "@g")
DIFFERENCE = "%a = jit(%x) {callee = @f} : f32[]\n%d = sub(%a, %a) : f32[]\nreturn %d"

STEP = "%m = tanh(%s) : f32[]\n%v = sub(%t, %s) : f32[]\n%q = cos(%v) : f32[]\n"

CASES: dict[str, tuple[Program, Program, set[str] | None]] = {
    "a duplicate with a constant of its own": (
        program(TWICE + "return %a"), program(TWICE + AGAIN + "return %a"), {"cse"}),
    "a duplicate of a duplicate": (
        program(TWICE + "%e = sin(%a) : f32[]\nreturn %e"),
        program(TWICE + AGAIN + "%e = sin(%a) : f32[]\n%f = sin(%b) : f32[]\nreturn %e"), {"cse"}),
    "unread and no duplicate": (
        program(TWICE + "return %a"), program(TWICE + "%b = mul(%y, %c) : f32[]\nreturn %a"), {"dead-code"}),
    "a neutral element in a loop that nobody reads": (
        looped("%t = tanh(%s) : f32[]\nreturn %t", "%y"),
        looped("%t = tanh(%s) : f32[]\n%v = sub(%t, %o) : f32[]\nreturn %v", "%y"), {"exact-identities"}),
    "a function that only unread calls call": (
        program(CALL, functions=TANH), program(CALL, functions=MORE), {"dead-code"}),
    "the update of an unread slot, twice": (
        carried("%w = sin(%x) : f32[]\n"), carried("%w = sin(%x) : f32[]\n%v = sub(%t, %s) : f32[]\n"), None),
    "a callback that only the update of an unread slot reads": (
        program(scan("%x, %y", "%s: f32[], %t: f32[]", CALLED, "f32[], f32[]") + "return %r0"),
        looped("%m = tanh(%s) : f32[]\nreturn %m"), {"dead-carry", "dead-code"}),
    "a loop that only the start of an unread slot needs": (
        program(scan("%x", "%s: f32[]", "%m = tanh(%s) : f32[]\nreturn %m", "f32[]") + "return %r0"),
        program(STARTED + scan("%x, %q", "%s: f32[], %t: f32[]", "%m = tanh(%s) : f32[]\n%u = sub(%t, %s) : f32[]\n"
                               "return %m, %u", "f32[], f32[]") + "return %r0"), {"dead-carry"}),
    "a duplicate over an unread slot that is handed on": (
        program(scan("%x, %y", "%s: f32[], %t: f32[]", "%m = sub(%s, %y) : f32[]\nreturn %m, %t", "f32[], f32[]")
                + "return %r0"),
        program(scan("%x, %y", "%s: f32[], %t: f32[]", "%m = sub(%s, %y) : f32[]\n%n = sub(%s, %t) : f32[]\n"
                     "return %m, %t", "f32[], f32[]") + "return %r0"), {"cse", "carry-closure"}),
    "unread slots that start and go on alike": (
        program(scan("%x, %y", "%s: f32[], %t: f32[]", STEP + "return %m, %v", "f32[], f32[]") + "return %r0"),
        program(scan("%x, %y, %y", "%s: f32[], %t: f32[], %u: f32[]", STEP + "%w = sub(%u, %s) : f32[]\n%k = cos(%w) : "
                     "f32[]\nreturn %m, %v, %w", "f32[], f32[], f32[]") + "return %r0"), None),
    "unread slots that start alike and go on otherwise": (
        program(scan("%x, %y", "%s: f32[], %t: f32[]", STEP + "return %m, %v", "f32[], f32[]") + "return %r0"),
        program(scan("%x, %y, %y", "%s: f32[], %t: f32[], %u: f32[]", STEP + "%w = sub(%s, %u) : f32[]\n%k = cos(%w) : "
                     "f32[]\nreturn %m, %v, %w", "f32[], f32[], f32[]") + "return %r0"), None),
    "what starts an unread slot that is handed on": (
        program("%i = tanh(%x) : f32[]\n" + scan("%x, %i", "%s: f32[], %t: f32[]", "%m = cos(%s) : f32[]\n"
                "%n = sin(%t) : f32[]\nreturn %m, %t", "f32[], f32[]") + "return %r0"),
        program(scan("%x", "%s: f32[]", "%m = cos(%s) : f32[]\n%t = tanh(%x) : f32[]\n%n = sin(%t) : f32[]\n"
                "return %m", "f32[]") + "return %r0"), None),
    "a second function of the same content": (
        program(DIFFERENCE, functions=TANH),
        program(DIFFERENCE.replace("%d = sub(%a, %a)", "%b = jit(%x) {callee = @g} : f32[]\n%d = sub(%a, %b)"),
                functions=TWO), {"cse"}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_it_has_one_name(name: str) -> None:
    left, right, rules = CASES[name]
    for a, b in ((left, right), (right, left)):
        answer = compare(a, b, DEFAULT)
        record = checked(a, b, answer)
        listed = {use.rule for use in answer.modulo}
        assert {rule for rule, _ in record.rules} == listed
        assert rules is None or listed == rules
        for rule in listed:
            assert compare(a, b, frozenset(listed - {rule})).verdict is not Verdict.EQUIVALENT
