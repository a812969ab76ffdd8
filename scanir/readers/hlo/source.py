"""The text of an HLO module: comments blanked out, places kept, brackets matched.

Promises that an offset into `Source.text` is the same offset into the original, so that every error can show its
line. Scans by regular expression, never by character and never recursively. Refuses unbalanced brackets and
unterminated strings.
"""

from __future__ import annotations

import re

from scanir.errors import ReadError

STRING_PATTERN = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
QUOTED_PATTERN = STRING_PATTERN + r"|'[^'\n]*'"

STRING = re.compile(STRING_PATTERN, re.S)
SPACE = re.compile(r"\s*")
NAME = re.compile(r"%?([\w.\-]+)")

_BLANK = re.compile(QUOTED_PATTERN + r"|/\*.*?\*/|//[^\n]*|^[ \t]*#[^\n]*", re.S | re.M)
_BRACKET = re.compile(r"[{}()\[\]]|" + QUOTED_PATTERN + r'|"', re.S)
_FLAT_BRACES = re.compile(r"\{[^{}\"']*+(?:" + STRING_PATTERN + r"[^{}\"']*+)*+\}", re.S)
_CLOSES = {"}": "{", ")": "(", "]": "["}

#: Longest piece of a line that an error shows; generated lines can have megabytes.
_SHOWN = 160


def _blank(match: re.Match[str]) -> str:
    found = match[0]
    if found[0] in "\"'":
        return found
    return re.sub(r"[^\n]", " ", found)


class Source:
    """A text and its name. ``text`` is the original with each comment replaced by as many blanks."""

    __slots__ = ("name", "original", "text")

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.original = text
        commented = "/*" in text or "//" in text or "#" in text
        self.text = _BLANK.sub(_blank, text) if commented else text

    def skip(self, pos: int) -> int:
        """The offset of the next thing that is not white space."""
        match = SPACE.match(self.text, pos)
        return match.end() if match else pos

    def fail(self, pos: int, what: str, hint: str = "") -> ReadError:
        """The error ``what`` at ``pos``, with the line shown; says so where it is the text that ends."""
        pos = min(pos, len(self.original))
        line = self.original.count("\n", 0, pos) + 1
        start = self.original.rfind("\n", 0, pos) + 1
        end = self.original.find("\n", pos)
        shown = self.original[start : end if end >= 0 else len(self.original)]
        column = pos - start
        if len(shown) > _SHOWN:
            first = max(0, column - _SHOWN // 2)
            shown = shown[first : first + _SHOWN]
        if not self.text[pos:].strip():
            what = f"{what}; the text stops here, in line {line}"
            hint = hint or "the file is probably truncated: dump or copy it again in full"
        return ReadError(f"{what}: {shown.strip()}" if shown.strip() else what,
                         where=f"{self.name}:{line}:{column + 1}", hint=hint)  # fmt: skip

    def cut(self, pos: int, what: str) -> ReadError:
        """The error for something that begins at ``pos`` and has no end."""
        line = self.original.count("\n", 0, pos) + 1
        last = self.original.rstrip()
        return self.fail(len(last), f"{what} that begins in line {line} has no end")

    def balanced(self, pos: int) -> int:
        """The offset after the bracket that closes the one at ``pos``."""
        text = self.text
        if text[pos] == "{":
            flat = _FLAT_BRACES.match(text, pos)
            if flat:
                return flat.end()
        stack: list[str] = []
        for match in _BRACKET.finditer(text, pos):
            token = match[0]
            if token in "{([":
                stack.append(token)
            elif token == '"':
                raise self.cut(match.start(), "a string")
            elif token in "})]":
                if stack.pop() != _CLOSES[token]:
                    raise self.fail(match.start(), f"'{token}' closes a bracket of another kind")
                if not stack:
                    return match.end()
        raise self.cut(pos, f"'{text[pos]}'")

    def string(self, pos: int) -> int:
        """The offset after the string that begins at ``pos``."""
        match = STRING.match(self.text, pos)
        if not match:
            raise self.cut(pos, "a string")
        return match.end()
