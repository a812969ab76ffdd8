"""Constants bit by bit: signs of zero, NaN payloads, packed and small types, large ones by buffer."""

from __future__ import annotations

import struct
from fractions import Fraction
from functools import partial

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.ir.attrs import Array, Attr, Hidden
from scanir.ir.graph import Op
from scanir.ir.types import TensorType
from scanir.readers.stablehlo import read_stablehlo
from scanir.readers.stablehlo.elements import elements_of_bytecode, float_bits
from tests.growth import seconds


def constant(literal: str, type: str, trailer: str = "") -> Op:
    source = f"func.func @main() -> {type} {{ %c = stablehlo.constant {literal} : {type} return %c : {type} }}{trailer}"
    (op,) = read_stablehlo(source).function("main").body.ops
    assert op.name == "constant"
    return op


def value(literal: str, type: str) -> Attr | None:
    return constant(literal, type).attribute("value")


CASES = [
    ("dense<[1.0, -0.0, 0x7FA00001]>", "tensor<3xf32>", "f32", struct.pack("<III", 0x3F800000, 0x80000000, 0x7FA00001)),
    ("dense<[0.0, 0xFFF8000000000123]>", "tensor<2xf64>", "f64", struct.pack("<QQ", 0, 0xFFF8000000000123)),
    ("dense<[true, false, true]>", "tensor<3xi1>", "bool", b"\1\0\1"),
    ("dense<[1, -2, 7]>", "tensor<3xi4>", "i4", b"\x01\xfe\x07"),
    ("dense<[1, 15]>", "tensor<2xui4>", "u4", b"\x01\x0f"),
    ("dense<[1, -2]>", "tensor<2xi2>", "i2", b"\x01\xfe"),
    ("dense<[-1, 3]>", "tensor<2xi8>", "i8", b"\xff\x03"),
    ("dense<[18446744073709551615, 3]>", "tensor<2xui64>", "u64", b"\xff" * 8 + b"\3" + b"\0" * 7),
    ("dense<[1.0, -0.0, 0x7FC1]>", "tensor<3xbf16>", "bf16", struct.pack("<HHH", 0x3F80, 0x8000, 0x7FC1)),
    ("dense<[1.0, -0.0, 0x7E01]>", "tensor<3xf16>", "f16", struct.pack("<HHH", 0x3C00, 0x8000, 0x7E01)),
    ("dense<[1.0, -0.0, 0x7F]>", "tensor<3xf8E4M3FN>", "f8e4m3fn", b"\x38\x80\x7f"),
    ("dense<[1.0, 0x7D]>", "tensor<2xf8E5M2>", "f8e5m2", b"\x3c\x7d"),
    ("dense<[1.0, 6.0]>", "tensor<2xf4E2M1FN>", "f4e2m1fn", b"\x02\x07"),
    (
        "dense<[(1.0, -0.0), (2.0, 0x7FC00001)]>",
        "tensor<2xcomplex<f32>>",
        "c64",
        struct.pack("<IIII", 0x3F800000, 0x80000000, 0x40000000, 0x7FC00001),
    ),
    ("dense<[(1.0, -0.0), (0.0, 0.0)]>", "tensor<2xcomplex<f64>>", "c128", struct.pack("<dddd", 1.0, -0.0, 0.0, 0.0)),
    ("dense<>", "tensor<0x3xf32>", "f32", b""),
    ("dense<>", "tensor<0xcomplex<f32>>", "c64", b""),
]


@pytest.mark.parametrize(("literal", "type", "dtype", "data"), CASES)
def test_bits(literal: str, type: str, dtype: str, data: bytes) -> None:
    found = value(literal, type)
    assert isinstance(found, Array)
    assert (found.dtype, found.data, found.splat) == (dtype, data, False)


@pytest.mark.parametrize(
    ("element", "type", "data"),
    [
        ("true", "i1", b"\1"),
        ("-0.0", "f32", b"\0\0\0\x80"),
        ("-0.0", "bf16", b"\0\x80"),
        ("-1", "i4", b"\xff"),
        ("0x7FC1", "bf16", b"\xc1\x7f"),
        ("(1.0, -0.0)", "complex<f32>", struct.pack("<ff", 1.0, -0.0)),
    ],
)
@pytest.mark.parametrize("count", [2, 5, 101, 5000])
def test_splats_written_as_such_or_not_are_one(element: str, type: str, data: bytes, count: int) -> None:
    splat = value(f"dense<{element}>", f"tensor<{count}x{type}>")
    written = value(f"dense<[{', '.join([element] * count)}]>", f"tensor<{count}x{type}>")
    assert splat == written
    assert isinstance(splat, Array)
    assert (splat.data, splat.splat) == (data, True)


def test_a_splat_costs_nothing_however_large() -> None:
    found = value("dense<0.0>", "tensor<1000000x1000000xf32>")
    assert found == Array("f32", (1000000, 1000000), b"\0\0\0\0", splat=True)


