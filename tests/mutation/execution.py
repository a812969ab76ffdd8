"""Both sides run on the same inputs, in StableHLO's reference interpreter, in a child process with a time limit.

What the interpreter does not know (fft, cholesky, custom calls, CHLO) is compiled by XLA, where a difference that may
be rounding decides nothing. What could not be run is said to be so and decides nothing. Any NaN equals any NaN; all
other bits count.
"""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from scanir.readers.mlir_context import parse_module
from tests.mutation import internals

#: Seconds for both sides on one input.
LIMIT = 8.0
ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Ran:
    """``outcome``: ``equal``, ``unequal`` or ``not run``; ``inputs``: on how many inputs both sides ran."""

    outcome: str
    inputs: int = 0
    detail: str = ""


def children() -> Any:
    """How children are made: from a process that has imported what they need, and has started nothing. Many of them
    die."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, "jax", "jaxlib._hlo", "jaxlib.mlir.dialects.stablehlo"])
    return context


class Interpreter:
    """A child process that runs pairs of texts; started anew when it dies."""

    def __init__(self) -> None:
        self._process: Any = None
        self._pipe: Connection | None = None

    def compare(self, dialect: str, a: str, b: str) -> Ran:
        """Run two modules (HLO or StableHLO text) on a few inputs until they differ."""
        if self._process is None or not self._process.is_alive():
            self._start()
        assert self._pipe is not None
        self._pipe.send((dialect, a, b))
        ran = 0
        try:
            while self._pipe.poll(LIMIT):
                said, detail = self._pipe.recv()
                if said == "next":
                    ran += 1
                    continue
                return Ran(said, ran, detail)
        except (EOFError, ConnectionError):
            self._stop()
            return Ran("not run", ran, "the interpreter ended its process")
        self._stop()
        return Ran("not run", ran, "it took too long")

    def _start(self) -> None:
        context = children()
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = None

    def close(self) -> None:
        self._stop()


def _serve(pipe: Connection) -> None:
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the interpreter says on standard error why it ends
    while True:
        try:
            dialect, a, b = pipe.recv()
        except EOFError:
            return
        try:
            for outcome in _run(dialect, a, b):
                if outcome != "next":
                    pipe.send((outcome, ""))
                    break
                pipe.send(("next", ""))
            else:
                pipe.send(("equal", ""))
        except Exception as problem:  # noqa: BLE001 -- whatever it is, the pair was not run
            pipe.send(("not run", f"{type(problem).__name__}: {problem}"[:200]))


def _run(dialect: str, a: str, b: str) -> Any:
    if any(map(_RANDOM.search, (a, b))):
        raise ValueError("the state of its random numbers is the device's: two runs are not alike")
    texts = [_text(dialect, text) for text in (a, b)]
    unfit = any(map(_UNFIT.search, texts))
    sides = [(_compiled if unfit else _interpreted)(text) for text in texts]
    for number in range(ROUNDS):
        left, right = (side(number) for side in sides)
        if len(left) != len(right):
            yield "unequal"
            return
        if not all(map(same, left, right)):
            if unfit and all(map(_near, left, right)):
                raise ValueError("compiled code differs by its rounding")
            yield "unequal"
            return
        yield "next"


Side = Callable[[int], list[Any]]


def _interpreted(text: str) -> Side:
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    module = parse_module(text, "module")

    def run(number: int) -> list[Any]:
        with module.context, ir.Location.unknown():
            args = [_attribute(type, number, k) for k, type in enumerate(_parameters(module))]
            return [np.array(result) for result in stablehlo.eval_module(module, args)]

    return run


def _compiled(text: str) -> Side:
    """What the interpreter does not know, compiled for one device."""
    if several := _SEVERAL.search(text):
        raise ValueError(f"{several[1]} needs several devices")
    load = internals.compiled(text)
    module = parse_module(text, "module")
    return lambda number: load([_values(type, number, k) for k, type in enumerate(_parameters(module))])


def _near(a: Any, b: Any) -> bool:
    """Equal but for what another order of fused operations may round in another way."""
    return a.shape == b.shape and a.dtype.kind == "f" and bool(np.allclose(a, b, 1e-3, 1e-5, equal_nan=True))


def _text(dialect: str, text: str) -> str:
    """StableHLO in generic form, as the interpreter takes it."""
    if dialect == "hlo":
        module = parse_module(internals.hlo_as_stablehlo(_unfused(text)), "module")
        text = module.operation.get_asm(print_generic_op_form=True, large_elements_limit=None)
    return _DOT.sub(_contraction, text)


def _unfused(text: str) -> str:
    """Optimized HLO as the interpreter takes it: a fusion is a call, and where all layouts are the usual one a copy or
    bitcast is a reshape."""
    text = _FUSION.sub(r" call(\1), to_apply=\2", text)
    if all(layout[1] in _USUAL for layout in _LAYOUT.finditer(text)):
        text = re.sub(r" (?:copy|bitcast)\(", " reshape(", text)
    return re.sub(r", control-predecessors=\{[^{}]*\}", "", text)


_FUSION = re.compile(r" fusion\(((?:[^()]|\([^()]*\))*)\), kind=\w+, calls=(%?[\w.\-]+)")
_LAYOUT = re.compile(r"(?<=\])\{([\d,]*)[^{}]*\}")
_USUAL = frozenset(",".join(map(str, range(rank - 1, -1, -1))) for rank in range(9))
#: What would end the interpreter's process.
#: Ops that draw from a state that no operand holds.
_RANDOM = re.compile(r" rng\(|stablehlo\.rng\b(?!_)")
_UNFIT = re.compile(
    r'"(stablehlo\.(?:custom_call|rng|rng_bit_generator|batch_norm_\w+|composite|cross-replica-sum|create_token|einsum|'
    r"torch_index_select|fft|cholesky|triangular_solve)|sdy\.\w+|chlo\.\w+|mhlo\.\w+)\"|xbf16>|tensor<bf16>"
)
#: What waits for devices that nobody plays.
_SEVERAL = re.compile(
    r'"(stablehlo\.(?:all_\w+|reduce_scatter|collective_\w+|partition_id|replica_id|infeed|outfeed|send|recv)|sdy\.\w+)"'
)
#: The interpreter knows dot_general only.
_DOT = re.compile(r'"stablehlo\.dot"\(([^)]*)\)( <\{[^{}]*\}>)? : \(tensor<([^>]*)>')


def _contraction(dot: re.Match[str]) -> str:
    last = dot[3].count("x") - 1
    numbers = f"#stablehlo.dot<lhs_contracting_dimensions = [{last}], rhs_contracting_dimensions = [0]>"
    rest = f", {dot[2][3:-2]}" if dot[2] else ""
    return f'"stablehlo.dot_general"({dot[1]}) <{{dot_dimension_numbers = {numbers}{rest}}}> : (tensor<{dot[3]}>'


def _parameters(module: Any) -> list[Any]:
    from jaxlib.mlir import ir

    (main,) = [op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == "main"]
    return list(ir.FunctionType(main.attributes["function_type"].value).inputs)


def _attribute(type: Any, number: int, position: int) -> Any:
    from jaxlib.mlir import ir

    values = _values(type, number, position)
    if values.dtype.kind == "b":
        values = np.packbits(values, bitorder="little")
    return ir.DenseElementsAttr.get(values, type=type.element_type, shape=list(type.shape))


def _values(type: Any, number: int, position: int) -> Any:
    name = str(type.element_type)
    dtype = np.dtype({"f32": "f4", "f64": "f8", "f16": "f2", "i1": "?", "i8": "i1", "i16": "i2", "i32": "i4",
                      "i64": "i8", "ui8": "u1", "ui16": "u2", "ui32": "u4", "ui64": "u8"}[name])  # fmt: skip
    return np.ascontiguousarray(sample(dtype, tuple(type.shape), number, position))


def sample(dtype: Any, shape: tuple[int, ...], number: int, position: int) -> Any:
    """An input: small numbers first, then wider ones, then zeros of both signs, then what breaks arithmetic."""
    random = np.random.default_rng([number, position])
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        low = 0 if dtype.kind == "u" else -3
        return random.integers(low, (6, 100, 2, 120)[number], shape).astype(dtype)
    if number < 2:
        return (random.standard_normal(shape) * (1, 30)[number]).astype(dtype)
    pool = ([0.0, -0.0, 1.0, -1.5], [np.nan, np.inf, -np.inf, 1e-40, -0.0, 3.0])[number - 2]
    return random.choice(np.array(pool), shape).astype(dtype)


def same(a: Any, b: Any) -> bool:
    """Same type and bits, any NaN equal to any NaN."""
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    parts = [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a, b)]
    return all(
        bool(np.all((np.isnan(x) & np.isnan(y)) | ((x == y) & (np.signbit(x) == np.signbit(y))))) for x, y in parts
    )
