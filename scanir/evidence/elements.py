"""Element types as numpy has them: values to try, how far apart two values are, and their text.

The distance of two floats is in ulps, the number of steps from one value of the format to the next; the two zeros are
one step apart. Any NaN equals any NaN. Complex numbers are taken part by part. Refuses types that numpy and ml_dtypes
lack.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

_NUMPY = {
    "bool": "bool",
    **{
        f"{short}{width}": f"{long}{width}"
        for short, long in (("i", "int"), ("u", "uint"))
        for width in (8, 16, 32, 64)
    },
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
}
#: Short names of types of ml_dtypes, which older ones may lack. Floats of less than a byte are refused.
_MORE = {
    "bf16": "bfloat16",
    **{f"{short}{width}": f"{long}{width}" for short, long in (("i", "int"), ("u", "uint")) for width in (2, 4)},
    **{
        name.replace("float", "f").replace("_", ""): name
        for name in ("float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
                     "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu")
    },
}  # fmt: skip
#: Elements of an array that are written out.
SHOWN = 6


@cache
def numpy_dtype(dtype: str) -> np.dtype[Any] | None:
    """The numpy type of a short name; None where there is none."""
    if dtype in _NUMPY:
        return np.dtype(_NUMPY[dtype])
    found = getattr(ml_dtypes, _MORE.get(dtype, ""), None)
    return None if found is None else np.dtype(found)


def is_float(dtype: str) -> bool:
    return dtype.startswith(("f", "bf"))


def is_complex(dtype: str) -> bool:
    return dtype in ("c64", "c128")


def part(dtype: str) -> str:
    """The type of the parts of a complex type; any other type itself."""
    return {"c64": "f32", "c128": "f64"}.get(dtype, dtype)


def parts(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Complex numbers as pairs, along one more axis; anything else as it is."""
    if values.dtype.kind != "c":
        return values
    return (
        np.ascontiguousarray(values)
        .view(np.float32 if values.dtype.itemsize == 8 else np.float64)
        .reshape((*values.shape, 2))
    )


