"""Each use of JAX internals, with the internals it needs: what fails here says what a new version of JAX changed."""

from __future__ import annotations

import functools
import io
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from scanir import _compat, _compat_calls, _compat_compiles, _compat_mlir, _compat_rules, _compat_run

pytestmark = [pytest.mark.compat, pytest.mark.older]
S = jax.ShapeDtypeStruct((), jnp.float32)


def equations(function: Any, *args: Any) -> list[Any]:
    parts = _compat.jaxpr_parts(jax.make_jaxpr(function)(*args))
    assert parts is not None
    return list(parts[0].eqns)


def test_jaxpr_parts() -> None:
    """``core.ClosedJaxpr`` with ``jaxpr`` and ``consts``, ``core.Jaxpr``; from 0.12 one class with ``consts``."""
    closed = jax.make_jaxpr(lambda x: x + np.float32([1, 2]))(S)
    parts = _compat.jaxpr_parts(closed)
    assert parts is not None
    jaxpr, consts = parts
    assert len(jaxpr.constvars) == len(consts)
    assert _compat.jaxpr_parts("jaxpr") is None


def test_is_literal() -> None:
    """``core.Literal``."""
    (eqn,) = equations(lambda x: x * 2.0, S)
    assert [_compat.is_literal(atom) for atom in eqn.invars] == [False, True]


def test_scan_split() -> None:
    """Parameters ``num_consts`` and ``num_carry`` of scan; from 0.12 ``ft_in``, which unpacks to three sized parts."""

    def run(x: Any, y: Any, z: Any) -> Any:
        return lax.scan(lambda c, e: ((c[0] + y * z, c[1] * e[0]), c[0]), (x, y), (jnp.zeros(3), jnp.ones(3)))

    (eqn,) = [eqn for eqn in equations(run, S, S, S) if eqn.primitive.name == "scan"]
    consts, carries, said = _compat.scan_split(eqn.params)
    assert (carries, len(eqn.invars) - consts - carries) == (2, 2)
    assert said <= eqn.params.keys()


def test_is_traceable() -> None:
    """``jax.api_util.shaped_abstractify`` raises TypeError for what has no type."""
    good = (1, 0.5, True, 1j, np.zeros(2), np.float32(1), jnp.zeros(2), S, jax.random.key(0), 2**40)
    assert all(map(_compat.is_traceable, good))
    bad = ("a", np.float32, jnp.float32, np.dtype("f4"), np.array(["a"]), np.array([None]), object(), len, slice(1))
    assert not any(map(_compat.is_traceable, bad))


def test_argument_shardings() -> None:
    """``_meta_tys_flat`` of a Traced, up to 0.6 ``_args_flat``, with shardings; ``_params["in_shardings"]``."""
    one = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    x = jax.ShapeDtypeStruct((2,), jnp.float32, sharding=one)
    assert _compat.argument_shardings(jax.jit(lambda x, y: x + y).trace(x, S)) == (one, None)
    assert _compat.argument_shardings(jax.jit(lambda x: x).lower(S)) == ()
    if hasattr(jax.jit(lambda x: x).trace(S), "_params"):
        assert _compat.argument_shardings(jax.jit(lambda x: x, in_shardings=one).trace(S)) == (one,)


def test_output_types() -> None:
    """``out_info`` of a Compiled; up to 0.6 ``_executable.out_avals``."""
    found = _compat.output_types(jax.jit(lambda x: (x, [x + 1])).lower(jnp.zeros(3)).compile())
    assert [aval.shape for aval in jax.tree.leaves(found, is_leaf=lambda leaf: hasattr(leaf, "dtype"))] == [(3,), (3,)]


