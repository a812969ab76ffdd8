"""The processes of the gate, with programs that need no JAX where that is not the point."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scanir.gate.config import read_plan
from scanir.gate.workers import make_all
from scanir.outcome import Outcome

HLO = """HloModule m

ENTRY main {
  x = f32[4] parameter(0)
  ROOT y = f32[4] OP(x), metadata={op_name="f" source_file="/home/me/f.py" source_line=7}
}
"""
#: A module that starts a process of its own and then takes its time.
SLOW = """
import os, subprocess, sys, time

child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(99)"])
with open("pids", "w") as file:
    file.write(f"{child.pid} {os.getpid()} .")
time.sleep(99)
"""
PAIR = '[[pairs]]\nname = "{name}"\na = "{a}"\nb = "{b}"\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, op in (("sine", "sine"), ("again", "sine"), ("cosine", "cosine")):
        (tmp_path / f"{name}.hlo").write_text(HLO.replace("OP", op), encoding="utf-8")
    return tmp_path


def outcomes(project: Path, *pairs: tuple[str, str, str], jobs: int = 1) -> tuple[Outcome, ...]:
    text = "".join(PAIR.format(name=name, a=a, b=b) for name, a, b in pairs)
    (project / "scanir.toml").write_text(text, encoding="utf-8")
    plan = read_plan(project / "scanir.toml")
    told: list[tuple[int, bool]] = []
    found = make_all(plan, plan.checks, jobs, lambda number, outcome: told.append((number, outcome is not None)))
    assert sorted(told) == [(k, done) for k in range(len(pairs)) for done in (False, True)]
    return found


def test_the_answers_of_checks(project: Path) -> None:
    same, other, gone = outcomes(
        project,
        ("same", "sine.hlo", "again.hlo"),
        ("other", "sine.hlo", "cosine.hlo"),
        ("gone", "sine.hlo", "cosin.hlo"),
    )
    assert [(row.word, row.exit_code) for row in (same, other, gone)] == [
        ("IDENTICAL", 0),
        ("DIFFERENT", 1),
        ("ERROR", 2),
    ]
    (found,) = other.findings
    assert found.rule == "different"
    assert [(spot.line, spot.label) for spot in found.spots] == [(7, "b"), (7, "a")]
    assert other.data is not None
    assert other.data["verdict"] == "DIFFERENT"
    assert "files near: cosine.hlo" in gone.report
    assert str(gone.spot) == "scanir.toml:9"


@pytest.mark.full
def test_a_check_that_crashes_its_process_is_an_error_of_its_own(project: Path) -> None:
    (project / "boom.py").write_text("import os\nprint('farewell', flush=True)\nos._exit(7)\n", encoding="utf-8")
    same, boom, other = outcomes(
        project,
        ("same", "sine.hlo", "again.hlo"),
        ("boom", "sine.hlo", "boom.py:f"),
        ("other", "sine.hlo", "cosine.hlo"),
    )
    assert [row.word for row in (same, boom, other)] == ["IDENTICAL", "ERROR", "DIFFERENT"]
    assert "ended with status 7" in boom.summary
    assert "farewell" in boom.report


def test_answers_come_in_the_order_of_the_file(project: Path) -> None:
    names = [(f"p{k}", "sine.hlo", "again.hlo" if k % 2 else "cosine.hlo") for k in range(6)]
    found = outcomes(project, *names, jobs=2)
    assert [row.name for row in found] == [name for name, _, _ in names]
    assert [row.exit_code for row in found] == [1, 0, 1, 0, 1, 0]


@pytest.mark.full
def test_what_a_check_changes_does_not_reach_the_next_one(project: Path) -> None:
    """A module that sets a setting of JAX as it is imported, before a pair that shows the setting."""
    (project / "sets.py").write_text(
        "import jax\njax.config.update('jax_enable_x64', True)\ndef f(x): return x + 1\n", encoding="utf-8"
    )
    (project / "shows.py").write_text("import jax.numpy as jnp\ndef f(x): return jnp.arange(3) + x\n", encoding="utf-8")
    text = '[[pairs]]\nname = "{}"\na = "{}.py:f"\nb = "{}.py:f"\nargs = "i32[3]"\nstage = "jaxpr"\n'
    (project / "scanir.toml").write_text(
        text.format("sets", "sets", "sets") + text.format("shows", "shows", "shows"), encoding="utf-8"
    )
    plan = read_plan(project / "scanir.toml")
    _, after = make_all(plan, plan.checks, 1, lambda number, outcome: None)
    (alone,) = make_all(plan, plan.checks[1:], 1, lambda number, outcome: None)
    assert after == alone


@pytest.mark.full
def test_ctrl_c_ends_everything(project: Path) -> None:
    (project / "slow.py").write_text(SLOW, encoding="utf-8")
    (project / "scanir.toml").write_text(PAIR.format(name="slow", a="slow.py:f", b="slow.py:f"), encoding="utf-8")
    command = [sys.executable, "-m", "scanir", "check"]
    process = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    pids = project / "pids"
    for _ in range(600):
        if pids.exists() and pids.read_text(encoding="utf-8").endswith("."):
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.strip() == "interrupted"
    for pid in pids.read_text(encoding="utf-8").split()[:2]:
        assert _has_ended(int(pid))


def _has_ended(pid: int) -> bool:
    for _ in range(50):
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":  # nobody is there to hear of its end
            return True
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    return False
