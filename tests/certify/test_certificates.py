"""Every EQUIVALENT and IDENTICAL has a certificate that the checker accepts, and only for the programs it is about."""

from __future__ import annotations

import json
from contextlib import nullcontext

import pytest

import scanir
from scanir.certify.produce import Uncertified, checked, document
from scanir.checker.certificate import read
from scanir.checker.check import check
from scanir.checker.digest import artifact
from scanir.checker.verdict import Rejected, Unreadable
from scanir.compare.verdict import compare
from scanir.errors import ScanirError
from scanir.normalize.rules import DEFAULT
from scanir.result import Diff
from tests.normalize.test_rules import PAIRS, Pair

pytestmark = pytest.mark.compat

EQUAL = [pair for pair in PAIRS if pair.rules]


@pytest.mark.parametrize("number", range(len(EQUAL)))
def test_each_rule_is_certified(number: int) -> None:
    """The certificate lists the rules that the verdict lists, and survives being written down."""
    pair = EQUAL[number]
    answer = compare(pair.left, pair.right, DEFAULT | {*pair.rules})
    record = checked(pair.left, pair.right, answer)
    assert {rule for rule, _ in record.rules} == {use.rule for use in answer.modulo}
    (again,) = read(json.loads(json.dumps(document([record]))))
    assert again == record
    check(again, pair.left, pair.right)


@pytest.mark.parametrize("number", range(len(EQUAL)))
def test_a_certificate_is_about_its_pair(number: int) -> None:
    """Of two other programs, or with the sides exchanged, it is rejected."""
    pair, other = EQUAL[number], EQUAL[number - 1]
    record = checked(pair.left, pair.right, compare(pair.left, pair.right, DEFAULT | {*pair.rules}))
    for left, right in ((pair.right, pair.left), (pair.left, other.right), (other.left, pair.right)):
        same = [artifact(p.module) for p in (left, right)] == [artifact(p.module) for p in (pair.left, pair.right)]
        with nullcontext() if same else pytest.raises(Rejected):
            check(record, left, right)


def different() -> Pair:
    return next(pair for pair in PAIRS if not pair.rules)


def test_what_differs_has_no_certificate() -> None:
    pair = different()
    with pytest.raises(Uncertified, match="DIFFERENT has no certificate"):
        checked(pair.left, pair.right, compare(pair.left, pair.right, DEFAULT | {*pair.rules}))


def test_an_answer_made_by_hand_has_none() -> None:
    with pytest.raises(ScanirError, match="made by hand"):
        Diff("a", "b", ()).certificate()


@pytest.mark.parametrize("damage", ["a key", "a type", "no object", "nothing", "schema", "a kind", "a field"])
def test_a_damaged_certificate_is_unreadable(damage: str) -> None:
    pair = EQUAL[0]
    whole = document([checked(pair.left, pair.right, compare(pair.left, pair.right, DEFAULT | {*pair.rules}))])
    stage = whole["stages"][0]
    match damage:
        case "a key":
            del stage["surplus"]
        case "a type":
            stage["classes"][0][1] = True
        case "no object":
            whole["stages"] = 3
        case "nothing":  # in which nothing would be rejected
            whole["stages"] = []
        case "schema":
            whole["schema_version"] = 2
        case "a kind":
            stage["classes"][0][0] = "magic"
        case _:
            stage["classes"][0].append(1)
    with pytest.raises(Unreadable):
        read(whole)


def test_verify_reads_the_sides_again() -> None:
    certificate = scanir.diff("lambda", "carry", stage="jaxpr,stablehlo").certificate()
    answer = scanir.verify(certificate)
    assert answer.accepted
    assert answer.stages == ("jaxpr", "stablehlo")
    assert scanir.verify(certificate, "lambda", "carry")
    refused = scanir.verify(certificate, "lambda", "swapped")
    assert (refused.accepted, refused.exit_code, refused.obligation, refused.stage) == (False, 1, "O1", "jaxpr")


def test_verify_traces_with_the_arguments_of_the_certificate() -> None:
    given = scanir.Arguments.parse("f32[3], f32[2,50], f32[], f32[]")
    certificate = scanir.diff("lambda", "carry", given, stage="jaxpr").certificate()
    assert certificate["stages"][0]["a"]["arguments"] == "f32[3], f32[2,50], f32[], f32[]"
    assert scanir.verify(certificate)
    certificate["stages"][0]["a"]["arguments"] = "f32[3], f32[2,51], f32[], f32[]"
    assert not scanir.verify(certificate)
