"""Uses of JAX internals that see compiles: what a call is traced for, and what is compiled.

As `scanir._compat`: one function each, named by its test. Two functions of JAX are wrapped while somebody listens:
``pjit._infer_params``, which a call that is new to its jit comes through, with what JAX tells calls apart by, and
``compiler.compile_or_get_cached``, which each program comes through that XLA compiles.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from scanir._compat_calls import COUNT, call_of, owner_of, source_of, type_of, written
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
            known = (call_of(fun, info, args, kwargs, answer), next(COUNT), _site())
            state.last, state.named[_bare(name)] = (name, lambda: known), known
    return answer


def _inside(fun: Any, name: str, avals: Any, names: Any) -> _Known:
    """A call inside what is being traced: the function and the types of its arguments."""
    source = source_of(written(fun)[0])
    labels = names or tuple(f"argument {k}" for k in range(len(avals)))
    leaves = tuple(Leaf(str(label), type_of(aval)) for label, aval in zip(labels, avals, strict=True))
    owner = "user" if source is None else owner_of(source.file)
    return Call(name, source, owner, leaves=leaves), next(COUNT), _site()


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
    return Call(module, owner="jax" if site is None else "user", leaves=leaves), next(COUNT), site


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
    jax_files = f"{os.path.dirname(sys.modules['jax'].__file__ or '')}{os.sep}"  # JAX may lie in any folder
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        theirs = is_own(file) or is_installed(file) or file.startswith(("<frozen ", jax_files))
        if not theirs:
            return Place(file, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None
