"""Paths and names: what reports print is found again, and nothing grows with the number of ways to a function."""

from __future__ import annotations

from typing import Any

import pytest

import scanir
from scanir.api import _target
from scanir.errors import ArgumentError
from scanir.facts.loops import loops
from scanir.facts.places import Places
from scanir.facts.request import Request, answer
from scanir.facts.select import at_path, select
from scanir.ir.attrs import Symbol
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Module
from scanir.ir.printer import print_module
from scanir.program import Argument, Interface, Program
from tests.compare.programs import F32, program, scan
from tests.facts.asks import DIALECTS, example

STAGES = ("jaxpr", "stablehlo", "hlo-in", "hlo")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_path_leads_to_its_op(dialect: str) -> None:
    places = Places.build(example(dialect))
    assert len({id(place.op) for place in places.all}) == len(places.all)
    for place in places.all:
        assert place in places.matching(place.path)
        assert place in places.matching(place.path.split("/", 1)[1])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_are_those_that_show_prints(dialect: str) -> None:
    one = example(dialect)
    places = Places.build(one)
    text = print_module(one.module)
    for place in places.all:
        if place.op.results:
            made = ", ".join(places.names[value] for value in place.op.results)
            body = text.split(f"func @{places.home(place)} ", 1)[1].split("\nfunc @", 1)[0]
            assert f"{made} = {place.op.name}(" in body


@pytest.mark.compat
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", ["carry", "swapped"])
def test_loops_have_the_numbers_and_paths_of_a_report(name: str, stage: str) -> None:
    table = scanir.table("loops", name, stage=stage)
    numbered = [row for row in table.rows if row.number is not None]  # type: ignore[union-attr]
    reported = [loop.left for loop in scanir.diff(name, name, stage=stage).loops]
    assert [(row.number, row.path) for row in numbered] == [
        (number, side.path) for number, side in enumerate(reported, 1) if side is not None
    ]
    places = Places.build(_target(name).trace((stage,))[stage])
    for row in numbered:
        (place,) = at_path(places, row.path).places
        assert place.op.name == row.kind


@pytest.mark.compat
@pytest.mark.parametrize("stage", STAGES)
def test_several_and_nested_loops_are_in_reading_order(stage: str) -> None:
    def f(x: Any) -> Any:
        from jax import lax

        y = lax.fori_loop(0, 3, lambda _, c: lax.fori_loop(0, 4, lambda _, d: d * 2.0 + x, c) + 1.0, x)
        return lax.fori_loop(0, 5, lambda _, c: c * 3.0 - x, y)

    answers = scanir.diff(f, f, 1.0, stage=stage).loops
    assert [loop.trip_count for loop in answers] == [3, 4, 5]
    table = scanir.table("loops", f, 1.0, stage=stage)
    assert [row.trips for row in table.rows] == [3, 4, 5]  # type: ignore[union-attr]


def test_a_part_of_a_path_may_be_picked() -> None:
    places = Places.build(example("jaxpr"))
    several = at_path(places, "main/scan/convert_element_type").places
    assert len(several) > 1
    assert at_path(places, "scan/convert_element_type[1]").places == several[1:2]
    assert at_path(places, "convert_element_type#2").places[0] == several[1]
    with pytest.raises(ArgumentError, match=r"there is no \[9\]"):
        at_path(places, "main/scan/convert_element_type[9]")


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"op": "scna"}, "no op is called scna"),
        ({"at": "main/scna"}, "nothing is at main/scna"),
        ({"line": "example.py:1"}, "no op was made by example.py:1"),
        ({"line": "other.py:1"}, "no op was made by a file other.py"),
        ({"op": "scan", "line": "example.py:28"}, "no op is selected by --op scan and --line example.py:28 together"),
    ],
)
def test_unknown_names_get_near_ones(asked: dict[str, str], says: str) -> None:
    with pytest.raises(ArgumentError) as problem:
        select(Places.build(example("jaxpr")), **asked)
    assert problem.value.what == says
    assert problem.value.hint
    if "scna" in says:
        assert "did you mean" in problem.value.hint
        assert "scan" in problem.value.hint


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (Request(loop=9), "there is no loop 9"),
        (Request(back="%999"), "no value of main is called %999"),
        (Request(back="result 9"), "there is no result 9"),
        (Request(back="@nowhere/%1"), "no function is called nowhere"),
        (Request(back="nonsense"), "no value is called nonsense"),
        (Request(table="loosp"), "there is no table loosp"),
        (Request(table="loops", op="mul"), "--loops is a table of the whole program and takes no selection"),
        (Request(depth=2), "--depth limits --back, which is not given"),
        (Request(back="result 0", depth=0), "a depth is 1 or more"),
    ],
)
def test_requests_that_cannot_be_answered(request_: Request, says: str) -> None:
    with pytest.raises(ArgumentError) as problem:
        answer(example("jaxpr"), request_)
    assert problem.value.what == says
    assert problem.value.hint


