"""The benchmark of a training step, at a size for a test: both commands do what they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_a_small_training_step() -> None:
    command = [sys.executable, str(ROOT / "bench" / "train_step.py"), "--rounds", "1", "--layers", "1", "--width", "32"]
    done = subprocess.run(
        [*command, "--stage", "jaxpr"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, _, lower, diff, verdict = done.stdout.splitlines()
    assert first.startswith("1.61e+06 parameters")
    assert lower.startswith("trace and lower")
    assert diff.startswith("scanir diff")
    assert verdict.startswith("EQUIVALENT")
