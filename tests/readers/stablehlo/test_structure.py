"""Functions, regions, calls, names of the module, locations: what the module is made of."""

# ruff: noqa: E501

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from scanir.errors import ReadError
from scanir.ir.attrs import Attr, Bool, Float, Int, Opaque, Record, Seq, Symbol, Text, TypeAttr
from scanir.ir.graph import Module
from scanir.ir.types import TOKEN, OpaqueType, TensorType, TupleType
from scanir.ir.verify import verify
from scanir.ir.walk import captures, ops_of
from scanir.readers.stablehlo import read_stablehlo


def attribute(text: str, head: str = "") -> Attr | None:
    source = f'{head}\nfunc.func @main() {{ "my.op"() {{a = {text}}} : () -> () return }}'
    (op,) = read_stablehlo(source).function("main").body.ops
    return op.attribute("a")


def tag(name: str, *items: Attr) -> Seq:
    return Seq((Opaque("as", name), *items))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("true", Bool(True)),
        ("1", Int(1)),
        ("1 : i64", Int(1)),
        ("1 : i32", tag("i32", Int(1))),
        ("18446744073709551615 : ui64", tag("ui64", Int(2**64 - 1))),
        ("340282366920938463463374607431768211455 : ui128", tag("ui128", Int(2**128 - 1))),
        ("1.5", Float.of(1.5)),
        ("-0.0 : f64", Float.of(-0.0)),
        ("1.5 : f32", tag("f32", Float.of(1.5))),
        ("0x7FA00001 : f32", Opaque("mlir", "0x7FA00001 : f32")),
        ('"a"', Text("a")),
        ('"\\FFa"', tag("bytes", Text("ff61"))),
        ('"a" : i32', Opaque("mlir", '"a" : i32')),
        ("array<i64: 1, 2>", Seq((Int(1), Int(2)))),
        ("array<i64>", Seq(())),
        ("array<i32: 1, 2>", tag("array<i32>", Int(1), Int(2))),
        ("array<i1: true>", tag("array<i1>", Bool(True))),
        ("array<f32: 1.0>", Opaque("mlir", "array<f32: 1.000000e+00>")),
        ("[1, 2]", tag("list", Int(1), Int(2))),
        ("[]", tag("list")),
        ('["a", 1]', Seq((Text("a"), Int(1)))),
        ("{b = 1, a = unit}", Record((("a", Opaque("mlir", "unit")), ("b", Int(1))))),
        ("tensor<2xf32>", TypeAttr(TensorType("f32", (2,)))),
        ("index", TypeAttr(OpaqueType("index"))),
        ("@main", Symbol("main")),
        ("@main::@b", tag("names", Opaque("mlir", "@0::@1"), Symbol("main"), Opaque("unresolved-symbol", "b"))),
        ("@nothing", Opaque("unresolved-symbol", "nothing")),
        ("affine_map<(d0) -> (d0)>", Opaque("mlir", "affine_map<(d0) -> (d0)>")),
        ("#stablehlo<precision HIGH>", Opaque("mlir", "#stablehlo<precision HIGH>")),
        ("#nobody.knows<1>", Opaque("mlir", "#nobody.knows<1>")),
        ('"x@main"', Text("x@main")),
    ],
)
def test_attributes(text: str, wanted: Attr) -> None:
    assert attribute(text) == wanted


def test_attributes_that_mlir_tells_apart_stay_apart() -> None:
    texts = [
        "1",
        "1:i32",
        "1:index",
        "1:ui64",
        "1.0",
        "1.0:f32",
        "true",
        '"1"',
        '"true"',
        "[1]",
        "array<i64:1>",
        "array<i32:1>",
        "[[1]]",
        "[1:i32]",
        "dense<1>:tensor<1xi64>",
        "dense<1>:tensor<i64>",
        "dense<1>:tensor<1xi32>",
        "dense<1>:vector<1xi64>",
        "{a=1}",
        "{a=[1]}",
        "{a=array<i64:1>}",
        "unit",
        '"unit"',
        "@main",
        '"main"',
        '"@main"',
        "[@main]",
        "i64",
        '"i64"',
        "[]",
        "array<i64>",
        "{}",
        "[{}]",
        "0.0",
        "-0.0",
        "0x7FF8000000000000:f64",
        "0x7FF8000000000001:f64",
        "[true]",
        "array<i1:true>",
        "dense<(1.0,0.0)>:tensor<1xcomplex<f32>>",
        "[dense<(1.0,0.0)>:tensor<1xcomplex<f32>>]",
        "{b=dense<(1.0,0.0)>:tensor<1xcomplex<f32>>}",
    ]
    found = [attribute(text) for text in texts]
    assert len(set(found)) == len(texts)


