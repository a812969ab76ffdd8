"""What an error of tracing tells a person to do."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scanir.errors import ScanirError
from scanir.targets import Arguments, Target

pytestmark = pytest.mark.compat
V = jax.ShapeDtypeStruct((3,), jnp.float32)


class Scale:
    def __init__(self, by: float = 2.0) -> None:
        self.by = by

    def __call__(self, x: Any) -> Any:
        return x * self.by


async def waits(x: Any) -> Any:
    return x


def hint_of(function: Any, *args: Any) -> str:
    with pytest.raises(ScanirError) as caught:
        Target(function).trace(("jaxpr",), Arguments(args or (V,)))
    assert "Traceback" not in str(caught.value)
    return caught.value.hint


def test_numpy_on_a_traced_array() -> None:
    assert "use jax.numpy in its place" in hint_of(lambda x: np.sin(x))
    assert "use jax.numpy" not in hint_of(lambda x: x + jnp.zeros(2))


def test_results_with_static_parts() -> None:
    assert "return those alone" in hint_of(lambda x: (x, jnp.sin))
    assert "equinox.filter_jit" in hint_of(lambda x: {"how": "fast", "x": x})


def test_a_class_and_an_async_function() -> None:
    assert "name an instance, Scale(...)" in hint_of(Scale)
    assert hint_of(Scale, V, V).startswith("name an instance: ")
    assert hint_of(waits) == "name the function that it awaits"


def test_the_arguments_given_are_not_offered_again() -> None:
    def alone(x: Any) -> Any:
        raise ValueError("mine")

    assert "for other arguments" not in hint_of(alone)
    assert "for other arguments" in hint_of(alone, jax.ShapeDtypeStruct((4,), jnp.float32))


def test_64_bits_are_off() -> None:
    with pytest.raises(ScanirError) as caught:
        Target(lambda x: x).trace(("jaxpr",), Arguments.parse("f64[3]"))
    assert "--config jax_enable_x64=1" in caught.value.hint


def test_what_flax_needs_can_be_given_as_the_hint_says() -> None:
    nn = pytest.importorskip("flax.linen", reason="Flax is not installed: its modules are not tested")
    dropout, norm = nn.Dropout(0.5, deterministic=False), nn.BatchNorm(use_running_average=False)
    assert 'rngs={"dropout": key<fry>[]}' in hint_of(dropout)
    assert 'mutable=static(("batch_stats",))' in hint_of(norm)
    for module, text in (
        (dropout, 'f32[3], rngs={"dropout": key<fry>[]}'),
        (norm, 'f32[3], mutable=static(("batch_stats",))'),
    ):
        assert Target(module).trace(("jaxpr",), Arguments.parse(text))["jaxpr"].module
