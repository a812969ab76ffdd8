"""Arrays and dtypes of JAX and NumPy as attributes: all bits, in one spelling of dtypes."""

from __future__ import annotations

import re
from typing import Any

from scanir.errors import ReadError
from scanir.ir.attrs import Array, array

#: numpy's names -> JAX's short ones; other names are JAX's own already.
_SHORT = {
    "bool": "bool", "float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "bf16", "complex64": "c64",
    "complex128": "c128", **{f"int{n}": f"i{n}" for n in (1, 2, 4, 8, 16, 32, 64)},
    **{f"uint{n}": f"u{n}" for n in (1, 2, 4, 8, 16, 32, 64)},
}  # fmt: skip
_SMALL_FLOAT = re.compile(r"float(\d+)_(\w+)")


def dtype_name(dtype: Any) -> str:
    """``f32`` for float32, ``f8e4m3fn`` for float8_e4m3fn, ``key<fry>`` for a typed key."""
    if getattr(dtype, "names", None) or (getattr(dtype, "kind", "") == "V" and str(dtype) not in _SHORT):
        return _structured(dtype)
    name = str(getattr(dtype, "name", dtype))
    if name in _SHORT:
        return _SHORT[name]
    return _SMALL_FLOAT.sub(r"f\1\2", name)


def _structured(dtype: Any) -> str:
    """The dtype of tangents of integers, and small types that NumPy knows as bytes only."""
    names = getattr(dtype, "names", None)
    if names == ("float0",) or str(dtype) == "[('float0', 'V')]":
        return "float0"
    return _SMALL_FLOAT.sub(r"f\1\2", _SHORT.get(dtype.name, dtype.name))


def is_array(value: Any) -> bool:
    """Whether a value is an array or a NumPy scalar, concrete and with all its elements."""
    import numpy as np

    if isinstance(value, (np.ndarray, np.generic)):
        return True
    return hasattr(value, "shape") and hasattr(value, "dtype") and (hasattr(value, "__array__") or is_key(value))


def is_key(value: Any) -> bool:
    """Whether a value is an array of typed random keys."""
    return str(getattr(value, "dtype", "")).startswith("key<")


def read_array(value: Any, dtype: Any = None) -> Array:
    """All bits of an array, converted to ``dtype`` first as JAX does when it traces; of a typed key, of its words."""
    import numpy as np

    if is_key(value):
        import jax

        words = np.asarray(jax.random.key_data(value))
        return array(dtype_name(value.dtype), tuple(value.shape), words.astype(words.dtype.newbyteorder("<")).tobytes())
    try:
        data = np.asarray(value)
    except RuntimeError as problem:  # deleted by donation, or on devices of another process
        first = str(problem).splitlines()[0]
        what = f"a captured array cannot be read: {first}"
        raise ReadError(what, hint="trace before the array is donated") from problem
    if dtype is not None and data.dtype != dtype:
        data = data.astype(dtype)
    if data.dtype.byteorder == ">" or (data.dtype.byteorder == "=" and not np.little_endian):
        data = data.astype(data.dtype.newbyteorder("<"))
    return array(dtype_name(data.dtype), tuple(int(dim) for dim in data.shape), data.tobytes())