@pytest.mark.parametrize("type", ["i1", "i4", "bf16", "f8E4M3FN", "complex<f32>", "f32", "i64"])
def test_text_of_hundreds_of_elements_is_hexadecimal_or_not(type: str) -> None:
    pair = {
        "i1": ("true", "false"),
        "i4": ("-3", "2"),
        "i64": ("-3", "2"),
        "complex<f32>": ("(1.0,2.0)", "(3.0,0xFFC00001)"),
    }
    a, b = pair.get(type, ("1.5", "-0.0"))
    few = value(f"dense<[{a}, {b}]>", f"tensor<2x{type}>")
    many = value(f"dense<[{', '.join([a, b] * 300)}]>", f"tensor<600x{type}>")
    assert isinstance(few, Array)
    assert isinstance(many, Array)
    assert many.data == few.data * 300


def test_other_attributes_of_a_complex_constant_are_kept() -> None:
    for count in (2, 5000):
        items = ", ".join(f"({k}.0, 0.0)" for k in range(count))
        source = f"""func.func @main() {{
          %c = "stablehlo.constant"() <{{value = dense<[{items}]> : tensor<{count}xcomplex<f32>>}}>
            {{note = "a, b = {{c>", u, "q r" = [1, 2]}}
            : () -> tensor<{count}xcomplex<f32>>
          return }}"""
        (op,) = read_stablehlo(source).function("main").body.ops
        assert [name for name, _ in op.attributes] == ["note", "q r", "u", "value"]
        found = op.attribute("value")
        assert isinstance(found, Array)
        assert found.data == np.arange(count).astype(np.complex64).tobytes()


def test_bytecode_that_could_be_read_in_two_ways_is_not() -> None:
    type = TensorType("c64", (100,))
    size = 800
    varint = (((size << 1) | 1) << 1).to_bytes(2, "little")
    assert elements_of_bytecode(b"ML" + varint + b"\1" * size + b"end", type) == Array(
        "c64", (100,), b"\1" * 8, splat=True
    )
    assert elements_of_bytecode(b"ML" + varint * 2 + b"\1" * size, type) is None
    assert elements_of_bytecode(b"ML" + b"\1" * size, type) is None


def test_resources() -> None:
    trailer = '\n{-# dialect_resources: { builtin: { foo: "0x04000000010000000200008003000000" } } #-}'
    found = constant("dense_resource<foo>", "tensor<3xi32>", trailer).attribute("value")
    assert found == Array("i32", (3,), bytes.fromhex("010000000200008003000000"))


def test_resource_that_is_not_there_is_hidden() -> None:
    assert isinstance(constant("dense_resource<gone>", "tensor<3xi32>").attribute("value"), Hidden)


@pytest.mark.parametrize("form", [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, np.float16])
def test_every_number_of_a_small_type_is_read_back_from_six_digits(form: type) -> None:
    kind = np.dtype(form)
    width = kind.itemsize
    everything = np.arange(1 << (8 * width), dtype=f"u{width}")
    with np.errstate(invalid="ignore"):
        numbers = everything.view(kind).astype(np.float64)
    for bits in range(0, 1 << (8 * width), 1 if width == 1 else 97):
        if np.isfinite(numbers[bits]):
            assert float_bits(f"{numbers[bits]:e}", kind) == bits


@given(st.integers(0, 2**31 - 1), st.sampled_from([1, -1]))
def test_a_decimal_beside_a_tie_is_not_rounded_twice(bits: int, side: int) -> None:
    low, high = (np.array([b], "u4").view("f4")[0] for b in (bits % 0x7F7FFFFF, bits % 0x7F7FFFFF + 1))
    tie = (Fraction(float(low)) + Fraction(float(high))) / 2
    beside = tie + side * Fraction(1, 2**1200)
    wanted = high if side > 0 else low
    digits = f"{beside.numerator * 10**1250 // beside.denominator}e-1250"
    if side < 0 or Fraction(digits) > tie:
        assert float_bits(digits, np.dtype(np.float32)) == int(np.array([wanted]).view("u4")[0])


def test_large_constants_take_no_text() -> None:
    import jax
    import jax.numpy as jnp

    for form in (np.float32, np.complex64, np.bool_):
        weights = (np.arange(3_000_000) % 7).astype(form)
        module = jax.jit(partial(jnp.add, jnp.asarray(weights))).lower(jnp.asarray(weights)).compiler_ir("stablehlo")
        read = read_stablehlo(module)
        assert seconds(lambda module=module: read_stablehlo(module)) < seconds(lambda module=module: str(module))
        (found,) = (op.attribute("value") for op in read.function("main").body.ops if op.name == "constant")
        assert isinstance(found, Array)
        assert found.data == weights.tobytes()
