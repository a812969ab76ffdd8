"""One edit planted: one edit told, of its kind, at its op."""

from __future__ import annotations

import pytest

from scanir.result import Edit
from tests.align.sides import CHAIN, edits, how, program

LOOP = """
body {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[4] get-tuple-element(p), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  w = f32[4] sine(v)
  ROOT t = (s32[], f32[4]) tuple(n, w)
}

cond {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  ten = s32[] constant(10)
  ROOT lt = pred[] compare(i, ten), direction=LT
}
"""
MAIN = """
x = f32[4] parameter(0)
y = f32[4] parameter(1)
z = s32[] constant(0)
start = (s32[], f32[4]) tuple(z, x)
loop = (s32[], f32[4]) while(start), condition=cond, body=body
last = f32[4] get-tuple-element(loop), index=1
out = f32[4] subtract(last, y)
"""


def one(old: str, new: str) -> Edit:
    a, b = program(MAIN, LOOP), program(MAIN.replace(old, new), LOOP.replace(old, new))
    assert (MAIN + LOOP).count(old) == 1, "the edit is in one place"
    (found,) = edits(a, b)
    assert found.times == 1
    return found


@pytest.mark.parametrize(
    ("old", "new", "kind", "op", "path", "changed"),
    [
        ("sine(v)", "cosine(v)", "replace", "sine", "main/while:1/sine", ("sine", "cosine")),
        ("constant(10)", "constant(11)", "replace", "constant", "main/while:0/compare", ("10", "11")),
        ("direction=LT", "direction=LE", "replace", "compare", "main/while:0/compare", ("LT", "LE")),
        ("tuple(z, x)", "tuple(z, y)", "rewire", "tuple", "main/tuple", ("x", "y")),
        ("subtract(last, y)", "subtract(last, x)", "rewire", "subtract", "main/subtract", ("y", "x")),
        ("constant(0)", "constant(1)", "replace", "constant", "main/tuple", ("0", "1")),
    ],
)  # fmt: skip
def test_one_change_is_one_edit(old: str, new: str, kind: str, op: str, path: str, changed: tuple[str, str]) -> None:
    found = one(old, new)
    assert (found.kind, found.kind_class, found.op, found.path) == (kind, "semantics", op, path)
    assert found.left is not None
    assert found.right is not None
    assert (found.left.changed, found.right.changed) == changed


def test_an_op_put_in_and_left_out() -> None:
    other = CHAIN.replace("m = ", "t = f32[4] tanh(s)\nm = ").replace("multiply(s", "multiply(t")
    (put,) = edits(program(CHAIN), program(other))
    (left,) = edits(program(other), program(CHAIN))
    assert (put.kind, put.op, put.left) == ("insert", "tanh", None)
    assert (left.kind, left.op, left.right) == ("delete", "tanh", None)
    assert put.right is not None
    assert put.right.text == "tanh(sine) -> f32[4]"


def test_a_shape_at_an_argument_is_one_edit_and_what_follows_is_counted() -> None:
    from scanir.align.script import script
    from scanir.normalize.rules import DEFAULT

    one_argument = CHAIN.replace("y = f32[4] parameter(1)\n", "").replace("multiply(s, y)", "multiply(s, s)")
    a, b = program(one_argument), program(one_argument.replace("f32[4]", "f32[8]"))
    (edit,), _, consequences = script(a, b, DEFAULT)
    assert (edit.op, edit.what, edit.times) == ("argument", "type", 1)
    assert consequences == 3


def test_a_layout_is_of_its_class() -> None:
    wide = CHAIN.replace("f32[4]", "f32[4,2]")
    (found,) = edits(program(wide), program(wide.replace("m = f32[4,2] ", "m = f32[4,2]{0,1} ")))
    assert (found.kind_class, found.op, found.what) == ("layout", "multiply", "layout")


def test_the_same_change_in_several_places_is_one_entry() -> None:
    layers = "x = f32[4] parameter(0)\n" + "".join(
        f"e{k} = f32[4] {'sine' if k % 2 else 'exponential'}({f'e{k - 1}' if k else 'x'})\n" for k in range(12)
    )
    (found,) = edits(program(layers), program(layers.replace("sine", "cosine")))
    assert (found.times, len(found.places), found.op) == (6, 6, "sine")


def test_two_arguments_that_changed_places_are_one_reorder() -> None:
    other = CHAIN.replace("parameter(0)", "parameter(9)").replace("parameter(1)", "parameter(0)")
    (found,) = edits(program(CHAIN), program(other.replace("parameter(9)", "parameter(1)")))
    assert found.kind == "reorder"


def test_each_pair_remembers_its_matcher() -> None:
    found = how(program(CHAIN), program(CHAIN.replace("multiply", "divide")))
    assert found == {"sine": "exact", "exponential": "top-down", "multiply": "context"}


def test_a_constant_that_xla_spreads_out_has_the_line_of_what_computes_with_it() -> None:
    body = """
    x = f32[4] parameter(0)
    c = f32[] constant(1), metadata={source_file="t.py" source_line=3}
    b = f32[4] broadcast(c), dimensions={}, metadata={source_file="t.py" source_line=3}
    m = f32[4] multiply(x, b), metadata={source_file="t.py" source_line=7}
    """
    (found,) = edits(program(body), program(body.replace("constant(1)", "constant(2)")))
    for side in (found.left, found.right):
        assert side is not None
        assert side.line == 7
        assert side.path == "main/broadcast"
