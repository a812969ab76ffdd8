"""Words in order, and the rules for attributes and types in the IR's text form.

A rule is a generator: it yields the rules it needs and is sent what they read, so that `run` can keep the nesting on a
list of its own. See `scanir.ir.parser` for what the whole promises.
"""

from __future__ import annotations

import base64
import re
from typing import NoReturn

from scanir.ir.attrs import (
    Array,
    Attr,
    Attrs,
    Bool,
    Callable,
    Digest,
    Float,
    Hidden,
    Int,
    Opaque,
    Record,
    Seq,
    Symbol,
    Text,
    TypeAttr,
)
from scanir.ir.lexical import Word, error, unquote, words
from scanir.ir.steps import Steps
from scanir.ir.types import TOKEN, Dim, OpaqueType, TensorType, TupleType, Type

_SHA256 = re.compile(r"[0-9a-f]{64}")


class Reading:
    """A text being read: a place in its words, and the rules for attributes and types. ``line``: the number of its
    first line, where it is part of a longer text."""

    def __init__(self, text: str, source: str, line: int = 1) -> None:
        self._text = text
        self._source = source
        self._line = line
        self._words = list(words(text, source, line))
        self._at = 0

    @property
    def next(self) -> Word:
        return self._words[self._at]

    def fail(self, what: str, word: Word | None = None) -> NoReturn:
        raise error(what, self._text, (word or self.next).offset, self._source, self._line)

    def take(self, kind: str, what: str) -> Word:
        word = self.next
        if word.kind != kind:
            self.fail(f"{what} is missing")
        self._at += 1
        return word

    def skip(self, text: str) -> bool:
        """Go past a sign or keyword, if it is next."""
        found = self.next.text == text and self.next.kind in ("sign", "bare")
        self._at += found
        return found

    def expect(self, text: str) -> None:
        if not self.skip(text):
            self.fail(f"{text!r} is missing")

    def string(self) -> str:
        word = self.take("string", "a string")
        try:
            return unquote(word.text)
        except ValueError as problem:
            return self.fail(str(problem), word)

    def name(self, what: str) -> str:
        return self.string() if self.next.kind == "string" else self.take("bare", what).text

    def symbol(self) -> str:
        self.expect("@")
        return self.name("a function's name")

    def integer(self) -> int:
        word = self.take("number", "an integer")
        try:
            return int(word.text, 16 if "x" in word.text else 10)
        except ValueError:
            return self.fail("not an integer", word)

    # Attributes.

    def fields(self, close: str) -> Steps[Attrs]:
        """``name = attribute`` any number of times, and the closing sign."""
        found: list[tuple[str, Attr]] = []
        while not self.skip(close):
            if found:
                self.expect(",")
            name = self.name("the name of a field")
            self.expect("=")
            found.append((name, (yield self.attr())))
        return tuple(found)

    def attr(self) -> Steps[Attr]:
        word = self.next
        if word.kind == "string":
            return Text(self.string())
        if word.kind == "number":
            return self._number()
        if word.text == "@":
            return Symbol(self.symbol())
        if self.skip("["):
            items: list[Attr] = []
            while not self.skip("]"):
                if items:
                    self.expect(",")
                items.append((yield self.attr()))
            return Seq(tuple(items))
        if self.skip("{"):
            return Record((yield self.fields("}")))
        if self.skip("type"):
            return TypeAttr((yield self.type()))
        return self._worded(self.take("bare", "an attribute"))

    def _number(self) -> Attr:
        text = self.next.text
        if "x" in text or not any(sign in text for sign in ".e"):
            return Int(self.integer())
        return Float.of(float(self.take("number", "a number").text))

    def _worded(self, word: Word) -> Attr:
        """The attributes that start with a word of their own."""
        match word.text:
            case "true" | "false":
                return Bool(word.text == "true")
            case "float":
                self.expect("(")
                bits = self.integer()
                self.expect(")")
                if not 0 <= bits < 1 << 64:
                    self.fail("a float has 64 bits", word)
                return Float(bits)
            case "array" | "splat":
                return self._array(word)
            case "opaque":
                return Opaque(*self._strings(2))
            case "callable":
                qualname, digest = self._strings(2)
                return Callable(qualname, digest, 0)
            case "hidden":
                return Hidden(*self._strings(3))
            case _:
                return self.fail("no attribute starts with this word", word)

    def _strings(self, count: int) -> list[str]:
        self.expect("(")
        found = [self.string()]
        while len(found) < count:
            self.expect(",")
            found.append(self.string())
        self.expect(")")
        return found

    def _array(self, word: Word) -> Array | Digest:
        self.expect("(")
        dtype = self.name("a dtype")
        shape = self._dims()
        self.expect(",")
        known = self.next
        if word.text == "array" and self.skip("sha256"):
            digest = self.string()
            if not _SHA256.fullmatch(digest):
                self.fail("a SHA-256 has 64 hexadecimal digits", known)
            self.expect(")")
            return Digest(dtype, shape, digest)
        data = self._payload()
        self.expect(")")
        return Array(dtype, shape, data, word.text == "splat")

    def _payload(self) -> bytes:
        word = self.next
        base64_follows = self.skip("b64")
        text = self.string() if base64_follows else self.take("number", "a payload").text
        try:
            if base64_follows:
                return base64.b64decode(text, validate=True)
            if text.startswith("0x"):
                return bytes.fromhex(text[2:])
        except ValueError:  # binascii.Error is one
            pass
        return self.fail("not a payload", word)

    # Types.

    def type(self) -> Steps[Type]:
        if self.skip("("):
            members: list[Type] = []
            while not self.skip(")"):
                if members:
                    self.expect(",")
                members.append((yield self.type()))
            return TupleType(tuple(members))
        word = self.next
        dtype = self.name("a type")
        if word.kind == "bare" and self.next.text != "[":
            if dtype == "token":
                return TOKEN
            if dtype == "opaque":
                return OpaqueType(self.string())
        shape = self._dims()
        return TensorType(dtype, shape, (yield self.fields(">")) if self.skip("<") else ())

    def _dims(self) -> tuple[Dim, ...]:
        self.expect("[")
        dims: list[Dim] = []
        while not self.skip("]"):
            if dims:
                self.expect(",")
            dims.append(self.integer() if self.next.kind == "number" else self.name("a dimension"))
        return tuple(dims)
