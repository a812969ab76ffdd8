"""Literals in text: exact bits, or an error."""

from __future__ import annotations

import math
import struct
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.errors import ReadError
from scanir.ir.attrs import Array, Attr, Hidden, array
from scanir.readers.hlo import read_hlo


def read(type: str, text: str) -> Attr | None:
    return read_hlo(f"ENTRY e {{ ROOT c = {type} constant({text}) }}").function("e").body.ops[0].attribute("value")


def data(type: str, text: str) -> bytes:
    value = read(type, text)
    assert isinstance(value, Array)
    return value.data


@pytest.mark.parametrize(
    ("type", "text", "expected"),
    [
        ("f32[]", "-0", "00000080"),
        ("f32[]", "0.1", "cdcccc3d"),
        ("f32[]", "inf", "0000807f"),
        ("f32[]", "nan", "0000c07f"),
        ("f32[]", "-nan", "0000c0ff"),
        ("f32[]", "nan(0x1)", "0100807f"),
        ("f32[]", "-nan(0x400001)", "0100c0ff"),
        ("f64[]", "-nan", "000000000000f8ff"),
        ("f16[]", "-nan(0x3ff)", "ffff"),
        ("bf16[]", "1.5", "c03f"),
        ("bf16[]", "-nan", "c0ff"),
        ("f8e4m3fn[2]", "{-nan, 3}", "ff44"),
        ("f8e5m2[2]", "{nan, -inf}", "7efc"),
        ("f8e4m3fnuz[2]", "{-nan, 1}", "8040"),
        ("f8e8m0fnu[2]", "{1, nan}", "7fff"),
        ("f4e2m1fn[3]", "{-6, 0.5, 3}", "0f0105"),
        ("c64[2]", "{(1, -2), (nan, -inf)}", "0000803f000000c00000c07f000080ff"),
        ("pred[2,2]", "{ { true, false }, { 1, 0 } }", "01000100"),
        ("s4[3]", "{-8, 7, 1}", "f80701"),
        ("u4[3]", "{8, 7, 1}", "080701"),
        ("u64[]", "-1", "ff" * 8),
        ("s64[]", "-9223372036854775808", "0000000000000080"),
        ("s32[2,3]", "{ { 1, 2, 3 }, /*i0=1*/ { 4, 5, 6 } }", "010000000200000003000000040000000500000006000000"),
        ("s8[2,1,2]", "{{{1,2}},{{3,4}}}", "01020304"),
        ("s8[2]", "s8[2] {1, 2}", "0102"),
        ("f32[2,0]", "{ {}, {} }", ""),
        ("f32[0]", "{}", ""),
    ],
)
def test_bits(type: str, text: str, expected: str) -> None:
    assert data(type, text).hex() == expected


@pytest.mark.parametrize(
    ("type", "text"),
    [
        ("s8[]", "128"), ("u8[]", "-1"), ("s32[]", "1.5"), ("s32[]", "1_0"), ("f32[]", "1e60"), ("f32[]", "x"),
        ("f32[]", ""), ("f32[2]", "{1}"), ("f32[2]", "{1,2,3}"), ("f32[2,2]", "{1,2,3,4}"), ("f32[]", "{1}"),
        ("f32[]", "0x10"), ("f32[]", "infinity"), ("f8e4m3fn[]", "inf"), ("f8e4m3fn[]", "1e9"), ("f4e2m1fn[]", "nan"),
        ("f8e8m0fnu[]", "-1"), ("f8e8m0fnu[]", "0"), ("f32[]", "nan(0x800000)"), ("f32[]", "nan(0x0)"),
        ("f8e4m3fn[]", "nan(0x1)"), ("pred[]", "maybe"), ("(f32[])", "1"), ("(f32[])", "(1, 2)"),
        ("f32[2]", "{1,,2}"), ("f32[2]", "{1 2}"), ("f32[2,2]", "{{1},{2,3,4}}"), ("f32[9999999999999]", "{1}"),
        ("token[]", "1"), ("c64[]", "3"), ("f32[]", "(1)"), ("f99[]", "1"), ("f32[?]", "{1}"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_an_error(type: str, text: str) -> None:
    with pytest.raises(ReadError, match="<string>:1:"):
        read(type, text)


def test_one_number_for_an_array_says_nothing_of_the_others() -> None:
    value = read("f32[3]", "5")
    assert isinstance(value, Hidden)
    assert value.what == "unwritten-elements"


@pytest.mark.parametrize("text", ["{...}", "{ {...}, { 1, 2 } }"])
def test_elided(text: str) -> None:
    value = read("f32[2,2]", text)
    assert isinstance(value, Hidden)
    assert value.what == "elided-constant"


@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=6))
def test_any_f32_comes_back(bits: list[int]) -> None:
    """Printed as XLA prints it: nine digits, and NaNs by sign and payload."""

    def show(word: int) -> str:
        value = struct.unpack("<f", struct.pack("<I", word))[0]
        if not math.isnan(value):
            return f"{value:.9g}"
        payload = word & 0x7FFFFF
        return ("-" if word >> 31 else "") + "nan" + (f"(0x{payload:x})" if payload != 0x400000 else "")

    raw = struct.pack(f"<{len(bits)}I", *bits)
    assert read(f"f32[{len(bits)}]", "{" + ", ".join(map(show, bits)) + "}") == array("f32", (len(bits),), raw)


@given(st.lists(st.integers(0, 2**16 - 1), min_size=1, max_size=6), st.sampled_from(["f16", "bf16"]))
def test_any_half_comes_back(bits: list[int], dtype: str) -> None:
    import ml_dtypes

    raw = np.array(bits, dtype=np.uint16)
    numbers = raw.view(np.float16 if dtype == "f16" else ml_dtypes.bfloat16).astype(np.float64)
    keep = np.isfinite(numbers)
    text = ", ".join(f"{number:.9g}" for number in numbers[keep])
    count = int(keep.sum())
    assert read(f"{dtype}[{count}]", "{" + text + "}") == array(dtype, (count,), raw[keep].tobytes())


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=6))
def test_any_s64_comes_back(values: list[int]) -> None:
    raw = struct.pack(f"<{len(values)}q", *values)
    assert read(f"s64[{len(values)}]", "{" + ",".join(map(str, values)) + "}") == array("i64", (len(values),), raw)


def test_small_formats_are_imported_only_where_they_occur() -> None:
    script = (
        "import sys; from scanir.readers.hlo import read_hlo\n"
        "read_hlo('ENTRY e { ROOT c = f32[] constant(1) }'); assert 'ml_dtypes' not in sys.modules\n"
        "read_hlo('ENTRY e { ROOT c = bf16[] constant(1) }'); assert 'ml_dtypes' in sys.modules\n"
        "assert 'jax' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
