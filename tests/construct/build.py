"""A program as a JAX function, in the spelling that it says; and its results without jit, op by op."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tests.construct.language import SCANNED, Atom, Block, Call, Cond, Const, Let, Loop, Program

_OPS: dict[str, Callable[..., Any]] = {
    "sin": jnp.sin, "tanh": jnp.tanh,
    "lift": lambda x: x.astype(jnp.float32) if hasattr(x, "astype") else jnp.float32(x),
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "max": jnp.maximum,
    "where": lambda x, y: jnp.where(x < y, x * 0.5, y),
    "get": lambda x, i: lax.dynamic_index_in_dim(x, i, keepdims=False),
    "set": lambda x, i, y: lax.dynamic_update_index_in_dim(x, jnp.float32(y), i, 0),
}  # fmt: skip
_DTYPES = {"f": jnp.float32, "v": jnp.float32, "x": jnp.float32, "i": jnp.int32}
_SHAPES = {"f": (), "i": (), "v": (3,), "x": (SCANNED,)}


def function(program: Program) -> Callable[..., Any]:
    """The program as a function of its parameters by position."""

    def run(*args: Any) -> Any:
        env = dict(zip(program.params, args, strict=True))
        return _packed(_block(program.block, env), [str(k) for k in range(len(program.block.results))], program.style)

    return run


def shapes(program: Program) -> tuple[Any, ...]:
    """What to trace a program with."""
    return tuple(jax.ShapeDtypeStruct(_SHAPES[kind], _DTYPES[kind]) for kind in map(program.type, program.params))


def inputs(program: Program, seed: int) -> tuple[np.ndarray, ...]:
    """Some arguments. Integers are small: they are trip counts."""
    rng = np.random.default_rng(seed)
    made = []
    for kind in map(program.type, program.params):
        if kind == "i":
            made.append(np.int32(seed % 5))
        else:
            made.append(np.asarray(rng.normal(size=_SHAPES[kind])).astype(np.float32))
    return tuple(made)


@lru_cache(maxsize=8)
def evaluated(program: Program, seeds: tuple[int, ...] = (0, 3)) -> tuple[bytes, ...]:
    """The bits of the results on a few inputs, computed without jit; any NaN is one NaN."""
    found = []
    with jax.disable_jit():
        for seed in seeds:
            leaves = jax.tree.leaves(function(program)(*map(jnp.asarray, inputs(program, seed))))
            for leaf in leaves:
                array = np.asarray(leaf)
                if array.dtype == np.float32:
                    array = np.where(np.isnan(array), np.float32(np.nan), array)
                found.append(array.tobytes())
    return tuple(found)


def _value(atom: Atom, env: dict[str, Any]) -> Any:
    if isinstance(atom, Const):
        return _DTYPES[atom.type](atom.value)
    return env[atom]


def _operand(atom: Atom, env: dict[str, Any]) -> Any:
    """An operand of an op; a constant is the Python number that people write."""
    return atom.value if isinstance(atom, Const) else env[atom]


def _block(block: Block, outside: dict[str, Any]) -> list[Any]:
    env = dict(outside)
    for stmt in block.stmts:
        match stmt:
            case Let():
                env[stmt.out] = _OPS[stmt.op](*[_operand(arg, env) for arg in stmt.args])
            case Loop():
                env.update(zip(stmt.outs, _loop(stmt, env), strict=True))
            case Cond():
                env.update(zip(stmt.outs, _cond(stmt, env), strict=True))
            case Call():
                env.update(zip(stmt.outs, _call(stmt, env), strict=True))
    return [_value(atom, env) for atom in block.results]


def _call(call: Call, env: dict[str, Any]) -> list[Any]:
    def inner(*args: Any) -> list[Any]:
        return _block(call.block, env | dict(zip(call.params, args, strict=True)))

    inner.__name__ = inner.__qualname__ = call.label
    args = [_value(arg, env) for arg in call.args]
    found: list[Any] = (jax.jit(inner) if call.jit else inner)(*args)
    return found


def _cond(cond: Cond, env: dict[str, Any]) -> list[Any]:
    def branch(k: int) -> Callable[..., list[Any]]:
        return lambda *args: _block(cond.branches[k], env | dict(zip(cond.params[k], args, strict=True)))

    test = _value(cond.test[0], env) < _value(cond.test[1], env)
    found: list[Any] = lax.cond(test, branch(0), branch(1), *[_value(arg, env) for arg in cond.args])
    return found


def _loop(loop: Loop, env: dict[str, Any]) -> list[Any]:
    count = len(loop.carries)

    def step(index: Any, carry: Any, elems: Any = ()) -> tuple[Any, list[Any]]:
        inner = env | dict(zip(loop.carries, _unpacked(carry, loop.carries, loop.tree), strict=True))
        inner |= dict(zip(loop.elems, elems, strict=True))
        results = _block(loop.body, inner | {loop.index: index})
        return _packed(results[:count], loop.carries, loop.tree), results[count:]

    def goes_on(state: Any) -> Any:
        index, carry = state
        inner = env | dict(zip(loop.carries, _unpacked(carry, loop.carries, loop.tree), strict=True))
        going = index < _value(loop.trips, env)
        if loop.also is not None:
            going = going & (_value(loop.also[0], inner) <= _value(loop.also[1], inner))
        return going

    start = _packed([_value(init, env) for init in loop.inits], loop.carries, loop.tree)
    match loop.kind:
        case "scan":
            assert isinstance(loop.trips, Const)
            xs = tuple(_value(x, env) for x in loop.xs)
            last, ys = lax.scan(lambda c, xs: step(None, c, xs), start, xs, length=loop.trips.value)
            return [*_unpacked(last, loop.carries, loop.tree), *ys]
        case "fori":
            trips = loop.trips.value if isinstance(loop.trips, Const) else _value(loop.trips, env)
            last = lax.fori_loop(0, trips, lambda i, carry: step(i, carry)[0], start)
        case _:
            state = (jnp.int32(0), start)
            _, last = lax.while_loop(goes_on, lambda state: (state[0] + 1, step(*state)[0]), state)
    return _unpacked(last, loop.carries, loop.tree)


def _packed(values: Sequence[Any], keys: Sequence[str], tree: str) -> Any:
    match tree:
        case "dict":
            return dict(zip(keys, values, strict=True))
        case "reversed dict":
            return dict(reversed(list(zip(keys, values, strict=True))))
        case "list":
            return list(values)
        case "nested" if len(values) > 1:
            return values[0], {"rest": list(values[1:])}
        case _:
            return tuple(values)


def _unpacked(packed: Any, keys: Sequence[str], tree: str) -> list[Any]:
    match tree:
        case "dict" | "reversed dict":
            return [packed[key] for key in keys]
        case "nested" if len(keys) > 1:
            return [packed[0], *packed[1]["rest"]]
        case _:
            return list(packed)
