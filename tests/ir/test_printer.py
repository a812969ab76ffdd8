"""The printer and the parser, each the other's inverse."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.errors import ReadError
from scanir.ir.attrs import Array, Attr, Bool, Callable, Digest, Float, Int, Opaque, Seq, Text, TypeAttr, array
from scanir.ir.builder import RegionBuilder
from scanir.ir.elements import elements
from scanir.ir.graph import Function, Location, Module, Region, Value
from scanir.ir.parser import parse_attr, parse_module, parse_type
from scanir.ir.printer import Style, print_attr, print_module, print_type
from scanir.ir.types import TOKEN, OpaqueType, TensorType, TupleType, Type
from scanir.ir.verify import VerifyError, problems
from tests.ir.strategies import attrs, modules, texts, types

F32 = TensorType("f32")
VEC = TensorType("f32", (3,))


def example(name: str = "x") -> Module:
    main = RegionBuilder()
    s, xs = main.param(VEC, name), main.param(TensorType("f32", (100, 3)))
    body = RegionBuilder()
    carry, x = body.param(VEC), body.param(VEC)
    (y,) = body.op("mul", [carry, x], [VEC], location=Location("a.py", 7, "step"))
    results = main.op("scan", [s, xs], [VEC, xs.type], {"num_carry": Int(1), "length": Int(100)}, [body.region([y, y])])
    return Module("jaxpr", (Function("main", main.region(results)),), "main")


TEXT = """\
module jaxpr entry @main

