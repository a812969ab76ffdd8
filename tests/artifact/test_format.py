"""The text of a trace and its reader, each the other's inverse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanir.artifact import SavedTrace, Trace, is_trace, portable, print_trace, read_trace
from scanir.artifact.trace import location_anywhere, locations
from scanir.compare.verdict import compare
from scanir.errors import ReadError
from scanir.ir.attrs import Array, Digest, Int, Seq, array
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Location, Module, Region, Value
from scanir.ir.printer import Style, print_module
from scanir.ir.types import TensorType
from scanir.normalize.rules import rule_set
from scanir.program import STAGES, Argument, Interface, Program
from scanir.result import Verdict
from scanir.strategies import strategies
from scanir.targets import resolve
from tests.growth import growth
from tests.ir.strategies import modules, texts, types

VEC = TensorType("f32", (3,))


def example() -> Trace:
    """A loop over two constants, a small and a large one."""
    main = RegionBuilder()
    s = main.param(VEC, "s")
    body = RegionBuilder()
    carry = body.param(VEC)
    (large,) = body.op("constant", (), [TensorType("f32", (32,))], {"value": array("f32", (32,), bytes(range(128)))})
    (y,) = body.op("mul", [carry, carry], [VEC], location=Location("a.py", 7, "step"))
    results = main.op(
        "scan", [s], [VEC], {"num_carry": Int(1), "length": Int(9)}, [body.region([y])], location=Location("a.py", 9)
    )
    assert large.type != VEC
    module = Module("jaxpr", (Function("main", main.region(results)),), "main")
    interface = Interface((Argument("s", VEC, 0),), (0,), ("",), (), "PyTreeDef(((*,), {}))", "PyTreeDef(*)")
    program = Program(
        "jaxpr", module, interface, "m.py:f", (), (("jax", "0.10.2"),), ("argument n is static: 3",), (("temp", 8),)
    )
    return Trace("m.py:f", "f32[3], n=static(3)", (program,), (("cores", "2"),))


TEXT = """\
scanir 1
target "m.py:f"
arguments "f32[3], n=static(3)"
machine {cores = "2"}

== jaxpr
provenance {jax = "0.10.2"}
argument "s" f32[3] {position = 0}
kept [0]
result ""
input "PyTreeDef(((*,), {}))"
output "PyTreeDef(*)"
callbacks []
note "argument n is static: 3"
size "temp" 8
module jaxpr entry @main

func @main (%s: f32[3]) {
  %1 = scan(%s) {length = 9, num_carry = 1} : f32[3] region (%2: f32[3]) {
    %3 = constant() {value = array(f32[32], sha256 "DIGEST")} : f32[32]
    %4 = mul(%2, %2) : f32[3]
    return %4
  }
  return %1
}

== jaxpr lines
1 "a.py": 9
1 nowhere
1 "a.py": 7, "step"

