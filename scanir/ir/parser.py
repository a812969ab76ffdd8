"""The parser of the text that `scanir.ir.printer` writes: its exact inverse.

Promises that printing what was parsed gives the text that was parsed, if `print_module` wrote it with full payloads,
and that everything but the identity of a `Callable` (0 here) comes back as it was. Text in another layout, or with
comments, is read as well. Nesting costs no Python stack. Refuses with a ReadError that names line and column; checks
spelling, definitions before uses, and labels, and leaves the rest to `scanir.ir.verify`.
"""

from __future__ import annotations

from collections.abc import Iterable

from scanir.ir.attrs import Attr, Attrs
from scanir.ir.graph import Function, Location, Module, Op, Region, Value
from scanir.ir.lexical import KEYWORDS, Word, unquote
from scanir.ir.reading import Reading
from scanir.ir.steps import Steps, run
from scanir.ir.types import Type


def parse_module(
    text: str, source: str = "", line: int = 1, locations: Iterable[Location | None] | None = None
) -> Module:
    """The module that a text describes. ``source`` and the number of its first line name the text in errors;
    ``locations``: one for each op in the order of the text, for a text that holds none itself."""
    return run(_Parser(text, source, line, locations).module())


def parse_attr(text: str, source: str = "") -> Attr:
    """The attribute that a text describes."""
    reading = Reading(text, source)
    attr = run(reading.attr())
    reading.take("end", "the end of the text")
    return attr


def parse_type(text: str, source: str = "") -> Type:
    """The type that a text describes."""
    reading = Reading(text, source)
    type = run(reading.type())
    reading.take("end", "the end of the text")
    return type


#: What no location is.
_NONE = Location("", -1)


class _Parser(Reading):
    """The rules for modules, functions, regions and ops. Names of values hold for one function, labels for all."""

    def __init__(
        self, text: str, source: str, line: int = 1, locations: Iterable[Location | None] | None = None
    ) -> None:
        super().__init__(text, source, line)
        self._locations = None if locations is None else iter(locations)
        self._values: dict[str, Value] = {}
        self._labels: dict[int, Region | None] = {}  # None while the region is being read

    def module(self) -> Steps[Module]:
        self.expect("module")
        dialect = self.name("a dialect")
        self.expect("entry")
        entry = self.symbol()
        name = self.string() if self.skip("name") else ""
        attributes = yield self._attributes("attrs")
        functions: list[Function] = []
        while self.skip("func"):
            functions.append((yield self._function()))
        end = self.take("end", "a function, or the end of the text,")
        if self._locations is not None and next(self._locations, _NONE) is not _NONE:
            self.fail("there are fewer ops than locations", end)
        return Module(dialect, tuple(functions), entry, attributes, name)

    def _function(self) -> Steps[Function]:
        self._values = {}
        name = self.symbol()
        params = yield self._lists("params")
        results = yield self._lists("results")
        attributes = yield self._attributes("attrs")
        body = yield self._region()
        return Function(name, body, attributes, params, results)

    def _attributes(self, keyword: str) -> Steps[Attrs]:
        """``keyword {...}``, or nothing."""
        if not self.skip(keyword):
            return ()
        self.expect("{")
        attributes: Attrs = yield self.fields("}")
        return attributes

    def _lists(self, keyword: str) -> Steps[tuple[Attrs, ...]]:
        """``keyword [{...}, {...}]``, or nothing."""
        found: list[Attrs] = []
        if self.skip(keyword):
            self.expect("[")
            while not self.skip("]"):
                if found:
                    self.expect(",")
                self.expect("{")
                found.append((yield self.fields("}")))
        return tuple(found)

    def _region(self) -> Steps[Region]:
        label: int | None = None
        word = self.next
        if self.skip("^"):
            label = self.integer()
            if self.next.text != "(":
                known = self._labels.get(label)
                return known if known is not None else self.fail("no region before this one has this label", word)
            if label in self._labels:
                self.fail("a second region with this label", word)
            self._labels[label] = None
        region: Region = yield self._block()
        if label is not None:
            self._labels[label] = region
        return region

    def _block(self) -> Steps[Region]:
        params: list[Value] = []
        self.expect("(")
        while not self.skip(")"):
            if params:
                self.expect(",")
            names = [self._name()]
            self.expect(":")
            params += self._define(names, [(yield self.type())])
        self.expect("{")
        ops: list[Op] = []
        while not self.skip("return"):
            ops.append((yield self._op()))
        results = self._uses() if self.next.kind == "value" else ()
        self.expect("}")
        return Region(tuple(params), tuple(ops), results)

    def _op(self) -> Steps[Op]:
        names = [self._name()] if self.next.kind == "value" else []
        while names and self.skip(","):
            names.append(self._name())
        if names:
            self.expect("=")
        if self.next.kind == "bare" and self.next.text in KEYWORDS:
            self.fail("an op's name is missing")
        name = self.name("an op's name")
        self.expect("(")
        operands = self._uses() if self.next.kind == "value" else ()
        self.expect(")")
        attributes: Attrs = (yield self.fields("}")) if self.skip("{") else ()
        types: list[Type] = []
        while len(types) < len(names):
            self.expect("," if types else ":")
            types.append((yield self.type()))
        control: tuple[Value, ...] = ()
        if self.skip("control"):
            self.expect("(")
            control = self._uses()
            self.expect(")")
        location = self._location() if self.skip("at") else self._listed()
        regions: list[Region] = []
        while self.skip("region"):
            regions.append((yield self._region()))
        return Op(name, operands, self._define(names, types), attributes, tuple(regions), control, location)

    def _listed(self) -> Location | None:
        if self._locations is None:
            return None
        found = next(self._locations, _NONE)
        return self.fail("there are more ops than locations") if found is _NONE else found

    def _location(self) -> Location:
        self.expect("(")
        file = self.string()
        self.expect(":")
        line = self.integer()
        function = self.string() if self.skip(",") else ""
        self.expect(")")
        return Location(file, line, function)

    # Values: ``%7`` has no display name, ``%x`` and ``%"x y"`` have one.

    def _name(self) -> Word:
        word = self.take("value", "a value")
        if word.text == "%":
            string = self.take("string", "the name of a value")
            return Word("string", string.text, word.offset)
        return word

    def _define(self, names: list[Word], types: list[Type]) -> tuple[Value, ...]:
        found: list[Value] = []
        for word, type in zip(names, types, strict=True):
            if word.text in self._values:
                self.fail("this value is defined twice", word)
            value = self._values[word.text] = Value(type, self._display(word))
            found.append(value)
        return tuple(found)

    def _display(self, word: Word) -> str:
        if word.kind == "string":
            try:
                return unquote(word.text)
            except ValueError as problem:
                return self.fail(str(problem), word)
        name = word.text[1:]
        return "" if name.isdigit() else name

    def _uses(self) -> tuple[Value, ...]:
        found = [self._use()]
        while self.skip(","):
            found.append(self._use())
        return tuple(found)

    def _use(self) -> Value:
        word = self._name()
        value = self._values.get(word.text)
        return value if value is not None else self.fail("no value before this one has this name", word)
