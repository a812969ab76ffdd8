"""Wrong answers that an adversarial tester once got, as the smallest programs that gave them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import scanir
from scanir.result import Verdict

f32 = jax.ShapeDtypeStruct((), jnp.float32)
UNEQUAL = (Verdict.DIFFERENT, Verdict.INCONCLUSIVE)


def printing(in_condition: bool) -> Any:
    def said(x: Any, value: Any, here: bool) -> Any:
        if here:
            jax.debug.print("{}", x)
        return value

    return lambda x: lax.while_loop(
        lambda s: said(x, s[0] < 1, in_condition),
        lambda s: said(x, (s[0] + 1, jnp.sin(s[1])), not in_condition),
        (0, x),
    )[1]


def test_effects_of_a_condition_are_not_effects_of_the_body() -> None:
    """The condition runs once more than the body."""
    for stage in ("jaxpr", "stablehlo", "hlo"):
        assert scanir.diff(printing(True), printing(False), f32, stage=stage).verdict in UNEQUAL, stage
        assert scanir.diff(printing(True), printing(True), f32, stage=stage).verdict is Verdict.IDENTICAL, stage


def hlo(tmp_path: Any, body: str, *, parts: str = "", header: str = "") -> str:
    """A file of HLO text, its entry computation given."""
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.txt"
    path.write_text(f"HloModule m{header}\n\n{parts}\nENTRY %main {{\n{body}\n}}\n")
    return str(path)


def verdict(*sides: str, **options: Any) -> Verdict:
    return scanir.diff(*sides, **options).verdict


OBSERVED = {
    "total order": "%z = f32[] constant(0)\n ROOT %q = pred[] compare(%a, %z), direction=LT, type=TOTALORDER",
    "outfeed": "%t = token[] after-all()\n %q = token[] outfeed(%a, %t)\n ROOT %r = f32[] negate(%x)",
    "topk": "%b = f32[8] broadcast(%a), dimensions={}\n ROOT %q = (f32[2], s32[2]) topk(%b), k=2, largest=true",
    "bits": "ROOT %q = u32[] bitcast-convert(%a)",
}


@pytest.mark.parametrize("observer", OBSERVED)
def test_operands_exchange_only_where_nothing_sees_which_nan(tmp_path: Any, observer: str) -> None:
    start = " %x = f32[] parameter(0)\n %y = f32[] parameter(1)\n %a = f32[] add({})\n "
    left, right = (hlo(tmp_path, start.format(pair) + OBSERVED[observer]) for pair in ("%x, %y", "%y, %x"))
    assert verdict(left, right) is Verdict.DIFFERENT


def test_multiplying_by_one_quiets_a_nan_whose_bits_are_read(tmp_path: Any) -> None:
    plain = hlo(tmp_path, " %x = f32[] parameter(0)\n ROOT %q = u32[] bitcast-convert(%x)")
    product = " %x = f32[] parameter(0)\n %o = f32[] constant(1)\n %y = f32[] multiply(%x, %o)\n"
    assert verdict(plain, hlo(tmp_path, product + " ROOT %q = u32[] bitcast-convert(%y)")) is Verdict.DIFFERENT


def test_the_order_of_a_scheduled_module_is_a_class(tmp_path: Any) -> None:
    params, last = " %x = f32[] parameter(0)\n", " ROOT %r = f32[] subtract(%a, %b)"
    work = [" %a = f32[] negate(%x)\n", " %b = f32[] cosine(%x)\n"]
    for header, loose, strict in ((", is_scheduled=true", "EQUIVALENT", "DIFFERENT"), ("", "IDENTICAL", "IDENTICAL")):
        sides = [hlo(tmp_path, params + "".join(order) + last, header=header) for order in (work, work[::-1])]
        assert (verdict(*sides).value, verdict(*sides, strict=True).value) == (loose, strict)


LOOP = """
%body (x: (s32[], f32[])) -> (s32[], f32[]) {
 %s = (s32[], f32[]) parameter(0)
 %i = s32[] get-tuple-element(%s), index=0
 %x = f32[] get-tuple-element(%s), index=1
 %o = s32[] constant(1)
 %j = s32[] add(%i, %o)
 %n = f32[] negate(%x)
 ROOT %r = (s32[], f32[]) tuple(%j, %n)
}
%head (x: (s32[], f32[])) -> pred[] {
 %s = (s32[], f32[]) parameter(0)
 %i = s32[] get-tuple-element(%s), index=0
 %k = s32[] constant(1)
 ROOT %r = pred[] compare(%i, %k), direction=LT
}
"""


def test_a_trip_count_that_the_compiler_believes(tmp_path: Any) -> None:
    around = """ %x = f32[] parameter(0)
 %z = s32[] constant(0)
 %t = (s32[], f32[]) tuple(%z, %x)
 %w = (s32[], f32[]) while(%t), condition=%head, body=%body, backend_config={{"known_trip_count":{{"n":"{}"}}}}
 ROOT %r = f32[] get-tuple-element(%w), index=1"""
    once = hlo(tmp_path, " %x = f32[] parameter(0)\n ROOT %r = f32[] negate(%x)")
    assert verdict(hlo(tmp_path, around.format(5), parts=LOOP), once) is Verdict.DIFFERENT
    assert verdict(hlo(tmp_path, around.format(1), parts=LOOP), once) is Verdict.EQUIVALENT


def test_an_element_that_a_tuple_does_not_have(tmp_path: Any) -> None:
    text = " %x = f32[] parameter(0)\n %t = (f32[]) tuple(%x)\n ROOT %r = f32[] get-tuple-element(%t), index={}"
    assert verdict(hlo(tmp_path, text.format(1)), hlo(tmp_path, text.format(-1))) is Verdict.DIFFERENT


def test_options_for_the_compiler_are_provenance() -> None:
    fast = jax.jit(lambda x: x * 2, compiler_options={"xla_cpu_enable_fast_math": True})
    plain = jax.jit(lambda x: x * 2)
    assert scanir.diff(fast, plain, f32, stage="hlo").verdict is Verdict.DIFFERENT
    answer = scanir.diff(fast, plain, f32, stage="hlo", allow=["provenance"])
    assert [use.rule for use in answer.stages[0].modulo] == ["provenance"]


def stablehlo(tmp_path: Any, body: str, *, parts: str = "", more: str = "") -> str:
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.mlir"
    path.write_text(
        f"module @m {{\n{parts}\nfunc.func @main(%x: tensor<f32>) -> (tensor<f32>{more}) {{\n{body}\n}}\n}}\n"
    )
    return str(path)


def test_attributes_of_results_and_called_functions(tmp_path: Any) -> None:
    body = "%0 = func.call @f(%x) : (tensor<f32>) -> tensor<f32>\n return %0 : tensor<f32>"
    callee = "func.func private @f(%a: tensor<f32>{}) -> tensor<f32> {} {{ return %a : tensor<f32> }}"
    plain = stablehlo(tmp_path, body, parts=callee.format("", ""))
    for said in (callee.format(" {foo.bar = 1 : i32}", ""), callee.format("", "attributes {foo.bar = 1 : i32}")):
        assert verdict(plain, stablehlo(tmp_path, body, parts=said)) is Verdict.DIFFERENT
    shared = callee.format(' {mhlo.sharding = "{replicated}"}', "")
    assert verdict(plain, stablehlo(tmp_path, body, parts=shared)) is Verdict.EQUIVALENT
    other = stablehlo(tmp_path, body, parts=callee.format("", ""), more=" {foo.bar = 1 : i32}")
    assert verdict(plain, other) is Verdict.DIFFERENT


def test_a_comparison_reads_bits_as_it_says(tmp_path: Any) -> None:
    loop = """%z = stablehlo.constant dense<0> : tensor<i32>
    %m = stablehlo.constant dense<-1> : tensor<i32>
    %r:2 = stablehlo.while(%i = %z, %a = %x) : tensor<i32>, tensor<f32> cond {
      %p = stablehlo.compare LT, %i, %m, UNSIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do { %s = stablehlo.sine %a : tensor<f32> stablehlo.return %m, %s : tensor<i32>, tensor<f32> }
    return %r#1 : tensor<f32>"""
    assert verdict(stablehlo(tmp_path, loop), stablehlo(tmp_path, "return %x : tensor<f32>")) is Verdict.DIFFERENT


def test_layouts_of_the_entry_before_they_are_assigned(tmp_path: Any) -> None:
    body = " %x = f32[4,4] parameter(0)\n ROOT %r = f32[4,4] negate(%x)"
    header = ", entry_computation_layout={{(f32[4,4]{})->f32[4,4]{{1,0}}}}"
    rows, columns = (hlo(tmp_path, body, header=header.format(layout)) for layout in ("{1,0}", "{0,1}"))
    assert verdict(rows, columns) is Verdict.EQUIVALENT
    assert verdict(rows, columns, forbid=["class:layout"]) is Verdict.DIFFERENT


def _artifact(tmp_path: Path, name: str, text: str) -> str:
    path = tmp_path / name
    path.write_text(text)
    return str(path)


FUSED = """HloModule m
%fused (p: f32[4,4]) -> f32[4,4] {
  %p = f32[4,4] parameter(0)
  ROOT %s = f32[4,4] sine(%p)
}
ENTRY %e (x: f32[4,4]) -> f32[4,4] {
  %x = f32[4,4] parameter(0)
  ROOT %f = f32[4,4] fusion(%x), kind=kLoop, calls=%fused
}
"""


def test_a_module_that_contradicts_itself_proves_nothing(tmp_path: Path) -> None:
    good = _artifact(tmp_path, "good.hlo", FUSED)
    bad = _artifact(tmp_path, "bad.hlo", FUSED.replace("%p = f32[4,4]", "%p = f32[4,3]"))
    assert scanir.diff(good, bad).verdict in (Verdict.INCONCLUSIVE, Verdict.DIFFERENT)


def test_dead_functions_are_part_of_a_module(tmp_path: Path) -> None:
    text = """module {{ func.func public @main(%x: tensor<f32>) -> tensor<f32> {{ return %x : tensor<f32> }}
    func.func private @dead(%x: tensor<f32>) -> tensor<f32> {{
    %y = stablehlo.{} %x : tensor<f32> return %y : tensor<f32> }} }}"""
    left, right = (_artifact(tmp_path, f"{op}.mlir", text.format(op)) for op in ("sine", "cosine"))
    answer = scanir.diff(left, right)
    assert (answer.verdict, answer.modulo) == (Verdict.EQUIVALENT, ("dead-code",))
    assert scanir.diff(left, right, forbid=["dead-code"]).verdict is Verdict.DIFFERENT


CALLED = """%f (x: f32[4]) -> f32[4] {
 %x = f32[4] parameter(0)
 ROOT %s = f32[4] sine(%x)
}
"""


@pytest.mark.parametrize(
    "said",
    [
        'frontend_attributes={mode="x"}',
        'backend_config={"made_up":"1"}',
        "made_up_by_nobody=3",
        'backend_config={"outer_dimension_partitions":["2"],"made_up":"1"}',
    ],
)
def test_what_a_call_says_is_not_lost_where_it_is_inlined(tmp_path: Path, said: str) -> None:
    for op in ("call(%x), to_apply=%f", "fusion(%x), kind=kLoop, calls=%f"):
        body = f" %x = f32[4] parameter(0)\n ROOT %r = f32[4] {op}"
        plain, told = hlo(tmp_path, body, parts=CALLED), hlo(tmp_path, f"{body}, {said}", parts=CALLED)
        assert verdict(plain, told) is Verdict.DIFFERENT
        assert verdict(told, told) is Verdict.IDENTICAL
        inlined = hlo(tmp_path, " %x = f32[4] parameter(0)\n ROOT %s = f32[4] sine(%x)")
        assert verdict(inlined, told) is Verdict.DIFFERENT
        assert verdict(inlined, plain) is Verdict.EQUIVALENT


def test_how_code_is_made_for_a_fusion_is_a_class(tmp_path: Path) -> None:
    body = (
        ' %x = f32[4] parameter(0)\n ROOT %r = f32[4] fusion(%x), kind=kLoop, calls=%f, backend_config={{"{}":["2"]}}'
    )
    names = ("outer_dimension_partitions", "wait_on_operation_queues")
    sides = [hlo(tmp_path, body.format(name), parts=CALLED) for name in names]
    answer = scanir.diff(*sides)
    assert (answer.verdict, answer.modulo) == (Verdict.EQUIVALENT, ("class:backend-config",))
    assert verdict(*sides, forbid=["class:backend-config"]) is Verdict.DIFFERENT


def test_a_jit_that_asks_for_something_is_not_inlined_silently() -> None:
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[1])
    plain = jax.jit(lambda x: jax.jit(jnp.sin)(x) * 2)
    for option in ("in_shardings", "out_shardings"):
        asked = jax.jit(lambda x, option=option: jax.jit(jnp.sin, **{option: sharding})(x) * 2)
        assert scanir.diff(plain, asked, f32, stage="jaxpr").verdict is Verdict.DIFFERENT
        assert scanir.diff(asked, asked, f32, stage="jaxpr").verdict is Verdict.IDENTICAL
    assert scanir.diff(plain, lambda x: jnp.sin(x) * 2, f32, stage="jaxpr").verdict is Verdict.EQUIVALENT