def test_dense_complex_attribute_beside_others() -> None:
    module = read_stablehlo(
        'func.func @main() { "my.op"() {a = dense<(1.0,0.0)> : tensor<1xcomplex<f32>>, b = 1} : () -> () return }'
    )
    (op,) = module.functions[0].body.ops
    assert op.attribute("b") == Int(1)
    assert len(op.attributes) == 2


MESHES = 'sdy.mesh @{name} = <["x"={size}]>\nfunc.func @main(%a: tensor<4xf32> {{sdy.sharding = #sdy.sharding<@{name}, [{{"x"}}]>}}) {{ return }}'


def test_a_mesh_is_what_it_is_and_not_its_name() -> None:
    def sharding(name: str, size: int) -> Attr:
        module = read_stablehlo(MESHES.format(name=name, size=size))
        assert module.attributes == ()
        return module.functions[0].param_attrs[0][0][1]

    assert sharding("mesh", 2) == sharding("other", 2)
    assert sharding("mesh", 2) != sharding("mesh", 4)
    assert "unresolved" not in repr(sharding("mesh", 2))


@pytest.mark.parametrize("reference", ["@thing", '#my.attr<@thing, "@thing">', "[@thing]", "{x = @thing}"])
def test_what_names_other_definitions(reference: str) -> None:
    one = attribute(reference, '"my.def"() {sym_name = "thing", value = 1} : () -> ()')
    two = attribute(reference, '"my.def"() {sym_name = "thing", value = 2} : () -> ()')
    assert one != two


@pytest.mark.parametrize("name", ["a.b$", '"1"', '"a-b"', '"a b"', '"a\\22b"', '"\\FF"', '"\\E2\\9C\\93"'])
def test_odd_names_of_functions(name: str) -> None:
    source = f'func.func private @{name}() {{ return }}\nfunc.func @main() {{ "my.op"() {{a = @{name}, b = #my.x<@{name}>}} : () -> () return }}'
    module = read_stablehlo(source)
    verify(module)
    (op,) = module.function("main").body.ops
    callee = module.functions[0].name
    assert op.attribute("a") == Symbol(callee)
    assert op.attribute("b") == tag("names", Opaque("mlir", "#my.x<@0>"), Symbol(callee))


def test_other_definitions_are_carried() -> None:
    one, two = (
        read_stablehlo(f'"my.global"() {{sym_name = "g", v = {v}}} : () -> ()\nfunc.func @main() {{ return }}')
        for v in (1, 2)
    )
    assert one.attributes != two.attributes
    nested = read_stablehlo("module @m { func.func @g() { return } }\nfunc.func @main() { return }")
    assert "func.func" in repr(nested.attributes)


def test_functions() -> None:
    module = read_stablehlo(
        """module @jit_f attributes {mhlo.num_partitions = 2 : i32, x.y = "z"} {
          func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = true}, %arg1: tensor<?x4xf32, #stablehlo.bounds<3, ?>>)
              -> (tensor<4xf32> {jax.result_info = "result"}) attributes {my.attr} {
            %0 = call @g(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
            return %0 : tensor<4xf32>
          }
          func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
          func.func private @outside(tensor<4xf32>) -> tensor<f32>
        }"""
    )
    verify(module)
    assert (module.dialect, module.entry, module.name) == ("stablehlo", "main", "jit_f")
    assert module.attributes == (("mhlo.num_partitions", tag("i32", Int(2))), ("x.y", Text("z")))
    main, _, outside = module.functions
    assert main.attributes == (("my.attr", Opaque("mlir", "unit")), ("sym_visibility", Text("public")))
    assert main.param_attrs == ((("jax.buffer_donor", Bool(True)),), ())
    assert main.result_attrs == ((("jax.result_info", Text("result")),),)
    assert main.body.params[1].type == TensorType(
        "f32", ("?", 4), (("bounds", Opaque("mlir", "#stablehlo.bounds<3, ?>")),)
    )
    assert main.body.ops[0].attributes == (("callee", Symbol("g")),)
    assert main.body.results == main.body.ops[0].results
    assert [op.name for op in outside.body.ops] == ["func.external"]


def test_types() -> None:
    types = {
        "tensor<2xi1>": TensorType("bool", (2,)), "tensor<ui32>": TensorType("u32"), "tensor<i32>": TensorType("i32"),
        "tensor<complex<f64>>": TensorType("c128"), "tensor<f8E4M3B11FNUZ>": TensorType("f8e4m3b11fnuz"),
        "tensor<2xindex>": TensorType("index", (2,)), "tensor<*xf32>": OpaqueType("tensor<*xf32>"),
        "tuple<tensor<f32>, tuple<!stablehlo.token>>": TupleType((TensorType("f32"), TupleType((TOKEN,)))),
        "!stablehlo.token": TOKEN, "!mhlo.token": TOKEN, "vector<4xf32>": OpaqueType("vector<4xf32>"),
        "tensor<4xsi8>": TensorType("si8", (4,)), "!my.type<3>": OpaqueType("!my.type<3>"),
        "tensor<4xf32, #my.enc>": TensorType("f32", (4,), (("encoding", Opaque("mlir", "#my.enc")),)),
    }  # fmt: skip
    for text, wanted in types.items():
        module = read_stablehlo(f"func.func @main(%a: {text}) {{ return }}")
        assert module.functions[0].body.params[0].type == wanted, text


