"""Calls that are only traced, and modules of a dump."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome, run

__all__ = ["run"]
Run = Callable[..., Outcome]
CODE = """
def step(state, lr, n=2, act="relu"):
    return {"w": state["w"] * lr ** n}
"""


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "step.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return "step.py:step"


@pytest.mark.compat
def test_calls(run: Run, step: str) -> None:
    calls = ("0.1, n=static(3)", "f32[], n=static(3)", "0.2, n=static(3)", "0.1, n=static(4)")
    specs = [f"--args={{'w': f32[8]}}, {rest}" for rest in calls]
    done = run("recompile", step, *specs, "--args={'w': f32[9]}, 0.1, n=static(3)")
    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines() == [
        "5 calls of step.py:step: 4 compiles",
        "",
        "#1  {'w': f32[8]}, 0.1, n=static(3)",
        "    compiles",
        "#2  {'w': f32[8]}, f32[], n=static(3)",
        "    compiles again, beside #1: weak type",
        "      lr: weak f32[] (a Python float) -> f32[] (an array)",
        "      the programs: EQUIVALENT modulo weak-type, no-op at jaxpr",
        "      hint: pass jnp.asarray(value, dtype) each time, the first one too",
        "#3  {'w': f32[8]}, 0.2, n=static(3)",
        "    shares the compile of #1",
        "#4  {'w': f32[8]}, 0.1, n=static(4)",
        "    compiles again, beside #3: static value",
        "      n: 3 -> 4",
        "      the programs: DIFFERENT: integer_pow: y = 3 against 4 at jaxpr",
        "#5  {'w': f32[9]}, 0.1, n=static(3)",
        "    compiles again, beside #3: shape",
        "      state['w']: f32[8] -> f32[9]",
    ]


def test_calls_as_json_and_mistakes(run: Run, step: str) -> None:
    done = run("recompile", step, "--args={'w': f32[8]}, 0.1", "--args={'w': f32[8]}, 0.3", "--format", "json")
    data = json.loads(done.out)
    assert (done.code, data["compiles"]) == (0, 1)
    assert [call["compiles"] for call in data["calls"]] == [True, False]
    once = run("recompile", step, "--args={'w': f32[8]}, 0.1")
    assert once.code == 2
    assert "one call compiles once" in once.err
    assert run("recompile").code == 2
    assert run("recompile", step, "--", "python", "x.py").code == 2


HLO = """HloModule {name}
ENTRY e {{
  x = f32[{size}] parameter(0)
  c = f32[] constant({value})
  b = f32[{size}] broadcast(c), dimensions={{}}
  ROOT r = f32[{size}] multiply(x, b)
}}
"""


def test_a_dump(run: Run, tmp_path: Path) -> None:
    for number, (size, value) in enumerate(((8, 2), (5, 2), (5, 3), (5, 3))):
        file = tmp_path / f"module_{number:04}.jit_step.before_optimizations.txt"
        file.write_text(HLO.format(name="jit_step", size=size, value=value))
    (tmp_path / "module_0009.jit_once.before_optimizations.txt").write_text(HLO.format(name="o", size=1, value=1))
    done = run("recompile", str(tmp_path))
    assert done.code == 1
    constants = "operand 0 of broadcast: constants differ: 2.0 against 3.0"
    head = "  module_000{}.jit_step.before_optimizations.txt  {}"
    assert done.out.splitlines() == [
        "5 modules of 2 names; 3 compiled again",
        "",
        "jit_step  4 modules",
        head.format(0, "first"),
        head.format(1, "beside the one before: shape"),
        "      argument 0: f32[8] -> f32[5]",
        head.format(2, f"beside the one before: another program: {constants}"),
        head.format(3, "beside the one before: the same program: another function object, or not kept"),
        "",
        "once: jit_once",
    ]
    data = json.loads(run("recompile", str(tmp_path), "--format", "json").out)
    assert [len(name["modules"]) for name in data["names"]] == [1, 4]


def test_a_directory_without_a_dump(run: Run, tmp_path: Path) -> None:
    done = run("recompile", str(tmp_path))
    assert done.code == 2
    assert "holds no dump" in done.err


def test_a_limit_that_is_reached_is_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scanir.recording.dump._MOST", 2)
    for number in range(5):
        file = tmp_path / f"module_{number:04}.jit_step.before_optimizations.txt"
        file.write_text(HLO.format(name="jit_step", size=number + 1, value=2))
    done = run("recompile", str(tmp_path))
    assert done.out.splitlines()[-1] == "  and 3 more  not read: of each name the first 2 are"
    assert done.out.splitlines()[0] == "5 modules of 1 name; 4 compiled again"
