"""Both sides op by op: each beside its partner, in the names of the left side."""

from __future__ import annotations

from scanir.align.listing import listing
from tests.align.sides import CHAIN, program
from tests.align.test_changes import LOOP, MAIN


def rows(a: str, b: str, before: tuple[str, str] = ("", "")) -> dict[str, list[tuple[str, str, str]]]:
    found = listing(program(a, before[0]), program(b, before[1]))
    return {region.path: [(op.kind, op.left, op.right) for op in region.ops] for region in found}


def test_renamed_and_reordered_ops_are_the_same() -> None:
    other = "b = f32[4] parameter(1)\na = f32[4] parameter(0)\nq = f32[4] sine(a)\nr = f32[4] multiply(q, b)\n"
    ((_, found),) = rows(CHAIN, f"{other}e = f32[4] exponential(r)").items()
    assert {kind for kind, _, _ in found} == {"same"}
    assert [left for _, left, _ in found] == [right for _, _, right in found]


def test_an_op_put_in_stands_where_it_is() -> None:
    other = CHAIN.replace("m = ", "t = f32[4] tanh(s)\nm = ").replace("multiply(s", "multiply(t")
    ((_, found),) = rows(CHAIN, other).items()
    assert found == [
        ("same", "sine(x) -> f32[4]", "sine(x) -> f32[4]"),
        ("inserted", "", "tanh(sine) -> f32[4]"),
        ("changed", "multiply(sine, y) -> f32[4]", "multiply(tanh, y) -> f32[4]"),
        ("same", "exponential(multiply) -> f32[4]", "exponential(multiply) -> f32[4]"),
    ]
    ((_, back),) = rows(other, CHAIN).items()
    assert [kind for kind, _, _ in back] == ["same", "deleted", "changed", "same"]


def test_another_attribute_is_shown_on_both_sides() -> None:
    found = rows(MAIN, MAIN, (LOOP, LOOP.replace("direction=LT", "direction=LE")))
    (changed,) = [row for region in found.values() for row in region if row[0] != "same"]
    assert [text.partition("{")[2] for text in changed[1:]] == ["direction=LT}", "direction=LE}"]


def test_other_values_of_one_name_are_a_change() -> None:
    """A value of the right side may be called as another one of the left is."""
    text = "x = f32[4] parameter(0)\ny = f32[4] parameter(1)\ns = f32[4] sine(x)\nt = f32[4] negate(s)\n"
    other = text.replace("t = f32[4] negate(s)", "u = f32[4] sine(y)\nv = f32[4] sine(u)\nt = f32[4] negate(v)")
    ((_, found),) = rows(text, other).items()
    assert [kind for kind, _, _ in found].count("same") < len(found)
    assert all(left != right for kind, left, right in found if kind == "changed")


def test_regions_of_one_side_alone() -> None:
    helper = "f {\n  p = f32[4] parameter(0)\n  ROOT t = f32[4] tanh(p)\n}\n"
    call = "x = f32[4] parameter(0)\ny = f32[4] parameter(1)\nc = f32[4] call(x), to_apply=f"
    found = rows(CHAIN, call, ("", helper))
    assert found["main/f"] == [("inserted", "", "tanh(p) -> f32[4]")]