def test_a_custom_call_reads_its_operands_as_they_lie(tmp_path: Path) -> None:
    body = ' %x = f32[4,4]{{{}}} parameter(0)\n ROOT %r = f32[4,4]{{1,0}} custom-call(%x), custom_call_target="foo"'
    assert verdict(*(hlo(tmp_path, body.format(layout)) for layout in ("1,0", "0,1"))) is Verdict.DIFFERENT


def test_an_element_that_says_more_than_its_tuple(tmp_path: Path) -> None:
    body = """ %x = s32[4] parameter(0)
 %y = s32[4] parameter(1)
 %s = (s32[4], s32[4]) sort(%x, %y), dimensions={{0}}, to_apply=%less
 %e = s32[4] get-tuple-element(%s), index=1{}
 ROOT %r = s32[4] add({})"""
    less = "%less {\n %a = s32[] parameter(0)\n %b = s32[] parameter(1)\n %c = s32[] parameter(2)\n"
    less += " %d = s32[] parameter(3)\n ROOT %l = pred[] compare(%a, %b), direction=LT\n}\n"
    said = ', frontend_attributes={inlineable="false"}'
    plain, told, exchanged = (
        hlo(tmp_path, body.format(more, pair), parts=less)
        for more, pair in (("", "%e, %x"), (said, "%e, %x"), (said, "%x, %e"))
    )
    assert verdict(plain, told) is Verdict.DIFFERENT
    assert verdict(told, exchanged) is Verdict.EQUIVALENT