NESTED = """
func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %0:2 = stablehlo.while(%i = %n, %s = %x) : tensor<i32>, tensor<4xf32>
  cond { %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %c : tensor<i1> }
  do {
    %1:2 = stablehlo.while(%j = %i, %t = %s) : tensor<i32>, tensor<4xf32>
    cond { %c = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %c : tensor<i1> }
    do {
      %u = stablehlo.add %t, %x : tensor<4xf32>
      %v = "stablehlo.map"(%u) ({^bb0(%e: tensor<f32>): %k = stablehlo.convert %j : (tensor<i32>) -> tensor<f32>
        %w = stablehlo.multiply %e, %k : tensor<f32> stablehlo.return %w : tensor<f32>}) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %j, %v : tensor<i32>, tensor<4xf32>
    }
    stablehlo.return %1#0, %1#1 : tensor<i32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<4xf32>
}"""


def test_nested_loops_with_captures() -> None:
    module = read_stablehlo(NESTED)
    verify(module)
    body = module.functions[0].body
    (outer,) = body.ops
    (inner,) = outer.regions[1].ops
    add, mapped = inner.regions[1].ops
    assert add.operands == (inner.regions[1].params[1], body.params[1])
    assert set(captures(inner.regions[1])) == {body.params[1]}
    assert captures(mapped.regions[0]) == (inner.regions[1].params[0],)
    assert body.results == outer.results


def test_a_return_with_attributes_stays() -> None:
    module = read_stablehlo(
        'func.func @main(%a: tensor<f32>) -> tensor<f32> { "func.return"(%a) {k = 1} : (tensor<f32>) -> () }'
    )
    (op,) = module.functions[0].body.ops
    assert (op.name, op.attributes, module.functions[0].body.results) == ("func.return", (("k", Int(1)),), op.operands)


def test_ops_without_a_dialect_are_none_of_ours() -> None:
    module = read_stablehlo('func.func @main() { "while"() : () -> () "constant"() : () -> () return }')
    assert [op.name for op in module.functions[0].body.ops] == ["unregistered.while", "unregistered.constant"]


def test_an_unknown_last_op_is_kept() -> None:
    module = read_stablehlo('func.func @main() { "my.op"() ({ "my.yield"() {k = 1} : () -> () }) : () -> () return }')
    (op,) = module.functions[0].body.ops
    assert [inner.name for inner in op.regions[0].ops] == ["my.yield"]


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("", "no function"),
        ("module {", "MLIR cannot read this"),
        ("func.func @main() { cf.br ^a ^a: return }", "blocks"),
        (
            'func.func @main() { "my.op"() ({ "a.b"()[^b] : () -> () ^b: "c.d"() : () -> () }) : () -> () return }',
            "blocks",
        ),
        ("func.func @f() { return } func.func @g() { return }", "no function is called 'main'"),
        (b"\x00\xff\xfe", "neither MLIR text nor MLIR bytecode"),
        (b"ML\xefR nonsense", "read"),
        (b"ML\xefR\x0dStableHLO_v1.0.0\x00nonsense", "read"),
        (3, "no MLIR module"),
        (
            'func.func @main() { "my.op"() ({ %1 = "a.b"(%2) : (i32) -> i32 %2 = "a.b"(%1) : (i32) -> i32 }) : () -> () return }',
            "before it is",
        ),
    ],
)
def test_refused(source: Any, what: str) -> None:
    with pytest.raises(ReadError, match=re.escape(what)) as caught:
        read_stablehlo(source, name="here.mlir")
    assert "here.mlir" in caught.value.where


def test_an_error_of_the_parser_says_where() -> None:
    with pytest.raises(ReadError) as caught:
        read_stablehlo("func.func @main() {\n  nonsense\n}", name="a.mlir")
    assert caught.value.where == "a.mlir:3:1" or caught.value.where.startswith("a.mlir:2:")


def test_entry_is_the_function_nobody_calls() -> None:
    source = "func.func @g() { return } func.func @f() { call @g() : () -> () return }"
    assert read_stablehlo(source).entry == "f"
    assert read_stablehlo("func.func private @only() { return }").entry == "only"


