"""The syntax of HLO text: modules, computations and instructions as written, nothing resolved yet.

One pass by regular expression from place to place. Nested computations (``to_apply={...}``) are queued, not recursed
into; operands that are instructions themselves (``add(abs(x), y)``) become instructions of their own, before the one
they belong to.
"""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

from scanir.readers.hlo.locations import Locations
from scanir.readers.hlo.shapes import Shapes
from scanir.readers.hlo.source import NAME, Source

#: Attributes that refer to computations, in the order in which their regions stand on an op.
REFERENCES = (
    "condition", "body", "true_computation", "false_computation", "branch_computations", "select", "scatter",
    "comparator", "to_apply", "calls", "called_computations",
)  # fmt: skip

#: Nested computations and operands deeper than this are refused.
_DEPTH = 64

_HEADER = re.compile(r"\s*HloModule\s+(%?[\w.\-/]+|\"[^\"\n]*\")\s*:?")
#: A mesh in replica groups may say in which order it has the devices: ``mesh['x'=4], device_ids=([2,2]T(1,0)) {'x'}``.
_DEVICES = re.compile(r"\s*,\s*device_ids=(?=\()")
_ATTRIBUTE = re.compile(r"\s*,\s*([\w.\-]+)\s*=\s*")
_PLAIN = re.compile(r"[^\s,(){}\[\]\"']+")
_INSTRUCTION = re.compile(r"\s*(ROOT\s+)?%?([\w.\-]+)\s*=\s*")
_NESTED = re.compile(r"\{\s*(?:ROOT\s+)?%?[\w.\-]+\s*=\s")
_OPCODE = re.compile(r"\s*([a-zA-Z][\w\-]*)\s*\(")
_FLAT_OPERANDS = re.compile(r"[^(){}\[\]\"']*+\)")
_COMPUTATION = re.compile(r"\s*(ENTRY(?=[\s{(])\s*)?(%?[\w.\-]+)?\s*")
_ARROW = re.compile(r"\s*->\s*")
_SHAPED = re.compile(r"\s*(?:ROOT\s+)?%?[\w.\-]+\s*=")


class Operand(NamedTuple):
    name: str
    type: str | None
    position: int


class Attribute(NamedTuple):
    key: str
    text: str
    position: int


class Instruction(NamedTuple):
    """``payload`` is what stands in the parentheses of a constant or parameter, which have no operands."""

    name: str
    position: int
    type: str | None
    type_position: int
    opcode: str
    operands: tuple[Operand, ...]
    payload: str
    payload_position: int
    attributes: tuple[Attribute, ...]


class Computation(NamedTuple):
    """``root`` is the index of the instruction whose value is the result."""

    name: str
    position: int
    instructions: tuple[Instruction, ...]
    root: int
    attributes: tuple[Attribute, ...]


