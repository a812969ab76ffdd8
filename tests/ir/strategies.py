"""Hypothesis strategies for types, attributes and well-formed modules; for the tests of every phase.

`modules` gives modules that `scanir.ir.verify` accepts: nested regions, captures (except in HLO), structured ops of the
dialect, calls, shared closed regions, control edges, odd names. What their plain ops mean is nobody's business.
"""

from __future__ import annotations

from collections.abc import Callable as Function_of
from dataclasses import dataclass, field

from hypothesis import strategies as st

from scanir.ir.attrs import (
    Array,
    Attr,
    Bool,
    Callable,
    Float,
    Hidden,
    Int,
    Opaque,
    Record,
    Seq,
    Symbol,
    Text,
    TypeAttr,
    array,
)
from scanir.ir.builder import RegionBuilder
from scanir.ir.conventions import WIDTHS
from scanir.ir.graph import Function, Location, Module, Region, Value
from scanir.ir.types import TOKEN, OpaqueType, TensorType, TupleType, Type

DIALECTS = ("jaxpr", "stablehlo", "hlo")
BOOL, I32 = TensorType("bool"), TensorType("i32")

#: Any string at all: control characters, quotes, lone surrogates.
texts = st.text(alphabet=st.sampled_from("aB0 \"\\'*/{}%\n\t\r\0\x7f\x85\u00e9\u2028\ud800\U0001f600"), max_size=4)
words = st.sampled_from(["a", "b2", "in.side", "x-y", "return", "region", "at", "func", "b64", "_", "7", "a.1"])
names = st.one_of(words, words, texts)

dtypes = st.sampled_from(sorted(WIDTHS))
dims = st.one_of(st.integers(0, 3), st.integers(0, 3), st.sampled_from(["n", "2*n", "1"]))


def _extras(attrs: st.SearchStrategy[Attr]) -> st.SearchStrategy[tuple[tuple[str, Attr], ...]]:
    keys = st.sampled_from(["layout", "weak_type", "sharding", "odd key"])
    return st.dictionaries(keys, attrs, max_size=2).map(lambda found: tuple(sorted(found.items())))


@st.composite
def arrays(draw: st.DrawFn) -> Array:
    """A whole array of any dtype; a quarter of them splats."""
    dtype = draw(dtypes)
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=2)))
    count = 1
    for dim in shape:
        count *= dim
    size = WIDTHS[dtype] * count
    if dtype == "bool":
        return array(dtype, shape, bytes(draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))))
    if draw(st.integers(0, 3)) == 0:
        return array(dtype, shape, draw(st.binary(min_size=WIDTHS[dtype], max_size=WIDTHS[dtype])) * count)
    return array(dtype, shape, draw(st.binary(min_size=size, max_size=size)))


floats = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1e16, 1e-7, 5e-324])).map(Float.of) | st.integers(
    0, 2**64 - 1
).map(Float)
integers = st.one_of(st.integers(-9, 9), st.integers(), st.integers(0, 2**200)).map(Int)
plain_attrs: st.SearchStrategy[Attr] = st.one_of(
    st.booleans().map(Bool),
    integers,
    floats,
    texts.map(Text),
    arrays(),
    st.builds(Opaque, names, texts),
    st.builds(Callable, names, texts, st.just(0)),
    st.builds(Hidden, names, texts, texts),
)


def _types(extras: st.SearchStrategy[Attr]) -> st.SearchStrategy[Type]:
    tensor = st.builds(
        TensorType,
        st.one_of(dtypes, st.sampled_from(["key<fry>", "opaque", "token"])),
        st.lists(dims, max_size=3).map(tuple),
        _extras(extras),
    )
    flat = st.one_of(tensor, tensor, st.just(TOKEN), texts.map(OpaqueType))
    return st.recursive(
        flat, lambda inner: st.lists(inner, max_size=3).map(lambda found: TupleType(tuple(found))), max_leaves=4
    )


