"""Every use of JAX internals, one function each; what each needs is named by its test.

Works with JAX 0.5.3 to the newest. Imports jax, but only when called.
"""

from __future__ import annotations

import contextlib
import enum
import itertools
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from scanir.ir.places import is_installed, is_own


def jaxpr_parts(value: Any) -> tuple[Any, Sequence[Any]] | None:
    """(jaxpr, consts) of a ClosedJaxpr or Jaxpr; None for anything else. In JAX 0.12 both are one class."""
    from jax._src import core

    closed = getattr(core, "ClosedJaxpr", None)
    if closed is not None and isinstance(value, closed):
        return value.jaxpr, value.consts
    return (value, getattr(value, "consts", ())) if isinstance(value, core.Jaxpr) else None


def is_literal(atom: Any) -> bool:
    """Whether an operand of an equation is written there and not a variable."""
    from jax._src import core

    return isinstance(atom, core.Literal)


def scan_split(params: dict[str, Any]) -> tuple[int, int, frozenset[str]]:
    """(number of consts, number of carries, parameters that say so) of a scan equation."""
    if "num_carry" in params:
        return params["num_consts"], params["num_carry"], frozenset({"num_consts", "num_carry"})
    consts, carries, _ = params["ft_in"].unpack()
    return len(consts), len(carries), frozenset({"ft_in", "ft_out"})


#: Where JAX starts to trace a jaxpr: file, and how the function's name begins. Up to JAX 0.6 tracebacks go further out.
_TRACING = ("partial_eval.py", "trace_to_jaxpr")


def user_location(source_info: Any) -> tuple[str, int, str] | None:
    """(file, line, function) of the innermost frame of the user's code since the tracing of its jaxpr began, or None.

    A frame in an installed package is the answer only where there is no other.

    What is further out, or is scanir's own, is no part of this program: JAX keeps a jaxpr that it has traced, and uses
    it for whoever calls the same function with the same shapes next.
    """
    from jax._src import source_info_util

    traceback = getattr(source_info, "traceback", None)
    codes, places = traceback.raw_frames() if traceback is not None else ((), ())
    found: tuple[str, int, str] | None = None
    for code, place in zip(codes, places, strict=True):
        file = code.co_filename
        if is_own(file) or (file.endswith(_TRACING[0]) and code.co_name.startswith(_TRACING[1])):
            break
        if not source_info_util.is_user_filename(file) or (found and is_installed(file)):
            continue
        frame = source_info_util.raw_frame_to_frame(code, place)
        found = file, frame.start_line, frame.function_name
        if not is_installed(file):
            break
    return found


def separate_traces(target: Any) -> Callable[[], Any]:
    """What makes contexts in which JAX shares the traces and lowerings of one target, and those of nothing else.

    JAX keeps the jaxprs of inner functions (``jnp.clip``, say) with the lines of whoever traced them first. Its caches
    are keyed by the settings in force, so a value of a setting that nobody else has leaves them out, and intact.
    """
    state, value = _trace_setting(), _number(target)
    return lambda: contextlib.nullcontext() if state is None else _held(state, value)


#: Each number is used once in a process.
_NUMBERS = itertools.count(1)
#: By their places in memory: what was traced, and its number.
_TRACED: dict[tuple[int, int], tuple[Any, int]] = {}


def _number(target: Any) -> int:
    """The number of a function, the same for each jit of it and for each time that a method is looked up."""
    function = target.__wrapped__ if hasattr(target, "trace") and hasattr(target, "__wrapped__") else target
    owner, code = getattr(function, "__self__", None), getattr(function, "__func__", None)
    if owner is None or code is None:
        owner, code = function, None
    key = (id(owner), id(code))
    known, number = _TRACED.get(key, (None, 0))
    if known is not None and known() is owner:
        return number
    number = next(_NUMBERS)
    with contextlib.suppress(TypeError):  # what nobody can watch might be gone, and another thing in its place
        _TRACED[key] = (weakref.ref(owner, lambda _: _TRACED.pop(key, None)), number)
    return number


@contextlib.contextmanager
def _held(state: Any, value: Any) -> Iterator[None]:
    before = state.swap_local(value)
    try:
        yield
    finally:
        state.set_local(before)


def _trace_setting() -> Any:
    """A setting that JAX's caches are keyed by and that changes nothing before a program is compiled; None if there is
    none any more.

    A new setting would do from JAX 0.7 on, but with the first use of it all that JAX keeps would be lost.
    """
    from jax._src import config

    return getattr(config, "jax_xla_profile_version", None)


