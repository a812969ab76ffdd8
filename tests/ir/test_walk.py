"""Orders over the graph."""

from __future__ import annotations

from hypothesis import given

from scanir.ir.attrs import Int, Opaque, Record, Seq, Symbol, Text, TypeAttr
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Module, Op, Region, Value
from scanir.ir.types import TOKEN, TensorType, TupleType
from scanir.ir.walk import Use, attrs_in, captures, ops_of, regions_of, sites, symbols, uses
from tests.ir.strategies import modules

F32 = TensorType("f32")


def nested() -> tuple[Module, Value, Value]:
    """main(x): a loop with two regions, the second of which reads x and holds an inner op, then two adds."""
    main = RegionBuilder()
    x = main.param(F32)
    body = RegionBuilder()
    (y,) = body.op("mul", [x, x], [F32])
    body.op("inner", regions=[Region((), (Op("neg", (y,), ()),), ())])
    main.op("while", [x], [F32], regions=[Region((), (), ()), body.region([y])])
    (a,) = main.op("add", [x, x], [F32])
    main.op("add", [a, x], [F32])
    return Module("jaxpr", (Function("main", main.region([a])),), "main"), x, y


def test_ops_and_regions_in_order() -> None:
    module, _, _ = nested()
    body = module.functions[0].body
    assert [op.name for op in ops_of(body)] == ["while", "mul", "inner", "neg", "add", "add"]
    assert [len(region.ops) for region in regions_of(body)] == [3, 0, 2, 1]


def test_paths() -> None:
    module, _, _ = nested()
    found = [(site.path, site.depth) for site in sites(module)]
    assert found == [
        ("main/while", 1),
        ("main/while:1/mul", 2),
        ("main/while:1/inner", 2),
        ("main/while:1/inner/neg", 3),
        ("main/add", 1),
        ("main/add#2", 1),
    ]


def test_uses_are_in_order_and_deep() -> None:
    module, x, y = nested()
    body = module.functions[0].body
    loop, _, _ = body.ops
    inner = loop.regions[1]
    found = uses(body)
    assert [(use.op.name if use.op else None, use.index) for use in found[x]] == [
        ("while", 0),
        ("add", 0),
        ("add", 1),
        ("add", 1),
        ("mul", 0),
        ("mul", 1),
    ]
    last = found[y][0]
    assert isinstance(last, Use)
    assert (last.region, last.op, last.index) == (inner, None, 0)


def test_captures_are_free_values_at_any_depth() -> None:
    module, x, y = nested()
    body = module.functions[0].body.ops[0].regions[1]
    assert captures(body) == (x,)
    assert captures(body.ops[1].regions[0]) == (y,)
    assert captures(module.functions[0].body) == ()
    control = Value(F32)
    assert captures(Region((), (Op("a", (), (), (), (), (control,)),), (x,))) == (control, x)


def test_attributes_inside_attributes() -> None:
    layout = Opaque("layout", "{0,1}")
    type = TypeAttr(TupleType((TensorType("f32", (), (("layout", layout),)), TOKEN)))
    whole = Seq((Int(1), Record((("a", Symbol("f")), ("b", type))), Text("f")))
    record = whole.items[1]
    assert list(attrs_in([whole, Int(2)])) == [
        whole, Int(1), record, Symbol("f"), type, layout, Text("f"), Int(2)
    ]  # fmt: skip
    assert list(symbols((("k", whole),))) == ["f"]


@given(modules())
def test_every_op_is_met_once_in_every_order(module: Module) -> None:
    for function in module.functions:
        ops = list(ops_of(function.body))
        assert len(set(ops)) == len(ops)
        regions = list(regions_of(function.body))
        assert sum(len(region.ops) for region in regions) == len(ops)
    everywhere = [site.op for site in sites(module)]
    assert len(set(everywhere)) == len(everywhere)
    assert set(everywhere) == {op for function in module.functions for op in ops_of(function.body)}
    assert all(captures(function.body) == () for function in module.functions)


def test_sharing_costs_nothing() -> None:
    region = Region((), (), ())
    for _ in range(60):
        region = Region((), (Op("twice", (), (), (), (region, region)),), ())
    assert len(list(ops_of(region))) == 60
    assert len(list(sites(Module("hlo", (Function("main", region),), "main")))) == 60
