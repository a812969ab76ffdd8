"""Sides made differently: never IDENTICAL, and equal by default only where the IR shows all that it did to numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scanir.compare.verdict import compare
from scanir.ir.builder import RegionBuilder
from scanir.normalize.rules import DEFAULT, RULES, rule_set
from scanir.program import Program
from scanir.render.text import render_text
from scanir.result import Diff, StageDiff, Verdict
from tests.compare.programs import F32, program

FACTS = {"XLA_FLAGS": "", "jax": "1", "jax_enable_x64": "False", "jax_zork": "1", "compiler options": ""}


def made(stage: str = "jaxpr", *, twice: bool = False, **facts: str) -> Program:
    builder = RegionBuilder()
    x = builder.param(F32, "x")
    (y,) = builder.op("sin", (x,), (F32,))
    if twice:
        (y,) = builder.op("sin", (y,), (F32,))
    known = FACTS | {name.replace("__", " "): value for name, value in facts.items()}
    return replace(program(builder, (y,)), stage=stage, provenance=tuple(sorted(known.items())))


def answer(a: Program, b: Program, *args: Any, **options: Any) -> StageDiff:
    return compare(a, b, rule_set(*args, **options))


HARMLESS = [
    ("jaxpr", {"jax_enable_x64": "True"}),
    ("hlo", {"jax_enable_x64": "True", "jax": "2"}),
    ("jaxpr", {"XLA_FLAGS": "--xla_fast"}),
    ("stablehlo", {"compiler__options": "xla_fast=True"}),
]
TELLING = [("hlo", {"XLA_FLAGS": "--xla_fast"}), ("hlo", {"compiler__options": "fast"}), ("jaxpr", {"jax_zork": "2"})]


@pytest.mark.parametrize(("stage", "facts"), HARMLESS)
def test_what_the_ir_shows_is_set_aside_and_said(stage: str, facts: dict[str, str]) -> None:
    a, b = made(stage), made(stage, **facts)
    found = answer(a, b)
    assert (found.verdict, [use.rule for use in found.modulo]) == (Verdict.EQUIVALENT, ["provenance"])
    assert found.modulo[0].where == tuple(sorted(name.replace("__", " ") for name in facts))
    assert len(found.provenance) == len(facts)
    forbidden = answer(a, b, (), ["provenance"])
    assert forbidden.verdict is Verdict.DIFFERENT
    assert forbidden.reasons == ("EQUIVALENT if allowed: provenance",)
    minimal = answer(a, b, ["provenance"], strict=True)
    assert (minimal.verdict, minimal.modulo) == (Verdict.EQUIVALENT, found.modulo)
    assert answer(a, b, strict=True).verdict is Verdict.DIFFERENT


@pytest.mark.parametrize(("stage", "facts"), TELLING)
def test_what_may_change_numbers_is_allowed_by_name_only(stage: str, facts: dict[str, str]) -> None:
    a, b = made(stage), made(stage, jax_enable_x64="True", **facts)
    found = answer(a, b)
    assert (found.verdict, found.reasons) == (Verdict.DIFFERENT, ("EQUIVALENT if allowed: provenance",))
    for options in ({}, {"strict": True}):
        allowed = answer(a, b, ["provenance"], **options)
        assert [(use.rule, use.count) for use in allowed.modulo] == [("provenance", 2)]
    assert answer(a, b, strict=True).reasons == ("EQUIVALENT if allowed: provenance",)


def test_a_file_was_made_nobody_knows_how() -> None:
    file = replace(made(), provenance=())
    assert answer(file, made(XLA_FLAGS="--xla_fast")).verdict is Verdict.IDENTICAL
    assert answer(made(), made()).verdict is Verdict.IDENTICAL


def test_other_programs_stay_other_programs() -> None:
    found = answer(made(), made(twice=True, jax_enable_x64="True"))
    assert (found.verdict, found.reasons) == (Verdict.DIFFERENT, ())
    assert answer(made("hlo"), made("hlo", twice=True, XLA_FLAGS="x"), ["provenance"]).verdict is Verdict.DIFFERENT


def test_it_is_printed_before_the_verdict() -> None:
    row = answer(made(), made(jax_enable_x64="True"))
    text = render_text(Diff("x", "y", (row, replace(row, stage="hlo"))))
    first, verdict = text.splitlines()[:2]
    assert first == "the sides were made differently: jax_enable_x64 False against True"
    assert verdict.startswith("EQUIVALENT  x (a) and y (b)")
    row = answer(made(), made(jax_enable_x64="True", XLA_FLAGS="--xla_fast"))
    assert render_text(Diff("x", "y", (row,))).splitlines()[:4] == [
        "the sides were made differently:",
        "  XLA_FLAGS none against --xla_fast",
        "  jax_enable_x64 False against True",
        "EQUIVALENT  x (a) and y (b) at jaxpr",
    ]


def test_both_halves_are_one_name() -> None:
    assert len(DEFAULT - RULES.keys()) == 1
    assert not rule_set(strict=True)
    assert rule_set(["provenance"]) == DEFAULT | {"provenance"}
    assert rule_set((), ["provenance"]) == DEFAULT & RULES.keys()


def test_results_in_unlike_trees_are_shown() -> None:
    a, b = (
        replace(p, interface=replace(p.interface, output_tree=tree, results=("x",)))
        for p, tree in ((made(), "PyTreeDef({'aux': *})"), (made(), "PyTreeDef((*,))"))
    )
    (rule,) = answer(a, b).modulo
    assert (rule.rule, rule.where) == ("class:interface", ("result pytree: a returns {'aux': *}, b returns (*,)",))
