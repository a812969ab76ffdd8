"""A file of IR as a target: recognized by what is in it, not by its name, and read without tracing anything.

HLO text or a serialized HLO module, StableHLO as text or bytecode, and the canonical text that ``scanir show`` prints.
The parameters of its entry function are its arguments, by the names they have there.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scanir.artifact import is_trace, unpacked
from scanir.errors import TargetError
from scanir.ir.graph import Module
from scanir.ir.types import TupleType
from scanir.ir.walk import ops_of
from scanir.program import Argument, Interface, Program, Source
from scanir.readers.hlo.proto import hlo_module_bytes
from scanir.targets.arguments import Arguments
from scanir.targets.saved import Saved, read_saved
from scanir.targets.serialized import read_serialized
from scanir.targets.several import chosen
from scanir.targets.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterable

BYTECODE = b"ML\xefR"
_COMMENT = re.compile(r"\s+|//[^\n]*|/\*.*?\*/", re.DOTALL)
_CANONICAL = re.compile(r"module (jaxpr|stablehlo|hlo)\b(?=[^\n]* entry @)")
_MLIR = re.compile(r"module\b|func\.func\b|#\w+\s*=|!\w+\s*=|\"builtin\.module\"")
_HLO = re.compile(r"HloModule\b|ENTRY\b|%?[\w.-]+ *(?:\([^{}\n]*\) *->[^{}\n]*)?\{ *\n")
_PROTO = re.compile(r"(?:#[^\n]*\n|\s)*(?:hlo_module\s*\{|name: \"|computations\s*\{)")
_JAXPR = re.compile(r"\{ *lambda\b|let jaxpr\b|let [\w:]+ = \{ *lambda\b")


class Unrecognized(TargetError):
    """A file that is no IR, or IR of a kind that is not read."""


class Artifact(Target):
    """A module that was read from a file."""

    __slots__ = ("_module", "_source")

    def __init__(self, label: str, module: Module, source: bytes | None = None) -> None:
        self.function = module
        self.kind = "file"
        self.label = label
        self._module = module
        self._source = None if source is None else Source(lambda: source)
        self._arguments = None
        self._directory = ""
        self._options = {}

    @property
    def stage(self) -> str:
        return self._module.dialect

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that are there, the last the furthest."""
        return (self.stage,)

    def has_stage(self, stage: str) -> bool:
        return stage == self.stage

    def arguments(self, override: Arguments | str | None = None) -> Arguments:
        """None: a file is traced already."""
        return Arguments()

    def trace(
        self, stages: tuple[str, ...], override: Arguments | str | None = None,
        compiler_options: tuple[tuple[str, Any], ...] = (),
    ) -> dict[str, Program]:  # fmt: skip
        """The program, at its own stage."""
        if stages != (self.stage,):
            raise TargetError(
                f"a file of {self.stage} has no other stage", where=self.label, hint=f"--stage {self.stage}"
            )
        notes = (
            () if _has_lines(self._module) else (f"{self.label} holds no source lines: it was written without them",)
        )
        interface = interface_of(self._module)
        program = Program(self.stage, self._module, interface, self.label, notes=notes, source=self._source)
        return {self.stage: program}


def _has_lines(module: Module) -> bool:
    """Whether any op says where it comes from; a module without work has nothing to say."""
    work = [op for function in module.functions for op in ops_of(function.body) if op.name != "constant"]
    return not work or any(op.location is not None for op in work)


def read_artifact(name: str, pick: str = "") -> Artifact | Saved:
    """Read a file, or standard input for ``-``; of several modules in it the one that is picked. Raises ScanirError."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as problem:
        raise TargetError(f"{name} cannot be read: {problem.strerror}", where=name) from problem
    label = "standard input" if name == "-" else name
    return _artifact(label, data, pick)


def read_text(text: str) -> Artifact | Saved:
    """Read IR that is at hand as text. Raises ScanirError."""
    return _artifact("a text", text.encode("utf-8", "replace"))


def _artifact(label: str, data: bytes, pick: str = "") -> Artifact | Saved:
    data = unpacked(data, label)
    if is_trace(data):
        return read_saved(data, label)
    module = _module(data, label, pick)
    label = f"{label}#{pick}" if pick else label
    # What scanir printed is StableHLO in its own form, which no other tool reads.
    own = not data.startswith(BYTECODE) and _CANONICAL.search(data[: 1 << 16].decode("utf-8", "replace")) is not None
    return Artifact(label, module, data if module.dialect == "stablehlo" and not own else None)


def _module(data: bytes, label: str, pick: str) -> Module:
    if data.startswith(BYTECODE):
        return _stablehlo(data, label)
    if (serialized := hlo_module_bytes(data)) is not None:
        return read_serialized(serialized, label)
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")  # an editor may have put in what no printer writes
    except UnicodeDecodeError:
        raise _unknown(label, "it is neither text nor a whole serialized module", _AS_TEXT) from None
    if pick:
        text = chosen(text, pick, label)
    start = _skip_comments(text)
    if _CANONICAL.match(text, start):
        from scanir.ir.parser import parse_module

        return parse_module(text, label)
    if _MLIR.match(text, start):
        return _stablehlo(text, label)
    if _HLO.match(text, start):
        from scanir.readers.hlo import read_hlo

        return read_hlo(text if pick else chosen(text, "", label), source=label)
    if _JAXPR.match(text, start):
        hint = "name the function, or give the file that scanir show --stage jaxpr prints"
        raise _unknown(label, "a jaxpr as JAX prints it does not show the arrays it captures", hint)
    if _PROTO.match(text):
        raise _unknown(label, "it is HLO as a text protobuf", _AS_TEXT)
    raise _unknown(label, "it is neither HLO nor StableHLO" if text.strip() else "it is empty", _AS_TEXT)


_AS_TEXT = (
    "HLO text is what compiled.as_text() or --xla_dump_hlo_as_text write, StableHLO what lowered.as_text() writes"
)


def _unknown(label: str, what: str, hint: str) -> Unrecognized:
    return Unrecognized(f"{label} cannot be read: {what}", where=label, hint=hint)


def _skip_comments(text: str) -> int:
    position = 0
    while match := _COMMENT.match(text, position):
        position = match.end()
    return position


def _stablehlo(source: str | bytes, label: str) -> Module:
    from scanir.readers.stablehlo import read_stablehlo

    return read_stablehlo(source, name=label)


def interface_of(module: Module) -> Interface:
    """The interface of a module that no function is known for: its parameters are the arguments, in order."""
    body = module.function(module.entry).body
    names = _distinct(value.name or f"argument {k}" for k, value in enumerate(body.params))
    arguments = tuple(
        Argument(name, value.type, position=k) for k, (name, value) in enumerate(zip(names, body.params, strict=True))
    )
    results: list[Any] = list(body.results)
    if len(results) == 1 and isinstance(results[0].type, TupleType):
        results = list(results[0].type.elements)
    return Interface(arguments, tuple(range(len(arguments))), tuple(str(k) for k in range(len(results))))


def _distinct(names: Iterable[str]) -> list[str]:
    """Display names, each used once."""
    seen: dict[str, int] = {}
    distinct = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        distinct.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return distinct
