"""The lines at the head of a trace and of its stages: a word, and what it says. See `scanir.artifact.printer`."""

from __future__ import annotations

from collections.abc import Callable as Function
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn

from scanir.ir.attrs import Attr, Bool, Callable, Int, Record, Seq, Text
from scanir.ir.reading import Reading
from scanir.ir.steps import run
from scanir.program import Argument, Interface


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a text, and the number of its first line."""

    text: str
    line: int


class Head(Reading):
    """Lines that each begin with a word that is known, up to the end of a section."""

    def __init__(self, section: Section, source: str) -> None:
        super().__init__(section.text, source, section.line)
        self._said: set[str] = set()
        self.texts: dict[str, str] = {}
        self.facts: dict[str, tuple[tuple[str, str], ...]] = {}

    def read(self, rules: Mapping[str, Function[[str], None]]) -> None:
        """Read all lines: the rule of a word reads what stands behind it."""
        while self.next.kind != "end":
            word = self.next
            name = self.take("bare", "a word").text
            if name not in rules:
                self.fail(f"no line begins with this word; known: {', '.join(rules)}", word)
            rules[name](name)

    def lack(self, what: str) -> NoReturn:
        """Raise ReadError for what is not behind these lines."""
        self._at = len(self._words) - 1
        self.fail(what)

    def text(self, name: str) -> None:
        self._once(name)
        self.texts[name] = self.string()

    def record(self, name: str) -> None:
        self._once(name)
        word = self.next
        attr = self._value()
        fields = attr.fields if isinstance(attr, Record) else None
        if fields is None or not all(isinstance(value, Text) for _, value in fields):
            self.fail("a record of texts is missing", word)
        self.facts[name] = tuple((key, value.value) for key, value in fields if isinstance(value, Text))

    def _once(self, name: str) -> None:
        if name in self._said:
            self.fail(f"{name} is said twice")
        self._said.add(name)

    def _value(self) -> Attr:
        attr: Attr = run(self.attr())
        return attr


class StageHead(Head):
    """What stands before the module of a stage."""

    def __init__(self, section: Section, source: str) -> None:
        super().__init__(section, source)
        self._arguments: list[Argument] = []
        self._kept: tuple[int, ...] = ()
        self._results: list[str] = []
        self._constants: list[tuple[int, Attr]] = []
        self.callbacks: list[Callable] | None = None
        self.notes: list[str] = []
        self.sizes: list[tuple[str, int]] = []
        self.read({
            "label": self.text, "provenance": self.record, "argument": self._argument, "kept": self._indices,
            "result": self._result, "constant": self._constant, "input": self.text, "output": self.text,
            "callbacks": self._host, "note": self._note, "size": self._size,
        })  # fmt: skip

    @property
    def interface(self) -> Interface:
        return Interface(
            tuple(self._arguments), self._kept, tuple(self._results), tuple(self._constants),
            self.texts.get("input", ""), self.texts.get("output", ""),
        )  # fmt: skip

    def _argument(self, _: str) -> None:
        called, type = self.string(), run(self.type())
        word = self.next
        fields = dict(run(self.fields("}"))) if self.skip("{") else {}
        position = fields.pop("position", Int(-1))
        texts = {name: fields.pop(name, Text("")) for name in ("path", "group", "sharding")}
        truths = {name: fields.pop(name, Bool(False)) for name in ("keyword", "donated")}
        strings = {name: value.value for name, value in texts.items() if isinstance(value, Text)}
        flags = {name: value.value for name, value in truths.items() if isinstance(value, Bool)}
        if not isinstance(position, Int) or fields or len(strings) + len(flags) < 5:
            self.fail("no fields of an argument", word)
        self._arguments.append(Argument(called, type, position.value, **strings, **flags))  # type: ignore[arg-type]

    def _indices(self, name: str) -> None:
        self._once(name)
        word = self.next
        attr = self._value()
        if not isinstance(attr, Seq) or not all(isinstance(item, Int) for item in attr.items):
            self.fail("a list of integers is missing", word)
        self._kept = tuple(item.value for item in attr.items if isinstance(item, Int))

    def _result(self, _: str) -> None:
        self._results.append(self.string())

    def _constant(self, _: str) -> None:
        self._constants.append((self.integer(), self._value()))

    def _host(self, name: str) -> None:
        self._once(name)
        word = self.next
        attr = self._value()
        if not isinstance(attr, Seq) or not all(isinstance(item, Callable) for item in attr.items):
            self.fail("a list of host functions is missing", word)
        self.callbacks = [item for item in attr.items if isinstance(item, Callable)]

    def _note(self, _: str) -> None:
        self.notes.append(self.string())

    def _size(self, _: str) -> None:
        self.sizes.append((self.string(), self.integer()))
