"""Words of the IR's text form: what `scanir.ir.printer` writes and `scanir.ir.parser` reads.

Strings, names and numbers have one spelling each, in ASCII, whatever they hold (lone surrogates and control characters
too), so that equal modules have equal text on every Python. Blanks and ``/* comments */`` separate words and mean
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scanir.errors import ReadError

BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_.$-]*")
#: Words that may not stand for a name without quotes.
KEYWORDS = frozenset({"return", "region", "control", "at", "func", "params", "results", "attrs", "name", "entry"})

_PLAIN = re.compile(r"[ !#-\[\]-~]*")  # printable ASCII without quote and backslash
_ESCAPED = re.compile(r"[^ !#-\[\]-~]")
_ESCAPE = re.compile(r'\\(?:u\{([0-9a-f]{1,6})\}|(["\\nt])|(.?))', re.DOTALL)
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
_LONG = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}

_WORD = re.compile(
    r"""
    (?P<blank>(?:\s+|/\*.*?\*/)+)
  | (?P<value>%(?:[0-9]+|[A-Za-z_][A-Za-z0-9_.$-]*)?)
  | (?P<string>"[^"\\\n]*(?:\\.[^"\\\n]*)*")
  | (?P<number>-?0x[0-9a-f]*|-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)
  | (?P<bare>[A-Za-z_][A-Za-z0-9_.$-]*)
  | (?P<sign>[][(){}<>,:=@^])
    """,
    re.VERBOSE | re.DOTALL,
)


class Word(NamedTuple):
    """One word: its kind (``value``, ``string``, ``number``, ``bare``, ``sign`` or ``end``), spelling and offset."""

    kind: str
    text: str
    offset: int


def quote(text: str) -> str:
    """A string as a word."""
    if _PLAIN.fullmatch(text):
        return f'"{text}"'
    return '"' + _ESCAPED.sub(lambda m: _SHORT.get(m[0]) or f"\\u{{{ord(m[0]):x}}}", text) + '"'


def spell(name: str) -> str:
    """A name as a word: bare where that is unambiguous, else in quotes."""
    return name if BARE.fullmatch(name) and name not in KEYWORDS else quote(name)


def unquote(word: str) -> str:
    """The string that a word in quotes stands for; ValueError for an escape that `quote` does not write."""
    if "\\" not in word:
        return word[1:-1]
    return _ESCAPE.sub(_unescape, word[1:-1])


def _unescape(match: re.Match[str]) -> str:
    code, short, other = match.groups()
    if other is not None or (code and int(code, 16) > 0x10FFFF):
        raise ValueError(f"unknown escape {match[0]}")
    return chr(int(code, 16)) if code else _LONG[short]


def words(text: str, source: str = "", line: int = 1) -> Iterator[Word]:
    """The words of a text, whose first line has the number ``line``, then one of kind ``end``."""
    offset = 0
    for match in _WORD.finditer(text):
        if match.start() != offset:
            break
        offset = match.end()
        kind = match.lastgroup or ""
        if kind != "blank":
            yield Word(kind, match[0], match.start())
    if offset < len(text):
        raise error("no word starts here", text, offset, source, line)
    yield Word("end", "", len(text))


def error(what: str, text: str, offset: int, source: str = "", line: int = 1) -> ReadError:
    """A ReadError that points to a place by line and column, the first line being ``line``, the first column 1."""
    line += text.count("\n", 0, offset)
    column = offset - text.rfind("\n", 0, offset)
    shown = text[offset : offset + 40].split("\n")[0]
    return ReadError(
        f"{what}: {shown!r}" if shown else f"{what}: the line or text ends",
        where=f"{source or 'IR text'}:{line}:{column}",
        hint="scanir reads the IR text that scanir prints",
    )
