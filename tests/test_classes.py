"""Classes of many programs: what joins, what does not, what is near, what cannot be read."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from jax import lax
from jax import numpy as jnp

from scanir import Target, api
from scanir.classes import Classes, ProgramClass, Source, classes
from scanir.compare.verdict import compare
from scanir.normalize.rules import DEFAULT
from scanir.render.classes import classes_document, render_classes
from scanir.result import Verdict
from scanir.strategies import strategies

NAMES = [strategy.name for strategy in strategies()]
V = jnp.zeros(5)


def closed(factor: float) -> Any:
    def f(x: Any) -> Any:
        return lax.scan(lambda s, _: (s * factor + x, None), x, None, length=4)[0]

    return f


def carried(factor: float) -> Any:
    def f(x: Any) -> Any:
        return lax.scan(lambda s, _: ((s[0] * factor + s[1], s[1]), None), (x, x), None, length=4)[0][0]

    return f


def sorted_out(stage: str, **targets: Any) -> dict[str, ProgramClass]:
    """The classes by the name of their first program."""
    made = [Target(f, args, label=name) for name, (f, *args) in targets.items()]
    ((_, found),) = api.classes(made, stage=stage).stages
    return {one.name: one for one in found}


@pytest.mark.compat
@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo", "hlo"])
def test_they_agree_with_the_comparison_of_each_pair(stage: str) -> None:
    """Members of a class are equal; firsts of two classes are not, with equal arguments and without a binding."""
    family = [name for name in NAMES if name in ("lambda", "def", "carry", "jit-body", "swapped", "xs", "sum-fori",
                                                 "sum-while", "fibonacci-scan", "fibonacci-xs-unused")]  # fmt: skip
    programs = {name: api._target(name).trace((stage,))[stage] for name in family}
    ((_, found),) = classes([Source(name, lambda p=p: {stage: p}) for name, p in programs.items()], DEFAULT).stages
    assert sorted(name for one in found for name in one.members) == sorted(family)
    for one in found:
        for name in one.members[1:]:
            answer = compare(programs[one.name], programs[name], DEFAULT)
            assert answer.verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT)
            (modulo,) = (form.modulo for form in one.forms if name in form.members)
            assert modulo == tuple(use.rule for use in answer.modulo)
    for one, other in combinations(found, 2):
        answer = compare(programs[one.name], programs[other.name], DEFAULT)
        assert answer.verdict is Verdict.DIFFERENT or answer.bindings


@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo", "hlo"])
def test_constants(stage: str) -> None:
    """Closure and carry of one constant join, whatever order they come in; those of another are near."""
    found = sorted_out(stage, a=(closed(0.5), V), b=(carried(0.25), V), c=(closed(0.25), V), d=(carried(0.5), V))
    assert {name: one.members for name, one in found.items()} == {"a": ("a", "d"), "b": ("b", "c")}
    near = found["b"].near
    assert near is not None
    assert (near[0], near[1].kinds) == (0, ("constant",))
    assert ("0.5", "0.25") in near[1].examples


def test_shapes() -> None:
    found = sorted_out("jaxpr", a=(closed(0.5), V), b=(closed(0.5), jnp.zeros(7)))
    near = found["b"].near
    assert near is not None
    assert (near[0], near[1].kinds) == (0, ("shape",))
    assert ("f32[5]", "f32[7]") in near[1].examples


def test_weak_types() -> None:
    """They are set aside unless a person forbids it."""
    made = [Target(lambda x: x + 1, (x,), label=name) for name, x in (("a", V[0]), ("b", 1.0))]
    ((_, (found,)),) = api.classes(made, stage="jaxpr").stages
    assert [(form.members, form.modulo) for form in found.forms] == [(("a",), ()), (("b",), ("weak-type",))]
    ((_, (_, other)),) = api.classes(made, stage="jaxpr", forbid=["weak-type"]).stages
    assert other.near is not None
    assert (other.near[0], other.near[1].kinds) == (0, ("weak type",))


def test_an_axis_is_no_shape() -> None:
    square = jnp.zeros((4, 4))
    found = sorted_out("stablehlo", a=(lambda x: x.sum(0), square), b=(lambda x: x.sum(1), square))
    assert [one.near for one in found.values()] == [None, None]


FILE = """
import jax, jax.numpy as jnp, scanir
from jax import lax
from functools import partial

def f(x): return jnp.sin(x) * 2
g = jax.jit(lambda x: jnp.sin(x) * 2)
def two(x, y): return x + y
def _hidden(x): return x
own = scanir.Target(f, (jnp.zeros(3),))
"""


def test_a_python_file(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(FILE)
    answer = api.classes([str(tmp_path / "m.py")], jnp.zeros(8), stage="jaxpr")
    ((_, found),) = answer.stages
    assert [one.members for one in found] == [("f", "g"), ("own",)]
    assert [failure.name for failure in answer.left_out] == ["two"]
    assert answer.exit_code == 0


HLO = """HloModule jit_f, entry_computation_layout={{(f32[4]{{0}})->f32[4]{{0}}}}

