"""The examples run, and show what they say they show."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scanir.cli import main

ROOT = Path(__file__).resolve().parent.parent
TWO_WAYS = "examples/two_ways.py"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "XLA_FLAGS"}
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=110, check=False)


def scanir(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run(str(Path(sys.executable).with_name("scanir")), *arguments)


@pytest.mark.parametrize(
    ("other", "stage", "verdicts", "status"),
    [
        ("closed_over", "all", {"IDENTICAL"}, 0),
        ("carried", "all", {"IDENTICAL", "EQUIVALENT"}, 0),
        ("twice_the_step", "jaxpr", {"DIFFERENT"}, 1),
    ],
)
def test_two_ways(other: str, stage: str, verdicts: set[str], status: int) -> None:
    done = scanir("diff", f"{TWO_WAYS}:closed_over", f"{TWO_WAYS}:{other}", "--stage", stage)
    assert done.returncode == status, done.stdout + done.stderr
    assert any(verdict in done.stdout for verdict in verdicts)


@pytest.mark.parametrize(
    ("a", "b", "given", "verdict", "status"),
    [
        ("returned_carry.py:dropped", "returned_carry.py:returned", (), "EQUIVALENT", 0),
        ("python_scalars.py:number", "python_scalars.py:array", (), "IDENTICAL", 0),
        ("python_scalars.py:number", "python_scalars.py:array", ("--args", "bf16[8]"), "DIFFERENT", 1),
        ("cond_carry.py:through_cond", "cond_carry.py:beside_cond", (), "DIFFERENT", 1),
    ],
)
def test_when_it_matters(a: str, b: str, given: tuple[str, ...], verdict: str, status: int, capsys: Any) -> None:
    folder = ROOT / "examples"
    assert main(["diff", f"{folder}/{a}", f"{folder}/{b}", *given, "--stage", "jaxpr"]) == status
    assert capsys.readouterr().out.startswith(verdict)


@pytest.mark.parametrize(
    ("script", "output"),
    [
        (
            "own_strategy.py",
            "sum-reversed against sum-reversed: IDENTICAL\nsum-reversed against sum-scan: DIFFERENT\n",
        ),
        ("refactoring.py", "before and after are equivalent\n"),
    ],
)
def test_scripts(script: str, output: str) -> None:
    done = run(sys.executable, f"examples/{script}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == output


def test_every_example_is_described() -> None:
    described = (ROOT / "examples/README.md").read_text(encoding="utf-8")
    assert all(f"`{path.name}`" in described for path in (ROOT / "examples").glob("*.py"))