def equation_context(ctx: Any) -> dict[str, Any]:
    """What the context of an equation says beyond JAX's defaults; what is unknown is said."""
    slots = getattr(type(ctx), "__slots__", None) or vars(ctx)
    said = {name: getattr(ctx, name, None) for name in slots if not name.startswith("_") and name != "manager"}
    return {name: value for name, value in said.items() if not _is_default(name, value)}


def _is_default(name: str, value: Any) -> bool:
    match name:
        case "threefry_partitionable":
            return value is True
        case "cur_abstract_mesh":
            return value is None or not getattr(value, "shape", None)
        case "cur_layout_mode":
            return value is None or str(getattr(value, "name", "")) == "AUTO"
        case _:
            return value is None or value is False or (isinstance(value, (tuple, dict, frozenset)) and not value)


def effect_text(effect: Any, invars: Sequence[Any] = ()) -> str | None:
    """An effect by its kind and, on a reference, the position of that operand; None for what is no effect.

    JAX also lists the mesh axes that an equation names; its parameters name them already.
    """
    kind = type(effect).__name__
    if kind == "NamedAxisEffect":
        return None
    where = getattr(effect, "input", getattr(effect, "input_index", None))
    if where is None:
        return kind
    found = [k for k, atom in enumerate(invars) if atom is where]
    return f"{kind} {where if isinstance(where, int) else found[0] if found else '?'}"


def is_effect(value: Any) -> bool:
    """Whether a parameter is one of JAX's own effects, of which each kind has one object."""
    from jax._src import effects

    return isinstance(value, effects.Effect) and type(value).__module__.startswith("jax.")


def is_abstract(value: Any) -> bool:
    """Whether a parameter is the type of an array."""
    from jax._src import core

    return isinstance(value, core.AbstractValue)


def is_traceable(leaf: Any) -> bool:
    """Whether JAX has a type for a leaf of a function's arguments, so that jit can trace it."""
    import jax
    from jax.api_util import shaped_abstractify

    if isinstance(leaf, jax.ShapeDtypeStruct):
        return True
    if isinstance(leaf, enum.Enum):  # JAX would trace an IntEnum, which nobody means
        return False
    if isinstance(leaf, type):  # a class has the attributes of its instances, by which JAX would take it for one
        return False
    try:
        shaped_abstractify(leaf)
    except OverflowError:  # a number too large for its type: jit itself says so best
        return True
    except (TypeError, ValueError, AttributeError):
        return False
    return True


def is_tracer(value: Any) -> bool:
    """Whether a value is only a stand-in of a trace."""
    from jax._src import core

    return isinstance(value, core.Tracer)


def random_implementation(value: Any) -> str | None:
    """The name of a registered generator of random numbers; None for anything else."""
    if type(value).__name__ != "PRNGImpl":
        return None
    try:
        from jax._src import prng
    except ImportError:  # its place from JAX 0.10 on
        from jax._src.random import prng

    name = str(value.name)
    return name if getattr(prng, "prngs", {}).get(name) is value else None


def result_types(jaxpr: Any) -> tuple[Any, ...]:
    """The types of the results of a closed jaxpr."""
    parts = jaxpr_parts(jaxpr)
    assert parts is not None
    return tuple(var.aval for var in parts[0].outvars)


def output_types(compiled: Any) -> Any:
    """The pytree of the types of the results of a Compiled; up to JAX 0.6 they are a flat list."""
    return compiled.out_info if hasattr(compiled, "out_info") else compiled._executable.out_avals


def placed(jaxpr: Any) -> tuple[Any, ...]:
    """For each result of a closed jaxpr the sharding that its last step asks for, or None.

    The type of a value says no sharding on a mesh whose axes are "auto", however a program puts it there.
    """
    parts = jaxpr_parts(jaxpr)
    assert parts is not None
    makers = {var: (eqn, k) for eqn in parts[0].eqns for k, var in enumerate(eqn.outvars)}
    return tuple(None if is_literal(var) or var not in makers else _asked(*makers[var]) for var in parts[0].outvars)


def _asked(eqn: Any, k: int) -> Any:
    import jax

    params = eqn.params
    match eqn.primitive.name:
        case "device_put":
            found = params["devices"][k]
        case "sharding_constraint":
            found = params["sharding"]
        case "pjit" | "jit":
            found = params["out_shardings"][k]
            if not isinstance(found, jax.sharding.Sharding):
                found = placed(params["jaxpr"])[k]
        case _:
            return None
    return found if isinstance(found, jax.sharding.Sharding) else None


def is_debug_info(value: Any) -> bool:
    """Whether a parameter says only where and for whom something was traced."""
    from jax._src import core

    return isinstance(value, core.DebugInfo)


