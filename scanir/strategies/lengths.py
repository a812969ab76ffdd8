"""The families whose loops can have any length, each kind of loop a function: for measuring how they grow.

``fibonacci``: so many terms of the sequence from two starts. ``sum`` and ``factorial``: of so many elements. Kinds are
those of the tutorials: a Python loop (traced, it is unrolled), ``fori_loop``, ``while_loop``, ``scan``, and that scan
under ``vmap`` over four inputs. Imports no jax before a loop is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: How many inputs the vmapped loops have.
MANY = 4
KINDS = ("scan", "fori", "while", "python", "vmap")
FAMILIES = ("fibonacci", "sum", "factorial")


def members(family: str, length: int) -> tuple[tuple[str, str, str], ...]:
    """(name, target, arguments) of each kind of loop of that length, as texts."""
    found = []
    for kind in KINDS:
        many = f"{MANY}" if kind == "vmap" else ""
        if family == "fibonacci":
            given = f"i32[{many}], i32[{many}]"
        else:
            given = f"i32[{many},{length}]" if many else f"i32[{length}]"
        found.append((kind, f"scanir.strategies.lengths:{family}('{kind}', {length})", given))
    return tuple(found)


def fibonacci(kind: str, length: int) -> Callable[[Any, Any], Any]:
    """So many terms, from two starts; beyond 46 they wrap, as 32-bit integers do."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    def scan(a: Any, b: Any) -> Any:
        return lax.scan(lambda pair, _: ((pair[1], pair[0] + pair[1]), pair[0]), (a, b), None, length=length)[1]

    def write(i: Any, state: Any) -> Any:
        a, b, terms = state
        return b, a + b, terms.at[i].set(a)

    def fori(a: Any, b: Any) -> Any:
        return lax.fori_loop(0, length, write, (a, b, jnp.zeros(length, jnp.int32)))[2]

    def while_(a: Any, b: Any) -> Any:
        start = (jnp.int32(0), (a, b, jnp.zeros(length, jnp.int32)))
        return lax.while_loop(lambda s: s[0] < length, lambda s: (s[0] + 1, write(s[0], s[1])), start)[1][2]

    def python(a: Any, b: Any) -> Any:
        terms = []
        for _ in range(length):
            terms.append(a)
            a, b = b, a + b
        return jnp.stack(terms)

    made: dict[str, Callable[..., Any]] = {
        "scan": scan, "fori": fori, "while": while_, "python": python, "vmap": jax.vmap(scan),
    }  # fmt: skip
    return made[kind]


def sum(kind: str, length: int) -> Callable[[Any], Any]:
    """The sum of so many elements."""
    return _fold(kind, length, 0, lambda x, y: x + y)


def factorial(kind: str, length: int) -> Callable[[Any], Any]:
    """The product of so many elements."""
    return _fold(kind, length, 1, lambda x, y: x * y)


def _fold(kind: str, length: int, start: int, combine: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    import jax
    import jax.numpy as jnp
    from jax import lax

    def scan(values: Any) -> Any:
        return lax.scan(lambda found, value: (combine(found, value), None), jnp.int32(start), values)[0]

    def fori(values: Any) -> Any:
        return lax.fori_loop(0, length, lambda i, found: combine(found, values[i]), jnp.int32(start))

    def while_(values: Any) -> Any:
        def body(state: Any) -> Any:
            i, found = state
            return i + 1, combine(found, values[i])

        return lax.while_loop(lambda state: state[0] < length, body, (jnp.int32(0), jnp.int32(start)))[1]

    def python(values: Any) -> Any:
        found = jnp.int32(start)
        for value in values:
            found = combine(found, value)
        return found

    made: dict[str, Callable[..., Any]] = {
        "scan": scan, "fori": fori, "while": while_, "python": python, "vmap": jax.vmap(scan),
    }  # fmt: skip
    return made[kind]
