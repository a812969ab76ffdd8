"""From MLIR text or bytecode to a module of the MLIR bindings, in a context of its own.

Promises that what cannot be parsed is a ReadError that says where: the parser ends the process at extreme nesting, so
text is measured first, in one linear pass. Refuses what nests deeper than `MAX_NESTING`. Text that MLIR verifies as
wrong is refused too. Bytecode is MLIR's own to judge: cut short it is refused, but with bytes changed at random MLIR
may take any time and memory. Imports jaxlib when called, never jax.
"""

from __future__ import annotations

import io
import re
from typing import Any

from scanir._compat_mlir import deserialize_portable_artifact, mlir_ir, new_context
from scanir.errors import ReadError

#: jaxlib's parser survives some ten thousand levels on the main thread's stack and far fewer on another thread's.
MAX_NESTING = 2000
#: MLIR keeps offsets into a source in 32 bits.
MAX_BYTES = 2**31 - 1

BYTECODE = b"ML\xefR"
#: Who wrote the bytecode of a portable artifact, in its header.
ARTIFACT = re.compile(rb"ML\xefR.{1,9}?StableHLO_v", re.DOTALL)

_TOKENS = re.compile(
    r'"(?:[^"\\\n]|\\.)*"'  # a string: nothing in it nests
    r"|//[^\n]*"
    r"|(?P<define>[#!][\w$.-]+\s*=(?!=))|(?P<use>[#!][A-Za-z_]\w*)"
    r"|->|[<>]=|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<less><)|(?P<greater>>)"
)
_OPENERS = re.compile(r"[(\[{<#!]")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_CUT = "the file ends too early, and is probably truncated: dump or copy it again in full"


def parse_module(source: str | bytes, name: str) -> Any:
    """The module, verified, in StableHLO where it was a portable artifact."""
    if len(source) > MAX_BYTES:
        raise ReadError("the module is larger than MLIR can read (2 GiB)", where=name)
    if isinstance(source, bytes) and not source.startswith(BYTECODE):
        source = _decoded(source, name)
    if isinstance(source, str):
        if nesting(source) > MAX_NESTING:
            raise ReadError(
                f"brackets or aliases nest deeper than {MAX_NESTING} levels",
                where=name,
                hint="MLIR's parser would end the process; is this a program that JAX wrote?",
            )
    context = new_context()
    diagnostics = _Diagnostics(context)
    try:
        if isinstance(source, bytes) and ARTIFACT.match(source):
            return deserialize_portable_artifact(context, source)
        module = mlir_ir().Module.parse(source, context)
        return _upgraded(context, module) if _is_vhlo(module) else module
    except (mlir_ir().MLIRError, ValueError, RuntimeError, MemoryError) as error:
        # But for the first: how the bindings report an artifact they cannot upgrade, text that is not UTF-8, and the
        # sizes in damaged bytecode.
        raise diagnostics.error(error, name, source) from error
    finally:
        diagnostics.close()


class _Diagnostics:
    """The first error that MLIR reports.

    The bindings' own way, a list in the exception, ends the process where a message is not UTF-8.
    """

    def __init__(self, context: Any) -> None:
        self._first: tuple[str, str] | None = None
        context.emit_error_diagnostics = True
        self._handler = context.attach_diagnostic_handler(self._handle)

    def _handle(self, diagnostic: Any) -> bool:
        if self._first is None:
            try:
                self._first = (str(diagnostic.location), str(diagnostic.message).strip())
            except (UnicodeDecodeError, RuntimeError):  # which of the two depends on the version
                self._first = ("", "its message about this is not UTF-8")
        return True

    def close(self) -> None:
        self._handler.detach()

    def error(self, error: Exception, name: str, source: str | bytes) -> ReadError:
        place, message = self._first or ("", str(error).strip())
        position = re.search(r":(\d+):(\d+)\)?$", place)
        where = f"{name}:{position[1]}:{position[2]}" if position else name
        what = f"MLIR cannot read this: {(message or 'parse error').splitlines()[0]}"
        return ReadError(what, where=where, hint=_CUT if isinstance(source, str) and _is_cut(source) else "")


def _is_cut(text: str) -> bool:
    """Whether a text of MLIR ends inside something that it opened."""
    plain = _STRINGS.sub("", text)
    return any(plain.count(left) > plain.count(right) for left, right in ("{}", "()", "[]")) or '"' in plain


def _decoded(source: bytes, name: str) -> str:
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReadError(
            "neither MLIR text nor MLIR bytecode",
            where=f"{name}, byte {error.start}",
            hint="bytecode starts with the bytes 'ML', 0xef, 'R'",
        ) from error
    return text


def nesting(text: str) -> int:
    """The depth of nesting, never too small: brackets, plus the chain of aliases (``#a1 = [#a0]``) they may hold.

    Angle brackets are counted apart, since a ``>`` may also be a comparison.
    """
    if sum(1 for _ in zip(range(MAX_NESTING), _OPENERS.finditer(text), strict=False)) < MAX_NESTING:
        return 0  # shallow, however it nests
    depth = deepest = angle = angles = 0
    chains: dict[str, int] = {}
    defined, chain, longest = "", 0, 0
    for token in _TOKENS.finditer(text):
        match token.lastgroup:
            case "open":
                depth += 1
                deepest = max(deepest, depth)
            case "close":
                depth = max(0, depth - 1)
            case "less":
                angle += 1
                angles = max(angles, angle)
            case "greater":
                angle = max(0, angle - 1)
            case "define":
                chains[defined] = chain
                defined, chain = token[0].rstrip("= \t\r\n"), 1
            case "use":
                chain = max(chain, 1 + chains.get(token[0], 0)) if defined else 0
                longest = max(longest, chain)
            case _:
                pass
    return deepest + angles + longest


def _is_vhlo(module: Any) -> bool:
    return any(op.operation.name.startswith("vhlo.") for op in module.body.operations)


def _upgraded(context: Any, module: Any) -> Any:
    """VHLO as StableHLO, by way of the portable artifact it is the text of."""
    buffer = io.BytesIO()
    module.operation.write_bytecode(buffer)
    return deserialize_portable_artifact(context, buffer.getvalue())
