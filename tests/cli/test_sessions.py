"""Whole sessions, nothing replaced: from a name to the exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Outcome

Run = Callable[..., Outcome]

SOURCE = """
import jax, sys
def plus(x, y): return x + y
def minus(x, y): return x - y
def matmul(x, y): return x @ y
def branch(x, y): return x if x > y else y
def fails(x, y): raise KeyError("boo")
def leaves(x, y): sys.exit(0)
def speaks(x, y):
    print("hello")
    return x + y
def scaled(x, n): return x * n
jitted = jax.jit(scaled, static_argnums=1)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(SOURCE)


@pytest.mark.compat
def test_strategies(run: Run) -> None:
    same = run("diff", "lambda", "def", "--stage", "jaxpr,stablehlo")
    assert (same.code, same.out.split()[0]) == (0, "IDENTICAL")
    other = run("diff", "lambda", "swapped", "--stage", "jaxpr")
    assert (other.code, other.out.split()[0]) == (1, "DIFFERENT")
    assert "dtau" in other.out


@pytest.mark.compat
@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo", "hlo"])
def test_what_is_shown_can_be_read_back(run: Run, tmp_path: Path, stage: str) -> None:
    shown = run("show", "sum-while", "--stage", stage)
    assert (shown.code, shown.err) == (0, "")
    file = tmp_path / "shown.txt"
    file.write_text(shown.out)
    assert run("show", str(file)).out == shown.out
    answer = run("diff", str(file), str(file))
    assert (answer.code, answer.out.split()[0]) == (0, "IDENTICAL")


@pytest.mark.usefixtures("mine")
def test_functions_of_a_file(run: Run) -> None:
    arguments = ("--args", "f32[3], f32[3]", "--stage", "jaxpr", "--format", "json")
    assert run("diff", "mine.py:plus", "mine.py:plus", *arguments).code == 0
    done = run("diff", "mine.py:plus", "mine.py:minus", *arguments)
    assert done.code == 1
    assert json.loads(done.out)["verdict"] == "DIFFERENT"
    loud = run("diff", "mine.py:plus", "mine.py:speaks", *arguments)
    assert (loud.code, loud.err) == (0, "hello\n")
    assert json.loads(loud.out)["verdict"] == "IDENTICAL"


@pytest.mark.usefixtures("mine")
def test_static_arguments(run: Run) -> None:
    assert run("diff", "mine.py:scaled", "mine.py:scaled", "--args", "f32[3], static(2)", "--stage", "jaxpr").code == 0
    assert run("diff", "mine.py:jitted", "mine.py:jitted", "--args", "f32[3], 2", "--stage", "jaxpr").code == 0


@pytest.mark.parametrize(
    ("name", "what", "line"),
    [
        ("matmul", "TypeError: dot_general", 5),
        ("branch", "TracerBoolConversionError", 6),
        ("fails", "KeyError: 'boo'", 7),
        ("leaves", "ends the process", 0),
    ],
)
@pytest.mark.usefixtures("mine")
def test_functions_that_cannot_be_traced(run: Run, name: str, what: str, line: int) -> None:
    arguments = (
        "diff",
        f"mine.py:{name}",
        f"mine.py:{name}",
        "--args",
        "f32[3], f32[4]" if name == "matmul" else "f32[], f32[]",
    )
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert what in done.err
    assert f"{name}(x, y) given f32[" in done.err
    assert "--args" in done.err
    assert "Traceback" not in done.err
    if line:
        assert f"mine.py:{line}, in {name}" in done.err
    assert "Traceback" in run("--traceback", *arguments).err