def kept_arguments(lowered_or_compiled: Any) -> tuple[int, ...] | None:
    """Indices of the flattened arguments that are parameters of the module, or None where JAX does not say."""
    lowering = getattr(lowered_or_compiled, "_lowering", None)
    if lowering is not None:
        kept = lowering.compile_args.get("kept_var_idx")
    else:
        kept = getattr(getattr(lowered_or_compiled, "_executable", None), "_kept_var_idx", None)
    if kept is None:
        return None
    # JAX counts the constants that it passes before the arguments.
    before = len(constant_arguments(lowered_or_compiled))
    return tuple(index - before for index in sorted(kept) if index >= before)


def constant_arguments(lowered_or_compiled: Any) -> tuple[Any, ...]:
    """Values that JAX passes to the module as leading arguments instead of as constants in it."""
    lowering = getattr(lowered_or_compiled, "_lowering", None)
    if lowering is not None:
        return tuple(getattr(lowering, "const_args", None) or ())
    return tuple(getattr(getattr(lowered_or_compiled, "_params", None), "const_args", None) or ())


def argument_names(stage: Any) -> tuple[str, ...]:
    """What JAX calls the leaves of the arguments of a jaxpr or staged object, empty where it does not know."""
    if (parts := jaxpr_parts(stage)) is not None:
        info = getattr(parts[0], "debug_info", None)
    elif hasattr(stage, "jaxpr"):
        return argument_names(stage.jaxpr)
    else:
        inner = getattr(getattr(stage, "_lowering", None), "compile_args", {}).get("all_args_info")
        inner = inner or getattr(getattr(stage, "_executable", None), "_all_args_info", None)
        info = getattr(inner, "debug_info", None)
    names = getattr(info, "arg_names", None) or ()
    # JAX puts an empty name for each constant that it passes before the arguments.
    before = len(constant_arguments(stage))
    return tuple(str(name or "") for name in names)[before:]


def argument_shardings(traced: Any) -> tuple[Any, ...]:
    """For each flat argument of a Traced the sharding it comes with or its jit asks for, or None.

    Empty for anything else.
    """
    import jax

    flat = getattr(traced, "_meta_tys_flat", None) or getattr(traced, "_args_flat", None) or ()
    params = getattr(traced, "_params", None)
    asked = params.get("in_shardings", ()) if isinstance(params, dict) else ()
    if len(asked) != len(flat):
        asked = (None,) * len(flat)
    pairs = ((wish, getattr(given, "sharding", None)) for wish, given in zip(asked, flat, strict=True))
    return tuple(next((s for s in pair if isinstance(s, jax.sharding.Sharding)), None) for pair in pairs)


def compiler_options(stage: Any) -> tuple[tuple[str, Any], ...] | None:
    """Options for the compiler that sit on the jit of a Traced or Lowered; None where JAX does not say."""
    params = getattr(stage, "_params", None) or getattr(getattr(stage, "_lower_callable", None), "keywords", None)
    if isinstance(params, dict):
        found = params.get("compiler_options_kvs")
    else:
        found = getattr(getattr(stage, "_lowering", None), "_compiler_options_kvs", None)
    return None if found is None else tuple(found)


def static_arguments(function: Any) -> tuple[tuple[int, ...], frozenset[str]]:
    """Positions and names of the static arguments of a jitted function; none of any other."""
    state = getattr(function, "__getstate__", None) if hasattr(function, "_cache_miss") else None
    found = state() if state is not None else None
    if not isinstance(found, dict):
        return (), frozenset()
    return tuple(found.get("static_argnums") or ()), frozenset(found.get("static_argnames") or ())


def flags() -> dict[str, str]:
    """Settings in force that change numbers or programs, those of context managers included."""
    import jax
    from jax._src import config

    names = ("jax_enable_x64", "jax_default_matmul_precision", "jax_threefry_partitionable", "jax_default_prng_impl")
    found = {}
    for name in names:
        holder = getattr(config, name.removeprefix("jax_"), None)
        found[name] = str(getattr(holder, "value", getattr(jax.config, name, None)))
    return found


def hlo_text_and_proto(module: Any) -> tuple[str, Callable[[], bytes]]:
    """Text of an XLA module with large constants elided, and how to get the serialized module that holds them."""
    return module.to_string(), module.as_serialized_hlo_module_proto


def hlo_text_of_proto(serialized: bytes) -> str:
    """Text of a serialized HloModuleProto with large constants elided. XLA is asked without JAX."""
    try:
        from jaxlib._hlo import HloModule
    except ImportError:  # up to JAX 0.6
        from jaxlib.xla_extension import HloModule
    return str(HloModule.from_serialized_hlo_module_proto(serialized).to_string())


def optimized_module(compiled: Any) -> Any:
    """XLA's optimized module of a Compiled."""
    return compiled.runtime_executable().hlo_modules()[0]