== end
""".replace("DIGEST", "471fb943aa23c511f6f72f8d1652d9c880cfa392ad80503120547703e56a2be5")


def whole(saved: SavedTrace) -> Trace:
    return Trace(saved.target, saved.arguments, tuple(map(saved.program, saved.stages)), saved.machine)


def test_text_of_a_trace() -> None:
    text = print_trace(example(), digests=True)
    assert text == TEXT
    assert print_trace(whole(read_trace(text))) == text
    assert is_trace(text.encode())


def test_what_an_unrelated_change_of_the_source_moves_can_be_left_out() -> None:
    text = print_trace(example(), lines=False)
    assert "a.py" not in text
    assert "note" not in text
    assert "size" not in text
    assert print_trace(whole(read_trace(text)), lines=False) == text


def test_locations_come_back_to_their_ops() -> None:
    (function,) = read_trace(print_trace(example())).program("jaxpr").module.functions
    (scan,) = function.body.ops
    assert scan.location == Location("a.py", 9)
    assert [op.location for op in scan.regions[0].ops] == [None, Location("a.py", 7, "step")]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    stage = draw(st.sampled_from(STAGES))
    module = draw(modules("hlo" if stage == "hlo-in" else stage))
    params = len(module.function(module.entry).body.params)
    fields = st.builds(
        Argument, texts, types, st.integers(-1, 3), texts, st.booleans(), st.booleans(), texts, texts
    )  # fmt: skip
    arguments = tuple(draw(st.lists(fields, min_size=1, max_size=3)))
    kept = tuple(draw(st.lists(st.integers(-1, len(arguments) - 1), min_size=params, max_size=params)))
    constants = ((0, draw(st.just(array("f32", (20,), bytes(range(80)))))),) if params else ()
    interface = Interface(arguments, kept, tuple(draw(st.lists(texts))), constants, draw(texts), draw(texts))
    facts = tuple(sorted(draw(st.dictionaries(texts, texts, max_size=3)).items()))
    sizes = tuple(draw(st.lists(st.tuples(texts, st.integers(0, 2**80)), max_size=2)))
    return Program(stage, module, interface, draw(texts), draw(st.sampled_from([None, ()])), facts, (), sizes)


@pytest.mark.compat
@settings(max_examples=30)
@given(programs(), texts, texts, st.booleans(), st.booleans())
def test_reader_is_the_inverse_of_the_printer(
    program: Program, target: str, arguments: str, digests: bool, lines: bool
) -> None:
    text = print_trace(Trace(target, arguments, (program,)), digests=digests, lines=lines)
    back = whole(read_trace(text))
    assert print_trace(back, digests=digests, lines=lines) == text
    assert (back.target, back.arguments) == (target, arguments)
    style = Style(names=True, digests=digests)
    assert print_module(back.programs[0].module, style) == print_module(program.module, style)
    if lines:
        assert locations(back.programs[0].module) == list(map(location_anywhere, locations(program.module)))
    assert back.programs[0].provenance == program.provenance
    read, written = back.programs[0].interface, program.interface
    assert replace(read, constants=()) == replace(written, constants=())
    for (_, value), (_, original) in zip(read.constants, written.constants, strict=True):
        assert isinstance(original, Array)
        assert value == (Digest.of(original) if digests else original)


@settings(max_examples=30)
@given(programs(), st.data())
def test_a_cut_or_altered_text_is_read_or_refused_never_a_crash(program: Program, data: st.DataObject) -> None:
    text = print_trace(Trace("t", "", (program,)))
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 5)))
    put = data.draw(st.sampled_from(["", '"', "}", "\n==", "0x", "%", "9" * 5000, "\\"]))
    try:
        again = print_trace(whole(read_trace(text[:start] + put + text[stop:])))
    except ReadError:
        return
    assert print_trace(whole(read_trace(again))) == again


@pytest.mark.parametrize(
    ("old", "new", "what", "where"),
    [
        ("scanir 1", "scanir 2", "is of version 2 of the format", "x:1:1"),
        ("scanir 1", "scanir one", "is no .scanir text", "x:1:1"),
        ('target "m.py:f"', 'targets "m.py:f"', "no line begins with this word", "x:2:1"),
        ('target "m.py:f"', 'target "a" target "b"', "target is said twice", "x:2:19"),
        ('{cores = "2"}', "{cores = 2}", "a record of texts is missing", "x:4:9"),
        ("== jaxpr\n", "== python\n", "no section has this name here: 'python'", "x:6:1"),
        ("== jaxpr lines", "== jaxpr", "a second section: 'jaxpr'", "x:27:1"),
        ("== jaxpr lines", "== hlo lines", "no section has this name here: 'hlo lines'", "x:27:1"),
        ("{position = 0}", "{places = 0}", "no fields of an argument", "x:8:21"),
        ("kept [0]", "kept [1]", "kept names an argument that is not among the 1", "x:16:1"),
        ("kept [0]", "kept []", "kept names 0 parameters of 1", "x:16:1"),
        ("kept [0]", "kept 0", "a list of integers is missing", "x:9:6"),
        ("callbacks []", "callbacks [1]", "a list of host functions is missing", "x:13:11"),
        ("module jaxpr", "module hlo", "the module of stage jaxpr is of the dialect 'hlo'", "x:16:1"),
        ("module jaxpr", "Module jaxpr", "no line begins with this word", "x:16:1"),
        ("entry @main", "entry @other", "the module is not well formed", "x:16:1"),
        ("length = 9", "length = nine", "no attribute starts with this word", "x:19:27"),
        ('sha256 "4', 'sha256 "', "a SHA-256 has 64 hexadecimal digits", "x:20:45"),
        ("1 nowhere", "2 nowhere", "there are fewer ops than locations", "x:27:1"),
        ("1 nowhere\n", "", "there are more ops than locations", "x:22:5"),
        ("1 nowhere", "0 nowhere", "a count of ops is 1 or more", "x:29:1"),
        ("1 nowhere", "1 somewhere", "a string is missing", "x:29:3"),
    ],
)  # fmt: skip
def test_malformed_texts_are_refused(old: str, new: str, what: str, where: str) -> None:
    assert TEXT.count(old)
    at = TEXT.rindex(old) if old == "module jaxpr" else TEXT.index(old)
    with pytest.raises(ReadError) as caught:
        whole(read_trace(TEXT[:at] + new + TEXT[at + len(old) :], "x"))
    assert what in caught.value.what
    assert caught.value.where == where
    assert caught.value.hint


def test_a_text_without_a_stage_is_refused() -> None:
    with pytest.raises(ReadError, match="no stage follows"):
        read_trace('scanir 1\ntarget "x"\n\n== end\n')


@pytest.mark.parametrize("cut", [TEXT.index("\n== jaxpr lines"), len(TEXT) - len("\n== end\n"), len(TEXT) - 1, 40])
def test_a_text_that_was_cut_off_is_refused(cut: int) -> None:
    with pytest.raises(ReadError):
        read_trace(TEXT[:cut])
    with pytest.raises(ReadError, match="something follows its end"):
        read_trace(TEXT + "x")


def nested(depth: int) -> Trace:
    """Ops inside ops, to that depth."""
    region = Region((), (), ())
    for _ in range(depth):
        builder = RegionBuilder()
        builder.op("custom", (), (), {"of": Seq((Int(10**50),))}, [region], location=Location("a.py", 1))
        region = builder.region([])
    module = Module("jaxpr", (Function("main", region),), "main")
    return Trace("t", "", (Program("jaxpr", module, Interface((), ())),))


def test_nesting_costs_no_stack() -> None:
    text = print_trace(nested(1500))
    assert print_trace(whole(read_trace(text))) == text


def chain(length: int) -> Trace:
    builder = RegionBuilder()
    value: Value = builder.param(VEC, "x")
    for k in range(length):
        (value,) = builder.op("mul", [value, value], [VEC], names=["same"], location=Location("a.py", k))
    module = Module("jaxpr", (Function("main", builder.region([value])),), "main")
    return Trace("t", "", (Program("jaxpr", module, Interface((Argument("x", VEC, 0),), (0,), ("",))),))


def test_large_modules_take_linear_time() -> None:
    traces = {size: chain(size) for size in (500, 4000)}
    assert growth(lambda size: whole(read_trace(print_trace(traces[size]))), 500) < 24


def test_the_example_of_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "scanir-format.md").read_text()
    saved = read_trace(page.split("```\n")[1])
    program = resolve(saved.target).trace(("jaxpr",))["jaxpr"]
    assert compare(program, saved.program("jaxpr"), rule_set(["provenance"])).verdict in (
        Verdict.IDENTICAL, Verdict.EQUIVALENT,
    )  # fmt: skip
    assert len(locations(saved.program("jaxpr").module)) == 3


def comes_back(name: str) -> None:
    target = resolve(name)
    for stage, program in target.trace(STAGES).items():
        text = print_trace(portable(Trace(name, str(target.arguments()), (program,))))
        saved = read_trace(text)
        assert print_trace(whole(saved)) == text
        assert compare(program, saved.program(stage), rule_set(strict=True)).verdict is Verdict.IDENTICAL
        assert saved.arguments == str(target.arguments())


@pytest.mark.compat
@pytest.mark.parametrize("name", ["lambda", "fibonacci-fori"])
def test_programs_come_back_identical(name: str) -> None:
    comes_back(name)


@pytest.mark.full
@pytest.mark.parametrize("name", [strategy.name for strategy in strategies()])
def test_all_strategies_come_back_identical(name: str) -> None:
    comes_back(name)
