"""Uses of JAX internals that tell calls of a function apart, as JAX's caches do: see `scanir._compat_compiles`."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import itertools
import os
import re
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scanir.compiles.call import Call, Leaf, Place
from scanir.ir.places import is_installed

#: Elements of an array that is closed over which are read to tell it from another one.
_MOST = 1 << 20
_LONGEST = 80
#: Items of a container that is closed over, and containers in one another, that are looked at.
_ITEMS, _DEEPEST = 100, 4
_WRAPPERS = 20
#: Static values, those inside tuples counted one by one, that are told apart.
_STATICS = 200
#: The name of what pmap makes of a function, from JAX 0.8 on.
_PMAPPED = "_fun"
#: Tracers by the names of their classes, and the transforms that they are of.
_UNDER = {"JVPTracer": "jvp or grad", "LinearizeTracer": "grad", "BatchTracer": "vmap"}
#: Numbers of calls and of objects, each used once.
COUNT = itertools.count(1)


def call_of(fun: Any, info: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], answer: Any) -> Call:
    """A call from what ``pjit._infer_params`` takes and answers: its PjitParams, and the arguments by leaf."""
    params, flat = answer
    inner, wrapped = written(fun)
    source = source_of(inner)
    statics = _statics(info, args, kwargs)
    if source is not None and is_installed(source.file):  # a wrapper of a package's, which is given the function
        named = (source_of(value) for _, value in statics if getattr(value, "__name__", "") == params.params["name"])
        source = next((found for found in named if found is not None), source)
    count = len(params.in_avals)
    names = params.arg_names or tuple(f"argument {k}" for k in range(count))
    donated = tuple(params.params["donated_invars"])[-count:] if count else ()
    values = list(flat)[len(flat) - count :]
    leaves = zip(names, params.in_avals, values, donated, strict=True)
    name = str(params.params["name"])
    if source is not None and name == _PMAPPED:
        name = f"{source.function} (pmap)"
    context = _context()
    return Call(
        name=name,
        source=source,
        owner="user" if source is None else owner_of(source.file),
        function=number(fun),
        wrapped=wrapped,
        leaves=tuple(_leaf(*leaf) for leaf in leaves),
        tree=str(params.in_tree),
        statics=tuple((label, text_of(value) + _hashed(value)) for label, value in statics),
        closure=_closure(fun, inner),
        options=_options(params.params),
        under=_transforms(values),
        settings=_settings(context),
        context=context,
    )


def written(fun: Any) -> tuple[Any, bool]:
    """The function that a person wrote inside a wrapper (a partial, a method, ``jax.grad``), and whether there is
    one."""
    value = fun
    for _ in range(_WRAPPERS):
        if isinstance(value, functools.partial):
            value = value.func
        elif inspect.ismethod(value):
            value = value.__func__
        elif hasattr(value, "__wrapped__"):
            value = value.__wrapped__
        elif not hasattr(value, "__code__") and callable(getattr(value, "f", None)):  # of flax.nnx.jit, of linear_util
            value = value.f
        elif getattr(value, "__name__", "") == _PMAPPED and "fun" in value.__code__.co_freevars:
            value = dict(zip(value.__code__.co_freevars, value.__closure__, strict=True))["fun"].cell_contents
        else:
            break
    if not hasattr(value, "__code__") and inspect.isfunction(method := vars(type(value)).get("__call__")):
        value = method
    return value, value is not fun


def source_of(function: Any) -> Place | None:
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    # Of several lambdas on a line each is a function of its own.
    column = next((start for *_, start, _ in code.co_positions() if start), 0) if code.co_name == "<lambda>" else 0
    return Place(code.co_filename, code.co_firstlineno, code.co_name, column)


def owner_of(file: str) -> str:
    import jax

    if file.startswith((os.path.dirname(jax.__file__) + os.sep, "<")) and not file.startswith("<stdin>"):
        return "jax"
    return "package" if is_installed(file) else "user"


_NUMBERS: dict[int, tuple[Any, int]] = {}


def number(value: Any) -> int:
    """A number that no other object of the process has, or had; 0 for what cannot be watched."""
    known = _NUMBERS.get(id(value))
    if known is not None and known[0]() is value:
        return known[1]
    try:
        found = (weakref.ref(value), next(COUNT))
    except TypeError:
        return 0
    _NUMBERS[id(value)] = found
    return found[1]


def _leaf(name: str, aval: Any, value: Any, donated: bool) -> Leaf:
    weak = bool(getattr(aval, "weak_type", False))
    python = type(value).__name__ if type(value) in (bool, int, float, complex) else ""
    committed = getattr(value, "_committed", False) and not python
    sharding = _text_of_sharding(value) if committed else ""
    return Leaf(str(name), type_of(aval), weak, python, sharding, bool(donated))


def type_of(aval: Any) -> str:
    """``f32[8,3]``, as JAX abbreviates it."""
    if not hasattr(aval, "dtype"):
        return str(aval)
    text = str(aval.str_short(short_dtypes=True))
    return text.replace("~", "").partition("{")[0]


def _text_of_sharding(value: Any) -> str:
    sharding = getattr(value, "sharding", None)
    if sharding is None:
        return ""
    spec, mesh = getattr(sharding, "spec", None), getattr(sharding, "mesh", None)
    if spec is not None and mesh is not None:
        kind = getattr(sharding, "memory_kind", None)
        return f"{spec} over {dict(mesh.shape)}" + (f" in {kind}" if kind not in (None, "device") else "")
    devices = sorted(str(device) for device in getattr(sharding, "device_set", ()))
    return ", ".join(devices) or str(sharding)


def _statics(info: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Static arguments by name, those in tuples and lists one by one."""
    signature = getattr(info, "fun_signature", None)
    parameters = list(signature.parameters) if signature is not None else []
    stack: list[tuple[str, Any]] = [(name, kwargs[name]) for name in info.static_argnames if name in kwargs]
    for position in info.static_argnums:
        position = position + len(args) if position < 0 else position
        if 0 <= position < len(args):
            name = parameters[position] if position < len(parameters) else f"argument {position}"
            stack.append((name, args[position]))
    found: list[tuple[str, Any]] = []
    stack.reverse()
    while stack and len(found) < _STATICS:
        name, value = stack.pop()
        if isinstance(value, tuple) and value:
            stack += [(f"{name}[{k}]", item) for k, item in reversed(list(enumerate(value)))]
        else:
            found.append((name, value))
    return tuple(found)