class Syntax:
    """A module as written. ``computations`` in reading order, an outer one before those nested in it."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.shapes = Shapes(source)
        self.locations = Locations(source)
        self.name = ""
        self.attributes: tuple[Attribute, ...] = ()
        self.computations: list[Computation] = []
        self.entry = ""
        self.references: dict[int, str] = {}  # position of an attribute's value -> name of the computation nested there
        self._nested: deque[tuple[str, int, int, int]] = deque()  # name, where its "{" is, its end, how deep
        self._depth = 0
        self._read()

    def _read(self) -> None:
        pos = 0
        header = _HEADER.match(self.source.text)
        if header:
            self.name = header[1].strip('%"')
            self.attributes, pos = self._attributes(header.end())
        pos = self.source.skip(pos)
        bare = self._bare(pos) if not header else None
        if bare is not None:
            pos = bare
        while pos < len(self.source.text):
            table = self.locations.read(pos)
            pos = self.source.skip(table) if table is not None else self._computation(pos)
            while self._nested:
                name, start, end, self._depth = self._nested.popleft()
                done, _ = self._body(name, start, start)
                if done != end:
                    raise self.source.fail(done, f"computation '{name}' ends before its braces do")
            self._depth = 0
        if not self.computations:
            raise self.source.fail(pos, "no computation", "is this the text of an HLO module?")
        self.unmarked = not self.entry  # XLA takes the last one then
        if self.unmarked:
            nested = set(self.references.values())
            self.entry = next(c.name for c in reversed(self.computations) if c.name not in nested)

    def _bare(self, pos: int) -> int | None:
        """Reads a text that is nothing but one instruction; None where it is not."""
        source = self.source
        if not _SHAPED.match(source.text, pos):
            end = self.shapes.end(pos) if source.text[pos : pos + 1] not in ("", "(") else None
            if end is None or not _OPCODE.match(source.text, end):
                return None
        instructions: list[Instruction] = []
        match = _INSTRUCTION.match(source.text, pos)
        pos = self._instruction(match[2] if match else "root", match.end() if match else pos, pos, instructions)
        self._computed("main", pos, instructions, -1, ())
        return source.skip(pos)

    # -- computations -------------------------------------------------------------------------------------------

    def _computation(self, pos: int) -> int:
        source = self.source
        match = _COMPUTATION.match(source.text, pos)
        name = (match[2] or "").removeprefix("%") if match else ""
        if not match or not (name or match[1]):
            raise source.fail(pos, "a computation was expected", "is this the text of an HLO module?")
        body = match.end()
        if source.text.startswith("(", body):
            body = source.balanced(body)
            arrow = _ARROW.match(source.text, body)
            end = self.shapes.end(arrow.end()) if arrow else None
            if end is None:
                raise source.fail(body, f"'-> type' was expected in the signature of computation '{name}'")
            body = source.skip(end)
        if not source.text.startswith("{", body):
            raise source.fail(body, f"'{{' was expected to begin computation '{name}'")
        name = name or "entry"
        if match[1]:
            if self.entry:
                raise source.fail(pos, f"a second ENTRY computation, '{name}', after '{self.entry}'")
            self.entry = name
        _, pos = self._body(name, pos, body)
        return source.skip(pos)

    def _body(self, name: str, start: int, pos: int) -> tuple[int, int]:
        """Reads the braces at ``pos``; returns where they end, and where the attributes after them end."""
        source = self.source
        text = source.text
        instructions: list[Instruction] = []
        root = -1
        pos = source.skip(pos + 1)
        while not text.startswith("}", pos):
            match = _INSTRUCTION.match(text, pos)
            if not match:
                raise source.fail(pos, f"an instruction or '}}' was expected in computation '{name}'")
            pos = source.skip(self._instruction(match[2], match.end(), match.start(2), instructions))
            if match[1]:
                if root >= 0:
                    raise source.fail(match.start(1), f"a second ROOT in computation '{name}'")
                root = len(instructions) - 1
        closed = pos + 1
        nested = start in self.references
        attributes, end = ((), closed) if nested else self._attributes(closed)
        self._computed(name, start, instructions, root, attributes)
        return closed, end

    def _computed(
        self, name: str, pos: int, instructions: list[Instruction], root: int, attributes: tuple[Attribute, ...]
    ) -> None:
        if not instructions:
            raise self.source.fail(pos, f"computation '{name}' has no instruction")
        self.computations.append(Computation(name, pos, tuple(instructions), root % len(instructions), attributes))

    # -- instructions -------------------------------------------------------------------------------------------

    def _instruction(self, name: str, pos: int, start: int, into: list[Instruction], depth: int = 0) -> int:
        """Reads what follows ``name =`` and appends it; returns where it ends. Nested operands have no attributes."""
        source = self.source
        text = source.text
        written: str | None = None
        type_end = self.shapes.end(pos)
        if type_end is not None:
            written = text[pos:type_end]
        match = _OPCODE.match(text, type_end or pos)
        if not match:
            raise source.fail(type_end or pos, f"'opcode(' was expected for instruction '{name}'")
        opcode = match[1]
        inside = match.end()
        operands: tuple[Operand, ...] = ()
        payload = ""
        if opcode in ("constant", "parameter"):
            end = source.balanced(inside - 1)
            payload = text[inside : end - 1]
        else:
            operands, end = self._operands(name, inside, into, depth)
        attributes: tuple[Attribute, ...] = ()
        if depth == 0:
            attributes, end = self._attributes(end)
        into.append(Instruction(name, start, written, pos, opcode, operands, payload, inside, attributes))
        return end

    def _operands(self, owner: str, pos: int, into: list[Instruction], depth: int) -> tuple[tuple[Operand, ...], int]:
        text = self.source.text
        flat = _FLAT_OPERANDS.match(text, pos)
        if flat:
            inside = flat[0][:-1]
            if not inside.strip():
                return (), flat.end()
            names = [name.strip() for name in inside.split(",")]
            if "" in names:
                raise self.source.fail(pos, f"an operand of '{owner}' is empty")
            return tuple([Operand(name[1:] if name[0] == "%" else name, None, pos) for name in names]), flat.end()
        operands: list[Operand] = []
        pos = self.source.skip(pos)
        while not text.startswith(")", pos):
            if operands:
                if not text.startswith(",", pos):
                    raise self.source.fail(pos, f"',' or ')' was expected after an operand of '{owner}'")
                pos = self.source.skip(pos + 1)
            operand, pos = self._operand(f"{owner}/{len(operands)}", pos, into, depth)
            operands.append(operand)
            pos = self.source.skip(pos)
        return tuple(operands), pos + 1

    def _operand(self, inner: str, pos: int, into: list[Instruction], depth: int) -> tuple[Operand, int]:
        source = self.source
        text = source.text
        end = self.shapes.end(pos)
        after = source.skip(end) if end is not None else pos
        match = NAME.match(text, after)
        if not match:
            raise source.fail(after, "the name of an operand was expected")
        if _OPCODE.match(text, after) and text.startswith("(", source.skip(match.end())):
            if depth >= _DEPTH:
                raise source.fail(pos, f"operands nested more than {_DEPTH} deep")
            return Operand(inner, None, pos), self._instruction(inner, pos, pos, into, depth + 1)
        return Operand(match[1], text[pos:end] if end is not None else None, pos), match.end()

    # -- attributes ---------------------------------------------------------------------------------------------

    def _attributes(self, pos: int) -> tuple[tuple[Attribute, ...], int]:
        found: list[Attribute] = []
        text = self.source.text
        while match := _ATTRIBUTE.match(text, pos):
            start = match.end()
            pos = self._value(match[1], start)
            found.append(Attribute(match[1], text[start:pos], start))
        if len(found) > 1 and len({attribute.key for attribute in found}) < len(found):
            seen: set[str] = set()
            for attribute in found:
                if attribute.key in seen:
                    raise self.source.fail(attribute.position, f"attribute '{attribute.key}' is given twice")
                seen.add(attribute.key)
        return tuple(found), pos

    def _value(self, key: str, pos: int) -> int:
        source = self.source
        text = source.text
        char = text[pos : pos + 1]
        if char == "{":
            end = source.balanced(pos)
            if key in REFERENCES and _NESTED.match(text, pos):
                self._nest(key, pos, end)
            return end
        if char == '"':
            return source.string(pos)
        end = pos
        while True:
            plain = _PLAIN.match(text, end)
            end = plain.end() if plain else end
            following = text[end : end + 1]
            if following in ("(", "[") or (following == "{" and end > pos):
                end = source.balanced(end)
            elif text.startswith("mesh[", pos) and (devices := _DEVICES.match(text, end)):
                end = source.balanced(devices.end())
            elif text.startswith("mesh[", pos) and text.startswith("{", source.skip(end)):
                end = source.balanced(source.skip(end))
            elif following == "'":
                end = text.find("'", end + 1) + 1
                if not end:
                    raise source.cut(pos, "a quoted name")
            else:
                break
        if end == pos:
            raise source.fail(pos, f"attribute '{key}' has no value")
        return end

    def _nest(self, key: str, pos: int, end: int) -> None:
        if self._depth >= _DEPTH:
            raise self.source.fail(pos, f"computations nested more than {_DEPTH} deep")
        # "/" cannot stand in a written name, so no name that the text gives is taken.
        name = f"{key}/{len(self.references)}"
        self.references[pos] = name
        self._nested.append((name, pos, end, self._depth + 1))
