"""The process that runs programs: a server of requests on its standard input, which may be ended by any of them.

Promises that nothing of the user's is imported: it gets modules and numbers. Answers on its standard output, one pickle
a request; what the interpreter writes goes to standard error. Ends with its input, and by an alarm some time after the
limit of a request, should nobody be there to end it. Run as ``python -m scanir.evidence.runner``.
"""

from __future__ import annotations

import io
import os
import pickle
import re
import resource
import signal
import sys
from typing import Any, BinaryIO

import numpy as np

from scanir._compat_mlir import eval_module, mlir_ir
from scanir.evidence.elements import is_complex, numpy_dtype, parts
from scanir.evidence.expansion import drop_constraints, expand, split_complex
from scanir.ir.types import TensorType
from scanir.readers.mlir_context import parse_module
from scanir.readers.stablehlo.elements import elements
from scanir.readers.stablehlo.types import element_dtype

#: Seconds beyond its limit after which a request ends the process: its parent would have ended it.
_GRACE = 30


def main() -> None:
    """Serve until the input ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    sides: dict[str, _Side] = {}
    while True:
        try:
            verb, name, payload, seconds = pickle.load(requests)
        except EOFError:
            return
        signal.alarm(int(seconds) + _GRACE)
        try:
            answer = ("ok", _result(sides, verb, name, payload))
        except Exception as problem:  # noqa: BLE001 - of MLIR, XLA or the bindings: told to the parent, which decides
            answer = ("error", f"{type(problem).__name__}: {problem}"[:2000])
        signal.alarm(0)
        data = pickle.dumps(answer)
        answers.write(len(data).to_bytes(8, "little") + data)
        answers.flush()


def _result(sides: dict[str, _Side], verb: str, name: str, payload: Any) -> Any:
    match verb:
        case "load":
            sides[name] = _Side(payload)
        case "compile":
            sides[name].compile()
        case "interpret":
            return sides[name].interpret(payload)
        case "compiled":
            return sides[name].compiled(payload)
    return None


class _Side:
    """One program: its module, and what was made of it so far."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._interpreted: Any = None
        self._executable: Any = None

    def _module(self) -> Any:
        return parse_module(self._source, "the program")

    def interpret(self, values: list[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        """The results of the interpreter."""
        if self._interpreted is None:
            module = self._module()
            drop_constraints(module)
            expand(module)
            self._interpreted = (module, split_complex(module))
        module, results = self._interpreted
        inputs = [attribute_text(number) for value in values for number in _real(value)]
        found = iter([_array(attr) for attr in eval_module(module, inputs)])
        return [_joined(dtype, found) for dtype in results]

    def compile(self) -> None:
        """Have the generated code ready."""
        from scanir._compat_run import compile_stablehlo

        if self._executable is None:
            import jax

            jax.config.update("jax_enable_x64", True)  # values keep their types
            buffer = io.BytesIO()
            self._module().operation.write_bytecode(buffer)
            self._executable = compile_stablehlo(buffer.getvalue())

    def compiled(self, values: list[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        """The results of generated code."""
        from scanir._compat_run import run_compiled

        self.compile()
        return run_compiled(self._executable, values)


# -- values ------------------------------------------------------------------------------------------------------------


def attribute_text(value: np.ndarray[Any, Any]) -> str:
    """An array of no complex type as the text of a dense attribute, bit by bit."""
    dtype = mlir_dtype(value.dtype)
    type = f"tensor<{''.join(f'{size}x' for size in value.shape)}{dtype}>"
    if not value.size:
        return f"dense<> : {type}"
    if dtype == "i1" or re.fullmatch(r"u?i[24]", dtype):  # bytes of these are laid out otherwise in each version
        return f"dense<{str(value.astype(int if dtype != 'i1' else bool).tolist()).lower()}> : {type}"
    return f'dense<"0x{np.ascontiguousarray(value).tobytes().hex()}"> : {type}'


def mlir_dtype(dtype: np.dtype[Any]) -> str:
    """``f32``, ``ui8``, ``i1``, ``f8E4M3FN``."""
    name = dtype.name
    if name == "bool":
        return "i1"
    if name.startswith(("int", "uint")):
        return name.replace("uint", "ui").replace("int", "i")
    if name == "bfloat16":
        return "bf16"
    head, _, tail = name.replace("float", "f").partition("_")
    return head + tail.upper()


def _array(attr: Any) -> np.ndarray[Any, Any]:
    type = attr.type if hasattr(attr, "type") else mlir_ir().DenseElementsAttr(attr).type
    shaped = mlir_ir().RankedTensorType(type)
    ours = TensorType(element_dtype(str(shaped.element_type)), tuple(shaped.shape))
    found, dtype = elements(attr, ours), numpy_dtype(ours.dtype)
    if found is None or dtype is None:
        raise ValueError(f"a result of type {type} cannot be read")
    flat = np.frombuffer(found.data, np.uint8 if dtype.itemsize == 1 else dtype).view(dtype)
    return np.array(np.broadcast_to(flat, shaped.shape) if found.splat else flat.reshape(shaped.shape))


def _real(value: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """A value as the arrays without complex numbers that it is handed over as."""
    if value.dtype.kind != "c":
        return [value]
    pairs = parts(value)
    return [pairs[..., 0], pairs[..., 1]]


def _joined(dtype: str, found: Any) -> np.ndarray[Any, Any]:
    if not is_complex(dtype):
        return np.asarray(next(found))
    real, imaginary = next(found), next(found)
    kind = numpy_dtype(dtype)
    assert kind is not None
    pairs = np.stack([real, imaginary], axis=-1)
    return np.ascontiguousarray(pairs).view(kind).reshape(real.shape)


if __name__ == "__main__":
    main()
