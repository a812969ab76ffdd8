"""Types in HLO text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.errors import ReadError
from scanir.ir.attrs import Int, Seq, Text
from scanir.ir.types import TOKEN, OpaqueType, TensorType, TupleType, Type
from scanir.readers.hlo import read_hlo

LAYOUT = ("layout", Text("0,1"))


def read(text: str) -> Type:
    return read_hlo(f"ENTRY e {{ ROOT p = {text} parameter(0) }}").function("e").body.params[0].type


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f32[]", TensorType("f32")),
        ("s32[2,3]", TensorType("i32", (2, 3))),
        ("pred[ 2, 3 ]{1,0}", TensorType("bool", (2, 3))),
        ("u8[7]{0}", TensorType("u8", (7,))),
        ("s4[7]{0:E(4)}", TensorType("i4", (7,), (("layout", Text("0:E(4)")),))),
        ("bf16[2,3]{0,1}", TensorType("bf16", (2, 3), (LAYOUT,))),
        ("f8e4m3fn[2,3] {0,1}", TensorType("f8e4m3fn", (2, 3), (LAYOUT,))),
        ("f32[2,3]{0,1:S(1)}", TensorType("f32", (2, 3), (LAYOUT, ("memory_space", Int(1))))),
        ("f32[2,3]{1,0:S(0)}", TensorType("f32", (2, 3))),
        ("f32[2,3]{1,0:S(5)}", TensorType("f32", (2, 3), (("memory_space", Int(5)),))),
        ("f32[]{:T(128)}", TensorType("f32", (), (("layout", Text(":T(128)")),))),
        (
            "f32[8,8]{1,0:T(8,128)(2,1)S(1)}",
            TensorType("f32", (8, 8), (("layout", Text("1,0:T(8,128)(2,1)")), ("memory_space", Int(1)))),
        ),
        ("f32[<=5,3]", TensorType("f32", (5, 3), (("bounds", Seq((Int(5), Int(-1)))),))),
        ("f32[?,3]", TensorType("f32", ("?", 3))),
        ("token[]", TOKEN),
        ("opaque[]", OpaqueType("opaque[]")),
        ("b(f32[3]{0})", OpaqueType("b(f32[3]{0})")),
        ("()", TupleType(())),
        ("(f32[], /*index=1*/(token[], ()))", TupleType((TensorType("f32"), TupleType((TOKEN, TupleType(())))))),
    ],
)
def test_types(text: str, expected: Type) -> None:
    assert read(text) == expected


@pytest.mark.parametrize("text", ["f32[x]", "f32[-1]", "(f32[],)", "(f32[] f32[])", "(,)", "f32", "(" * 70 + ")" * 70])
def test_no_types(text: str) -> None:
    with pytest.raises(ReadError):
        read(text)


@given(st.permutations([0, 1, 2, 3]))
def test_only_the_row_major_layout_is_left_unsaid(order: list[int]) -> None:
    found = read(f"f32[2,2,2,2]{{{','.join(map(str, order))}}}")
    assert isinstance(found, TensorType)
    assert (found == TensorType("f32", (2, 2, 2, 2))) == (order == [3, 2, 1, 0])
    assert found.extra("layout") == (None if order == [3, 2, 1, 0] else Text(",".join(map(str, order))))
