"""Parameters as attributes: equal for equal parameters only."""

from __future__ import annotations

import collections
import enum
import itertools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from scanir.ir.attrs import Callable, Opaque, Seq, Text
from scanir.ir.walk import attrs_in
from scanir.readers.jaxpr.params import read_param

pytestmark = [pytest.mark.compat, pytest.mark.older]
Pair = collections.namedtuple("Pair", "left right")
Other = collections.namedtuple("Other", "left right")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Plain:
    a: Any
    b: Any = 2


def devices() -> Any:
    return np.array(jax.devices()[:4])


def mesh(order: list[int], shape: tuple[int, int] = (2, 2), names: tuple[str, str] = ("x", "y")) -> Mesh:
    return Mesh(devices()[order].reshape(shape), names)


ORDER = [0, 1, 2, 3]
UNEQUAL: list[Any] = [
    None, True, False, 1, 0, 1.0, 0.0, -0.0, float("nan"), -float("nan"), 1j, "1", "None", b"1", (1,), [True], (1.0,),
    ((1,),), np.int32(1), np.int64(1), np.float32(1), np.float64(1), np.bool_(True), np.array([1, 2]), np.array([2, 1]),
    np.arange(2000), np.arange(2000) + (np.arange(2000) == 1000), np.dtype("float32"), np.dtype("int32"), jnp.float16,
    Colour.RED, Colour.BLUE, Pair(1, 2), Other(1, 2), Pair(2, 1), Plain(1), Plain(2), Plain(1.0), Plain((1,)),
    {"a": 1}, {"a": 2}, {1: "a"}, frozenset({1, 2}), frozenset({1, 3}), int, float, Plain, jax.nn.relu, len,
    mesh(ORDER), mesh([1, 0, 2, 3]), mesh(ORDER, (4, 1)), mesh(ORDER, names=("y", "x")),
    P("x"), P(None, "x"), P(("x", "y")), P("x", "y"), P(),
    NamedSharding(mesh(ORDER), P("x")), NamedSharding(mesh(ORDER), P("y")), NamedSharding(mesh([1, 0, 2, 3]), P("x")),
    jax.sharding.SingleDeviceSharding(jax.devices()[0]), jax.sharding.SingleDeviceSharding(jax.devices()[1]),
    jax.tree.structure((1, 2)), jax.tree.structure([1, 2]), jax.core.ShapedArray((3,), np.dtype("float32")),
    jax.core.ShapedArray((3,), np.dtype("int32")), jax.random.key(0), jax.random.key(1),
]  # fmt: skip


def test_unequal_parameters_are_unequal_attributes() -> None:
    for (i, left), (j, right) in itertools.combinations(enumerate(map(read_param, UNEQUAL)), 2):
        assert left != right, (UNEQUAL[i], UNEQUAL[j])


def test_equal_parameters_are_equal_attributes() -> None:
    for value in UNEQUAL:
        assert read_param(value) == read_param(value)
    assert read_param({"a": 1, "b": 2}) == read_param({"b": 2, "a": 1})
    assert read_param(mesh(ORDER)) == read_param(mesh(ORDER))
    assert read_param(NamedSharding(mesh(ORDER), P("x"))) == read_param(NamedSharding(mesh(ORDER), P("x")))
    assert read_param(np.arange(3)) == read_param(np.arange(3))


def silent(kind: type) -> Any:
    """An object whose text says nothing of its contents."""
    return kind()


def test_objects_that_nothing_is_known_of_are_compared_by_identity() -> None:
    class Silent:
        def __repr__(self) -> str:
            return "Silent"

    one, other = silent(Silent), silent(Silent)
    assert isinstance(read_param(one), Callable)
    assert read_param(one) == read_param(one)
    assert read_param(one) != read_param(other)


def local(value: int) -> type:
    @dataclass(frozen=True)
    class Local:
        a: int = value

        def call(self) -> int:
            return value

    return Local


def test_local_classes_of_one_name_are_not_one_class() -> None:
    one, other = local(1), local(2)
    assert read_param(one) != read_param(other)
    assert read_param(one(7)) != read_param(other(7))
    assert read_param(one(7)) == read_param(one(7))


def test_functions_of_jax_are_known_by_name_and_others_by_identity() -> None:
    assert isinstance(read_param(jax.checkpoint_policies.everything_saveable), (Opaque, Callable))
    assert read_param(lambda x: x) != read_param(lambda x: x)
    ufuncs = [np.frompyfunc(function, 1, 1) for function in (lambda x: x, lambda x: -x)]
    assert read_param(ufuncs[0]) != read_param(ufuncs[1])
    assert read_param(np.sin) == read_param(np.sin)


def test_jaxprs_inside_become_regions_wherever_they_are() -> None:
    closed = jax.make_jaxpr(jnp.sin)(1.0)
    found: list[Any] = []
    attr = read_param({"a": (closed, Plain(closed)), "b": 1}, found)
    assert [id(item) for item in found] == [id(closed)] * 2
    regions = [item for item in attrs_in([attr]) if isinstance(item, Opaque) and item.kind == "region"]
    assert [region.text for region in regions] == ["0", "1"]
    assert isinstance(read_param(closed), Callable)


def test_static_data_in_trees_counts() -> None:
    @jax.tree_util.register_pytree_node_class
    class Box:
        def __init__(self, value: Any, static: Any) -> None:
            self.value, self.static = value, static

        def tree_flatten(self) -> Any:
            return (self.value,), self.static

        @classmethod
        def tree_unflatten(cls, static: Any, children: Any) -> Any:
            return cls(children[0], static)

    class Static:
        def __init__(self, number: int) -> None:
            self.number = number

        def __repr__(self) -> str:
            return "Static"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Static) and other.number == self.number

        def __hash__(self) -> int:
            return hash(self.number)

    def tree(number: int) -> Any:
        return read_param(jax.tree.structure(Box(1, Static(number))))

    assert tree(1) == tree(1)
    assert tree(1) != tree(2)


def test_a_large_array_in_a_box_is_read_in_full() -> None:
    spec = jax.ShapeDtypeStruct((), jnp.float32)

    def call(values: Any) -> Any:
        closed = jax.make_jaxpr(lambda x: jax.ffi.ffi_call("mine", spec)(x, n=values))(spec)
        return read_param(closed.jaxpr.eqns[0].params if hasattr(closed, "jaxpr") else closed.eqns[0].params)

    one, other = np.arange(2000), np.arange(2000)
    other[1000] = 7
    assert call(one) == call(one.copy())
    assert call(one) != call(other)


def test_deep_values_end() -> None:
    value: Any = ()
    for _ in range(500):
        value = (value,)
    assert isinstance(read_param(value), Seq)
    assert read_param("x") == Text("x")
