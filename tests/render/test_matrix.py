"""A matrix of verdicts as a person sees it, from answers made by hand."""

from __future__ import annotations

import json

import pytest

from scanir.cost import Cost
from scanir.facts.costs import CostTable
from scanir.matrix import Matrix, Pair, Variant, groups_of
from scanir.render.matrix import _group, cell, matrix_to_json, render_matrix, render_matrix_json, short
from scanir.result import Binding, StageDiff, Verdict

SAME, EQUAL, OTHER = Verdict.IDENTICAL, Verdict.EQUIVALENT, Verdict.DIFFERENT


def made(count: int, verdicts: dict[tuple[int, int], Verdict]) -> Matrix:
    """A matrix at one stage; pairs that are not listed differ."""
    pairs = [
        Pair(i, j, (StageDiff("hlo", verdicts.get((i, j), OTHER)),)) for i in range(count) for j in range(i + 1, count)
    ]
    cost = CostTable(Cost(ops=12, flops=3_456_789, bytes=45_678, copies=2), (), 5)
    variants = tuple(Variant(f"variant{k}", (("hlo", cost),), (("code", 21_200), ("temp", 96))) for k in range(count))
    return Matrix(variants, ("hlo",), tuple(pairs), (("hlo", tuple(range(count))),))


def test_pairs_are_found_in_either_order() -> None:
    found = made(5, {})
    for i in range(5):
        for j in range(5):
            if i != j:
                assert {found.pair(i, j).left, found.pair(i, j).right} == {i, j}


def test_one_screen() -> None:
    text = render_matrix(made(3, {(0, 1): SAME, (1, 2): EQUAL}))
    assert "1  variant0  A       12         5  3.46M  45.7k       2    96  21.2k" in text
    assert "2  variant1  I\n" in text
    assert "3  variant2  D  E\n" in text


def test_many_variants_make_blocks_that_fit() -> None:
    text = render_matrix(made(60, {(0, 59): SAME}), width=80)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "60  variant59  I" in text
    heads = [line.split() for line in text.splitlines() if line.split() and all(w.isdigit() for w in line.split())]
    assert [int(word) for head in heads for word in head] == list(range(1, 60))


def test_a_binding_is_no_equality() -> None:
    bound = StageDiff("hlo", EQUAL, bindings=(Binding("a", "x", "0.1"),))
    assert cell(Pair(0, 1, (bound, StageDiff("hlo", SAME)))) == "BI"
    pairs = (Pair(0, 1, (StageDiff("hlo", SAME),)), Pair(0, 2, (bound,)), Pair(1, 2, (StageDiff("hlo", EQUAL),)))
    assert groups_of(3, pairs, 0) == (0, 0, 1)


def test_a_group_holds_equal_pairs_only() -> None:
    chain = (Pair(0, 1, (StageDiff("hlo", EQUAL),)), Pair(0, 2, (StageDiff("hlo", OTHER),)))
    assert groups_of(3, (*chain, Pair(1, 2, (StageDiff("hlo", EQUAL),))), 0) == (0, 0, 1)


@pytest.mark.parametrize(("number", "name"), [(0, "A"), (25, "Z"), (26, "AA"), (51, "AZ"), (52, "BA")])
def test_names_of_groups(number: int, name: str) -> None:
    assert _group(number) == name


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0"), (9_999, "9999"), (12_345, "12.3k"), (999_999, "1000k"), (4_560_000, "4.56M")]
)
def test_short_numbers(number: int, text: str) -> None:
    assert short(number) == text


def test_json() -> None:
    found = matrix_to_json(made(2, {(0, 1): EQUAL}))
    assert list(found) == ["schema_version", "verdict", "exit_code", "stages", "variants", "pairs"]
    assert found["variants"][1]["groups"] == {"hlo": 1}
    assert found["variants"][0]["costs"]["hlo"]["flops"] == 3_456_789
    assert found["pairs"][0]["verdict"] == "EQUIVALENT"
    assert json.loads(render_matrix_json(made(2, {})))["exit_code"] == 1