def _closed(fun: Any, inner: Any) -> Iterator[tuple[str, str]]:
    """Values that a function has besides its arguments: of partials and methods, defaults, cells and globals."""
    value = fun
    for _ in range(_WRAPPERS):
        if isinstance(value, functools.partial):
            yield from ((f"argument {k} of the partial", text_of(item)) for k, item in enumerate(value.args))
            yield from ((f"{name} of the partial", text_of(item)) for name, item in value.keywords.items())
            value = value.func
        elif inspect.ismethod(value):
            yield "self", text_of(value.__self__)
            value = value.__func__
        elif hasattr(value, "__wrapped__"):
            value = value.__wrapped__
        else:
            break
    code = getattr(inner, "__code__", None)
    if code is None:
        return
    for name, cell in zip(code.co_freevars, inner.__closure__ or (), strict=False):
        with contextlib.suppress(ValueError):  # a cell that is still empty
            yield name, text_of(cell.cell_contents)
    defaults = inner.__defaults__ or ()
    positional = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    for name, item in (*zip(positional, defaults, strict=True), *(inner.__kwdefaults__ or {}).items()):
        yield f"default of {name}", text_of(item)
    for name in code.co_names:
        item = inner.__globals__.get(name)
        if isinstance(item, (bool, int, float, complex, str)):
            yield f"global {name}", text_of(item)


