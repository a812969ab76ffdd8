"""Element types of HLO: their names in text and protobuf, and how a literal of each is laid out in bytes.

Floats are described by their bits, so that a NaN of any sign and payload can be written without arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Integer:
    """``bits`` wide; held in the next whole byte."""

    signed: bool
    bits: int

    @property
    def bytes(self) -> int:
        return max(8, self.bits) // 8

    @property
    def numpy(self) -> np.dtype[Any]:
        import numpy as np

        return np.dtype(f"<{'i' if self.signed else 'u'}{self.bytes}")

    @property
    def least(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def greatest(self) -> int:
        return (1 << (self.bits - self.signed)) - 1


@dataclass(frozen=True, slots=True)
class Floating:
    """``mantissa`` explicit bits. ``nan``: bits of the NaN where the format has just one (``signed_nan``: one a sign),
    -1 where it has none.
    """

    name: str
    bytes: int
    mantissa: int = 0
    nan: int | None = None
    signed_nan: bool = True

    @property
    def numpy(self) -> np.dtype[Any]:
        """The type that rounds to this format; ml_dtypes is imported for small formats only."""
        import numpy as np

        if self.name.startswith(("bfloat", "float8", "float4")):
            import ml_dtypes

            small: np.dtype[Any] = np.dtype(getattr(ml_dtypes, self.name))
            return small
        plain: np.dtype[Any] = np.dtype(self.name)
        return plain.newbyteorder("<")

    @property
    def raw(self) -> np.dtype[Any]:
        import numpy as np

        return np.dtype(f"<u{self.bytes}")

    def nan_bits(self, negative: bool, payload: int | None) -> int | None:
        """The bits of a NaN, or None where this format has no such NaN."""
        sign = int(negative) << (8 * self.bytes - 1)
        if self.nan is not None:
            if payload is not None or self.nan < 0:
                return None
            return self.nan | (sign if self.signed_nan else 0)
        quiet = 1 << (self.mantissa - 1)
        payload = quiet if payload is None else payload
        if not 0 < payload < 1 << self.mantissa:
            return None
        exponent = (1 << (8 * self.bytes - 1)) - (1 << self.mantissa)
        return sign | exponent | payload


INTEGERS = {
    **{f"i{bits}": Integer(True, bits) for bits in (1, 2, 4, 8, 16, 32, 64)},
    **{f"u{bits}": Integer(False, bits) for bits in (1, 2, 4, 8, 16, 32, 64)},
}

FLOATS = {
    "f16": Floating("float16", 2, 10),
    "bf16": Floating("bfloat16", 2, 7),
    "f32": Floating("float32", 4, 23),
    "f64": Floating("float64", 8, 52),
    "f8e5m2": Floating("float8_e5m2", 1, 2),
    "f8e4m3": Floating("float8_e4m3", 1, 3),
    "f8e3m4": Floating("float8_e3m4", 1, 4),
    "f8e4m3fn": Floating("float8_e4m3fn", 1, nan=0x7F),
    "f8e4m3fnuz": Floating("float8_e4m3fnuz", 1, nan=0x80, signed_nan=False),
    "f8e5m2fnuz": Floating("float8_e5m2fnuz", 1, nan=0x80, signed_nan=False),
    "f8e4m3b11fnuz": Floating("float8_e4m3b11fnuz", 1, nan=0x80, signed_nan=False),
    "f8e8m0fnu": Floating("float8_e8m0fnu", 1, nan=0xFF, signed_nan=False),
    "f4e2m1fn": Floating("float4_e2m1fn", 1, nan=-1),
}

COMPLEX = {"c64": FLOATS["f32"], "c128": FLOATS["f64"]}


def short_dtype(name: str) -> str:
    """HLO's name of an element type as JAX abbreviates it; a name that is not known stays as it is."""
    if name == "pred":
        return "bool"
    if name[0] == "s" and name[1:].isdigit():
        return f"i{name[1:]}"
    return name


def element_bytes(dtype: str) -> int | None:
    """Bytes an element takes in `scanir.ir.attrs.Array`, or None for a type that is not known."""
    if dtype == "bool":
        return 1
    if dtype in INTEGERS:
        return INTEGERS[dtype].bytes
    if dtype in FLOATS:
        return FLOATS[dtype].bytes
    return 2 * COMPLEX[dtype].bytes if dtype in COMPLEX else None


def element_bits(dtype: str) -> int:
    """Bits of an element that count; 8 for any type of whole bytes."""
    if dtype in INTEGERS:
        return min(INTEGERS[dtype].bits, 8)
    return 4 if dtype == "f4e2m1fn" else 8
