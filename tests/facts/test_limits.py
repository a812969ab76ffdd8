"""Limits on programs that are written here as text: what is over, what is kept, and what nobody knows."""

from __future__ import annotations

from typing import Any

import pytest

from scanir.facts.limits import Kept, Limits, limits
from scanir.facts.places import Places
from scanir.targets.artifact import read_text

LOOP = """HloModule m

host {
  h = f32[] parameter(0)
  ROOT c = f32[] custom-call(h), custom_call_target="xla_ffi_python_cpu_callback", custom_call_has_side_effect=true
}

left {
  l = f32[8] parameter(0)
  ROOT lc = f32[8] copy(l), metadata={op_name="f" source_file="f.py" source_line=7}
}
right { r = f32[8] parameter(0)  ROOT rs = f32[8] sine(r) }

body {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  p = pred[] compare(i, one), direction=LT
  y = f32[8] conditional(p, x, x), true_computation=left, false_computation=right
  ROOT t = (s32[], f32[8]) tuple(j, y)
}

test {
  s = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}

ENTRY main {
  a = f32[8] parameter(0)
  start = s32[] START
  init = (s32[], f32[8]) tuple(start, a)
  w = (s32[], f32[8]) while(init), condition=test, body=body, metadata={op_name="w" source_file="f.py" source_line=9}
  ROOT out = f32[8] get-tuple-element(w), index=1
}
"""
KNOWN = LOOP.replace("START", "constant(0)")
UNKNOWN = LOOP.replace("START", "parameter(1)")


def stand(text: str, **wanted: Any) -> list[Kept]:
    program = read_text(text).trace(("hlo",))["hlo"]
    return list(limits(Places.build(program), Limits(**wanted)))


def one(text: str, **wanted: Any) -> Kept:
    (kept,) = stand(text, **wanted)
    return kept


def entry(*lines: str) -> str:
    return "HloModule m\nENTRY main {\n  x = f32[4,4] parameter(0)\n  " + "\n  ".join(lines) + "\n}\n"


@pytest.mark.parametrize(("allowed", "state"), [(4, "over"), (5, "kept"), (6, "kept")])
def test_a_total_counts_each_trip_and_the_side_of_a_branch_that_has_most(allowed: int, state: str) -> None:
    """The other side costs more work, and has no copy."""
    kept = one(KNOWN, counts=(("copies", allowed),))
    assert (kept.state, kept.measured) == (state, "5")


def test_the_op_at_fault_is_named_with_its_line() -> None:
    kept = one(KNOWN, counts=(("copies", 0),))
    assert (kept.file, kept.line) == ("f.py", 7)
    assert kept.path.endswith("while/conditional.0/copy")
    assert kept.what == "5 copies in all, at most 0 allowed"


@pytest.mark.parametrize(("allowed", "state"), [(0, "over"), (1, "kept")])
def test_a_trip_has_limits_of_its_own(allowed: int, state: str) -> None:
    kept = one(UNKNOWN, per_trip=(("copies", allowed),))
    assert (kept.limit, kept.state, kept.measured) == ("per-trip copies", state, "1")


def test_a_total_over_an_unknown_number_of_trips_is_never_kept() -> None:
    kept = one(UNKNOWN, counts=(("copies", 100),))
    assert (kept.state, kept.measured, kept.line) == ("unknown", "1 or more", 9)
    assert "number of trips is not known" in kept.what
    assert one(UNKNOWN, counts=(("copies", 0),)).state == "over"


def test_what_no_loop_touches_is_known_all_the_same() -> None:
    assert [kept.state for kept in stand(UNKNOWN, counts=(("collectives", 0), ("instructions", 99)))] == ["kept"] * 2


def test_the_work_of_an_op_that_nobody_counts_is_unknown() -> None:
    text = entry('y = f32[4,4] custom-call(x), custom_call_target="mystery"', "ROOT z = f32[4,4] add(y, y)")
    assert [(k.limit, k.state) for k in stand(text, counts=(("flops", 99), ("bytes", 9999)))] == [
        ("flops", "unknown"), ("bytes", "kept"),
    ]  # fmt: skip
    assert one(text, counts=(("flops", 15),)).state == "over"