func @main (%0: f32[3], %1: f32[100,3]) {
  %2, %3 = scan(%0, %1) {length = 100, num_carry = 1} : f32[3], f32[100,3] region (%4: f32[3], %5: f32[3]) {
    %6 = mul(%4, %5) : f32[3]
    return %6, %6
  }
  return %2, %3
}
"""


def test_text_of_a_module() -> None:
    assert print_module(example()) == TEXT


def test_names_and_locations_are_printed_only_when_asked_for() -> None:
    assert print_module(example("y")) == TEXT
    text = print_module(example("y"), Style(names=True, locations=True))
    assert "func @main (%y: f32[3], %1:" in text
    assert '%6 = mul(%4, %5) : f32[3] at("a.py": 7, "step")' in text


@pytest.mark.compat
@given(modules(), st.booleans(), st.booleans())
def test_parser_is_the_inverse_of_the_printer(module: Module, names: bool, locations: bool) -> None:
    style = Style(names=names, locations=locations)
    text = print_module(module, style)
    parsed = parse_module(text)
    assert print_module(parsed, style) == text
    assert print_module(parsed) == print_module(module)
    assert problems(parsed) == ()
    assert text.isascii()


@given(modules(), modules())
def test_equal_text_means_equal_contents(left: Module, right: Module) -> None:
    assert (print_module(left) == print_module(right)) == (_contents(left) == _contents(right))


def _contents(module: Module) -> object:
    """A module as nested tuples, values and shared regions by number; written apart from the printer."""
    numbers: dict[object, int] = {}

    def number(thing: object) -> int:
        return numbers.setdefault(thing, len(numbers))

    def region(node: Region) -> object:
        if node in numbers:
            return number(node)
        params = [(number(param), repr(param.type)) for param in node.params]
        ops = [
            (
                op.name,
                [number(value) for value in op.operands],
                [number(value) for value in op.control],
                [(number(value), repr(value.type)) for value in op.results],
                repr(op.attributes),
                [region(inner) for inner in op.regions],
            )
            for op in node.ops
        ]
        return number(node), params, ops, [number(value) for value in node.results]

    functions = [(repr(dataclasses.replace(f, body=_EMPTY)), region(f.body)) for f in module.functions]
    return module.dialect, module.entry, module.name, repr(module.attributes), functions


_EMPTY = Region((), (), ())


@given(attrs)
def test_attributes_come_back(attr: Attr) -> None:
    assert parse_attr(print_attr(attr)) == attr


@given(types)
def test_types_come_back(type: Type) -> None:
    assert parse_type(print_type(type)) == type


@given(texts)
def test_strings_come_back(text: str) -> None:
    printed = print_attr(Text(text))
    assert parse_attr(printed) == Text(text)
    assert printed.isascii()
    assert "\n" not in printed


@pytest.mark.parametrize(
    ("attr", "text"),
    [
        (Float.of(0.1), "0.1"),
        (Float.of(-0.0), "-0.0"),
        (Float.of(1e-6), "1e-06"),
        (Float.of(float("inf")), "float(0x7ff0000000000000)"),
        (Float(0x7FF8000000000001), "float(0x7ff8000000000001)"),
        (Int(1), "1"),
        (Int(-(2**64)), "-0x10000000000000000"),
        (Bool(True), "true"),
        (Text('a"b\\\n\u00e9\ud800'), '"a\\"b\\\\\\n\\u{e9}\\u{d800}"'),
        (array("f32", (2,), bytes.fromhex("cdcccc3d00000080")), "array(f32[2], 0xcdcccc3d00000080 /* 0.1, -0.0 */)"),
        (array("i8", (300,), b"\xff" * 300), "splat(i8[300], 0xff /* -1 */)"),
        (TypeAttr(TupleType((TOKEN, OpaqueType("t")))), 'type (token, opaque "t")'),
        (
            TypeAttr(TensorType("f32", ("n", 2), (("layout", Opaque("k", "l")),))),
            'type f32[n,2]<layout = opaque("k", "l")>',
        ),
    ],
)
def test_text_of_attributes(attr: Attr, text: str) -> None:
    assert print_attr(attr) == text
    assert parse_attr(text) == attr


def test_large_payloads_are_full_or_a_digest() -> None:
    large = array("u8", (1000,), bytes(k % 251 for k in range(1000)))
    assert parse_attr(print_attr(large)) == large
    short = print_attr(large, Style(digests=True))
    assert len(short) < 120
    other = Array("u8", (1000,), large.data[:-1] + b"\0")
    assert print_attr(other, Style(digests=True)) != short
    assert parse_attr(short) == Digest.of(large) != Digest.of(other)
    assert print_attr(Digest.of(large)) == short


def test_a_callable_loses_only_its_identity() -> None:
    assert parse_attr(print_attr(Callable("f", "abc", 12345))) == Callable("f", "abc", 0)


def test_a_shared_region_is_printed_once_and_stays_shared() -> None:
    inner = RegionBuilder()
    a, b = inner.param(F32), inner.param(F32)
    shared = inner.region(inner.op("add", [a, b], [F32]))
    main = RegionBuilder()
    x = main.param(VEC)
    first = main.op("reduce", [x], [F32], regions=[shared])
    second = main.op("reduce", [x], [F32], regions=[shared])
    module = Module("hlo", (Function("main", main.region([*first, *second])), Function("add", shared)), "main")
    text = print_module(module)
    assert text.count("add(%") == 1
    parsed = parse_module(text)
    ops = parsed.functions[0].body.ops
    assert ops[0].regions[0] is ops[1].regions[0] is parsed.functions[1].body


def test_doubly_shared_regions_cost_what_they_hold() -> None:
    region = Region((), (), ())
    for _ in range(60):
        builder = RegionBuilder()
        builder.op("twice", regions=[region, region])
        region = builder.region(())
    module = Module("hlo", (Function("main", region),), "main")
    text = print_module(module)
    assert len(text) < 20_000
    assert print_module(parse_module(text)) == text
    assert problems(module) == ()


def test_nesting_has_no_limit() -> None:
    attr: Attr = Int(1)
    type: Type = F32
    region = Region((), (), ())
    for _ in range(3000):
        attr = Seq((attr,))
        type = TupleType((type,))
        builder = RegionBuilder()
        builder.op("inside", regions=[region])
        region = builder.region(())
    assert print_attr(parse_attr(print_attr(attr))) == print_attr(attr)
    assert print_type(parse_type(print_type(type))) == print_type(type)
    module = Module("jaxpr", (Function("main", region),), "main")
    assert print_module(parse_module(print_module(module))) == print_module(module)
    assert problems(module) == ()


def test_a_value_without_definition_is_refused() -> None:
    main = RegionBuilder()
    main.op("neg", [Value(F32, "lost")], [F32])
    with pytest.raises(VerifyError, match="before its definition"):
        print_module(Module("jaxpr", (Function("main", main.region(())),), "main"))


@pytest.mark.parametrize(
    ("old", "new", "where", "what"),
    [
        ("mul(%4, %5", "mul(%4, %9", "5:18", "no value before this one"),
        ("%6 = mul", "%4 = mul", "5:5", "defined twice"),
        ("return %6, %6", "", "7:3", "op's name is missing"),
        ("length = 100", "length 100", "4:33", "'=' is missing"),
        ("num_carry = 1", "num_carry = huge", "4:52", "no attribute starts"),
        (": f32[3], f32[100,3] region", ": f32[3] region", "4:64", "',' is missing"),
        ("entry @main", "entry main", "1:20", "'@' is missing"),
        ("region (", "region ^4 {", "4:83", "no region before this one"),
        ("mul", "m`l", "5:11", "no word starts here"),
        ("return %2, %3\n}", "return %2, %3\n", "10:1", "'}' is missing"),
        ("{length", '{"\\q', "4:26", "no word starts here"),
        ("{length", '{"\\q"', "4:26", "unknown escape"),
    ],
)
def test_errors_name_line_and_column(old: str, new: str, where: str, what: str) -> None:
    assert old in TEXT
    with pytest.raises(ReadError) as caught:
        parse_module(TEXT.replace(old, new, 1), "x.ir")
    assert what in caught.value.what
    assert caught.value.where == f"x.ir:{where}"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("1 2", "the end of the text is missing"),
        ("0x", "not an integer"),
        ("float(0x1ffffffffffffffff)", "a float has 64 bits"),
        ("float(1.5)", "not an integer"),
        ("array(f32[2], 12)", "not a payload"),
        ("array(f32[2], 0x123)", "not a payload"),
        ('array(f32[2], b64 "x")', "not a payload"),
        ('"\\u{110000}"', "unknown escape"),
        ('hidden("a", "b")', "',' is missing"),
        ("[1 2]", "',' is missing"),
        ("type opaque", "a string is missing"),
        ("", "an attribute is missing: the line or text ends"),
    ],
)
def test_malformed_attributes_are_refused(text: str, what: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse_attr(text)
    assert what in caught.value.what


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("a() region ^0 () {\nreturn\n} region ^0 () {\nreturn\n}", "a second region with this label"),
        ("a() region ^0 () {\nb() region ^0\nreturn\n}", "no region before this one has this label"),
        ('%"\\q" = a() : token', "unknown escape"),
        ("% = a() : token", "the name of a value is missing"),
        ("%1 = region() : token", "an op's name is missing"),
        ("%1 = a()", "':' is missing"),
    ],
)
def test_malformed_ops_are_refused(body: str, what: str) -> None:
    with pytest.raises(ReadError) as caught:
        parse_module(f"module hlo entry @f\nfunc @f () {{\n{body}\nreturn\n}}")
    assert what in caught.value.what


@given(modules(), st.data())
def test_a_cut_or_altered_text_is_read_or_refused_never_a_crash(module: Module, data: st.DataObject) -> None:
    text = print_module(module)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 5)))
    altered = text[:start] + data.draw(st.sampled_from(["", '"', "}", "0x", "%", "1e999", "\\"])) + text[stop:]
    try:
        again = print_module(parse_module(altered))
    except ReadError:
        return
    assert print_module(parse_module(again)) == again


@pytest.mark.parametrize(
    ("dtype", "data", "shown"),
    [
        ("f32", "0ad7233c", "0.01"),
        ("f64", "7b14ae47e17a843f", "0.01"),
        ("bf16", "243c", "0.01"),
        ("f16", "ff7b", "65500.0"),
        ("f32", "ffff7f7f", "3.4028235e+38"),
        ("f32", "0100c07f", "nan(0x7fc00001)"),
        ("f32", "000080ff", "-inf"),
        ("i4", "f8", "-8"),
        ("u64", "ffffffffffffffff", "18446744073709551615"),
        ("bool", "01", "true"),
        ("c64", "0000803f000000bf", "(1.0, -0.5)"),
        ("f8e4m3fn", "7e", "0x7e"),
    ],
)
def test_elements_are_shown_with_the_fewest_digits(dtype: str, data: str, shown: str) -> None:
    assert elements(Array(dtype, (), bytes.fromhex(data))) == (shown,)