def _options(params: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Options of a jit that say anything."""
    found = []
    for name in ("in_shardings", "out_shardings", "in_layouts", "out_layouts"):
        said = [str(item) for item in params.get(name) or () if str(item) not in ("UnspecifiedValue", "None")]
        if said:
            found.append((name, ", ".join(said)[:_LONGEST]))
    for name in ("keep_unused", "inline", "compiler_options_kvs"):
        if value := params.get(name):
            found.append((name.removesuffix("_kvs"), str(value)[:_LONGEST]))
    return tuple(found)


def _transforms(values: Iterable[Any]) -> str:
    """Under which transforms a function is called, that JAX does one op after the other."""
    names = {type(value).__name__ for value in values if hasattr(value, "_trace")}
    return " and ".join(sorted(_UNDER.get(name, name) for name in names))


_SETTINGS: dict[str, tuple[tuple[str, str], ...]] = {}


def _settings(context: str) -> tuple[tuple[str, str], ...]:
    """Settings in force, context managers included, as they were when JAX's caches were first keyed by this."""
    import jax

    if context not in _SETTINGS:
        holders = jax.config._value_holders
        _SETTINGS[context] = tuple((name, str(holders[name].value)[:_LONGEST]) for name in sorted(holders))
    return _SETTINGS[context]


_CLOSURES: dict[int, tuple[tuple[str, str], ...]] = {}


def _closure(fun: Any, inner: Any) -> tuple[tuple[str, str], ...]:
    """What a function closes over, as it was when it was first called: JAX does not look again."""
    known = number(fun)
    if not known or known not in _CLOSURES:
        _CLOSURES[known] = tuple(_closed(fun, inner))
    return _CLOSURES[known]


def _context() -> str:
    """What of the settings JAX's caches are keyed by, as a digest."""
    from jax._src import config

    return hashlib.sha256(repr(config.trace_context()).encode()).hexdigest()[:16]


def text_of(value: Any, depth: int = 0) -> str:
    """A value in a text that tells it from others: by what it is, or by a number of its own."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return _short(repr(value))
    if isinstance(value, (tuple, list, dict)) and len(value) <= _ITEMS and depth < _DEEPEST:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        inner = ", ".join(f"{key}: {text_of(item, depth + 1)}" for key, item in items)
        return _short(f"{type(value).__name__}({inner})")
    if (code := getattr(value, "__code__", None)) is not None:
        file = os.path.basename(code.co_filename)
        return f"<{code.co_name} at {file}:{code.co_firstlineno}> #{number(value)}"
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return _array(value)
    kind = type(value)
    if isinstance(value, type) or any("__eq__" in vars(base) for base in kind.__mro__[:-1]):
        with contextlib.suppress(Exception):  # a repr of a person's own
            return _short(re.sub(r" at 0x[0-9a-f]+", "", repr(value)))
    return f"a {kind.__qualname__} #{number(value)}"


def _hashed(value: Any) -> str:
    """What tells static objects apart whose texts do not: JAX takes them for one if they are equal."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, type)) or hasattr(value, "__code__"):
        return ""
    try:
        return f" #{hash(value) & 0xFFFFFFFF:x}"
    except TypeError:
        return ""


def _array(value: Any) -> str:
    """An array by its type and a digest of its bits."""
    import numpy as np

    type = f"{value.dtype}[{','.join(map(str, value.shape))}]"
    if value.size > _MOST:
        return f"{type} #{number(value)}"
    try:
        bits = np.asarray(value)
    except Exception:  # noqa: BLE001 - donated, of other hosts, a tracer: nothing to read
        return f"{type} #{number(value)}"
    if bits.size <= 4:
        return f"{type} {bits.tolist()}"
    return f"{type} of digest {hashlib.sha256(bits.tobytes()).hexdigest()[:8]}"


def _short(text: str) -> str:
    """A long text cut, with a digest of all of it."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}... ({hashlib.sha256(text.encode()).hexdigest()[:8]})"
