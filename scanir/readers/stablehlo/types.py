"""MLIR types as types of the IR.

Promises that different types stay different: what is not a ranked tensor, tuple or token is carried as its text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from scanir.errors import ReadError
from scanir.ir.attrs import Attr, Opaque
from scanir.ir.types import TOKEN, Dim, OpaqueType, TensorType, TupleType, Type

TOKENS = frozenset({"!stablehlo.token", "!mhlo.token"})
DYNAMIC = "?"

#: Element types that are spelt otherwise than in lower case with ``ui`` as ``u``.
_DTYPES = {"i1": "bool", "complex<f32>": "c64", "complex<f64>": "c128"}


class Types:
    """Reads the types of one module; each of them once."""

    def __init__(self, ir: Any) -> None:
        self._ir = ir
        self._read: dict[Any, Type] = {}
        self._dynamic = ir.ShapedType.get_dynamic_size()
        #: How an encoding is read; set by the reader of attributes, which needs this one.
        self.attribute: Callable[[Any], Attr] = lambda attr: Opaque("mlir", str(attr))

    def read(self, mlir_type: Any) -> Type:
        found = self._read.get(mlir_type)
        if found is None:
            found = self._read[mlir_type] = self._convert(mlir_type)
        return found

    def _convert(self, mlir_type: Any) -> Type:
        if isinstance(mlir_type, self._ir.RankedTensorType):
            return self._tensor(mlir_type)
        text = str(mlir_type)
        if text in TOKENS:
            return TOKEN
        if isinstance(mlir_type, self._ir.TupleType):
            # Tuples in tuples: no deeper than the text they came from may nest.
            return TupleType(tuple(self.read(mlir_type.get_type(k)) for k in range(mlir_type.num_types)))
        return OpaqueType(_closed(text))

    def _tensor(self, mlir_type: Any) -> TensorType:
        shape: tuple[Dim, ...] = tuple(DYNAMIC if dim == self._dynamic else dim for dim in mlir_type.shape)
        dtype = element_dtype(str(mlir_type.element_type))
        encoding = mlir_type.encoding
        if encoding is None:
            return TensorType(dtype, shape)
        name = "bounds" if str(encoding).startswith(("#stablehlo.bounds", "#mhlo.type_extensions")) else "encoding"
        return TensorType(dtype, shape, ((name, self.attribute(encoding)),))


def element_dtype(text: str) -> str:
    """The short name of an element type: ``f32``, ``bool``, ``u8``, ``c64``; any other type verbatim."""
    if text in _DTYPES:
        return _DTYPES[text]
    if text.isalnum():
        return "u" + text[2:] if text.startswith("ui") else text.lower()
    return _closed(text)


def _closed(text: str) -> str:
    if "@" in text:
        raise ReadError(f"a type that names a symbol cannot be compared: {text[:200]}")
    return text
