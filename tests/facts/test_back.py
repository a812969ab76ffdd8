"""Slices: exactly the ops that lead to a value."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scanir.facts.back import backward
from scanir.facts.places import Places
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Value
from tests.compare.programs import F32, program, scan
from tests.facts.asks import example

PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=20)


@given(PAIRS)
def test_a_slice_is_the_set_of_ancestors(pairs: list[tuple[int, int]]) -> None:
    builder = RegionBuilder()
    values = [builder.param(F32, "x"), builder.param(F32, "y")]
    parents: dict[Value, tuple[Value, Value]] = {}
    for left, right in pairs:
        operands = (values[left % len(values)], values[right % len(values)])
        (value,) = builder.op("add", operands, (F32,))
        parents[value] = operands
        values.append(value)
    places = Places.build(program(builder, values[-1:]))
    wanted, waiting = set(), [values[-1]]
    while waiting:
        value = waiting.pop()
        if value in parents and value not in wanted:
            wanted.add(value)
            waiting.extend(parents[value])
    found = backward(places, "result 0")
    assert [row.name for row in found.rows] == [places.names[value] for value in values if value in wanted]


def _moving(targets: list[int]) -> Places:
    """A loop whose slot k takes its next value, through an op of its own, from slot targets[k]."""
    outer = RegionBuilder()
    inits = [outer.param(F32, f"x{k}") for k in range(len(targets))]
    body = RegionBuilder()
    slots = [body.param(F32) for _ in targets]
    results = [body.op("sin", (slots[target],), (F32,))[0] for target in targets]
    return Places.build(program(outer, scan(outer, inits, body.region(results))))


@given(st.lists(st.integers(0, 4), min_size=5, max_size=5))
def test_through_a_loop_slot_by_slot(targets: list[int]) -> None:
    """Only the slots that a result needs are followed, with the updates on their way."""
    needed, slot = set(), 0
    while slot not in needed:
        needed.add(slot)
        slot = targets[slot]
    found = backward(_moving(targets), "result 0")
    assert found.arguments == tuple(f"x{k}" for k in sorted(needed))
    assert len(found.rows) == 1 + len(needed)


def test_depth_cuts_and_says_so() -> None:
    places = Places.build(example("jaxpr"))
    whole, near = backward(places, "result 0"), backward(places, "result 0", 2)
    assert 0 < len(near.rows) < len(whole.rows)
    assert {row.path for row in near.rows} <= {row.path for row in whole.rows}
    assert (whole.left_out, near.left_out > 0) == (0, True)
    assert all(row.distance < 2 for row in near.rows)


def test_effects_on_the_way_are_counted() -> None:
    assert backward(Places.build(example("jaxpr")), "result 0").effects == 0
    builder = RegionBuilder()
    (drawn,) = builder.op("rng_uniform", (builder.param(F32, "x"),), (F32,))
    assert backward(Places.build(program(builder, (drawn,))), "result 0").effects == 1


def test_values_by_name_path_and_argument() -> None:
    places = Places.build(example("jaxpr"))
    by_name = backward(places, "@_uniform/%3")
    assert by_name.rows[-1].path.endswith("_uniform/random_bits")
    assert backward(places, "_uniform/random_bits").rows == by_name.rows
    assert backward(places, "argument 1").rows == ()
