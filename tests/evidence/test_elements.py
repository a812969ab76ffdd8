"""Distances, edges and texts of elements."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.evidence.elements import NAN_APART, array_text, differs, distance, edges, numpy_dtype, plain, random

FLOATS = ["bf16", "f16", "f32", "f64", "f8e4m3fn", "f8e5m2", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2fnuz"]
OTHERS = ["bool", "i8", "u8", "i32", "u32", "i64", "u64", "c64", "c128", "i4", "u4"]
HAVE = [dtype for dtype in FLOATS + OTHERS if numpy_dtype(dtype) is not None]


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def test_distances() -> None:
    one, inf, nan = np.float32(1), math.inf, math.nan
    left = f32(0.0, 1.0, 1.0, 3.4028235e38, -1e-45, nan, nan, 2.0)
    right = f32(-0.0, np.nextafter(one, np.float32(2)), 1.0, inf, 1e-45, nan, 1.0, 2.0)
    assert distance(left, right).tolist() == [1, 1, 0, 1, 3, 0, int(NAN_APART), 0]
    assert differs(left, right).tolist() == [True, True, False, True, True, False, True, False]
    assert distance(np.array([-math.inf]), np.array([math.inf])).tolist() == [2 * 0x7FF0000000000000 + 1]


def test_integers_and_parts() -> None:
    assert differs(np.array([1, -1], np.int8), np.array([1, 255], np.uint8).view(np.int8)).tolist() == [False, False]
    assert distance(np.array([3]), np.array([4])).tolist() == [0]
    left, right = np.array([complex(math.nan, 1), 1j], np.complex64), np.array([complex(math.nan, 2), 1j], np.complex64)
    assert differs(left, right).tolist() == [True, False]
    assert differs(left, left).tolist() == [False, False]


@given(st.floats(width=32), st.floats(width=32))
def test_a_step_is_an_ulp(x: float, y: float) -> None:
    """Symmetric; zero exactly where nothing differs; one for neighbours."""
    left, right = f32(x), f32(y)
    assert distance(left, right) == distance(right, left)
    assert (distance(left, right)[0] == 0) == (not differs(left, right)[0])
    after = np.nextafter(left, f32(math.inf))
    if math.isfinite(x) and x != 0 and after[0] != 0:
        assert distance(left, after).tolist() == [1]


@pytest.mark.parametrize("dtype", HAVE)
def test_edges_are_of_their_type_and_differ(dtype: str) -> None:
    found = edges(dtype)
    assert found.dtype == numpy_dtype(dtype)
    assert len({value.tobytes() for value in found}) == len(found) > 1
    if dtype in FLOATS and not dtype.endswith("fnuz"):
        assert found[0] == 0
        assert np.signbit(found[0].astype(np.float64))
        assert np.isnan(found).any()
        assert ml_dtypes.finfo(found.dtype).smallest_subnormal in found
    if dtype.startswith("i"):
        assert {int(ml_dtypes.iinfo(found.dtype).min), int(ml_dtypes.iinfo(found.dtype).max)} <= set(map(int, found))


@pytest.mark.parametrize("dtype", HAVE)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_random_values_have_type_and_shape(dtype: str, shape: tuple[int, ...]) -> None:
    value = random(dtype, shape, np.random.default_rng(1))
    assert (value.dtype, value.shape) == (numpy_dtype(dtype), shape)


def test_types_that_numpy_lacks() -> None:
    assert numpy_dtype("key<fry>") is None
    assert numpy_dtype("f4e2m1fn") is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float32(0.1), "0.1"),
        (f32(-0.0, 1e-45, math.nan), "[-0.0, 1e-45, nan]"),
        (f32(1, 1, 1), "1.0 everywhere"),
        (np.array([True, False]), "[true, false]"),
        (np.zeros((2, 9)), "0.0 everywhere"),
        (np.eye(2, 9), "0.0 but [0,0] = 1.0, [1,1] = 1.0"),
        (np.arange(9), "[0, 1, 2, 3, 4, 5, ...]"),
        (np.array([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]"),
        (np.zeros((0,)), "[]"),
        (np.complex64(complex(-0.0, 2)), "(-0.0, 2.0)"),
    ],
)
def test_texts(value: np.ndarray, text: str) -> None:
    assert array_text(np.asarray(value)) == text


def test_plainer_values() -> None:
    assert plain(np.float32(0.3)) == (1, 2, -1)
    assert plain(np.int32(1)) == ()
    assert plain(np.uint8(7)) == (1, 2)