def test_placed() -> None:
    """Parameters ``devices`` of device_put, ``out_shardings`` and ``jaxpr`` of pjit (jit from 0.8 on)."""
    one = jax.sharding.SingleDeviceSharding(jax.devices()[0])

    def make() -> Any:
        put = jax.device_put(jnp.zeros(2), one)
        asked = jax.jit(lambda: (jnp.ones(3), jnp.ones(2)), out_shardings=(one, None))()
        inside = jax.jit(lambda: jax.device_put(jnp.zeros(2), one))()
        kept = jax.lax.with_sharding_constraint(jnp.zeros(2), one)
        return put, *asked, inside, kept, jnp.zeros(2)

    jaxpr = jax.jit(make).trace().jaxpr
    assert _compat.placed(jaxpr) == (one, one, None, one, one, None)
    assert [aval.shape for aval in _compat.result_types(jaxpr)] == [(2,), (3,), (2,), (2,), (2,), (2,)]


def test_user_location() -> None:
    """``source_info_util.user_frame``, of a traceback or, up to 0.6, of the source info; fields of a frame."""
    (eqn,) = equations(lambda x: jnp.sin(x), S)
    found = _compat.user_location(eqn.source_info)
    assert found is not None
    assert found[0] == __file__
    assert found[1] > 0


def test_equation_context() -> None:
    """``JaxprEqnContext.__slots__`` and the defaults of what stands in them."""
    (plain,) = equations(lambda x: jnp.sin(x), S)
    assert _compat.equation_context(plain.ctx) == {}
    with jax.threefry_partitionable(False):
        (other,) = equations(lambda x: jnp.cos(x), S)
    assert _compat.equation_context(other.ctx) == {"threefry_partitionable": False}


def test_effect_text() -> None:
    """Names of effect classes, and ``input`` or ``input_index`` of those on references."""
    eqns = equations(lambda x: jax.experimental.io_callback(lambda v: None, None, x, ordered=True), S)
    said = [_compat.effect_text(effect, eqn.invars) for eqn in eqns for effect in eqn.effects]
    assert "OrderedIOEffect" in said
    assert all(_compat.is_effect(effect) for eqn in eqns for effect in eqn.effects)
    assert not _compat.is_effect("effect")


def test_is_tracer_and_is_abstract() -> None:
    """``core.Tracer``, ``core.AbstractValue``."""
    seen: list[bool] = []
    jax.make_jaxpr(lambda x: (seen.append(_compat.is_tracer(x)), x)[1])(S)
    assert seen == [True]
    assert not _compat.is_tracer(jnp.ones(2))
    (eqn,) = equations(lambda x: jnp.sin(x), S)
    assert _compat.is_abstract(eqn.invars[0].aval)
    assert not _compat.is_abstract(1.0)


def test_random_implementation() -> None:
    """``PRNGImpl`` and the table ``prngs``, in ``jax._src.prng`` or, from 0.10, ``jax._src.random.prng``."""
    raw = jax.ShapeDtypeStruct((2,), jnp.uint32)
    (eqn,) = equations(lambda k: jax.random.wrap_key_data(k, impl="threefry2x32"), raw)
    assert _compat.random_implementation(eqn.params["impl"]) == "threefry2x32"
    assert _compat.random_implementation("threefry2x32") is None


def test_is_debug_info() -> None:
    """``core.DebugInfo``, which each jaxpr holds."""
    parts = _compat.jaxpr_parts(jax.make_jaxpr(jnp.sin)(S))
    assert parts is not None
    assert _compat.is_debug_info(parts[0].debug_info)


def lowered() -> Any:
    return jax.jit(lambda x, y, z: x - z).lower(S, S, S)


def test_kept_arguments() -> None:
    """``Lowered._lowering.compile_args["kept_var_idx"]``, ``Compiled._executable._kept_var_idx``."""
    assert _compat.kept_arguments(lowered()) == (0, 2)
    assert _compat.kept_arguments(lowered().compile()) == (0, 2)
    assert _compat.kept_arguments(object()) is None


