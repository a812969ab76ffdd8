"""Types in HLO text: arrays with layouts and bounds, tuples, tokens, opaque values.

A layout that is row-major, untiled and in memory space 0 is what an absent one means, and is left out of the type.
Anything else in a layout is carried: the memory space as a number, the rest as text. Memoized by text: a module has
few types.
"""

from __future__ import annotations

import re

from scanir.ir.attrs import Attr, Int, Seq, Text
from scanir.ir.types import TOKEN, Dim, OpaqueType, TensorType, TupleType, Type
from scanir.readers.hlo.dtypes import short_dtype
from scanir.readers.hlo.source import Source

#: An array type in text. A layout never holds "=", so that a body right after a result type is not taken for one.
ARRAY = re.compile(r"([a-z]\w*)\[([^\[\]]*)\](?:\s*\{([^{}=]*)\})?")
_OPENS = re.compile(r"[a-z]\w*\[[^\[\]]*\]\{")
_BUFFER = re.compile(r"b(?=\()")
_MEMORY_SPACE = re.compile(r"(?<![A-Z])S\((\d{1,9})\)")
_INT = re.compile(r"\d{1,20}")

#: Tuples deeper than this are refused: nobody writes them, and what follows may recurse over a type.
_DEPTH = 64


class Shapes:
    """Reads types from one source."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._types: dict[str, Type] = {}

    def end(self, pos: int) -> int | None:
        """The offset after the type at ``pos``, or None where no type begins there."""
        text = self._source.text
        if text.startswith("(", pos):
            return self._source.balanced(pos)
        match = ARRAY.match(text, pos)
        if match:
            opens = _OPENS.match(text, pos)
            if opens and opens.end() > match.end():  # a layout with braces inside, or the body of a computation
                end = self._source.balanced(opens.end() - 1)
                return match.end() if "=" in text[match.end() : end] else end
            return match.end()
        buffer = _BUFFER.match(text, pos)
        return self._source.balanced(buffer.end()) if buffer else None

    def type(self, text: str, pos: int) -> Type:
        """The type that ``text``, which stands at ``pos``, spells."""
        known = self._types.get(text)
        if known is None:
            known = self._tuple(text, pos) if text.startswith("(") else self._leaf(text, pos)
            self._types[text] = known
        return known

    def _tuple(self, text: str, start: int) -> Type:
        source = self._source
        pos = start
        stack: list[list[Type]] = []
        expected = True  # an element may come, or the end of an empty tuple
        while True:
            pos = source.skip(pos)
            char = source.text[pos]
            if char == "(" and expected:
                stack.append([])
                if len(stack) > _DEPTH:
                    raise source.fail(pos, f"a tuple type nested more than {_DEPTH} deep")
                pos += 1
            elif char == ")" and not (expected and stack[-1]):
                done = TupleType(tuple(stack.pop()))
                pos += 1
                expected = False
                if not stack:
                    return done
                stack[-1].append(done)
            elif char == "," and not expected:
                expected = True
                pos += 1
            else:
                end = self.end(pos) if expected else None
                if end is None:
                    raise source.fail(pos, "a type, ',' or ')' was expected in a tuple type")
                stack[-1].append(self.type(source.text[pos:end], pos))
                pos = end
                expected = False

    def _leaf(self, text: str, pos: int) -> Type:
        match = ARRAY.fullmatch(text)
        if not match:
            opens = _OPENS.match(text)
            if not opens:
                return OpaqueType("".join(text.split()))
            name, dims = text[: text.index("[")], text[text.index("[") + 1 : text.index("]")]
            layout = text[opens.end() : -1]
        else:
            name, dims, layout = match[1], match[2], match[3] or ""
        if name == "token":
            return TOKEN
        if name == "opaque":
            return OpaqueType("opaque[]")
        return self._array(name, dims, "".join(layout.split()), pos)

    def _array(self, name: str, dims: str, layout: str, pos: int) -> Type:
        shape: list[Dim] = []
        bounds: list[int] = []
        for dim in dims.split(",") if dims.strip() else ():
            written = "".join(dim.split())
            bound = written.removeprefix("<=")
            if written == "?":
                shape.append("?")
                bounds.append(-1)
            elif _INT.fullmatch(bound):
                shape.append(int(bound))
                bounds.append(int(bound) if bound is not written and bound != written else -1)
            else:
                raise self._source.fail(pos, f"'{dim.strip()}' is no dimension of an array")
        extras: dict[str, Attr] = {}
        if any(bound >= 0 for bound in bounds):
            extras["bounds"] = Seq(tuple(Int(bound) for bound in bounds))
        if layout:
            extras.update(_layout(layout, len(shape)))
        return TensorType(short_dtype(name), tuple(shape), tuple(sorted(extras.items())))


def _layout(layout: str, rank: int) -> dict[str, Attr]:
    order, _, rest = layout.partition(":")
    extras: dict[str, Attr] = {}
    space = _MEMORY_SPACE.search(rest) if "P(" not in rest else None
    if space:
        rest = rest[: space.start()] + rest[space.end() :]
        if int(space[1]):
            extras["memory_space"] = Int(int(space[1]))
    if rest:
        extras["layout"] = Text(f"{order}:{rest}")
    elif order and order != ",".join(map(str, range(rank - 1, -1, -1))):
        extras["layout"] = Text(order)
    return extras
