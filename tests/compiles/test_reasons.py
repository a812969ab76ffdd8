"""Why calls were compiled again, told from plain data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanir.compiles import Call, Compile, Leaf, Log, Place
from scanir.compiles.call import as_data, from_data
from scanir.compiles.reasons import KINDS, SHOWN, WINDOW, between, cut, nearest, of_calls
from scanir.render.compiles import log_document, render_log

HERE = Place("train.py", 31, "<lambda>")
LEAVES = (Leaf("state['w']", "f32[8]"), Leaf("lr", "f32[]", weak=True, python="float"))
CALL = Call("step", HERE, function=1, leaves=LEAVES, tree="PyTreeDef(({'w': *}, *))", statics=(("n", "3"),))


def made(call: Call, number: int, *parameters: str, seconds: float = 0.25) -> Compile:
    return Compile(call, number, Place("train.py", 40), parameters, seconds, seconds, seconds)


def leaf(k: int, **changed: object) -> Call:
    leaves = list(LEAVES)
    leaves[k] = replace(leaves[k], **changed)  # type: ignore[arg-type]
    return replace(CALL, leaves=tuple(leaves))


CASES = [
    (leaf(0, type="f32[9]"), "shape", "state['w']: f32[8] -> f32[9]"),
    (leaf(0, type="bf16[8]"), "dtype", "state['w']: f32[8] (an array) -> bf16[8] (an array)"),
    (leaf(1, weak=False, python=""), "weak-type", "lr: weak f32[] (a Python float) -> f32[] (an array)"),
    (leaf(0, sharding="P('x')"), "sharding", "state['w']: not committed -> P('x')"),
    (leaf(0, donated=True), "donation", "state['w']: now donated"),
    (replace(CALL, leaves=LEAVES[:1], tree="other"), "pytree", "lr: gone, was f32[]"),
    (replace(CALL, tree="PyTreeDef(([*], *))"), "pytree", "({'w': *}, *) -> ([*], *)"),
    (replace(CALL, statics=(("n", "4"),)), "static", "n: 3 -> 4"),
    (replace(CALL, statics=(("n", "3"), ("m", "1"))), "static", "m: new, 1"),
    (replace(CALL, function=2), "function", "a new function of the same code and values, made at train.py:31"),
    (replace(CALL, function=2, closure=(("k", "2"),)), "closure", "k: none -> 2"),
    (replace(CALL, function=2, source=Place("b.py", 1)), "function", "another function of that name, made at b.py:1"),
    (replace(CALL, options=(("keep_unused", "True"),)), "options", "keep_unused: none -> True"),
    (replace(CALL, context="b", settings=(("x64", "True"),)), "settings", "x64: none -> True"),
    (replace(CALL, context="b"), "settings", "a context manager of JAX (a mesh, say) was entered or left"),
    (replace(CALL, under="grad"), "transform", "under no transform -> grad"),
]


@pytest.mark.parametrize(("later", "kind", "what"), CASES, ids=[f"{case[1]}-{k}" for k, case in enumerate(CASES)])
def test_one_change_is_one_reason(later: Call, kind: str, what: str) -> None:
    (reason,) = between(made(CALL, 1, "f32[8]"), made(later, 2, "f32[8]"))
    assert (reason.kind, reason.what) == (kind, (what,))
    assert reason.title == KINDS[kind][0]
    assert of_calls(CALL, CALL) == of_calls(later, later) == ()


def test_each_kind_is_met() -> None:
    assert {case[1] for case in CASES} | {"static-object", "evicted"} == KINDS.keys()


def test_static_objects_that_are_only_other_objects() -> None:
    a, b = (replace(CALL, statics=(("config", f"a Config #{k}"),)) for k in (7, 8))
    (reason,) = of_calls(a, b)
    assert (reason.kind, reason.what) == ("static-object", ("config: another object, a Config",))


def test_what_differs_in_nothing_was_not_kept() -> None:
    (reason,) = between(made(CALL, 1, "f32[8]"), made(CALL, 2, "f32[8]"))
    assert reason.kind == "evicted"
    assert reason.avoidable
    for other in (made(CALL, 1, "f32[8]", "f32[]"), made(CALL, 2, "f32[2,8]")):
        (reason,) = between(made(CALL, 1, "f32[8]"), other)
        assert reason.kind == "transform"
        assert not reason.avoidable


def test_the_nearest_is_the_one_that_differs_least_and_last() -> None:
    calls = [CALL, leaf(0, type="f32[9]"), replace(leaf(0, type="f32[9]"), function=2)]
    earlier = [made(call, k) for k, call in enumerate(calls)]
    later = made(replace(leaf(0, type="f32[9]"), statics=(("n", "4"),)), 9)
    index, reasons = nearest(later, earlier)
    assert (index, [reason.kind for reason in reasons]) == (1, ["static"])
    index, reasons = nearest(made(CALL, 9), [*earlier, *(earlier[1:] * (WINDOW // 4))])
    assert (index, [reason.kind for reason in reasons]) == (0, ["evicted"])
    assert nearest(later, []) == (-1, ())


def test_many_lines_are_counted() -> None:
    assert cut(["a"] * SHOWN) == ("a",) * SHOWN
    assert cut(["a"] * 24) == ("a", "a", "a", "and 21 more")


def test_a_compile_goes_through_json() -> None:
    compile = made(replace(CALL, settings=(("x", "1"),)), 3, "f32[8]")
    assert from_data(as_data(compile)) == compile


def test_a_log() -> None:
    own = Call("convert_element_type", Place("jax/dispatch.py", 1), owner="jax")
    again = leaf(1, weak=False, python="")
    log = Log((made(own, 1), made(CALL, 2), made(again, 3), made(own, 4), made(leaf(0, type="f32[5]"), 5)))
    assert log.summary == "3 compiles of 1 function; 1 avoidable: 1 weak type; 1 for other programs: 1 shape"
    assert [(row.number, row.name, row.beside) for row in log] == [
        (1, "step", None), (2, "step", 1), (3, "step", 1),
        (4, "convert_element_type", None), (5, "convert_element_type", 4),
    ]  # fmt: skip
    text = render_log(log)
    assert text == str(log)
    assert text.splitlines()[2:7] == [
        "step  train.py:31  3 compiles",
        "  seconds: 0.750 tracing, 0.750 lowering, 0.750 compiling",
        "  #1  called at train.py:40  first, for state['w']: f32[8], lr: weak f32[]",
        "  #2  called at train.py:40  avoidable, beside #1: weak type",
        "      lr: weak f32[] (a Python float) -> f32[] (an array)",
    ]
    assert text.splitlines()[-1] == "JAX's own (2), 1.500 seconds: convert_element_type 2x"
    assert "convert_element_type  .../" not in text
    assert "convert_element_type  jax/dispatch.py:1  2 compiles" in render_log(log, all_=True)
    data = log_document(log)
    assert [row["reasons"] for row in data["compiles"]][1][0]["kind"] == "weak-type"
    assert [group["compiles"] for group in data["functions"]] == [[1, 2, 3], [4, 5]]
    assert Log().summary == "no compiles"


def test_a_summary_names_what_could_not_be_avoided() -> None:
    log = Log((made(CALL, 1), made(replace(leaf(0, type="f32[9]"), function=2), 2)))
    assert [reason.kind for reason in log.rows[1].reasons] == ["function", "shape"]
    assert log.summary == "2 compiles of 1 function; 1 for other programs: 1 shape"