def test_locations() -> None:
    module = read_stablehlo(
        """func.func @main(%x: tensor<f32> loc("x")) {
          %0 = stablehlo.sine %x : tensor<f32> loc("jit(f)/sin"(callsite("f"("/p/a.py":3:4) at "<module>"("/p/b.py":9:1))))
          %1 = stablehlo.sine %x : tensor<f32> loc(fused["/p/c.py":5:1, "/p/d.py":6:1])
          %2 = stablehlo.sine %x : tensor<f32> loc(unknown)
          %3 = stablehlo.sine %x : tensor<f32>
          return
        }""",
        name="dump.mlir",
    )
    body = module.functions[0].body
    places = [(op.location.file, op.location.line, op.location.function) if op.location else None for op in body.ops]
    assert places == [("/p/a.py", 3, "f"), ("/p/c.py", 5, ""), None, ("dump.mlir", 5, "")]
    assert body.params[0].name == "x"


def shape(module: Module) -> list[Any]:
    """The module without names and places, as plain data."""
    lines: list[Any] = [module.attributes, module.entry]
    for function in module.functions:
        numbers: dict[Any, int] = {}
        for op in ops_of(function.body):
            for region in op.regions:
                for param in region.params:
                    numbers.setdefault(param, len(numbers))
        for value in function.body.params:
            numbers.setdefault(value, len(numbers))
        for op in ops_of(function.body):
            for result in op.results:
                numbers.setdefault(result, len(numbers))
        lines.append((function.name, function.attributes, function.param_attrs, function.result_attrs))
        lines.extend(
            (op.name, op.attributes, [numbers[v] for v in op.operands], [v.type for v in op.results])
            for op in ops_of(function.body)
        )
        lines.append([numbers[v] for v in function.body.results])
    return lines


def programs() -> dict[str, Any]:
    import jax
    import jax.numpy as jnp
    from jax.experimental import io_callback

    def ordered(x: Any) -> Any:
        io_callback(print, None, x, ordered=True)
        return jax.lax.fori_loop(0, 3, lambda i, s: s * x + i, x)

    return {
        "ordered": (ordered, jnp.float32(1)),
        "sort": (lambda x: jax.lax.sort((x, x[::-1]), num_keys=2), jnp.arange(5.0)),
        "scatter": (lambda x: x.at[jnp.array([1, 2])].add(3.0), jnp.arange(5.0)),
        "switch": (lambda x: jax.lax.switch(1, [jnp.sin, jnp.cos, jnp.tan], x), jnp.arange(5.0)),
        "scan": (lambda x: jax.lax.scan(lambda c, y: (c * x + y, c), x, jnp.ones((4, 5))), jnp.arange(5.0)),
        "random": (lambda x: x + jax.random.normal(jax.random.key(0), (5,)), jnp.arange(5.0)),
        "complex": (lambda x: jnp.fft.fft(x) * jnp.array([1j, 2, 3, 4, 5]), jnp.arange(5.0)),
        "solve": (lambda x: jnp.linalg.solve(x, x), jnp.eye(3)),
    }


@pytest.mark.compat
@pytest.mark.parametrize("name", ["ordered", "sort", "scatter", "switch", "scan", "random", "complex", "solve"])
def test_object_text_bytecode_and_artifact_are_one_module(name: str) -> None:
    import io

    import jax

    function, argument = programs()[name]
    module = jax.jit(function).lower(argument).compiler_ir("stablehlo")
    from_object = read_stablehlo(module)
    verify(from_object)
    assert module.context.allow_unregistered_dialects is False  # JAX's own context is left as it was
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    assert shape(read_stablehlo(str(module))) == shape(from_object)
    assert shape(read_stablehlo(buffer.getvalue())) == shape(from_object)
    if name != "ordered":  # callbacks cannot be exported
        exported = jax.export.export(jax.jit(function))(argument)
        assert shape(read_stablehlo(exported.mlir_module())) == shape(read_stablehlo(exported.mlir_module_serialized))


def test_vhlo_text_is_upgraded() -> None:
    import jax

    exported = jax.export.export(jax.jit(lambda x: x + 1))(1.0)
    from scanir._compat_mlir import mlir_ir, new_context

    vhlo = str(mlir_ir().Module.parse(exported.mlir_module_serialized, new_context()))
    assert "vhlo.add" in vhlo
    assert shape(read_stablehlo(vhlo)) == shape(read_stablehlo(exported.mlir_module()))


def test_reading_a_file_imports_no_jax(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys, scanir.readers.stablehlo as r\n"
        "assert not {'jax', 'jaxlib'} & set(sys.modules)\n"
        "r.read_stablehlo('func.func @main() { return }')\n"
        "assert 'jax' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=Path(__file__).parents[3])
