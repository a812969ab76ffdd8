"""HLO text taken apart into lines of instructions, by the campaign's own scanner: it shares nothing with the reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

Span = tuple[int, int]

_INSTRUCTION = re.compile(r"^[ \t]*(ROOT )?(%?[\w.\-]+) = ", re.MULTILINE)
_COMPUTATION = re.compile(r"^[ \t]*(ENTRY )?(%?[\w.\-]+)?[ \t]*(?:\(.*\) *-> *.*)?\{[ \t]*(?:/\*.*\*/)?$", re.MULTILINE)
_ARRAY = re.compile(r"([a-z]\w*)\[([^\]]*)\](\{[^{}]*\})?")
_OPCODE = re.compile(r"\s*([a-z][a-z0-9\-]*)\(")
_KEY = re.compile(r",\s*([A-Za-z_][\w\-]*)=")
_OPERAND = re.compile(r"%?[A-Za-z_][\w.\-]*(?=\s*(?:,|$))")
_REFERENCES = ("to_apply", "calls", "condition", "body", "select", "scatter", "true_computation",
               "false_computation", "branch_computations", "called_computations", "comparator")  # fmt: skip


def balanced(text: str, start: int) -> int:
    """The end of the bracket that opens at ``start``; strings and comments count as one token."""
    depth = 0
    pos = start
    while pos < len(text):
        char = text[pos]
        if char == '"':
            pos += 1
            while text[pos] != '"':
                pos += 2 if text[pos] == "\\" else 1
        elif text.startswith("/*", pos):
            pos = text.index("*/", pos) + 1
        elif char in "({[":
            depth += 1
        elif char in ")}]":
            depth -= 1
            if depth == 0:
                return pos + 1
        pos += 1
    raise ValueError("a bracket is not closed")


@dataclass(slots=True, eq=False)
class Instruction:
    """One instruction with the places of its parts. ``operands``: the places of their names."""

    name: str
    root: bool
    computation: str
    start: int
    type: Span
    opcode: str
    opcode_at: Span
    inside: Span
    operands: tuple[Span, ...]
    attributes: dict[str, Span] = field(default_factory=dict)
    end: int = 0


class HloText:
    """A module as lines. ``computations``: name -> its instructions, in order; ``entry``: the name of one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.instructions: list[Instruction] = []
        self.computations: dict[str, list[Instruction]] = {}
        self.entry = ""
        self._scan()

    def of(self, span: Span) -> str:
        return self.text[span[0] : span[1]]

    def operand_names(self, instruction: Instruction) -> list[str]:
        return [self.of(span).lstrip("%") for span in instruction.operands]

    def _scan(self) -> None:
        heads = [(m.start(), "head", m) for m in _COMPUTATION.finditer(self.text)]
        lines = [(m.start(), "line", m) for m in _INSTRUCTION.finditer(self.text)]
        current, last = "", 0
        for start, what, match in sorted([*heads, *lines], key=lambda item: item[0]):
            if start < last:
                continue
            if what == "head":
                if match[2] in ("FileNames", "FunctionNames", "FileLocations", "StackFrames"):
                    continue
                current = (match[2] or "entry").lstrip("%")
                if match[1]:
                    self.entry = current
                continue
            found = self._instruction(match, current)
            if found is not None:
                last = found.end
                self.instructions.append(found)
                self.computations.setdefault(current, []).append(found)
        self.entry = self.entry or current

    def _instruction(self, match: re.Match[str], computation: str) -> Instruction | None:
        text, pos = self.text, match.end()
        if text.startswith("(", pos):
            end = balanced(text, pos)
        elif array := _ARRAY.match(text, pos):
            end = array.end()
        else:
            return None
        opcode = _OPCODE.match(text, end)
        if not opcode:
            return None
        close = balanced(text, opcode.end() - 1)
        inside = (opcode.end(), close - 1)
        operands: tuple[Span, ...] = ()
        if opcode[1] not in ("constant", "parameter"):
            operands = tuple(self._operands(*inside))
        found = Instruction(
            match[2].lstrip("%"), bool(match[1]), computation, match.start(2), (pos, end), opcode[1], opcode.span(1),
            inside, operands,
        )  # fmt: skip
        pos = close
        while key := _KEY.match(text, pos):
            start = key.end()
            pos = self._value_end(start)
            found.attributes[key[1]] = (start, pos)
        found.end = pos
        return found

    def _operands(self, start: int, end: int) -> Iterator[Span]:
        depth, first, pos = 0, start, start
        while pos <= end:
            char = self.text[pos] if pos < end else ","
            if self.text.startswith("/*", pos) and pos < end:
                pos = self.text.index("*/", pos) + 2
                continue
            if char in "({[":
                depth += 1
            elif char in ")}]":
                depth -= 1
            elif char == "," and depth == 0:
                piece = self.text[first:pos]
                if name := _OPERAND.search(piece):
                    yield first + name.start(), first + name.end()
                first = pos + 1
            pos += 1

    def _value_end(self, pos: int) -> int:
        while pos < len(self.text) and self.text[pos] not in ",\n":
            char = self.text[pos]
            if char in "{([":
                pos = balanced(self.text, pos)
            elif char == '"':
                pos += 1
                while self.text[pos] != '"':
                    pos += 2 if self.text[pos] == "\\" else 1
                pos += 1
            elif char == "}":
                break
            else:
                pos += 1
        return pos

    # -- what depends on what ------------------------------------------------------------------------------------------

    @cached_property
    def roots(self) -> dict[str, Instruction]:
        found = {}
        for name, instructions in self.computations.items():
            found[name] = next((i for i in instructions if i.root), instructions[-1])
        return found

    def references(self, instruction: Instruction) -> list[tuple[str, Span]]:
        """Computations that an instruction names, with the places of the names."""
        found = []
        for key in _REFERENCES:
            if key in instruction.attributes:
                start, end = instruction.attributes[key]
                for m in re.finditer(r"%?([\w.\-]+)", self.text[start:end]):
                    if m[1] in self.computations:
                        found.append((m[1], (start + m.start(), start + m.end())))
        return found

    @cached_property
    def live(self) -> set[int]:
        """Instructions from which something leads to the result of their computation, or which do something."""
        found: set[int] = set()
        for name, instructions in self.computations.items():
            by_name = {i.name: i for i in instructions}
            stack = [self.roots[name], *(i for i in instructions if _does_something(i))]
            while stack:
                instruction = stack.pop()
                if id(instruction) in found:
                    continue
                found.add(id(instruction))
                stack.extend(by_name[n] for n in self.operand_names(instruction) if n in by_name)
        return found

    @cached_property
    def uses(self) -> dict[str, dict[str, list[Instruction]]]:
        """Computation -> name -> who reads it."""
        found: dict[str, dict[str, list[Instruction]]] = {}
        for name, instructions in self.computations.items():
            table = found.setdefault(name, {})
            for instruction in instructions:
                for operand in self.operand_names(instruction):
                    table.setdefault(operand, []).append(instruction)
        return found

    @cached_property
    def roles(self) -> dict[str, str]:
        """Computation -> the attribute that names it first."""
        found: dict[str, str] = {}
        for instruction in self.instructions:
            for key in _REFERENCES:
                if key in instruction.attributes:
                    for m in re.finditer(r"%?([\w.\-]+)", self.of(instruction.attributes[key])):
                        found.setdefault(m[1], key)
        return found


def _does_something(instruction: Instruction) -> bool:
    return instruction.opcode in EFFECTS or bool(
        {"custom_call_has_side_effect", "control-predecessors"} & instruction.attributes.keys()
    )


#: Opcodes that do more than compute a value, or wait for other devices.
EFFECTS = frozenset(
    """
    infeed outfeed send send-done recv recv-done rng custom-call all-reduce all-gather all-to-all collective-permute
    reduce-scatter collective-broadcast all-reduce-start all-reduce-done while conditional call fusion async-start
    """.split()  # noqa: SIM905 -- words read better than a list
)
