"""Example arguments as data: arrays by dtype and shape, and the text that `scanir.targets.grammar` reads back.

Imports neither jax nor numpy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

_FLOATS = (
    *("bfloat16", "float16", "float32", "float64"),
    *("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz"),
    *("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
)
#: Brackets within brackets of an example that a person still reads.
DEEPEST_SHOWN = 8
_WIDTHS = (1, 2, 4, 8, 16, 32, 64)


def _short(long: str) -> str:
    return long.replace("bfloat", "bf").replace("float", "f").replace("_", "")


#: Short name of a dtype -> its long name.
DTYPES: dict[str, str] = {
    "bool": "bool",
    "c64": "complex64",
    "c128": "complex128",
    **{_short(long): long for long in _FLOATS},
    **{f"{sign[0]}{width}": f"{sign}{width}" for sign in ("int", "uint") for width in _WIDTHS},
}
#: Each spelling of a dtype -> its short name.
SPELLINGS: dict[str, str] = {
    **{long: short for short, long in DTYPES.items()},
    **{short.replace("e", "_e", 1): short for short in DTYPES if re.match(r"f\d+e", short)},  # as jax prints them
    **{short: short for short in DTYPES},
    "pred": "bool",
    **{f"s{width}": f"i{width}" for width in _WIDTHS},  # as HLO spells them
}


@dataclass(frozen=True, slots=True)
class Spec:
    """An array by its type: ``dtype`` is the short name."""

    dtype: str
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Static:
    """A value that the function gets as it is, at tracing time."""

    value: Any


@dataclass(frozen=True, slots=True)
class Parsed:
    """Arguments as written: Spec, numbers, True, False, None, strings, tuples, lists, dicts, and Static around one."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


def show(parsed: Parsed) -> str:
    """The text of arguments, which `parse` reads back."""
    named = [f"{name}={show_value(value)}" for name, value in parsed.kwargs.items()]
    return ", ".join([*map(show_value, parsed.args), *named])


def show_value(value: Any) -> str:
    """The text of one value."""
    match value:
        case Static():
            return f"static({show_value(value.value)})"
        case Spec():
            return f"{value.dtype}[{','.join(map(str, value.shape))}]"
        case str():
            return _quote(value)
        case tuple():
            return f"({', '.join(map(show_value, value))}{',' if len(value) == 1 else ''})"
        case list():
            return f"[{', '.join(map(show_value, value))}]"
        case dict():
            return "{" + ", ".join(f"{show_value(key)}: {show_value(item)}" for key, item in value.items()) + "}"
        case complex():
            return repr(value.imag) + "j"  # the grammar has imaginary numbers only
        case _:
            return repr(value)


def _quote(text: str) -> str:
    escaped = "".join(
        {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char, char) for char in text
    )
    return f'"{escaped}"'


def written(values: tuple[Any, ...], named: dict[str, Any] | None = None) -> str:
    """Example arguments as a person would write them; ``...`` for what the grammar has no words for."""
    parts = [_written(value) for value in values]
    return ", ".join(parts + [f"{name}={_written(value)}" for name, value in (named or {}).items()])


def _written(value: Any, depth: int = 0) -> str:
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is not None and isinstance(shape, tuple):
        return f"{SPELLINGS.get(str(dtype), str(dtype))}[{','.join(map(str, shape))}]"
    if depth > DEEPEST_SHOWN:
        return "..."
    match value:
        case Static():
            return f"static({_written(value.value, depth + 1)})"
        case tuple():
            return f"({', '.join(_written(item, depth + 1) for item in value)}{',' if len(value) == 1 else ''})"
        case list():
            return f"[{', '.join(_written(item, depth + 1) for item in value)}]"
        case dict():
            return "{" + ", ".join(f"{_written(key)}: {_written(item, depth + 1)}" for key, item in value.items()) + "}"
        case None | bool() | int() | float() | complex() | str():
            return show_value(value)
        case _:
            return "..."
