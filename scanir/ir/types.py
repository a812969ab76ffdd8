"""Types of values: what a value is, never where it came from.

One spelling for all three dialects: dtypes are written as JAX abbreviates them (``f32``, ``bf16``, ``i32``,
``u8``, ``bool``, ``c64``, ``key<fry>``), shapes are tuples of ints or, for symbolic dimensions, of strings.
What only some dialects know (layout, memory space, weak type, sharding, bounds) sits in ``extras``: a fact that
is absent there is unsaid, and every fact that is present belongs to the identity of the type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from scanir.ir.attrs import Attr

Dim: TypeAlias = "int | str"


@dataclass(frozen=True, slots=True)
class TensorType:
    """An array type. ``extras`` is sorted by name; see `EXTRAS` for the names in use."""

    dtype: str
    shape: tuple[Dim, ...] = ()
    extras: tuple[tuple[str, Attr], ...] = ()

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    def extra(self, name: str) -> Attr | None:
        """The fact called ``name``, or None where the type does not say."""
        for key, value in self.extras:
            if key == name:
                return value
        return None


@dataclass(frozen=True, slots=True)
class TupleType:
    """A tuple of types (HLO; StableHLO's ``tuple``)."""

    elements: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.elements))})"


@dataclass(frozen=True, slots=True)
class TokenType:
    """An ordering token: it has no value, only a place in an order."""

    def __str__(self) -> str:
        return "token[]"


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A type that no reader takes apart; carried verbatim and compared exactly."""

    text: str

    def __str__(self) -> str:
        return self.text


Type: TypeAlias = "TensorType | TupleType | TokenType | OpaqueType"

#: Names used in ``TensorType.extras`` and what each means.
EXTRAS = {
    "weak_type": "Bool(True): the array takes part in promotion as a Python scalar does (jaxpr only)",
    "layout": "Opaque text of a layout that is not the default row-major one (HLO)",
    "memory_space": "where the buffer lives (HLO S(n), jaxpr memory spaces)",
    "sharding": "how the array is split over devices",
    "bounds": "upper bounds of dynamic dimensions (`<=n`)",
    "encoding": "an MLIR tensor encoding nobody took apart",
    "varying": "Text: mesh axes over which the value varies (jaxpr, inside shard_map)",
    "ref": "Text(kind): a mutable reference to an array of this type (jaxpr)",
}

TOKEN = TokenType()