@pytest.mark.parametrize("said", ['frontend_attributes={mode="x"}', "made_up_by_nobody=3"])
def test_what_an_op_says_besides_its_operands_is_not_lost(tmp_path: Path, said: str) -> None:
    zero = " %x = s32[] parameter(0)\n %z = s32[] constant(0)\n ROOT %r = s32[] add(%x, %z)"
    assert verdict(hlo(tmp_path, zero), hlo(tmp_path, f"{zero}, {said}")) is Verdict.DIFFERENT
    loop = """ %x = f32[] parameter(0)
 %z = s32[] constant(0)
 %t = (s32[], f32[]) tuple(%z, %x)
 %w = (s32[], f32[]) while(%t), condition=%head, body=%body
 ROOT %r = s32[] get-tuple-element(%w), index=0"""
    told = LOOP.replace("add(%i, %o)", f"add(%i, %o), {said}").replace("constant(1)\n ROOT", "constant(7)\n ROOT")
    assert told.count(said) == 1
    plain = LOOP.replace("constant(1)\n ROOT", "constant(7)\n ROOT")
    assert verdict(hlo(tmp_path, loop, parts=plain), hlo(tmp_path, loop, parts=told)) is Verdict.DIFFERENT


def test_a_conversion_that_says_another_type_than_its_result() -> None:
    """A jaxpr made by hand: its interpreter goes by the parameter."""
    closed = jax.make_jaxpr(
        lambda x: lax.convert_element_type_p.bind(x, new_dtype=x.dtype, weak_type=False, sharding=None)
    )(1)
    eqn = closed.eqns[0]
    other = eqn.replace(params=eqn.params | {"new_dtype": jnp.dtype("uint32")})
    changed = closed.replace(jaxpr=closed.jaxpr.replace(eqns=[other]))
    assert scanir.diff(closed, changed, stage="jaxpr").verdict is Verdict.DIFFERENT


