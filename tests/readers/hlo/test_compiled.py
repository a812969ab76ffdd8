"""What this JAX compiles: read from memory, with literals from the serialized module, as from full text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from scanir.ir.attrs import Array, Hidden
from scanir.ir.graph import Module
from scanir.ir.verify import verify
from scanir.readers.hlo import read_hlo, read_hlo_proto_literals

pytestmark = pytest.mark.compat

jax = pytest.importorskip("jax")
jnp = jax.numpy

WEIGHTS = np.random.default_rng(0).normal(size=(40, 50)).astype(np.float32)
WEIGHTS[3, 4] = np.float32(-0.0)
WEIGHTS[0, 0] = np.frombuffer(b"\x01\x00\xc0\xff", np.float32)[0]


def scanned(x: Any) -> Any:
    def body(carry: Any, _: Any) -> Any:
        return jnp.sin(carry @ WEIGHTS @ WEIGHTS.T), carry.sum()

    return jax.lax.scan(body, x, None, length=7)


def branches(x: Any) -> Any:
    def chosen(y: Any) -> Any:
        return jax.lax.cond(y.sum() > 0, jnp.sin, jnp.cos, y)

    return jax.lax.switch(x[0, 0].astype(jnp.int32), [jnp.sin, lambda y: y * 2, chosen], x)


def random(x: Any) -> Any:
    return jnp.sort(x, axis=0), x.at[0].add(1), jax.random.normal(jax.random.key(0), (3,))


def typed(x: Any) -> Any:
    table = jnp.asarray(np.arange(100, dtype=np.int32) - 50)
    half = jnp.asarray(np.linspace(-2, 2, 100), dtype=jnp.bfloat16)
    flags = jnp.asarray(np.arange(100) % 3 == 0)
    small = jnp.asarray(np.arange(100) % 200, dtype=jnp.uint8)
    index = x.astype(jnp.int32)[:, 0]
    return table[index], half[index], flags[index], small[index]


FUNCTIONS: list[Callable[[Any], Any]] = [scanned, branches, random, typed]


def compiled(function: Callable[[Any], Any]) -> Any:
    return jax.jit(function).lower(jnp.ones((2, 40))).compile()


def proto(program: Any) -> bytes:
    serialized: bytes = program.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto()
    return serialized


def values(module: Module) -> dict[str, Array | Hidden]:
    found: dict[str, Array | Hidden] = {}
    for function in module.functions:
        for op in function.body.ops:
            value = op.attribute("value") if op.name == "constant" else None
            if isinstance(value, Array | Hidden):
                found[op.results[0].name] = value
    return found


@pytest.mark.parametrize("function", FUNCTIONS)
def test_compiled_text_is_read_and_literals_agree(function: Callable[[Any], Any]) -> None:
    program = compiled(function)
    literals = read_hlo_proto_literals(proto(program))
    plain = read_hlo(program.as_text())
    full = read_hlo(program.as_text(), literals=literals)
    verify(full)
    shown = values(plain)
    assert any(isinstance(value, Array) for value in shown.values())
    for name, value in values(full).items():
        assert value == literals[name]
        assert isinstance(shown[name], Hidden) or shown[name] == value


def test_elided_weights_come_from_the_serialized_module() -> None:
    program = compiled(scanned)
    hidden = [name for name, value in values(read_hlo(program.as_text())).items() if isinstance(value, Hidden)]
    assert hidden
    full = values(read_hlo(program.as_text(), literals=read_hlo_proto_literals(proto(program))))
    assert not any(isinstance(value, Hidden) for value in full.values())
    assert WEIGHTS.tobytes() in [value.data for value in full.values() if isinstance(value, Array)]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_text_before_optimization_is_read(function: Callable[[Any], Any]) -> None:
    text = jax.jit(function).lower(jnp.ones((2, 40))).as_text("hlo")
    verify(read_hlo(text))


def test_locations_name_this_file() -> None:
    module = read_hlo(compiled(random).as_text())
    places = {op.location.file for function in module.functions for op in function.body.ops if op.location}
    assert places == {__file__}