@pytest.mark.parametrize("dialect", DIALECTS)
def test_op_names_with_and_without_dialect(dialect: str) -> None:
    places = Places.build(example(dialect))
    found = select(places, op="add").places
    assert found
    assert found == select(places, op=found[0].op.name).places


def _doubling(levels: int) -> Program:
    """Functions that each call the one below twice: 2 ** levels ways to the innermost op."""
    functions = []
    below = ""
    for level in range(levels):
        builder = RegionBuilder()
        value = builder.param(F32)
        if not below:
            value = builder.op("sin", (value,), (F32,))[0]
        for _ in range(2 if below else 0):
            value = builder.op("jit", (value,), (F32,), {"callee": Symbol(below)})[0]
        below = f"f{level}"
        functions.append(Function(below, builder.region((value,))))
    x = Argument("x", F32, 0)
    return Program("jaxpr", Module("jaxpr", tuple(functions), below), Interface((x,), (0,)))


def test_many_ways_to_a_function_cost_nothing() -> None:
    """2**200 ways lead down: were they walked, this would not end."""
    one = _doubling(200)
    places = Places.build(one)
    path = "/".join(f"f{level}" for level in reversed(range(200))) + "/sin"
    assert [place.op.name for place in places.matching(path)] == ["sin"]
    assert places.matching(path.replace("f100", "f99")) == []
    found = answer(one, Request(back="result 0")).answer
    assert len(found.rows) == 2 * 199 + 1  # type: ignore[union-attr]
    for table in ("loops", "constants", "effects", "keys", "kept-args", "aliasing"):
        answer(one, Request(table=table))


def test_deep_nesting_is_no_recursion() -> None:
    builder = RegionBuilder()
    x = builder.param(F32)
    region = builder.region((builder.op("sin", (x,), (F32,))[0],))
    for _ in range(1500):
        outer = RegionBuilder()
        start = outer.param(F32)
        region = outer.region(scan(outer, (start,), region, 2))
    top = RegionBuilder()
    start = top.param(F32, "x")
    one = program(top, scan(top, (start,), region, 2))
    places = Places.build(one)
    assert len(places.all) == 1502
    assert places.all[-1].path.count("scan") == 1501
    assert len(answer(one, Request(back="result 0")).answer.rows) == 1502  # type: ignore[union-attr]


def test_programs_without_terms_still_list_their_loops() -> None:
    """Functions that call each other in a cycle have no closed form."""
    body = RegionBuilder()
    body.op("jit", (body.param(F32),), (F32,), {"callee": Symbol("f")})
    builder = RegionBuilder()
    x = builder.param(F32)
    (y,) = scan(builder, (x,), _once())
    (z,) = builder.op("jit", (y,), (F32,), {"callee": Symbol("f")})
    module = Module("jaxpr", (Function("f", builder.region((z,))),), "f")
    one = Program("jaxpr", module, Interface((Argument("x", F32, 0),), (0,)))
    table = loops(Places.build(one))
    assert [(row.number, row.path, row.slots[0].kind) for row in table.rows] == [(1, "f/scan", "unknown")]
    assert "cycle" in table.notes[0]


def _once() -> Any:
    builder = RegionBuilder()
    return builder.region((builder.op("sin", (builder.param(F32),), (F32,))[0],))