def test_what_a_constant_says_besides_its_value_is_not_lost(tmp_path: Path) -> None:
    text = "%0 = stablehlo.constant {}dense<2.0> : tensor<f32>\n %1 = stablehlo.multiply %0, %x : tensor<f32>\n"
    text += "return %1 : tensor<f32>"
    plain, told, split = (
        stablehlo(tmp_path, text.format(said))
        for said in ("", '{made_up.name = "a"} ', '{mhlo.sharding = "{replicated}"} ')
    )
    assert verdict(plain, told) is Verdict.DIFFERENT
    assert verdict(plain, split) is Verdict.EQUIVALENT
    assert verdict(plain, split, forbid=["class:sharding"]) is Verdict.DIFFERENT


def inner_loop_apart(extra: bool) -> Any:
    """An inner loop that does not see the outer carry, which is at first supposed unchanged and is not."""

    def inner(s: Any, _: Any) -> Any:
        if extra:
            lax.cos(s)
        return lax.sin(s), None

    def outer(c: Any, y: Any) -> Any:
        return c + lax.scan(inner, y, None, length=3)[0]

    return lambda x, y: lax.scan(lambda c, _: (outer(c, y), None), x, None, length=4)[0]


def test_a_loop_that_is_evaluated_again_is_still_looked_into() -> None:
    """A loop in a loop whose first hypothesis failed was taken for a copy of itself: its dead work was not counted."""
    sides = (inner_loop_apart(False), inner_loop_apart(True))
    answer = scanir.diff(*sides, f32, f32, stage="jaxpr")
    assert (answer.verdict, answer.modulo) == (Verdict.EQUIVALENT, ("dead-code",))
    assert len(answer.stages[0].loops) == 2
    assert scanir.diff(*sides, f32, f32, stage="jaxpr", forbid=["dead-code"]).verdict is Verdict.DIFFERENT


