"""Parameters of equations as attributes, equal for equal parameters only.

Promises plain data, arrays, data classes, shardings and meshes by contents; functions and objects that nothing is known
of by identity. Text that an object shows of itself is taken for its contents only where the object is one of JAX's own.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import re
import sys
import types
from collections.abc import Mapping
from typing import Any

from scanir import _compat
from scanir._compat_rules import number_of, same_object
from scanir.ir.attrs import Attr, Bool, Callable, Float, Int, Opaque, Record, Seq, Text, TypeAttr, array
from scanir.readers.jaxpr.arrays import dtype_name, is_array, read_array
from scanir.readers.jaxpr.callables import read_callable
from scanir.readers.jaxpr.types import read_type

_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}|\.\.\.")  # an address, or a printer that left something out
_DEEPEST = 32
#: Packages whose objects show all that they are when they are printed, and whose functions are known by name.
_KNOWN = ("jax", "jaxlib", "numpy", "ml_dtypes", "builtins")


def read_param(value: Any, jaxprs: list[Any] | None = None, depth: int = 0) -> Attr:
    """The attribute of a parameter. Jaxprs inside it are appended to ``jaxprs``: each becomes a region's number."""
    kind = type(value)
    if value is None:
        return Opaque("none", "")
    if kind is bool:
        return Bool(value)
    if kind is int:
        return Int(value)
    if kind is float:
        return Float.of(value)
    if kind is complex:
        return Seq((Float.of(value.real), Float.of(value.imag)))
    if kind is str:
        return Text(value)
    if kind is bytes:
        return array("u8", (len(value),), value)
    if kind in (tuple, list) and depth <= _DEEPEST:
        return Seq(tuple([read_param(part, jaxprs, depth + 1) for part in value]))
    if depth > _DEEPEST or _compat.is_tracer(value):
        return _itself(value)
    if _compat.jaxpr_parts(value) is not None:
        if jaxprs is None:
            return _itself(value)
        jaxprs.append(value)
        return Opaque("region", str(len(jaxprs) - 1))
    return _leaf(value) or _compound(value, jaxprs, depth + 1) or _shown(value, jaxprs, depth + 1)


def _leaf(value: Any) -> Attr | None:
    """Values without parts that are read on their own."""
    import numpy as np

    if isinstance(value, enum.Enum):
        return _record(value, name=Text(str(value)))
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return Opaque("dtype", dtype_name(np.dtype(value)))
    if type(value).__name__ == "KeyTy":
        return Opaque("dtype", dtype_name(value))
    if is_array(value):
        return read_array(value)
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)):
        return _function(value)
    if isinstance(value, type):
        return _named(value, "type")
    if _compat.is_abstract(value):
        return TypeAttr(read_type(value))
    if _compat.is_effect(value):
        return Text(str(_compat.effect_text(value)))
    if type(value).__name__ == "PyTreeDef":
        return _tree(value)
    if _compat.is_debug_info(value):
        return Opaque("debug info", "")
    if (name := _compat.random_implementation(value)) is not None:
        return Text(name)
    return None


def _tree(value: Any) -> Attr:
    """A pytree by its text; with nodes of classes that only JAX's registry knows, by equality within the process."""
    text = str(value)
    if "CustomNode" not in text:
        return Opaque("tree", text)
    try:
        return Callable(f"{type(value).__name__} with custom nodes", "", number_of(("tree", value)))
    except TypeError:  # static data that cannot be hashed
        return _itself(value)


def _compound(value: Any, jaxprs: list[Any] | None, depth: int) -> Attr | None:
    """Containers, data classes, shardings and meshes: their parts are read."""

    def read(part: Any) -> Attr:
        return read_param(part, jaxprs, depth)

    if isinstance(value, (set, frozenset)):
        return _record(value, of=Seq(tuple(sorted(map(read, value), key=repr))))
    if isinstance(value, Mapping):
        pairs = [Seq((read(key), read(item))) for key, item in value.items()]
        return _record(value, of=Seq(tuple(sorted(pairs, key=repr))))
    if type(value).__name__ in ("Mesh", "AbstractMesh"):
        return _mesh(value)
    if type(value).__name__ == "PartitionSpec":
        rest = {name: read(getattr(value, name, None)) for name in ("unreduced", "reduced")}
        return _record(value, of=Seq(tuple(map(read, tuple(value)))), **rest)
    # Asked of the class: a sharding on an abstract mesh has no set of devices and says so by raising.
    if hasattr(type(value), "memory_kind") and hasattr(type(value), "device_set"):
        return _sharding(value, read)
    if isinstance(value, (tuple, list)):
        names = getattr(value, "_fields", None) or [str(k) for k in range(len(value))]
        return _record(value, **dict(zip(names, map(read, value), strict=True)))
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value) if field.name not in _PLACES]
        return _record(value, **{name: read(getattr(value, name, None)) for name in names})
    return None