ENTRY %main{n} (x{n}: f32[4]) -> f32[4] {{
  %x{n} = f32[4]{{0}} parameter(0)
  %c{n} = f32[] constant({value})
  %b{n} = f32[4]{{0}} broadcast(%c{n}), dimensions={{}}
  ROOT %r{n} = f32[4]{{0}} multiply(%x{n}, %b{n})
}}
"""


def dump(folder: Path) -> Path:
    for number, value in enumerate(["1.5", "2.5", "1.5", "1.5"]):
        text = HLO.format(n=number, value=value)
        (folder / f"module_{number:04}.jit_f.cpu_after_optimizations.txt").write_text(text)
        (folder / f"module_{number:04}.jit_f.before_optimizations.txt").write_text(text.replace("multiply", "add"))
    (folder / "module_0000.jit_f.ir-no-opt.ll").write_text("; ModuleID = '__compute_module'\n")
    return folder


def test_a_dump(tmp_path: Path) -> None:
    """Modules compiled again under other names are one; each stage of a dump is its own."""
    ((stage, found),) = api.classes([str(dump(tmp_path))]).stages
    assert stage == "hlo"
    assert [[name[:11] for name in one.members] for one in found] == [
        ["module_0000", "module_0002", "module_0003"],
        ["module_0001"],
    ]
    assert [stage for stage, _ in api.classes([str(tmp_path)], stage="hlo-in,hlo").stages] == ["hlo-in", "hlo"]


def test_files(tmp_path: Path) -> None:
    """Files that are no IR are left out; IR that is broken fails."""
    (tmp_path / "below").mkdir()
    (tmp_path / "a.hlo").write_text(HLO.format(n=1, value="1.5"))
    (tmp_path / "below" / "b.hlo").write_text(HLO.format(n=2, value="1.5"))
    (tmp_path / "README.md").write_text("Nothing to see.\n")
    answer = api.classes([tmp_path])
    assert [one.members for _, found in answer.stages for one in found] == [("a.hlo", "below/b.hlo")]
    assert ([failure.name for failure in answer.left_out], answer.exit_code) == (["README.md"], 0)
    (tmp_path / "c.hlo").write_text(HLO.format(n=3, value="1.5").replace("multiply(", "multiply(%%"))
    answer = api.classes([tmp_path])
    assert ([failure.name for failure in answer.failures], answer.exit_code) == (["c.hlo"], 2)


def test_one_target_that_cannot_be_read_fails_alone(tmp_path: Path) -> None:
    (tmp_path / "a.hlo").write_text(HLO.format(n=1, value="1.5"))
    answer = api.classes([tmp_path / "a.hlo", "nobody", str(tmp_path / "none.hlo")])
    assert [one.members for _, found in answer.stages for one in found] == [(str(tmp_path / "a.hlo"),)]
    assert ([failure.name for failure in answer.failures], answer.exit_code) == (
        ["nobody", str(tmp_path / "none.hlo")], 2,
    )  # fmt: skip


def test_hidden_constants_are_compared_with_no_other(tmp_path: Path) -> None:
    for name in ("a", "b"):
        text = HLO.format(n=1, value="...").replace("f32[] constant", "f32[9] constant")
        (tmp_path / f"{name}.hlo").write_text(text.replace("constant(...)", "constant({...})"))
    found = [one for _, stage in api.classes([tmp_path]).stages for one in stage]
    assert [one.members for one in found] == [("a.hlo",), ("b.hlo",)]
    assert "elided-constant" in found[0].hidden


def reported(folder: Path) -> Classes:
    return api.classes([str(dump(folder))])


def test_the_report(tmp_path: Path) -> None:
    assert render_classes(reported(tmp_path)) == (
        "4 programs at hlo: 2 classes; 1 of several programs, 1 near another\n"
        "\n"
        "1  module_0000.jit_f.cpu_after_optimizations.txt: 3 programs, 3 ops\n"
        "   identical: module_0002.jit_f.cpu_after_optimizations.txt,\n"
        "     module_0003.jit_f.cpu_after_optimizations.txt\n"
        "\n"
        "2  module_0001.jit_f.cpu_after_optimizations.txt: 1 program, 3 ops\n"
        "   like 1 module_0000.jit_f.cpu_after_optimizations.txt but for constants: 1.5\n"
        "     there, 2.5 here\n"
    )


def test_json_names_every_program(tmp_path: Path) -> None:
    document = json.loads(json.dumps(classes_document(reported(tmp_path))))
    (stage,) = document["stages"]
    assert [sum(len(form["members"]) for form in one["forms"]) for one in stage["classes"]] == [3, 1]
    assert stage["classes"][1]["near"] == {"class": 0, "kinds": ["constant"], "examples": [["1.5", "2.5"]]}
