"""Each obligation, with a certificate that breaks it: one change that a forger would make, digests in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scanir.certify.produce import checked, document
from scanir.checker.certificate import read
from scanir.checker.check import check
from scanir.checker.digest import artifact
from scanir.checker.verdict import Rejected
from scanir.compare.verdict import compare
from scanir.normalize.rules import DEFAULT
from scanir.program import Program
from tests.normalize.test_rules import COUNTER, HALF, ONE, ZERO, const, program, scan

Stage = dict[str, Any]

BODY = "%s = mul(%c, %y) : f32[]\nreturn %s"
PLAIN = scan("%x", "%c: f32[]", BODY, "f32[]") + "return %r0"
CLOSED = (
    scan("%x, %y", "%c: f32[], %w: f32[]", "%s = mul(%c, %w) : f32[]\nreturn %s, %w", "f32[], f32[]") + "return %r0"
)
CHOICE = (
    "%r = cond(%p, %x) : f32[] region (%a: f32[]) {\nreturn %a\n} region (%b: f32[]) {\n"
    "%s = sin(%b) : f32[]\nreturn %s\n}\nreturn %r"
)
CHOSEN = "%x: f32[], %p: bool[]"
CALLEE = "func @f (%a: f32[]) {\n%b = sin(%a) : f32[]\nreturn %b\n}"
CALL = "%a = closed_call(%x) {callee = @f} : f32[]\nreturn %a"
COUNT = const("%z", ZERO, "i32") + const("%o", ONE, "i32")
EFFECT = "%a = sin(%x) : f32[]\n%b = unknown_effect(%a) : f32[]\nreturn %b"
#: name -> two programs that are EQUIVALENT.
PAIRS: dict[str, tuple[Program, Program]] = {
    "closure": (program(PLAIN), program(CLOSED)),
    "duplicate": (program("%a = sin(%x) : f32[]\n%b = sub(%a, %a) : f32[]\nreturn %b"),
                  program("%a = sin(%x) : f32[]\n%c = sin(%x) : f32[]\n%b = sub(%a, %c) : f32[]\nreturn %b")),
    "copy": (program("%a = copy(%x) : f32[]\n%b = sin(%a) : f32[]\nreturn %b"),
             program("%b = sin(%x) : f32[]\nreturn %b")),
    "effect": (program(EFFECT), program(EFFECT.replace("%b = u", "%c = sin(%x) : f32[]\n%b = u"))),
    "branch": (program(CHOICE, CHOSEN), program("%d = cos(%x) : f32[]\n" + CHOICE, CHOSEN)),
    "call": (program(CALL, functions=CALLEE), program("%d = cos(%x) : f32[]\n" + CALL, functions=CALLEE)),
    "surplus": (program("%s = sin(%x) : f32[]\nreturn %s"), program("%s = sin(%x) : f32[]\nreturn %s, %y")),
    "binding": (program(const("%h", HALF) + "%s = mul(%x, %h) : f32[]\nreturn %s", "%x: f32[]"),
                program("%s = mul(%x, %y) : f32[]\nreturn %s")),
    "once": (program(COUNT + scan("%z", COUNTER, "%j = add(%i, %o) : i32[]\nreturn %j", "i32[]", 1) + "return %r0"),
             program(COUNT + "%j = add(%z, %o) : i32[]\nreturn %j")),
}  # fmt: skip


def certificate(name: str) -> Any:
    a, b = PAIRS[name]
    return document([checked(a, b, compare(a, b, DEFAULT - {"exact-identities"}))])


def classes(stage: Stage, kind: str) -> list[Any]:
    """The rows of the classes of a kind."""
    return [row for row in stage["classes"] if row[0] == kind]


def shift(stage: Stage) -> None:
    stage["a"]["map"].append(-1)


def elsewhere(stage: Stage) -> None:
    classes(stage, "loop")[0][1] += 1


def another_argument(stage: Stage) -> None:
    first, second = classes(stage, "in")[:2]
    first[1], second[1] = second[1], first[1]


def another_binding(stage: Stage) -> None:
    stage["bindings"][0][1] = 0


def another_operand(stage: Stage) -> None:
    """sub(sin x, sin x) becomes sub(sin x, x)."""
    row = classes(stage, "op")[-1]
    row[3][1] -= 1


def taken_for_its_operand(stage: Stage) -> None:
    """What a copy is not: sin(x) is mapped to the class of x on both sides."""
    for side in ("a", "b"):
        mapped = stage[side]["map"]
        last = max(mapped)
        stage[side]["map"] = [mapped[0] if c == last else c for c in mapped]
    stage["classes"].pop()


def not_handed_on(stage: Stage) -> None:
    """The carry is said to start elsewhere."""
    loop = classes(stage, "loop")[0]
    loop[4][0] = 1 - loop[4][0]


def another_choice(stage: Stage) -> None:
    row = classes(stage, "sel")[0]
    row[3][1], row[3][2] = row[3][2], row[3][1]


def another_callee(stage: Stage) -> None:
    row = classes(stage, "call")[0]
    row[3][1] = row[3][0] - 1


def another_token(stage: Stage) -> None:
    next(row for row in classes(stage, "in") if row[1] == -1)[2] = 1


def alive(stage: Stage) -> None:
    mapped = stage["b"]["map"]
    mapped[mapped.index(-1)] = 0


def no_surplus(stage: Stage) -> None:
    stage["surplus"] = []


def without_a_rule(stage: Stage) -> None:
    stage["rules"].pop()


def other_numbers(stage: Stage) -> None:
    """The first two classes exchange their numbers, wherever they occur."""
    rows = stage["classes"]
    rows[0], rows[1] = rows[1], rows[0]
    swapped = {0: 1, 1: 0}
    for side in ("a", "b"):
        stage[side]["map"] = [swapped.get(c, c) for c in stage[side]["map"]]
    for row in rows:
        row[1:] = [[swapped.get(c, c) for c in part] if isinstance(part, list) else part for part in row[1:]]


#: obligation, pair, what the forger does.
FORGERIES: list[tuple[str, str, Callable[[Stage], None]]] = [
    ("O1", "duplicate", shift),
    ("O2", "closure", elsewhere),
    ("O3", "closure", another_argument),
    ("O3", "binding", another_binding),
    ("O4", "duplicate", another_operand),
    ("O5", "copy", taken_for_its_operand),
    ("O6", "closure", not_handed_on),
    ("O7", "branch", another_choice),
    ("O8", "call", another_callee),
    ("O9", "surplus", another_token),
    ("O10", "effect", alive),
    ("O12", "surplus", no_surplus),
    ("O13", "duplicate", without_a_rule),
    ("O14", "duplicate", other_numbers),
]


@pytest.mark.parametrize("name", PAIRS)
def test_the_pairs_are_certified(name: str) -> None:
    (record,) = read(certificate(name))
    check(record, *PAIRS[name])


@pytest.mark.parametrize(("obligation", "name", "forge"), FORGERIES, ids=[o for o, _, _ in FORGERIES])
def test_a_forgery_breaks_its_obligation(obligation: str, name: str, forge: Callable[[Stage], None]) -> None:
    forged = certificate(name)
    forge(forged["stages"][0])
    (record,) = read(forged)
    with pytest.raises(Rejected) as caught:
        check(record, *PAIRS[name])
    assert caught.value.obligation == obligation, caught.value


def test_a_while_that_is_left_out_is_an_assumption() -> None:
    """O11: not to say that it must terminate is a forgery."""
    loop = (
        "%r = while(%x) : f32[] region (%c: f32[]) {\n%p = lt(%c, %y) : bool[]\nreturn %p\n} region (%d: f32[]) {\n"
        "%s = sin(%d) : f32[]\nreturn %s\n}\n"
    )
    pair = program(loop + "%n = neg(%x) : f32[]\nreturn %n"), program("%n = neg(%x) : f32[]\nreturn %n")
    whole = document([checked(*pair, compare(*pair, DEFAULT))])
    assert whole["stages"][0]["assumptions"] == [[0, 0]]
    whole["stages"][0]["assumptions"] = []
    (record,) = read(whole)
    with pytest.raises(Rejected, match="O13: other assumptions"):
        check(record, *pair)


def test_a_digest_is_of_everything_but_names_and_places() -> None:
    one = program("%s = sin(%x) : f32[]\nreturn %s").module
    assert artifact(one) == artifact(program("%other = sin(%x) : f32[]\nreturn %other").module)
    for text in ("%s = cos(%x) : f32[]\nreturn %s", "%s = sin(%y) : f32[]\nreturn %s",
                 "%s = sin(%x) : f32[]\nreturn %x",
                 "%s = sin(%x) {a = 1} : f32[]\nreturn %s"):  # fmt: skip
        assert artifact(one) != artifact(program(text).module)
