"""Settings as a person writes them, and what is refused."""

from __future__ import annotations

from typing import Any

import jax
import pytest

from scanir.contexts.context import AT_START, Context, contexts
from scanir.contexts.inside import check_options
from scanir.errors import ArgumentError

pytestmark = pytest.mark.compat
NONE = (None, None, None)


def test_a_side_has_its_own_before_what_is_for_both() -> None:
    a, b = contexts(
        (["jax_enable_x64=true", "jax_numpy_rank_promotion=raise"], {"jax_enable_x64": False}, None),
        (None, None, "xla_cpu_enable_fast_math=True"),
        (None, ["XLA_FLAGS=--a=b c"]),
    )
    assert a == Context((("jax_enable_x64", False), ("jax_numpy_rank_promotion", "raise")))
    assert b.config == (("jax_enable_x64", True), ("jax_numpy_rank_promotion", "raise"))
    assert b.compiler_options == (("xla_cpu_enable_fast_math", True),)
    assert b.environment == (("XLA_FLAGS", "--a=b c"),)
    assert not contexts(NONE, NONE, (None, None))[0]
    assert str(b).startswith("jax_enable_x64=True, jax_numpy_rank_promotion=raise, xla_cpu")


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"jax_default_matmul_precision": None}, None),
        ("jax_default_matmul_precision=none", None),
        ("jax_default_matmul_precision=highest", "highest"),
        ("jax_num_cpu_devices=4", 4),
        ("jax_platforms=cpu", "cpu"),
        ("jax_enable_x64=0", False),
        ("--jax_enable_x64=on", True),
    ],
)
def test_values_have_the_type_of_their_setting(given: Any, value: Any) -> None:
    before = dict(jax.config.values)
    ((_, found),) = contexts((given, None, None), NONE, (None, None))[0].config
    assert (found, type(found)) == (value, type(value))
    assert dict(jax.config.values) == before, "asking changes nothing"


@pytest.mark.parametrize(
    ("given", "what", "hint"),
    [
        ("jax_enable_x46=1", "JAX has no setting 'jax_enable_x46'", "jax_enable_x64"),
        ("enable_x64=1", "JAX has no setting 'enable_x64'", "jax_enable_x64"),
        ("qqq=1", "JAX has no setting", "names of jax.config"),
        ("jax_enable_x64=maybe", "jax_enable_x64 cannot be 'maybe'", "True or False"),
        ({"jax_enable_x64": 1}, "jax_enable_x64 cannot be 1", "True or False"),
        ({"jax_enable_x64": None}, "jax_enable_x64 cannot be None", "True or False"),
        ("jax_num_cpu_devices=many", "cannot be 'many'", "a whole number"),
        ("jax_default_matmul_precision=hi", "cannot be 'hi'", "one of default, high"),
        ("jax_enable_x64", "is not KEY=VALUE", "jax_enable_x64=True"),
        (["jax_enable_x64=1", "jax_enable_x64=0"], "given twice", ""),
    ],
)
def test_what_jax_does_not_have(given: Any, what: str, hint: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        contexts((given, None, None), NONE, (None, None))
    assert what in caught.value.what
    assert hint in caught.value.hint


def test_what_the_compiler_does_not_have() -> None:
    check_options((("xla_cpu_enable_fast_math", True),))
    with pytest.raises(ArgumentError, match="no option 'xla_cpu_enable_fast_mat'") as caught:
        check_options((("xla_cpu_enable_fast_mat", True),))
    assert "xla_cpu_enable_fast_math" in caught.value.hint
    with pytest.raises(ArgumentError, match="cannot be 'zork'") as caught:
        check_options((("xla_cpu_enable_fast_math", "zork"),))
    assert "not a valid bool" in caught.value.where


def test_names_are_those_of_jax() -> None:
    assert {"jax_platforms", "jax_num_cpu_devices"} <= AT_START & jax.config.values.keys()
