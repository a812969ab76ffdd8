"""Uses of JAX internals that see compiles: what a call is traced for, and what is compiled.

As `scanir._compat`: one function each, named by its test. Two functions of JAX are wrapped while somebody listens:
``pjit._infer_params``, which a call that is new to its jit comes through, with what JAX tells calls apart by, and
``compiler.compile_or_get_cached``, which each program comes through that XLA compiles.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import itertools
import os
import re
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from scanir.compiles.call import Call, Compile, Leaf, Place
from scanir.errors import ScanirError
from scanir.ir.places import is_installed, is_own

#: What is told of compiles.
Listener: TypeAlias = Callable[[Compile], None]
#: A call, its number, and the line that called.
_Known: TypeAlias = tuple[Call, int, Place | None]

_LISTENERS: list[Listener] = []
_LOCK = threading.Lock()
_ORIGINAL: dict[str, Any] = {}
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
_NAME = re.compile(r"[^0-9a-zA-Z]+")
#: Events by which JAX tells how long a step took, and the step.
_STEPS = {"jaxpr_trace_duration": "trace", "jaxpr_to_mlir_module_duration": "lower"}


class _State(threading.local):
    """What one thread is at: the depth of calls that trace one another, the last call that was traced, by name too."""

    def __init__(self) -> None:
        self.depth = 0
        self.last: tuple[str, Callable[[], _Known]] | None = None
        self.named: dict[str, _Known] = {}
        self.seconds = {"trace": 0.0, "lower": 0.0}
        self.hits = 0


_STATE = _State()
_COUNT = itertools.count(1)


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell ``listener`` of each compile of this process for a while."""
    with _LOCK:
        if not _LISTENERS:
            install()
        _LISTENERS.append(listener)
    try:
        yield
    finally:
        with _LOCK:
            _LISTENERS.remove(listener)
            if not _LISTENERS:
                _uninstall()


def listen_for_good(listener: Listener) -> None:
    """Tell ``listener`` of each compile until the process ends; to be called once jax._src.pjit is imported."""
    with _LOCK:
        if not _LISTENERS:
            install()
        _LISTENERS.append(listener)


def install() -> None:
    """Wrap the two functions of JAX, and listen to its durations."""
    try:
        from jax._src import compiler, monitoring, pjit, source_info_util, traceback_util

        _ORIGINAL["infer"], _ORIGINAL["compile"] = pjit._infer_params, compiler.compile_or_get_cached
    except (ImportError, AttributeError) as problem:
        raise ScanirError(
            f"compiles of this JAX cannot be recorded: {problem}",
            hint="scanir doctor shows the versions; please report",
        ) from problem
    pjit._infer_params = functools.wraps(pjit._infer_params)(_infer_params)
    compiler.compile_or_get_cached = functools.wraps(compiler.compile_or_get_cached)(_compile)
    if "heard" not in _ORIGINAL:  # JAX has no public way to stop listening
        monitoring.register_event_duration_secs_listener(_duration)
        monitoring.register_event_listener(_event)
        # Frames of this file are no lines of a person's, neither in locations of ops nor in tracebacks.
        source_info_util.register_exclusion(__file__)
        traceback_util.register_exclusion(__file__)
        _ORIGINAL["heard"] = True


def _uninstall() -> None:
    from jax._src import compiler, pjit

    pjit._infer_params = _ORIGINAL["infer"]
    compiler.compile_or_get_cached = _ORIGINAL["compile"]


def _duration(event: str, seconds: float, **_: Any) -> None:
    step = _STEPS.get(event.rpartition("/")[2])
    if step is not None and _LISTENERS:
        _STATE.seconds[step] += seconds


def _event(event: str, **_: Any) -> None:
    if event == "/jax/compilation_cache/cache_hits":
        _STATE.hits += 1


def _infer_params(fun: Any, info: Any, args: Any, kwargs: Any) -> Any:
    state = _STATE
    if not state.depth:
        state.seconds = {"trace": 0.0, "lower": 0.0}
    state.depth += 1
    try:
        answer = _ORIGINAL["infer"](fun, info, args, kwargs)
    finally:
        state.depth -= 1
    # A mistake of ours in telling what was called is none of the person's program.
    with contextlib.suppress(Exception):
        params = answer[0]
        name = str(params.params["name"])
        if state.depth:  # many, and rarely compiled: nothing is worked out before one is
            state.last = (name, functools.partial(_inside, fun, name, params.in_avals, params.arg_names))
        else:
            known = (call_of(fun, info, args, kwargs, answer), next(_COUNT), _site())
            state.last, state.named[_bare(name)] = (name, lambda: known), known
    return answer