attrs: st.SearchStrategy[Attr] = st.recursive(
    plain_attrs,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda found: Seq(tuple(found))),
        st.dictionaries(names, inner, max_size=3).map(lambda found: Record(tuple(sorted(found.items())))),
        _types(inner).map(TypeAttr),
    ),
    max_leaves=5,
)
types: st.SearchStrategy[Type] = _types(plain_attrs)
attribute_dicts = st.dictionaries(names.filter(lambda name: name != "callee"), attrs, max_size=2)


@dataclass(slots=True)
class _Writer:
    """Draws the ops of one module. ``budget`` bounds their number, whatever is nested in what."""

    draw: st.DrawFn
    dialect: str
    budget: int
    types: list[Type]
    fields: list[dict[str, Attr]]
    functions: list[Function] = field(default_factory=list)
    shared: list[Region] = field(default_factory=list)

    def region(self, params: list[Type], results: list[Type] | None, outer: list[Value], depth: int) -> Region:
        """A region with these parameters, and with these results or any."""
        builder = RegionBuilder()
        visible = [] if self.dialect == "hlo" else list(outer)
        visible += [builder.param(type, self._name()) for type in params]
        for _ in range(self.draw(st.integers(0, 4))):
            if self.budget > 0:
                self.budget -= 1
                visible += self._op(builder, visible, depth)
        if results is None:
            return builder.region(self._some(visible))
        return builder.region([self.value(builder, visible, type) for type in results])

    def value(self, builder: RegionBuilder, visible: list[Value], type: Type) -> Value:
        """A value of a type: one that is there, or a new one."""
        there = [value for value in visible if value.type == type]
        if there and self.draw(st.booleans()):
            return self.draw(st.sampled_from(there))
        return builder.op("make", self._some(visible), [type], names=[self._name()])[0]

    def _name(self) -> str:
        return self.draw(st.one_of(st.just(""), names))

    def _some(self, visible: list[Value]) -> list[Value]:
        return self.draw(st.lists(st.sampled_from(visible), max_size=3)) if visible else []

    def _type(self) -> Type:
        return self.draw(st.sampled_from(self.types))

    def _fields(self) -> dict[str, Attr]:
        return dict(self.draw(st.sampled_from(self.fields)))

    def _op(self, builder: RegionBuilder, visible: list[Value], depth: int) -> tuple[Value, ...]:
        makers: list[Function_of[[RegionBuilder, list[Value], int], tuple[Value, ...]]] = [self._plain, self._constant]
        if depth < 3:
            makers += [self._loop, self._branch, self._with_regions]
            if self.dialect == "jaxpr":
                makers.append(self._scan)
        if self.functions:
            makers.append(self._call)
        return self.draw(st.sampled_from(makers))(builder, visible, depth)

    def _plain(self, builder: RegionBuilder, visible: list[Value], depth: int) -> tuple[Value, ...]:
        found = [self._type() for _ in range(self.draw(st.integers(0, 2)))]
        fields = self._fields()
        if self.functions and self.draw(st.booleans()):
            fields["to_apply"] = Seq((Symbol(self.draw(st.sampled_from(self.functions)).name),))
        return builder.op(
            self.draw(st.sampled_from(["add", "stablehlo.add", "get-tuple-element", "odd op", "return", "at"])),
            self._some(visible),
            found,
            fields,
            control=self._some(visible)[:1],
            location=self.draw(st.none() | st.builds(Location, texts, st.integers(0, 99), texts)),
            names=[self._name() for _ in found],
        )

    def _constant(self, builder: RegionBuilder, visible: list[Value], depth: int) -> tuple[Value, ...]:
        value = self.draw(arrays())
        return builder.op("constant", (), [TensorType(value.dtype, value.shape)], {"value": value})

    def _loop(self, builder: RegionBuilder, visible: list[Value], depth: int) -> tuple[Value, ...]:
        slots = [self._type() for _ in range(1 if self.dialect == "hlo" else self.draw(st.integers(1, 3)))]
        regions = [self.region(slots, [BOOL], visible, depth + 1), self.region(slots, slots, visible, depth + 1)]
        inits = [self.value(builder, visible, type) for type in slots]
        name = "stablehlo.while" if self.dialect == "stablehlo" else "while"
        return builder.op(name, inits, slots, self._fields(), regions)

    def _scan(self, builder: RegionBuilder, visible: list[Value], depth: int) -> tuple[Value, ...]:
        length = self.draw(st.integers(0, 5))
        carries = [self._type() for _ in range(self.draw(st.integers(0, 2)))]
        steps = [TensorType("f32", (2,)), I32]
        xs, ys = (steps[: self.draw(st.integers(0, 2))] for _ in range(2))
        body = self.region([*carries, *xs], [*carries, *ys], visible, depth + 1)
        stacked = [[TensorType(step.dtype, (length, *step.shape)) for step in each] for each in (xs, ys)]
        operands = [self.value(builder, visible, type) for type in (*carries, *stacked[0])]
        fields: dict[str, Attr] = {
            "num_carry": Int(len(carries)),
            "length": Int(length),
            "reverse": Bool(self.draw(st.booleans())),
        }
        return builder.op("scan", operands, [*carries, *stacked[1]], fields, [body])

    def _branch(self, builder: RegionBuilder, visible: list[Value], depth: int) -> tuple[Value, ...]:
        count = self.draw(st.integers(1, 3))
        bound = [self._type() for _ in range({"hlo": count, "stablehlo": 0}.get(self.dialect, 2))]
        per_branch = [[type] for type in bound] if self.dialect == "hlo" else [bound] * count
        results = [self._type() for _ in range(self.draw(st.integers(1, 2)))]
        regions = [self.region(params, results, visible, depth + 1) for params in per_branch]
        selector = self.value(builder, visible, I32)
        operands = [self.value(builder, visible, type) for type in bound]
        name = {"jaxpr": "cond", "stablehlo": "stablehlo.case", "hlo": "conditional"}[self.dialect]
        return builder.op(name, [selector, *operands], results, {}, regions)

    def _with_regions(self, builder: RegionBuilder, visible: list[Value], depth: int) -> tuple[Value, ...]:
        """A plain op with regions, among them a closed one that an earlier op may have too."""
        found = [self._type()]
        regions = [self.region([self._type()], None, visible, depth + 1)]
        if not self.shared or self.draw(st.booleans()):
            self.shared.append(self.region([I32, I32], None, [], depth + 1))
        regions.append(self.draw(st.sampled_from(self.shared)))
        return builder.op("reduce", self._some(visible), found, self._fields(), regions)

    def _call(self, builder: RegionBuilder, visible: list[Value], depth: int) -> tuple[Value, ...]:
        callee = self.draw(st.sampled_from(self.functions))
        arguments = [self.value(builder, visible, param.type) for param in callee.body.params]
        name = {"jaxpr": "jit", "stablehlo": "func.call", "hlo": "fusion"}[self.dialect]
        results = [result.type for result in callee.body.results]
        return builder.op(name, arguments, results, {"callee": Symbol(callee.name)})

    def function(self, name: str) -> Function:
        body = self.region([self._type() for _ in range(self.draw(st.integers(0, 3)))], None, [], 0)
        lists = [
            tuple(tuple(sorted(self._fields().items())) for _ in values) if self.draw(st.booleans()) else ()
            for values in (body.params, body.results)
        ]
        return Function(name, body, tuple(sorted(self._fields().items())), *lists)


@st.composite
def modules(draw: st.DrawFn, dialect: str | None = None, size: int = 12) -> Module:
    """A well-formed module with about ``size`` ops besides those that make values of a wanted type."""
    chosen = dialect or draw(st.sampled_from(DIALECTS))
    # A few types and attribute lists a module: so values of one type meet, and a module is drawn in milliseconds.
    pool = draw(st.lists(types, min_size=1, max_size=3))
    fields = [{}, *draw(st.lists(attribute_dicts, max_size=3))]
    writer = _Writer(draw, chosen, size, pool, fields)
    labels = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    for label in labels:
        writer.functions.append(writer.function(label))
    attributes = tuple(sorted(draw(st.sampled_from(fields)).items()))
    return Module(chosen, tuple(writer.functions), labels[-1], attributes, draw(st.sampled_from(["", "m", "jit_f \n"])))