def test_constant_arguments() -> None:
    """``const_args`` of a lowering or of a Compiled's parameters, from 0.8 on; the first kept indices are theirs."""
    assert _compat.constant_arguments(lowered()) == ()
    assert _compat.constant_arguments(lowered().compile()) == ()

    class Lowering:
        compile_args = {"kept_var_idx": {0, 1, 2, 4}}  # noqa: RUF012 - a stand-in
        const_args = ("first", "second")

    class Stage:
        _lowering = Lowering()

    assert _compat.constant_arguments(Stage()) == ("first", "second")
    assert _compat.kept_arguments(Stage()) == (0, 2)


def test_argument_names() -> None:
    """``debug_info.arg_names`` of a jaxpr, of a lowering's ``all_args_info`` and of an executable's."""

    def run(x: Any, params: Any) -> Any:
        return x * params["w"]

    traced = jax.jit(run).trace(S, {"w": S})
    names = ("x", "params['w']")
    assert _compat.argument_names(traced) == names
    assert _compat.argument_names(traced.jaxpr) == names
    assert _compat.argument_names(traced.lower()) == names
    assert _compat.argument_names(traced.lower().compile()) == names
    assert _compat.argument_names(object()) == ()


def test_compiler_options() -> None:
    """``Traced._params`` or, up to 0.6, keywords of ``_lower_callable``; ``_compiler_options_kvs`` of a lowering."""
    traced = jax.jit(lambda x: x + 1, compiler_options={"xla_cpu_enable_fast_math": True}).trace(S)
    assert _compat.compiler_options(traced) == (("xla_cpu_enable_fast_math", True),)
    assert _compat.compiler_options(traced.lower()) == (("xla_cpu_enable_fast_math", True),)
    assert _compat.compiler_options(object()) is None


def test_flags() -> None:
    """``value`` of the holders in ``jax._src.config``, which context managers change."""
    assert _compat.flags()["jax_threefry_partitionable"] == "True"
    with jax.threefry_partitionable(False):
        assert _compat.flags()["jax_threefry_partitionable"] == "False"


def test_modules_of_xla() -> None:
    """``runtime_executable().hlo_modules()``, ``compiler_ir("hlo")`` and how its module is had, ``to_string``."""
    for module in (_compat.optimized_module(lowered().compile()), _compat.unoptimized_module(lowered())):
        text, proto = _compat.hlo_text_and_proto(module)
        assert text.startswith("HloModule")
        assert proto()


def test_large_constants_are_elided_in_text_and_not_in_the_proto() -> None:
    """The default options of ``to_string``."""
    weights = np.arange(1000, dtype=np.float32)
    module = _compat.unoptimized_module(jax.jit(lambda x: x + weights).lower(S))
    text, proto = _compat.hlo_text_and_proto(module)
    assert "{...}" in text
    assert weights.tobytes() in proto()


def test_hlo_text_of_proto() -> None:
    """``HloModule.from_serialized_hlo_module_proto`` of ``jaxlib._hlo``, up to JAX 0.6 of ``jaxlib.xla_extension``."""
    text, proto = _compat.hlo_text_and_proto(_compat.unoptimized_module(lowered()))
    again = _compat.hlo_text_of_proto(proto())
    assert again.partition("\n")[2] == text.partition("\n")[2]


def test_without_persistent_cache() -> None:
    """Settings ``compilation_cache_include_metadata_in_key`` and ``persistent_cache_min_compile_time_secs``.

    What they do is shown by `tests.test_lines.test_persistent_cache`.
    """
    before = (jax.config.jax_compilation_cache_include_metadata_in_key, jax.config.jax_enable_compilation_cache)
    with _compat.without_persistent_cache():
        assert jax.config.jax_compilation_cache_include_metadata_in_key is True
        assert jax.config.jax_persistent_cache_min_compile_time_secs > 1e9
    assert before == (jax.config.jax_compilation_cache_include_metadata_in_key, jax.config.jax_enable_compilation_cache)


