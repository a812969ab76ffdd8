"""The verifier: well-formed modules pass, each broken rule is found and named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

from scanir.errors import ScanirError
from scanir.ir.attrs import Array, Attr, Bool, Hidden, Int, Record, Seq, Symbol, Text, array
from scanir.ir.builder import RegionBuilder
from scanir.ir.conventions import agree
from scanir.ir.graph import Function, Module, Op, Region, Value
from scanir.ir.types import TOKEN, OpaqueType, TensorType, TupleType, Type
from scanir.ir.verify import problems, verify
from tests.ir.strategies import modules

F32, I32, BOOL = TensorType("f32"), TensorType("i32"), TensorType("bool")
VEC = TensorType("f32", (3,))
MAT = TensorType("f32", (5, 3))
EMPTY = Region((), (), ())


@given(modules())
def test_well_formed_modules_have_no_problems(module: Module) -> None:
    assert problems(module) == ()
    verify(module)


def whats(build: Callable[[RegionBuilder], None], dialect: str = "jaxpr", *others: Function) -> list[str]:
    """What is wrong with a module whose main function was built so."""
    builder = RegionBuilder()
    build(builder)
    module = Module(dialect, (Function("main", builder.region(())), *others), "main")
    return [problem.what for problem in problems(module)]


def region(params: list[Type], results: list[Type]) -> Region:
    """A closed region with this interface."""
    builder = RegionBuilder()
    for type in params:
        builder.param(type)
    return builder.region([builder.op("make", (), [type])[0] for type in results])


def function(name: str, params: list[Type], results: list[Type]) -> Function:
    return Function(name, region(params, results))


def test_error_says_what_where_and_hint() -> None:
    value = Value(F32, "x")
    module = Module("jaxpr", (Function("main", Region((), (), (value,))),), "main", name="m")
    with pytest.raises(ScanirError, match="main: value x is used before its definition") as caught:
        verify(module)
    assert caught.value.where == "module m (jaxpr)"
    assert "bug" in caught.value.hint


def test_error_shows_the_first_ten() -> None:
    values = tuple(Value(F32, f"v{k}") for k in range(12))
    module = Module("jaxpr", (Function("main", Region((), (), values)),), "main")
    assert len(problems(module)) == 12
    with pytest.raises(ScanirError, match=r"(?s)value v9 is.*and 2 more"):
        verify(module)


def test_use_before_definition_and_out_of_region() -> None:
    def build(main: RegionBuilder) -> None:
        inner = RegionBuilder()
        (hidden,) = inner.op("make", (), [F32], names=["hidden"])
        main.op("outer", (), [], regions=[inner.region([])])
        main.op("neg", [hidden], [F32])

    assert whats(build) == ["value hidden is used outside of its region"]


def test_an_op_does_not_see_its_own_results_in_its_regions() -> None:
    result = Value(F32, "r")
    inner = Region((), (Op("neg", (result,), ()),), ())
    main = Region((), (Op("outer", (), (result,), (), (inner,)),), (result,))
    found = problems(Module("jaxpr", (Function("main", main),), "main"))
    assert [(problem.where, problem.what) for problem in found] == [
        ("main/0:outer/0:neg", "value r is used before its definition")
    ]


def test_a_value_of_another_function_is_not_visible() -> None:
    (x,) = (Value(F32, "x"),)
    first = Function("f", Region((x,), (), ()))
    main = Function("main", Region((), (), (x,)))
    assert [problem.what for problem in problems(Module("jaxpr", (first, main), "main"))] == [
        "value x is used outside of its region"
    ]


def test_a_value_is_defined_once() -> None:
    value = Value(F32, "x")
    main = Region((value,), (Op("a", (), (value,)),), ())
    found = problems(Module("jaxpr", (Function("main", main),), "main"))
    assert [problem.what for problem in found] == ["value x is defined twice"]


def test_captures_are_fine_but_in_hlo() -> None:
    def build(main: RegionBuilder) -> None:
        x = main.param(F32)
        main.op("outer", (), [], regions=[Region((), (Op("neg", (x,), ()),), ())])

    assert whats(build, "jaxpr") == whats(build, "stablehlo") == []
    assert whats(build, "hlo") == ["an HLO computation uses values from outside"]


def test_a_shared_region_must_be_closed() -> None:
    def build(main: RegionBuilder) -> None:
        x = main.param(F32)
        shared = Region((), (Op("neg", (x,), ()),), ())
        main.op("a", regions=[shared])
        main.op("b", regions=[shared, EMPTY, EMPTY])

    assert whats(build) == ["a shared region uses values from outside, or contains itself"]


def test_a_shared_region_met_first_inside_a_sibling() -> None:
    def build(main: RegionBuilder) -> None:
        main.op("outer", regions=[Region((), (Op("inner", (), (), (), (EMPTY,)),), ()), EMPTY])

    assert whats(build) == []


def test_control_must_be_visible() -> None:
    lost = Value(F32, "lost")
    assert whats(lambda main: main.op("a", control=[lost]) and None) == ["value lost is used before its definition"]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"dialect": "mhlo"}, "unknown dialect 'mhlo'"),
        ({"entry": "f"}, "no function is called 'f', the entry"),
        ({"functions": (Function("main", EMPTY), Function("main", region([], [])))}, "a second function of this name"),
        ({"attributes": (("b", Int(1)), ("a", Int(1)))}, "not sorted or not unique: 'b' before 'a'"),
        ({"attributes": (("a", Int(1)), ("a", Int(1)))}, "not sorted or not unique: 'a' before 'a'"),
        ({"attributes": (("a", Seq((Record((("b", Int(1)), ("a", Int(1)))),))),)}, "not sorted or not unique"),
        ({"attributes": (("a", Seq((Symbol("g"),))),)}, "an attribute names 'g', which is no function"),
        ({"functions": (Function("main", EMPTY, (), ((),)),)}, "1 lists of parameter attributes for 0 parameters"),
        ({"functions": (Function("main", EMPTY, (), (), ((),)),)}, "1 lists of result attributes for 0 results"),
        ({"functions": (Function("main", region([TensorType("f32", (-1,))], [])),)}, "a dimension is negative"),
        (
            {"functions": (Function("main", region([], [TensorType("f32", (), (("b", Int(1)), ("a", Int(1))))])),)},
            "not sorted or not unique",
        ),
    ],
)
def test_modules_and_functions(change: dict[str, object], what: str) -> None:
    module = replace(Module("jaxpr", (Function("main", EMPTY),), "main"), **change)  # type: ignore[arg-type]
    (problem,) = problems(module)
    assert what in problem.what


def op(
    name: str,
    operands: list[Type],
    results: list[Type],
    attrs: dict[str, Attr] | None = None,
    regions: list[Region] | None = None,
) -> Callable[[RegionBuilder], None]:
    """A builder of one op whose operands are parameters of the function."""

    def build(main: RegionBuilder) -> None:
        main.op(name, [main.param(type) for type in operands], results, attrs, regions or [])

    return build


ONE = array("f32", (), b"\0\0\x80\x3f")
SCAN: dict[str, Attr] = {"num_carry": Int(1), "length": Int(5), "reverse": Bool(False)}
BODY = region([F32, VEC], [F32, I32])
YS = TensorType("i32", (5,))
LAID_OUT = TensorType("f32", (3,), (("layout", Text("x")),))


@pytest.mark.parametrize(
    "build",
    [
        op("constant", [], [F32], {"value": ONE}),
        op("constant", [], [TensorType("f32", (9,))], {"value": array("f32", (9,), ONE.data * 9)}),
        op("constant", [], [F32], {"value": Hidden("elided", "{...}", "print it in full")}),
        op("scan", [F32, MAT], [F32, YS], SCAN, [BODY]),
        op("scan", [F32, TensorType("f32", ("n", 3))], [F32, TensorType("i32", ("n",))], {"num_carry": Int(1)}, [BODY]),
        op("while", [F32, I32], [F32, I32], {}, [region([F32, I32], [BOOL]), region([F32, I32], [F32, I32])]),
        op("while", [VEC], [LAID_OUT], {}, [region([VEC], [BOOL]), region([VEC], [VEC])]),
        op("cond", [I32, F32], [VEC], {}, [region([F32], [VEC]), region([F32], [VEC])]),
        op("conditional", [I32, F32, VEC], [VEC], {}, [region([F32], [VEC]), region([VEC], [VEC])]),
        op("stablehlo.if", [BOOL], [VEC], {}, [region([], [VEC]), region([], [VEC])]),
        op("jit", [F32], [VEC], {"callee": Symbol("f")}),
        op("fusion", [F32], [TensorType("f32", ("n",))], {"callee": Symbol("f")}),
        op("anything", [F32], [VEC], {}, [region([VEC], [])]),
    ],
)  # fmt: skip
def test_structured_ops_as_they_should_be(build: Callable[[RegionBuilder], None]) -> None:
    assert whats(build, "jaxpr", function("f", [F32], [VEC])) == []


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (op("constant", [F32], [F32], {"value": ONE}), "no operands, no regions and one result"),
        (op("constant", [], [F32]), "a constant's value is an array, one known by its digest"),
        (
            op("constant", [], [F32], {"value": Int(1)}),
            "a constant's value is an array, one known by its digest",
        ),
        (op("constant", [], [I32], {"value": ONE}), "value of the constant: number 0 is f32[] where i32[]"),
        (op("constant", [], [VEC], {"value": ONE}), "value of the constant: number 0 is f32[] where f32[3]"),
        (op("constant", [], [VEC], {"value": Array("f32", (3,), b"1234")}), "of 4 bytes where its type takes 12"),
        (op("constant", [], [VEC], {"value": Array("f32", (3,), b"12345678", True)}), "8 bytes where its type takes 4"),
        (op("scan", [F32, MAT], [F32, YS], {}, [BODY]), "scan lacks the regions, operands or attributes"),
        (op("scan", [F32, MAT], [F32, YS], SCAN), "scan lacks the regions, operands or attributes"),
        (op("scan", [F32, MAT], [F32, YS], SCAN | {"num_carry": Int(7)}, [BODY]), "num_carry is negative or larger"),
        (op("scan", [F32, MAT], [F32, YS], SCAN | {"num_carry": Int(-1)}, [BODY]), "num_carry is negative or larger"),
        (op("scan", [F32, MAT], [F32, YS], SCAN | {"length": Int(4)}, [BODY]), "without a leading dimension of 4"),
        (op("scan", [F32, F32], [F32, YS], SCAN, [BODY]), "scanned operand 0 is f32[], without"),
        (op("scan", [I32, MAT], [I32, YS], SCAN, [BODY]), "parameters of the body: number 0 is f32[] where i32[]"),
        (op("scan", [F32, MAT], [F32], SCAN, [BODY]), "1 results for 2 results of the body"),
        (op("scan", [F32, MAT], [VEC, YS], SCAN, [BODY]), "final values: number 0 is f32[3] where f32[]"),
        (op("scan", [F32, MAT], [F32, MAT], SCAN, [BODY]), "stacked result is f32[5,3] where the body yields i32[]"),
        (op("scan", [F32, MAT], [F32, YS], SCAN, [region([F32, VEC], [I32, I32])]), "next values of the body"),
        (op("scan", [F32, MAT], [F32, YS], SCAN, [region([F32], [F32, I32])]), "parameters of the body: 1 where 2"),
        (op("while", [F32], [F32], {}, [region([F32], [BOOL])]), "while lacks the regions"),
        (op("while", [F32], [F32], {}, [region([F32], [I32]), region([F32], [F32])]), "results of the condition"),
        (op("while", [F32], [F32], {}, [region([], [BOOL]), region([F32], [F32])]), "parameters of the condition"),
        (op("while", [F32], [F32], {}, [region([F32], [BOOL]), region([F32], [VEC])]), "results of the body"),
        (op("while", [F32], [VEC], {}, [region([F32], [BOOL]), region([F32], [F32])]), "results: number 0 is f32[3]"),
        (op("cond", [VEC, F32], [VEC], {}, [region([F32], [VEC])]), "the selector is f32[3], not a scalar"),
        (op("cond", [I32, F32], [VEC], {}, [region([I32], [VEC])]), "parameters of the branch 0: number 0 is i32[]"),
        (op("cond", [I32, F32], [VEC], {}, [region([F32], [F32])]), "results of the branch 0: number 0 is f32[]"),
        (op("cond", [I32, F32], [VEC], {}, [region([], [VEC])]), "cond lacks the regions, operands"),
        (op("conditional", [I32, F32], [F32], {}, [region([F32], [F32])] * 2), "conditional lacks the regions"),
        (op("jit", [F32], [VEC], {}), "jit lacks the regions, operands or attributes"),
        (op("jit", [F32], [VEC], {"callee": Symbol("g")}), "an attribute names 'g', which is no function"),
        (op("jit", [F32, F32], [VEC], {"callee": Symbol("f")}), "arguments of the call: 2 where 1 are wanted"),
        (op("call", [VEC], [VEC], {"callee": Symbol("f")}), "arguments of the call: number 0 is f32[3] where f32[]"),
        (op("func.call", [F32], [F32], {"callee": Symbol("f")}), "results of the call: number 0 is f32[] where f32[3]"),
    ],
)
def test_structured_ops_as_they_should_not_be(build: Callable[[RegionBuilder], None], what: str) -> None:
    found = whats(build, "jaxpr", function("f", [F32], [VEC]))
    assert any(what in problem for problem in found), found


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (F32, F32, True),
        (F32, I32, False),
        (VEC, F32, False),
        (TensorType("f32", (2,)), VEC, False),
        (TensorType("f32", ("n",)), VEC, True),
        (TensorType("f32", (), (("ref", Text("array")),)), F32, False),
        (TensorType("f32", (), (("weak_type", Bool(True)),)), F32, True),
        (TupleType((F32, TOKEN)), TupleType((F32, TOKEN)), True),
        (TupleType((F32,)), TupleType((F32, TOKEN)), False),
        (TupleType((TupleType((F32,)),)), TupleType((TupleType((I32,)),)), False),
        (OpaqueType("a"), OpaqueType("b"), False),
        (TOKEN, F32, False),
    ],
)
def test_agreement_of_types(left: Type, right: Type, same: bool) -> None:
    assert agree(left, right) is same
    assert agree(right, left) is same