def _bits(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(values).view(np.dtype(f"u{values.dtype.itemsize}")).reshape(values.shape)


def _whole(dtype: np.dtype[Any]) -> bool:
    return dtype.name.startswith(("int", "uint", "bool"))


def differs(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where two arrays of one type differ bit by bit, any NaN being any other."""
    x, y = parts(left), parts(right)
    unlike: Any = _bits(x) != _bits(y)
    if not _whole(x.dtype):
        unlike &= ~(np.isnan(x) & np.isnan(y))
    found: np.ndarray[Any, Any] = unlike.any(axis=-1) if left.dtype.kind == "c" else unlike
    return found


def distance(left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Ulps between the floats of two arrays as unsigned numbers, the larger of both parts of complex ones; the largest
    number where one alone is NaN. Zero for types without ulps."""
    if _whole(left.dtype):
        return np.zeros(left.shape, np.uint64)
    x, y = parts(left), parts(right)
    nan_x, nan_y = np.isnan(x), np.isnan(y)
    low, high = _ordered(x), _ordered(y)
    low, high = np.minimum(low, high), np.maximum(low, high)
    with np.errstate(over="ignore"):  # the difference is right modulo 2^64
        apart: Any = high.view(np.uint64) - low.view(np.uint64)
    apart = np.where(nan_x | nan_y, np.where(nan_x & nan_y, np.uint64(0), NAN_APART), apart)
    most: np.ndarray[Any, Any] = apart.max(axis=-1) if left.dtype.kind == "c" else apart
    return most


#: The distance of a NaN from a number.
NAN_APART = np.uint64(2**64 - 1)


def _ordered(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Floats as integers in the same order, without a gap; -0.0 just below 0.0."""
    bits = _bits(values)
    if values.dtype.name == "float8_e8m0fnu":  # has no sign
        return bits.astype(np.int64)
    top = bits.dtype.type(1 << (8 * values.dtype.itemsize - 1))
    magnitude = (bits & ~top).astype(np.int64)
    ordered: np.ndarray[Any, Any] = np.where(bits & top != 0, -magnitude - 1, magnitude)
    return ordered


# -- values to try -----------------------------------------------------------------------------------------------------


@cache
def edges(dtype: str) -> np.ndarray[Any, Any]:
    """Values at which programs part that agree elsewhere, the most telling first, each once."""
    kind = numpy_dtype(dtype)
    assert kind is not None
    if dtype == "bool":
        return np.array([True, False])
    if is_complex(dtype):
        some = [-0.0, np.inf, np.nan, 0.0, 1.0, -1.0]
        pairs = [(x, y) for x in some for y in some]
        pairs.sort(key=lambda pair: (some.index(pair[0]) + some.index(pair[1]), some.index(pair[0])))
        return np.array(pairs, numpy_dtype(part(dtype))).view(kind).reshape(-1)
    with np.errstate(all="ignore"):
        values = _float_edges(kind) if is_float(dtype) else _integer_edges(kind)
    _, first = np.unique(_bits(values), return_index=True)
    return values[np.sort(first)]


def _float_edges(kind: np.dtype[Any]) -> np.ndarray[Any, Any]:
    facts: Any = ml_dtypes.finfo(kind)
    low, tiny, high, eps = (
        float(value) for value in (facts.smallest_subnormal, facts.smallest_normal, facts.max, facts.eps)
    )
    some = [-0.0, np.inf, np.nan, low, high, 0.0, -np.inf, -1.0, -low, tiny, 1.0, -high, 1.0 + eps, 0.5, -tiny]
    return np.array(some).astype(kind)


def _integer_edges(kind: np.dtype[Any]) -> np.ndarray[Any, Any]:
    facts: Any = ml_dtypes.iinfo(kind)
    low, high = int(facts.min), int(facts.max)
    width = int(facts.bits)
    some = [0, 1, -1, high, low, width, width - 1, high - 1, low + 1, high // 2 + 1]
    return np.array([value for value in some if low <= value <= high], dtype=object).astype(kind)


def random(dtype: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    """Values as programs mostly meet them: floats around one, with some round ones; small integers, at times any."""
    kind = numpy_dtype(dtype)
    assert kind is not None
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if is_complex(dtype):
        pairs = random(part(dtype), (*shape, 2), rng)
        return pairs.view(kind).reshape(shape)
    if is_float(dtype):
        values = rng.standard_normal(shape) * rng.choice([1.0, 1.0, 1.0, 0.01, 100.0])
        if kind.name == "float8_e8m0fnu":
            values = np.abs(values)
        plain = rng.random(shape) < 0.1
        return np.where(plain, rng.choice([0.0, -0.0, 1.0, -1.0], shape), values).astype(kind)
    facts: Any = ml_dtypes.iinfo(kind)
    low, high = int(facts.min), int(facts.max)
    if rng.random() < 0.3:
        return rng.integers(low, high, shape, np.int64 if low else np.uint64, endpoint=True).astype(kind)
    return rng.integers(max(low, -8), min(high, 8), shape, endpoint=True).astype(kind)


def plain(value: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Simpler values than a single one, the simplest first."""
    kind = value.dtype
    if kind.kind == "b":
        return ()
    found = []
    for simple in (1, 2, -1):
        candidate = np.array(simple).astype(kind)
        if value == candidate:
            break
        if float(np.real(candidate)) == simple:
            found.append(candidate[()])
    return tuple(found)


# -- text --------------------------------------------------------------------------------------------------------------


def scalar_text(value: Any) -> str:
    """One element as a person writes it, with the fewest digits that give it back."""
    array = np.asarray(value)
    if array.dtype.kind == "c":
        real, imaginary = parts(array)
        return f"({scalar_text(real)}, {scalar_text(imaginary)})"
    text = str(array[()])
    return text.lower() if array.dtype.kind == "b" else text


def array_text(values: np.ndarray[Any, Any]) -> str:
    """A short text of an array: all of it where it is small, else what most elements are and the others by index."""
    if values.ndim == 0:
        return scalar_text(values)
    flat = values.reshape(-1)
    if not flat.size:
        return "[]"
    keys = np.ascontiguousarray(flat).view(np.dtype(("V", flat.dtype.itemsize)))
    unique, first, counts = np.unique(keys, return_index=True, return_counts=True)
    if len(unique) == 1 and flat.size > 1:
        return f"{scalar_text(flat[0])} everywhere"
    if flat.size <= SHOWN:
        return f"[{', '.join(map(scalar_text, flat))}]" if values.ndim == 1 else _nested(values)
    common = int(np.argmax(counts))
    others = np.nonzero(keys != unique[common])[0]
    if counts[common] > 1 and len(others) <= SHOWN:
        listed = ", ".join(f"{index_text(values.shape, int(k))} = {scalar_text(flat[k])}" for k in others)
        return f"{scalar_text(flat[first[common]])} but {listed}"
    return f"[{', '.join(map(scalar_text, flat[:SHOWN]))}, ...]"


def _nested(values: np.ndarray[Any, Any]) -> str:
    if values.ndim == 1:
        return f"[{', '.join(map(scalar_text, values))}]"
    return f"[{', '.join(_nested(row) for row in values)}]"  # of a few elements


def index_text(shape: tuple[int, ...], flat: int) -> str:
    """``[2,17]``; empty for a scalar."""
    return f"[{','.join(str(int(k)) for k in np.unravel_index(flat, shape))}]" if shape else ""
