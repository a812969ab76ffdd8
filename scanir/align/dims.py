"""Sizes and dtypes that arguments have otherwise, and what follows from them.

An argument that is f32[16,3] where it was f32[8,3] makes many a shape below it another one. A difference follows if
all that differs in it are such sizes and dtypes, or products of them with what stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from scanir.ir.attrs import Bool, Int, Text, TypeAttr
from scanir.ir.types import TensorType


class Substitution:
    """``sizes`` and ``dtypes``: pairs of what was and what is."""

    def __init__(
        self, sizes: frozenset[tuple[Any, Any]] = frozenset(), dtypes: frozenset[tuple[str, str]] = frozenset()
    ) -> None:
        self._sizes, self._dtypes = sizes, dtypes

    def __bool__(self) -> bool:
        return bool(self._sizes or self._dtypes)

    def learn(self, x: Any, y: Any) -> None:
        """Take what differs between the two types of an argument."""
        found = self.extended([(x, y)])
        self._sizes, self._dtypes = found._sizes, found._dtypes

    def extended(self, types: Iterable[tuple[Any, Any]]) -> Substitution:
        sizes, dtypes = set(self._sizes), set(self._dtypes)
        for x, y in types:
            if not isinstance(x, TensorType) or not isinstance(y, TensorType):
                continue
            if x.dtype != y.dtype:
                dtypes.add((x.dtype, y.dtype))
            if len(x.shape) == len(y.shape):
                sizes |= {(m, n) for m, n in zip(x.shape, y.shape, strict=True) if m != n}
        return Substitution(frozenset(sizes), frozenset(dtypes))

    def explains(self, x: Any, y: Any) -> bool:
        """Whether two keys differ in nothing but what follows, and do so."""
        if not self:
            return False
        stack = [(x, y)]
        while stack:
            s, t = stack.pop()
            if s == t and type(s) is type(t):
                continue
            if isinstance(s, TypeAttr) and isinstance(t, TypeAttr):
                stack.append((s.type, t.type))
            elif isinstance(s, TensorType) and isinstance(t, TensorType):
                stack += [(s.dtype, t.dtype), (s.shape, t.shape)]
            elif (isinstance(s, Text) and isinstance(t, Text)) or (isinstance(s, Int) and isinstance(t, Int)):
                stack.append((s.value, t.value))
            elif isinstance(s, tuple) and isinstance(t, tuple) and len(s) == len(t):
                stack += zip(s, t, strict=True)
            elif not self._leaf(s, t):
                return False
        return True

    def _leaf(self, s: Any, t: Any) -> bool:
        if isinstance(s, Bool) or isinstance(t, Bool):
            return False
        if isinstance(s, int) and isinstance(t, int):
            return any(m * t == n * s for m, n in self._sizes if isinstance(m, int) and isinstance(n, int))
        return isinstance(s, str) and isinstance(t, str) and (s, t) in self._dtypes
