"""The reader of the text that `scanir.artifact.printer` writes: its exact inverse.

The head is read at once, a stage when it is asked for, in time linear in its size and without Python's stack. Refuses
with a ReadError that names line and column: another version, an unknown word, a section that is not known or stands
there twice, a module that is not well formed or of another stage, an interface that does not fit it. What comes back is
what was written, but for the identity of host functions, which equals nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, repeat

from scanir.artifact.head import Head, Section, StageHead
from scanir.artifact.printer import END, VERSION
from scanir.errors import ReadError
from scanir.ir.graph import Location, Module
from scanir.ir.parser import parse_module
from scanir.ir.reading import Reading
from scanir.ir.verify import problems
from scanir.program import STAGES, Interface, Program

_FIRST = re.compile(r"scanir ([0-9]{1,9})\n")
_SECTION = re.compile(r"^==([^\n]*)\n?", re.MULTILINE)
_MODULE = re.compile(r"^module ", re.MULTILINE)
_HINT = "a .scanir file is what scanir trace and scanir baseline write; write it again"
#: The dialect of a stage, where it is not called like it.
_DIALECTS = {"hlo-in": "hlo"}


@dataclass(frozen=True, slots=True)
class SavedTrace:
    """A trace as it was read: `program` reads a stage when it is asked for."""

    source: str
    target: str
    arguments: str
    machine: tuple[tuple[str, str], ...]
    sections: Mapping[str, Section] = field(repr=False)

    @property
    def stages(self) -> tuple[str, ...]:
        return tuple(name for name in STAGES if name in self.sections)

    @property
    def has_lines(self) -> bool:
        return any(name.endswith(" lines") for name in self.sections)

    def provenance(self, stage: str) -> tuple[tuple[str, str], ...]:
        """How a stage was made, read without its module. Raises ReadError."""
        return _head(self.sections[stage], self.source)[0].facts.get("provenance", ())

    def program(self, stage: str) -> Program:
        """The program at a stage that is there. Raises ReadError."""
        return _program(stage, self.sections[stage], self.sections.get(f"{stage} lines"), self.source, self.target)


def is_trace(data: bytes) -> bool:
    """Whether bytes begin as a trace does."""
    return _FIRST.match(data[:32].replace(b"\r\n", b"\n").decode("ascii", "replace")) is not None


def read_trace(text: str, source: str = ".scanir text") -> SavedTrace:
    """The trace that a text holds; ``source`` names it in errors. Raises ReadError."""
    first = _FIRST.match(text)
    if first is None:
        raise ReadError(f"{source} is no .scanir text", where=f"{source}:1:1", hint=_HINT)
    if int(first[1]) != VERSION:
        raise ReadError(
            f"{source} is of version {first[1]} of the format; this scanir reads version {VERSION}",
            where=f"{source}:1:1", hint="read it with the scanir that wrote it, or write it again with this one",
        )  # fmt: skip
    marks = list(_SECTION.finditer(text))
    head = Head(Section(text[first.end() : marks[0].start() if marks else len(text)], 2), source)
    head.read({"target": head.text, "arguments": head.text, "machine": head.record})
    sections = _sections(text, marks, source)
    if sections.pop(END, None) != Section("", text.count("\n") + 1):
        head.lack("the text is cut off, or something follows its end")
    if not sections:
        head.lack("no stage follows")
    texts = head.texts
    return SavedTrace(
        source, texts.get("target", ""), texts.get("arguments", ""), head.facts.get("machine", ()),
        sections,
    )  # fmt: skip


def _sections(text: str, marks: list[re.Match[str]], source: str) -> dict[str, Section]:
    """The sections by name."""
    sections: dict[str, Section] = {}
    line, at = 1, 0
    for mark, end in zip(marks, [*(mark.start() for mark in marks[1:]), len(text)], strict=True):
        line, at = line + text.count("\n", at, mark.start()), mark.start()
        name = mark[1].strip()
        stage = name.removesuffix(" lines")
        if name in sections or not (name == END or stage in STAGES) or (stage != name and stage not in sections):
            what = "a second section" if name in sections else "no section has this name here"
            raise ReadError(f"{what}: {name[:40]!r}", where=f"{source}:{line}:1", hint=_HINT)
        sections[name] = Section(text[mark.end() : end], line + 1)
    return sections


def _program(stage: str, section: Section, lines: Section | None, source: str, label: str) -> Program:
    head, split = _head(section, source)
    line = section.line + section.text.count("\n", 0, split)
    where = None if lines is None else _locations(lines, source)
    module = parse_module(section.text[split:], source, line, where)
    what = _misfit(stage, module, head.interface)
    if what:
        raise ReadError(what, where=f"{source}:{line}:1", hint=_HINT)
    return Program(
        stage, module, head.interface, head.texts.get("label", label),
        None if head.callbacks is None else tuple(head.callbacks), head.facts.get("provenance", ()),
        tuple(head.notes), tuple(head.sizes),
    )  # fmt: skip


def _head(section: Section, source: str) -> tuple[StageHead, int]:
    """What stands before the module of a stage, and where that begins."""
    start = _MODULE.search(section.text)
    split = len(section.text) if start is None else start.start()
    head = StageHead(Section(section.text[:split], section.line), source)
    return head, split if start is not None else head.lack("the module is missing")


def _misfit(stage: str, module: Module, interface: Interface) -> str:
    """Why a module, or an interface, cannot be what it says; empty where it can."""
    if module.dialect != _DIALECTS.get(stage, stage):
        return f"the module of stage {stage} is of the dialect {module.dialect!r}"
    if (problem := next(iter(problems(module)), None)) is not None:
        return f"the module is not well formed: {problem}"
    count, params = len(interface.arguments), len(module.function(module.entry).body.params)
    if len(interface.kept) != params:
        return f"kept names {len(interface.kept)} parameters of {params}"
    if any(not -1 <= index < count for index in interface.kept):
        return f"kept names an argument that is not among the {count}"
    if any(not 0 <= index < params for index, _ in interface.constants):
        return f"a constant is passed for a parameter that is not among the {params}"
    return ""


def _locations(section: Section, source: str) -> Iterator[Location | None]:
    """The location of each op: a line ``3 "file": 7, "function"`` stands for three."""
    reading = Reading(section.text, source, section.line)
    runs: list[Iterator[Location | None]] = []
    while reading.next.kind != "end":
        word = reading.next
        count = reading.integer()
        if not 0 < count < 1 << 40:
            reading.fail("a count of ops is 1 or more", word)
        if reading.skip("nowhere"):
            runs.append(repeat(None, count))
            continue
        file = reading.string()
        reading.expect(":")
        line = reading.integer()
        function = reading.string() if reading.skip(",") else ""
        runs.append(repeat(Location(file, line, function), count))
    return chain.from_iterable(runs)