def test_separate_traces() -> None:
    """``config.jax_xla_profile_version``, which is in the keys of jit and of traces; swap_local, set_local."""
    traced = []

    @jax.jit
    def inner(x: Any) -> Any:
        traced.append(1)
        return x + 1

    def outer(x: Any) -> Any:
        return inner(x)

    def other(x: Any) -> Any:
        return inner(x)

    jax.jit(outer).trace(S)
    for target, times in ((outer, 2), (outer, 2), (jax.jit(outer), 2), (other, 3), (outer, 3)):
        with _compat.separate_traces(target)():
            jax.jit(target).trace(S)
        assert len(traced) == times
    jax.jit(outer).trace(S)
    assert len(traced) == 3


def test_registered_primitives() -> None:
    """``mlir._lowerings``, ``mlir._platform_specific_lowerings``."""
    assert {"sin", "scan", "while", "cond"} <= _compat.registered_primitives()


@jax.custom_jvp
def special(x: Any) -> Any:
    return jnp.sin(x)


@special.defjvp
def _rule(primals: Any, tangents: Any) -> Any:
    return special(*primals), 5 * tangents[0]


def test_derivative_jaxpr_and_rule_key() -> None:
    """``get_bind_params`` and ``bind`` of custom derivative primitives; wrappers around a rule are seen through."""
    (eqn,) = equations(lambda x: special(x), S)
    traced = _compat_rules.derivative_jaxpr(eqn)
    parts = _compat.jaxpr_parts(traced)
    assert parts is not None
    (inner,) = [each for each in parts[0].eqns if each.primitive.name == "custom_jvp_call"]
    assert _compat_rules.rule_key(inner.params) == _compat_rules.rule_key(eqn.params)


def test_function_key() -> None:
    """Partials, methods and closures of JAX's own by what is bound to them; other functions by identity."""

    def make() -> Any:
        return lambda x: x

    one, other = make(), make()
    key = _compat_rules.function_key
    assert key(one) == key(one)
    assert key(one) != key(other)
    assert key(functools.partial(one, 1)) == key(functools.partial(one, 1))
    for bound in (2, True, 1.0, -0.0, "1", np.int32(1), [1], None, other):
        assert key(functools.partial(one, bound)) != key(functools.partial(one, 1))
    assert key(functools.partial(one, 0.0)) != key(functools.partial(one, -0.0))
    assert _compat_rules.identity(one) == _compat_rules.identity(one) != _compat_rules.identity(other)


def test_written_by_user() -> None:
    """Attributes and closures of the wrappers of callbacks."""

    def host(x: Any) -> Any:
        return x

    (eqn,) = equations(lambda x: jax.debug.callback(host, x), S)
    assert _compat_rules.written_by_user(eqn.params["callback"]) is host


def test_static_arguments() -> None:
    """``__getstate__`` of a jitted function, which has ``static_argnums`` and ``static_argnames``."""

    def function(x: Any, n: int, *, flag: bool = False) -> Any:
        return x**n if flag else x

    jitted = jax.jit(function, static_argnums=1, static_argnames="flag")
    assert _compat.static_arguments(jitted) == ((1,), frozenset({"flag"}))
    assert _compat.static_arguments(jax.jit(function, static_argnames="n")) == ((1,), frozenset({"n"}))
    for other in (jax.jit(function), function, functools.partial(function), 3):
        assert _compat.static_arguments(other) == ((), frozenset())


def test_cost_analysis() -> None:
    """``Compiled.cost_analysis()``: a dict, or a list of one."""
    compiled = jax.jit(lambda x: jnp.sin(x) * x).lower(jax.ShapeDtypeStruct((4,), jnp.float32)).compile()
    found = _compat.cost_analysis(compiled)
    assert (found["flops"], found["transcendentals"], found["bytes accessed"]) == (4, 4, 32)


def test_executable_sizes() -> None:
    """``Compiled.memory_analysis()`` with ``*_size_in_bytes``; ``serialize`` of the executable."""
    compiled = jax.jit(lambda x: x * 2).lower(jax.ShapeDtypeStruct((4,), jnp.float32)).compile()
    found = _compat.executable_sizes(compiled)
    assert (found["argument"], found["output"]) == (16, 16)
    assert found["code"] > 500
    assert found.keys() == {"argument", "output", "temp", "alias", "code"}