def _record(value: Any, /, **fields: Attr) -> Record:
    """The parts of an object by name, and its class."""
    return Record(tuple(sorted([("class", _class(value)), *fields.items()])))


#: Fields that say where something was written, not what it is.
_PLACES = frozenset({"debug_info", "src_info", "source_info", "name_and_src_info"})


def _shown(value: Any, jaxprs: list[Any] | None, depth: int) -> Attr:
    """One of JAX's own objects by what it shows or holds; any other by identity."""
    if not _ours(type(value).__module__):
        return _itself(value)
    if callable(value):  # what it shows is a name (ufuncs made of Python functions share theirs)
        return read_callable(value)
    if hasattr(value, "val"):  # a box around a value that cannot be hashed
        return _record(value, val=read_param(value.val, jaxprs, depth))
    text = repr(value)
    if not _ADDRESS.search(text):
        return _record(value, shows=Text(text))
    held = getattr(value, "__dict__", None)
    if not held or hasattr(value, "__slots__"):
        return _itself(value)
    parts = {f".{name}": read_param(part, jaxprs, depth) for name, part in held.items() if name not in _PLACES}
    return _record(value, **parts)


def _mesh(mesh: Any) -> Attr:
    """Names, sizes and types of the axes, and the devices in their order."""
    shape = dict(getattr(mesh, "shape", None) or {})
    axes = Seq(tuple(Seq((read_param(name), Int(size))) for name, size in shape.items()))
    devices: tuple[Attr, ...] = ()
    if shape and type(mesh).__name__ == "Mesh":
        devices = tuple(_device(device) for device in mesh.devices.flat)
    types_ = Text(str(getattr(mesh, "axis_types", None)))
    abstract = Text(str(getattr(mesh, "abstract_device", None)))
    return _record(mesh, axes=axes, device=abstract, devices=Seq(devices), types=types_)


def _device(device: Any) -> Attr:
    return Text(f"{device.platform}:{device.id}")


def _sharding(value: Any, read: Any) -> Attr:
    """How an array lies on devices: by mesh and axes where there are some, else by devices and what it shows."""
    fields: dict[str, Attr] = {"memory_kind": Text(str(value.memory_kind))}
    if hasattr(value, "mesh") and hasattr(value, "spec"):
        fields |= {"mesh": read(value.mesh), "spec": read(value.spec)}
        for name in ("_manual_axes", "_logical_device_ids"):
            fields[name] = read(getattr(value, name, None))
    else:
        order = getattr(value, "_device_assignment", None) or sorted(value.device_set, key=lambda device: device.id)
        fields |= {"devices": Seq(tuple(map(_device, order))), "shows": Text(repr(value))}
    return _record(value, **fields)


def _function(value: Any) -> Attr:
    """A function of a known package by its name, any other as what it is."""
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)) and _ours(value.__module__ or ""):
        named = _resolved(value)
        if named is not None:
            return Opaque("function", named)
    return read_callable(value)


def _class(value: Any) -> Attr:
    return _named(type(value), "class")


def _named(value: Any, kind: str) -> Attr:
    """A class by its name if the name leads to it, else by identity: local classes may share a name."""
    name = _resolved(value)
    return _itself(value) if name is None else Opaque(kind, name)


def _resolved(value: Any) -> str | None:
    """The full name of a class or function, if that name leads to this very object."""
    module = sys.modules.get(str(value.__module__))
    found: Any = module
    for part in str(value.__qualname__).split("."):
        found = getattr(found, part, None)
    return f"{value.__module__}.{value.__qualname__}" if found is value else None


def _ours(module: str) -> bool:
    return module.split(".")[0] in _KNOWN


def _itself(value: Any) -> Callable:
    """An object that is compared by identity."""
    kind = type(value)
    return Callable(f"{kind.__module__}.{kind.__qualname__}", "", number_of(same_object(value)))