def _inside(fun: Any, name: str, avals: Any, names: Any) -> _Known:
    """A call inside what is being traced: the function and the types of its arguments."""
    source = _source(written(fun)[0])
    labels = names or tuple(f"argument {k}" for k in range(len(avals)))
    leaves = tuple(Leaf(str(label), _type_of(aval)) for label, aval in zip(labels, avals, strict=True))
    owner = "user" if source is None else _owner(source.file)
    return Call(name, source, owner, leaves=leaves), next(_COUNT), _site()


def _compile(backend: Any, computation: Any, *args: Any, **kwargs: Any) -> Any:
    state = _STATE
    hits, seconds = state.hits, state.seconds
    begun = time.perf_counter()
    result = _ORIGINAL["compile"](backend, computation, *args, **kwargs)
    took = time.perf_counter() - begun
    with contextlib.suppress(Exception):
        name, parameters = module_facts(computation)
        call, number, site = _called(name, parameters)
        found = Compile(
            call, number, site, parameters, seconds["trace"], seconds["lower"], took, cached=state.hits > hits
        )
        for listener in tuple(_LISTENERS):
            listener(found)
    state.seconds = {"trace": 0.0, "lower": 0.0}
    return result


def _called(module: str, parameters: tuple[str, ...]) -> tuple[Call, int, Place | None]:
    """The call that a module is compiled for: the last one of its name, else one of which the module alone is known."""
    state, bare = _STATE, _bare(module)
    if state.last is not None and _bare(state.last[0]) == bare:
        return state.last[1]()
    if (known := state.named.get(bare)) is not None:
        return known
    leaves = tuple(Leaf(f"argument {k}", type) for k, type in enumerate(parameters))
    site = _site()
    return Call(module, owner="jax" if site is None else "user", leaves=leaves), next(_COUNT), site


def _bare(name: str) -> str:
    """A name by its letters and digits, which are what JAX leaves of it in the name of a module."""
    return _NAME.sub("", name)


def module_facts(computation: Any) -> tuple[str, tuple[str, ...]]:
    """(name of the function, types of the parameters) of a module that is to be compiled."""
    name = str(computation.operation.attributes["sym_name"]).strip('"')
    for operation in computation.body.operations:
        if str(operation.operation.attributes["sym_name"]).strip('"') == "main":
            inputs = operation.operation.attributes["function_type"].value.inputs
            return _unprefixed(name), tuple(_spelled(str(type)) for type in inputs)
    return _unprefixed(name), ()


def _unprefixed(module: str) -> str:
    """The function's name in that of a module: ``f`` of ``jit_f``, ``f (pmap)`` of ``pmap_f``."""
    kind, _, name = module.partition("_")
    return module if kind not in ("jit", "pjit", "pmap") else f"{name} (pmap)" if kind == "pmap" else name


def _spelled(type: str) -> str:
    """``tensor<3x4xf32>`` as ``f32[3,4]``."""
    *sizes, dtype = type.removeprefix("tensor<").removesuffix(">").split("x")
    return f"{re.sub('^ui', 'u', dtype) if dtype != 'i1' else 'bool'}[{','.join(sizes)}]"


def _site() -> Place | None:
    """The innermost line of a person that is being run."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not is_own(file) and not is_installed(file) and not file.startswith("<frozen "):
            return Place(file, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


# -- what a call is told apart by --------------------------------------------------------------------------------------


def call_of(fun: Any, info: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], answer: Any) -> Call:
    """A call from what ``pjit._infer_params`` takes and answers: its PjitParams, and the arguments by leaf."""
    params, flat = answer
    inner, wrapped = written(fun)
    source = _source(inner)
    statics = _statics(info, args, kwargs)
    if source is not None and is_installed(source.file):  # a wrapper of a package's, which is given the function
        named = (_source(value) for _, value in statics if getattr(value, "__name__", "") == params.params["name"])
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
        owner="user" if source is None else _owner(source.file),
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


def _source(function: Any) -> Place | None:
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    # Of several lambdas on a line each is a function of its own.
    column = next((start for *_, start, _ in code.co_positions() if start), 0) if code.co_name == "<lambda>" else 0
    return Place(code.co_filename, code.co_firstlineno, code.co_name, column)


def _owner(file: str) -> str:
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
        found = (weakref.ref(value), next(_COUNT))
    except TypeError:
        return 0
    _NUMBERS[id(value)] = found
    return found[1]


def _leaf(name: str, aval: Any, value: Any, donated: bool) -> Leaf:
    weak = bool(getattr(aval, "weak_type", False))
    python = type(value).__name__ if type(value) in (bool, int, float, complex) else ""
    committed = getattr(value, "_committed", False) and not python
    sharding = _text_of_sharding(value) if committed else ""
    return Leaf(str(name), _type_of(aval), weak, python, sharding, bool(donated))


def _type_of(aval: Any) -> str:
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