def test_settings() -> None:
    """``jax.config._value_holders`` with ``value``, callable as context managers but for flags; ``jax.config.meta``;
    ``config.trace_context``, the key of JAX's caches."""
    assert {"jax_enable_x64", "jax_platforms", "jax_num_cpu_devices"} <= set(_compat.setting_names())
    assert _compat.setting_type("jax_enable_x64") == ("bool", ())
    assert _compat.setting_type("jax_num_cpu_devices")[0] == "int"
    assert _compat.setting_type("jax_numpy_dtype_promotion") == ("enum", ("standard", "strict"))
    before = _compat.setting("jax_enable_x64")
    with _compat.setting_context("jax_enable_x64", True) as unknown_to_caches:
        assert (_compat.setting("jax_enable_x64"), unknown_to_caches) == (True, False)
    with _compat.setting_context("jax_default_prng_impl", "rbg") as unknown_to_caches:
        assert (_compat.setting("jax_default_prng_impl"), unknown_to_caches) == ("rbg", True)
    with _compat.setting_context("jax_pprint_use_color", False):
        assert _compat.setting("jax_pprint_use_color") is False
    assert _compat.setting("jax_enable_x64") is before
    assert _compat.refused("jax_enable_x64", True) == ""
    assert "highest" in _compat.refused("jax_default_matmul_precision", "zork")
    _compat.forget_traces()


def test_options_for_the_compiler() -> None:
    """``Lowered.compile`` with ``compiler_options``; names in ``xla_client.CompileOptions``."""
    assert "xla_cpu_enable_fast_math" in _compat.compiler_option_names()
    assert _compat.option_refused("xla_cpu_enable_fast_math", True) == ""
    assert "not a valid bool" in _compat.option_refused("xla_cpu_enable_fast_math", "zork")
    assert "No such compile option" in _compat.option_refused("xla_zork", 1)


def test_compile_and_run_stablehlo() -> None:
    """``client.compile_and_load`` with ``DeviceList`` (up to 0.6 ``client.compile``) takes bytecode; ``execute`` takes
    and gives arrays."""
    buffer = io.BytesIO()
    jax.jit(lambda x: (x + 1, x * 2)).lower(S).compiler_ir("stablehlo").operation.write_bytecode(buffer)
    executable = _compat_run.compile_stablehlo(buffer.getvalue())
    assert [value.tolist() for value in _compat_run.run_compiled(executable, [np.float32(3)])] == [4, 6]


def test_value_of() -> None:
    """``jax.random.key_data``, ``Array.is_deleted``, ``Array.is_fully_addressable``."""
    assert _compat_run.value_of(0.5) == 0.5
    assert _compat_run.value_of(jnp.arange(3)).tolist() == [0, 1, 2]
    assert _compat_run.value_of(jax.random.key(7)).tolist() == [0, 7]
    assert _compat_run.value_of(S) is None
    gone = jnp.ones(2)
    gone.delete()
    assert _compat_run.value_of(gone) is None


def test_eval_module() -> None:
    """``stablehlo.eval_module(module, [attributes])`` in the bindings of StableHLO."""
    context = _compat_mlir.new_context()
    text = "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n return %x : tensor<i32>\n}"
    module = _compat_mlir.mlir_ir().Module.parse(text, context)
    assert [str(attr) for attr in _compat_mlir.eval_module(module, ["dense<7> : tensor<i32>"])] == [
        "dense<7> : tensor<i32>"
    ]


