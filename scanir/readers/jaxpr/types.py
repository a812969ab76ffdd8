"""Types of jaxpr values: abstract values as `scanir.ir.types`. What no field covers is carried as text."""

from __future__ import annotations

from typing import Any

from scanir.ir.attrs import Attr, Bool, Opaque, Text
from scanir.ir.types import TOKEN, OpaqueType, TensorType, Type
from scanir.readers.jaxpr.arrays import dtype_name

#: Classes of abstract values that the fields below say all about.
_KNOWN = frozenset({"ShapedArray", "AbstractRef"})
_DEVICE = frozenset({"MemorySpace.Device", "Device", "device", "<MemorySpace.Device: 1>"})


def read_type(aval: Any) -> Type:
    """The type of an abstract value."""
    kind = type(aval).__name__
    if kind == "AbstractToken":
        return TOKEN
    inner = getattr(aval, "inner_aval", aval)
    if not hasattr(inner, "shape") or not hasattr(inner, "dtype"):
        return OpaqueType(f"{kind}: {aval}")
    extras: dict[str, Attr] = {}
    if inner is not aval:
        extras["ref"] = Text(str(getattr(aval, "kind", None) or kind))
    if strange := sorted({kind, type(inner).__name__} - _KNOWN):
        extras["class"] = Opaque("aval", f"{' '.join(strange)} {aval}")
    if getattr(inner, "weak_type", False):
        extras["weak_type"] = Bool(True)
    if sharding := _sharding(inner):
        extras["sharding"] = Opaque("sharding", sharding)
    if varying := _varying(inner):
        extras["varying"] = Text(varying)
    if spaces := _spaces(aval, inner):
        extras["memory_space"] = Text(spaces)
    shape = tuple(dim if isinstance(dim, int) else str(dim) for dim in inner.shape)
    return TensorType(dtype_name(inner.dtype), shape, tuple(sorted(extras.items())))


def _spaces(aval: Any, inner: Any) -> str:
    """Memory spaces of a reference and of what it refers to, where they are not the default."""
    owners = (aval,) if aval is inner else (aval, inner)
    found = [str(getattr(owner, "memory_space", None)) for owner in owners]
    return " ".join(space for space in found if space != "None" and space not in _DEVICE)


def _sharding(aval: Any) -> str:
    """An explicit sharding, where some axis is split, reduced or unreduced."""
    sharding = getattr(aval, "sharding", None)
    spec = getattr(sharding, "spec", None)
    if spec is None:
        return ""
    rest = [getattr(spec, name, None) for name in ("unreduced", "reduced")]
    if all(part is None for part in spec) and not any(rest):
        return ""
    mesh = getattr(sharding, "mesh", None)
    return f"{dict(getattr(mesh, 'shape', {}) or {})} {getattr(mesh, 'axis_types', '')} {spec}"


def _varying(aval: Any) -> str:
    """Mesh axes over which a value varies or is unreduced, inside a shard_map; empty elsewhere."""
    parts = []
    manual = getattr(aval, "mat", None)
    for owner, name in ((aval, "vma"), (manual, "varying"), (manual, "unreduced"), (manual, "reduced")):
        axes = getattr(owner, name, None)
        if axes:
            parts.append(f"{'varying' if name == 'vma' else name} {','.join(sorted(map(str, axes)))}")
    return "; ".join(dict.fromkeys(parts))
