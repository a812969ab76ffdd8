"""The jaxpr reader: what belongs to a program is in the module, and what does not is not."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from scanir import _compat
from scanir.errors import ReadError
from scanir.ir import attrs
from scanir.ir.attrs import Array, Bool, Int, Text
from scanir.ir.graph import Module, Op
from scanir.ir.printer import print_module
from scanir.ir.types import TensorType
from scanir.ir.verify import verify
from scanir.ir.walk import attrs_in, ops_of
from scanir.readers.jaxpr import read_jaxpr
from tests.growth import seconds

pytestmark = [pytest.mark.compat, pytest.mark.older]
NEW_REF = getattr(jax, "new_ref", None) or getattr(jax, "array_ref", None)
X = jax.ShapeDtypeStruct((3,), jnp.float32)
S = jax.ShapeDtypeStruct((), jnp.float32)


def read(function: Callable[..., Any], *args: Any) -> Module:
    module = read_jaxpr(jax.make_jaxpr(function)(*args))
    verify(module)
    return module


def all_ops(module: Module) -> list[Op]:
    return [op for function in module.functions for op in ops_of(function.body)]


def named(module: Module, name: str) -> Op:
    found = [op for op in all_ops(module) if op.name == name]
    assert found, (name, [op.name for op in all_ops(module)])
    return found[0]


def constants(module: Module) -> list[Array]:
    values = [op.attribute("value") for op in all_ops(module) if op.name == "constant"]
    return [value for value in values if isinstance(value, Array)]


def facts(module: Module) -> list[Any]:
    """Everything of a module but its wiring: names, attributes, types."""
    return [
        (op.name, op.attributes, tuple(value.type for value in (*op.operands, *op.results))) for op in all_ops(module)
    ]


def same(left: Module, right: Module) -> bool:
    return print_module(left) == print_module(right) and facts(left) == facts(right)


# -- constants ---------------------------------------------------------------------------------------------------------


def test_large_captured_arrays_that_differ_in_one_element() -> None:
    weights = np.arange(1_000_000, dtype=np.float32)
    other = weights.copy()
    other[765_432] += 1
    left, right, again = (
        read(lambda x, w=w: x + w, jax.ShapeDtypeStruct((1_000_000,), jnp.float32))
        for w in (weights, other, weights.copy())
    )
    assert constants(left) != constants(right)
    assert constants(left) == constants(again)
    assert constants(left)[0].data == weights.tobytes()


@pytest.mark.parametrize(("one", "other"), [(0.0, -0.0), (np.nan, -np.nan), (1.0, 2.0)])
def test_literals_by_bits(one: float, other: float) -> None:
    assert constants(read(lambda x: x * np.float32(one), S)) != constants(read(lambda x: x * np.float32(other), S))
    assert constants(read(lambda x: x * one, S)) == constants(read(lambda x: x * one, S))


def test_payloads_of_nans_count() -> None:
    quiet, loud = (np.array([bits, 0], np.uint32).view(np.float32) for bits in (0x7FC00000, 0x7FC00001))
    left, right = (read(lambda x, w=w: x + w, jax.ShapeDtypeStruct((2,), jnp.float32)) for w in (quiet, loud))
    assert constants(left)[0].data == quiet.tobytes()
    assert constants(left) != constants(right)


def test_a_constant_is_converted_to_the_type_it_is_traced_with() -> None:
    module = read(lambda x: x + np.arange(3.0), X)  # float64, which JAX takes as float32
    assert [(value.dtype, value.data) for value in constants(module) if value.shape == (3,)] == [
        ("f32", np.arange(3.0, dtype=np.float32).tobytes())
    ]


def test_constants_of_all_nested_jaxprs_are_read() -> None:
    deep, deeper = np.float32([3, 1, 4]), np.float32([1, 5, 9])

    def step(c: Any, _: Any) -> Any:
        return lax.cond(c[0] > 0, lambda u: u + deep, lambda u: jax.jit(lambda v: v * deeper)(u), c), None

    found = {value.data for value in constants(read(lambda x: lax.scan(step, x, None, length=3)[0], X))}
    assert {deep.tobytes(), deeper.tobytes()} <= found


def test_a_splat_is_stored_once_and_a_captured_array_once() -> None:
    ones = np.ones(1_000_000, np.float32)
    module = read(lambda x: x + ones - x * ones, jax.ShapeDtypeStruct((1_000_000,), jnp.float32))
    big = [value for value in constants(module) if value.shape == (1_000_000,)]
    assert big
    assert all(value.splat and len(value.data) == 4 for value in big)


def test_typed_keys_and_small_types() -> None:
    key = jax.random.key(7)
    module = read(lambda: jax.random.bits(key))
    (value,) = [value for value in constants(module) if value.dtype.startswith("key<")]
    assert value.data == np.asarray(jax.random.key_data(key)).tobytes()
    small = jnp.array([1, 2, 3], jnp.float8_e4m3fn)
    (eight,) = [v for v in constants(read(lambda: small + small)) if v.shape == (3,)]
    assert (eight.dtype, len(eight.data)) == ("f8e4m3fn", 3)


def test_large_constants_are_copied_not_walked() -> None:
    weights = np.arange(25_000_000, dtype=np.float32)
    closed = jax.make_jaxpr(lambda x: x + weights)(S)
    assert len(constants(read_jaxpr(closed))[0].data) == 100_000_000
    assert seconds(lambda: read_jaxpr(closed)) < 40 * seconds(weights.tobytes)  # walked, it would be a thousand times


def test_a_deleted_array_is_an_error_that_says_so() -> None:
    weights = jnp.arange(5.0)
    closed = jax.make_jaxpr(lambda x: x + weights)(S)
    weights.delete()
    with pytest.raises(ReadError, match="cannot be read"):
        read_jaxpr(closed)


# -- types, effects, contexts, places ----------------------------------------------------------------------------------


def test_weak_types() -> None:
    weak, strong = read(lambda x: x * 2, 1.0), read(lambda x: x * 2, S)
    assert weak.function("main").body.params[0].type == TensorType("f32", (), (("weak_type", Bool(True)),))
    assert strong.function("main").body.params[0].type == TensorType("f32")
    assert not same(weak, strong)


def test_how_threefry_counts_is_part_of_drawing() -> None:
    def draw(k: Any) -> Any:
        return jax.random.bits(k, (5,))

    key = jax.eval_shape(lambda: jax.random.key(0))
    plain = read(draw, key)
    with jax.threefry_partitionable(False):
        other = read(lambda k: draw(k), key)
    assert named(plain, "random_bits").attribute("ctx") is None
    assert named(other, "random_bits").attribute("ctx") == attrs.record(threefry_partitionable=Bool(False))


def test_locations_are_those_of_the_user() -> None:
    location = named(read(lambda x: jnp.sin(x), S), "sin").location
    assert location is not None
    assert location.file == __file__
    assert location.line > 0


@pytest.mark.skipif(NEW_REF is None, reason="this JAX has no mutable arrays")
def test_effects_on_references_name_the_operand() -> None:
    def run(x: Any) -> Any:
        assert NEW_REF is not None
        first, second = NEW_REF(x), NEW_REF(x)
        first[...] = jnp.sin(x)
        return first[...], second[...]

    module = read(run, X)
    assert named(module, "swap").attribute("effects") == attrs.Seq((Text("WriteEffect 0"),))
    gets = [op for op in all_ops(module) if op.name == "get"]
    refs = [op.results[0] for op in all_ops(module) if "ref" in op.name or "mutable" in op.name]
    assert [op.operands[0] for op in gets] == refs
    assert isinstance(refs[0].type, TensorType)
    assert refs[0].type.extra("ref") is not None


def test_random_implementations_are_named() -> None:
    module = read(lambda k: jax.random.wrap_key_data(k, impl="threefry2x32"), jax.ShapeDtypeStruct((2,), jnp.uint32))
    assert named(module, "random_wrap").attribute("impl") == Text("threefry2x32")


# -- structure ---------------------------------------------------------------------------------------------------------


def test_scan_and_while_take_consts_as_captures() -> None:
    def run(x: Any, y: Any) -> Any:
        looped = lax.while_loop(lambda c: c[0] < y[0], lambda c: c + y, x)
        return lax.scan(lambda c, e: (c * y + e, c), looped, jnp.zeros((5, 3)))

    module = read(run, X, X)
    scan, loop = named(module, "scan"), named(module, "while")
    assert (scan.attribute("num_carry"), scan.attribute("length")) == (Int(1), Int(5))
    assert len(scan.operands) == 2
    assert len(loop.operands) == 1
    y = module.function("main").body.params[1]
    for region in (*scan.regions, *loop.regions):
        assert any(y in op.operands for op in ops_of(region))


@pytest.mark.skipif(jax.__version_info__ < (0, 6), reason="JAX itself takes 2**24 steps to trace this")
def test_a_shared_jaxpr_is_one_function() -> None:
    function = jax.jit(jnp.sin)
    for _ in range(24):
        function = jax.jit(lambda x, inner=function: inner(inner(x)))
    closed = jax.make_jaxpr(function)(S)
    module = read_jaxpr(closed)
    assert len(module.functions) == 26
    assert len(all_ops(module)) < 100


def test_deep_nesting_does_not_take_the_stack() -> None:
    from jax.extend.core import ClosedJaxpr, Jaxpr

    closed = jax.make_jaxpr(lambda x: lax.cond(x > 0, jnp.sin, jnp.cos, x))(S)
    jaxpr, consts = _compat.jaxpr_parts(closed) or (None, ())
    for _ in range(2000):
        eqns = [
            eqn.replace(params=eqn.params | {"branches": (closed, eqn.params["branches"][1])})
            if eqn.primitive.name == "cond"
            else eqn
            for eqn in jaxpr.eqns
        ]
        jaxpr = jaxpr.replace(eqns=eqns)
        closed = ClosedJaxpr(jaxpr, consts) if ClosedJaxpr is not Jaxpr else jaxpr
    module = read_jaxpr(closed)
    assert sum(op.name == "cond" for op in all_ops(module)) == 2001


def test_an_open_jaxpr_or_another_object_is_refused() -> None:
    with pytest.raises(ReadError, match="is no jaxpr"):
        read_jaxpr("{ lambda ; . let in () }")


def test_parameters_of_calls_are_kept() -> None:
    donated = named(read(lambda x: jax.jit(lambda y: y + 1, donate_argnums=0)(x), S), "jit")
    assert donated.attribute("donated_invars") == attrs.Seq((Bool(True),))
    inline = named(read(lambda x: jax.jit(lambda y: y + 1)(x), S), "jit")
    assert donated.attribute("donated_invars") != inline.attribute("donated_invars")


def test_regions_of_unknown_parameters_hold_captured_values() -> None:
    scale = np.float32([2, 3, 5])
    module = read(jax.checkpoint(lambda x: jnp.sin(x) * scale), X)
    op = named(module, "remat2")
    assert op.attribute("jaxpr") == attrs.Opaque("region", "0")
    assert len(op.regions) == 1
    assert scale.tobytes() in {value.data for value in constants(module)}


# -- host functions ----------------------------------------------------------------------------------------------------


def host(x: Any) -> Any:
    return x


def callbacks(module: Module) -> list[attrs.Callable]:
    found = [attr for op in all_ops(module) for attr in attrs_in(value for _, value in op.attributes)]
    return [attr for attr in found if isinstance(attr, attrs.Callable)]


def calling(function: Any) -> Callable[..., Any]:
    return lambda x: jax.pure_callback(function, S, x)


def test_a_callback_is_the_function_object() -> None:
    (first,), (again,) = callbacks(read(calling(host), S)), callbacks(read(calling(host), S))
    assert first == again
    assert first.qualname.endswith("host")
    (partial,) = callbacks(read(calling(functools.partial(host)), S))
    assert partial.identity != first.identity


def test_equal_code_in_another_object_has_another_identity() -> None:
    def make(n: Any) -> Any:
        return lambda x: x + n

    one, other, five = make(2), make(2), make(5)
    (a,), (b,), (c,) = (callbacks(read(calling(function), S)) for function in (one, other, five))
    assert a.identity != b.identity
    assert a.code_digest == b.code_digest
    assert a.code_digest != c.code_digest


def test_bound_values_of_partials_and_methods_count() -> None:
    class Model:
        def call(self, x: Any) -> Any:
            return x

    model, other = Model(), Model()
    one, two = functools.partial(host), functools.partial(lambda n, x: x, 3)
    ids = [
        callbacks(read(calling(function), S))[0].identity for function in (one, two, model.call, other.call, model.call)
    ]
    assert len(set(ids[:4])) == 4
    assert ids[2] == ids[4]


@pytest.mark.parametrize("ordered", [True, False])
def test_debug_callbacks_are_seen_through(ordered: bool) -> None:
    module = read(lambda x: jax.debug.callback(host, x, ordered=ordered), S)
    again = read(lambda x: jax.debug.callback(host, x, ordered=ordered), S)
    assert any(found.qualname.endswith("host") for found in callbacks(module))
    assert same(module, again)
