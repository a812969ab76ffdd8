"""Whole modules: names, regions, calls, locations, and every dialect of the text."""

from __future__ import annotations

import pytest

from scanir.errors import ReadError
from scanir.ir.attrs import Bool, Float, Hidden, Int, Opaque, Record, Seq, Symbol, Text, array
from scanir.ir.graph import Location, Module, Op
from scanir.ir.types import TOKEN, TensorType, TupleType
from scanir.ir.verify import verify
from scanir.readers.hlo import read_hlo

LOOP = """
HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[2]{0})->f32[2]{0}}, num_partitions=4

FileNames
1 "/home/me/model.py"
2 "/home/me/other.py"

FunctionNames
1 "step"

FileLocations
1 {file_name_id=2 function_name_id=1 line=7 end_line=7 column=2 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%body (p: (s32[], f32[2])) -> (s32[], f32[2]) {
  %p = (s32[], f32[2]{0}) parameter(0)
  %one = s32[] constant(1)
  %i = s32[] get-tuple-element(%p), index=0
  %x = f32[2]{0} get-tuple-element((s32[], f32[2]{0}) %p), index=1, metadata={op_name="a/b" stack_frame_id=1}
  %j = s32[] add(%i, /*index=1*/%one)
  ROOT %t = (s32[], f32[2]{0}) tuple(%j, %x)
}

%cond (p.1: (s32[], f32[2])) -> pred[] {
  %p.1 = (s32[], f32[2]{0}) parameter(0)
  %n = s32[] constant(10)
  %i.1 = s32[] get-tuple-element(%p.1), index=0
  ROOT %lt = pred[] compare(%i.1, %n), direction=LT
}

ENTRY %main (x.1: f32[2]) -> f32[2] {
  %x.1 = f32[2]{0} parameter(0), sharding={replicated}, metadata={op_name="x"}
  %zero = s32[] constant(0)
  %init = (s32[], f32[2]{0}) tuple(%zero, %x.1)
  %w = (s32[], f32[2]{0}) while(%init), condition=%cond, body=%body, metadata={source_file="/m.py" source_line=3}
  ROOT %out = f32[2]{0} get-tuple-element(%w), index=1, control-predecessors={%zero, %init}
}
"""


def entry(module: Module) -> tuple[Op, ...]:
    return module.function(module.entry).body.ops


def only(body: str, header: str = "") -> Op:
    """The root op of a module of one computation (others in ``header``)."""
    module = read_hlo(f"HloModule m\n{header}\nENTRY e {{\n{body}\n}}")
    verify(module)
    return entry(module)[-1]


def test_a_loop_is_read_whole() -> None:
    module = read_hlo(LOOP, source="loop.txt")
    verify(module)
    assert (module.dialect, module.name, module.entry) == ("hlo", "jit_f", "main")
    assert [function.name for function in module.functions] == ["body", "cond", "main"]
    assert dict(module.attributes) == {
        "is_scheduled": Bool(True),
        "entry_computation_layout": Opaque("hlo", "{(f32[2]{0})->f32[2]{0}}"),
        "num_partitions": Int(4),
    }
    zero, init, loop, out = entry(module)
    assert [op.name for op in entry(module)] == ["constant", "tuple", "while", "get-tuple-element"]
    assert zero.attribute("value") == array("i32", (), b"\0\0\0\0")
    assert loop.regions == (module.function("cond").body, module.function("body").body)
    assert loop.attributes == ()
    assert out.attributes == (("index", Int(1)),)
    assert out.control == (zero.results[0], init.results[0])
    main = module.function("main")
    assert main.body.results == out.results
    assert main.param_attrs == ((("sharding", Opaque("hlo", "{replicated}")),),)
    assert main.body.params[0].type == TensorType("f32", (2,))


def test_locations_come_from_frames_and_from_source_lines() -> None:
    module = read_hlo(LOOP)
    taken = next(op for op in module.function("body").body.ops if op.results[0].name == "x")
    assert taken.location == Location("/home/me/other.py", 7, "step")
    assert entry(module)[2].location == Location("/m.py", 3)
    assert entry(module)[0].location is None


def test_names_may_do_without_percent_and_operands_with_types() -> None:
    plain = read_hlo(LOOP.replace("%", ""))
    typed = read_hlo(LOOP.replace("add(%i, ", "add(s32[] %i, s32[] "))
    for module in (plain, typed):
        verify(module)
        assert [op.name for op in entry(module)] == [op.name for op in entry(read_hlo(LOOP))]


def test_computations_may_stand_in_any_order() -> None:
    head, _, main = LOOP.partition("ENTRY")
    tables, _, others = head.partition("%body (p:")
    module = read_hlo(f"{tables}ENTRY{main}\n%body (p:{others}")
    verify(module)
    assert [function.name for function in module.functions] == ["main", "body", "cond"]
    assert entry(module)[2].regions == (module.function("cond").body, module.function("body").body)