def unoptimized_module(lowered: Any) -> Any:
    """XLA's module of a Lowered, before optimization."""
    computation = lowered.compiler_ir("hlo")
    return computation.get_hlo_module() if hasattr(computation, "get_hlo_module") else computation.as_hlo_module()


@contextlib.contextmanager
def without_persistent_cache() -> Iterator[None]:
    """A context in which compiling takes nothing from the persistent cache that another program left there.

    Its entries carry the lines of whoever compiled first. With lines in the key only a program's own entry fits, and
    none is written. Switching the cache off would not do: JAX asks only once in a process whether it is on.
    """
    from jax._src import config

    with (
        config.compilation_cache_include_metadata_in_key(True),
        config.persistent_cache_min_compile_time_secs(float("inf")),
    ):
        yield


def cost_analysis(compiled: Any) -> dict[str, float]:
    """XLA's own counts of a Compiled (``flops``, ``bytes accessed``, ...): loops once, however often they run."""
    found = compiled.cost_analysis()
    return dict(found[0] if isinstance(found, list) else found or {})


def executable_sizes(compiled: Any) -> dict[str, int]:
    """Bytes that a Compiled takes, by kind: ``argument``, ``output``, ``temp``, ``alias``, ``code``.

    Where the backend does not tell the size of its code (CPU), it is that of the serialized executable.
    """
    found, executable = compiled.memory_analysis(), compiled.runtime_executable()
    kinds = ("argument", "output", "temp", "alias")
    sizes = {kind: int(getattr(found, f"{kind}_size_in_bytes", 0)) for kind in kinds} if found is not None else {}
    code = int(getattr(found, "generated_code_size_in_bytes", 0))
    return {**sizes, "code": code or len(_serialized(executable))}


def _serialized(executable: Any) -> bytes:
    """An executable as bytes; up to JAX 0.6 its client does that."""
    if hasattr(executable, "serialize"):
        return bytes(executable.serialize())
    return bytes(executable.client.serialize_executable(executable))


def registered_primitives() -> frozenset[str]:
    """Names of all primitives that JAX can lower on any platform."""
    from jax._src.interpreters import mlir

    tables = [mlir._lowerings, *mlir._platform_specific_lowerings.values()]
    return frozenset(primitive.name for table in tables for primitive in table)


# -- settings ----------------------------------------------------------------------------------------------------------


def setting_names() -> tuple[str, ...]:
    """Names of all settings of JAX."""
    import jax

    return tuple(sorted(jax.config._value_holders))


def setting(name: str) -> Any:
    """The value of a setting in force, context managers included."""
    import jax

    return jax.config._value_holders[name].value


def setting_type(name: str) -> tuple[str, tuple[str, ...]]:
    """(``bool``, ``int``, ``float``, ``str`` or ``enum``, the values an enum has) of a setting."""
    import jax

    kind, _, more = jax.config.meta[name]
    if isinstance(kind, type):
        return kind.__name__, ()
    values = more.get("enum_values") or [member.value for member in more.get("enum_class", ())]
    return "enum", tuple(map(str, values))


def refused(name: str, value: Any) -> str:
    """What JAX says against a value of a setting; empty if it takes it. The setting stays as it is."""
    try:
        with setting_context(name, value):
            return ""
    except Exception as problem:  # noqa: BLE001 - each kind of setting refuses in a way of its own
        return str(problem).partition("\n")[0][:300] or type(problem).__name__


@contextlib.contextmanager
def setting_context(name: str, value: Any) -> Iterator[bool]:
    """A setting for a while; yields whether JAX's caches do not tell by it what they keep."""
    import jax
    from jax._src import config

    holder = jax.config._value_holders[name]
    if callable(holder):
        before = config.trace_context()
        with holder(value):
            yield config.trace_context() == before
        return
    old = holder.value  # a flag has no context manager
    jax.config.update(name, value)
    try:
        yield True
    finally:
        jax.config.update(name, old)


def forget_traces() -> None:
    """Empty JAX's caches of what was traced, lowered and compiled."""
    import jax

    jax.clear_caches()


def option_refused(name: str, value: Any) -> str:
    """What XLA says against an option for the compiler; empty if it takes it."""
    import jax

    try:
        with without_persistent_cache():
            jax.jit(lambda x: x).lower(0.0).compile(compiler_options={name: value})
    except Exception as problem:  # noqa: BLE001 - XLA's own kind of error, which moved from version to version
        return str(problem).partition("\n")[0].removeprefix("INVALID_ARGUMENT: ")[:300]
    return ""


def compiler_option_names() -> tuple[str, ...]:
    """Names of the options for the compiler that this version shows in Python; it knows more."""
    from jaxlib import xla_client

    options = xla_client.CompileOptions().executable_build_options.debug_options
    return tuple(name for name in dir(options) if name.startswith("xla"))
