"""The grammar of ``--args``: a small language for example arguments, read by a parser of its own.

    arguments := [ argument { "," argument } [ "," ] ]
    argument  := [ name "=" ] ( value | "static" "(" value ")" )
    value     := dtype "[" [ int { "," int } ] "]"        an array of that type, by its shape alone
               | number | "True" | "False" | "None" | string
               | "(" values ")" | "[" values "]" | "{" string-or-int ":" value, ... "}"

dtypes are JAX's short names (``f32``, ``bf16``, ``key<fry>``) or numpy's long ones (``float32``). A Python number is
what it is in Python: a weakly typed scalar. Promises: nothing is evaluated, nothing of the stated sizes is made,
`parse` undoes `scanir.targets.specs.show`, and an error points at its column. Imports neither jax nor numpy.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from scanir.errors import ArgumentError
from scanir.targets.specs import SPELLINGS, Parsed, Spec, Static

EXAMPLE = """--args 'f32[3], f32[2,100], 0.01, {"w": bf16[8,8]}'"""
#: Brackets within brackets: deeper than any pytree a person writes, far from Python's own limit.
DEEPEST = 64
#: Sizes are 64-bit in XLA.
LARGEST_DIM = 2**63 - 1
#: Columns of an argument text that an error shows.
WIDTH = 70

_TOKEN = re.compile(
    r"""
    (?P<blank>\s+)
  | (?P<key>key<[A-Za-z0-9_]+>)
  | (?P<number>[+-]?(?:0[xX][0-9a-fA-F]+|(?:[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?j?|(?:inf|nan)\b))
  | (?P<name>[^\W\d]\w*)
  | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<sign>[][(){},:=])
    """,
    re.VERBOSE | re.DOTALL,
)
_WORDS = {"True": True, "False": False, "None": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


def parse(text: str) -> Parsed:
    """Read arguments. Raises ArgumentError, with a caret under the place."""
    return _Parser(text).arguments()


def fail(text: str, column: int, what: str, hint: str = "") -> ArgumentError:
    """The error for one place of an argument text, shown with a caret."""
    clean = "".join(char if char.isprintable() else " " for char in text)
    start = max(0, column - WIDTH // 2) if len(clean) > WIDTH else 0
    shown = ("..." if start else "") + clean[start : start + WIDTH] + ("..." if len(clean) > start + WIDTH else "")
    caret = " " * (column - start + (3 if start else 0)) + "^"
    return ArgumentError(what, where=f"{shown}\n         {caret}", hint=hint or EXAMPLE)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._scan()
        self._at = 0
        self._depth = 0

    def _scan(self) -> list[_Token]:
        tokens, position = [], 0
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None:
                char = self._text[position]
                what = "a string that does not end" if char in "'\"" else f"{char!r} has no meaning here"
                raise fail(self._text, position, what)
            if match.lastgroup != "blank":
                tokens.append(_Token(str(match.lastgroup), match.group(), position))
            position = match.end()
        return [*tokens, _Token("end", "", len(self._text))]

    @property
    def _token(self) -> _Token:
        return self._tokens[self._at]

    def _error(self, what: str, hint: str = "") -> ArgumentError:
        return fail(self._text, self._token.column, what, hint)

    def _next(self) -> _Token:
        token = self._token
        self._at += token.kind != "end"
        return token

    def _is(self, sign: str, ahead: int = 0) -> bool:
        token = self._tokens[min(self._at + ahead, len(self._tokens) - 1)]
        return token.kind == "sign" and token.text == sign

    def _expect(self, sign: str, after: str) -> None:
        if not self._is(sign):
            found = "the end" if self._token.kind == "end" else repr(self._token.text)
            raise self._error(f"expected {sign!r} {after}, found {found}")
        self._next()

    def arguments(self) -> Parsed:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        while self._token.kind != "end":
            if self._token.kind == "name" and self._is("=", 1):
                name = self._token.text
                if name in kwargs:
                    raise self._error(f"{name} is given twice")
                self._at += 2
                kwargs[name] = self._argument()
            elif kwargs:
                raise self._error("a positional argument after one by keyword")
            else:
                args.append(self._argument())
            if self._token.kind != "end":
                self._expect(",", "between arguments")
        return Parsed(tuple(args), kwargs)

    def _argument(self) -> Any:
        if self._token.text == "static" and self._is("(", 1):
            self._at += 2
            value = self.value()
            self._expect(")", "after a static value")
            return Static(value)
        return self.value()

    def value(self) -> Any:
        if self._depth >= DEEPEST:
            raise self._error(f"brackets nested more than {DEEPEST} deep")
        token = self._token
        match token.kind:
            case "number":
                return self._number()
            case "string":
                return self._string()
            case "name" | "key":
                return self._name()
            case "sign" if token.text in "([{":
                self._depth += 1
                found = {"(": self._tuple, "[": self._list, "{": self._dict}[token.text]()
                self._depth -= 1
                return found
            case "end":
                raise self._error("a value is missing at the end")
            case _:
                raise self._error(f"expected a value, found {token.text!r}")

    def _number(self) -> int | float | complex:
        token = self._token
        text = token.text
        try:
            value = _number(text)
        except ValueError:
            raise self._error(f"{text!r} is not a number") from None
        self._next()
        if self._token.kind in ("name", "number") and self._token.column == token.column + len(text):
            raise fail(self._text, token.column, f"{text + self._token.text!r} is not a number")
        return value

    def _string(self) -> str:
        body = self._token.text[1:-1]
        try:
            text = re.sub(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", _unescape, body, flags=re.DOTALL)
        except KeyError as problem:
            raise self._error(f"unknown escape \\{problem.args[0]} in a string") from None
        self._next()
        return text

    def _name(self) -> Any:
        token = self._token
        if token.text in _WORDS and not self._is("[", 1):
            self._next()
            return _WORDS[token.text]
        dtype = token.text if token.kind == "key" else SPELLINGS.get(token.text)
        if dtype is None:
            hint = (
                "a static value is written static(3), and stands alone: it is no part of a pytree"
                if token.text == "static"
                else _near(token.text)
            )
            raise self._error(f"{token.text!r} is not a dtype", hint)
        self._next()
        if not self._is("["):
            raise fail(
                self._text,
                token.column,
                f"{token.text} without a shape",
                f"{token.text}[] is a scalar, {token.text}[3] has 3 elements",
            )
        self._next()
        return Spec(dtype, self._dims())

    def _dims(self) -> tuple[int, ...]:
        dims: list[int] = []
        while not self._is("]"):
            token = self._token
            if token.kind != "number" or not token.text.isdecimal():
                raise self._error("a dimension is a whole number", "f32[2,100] has two dimensions, f32[] none")
            if len(token.text) > 19 or int(token.text) > LARGEST_DIM:
                raise self._error(f"a dimension is at most {LARGEST_DIM}")
            dims.append(int(token.text))
            self._next()
            if not self._is("]"):
                self._expect(",", "or ']' after a dimension")
        self._next()
        return tuple(dims)

    def _items(self, close: str) -> tuple[list[Any], bool]:
        """Values up to the closing bracket, and whether a comma was seen."""
        self._next()
        items: list[Any] = []
        comma = False
        while not self._is(close):
            items.append(self.value())
            if not self._is(close):
                self._expect(",", f"or {close!r}")
                comma = True
        self._next()
        return items, comma

    def _tuple(self) -> Any:
        items, comma = self._items(")")
        return items[0] if len(items) == 1 and not comma else tuple(items)

    def _list(self) -> list[Any]:
        return self._items("]")[0]

    def _dict(self) -> dict[Any, Any]:
        self._next()
        items: dict[Any, Any] = {}
        while not self._is("}"):
            if self._token.kind not in ("string", "number"):
                raise self._error("a key is a string in quotes or a whole number", """{"w": f32[8,8]}""")
            token = self._token
            key = self._string() if token.kind == "string" else self._number()
            if not isinstance(key, (str, int)):
                raise fail(
                    self._text, token.column, "a key is a string in quotes or a whole number", """{"w": f32[8,8]}"""
                )
            if key in items:
                raise fail(self._text, token.column, f"the key {key!r} is given twice")
            self._expect(":", "after a key")
            items[key] = self.value()
            if not self._is("}"):
                self._expect(",", "or '}'")
        self._next()
        return items


def _number(text: str) -> int | float | complex:
    bare = text.lstrip("+-").lower()
    if bare.startswith("0x"):
        return int(text, 16)
    if text.endswith("j"):
        return complex(text)
    if bare.replace("_", "").isdecimal():
        return int(text)
    return float(text)


def _unescape(match: re.Match[str]) -> str:
    body = match.group(1)
    return chr(int(body[1:], 16)) if len(body) > 1 else _ESCAPES[body]


def _near(name: str) -> str:
    from rapidfuzz import process

    near = [match for match, _, _ in process.extract(name, list(SPELLINGS), limit=3, score_cutoff=60)]
    return (f"did you mean {', '.join(near)}? " if near else "") + f"write strings in quotes; example: {EXAMPLE}"