def test_a_computation_that_nothing_names(tmp_path: Path) -> None:
    """In HLO too it is dead code: left out alike on both sides it says nothing, changed on one it is told."""
    text = """HloModule m
%%dead (p: f32[4]) -> f32[4] {
  %%p = f32[4]{0} parameter(0)
  ROOT %%r = f32[4]{0} %s(%%p)
}

%%add (a: f32[], b: f32[]) -> f32[] {
  %%a = f32[] parameter(0)
  %%b = f32[] parameter(1)
  ROOT %%s = f32[] add(%%a, %%b)
}

ENTRY %%e (x: f32[4], z: f32[]) -> f32[] {
  %%x = f32[4]{0} parameter(0)
  %%z = f32[] parameter(1)
  ROOT %%q = f32[] reduce(%%x, %%z), dimensions={0}, to_apply=%%add
}
"""
    files = {}
    for name, op in (("first", "negate"), ("same", "negate"), ("other", "sine")):
        files[name] = str(tmp_path / f"{name}.hlo")
        Path(files[name]).write_text(text % op)
    assert scanir.diff(files["first"], files["same"]).verdict is Verdict.IDENTICAL
    (answer,) = scanir.diff(files["first"], files["other"]).stages
    assert [(use.rule, use.where) for use in answer.modulo] == [("dead-code", ("dead",))]
    assert scanir.diff(files["first"], files["other"], forbid=["dead-code"]).verdict is Verdict.DIFFERENT
