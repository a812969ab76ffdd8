"""Parameters of equations as attributes: exact where their kind is known, by identity where nothing else is sure."""

from __future__ import annotations

import enum
import functools
import hashlib
import inspect
import re
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from scanir._compat import user_function
from scanir.ir.attrs import Array, Attr, Bool, Callable, Float, Int, Opaque, Record, Seq, Text, array
from scanir.readers.jaxpr.types import dtype_name

#: Objects whose identity is part of a module that was read; kept alive, so that no other object gets the same number.
_ALIVE: dict[int, Any] = {}
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{6,}")
_DEEPEST = 32


def read_param(value: Any, depth: int = 0) -> Attr:
    """An attribute that is equal for equal parameters only."""
    if depth > _DEEPEST:
        return _by_identity(value)
    match value:
        case None:
            return Opaque("none", "")
        case bool():
            return Bool(value)
        case enum.Enum():
            return Opaque(type(value).__name__, value.name)
        case int():
            return Int(value)
        case float():
            return Float.of(value)
        case complex():
            return Seq((Float.of(value.real), Float.of(value.imag)))
        case str():
            return Text(value)
        case bytes():
            return array("u8", (len(value),), value)
    return _compound(value, depth)


def _compound(value: Any, depth: int) -> Attr:
    import numpy as np

    if isinstance(value, (frozenset, set)):
        items = sorted((read_param(item, depth + 1) for item in value), key=repr)
        return Record((("kind", Text("set")), ("of", Seq(tuple(items)))))
    if isinstance(value, (tuple, list)):
        seq = Seq(tuple(read_param(item, depth + 1) for item in value))
        return seq if type(value) in (tuple, list) else _named(value, seq)
    if isinstance(value, Mapping):
        pairs = [Seq((read_param(k, depth + 1), read_param(v, depth + 1))) for k, v in value.items()]
        return Record((("kind", Text("mapping")), ("of", Seq(tuple(sorted(pairs, key=repr))))))
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return Opaque("dtype", dtype_name(np.dtype(value)))
    if _is_array(value):
        return read_array(value)
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)):
        return read_callable(value)
    if isinstance(value, type):
        return Opaque("type", f"{value.__module__}.{value.__qualname__}")
    if is_dataclass(value):
        named = [(field.name, read_param(getattr(value, field.name), depth + 1)) for field in fields(value) if field.compare]
        return Record((("class", Text(_class(value))), *sorted(named)))
    if type(value).__name__ in ("Mesh", "AbstractMesh"):
        return _mesh(value)
    if hasattr(value, "mesh") and hasattr(value, "spec"):
        kind = str(getattr(value, "memory_kind", None))
        return Record((("class", Text(_class(value))), ("memory_kind", Text(kind)), ("mesh", _mesh(value.mesh)), ("spec", Text(str(value.spec)))))
    if callable(value) and hasattr(user_function(value), "__code__"):
        return read_callable(value)
    text = repr(value)
    return _by_identity(value) if _ADDRESS.search(text) or text.startswith("<") else Opaque(_class(value), text)


def _named(value: Any, seq: Seq) -> Attr:
    names = getattr(value, "_fields", None)
    if names:
        return Record((("class", Text(_class(value))), *sorted(zip(names, seq.items, strict=True))))
    return Record((("class", Text(_class(value))), ("of", seq)))


def _class(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _mesh(mesh: Any) -> Attr:
    shape = Seq(tuple(Seq((Text(str(name)), Int(size))) for name, size in dict(getattr(mesh, "shape", {}) or {}).items()))
    kinds = Text(str(getattr(mesh, "axis_types", "")))
    devices = getattr(mesh, "device_ids", None) if type(mesh).__name__ == "Mesh" and shape.items else None
    ids = Seq(()) if devices is None else Seq(tuple(Int(int(i)) for i in devices.flat))
    return Record((("axes", shape), ("class", Text(type(mesh).__name__)), ("devices", ids), ("types", kinds)))


def _is_array(value: Any) -> bool:
    import numpy as np

    if isinstance(value, (np.ndarray, np.generic)):
        return True
    return hasattr(value, "shape") and hasattr(value, "dtype") and hasattr(value, "__array__") or _is_key(value)


def _is_key(value: Any) -> bool:
    return hasattr(value, "dtype") and str(value.dtype).startswith("key<")


def read_array(value: Any) -> Array:
    """All bits of an array; of a typed key, of the words it holds."""
    import numpy as np

    name = dtype_name(value.dtype)
    if _is_key(value):
        import jax

        words = np.asarray(jax.random.key_data(value))
        return array(name, tuple(value.shape), words.tobytes())
    data = np.asarray(value)
    shape = tuple(int(dim) for dim in data.shape)
    if data.size and not data.dtype.isnative:
        data = data.astype(data.dtype.newbyteorder("="))
    return array(name, shape, np.ascontiguousarray(data).tobytes())


def read_callable(value: Any) -> Callable:
    """A host function: who it is, what its code is, and which object."""
    function = user_function(value)
    if isinstance(function, functools.partial):
        inner = read_callable(function.func)
        bound = repr((function.args, sorted(function.keywords.items())))
        if _ADDRESS.search(bound):
            bound = ", ".join(type(part).__name__ for part in (*function.args, *function.keywords.values()))
            _ALIVE[id(function)] = function
            return Callable(f"partial({inner.qualname})", _digest(inner.code_digest, bound), id(function))
        return Callable(f"partial({inner.qualname})", _digest(inner.code_digest, bound), inner.identity)
    owner = getattr(function, "__self__", None)
    target = getattr(function, "__func__", function)
    name = f"{getattr(target, '__module__', '')}.{getattr(target, '__qualname__', type(target).__qualname__)}"
    _ALIVE[id(target)] = target
    identity = id(target)
    if owner is not None and not isinstance(owner, types.ModuleType):
        _ALIVE[id(owner)] = owner
        identity = hash((id(target), id(owner)))
    return Callable(name, _digest(_code(target)), identity)


def _code(function: Any) -> str:
    """Code, constants, names, defaults, and what plain values the function closes over. Locations are no part of it."""
    code = getattr(function, "__code__", None)
    if code is None:
        return repr(type(function))
    closure = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            content = cell.cell_contents
        except ValueError:  # an empty cell
            content = None
        closure.append(repr(content) if isinstance(content, (int, float, complex, str, bytes, bool, type(None))) else "?")
    defaults = repr(getattr(function, "__defaults__", None))
    return "\n".join((_code_text(code), _ADDRESS.sub("", defaults), *closure))


def _code_text(code: Any) -> str:
    consts = [_code_text(c) if inspect.iscode(c) else repr(c) for c in code.co_consts]
    return "\n".join(map(str, (code.co_code.hex(), consts, code.co_names, code.co_argcount, code.co_freevars)))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:32]


def _by_identity(value: Any) -> Callable:
    """An object whose text says where it is and not what it is: it equals only itself."""
    _ALIVE[id(value)] = value
    return Callable(_class(value), "", id(value))