def test_through_hlo() -> None:
    """``mlir.mlir_module_to_xla_computation`` and back; text or bytecode, in ``jaxlib._jax`` or ``xla_extension``."""
    text = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %0 = chlo.sinh %x : tensor<f32> -> tensor<f32>
      return %0 : tensor<f32>
    }"""
    back = _compat_mlir.mlir_ir().Module.parse(_compat_mlir.through_hlo(text), _compat_mlir.new_context())
    assert "chlo" not in str(back)
    assert "stablehlo.exponential" in str(back)


def test_compiles_are_listened_to() -> None:
    """``pjit._infer_params(fun, info, args, kwargs)``, looked up when it is called, answers PjitParams and leaves;
    ``compiler.compile_or_get_cached(backend, module, ...)``; durations ``jaxpr_trace_duration``,
    ``jaxpr_to_mlir_module_duration``; ``register_exclusion`` of source_info_util and traceback_util."""
    from jax._src import compiler, pjit

    before = pjit._infer_params, compiler.compile_or_get_cached
    found: list[Any] = []
    f = jax.jit(lambda x, n: x * n, static_argnames="n")  # made before
    with _compat_compiles.listening(found.append):
        f(np.ones(3, np.float32), n=2)
    assert (pjit._infer_params, compiler.compile_or_get_cached) == before
    (compile,) = found
    assert (compile.call.name, compile.call.owner, compile.parameters) == ("<lambda>", "user", ("f32[3]",))
    assert [(leaf.name, leaf.type) for leaf in compile.call.leaves] == [("x", "f32[3]")]
    assert compile.call.statics == (("n", "2"),)
    assert min(compile.trace, compile.lower, compile.compile) > 0
    assert compile.site.file == __file__


def test_calls_are_told_apart() -> None:
    """PjitParams ``params`` (``name``, ``donated_invars``, ``keep_unused``), ``in_avals``, ``in_tree``, ``arg_names``;
    info ``static_argnums``, ``static_argnames``, ``fun_signature``; avals ``weak_type``, ``str_short(short_dtypes=)``;
    arrays ``_committed``; ``config.trace_context``; ``jax.config._value_holders``; tracers ``_trace``."""
    found: list[Any] = []
    f = jax.jit(lambda a, b: a["k"] + b, donate_argnums=0, keep_unused=True)
    one = jax.device_put(jnp.ones(3, jnp.bfloat16), jax.devices()[0])
    with _compat_compiles.listening(found.append):
        f({"k": one}, 2.0)
        jax.vmap(lambda x: jax.jit(jnp.negative)(x))(jnp.ones((2, 5)))
        with jax.default_matmul_precision("highest"):
            jax.jit(lambda x: x - 3)(np.ones(7, np.float32))
    call = next(c.call for c in found if c.call.name == "<lambda>")
    a, b = call.leaves
    assert (a.name, a.type, a.weak, a.donated, bool(a.sharding)) == ("a['k']", "bf16[3]", False, True, True)
    assert (b.name, b.type, b.weak, b.python, b.sharding) == ("b", "f32[]", True, "float", "")
    assert "{'k': *}" in call.tree
    assert dict(call.options)["keep_unused"] == "True"
    last = next(c.call for c in reversed(found) if c.call.name == "<lambda>")
    assert last.context != call.context
    assert dict(last.settings)["jax_default_matmul_precision"] == "highest"
    assert "vmap" in {c.call.under for c in found}


def test_written() -> None:
    """``__wrapped__`` of what JAX's transforms make; the closure ``fun`` of what pmap makes (``_fun``, from 0.8 on),
    with ``f`` of linear_util; the name of a module without ``jit_``."""

    def mine(x: Any) -> Any:
        return x

    for around in (jax.grad(mine), jax.vmap(mine), functools.partial(mine), jax.value_and_grad(jax.checkpoint(mine))):
        assert _compat_calls.written(around) == (mine, True)
    assert _compat_calls.written(mine) == (mine, False)
    found: list[Any] = []
    with _compat_compiles.listening(found.append):
        jax.pmap(mine)(np.ones((1, 2), np.float32))
    assert any("mine" in compile.call.name and "(pmap)" in compile.call.name for compile in found)
