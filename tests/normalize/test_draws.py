"""Where the keys of random draws come from, and which are used twice."""

from __future__ import annotations

from typing import Any

import pytest

from scanir.api import _arguments, _target
from scanir.facts.alone import Alone, alone
from scanir.normalize.draws import KeyUse, Reuse, draws
from scanir.normalize.origins import key_functions

pytestmark = pytest.mark.compat

BOTH = pytest.mark.parametrize("stage", ["jaxpr", "stablehlo"])
RAW = pytest.mark.parametrize("raw", [False, True], ids=["typed", "raw"])


def uses(function: Any, stage: str, *, raw: bool = False) -> tuple[tuple[KeyUse, ...], tuple[Reuse, ...]]:
    """Draws and reuses of ``function(key, x)``."""
    import jax

    key = jax.random.PRNGKey(0) if raw else jax.random.key(0)
    one = _target(function).trace((stage,), _arguments((key, 1.0), None))[stage]
    found = alone(one, key_functions(frozenset(f.name for f in one.module.functions)))
    assert isinstance(found, Alone)
    return draws(found.side, found.table, dict(enumerate(one.interface.arguments)))


def keys(function: Any, stage: str, *, raw: bool = False) -> list[str]:
    return [use.origin.text for use in uses(function, stage, raw=raw)[0] if use.origin is not None]


def _scan(step: Any, x: Any, xs: Any = None) -> Any:
    from jax import lax

    return lax.scan(step, x, xs, length=4)[0]


def carried(key: Any, x: Any) -> Any:
    import jax

    def step(c: Any, _: Any) -> Any:
        x, k = c
        k, sub = jax.random.split(k)
        return (x + jax.random.normal(sub), k), None

    return _scan(step, (x, key))[0]


def presplit(key: Any, x: Any) -> Any:
    import jax

    return _scan(lambda x, k: (x + jax.random.normal(k), None), x, jax.random.split(key, 4))


def folded(key: Any, x: Any) -> Any:
    import jax
    from jax import lax

    return lax.fori_loop(0, 4, lambda i, x: x + jax.random.normal(jax.random.fold_in(key, i)), x)


def reused(key: Any, x: Any) -> Any:
    import jax

    return _scan(lambda x, _: (x + jax.random.normal(key), None), x)


def twice(key: Any, x: Any) -> Any:
    import jax

    return jax.random.normal(key, (3,)) + jax.random.uniform(key, (3,)) + x


def branches(key: Any, x: Any) -> Any:
    import jax

    a, b = jax.random.split(key)
    chosen = jax.lax.cond(x > 0, lambda: jax.random.normal(a), lambda: jax.random.uniform(a))
    return chosen + jax.random.normal(b)


def all_and_one(key: Any, x: Any) -> Any:
    import jax

    several = jax.random.split(key, 4)
    return jax.vmap(jax.random.normal)(several) + jax.random.normal(several[0]) + x


def split_again(key: Any, x: Any) -> Any:
    import jax

    return jax.random.normal(jax.random.split(key)[0]) + jax.random.normal(key) + x


def repeated(key: Any, x: Any) -> Any:
    """The same key for each step, handed in as a scanned input."""
    import jax
    import jax.numpy as jnp

    return _scan(lambda x, k: (x + jax.random.normal(k), None), x, jnp.broadcast_to(key, (4,)))


def same_each_trip_of_the_outer(key: Any, x: Any) -> Any:
    """The inner loop folds in its index, the outer one draws the same numbers again."""
    import jax
    from jax import lax

    def inner(i: Any, x: Any) -> Any:
        return x + jax.random.normal(jax.random.fold_in(key, i))

    return _scan(lambda x, _: (lax.fori_loop(0, 3, inner, x), None), x)


@BOTH
@RAW
def test_keys_are_followed(stage: str, raw: bool) -> None:
    assert keys(presplit, stage, raw=raw) == ["split(key, 4)[i]"]
    assert keys(folded, stage, raw=raw) == ["fold_in(key, i)"]
    assert keys(branches, stage, raw=raw) == ["split(key, 2)[0]", "split(key, 2)[0]", "split(key, 2)[1]"]
    ((chain,), reuses) = uses(carried, stage, raw=raw)
    assert chain.origin is not None
    assert chain.origin.source == "slot"
    assert chain.origin.text.endswith(", 2)[1]")
    assert " starts as key, then split(slot " in chain.origin.note
    assert reuses == ()


@BOTH
@RAW
@pytest.mark.parametrize("function", [carried, presplit, folded, branches])
def test_sound_plumbing_warns_of_nothing(function: Any, stage: str, raw: bool) -> None:
    assert uses(function, stage, raw=raw)[1] == ()


@BOTH
@RAW
@pytest.mark.parametrize("function", [twice, all_and_one, split_again])
def test_a_key_used_twice_is_reported(function: Any, stage: str, raw: bool) -> None:
    (reuse,) = uses(function, stage, raw=raw)[1]
    assert reuse.second is not None
    assert reuse.first.path != reuse.second.path


@BOTH
@RAW
@pytest.mark.parametrize("function", [reused, same_each_trip_of_the_outer])
def test_a_key_that_is_the_same_in_each_trip_is_reported(function: Any, stage: str, raw: bool) -> None:
    (reuse,) = uses(function, stage, raw=raw)[1]
    assert reuse.second is None
    assert reuse.loop == reuse.first.loops[0]


def test_a_scanned_key_that_is_one_key_is_reported() -> None:
    (reuse,) = uses(repeated, "jaxpr")[1]
    assert (reuse.key, reuse.second, reuse.loop) == ("key", None, "main/scan")


def test_seeds_and_constants_say_their_numbers() -> None:
    import jax

    fixed = jax.random.key(42)
    assert keys(lambda key, x: x + jax.random.normal(jax.random.key(42)), "jaxpr") == ["seed(42)"]
    assert keys(lambda key, x: x + jax.random.normal(fixed), "jaxpr") == ["constant key<fry> (0, 42)"]


def test_long_chains_are_cut_and_stay_cheap() -> None:
    import jax

    def many(key: Any, x: Any) -> Any:
        for _ in range(40):
            key, sub = jax.random.split(key)
            x = x + jax.random.normal(sub)
        return x

    found = keys(many, "jaxpr")
    assert len(found) == 40
    assert "72 more steps" in found[-1]
    assert max(map(len, found)) < 100


def test_generators_with_a_state_of_their_own() -> None:
    import jax

    def f(key: Any, x: Any) -> Any:
        _state, bits = jax.lax.rng_bit_generator(jax.numpy.ones(4, "uint32"), (3,))
        return bits, jax.lax.rng_uniform(0.0, x, (2,))

    found, _ = uses(f, "jaxpr")
    assert [(use.op, use.origin is None) for use in found] == [("rng_bit_generator", False), ("rng_uniform", True)]
