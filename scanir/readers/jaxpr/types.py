"""Types of jaxpr values: abstract values as `scanir.ir.types`."""

from __future__ import annotations

from typing import Any

from scanir.ir.attrs import Attr, Bool, Opaque, Text
from scanir.ir.types import TOKEN, OpaqueType, TensorType, Type

#: numpy's names -> JAX's short ones; other names are JAX's own already.
_SHORT = {
    "bool": "bool", "float16": "f16", "float32": "f32", "float64": "f64", "bfloat16": "bf16", "complex64": "c64",
    "complex128": "c128", **{f"int{n}": f"i{n}" for n in (1, 2, 4, 8, 16, 32, 64)},
    **{f"uint{n}": f"u{n}" for n in (1, 2, 4, 8, 16, 32, 64)},
}  # fmt: skip


def dtype_name(dtype: Any) -> str:
    """``f32`` for float32, ``key<fry>`` for a typed key."""
    name = str(getattr(dtype, "name", dtype))
    if name in _SHORT:
        return _SHORT[name]
    return "f8" + name[len("float8_") :] if name.startswith("float8_") else name.replace("float", "f", 1)


def read_type(aval: Any) -> Type:
    """The type of an abstract value; what no field covers is carried as text."""
    kind = type(aval).__name__
    if kind == "AbstractToken":
        return TOKEN
    extras: dict[str, Attr] = {}
    inner = aval
    if hasattr(aval, "inner_aval"):
        inner = aval.inner_aval
        extras["ref"] = Text(str(getattr(aval, "kind", None) or kind))
    if not hasattr(inner, "shape") or not hasattr(inner, "dtype"):
        return OpaqueType(f"{kind}: {aval}")
    if getattr(inner, "weak_type", False):
        extras["weak_type"] = Bool(True)
    sharding = getattr(inner, "sharding", None)
    spec = getattr(sharding, "spec", None)
    if spec is not None and any(part is not None for part in spec):
        extras["sharding"] = Opaque("sharding", f"{_mesh(sharding)} {spec}")
    if varying := _varying(inner):
        extras["varying"] = Text(varying)
    space = getattr(inner, "memory_space", None) or getattr(aval, "memory_space", None)
    if space is not None and str(space) not in ("MemorySpace.Device", "Device", "device", "<MemorySpace.Device: 1>"):
        extras["memory_space"] = Text(str(space))
    shape = tuple(dim if isinstance(dim, int) else str(dim) for dim in inner.shape)
    return TensorType(dtype_name(inner.dtype), shape, tuple(sorted(extras.items())))


def _varying(aval: Any) -> str:
    """Mesh axes over which a value varies or is unreduced, inside a shard_map; empty elsewhere."""
    parts = []
    manual = getattr(aval, "mat", None)
    for owner, name in ((aval, "vma"), (manual, "varying"), (manual, "unreduced"), (manual, "reduced")):
        axes = getattr(owner, name, None)
        if axes:
            parts.append(f"{'varying' if name == 'vma' else name} {','.join(sorted(map(str, axes)))}")
    return "; ".join(dict.fromkeys(parts))


def _mesh(sharding: Any) -> str:
    mesh = getattr(sharding, "mesh", None)
    return f"{dict(getattr(mesh, 'shape', {}) or {})} {getattr(mesh, 'axis_types', '')}"
