"""The grammar of ``--under``: transforms of JAX with their options, read by a parser of its own.

    under     := transform { "," transform }
    transform := name [ "(" [ transform "," ] [ option { "," option } ] ")" ]
    option    := name "=" value
    value     := int | "True" | "False" | "None" | string | word [ "(" string { "," string } ")" ]
               | "(" values ")" | "[" values "]" | "{" string-or-int ":" value, ... "}"

``vmap(grad(argnums=1), in_axes=(0,None))`` maps the gradient. Options are those of JAX's own transform. Promises:
nothing is evaluated, the text of a `Transform` is read back as that transform, and an error points at its column.
Imports no jax.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from scanir.errors import ArgumentError
from scanir.targets.grammar import fail
from scanir.targets.specs import show_value

EXAMPLE = "for example grad, value_and_grad, jvp, vjp, 'vmap(in_axes=(0,None))', 'vmap(grad(argnums=1))' or 'grad,vmap'"
#: Transforms of transforms, and brackets within brackets: deeper than anyone writes.
DEEPEST = 16

_DERIVATIVE = {"argnums": "argnums", "has_aux": "flag", "holomorphic": "flag", "allow_int": "flag"}
#: Transform -> its options and what each of them takes.
TRANSFORMS: dict[str, dict[str, str]] = {
    "none": {},
    "grad": _DERIVATIVE,
    "value_and_grad": _DERIVATIVE,
    "jvp": {"has_aux": "flag"},
    "vjp": {"has_aux": "flag"},
    "vmap": {
        "in_axes": "axes", "out_axes": "axes", "axis_name": "text", "axis_size": "size", "spmd_axis_name": "text",
    },
    "checkpoint": {"prevent_cse": "flag", "policy": "policy"},
}  # fmt: skip
_TAKES = {
    "argnums": "takes a position or several, such as 0 or (0, 2)",
    "flag": "takes True or False",
    "axes": "takes axes: a whole number, None, or a tuple of these, one an argument",
    "text": "takes a name",
    "size": "takes a whole number from 1",
    "policy": "takes the name of one of jax.checkpoint_policies",
}
_TOKEN = re.compile(
    r"""
    (?P<blank>\s+)
  | (?P<number>[+-]?[0-9]+\b)
  | (?P<name>[^\W\d]\w*)
  | (?P<string>"[^"\\]*"|'[^'\\]*')
  | (?P<sign>[][(){},:=])
    """,
    re.VERBOSE,
)
_WORDS = {"True": True, "False": False, "None": None}


@dataclass(frozen=True, slots=True)
class Word:
    """A bare name as a value, with the texts it is called with, if it is."""

    name: str
    given: tuple[str, ...] | None = None

    def __str__(self) -> str:
        return self.name if self.given is None else f"{self.name}({', '.join(map(show_value, self.given))})"


@dataclass(frozen=True, slots=True)
class Transform:
    """One of `TRANSFORMS`, of another one or of the function itself, with its options in the order written."""

    name: str
    inner: Transform | None = None
    options: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        inside = [str(self.inner)] if self.inner is not None else []
        inside += [f"{name}={_shown(value)}" for name, value in self.options]
        return f"{self.name}({', '.join(inside)})" if inside else self.name

    def option(self, name: str, default: Any = None) -> Any:
        """The value of an option, or the default where it is not given."""
        return dict(self.options).get(name, default)

    def chain(self) -> tuple[Transform, ...]:
        """This transform and those inside it, the innermost first."""
        found, at = [self], self.inner
        while at is not None:
            found.append(at)
            at = at.inner
        return tuple(reversed(found))


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Word) else show_value(value)


def parse_under(under: str | Transform | Iterable[str | Transform]) -> tuple[Transform, ...]:
    """The transforms of one text or of several, each once, in order. Raises ArgumentError, with a caret."""
    if isinstance(under, (str, Transform)):
        under = (under,)
    found: list[Transform] = []
    for part in under:
        if not isinstance(part, (str, Transform)):
            raise ArgumentError(f"a transform is a text, not a {type(part).__name__}", hint=EXAMPLE)
        found += [part] if isinstance(part, Transform) else _Parser(part).transforms()
    return tuple({str(transform): transform for transform in found}.values())


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str, int]] = []  # kind, text, column
        self._at = 0
        self._depth = 0
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                raise self._fail(f"{text[position]!r} has no meaning here", position)
            if match.lastgroup != "blank":
                self._tokens.append((str(match.lastgroup), match.group(), position))
            position = match.end()
        self._tokens.append(("end", "", len(text)))

    def _fail(self, what: str, column: int | None = None, hint: str = EXAMPLE) -> ArgumentError:
        return fail(self._text, self._tokens[self._at][2] if column is None else column, what, hint)

    def _next(self) -> tuple[str, str, int]:
        token = self._tokens[self._at]
        self._at += token[0] != "end"
        return token

    def _is(self, sign: str, ahead: int = 0) -> bool:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)][:2] == ("sign", sign)

    def _expect(self, sign: str, after: str) -> None:
        if not self._is(sign):
            kind, text, _ = self._tokens[self._at]
            raise self._fail(f"expected {sign!r} {after}, found {'the end' if kind == 'end' else repr(text)}")
        self._next()

    def transforms(self) -> list[Transform]:
        found = [self._transform()]
        while self._tokens[self._at][0] != "end":
            self._expect(",", "between transforms")
            found.append(self._transform())
        return found

    def _transform(self) -> Transform:
        kind, name, column = self._tokens[self._at]
        if kind != "name":
            raise self._fail(
                "a transform is missing here" if kind == "end" else f"expected a transform, found {name!r}"
            )
        if name not in TRANSFORMS:
            raise self._fail(f"unknown transform {name!r}", hint=_near(name, TRANSFORMS))
        self._deeper()
        self._next()
        inner, options = None, dict[str, Any]()
        if self._is("("):
            self._next()
            while not self._is(")"):
                if self._tokens[self._at][0] == "name" and self._is("=", 1):
                    self._option(name, options)
                elif inner is None and not options:
                    inner = self._transform()
                else:
                    raise self._fail(
                        "an option is written name=value, behind the transform it is about",
                        hint=f"options of {name}: {', '.join(TRANSFORMS[name]) or 'none'}",
                    )
                if not self._is(")"):
                    self._expect(",", "or ')'")
            self._next()
        self._depth -= 1
        if name == "none" and inner is not None:
            raise self._fail("none is the function itself, and takes no transform", column)
        return Transform(name, inner, tuple(options.items()))

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._fail(f"nested more than {DEEPEST} deep")

    def _option(self, transform: str, options: dict[str, Any]) -> None:
        _, name, column = self._next()
        if name not in TRANSFORMS[transform]:
            raise self._fail(f"{transform} has no option {name!r}", column, _near(name, TRANSFORMS[transform]))
        if name in options:
            raise self._fail(f"{name} is given twice", column)
        self._next()  # the =
        at = self._tokens[self._at][2]
        kind = TRANSFORMS[transform][name]
        value = self._value()
        if kind == "text" and isinstance(value, Word) and value.given is None:
            value = value.name
        if kind == "policy" and isinstance(value, str):
            value = Word(value)
        if not _fits(kind, value):
            raise self._fail(f"{name} {_TAKES[kind]}", at)
        options[name] = value

    def _value(self) -> Any:
        kind, text, _ = self._tokens[self._at]
        match kind:
            case "number" if len(text) < 20:
                self._next()
                return int(text)
            case "string":
                self._next()
                return text[1:-1]
            case "name":
                self._next()
                return _WORDS[text] if text in _WORDS else self._word(text)
            case "sign" if text in "([{":
                self._deeper()
                self._next()
                value = self._dict() if text == "{" else self._items(")" if text == "(" else "]")
                self._depth -= 1
                return value
            case _:
                raise self._fail("a value is missing" if kind == "end" else f"expected a value, found {text!r}")

    def _word(self, name: str) -> Word:
        if not self._is("("):
            return Word(name)
        column = self._next()[2]
        given = self._items(")")
        given = given if isinstance(given, tuple) else (given,)
        if not all(isinstance(item, str) for item in given):
            raise self._fail("only texts in quotes can be given here", column)
        return Word(name, given)

    def _items(self, close: str) -> Any:
        items: list[Any] = []
        comma = False
        while not self._is(close):
            items.append(self._value())
            if not self._is(close):
                self._expect(",", f"or {close!r}")
                comma = True
        self._next()
        if close == "]":
            return items
        return items[0] if len(items) == 1 and not comma else tuple(items)

    def _dict(self) -> dict[Any, Any]:
        items: dict[Any, Any] = {}
        while not self._is("}"):
            if self._tokens[self._at][0] not in ("string", "number"):
                raise self._fail("a key is a string in quotes or a whole number")
            column, key = self._tokens[self._at][2], self._value()
            if key in items:
                raise self._fail(f"the key {key!r} is given twice", column)
            self._expect(":", "after a key")
            items[key] = self._value()
            if not self._is("}"):
                self._expect(",", "or '}'")
        self._next()
        return items


def _fits(kind: str, value: Any) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    match kind:
        case "flag":
            return isinstance(value, bool)
        case "argnums":
            several = isinstance(value, (tuple, list)) and bool(value)
            return whole or (several and all(_fits("argnums", item) and isinstance(item, int) for item in value))
        case "size":
            return whole and value > 0
        case "text":
            return isinstance(value, str) and bool(value)
        case "policy":
            return isinstance(value, Word)
        case _:  # axes; nesting is bounded by the parser
            items = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else None
            return whole or value is None or (items is not None and all(_fits("axes", item) for item in items))


def _near(name: str, names: Iterable[str]) -> str:
    from scanir.targets.names import near

    known = list(names)
    found = near(name, known)
    return f"did you mean {' or '.join(found)}?" if found else f"known: {', '.join(known) or 'none'}"