def test_bytes_that_a_file_does_not_tell() -> None:
    assert one(KNOWN, sizes=(("temp-bytes", 10**12),)).state == "unknown"


def test_a_callback_in_a_function_that_a_branch_of_a_loop_calls() -> None:
    text = KNOWN.replace(
        "ROOT rs = f32[8] sine(r)", "z = f32[] constant(0)  k = f32[] call(z), to_apply=host  ROOT rs = f32[8] sine(r)"
    )
    kept = one(text, no_callback_in_loop=True)
    assert kept.state == "over"
    assert kept.path.endswith("custom-call")
    assert one(KNOWN, no_callback_in_loop=True).state == "kept"


def test_a_callback_outside_of_loops_is_allowed() -> None:
    text = entry('ROOT y = f32[4,4] custom-call(x), custom_call_target="xla_ffi_python_cpu_callback"')
    assert one(text, no_callback_in_loop=True).state == "kept"
    assert one(text, counts=(("callbacks", 0),)).state == "over"


def test_dtypes_inside_of_tuples_and_of_arguments() -> None:
    text = entry("y = f64[4,4] convert(x)", "t = (f64[4,4]) tuple(y)", "ROOT z = f32[4,4] convert(y)")
    assert one(text, forbid_dtypes=("f64",)).what == "2 ops make values of type f64: convert"
    assert one(text, forbid_dtypes=("bf16",)).state == "kept"
    assert one(entry("ROOT y = f64[4,4] convert(x)"), forbid_dtypes=("f32",)).what == "an argument has type f32"


def test_ops_by_opcode() -> None:
    text = entry('ROOT y = f32[4,4] sine(x), metadata={op_name="y" source_file="f.py" source_line=3}')
    over, kept = stand(text, forbid_ops=("sine", "cosine"))
    assert (over.state, over.line, kept.state) == ("over", 3, "kept")


@pytest.mark.parametrize(("allowed", "state"), [(15, "over"), (16, "kept")])
def test_constants(allowed: int, state: str) -> None:
    text = entry("c = f32[4] constant({1,2,3,4})", "ROOT y = f32[4,4] broadcast(c), dimensions={0}")
    assert one(text, max_constant_bytes=allowed).state == state


def test_an_elided_constant_is_as_large_as_its_type_says() -> None:
    text = entry("c = f32[400] constant({...})", "ROOT y = f32[4,400] broadcast(c), dimensions={1}")
    assert one(text, max_constant_bytes=1599).state == "over"
    assert one(text, max_constant_bytes=1600).state == "kept"


DOT = "ROOT y = f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}"


@pytest.mark.parametrize(
    ("line", "wanted", "state"),
    [
        (DOT, "highest", "over"),
        (DOT, "default", "kept"),
        (DOT + ", operand_precision={highest,highest}", "highest", "kept"),
        (DOT + ", operand_precision={highest,default}", "highest", "over"),
        (DOT + ", operand_precision={high,high}", "highest", "over"),
        (DOT + ", operand_precision={high,highest}", "high", "kept"),
        (DOT + ", algorithm=dot_bf16_bf16_f32", "high", "over"),
        (DOT + ", algorithm=dot_f32_f32_f32", "highest", "kept"),
        ('ROOT y = f32[4,4] custom-call(x, x), custom_call_target="__cublas$gemm"', "highest", "unknown"),
        ('ROOT y = f32[4,4] custom-call(x, x), custom_call_target="mine"', "highest", "kept"),
    ],
)
def test_the_precision_of_products(line: str, wanted: str, state: str) -> None:
    assert one(entry(line), require_dot_precision=wanted).state == state


def test_products_of_integers_are_exact() -> None:
    text = entry("i = s32[4,4] convert(x)", DOT.replace("f32", "s32").replace("(x, x)", "(i, i)"))
    assert one(text, require_dot_precision="highest").state == "kept"