def test_without_entry_the_last_computation_is_it() -> None:
    module = read_hlo("HloModule m\na { x = f32[] parameter(0) }\nb { ROOT y = f32[2] parameter(0) }")
    assert module.entry == "b"


def test_without_root_the_last_instruction_is_it() -> None:
    module = read_hlo("a { x = f32[] parameter(0)\n y = f32[] abs(x)\n z = f32[] negate(x) }")
    assert module.name == ""
    assert module.function("a").body.results[0].name == "z"


def test_a_single_instruction_is_a_module() -> None:
    module = read_hlo("ROOT %i = s32[4] iota(), iota_dimension=0")
    assert entry(module)[0].attributes == (("iota_dimension", Int(0)),)


def test_parameters_stand_in_the_order_of_their_numbers() -> None:
    module = read_hlo("e { b = f32[2] parameter(1)\n a = f32[] parameter(0)\n ROOT t = (f32[2], f32[]) tuple(b, a) }")
    assert [value.name for value in module.function("e").body.params] == ["a", "b"]


REDUCER = "add { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b) }"
BRANCHES = "t { ROOT p = f32[] parameter(0) }\nf { q = f32[] parameter(0)\n ROOT n = f32[] negate(q) }"


def test_reference_attributes_become_regions_and_are_removed() -> None:
    op = only("x = f32[3] parameter(0)\n z = f32[] constant(0)\n"
              "ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add", REDUCER)  # fmt: skip
    assert [len(region.ops) for region in op.regions] == [1]
    assert op.attributes == (("dimensions", Seq((Int(0),))),)


@pytest.mark.parametrize(
    "written", ["true_computation=t, false_computation=f", "false_computation=f, true_computation=t"]
)
def test_true_comes_before_false(written: str) -> None:
    op = only("p = pred[] parameter(0)\n x = f32[] constant(1)\n"
              f"ROOT c = f32[] conditional(p, x, x), {written}", BRANCHES)  # fmt: skip
    assert [len(region.ops) for region in op.regions] == [0, 1]
    assert op.attributes == ()


def test_branches_keep_their_order() -> None:
    op = only("p = s32[] parameter(0)\n x = f32[] constant(1)\n"
              "ROOT c = f32[] conditional(p, x, x, x), branch_computations={%f, %t, %f}", BRANCHES)  # fmt: skip
    assert [len(region.ops) for region in op.regions] == [1, 0, 1]


def test_select_and_scatter_has_both_in_order() -> None:
    ge = "ge { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT g = pred[] compare(a, b), direction=GE }"
    op = only("x = f32[4] parameter(0)\n s = f32[2] parameter(1)\n z = f32[] constant(0)\n"
              "ROOT r = f32[4] select-and-scatter(x, s, z), window={size=2 stride=2}, scatter=add, select=ge",
              f"{REDUCER}\n{ge}")  # fmt: skip
    assert [region.ops[-1].name for region in op.regions] == ["compare", "add"]
    assert op.attributes == (("window", Opaque("hlo", "{size=2 stride=2}")),)


def test_roles_that_an_op_does_not_usually_have_are_kept() -> None:
    usual = only("x = f32[] parameter(0)\n ROOT o = f32[] odd(x, x), to_apply=add", REDUCER)
    odd = only("x = f32[] parameter(0)\n ROOT o = f32[] odd(x, x), select=add", REDUCER)
    assert usual.attributes == ()
    assert odd.attributes == (("region_roles", Seq((Text("select"),))),)


def test_calls_and_fusions_have_a_callee() -> None:
    call = only("x = f32[] parameter(0)\n ROOT c = f32[] call(x, x), to_apply=%add", REDUCER)
    fusion = only("x = f32[] parameter(0)\n ROOT c = f32[] fusion(x, x), kind=kLoop, calls=add", REDUCER)
    assert call.attributes == (("callee", Symbol("add")),)
    assert fusion.attributes == (("callee", Symbol("add")), ("kind", Text("kLoop")))
    assert call.regions == fusion.regions == ()


def test_asynchronous_ops_in_both_spellings() -> None:
    head = "x = f32[] parameter(0)\n ROOT s = ((f32[], f32[]), f32[], u32[])"
    start = only(f"{head} async-start(x, x), calls=add", REDUCER)
    sugar = only(f'{head} call-start(x, x), to_apply=add, async_execution_thread="host"', REDUCER)
    assert start.attribute("callee") == sugar.attribute("callee") == Symbol("add")
    assert sugar.attribute("async_execution_thread") == Text("host")


def test_custom_calls_bring_their_computations() -> None:
    op = only('x = f32[] parameter(0)\n ROOT c = f32[] custom-call(x), custom_call_target="T",'
              " called_computations={add, %add},"
              " custom_call_has_side_effect=true, what_is_this={a=[b]}", REDUCER)  # fmt: skip
    assert len(op.regions) == 2
    assert op.attributes == (
        ("custom_call_has_side_effect", Bool(True)),
        ("custom_call_target", Text("T")),
        ("what_is_this", Opaque("hlo", "{a=[b]}")),
    )


