"""Every session shown in the README is run, and prints what the README shows."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.console import Step, matches, sessions

ROOT = Path(__file__).resolve().parent.parent
STEPS = sessions((ROOT / "README.md").read_text(encoding="utf-8"))


def test_the_readme_shows_sessions() -> None:
    assert STEPS


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"line-{step.line}")
def test_session(step: Step) -> None:
    program, *arguments = shlex.split(step.command)
    assert program == "scanir", f"README line {step.line}: only scanir commands can be shown as sessions"
    scanir = Path(sys.executable).with_name("scanir")
    # As a person has it: no devices forced, a terminal of 100 columns that is not a terminal.
    environment = {key: value for key, value in os.environ.items() if key not in {"XLA_FLAGS", "FORCE_COLOR"}}
    done = subprocess.run(
        [str(scanir), *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment | {"COLUMNS": "100", "JAX_PLATFORMS": "cpu"},
        timeout=110,
        check=False,
    )
    actual = tuple(line.rstrip() for line in done.stdout.splitlines())
    assert matches(step.output, actual), f"line {step.line}, `{step.command}` printed:\n{done.stdout}{done.stderr}"
    assert done.returncode == step.status, done.stderr


MARKDOWN = """
```console
$ scanir diff a b
DIFFERENT
...
end
$ echo $?
1
$ scanir list
```
```python
$ scanir no
```
"""


def test_sessions_are_read() -> None:
    assert sessions(MARKDOWN) == [
        Step(3, "scanir diff a b", ("DIFFERENT", "...", "end"), 1),
        Step(9, "scanir list", ()),
    ]


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ("a b", "a b", True),
        ("a b", "a b c", False),
        ("a ... b", "a x y b", True),
        ("a ... b", "a b", True),
        ("a ... b", "a x", False),
        ("a ... b ... c", "a x b b c", True),
        ("a ... b ... c", "a x c", False),
        ("... c", "a c d", False),
        ("a ... a", "a", False),
    ],
)
def test_outputs_are_compared(expected: str, actual: str, same: bool) -> None:
    assert matches(tuple(expected.split()), tuple(actual.split())) is same
