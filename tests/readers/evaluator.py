"""A small evaluator of jaxpr modules with NumPy: an independent reading of the ops, to check how they are wired.

Knows a handful of ops and refuses all others. Written for tests; slow, and recursive on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanir.ir.attrs import Array, Attr, Bool, Int, Seq, Symbol
from scanir.ir.graph import Module, Op, Region, Value
from scanir.ir.types import TensorType

DTYPES = {"f32": np.float32, "i32": np.int32, "u32": np.uint32, "bool": np.bool_}
Env = dict[Value, np.ndarray]

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add, "add_any": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum,
    "min": np.minimum, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal,
    "ne": np.not_equal, "and": np.logical_and,
}  # fmt: skip
UNARY: dict[str, Callable[[Any], Any]] = {
    "sin": np.sin, "cos": np.cos, "neg": np.negative, "tanh": np.tanh, "copy": np.copy, "square": np.square,
    "exp": np.exp, "convert_element_type": np.copy, "device_put": np.copy,
}  # fmt: skip


def evaluate(module: Module, args: Sequence[np.ndarray]) -> list[np.ndarray]:
    return _region(module, module.function(module.entry).body, list(args), {})


def _region(module: Module, region: Region, args: Sequence[np.ndarray], around: Env) -> list[np.ndarray]:
    env = around | dict(zip(region.params, args, strict=True))
    for op in region.ops:
        results = _op(module, op, [env[value] for value in op.operands], env)
        for value, result in zip(op.results, results, strict=True):
            assert isinstance(value.type, TensorType)
            array = np.asarray(result)
            assert array.shape == value.type.shape, (op.name, array.shape, value.type)
            env[value] = array.astype(DTYPES[value.type.dtype])
    return [env[value] for value in region.results]


def _op(module: Module, op: Op, args: list[np.ndarray], env: Env) -> list[np.ndarray]:
    if op.name in BINARY:
        return [BINARY[op.name](*args)]
    if op.name in UNARY:
        return [UNARY[op.name](*args)]
    match op.name:
        case "constant":
            return [_constant(op.attribute("value"))]
        case "jit":
            callee = op.attribute("callee")
            assert isinstance(callee, Symbol)
            return _region(module, module.function(callee.name).body, args, {})
        case "scan":
            return _scan(module, op, args, env)
        case "while":
            while _region(module, op.regions[0], args, env)[0]:
                args = _region(module, op.regions[1], args, env)
            return args
        case "cond":
            index = min(max(int(args[0]), 0), len(op.regions) - 1)
            return _region(module, op.regions[index], args[1:], env)
        case "clamp":
            return [np.clip(args[1], args[0], args[2])]
        case "reduce_sum":
            return [np.sum(args[0], axis=tuple(_ints(op.attribute("axes"))))]
        case "select_n":
            return [np.where(args[0], args[2], args[1])]
        case "broadcast_in_dim":
            return [_broadcast(op, args[0])]
        case "custom_jvp_call" | "remat2":
            return _region(module, op.regions[0], args, env)
        case _:
            raise NotImplementedError(op.name)


def _scan(module: Module, op: Op, args: list[np.ndarray], env: Env) -> list[np.ndarray]:
    carries, reverse = _int(op.attribute("num_carry")), op.attribute("reverse") == Bool(True)
    carry, xs = args[:carries], args[carries:]
    length = _int(op.attribute("length"))
    ys: list[list[np.ndarray]] = []
    for step in reversed(range(length)) if reverse else range(length):
        results = _region(module, op.regions[0], [*carry, *(x[step] for x in xs)], env)
        carry = results[:carries]
        ys.append(results[carries:])
    stacked = (
        [np.stack(column[::-1] if reverse else column) for column in zip(*ys, strict=True)] if ys and ys[0] else []
    )
    return [*carry, *stacked]


def _broadcast(op: Op, value: np.ndarray) -> np.ndarray:
    shape, dims = _ints(op.attribute("shape")), _ints(op.attribute("broadcast_dimensions"))
    spread = [1] * len(shape)
    for dim, size in zip(dims, value.shape, strict=True):
        spread[dim] = size
    return np.broadcast_to(value.reshape(spread), shape)


def _constant(value: Attr | None) -> np.ndarray:
    assert isinstance(value, Array)
    shape = tuple(int(dim) for dim in value.shape)
    flat = np.frombuffer(value.data, DTYPES[value.dtype])
    return np.broadcast_to(flat, shape).copy() if value.splat else flat.reshape(shape)


def _int(attr: Attr | None) -> int:
    assert isinstance(attr, Int)
    return attr.value


def _ints(attr: Attr | None) -> list[int]:
    assert isinstance(attr, Seq)
    return [_int(item) for item in attr.items]