def test_nested_computations_are_functions_too() -> None:
    module = read_hlo("""
      ENTRY e {
        x = f32[] parameter(0)
        ROOT c = f32[] call(x), to_apply={
          y = f32[] parameter(0)
          ROOT d = call(y), to_apply={
            z = f32[] parameter(0)
            ROOT n = negate(z)
          }
        }, frontend_attributes={a="b"}
      }""")
    verify(module)
    assert module.entry == "e"
    assert len(module.functions) == 3
    assert entry(module)[0].attribute("frontend_attributes") == Record((("a", Text("b")),))


def test_operands_may_be_instructions() -> None:
    module = read_hlo("ENTRY e { ROOT a = f32[2] add(abs(f32[2] parameter(0)), negate(f32[2] parameter(1))) }")
    verify(module)
    assert [op.name for op in entry(module)] == ["abs", "negate", "add"]


def test_a_type_that_follows_need_not_be_written() -> None:
    module = read_hlo("""
      ENTRY e {
        x = f32[2,3]{0,1} parameter(0)
        s = sine(x)
        c = compare(s, x), direction=LT
        t = tuple(s, c)
        g = get-tuple-element(t), index=1
        k = after-all()
        p = pad(s, f32[] constant(0)), padding=1_0x0_2_1
        ROOT r = tuple(g, k, p)
      }""")
    verify(module)
    assert module.function("e").body.results[0].type == TupleType(
        (TensorType("bool", (2, 3)), TOKEN, TensorType("f32", (3, 7)))
    )


def test_a_constant_tuple_is_a_tuple_of_constants() -> None:
    module = read_hlo("ENTRY e { ROOT c = (f32[], (s32[2], pred[])) constant((1, ({2, 3}, true))) }")
    verify(module)
    assert [op.name for op in entry(module)] == ["constant", "constant", "constant", "tuple", "tuple"]
    assert module.function("e").body.results[0].name == "c"


def test_a_literal_fills_an_elided_constant() -> None:
    text = "ENTRY e { ROOT c = f32[3] constant({...}) }"
    value = array("f32", (3,), bytes(range(12)))
    assert entry(read_hlo(text, literals={"c": value}))[0].attribute("value") == value
    hidden = entry(read_hlo(text))[0].attribute("value")
    assert isinstance(hidden, Hidden)
    assert hidden.what == "elided-constant"
    with pytest.raises(ReadError, match="literal for 'c'"):
        read_hlo(text, literals={"c": array("f32", (4,), bytes(16))})
    shown = read_hlo("ENTRY e { ROOT c = f32[1] constant({2}) }", literals={"c": array("f32", (1,), bytes(4))})
    assert entry(shown)[0].attribute("value") == array("f32", (1,), b"\0\0\0@")


def test_a_name_that_means_a_computation_is_resolved_in_any_attribute() -> None:
    percent = only("x = f32[] parameter(0)\n ROOT c = f32[] odd(x), reducer=%add, list={%add, 3}", REDUCER)
    assert percent.attribute("reducer") == Symbol("add")
    assert percent.attribute("list") == Seq((Opaque("hlo", "{%,3}"), Symbol("add")))
    bare = only("x = f32[] parameter(0)\n ROOT c = f32[] odd(x), reducer=add, kind=add", REDUCER)
    assert bare.attribute("reducer") == Seq((Opaque("hlo", "add"), Symbol("add")))
    assert bare.attribute("kind") == Text("add")


@pytest.mark.parametrize("value", ["%nothing", "{a, %x}", "x", "e"])
def test_a_name_that_cannot_be_resolved_is_hidden(value: str) -> None:
    op = only(f"x = f32[] parameter(0)\n ROOT c = f32[] odd(x), what={value}")
    hidden = op.attribute("what")
    assert isinstance(hidden, Hidden)
    assert hidden.what == "unresolved-reference"


def test_execution_threads_of_computations_are_kept() -> None:
    body = "{ ROOT x = f32[] parameter(0) }"
    module = read_hlo(f'a {body}, execution_thread="host"\nENTRY e {body}')
    assert module.function("a").attributes == (("execution_thread", Text("host")),)


def test_comments_are_no_part_of_the_text_and_strings_are() -> None:
    op = only("// RUN: %s\n# RUN\n x = f32[] parameter(0) /* {{ */\n"
              'ROOT c = f32[] custom-call(x), custom_call_target="//a/*b*/"')  # fmt: skip
    assert op.attribute("custom_call_target") == Text("//a/*b*/")


def test_floats_in_attributes_are_exact() -> None:
    op = only("x = f32[] parameter(0)\n ROOT c = f32[] odd(x), epsilon=1e-05")
    assert op.attribute("epsilon") == Float.of(1e-05)
