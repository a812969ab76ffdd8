"""The benchmark of a training step, at a size for a test: both commands do what they say."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest

import scanir
from scanir.result import Verdict

ROOT = Path(__file__).parent.parent


def test_both_ways_to_write_the_step_are_one_program() -> None:
    """In this process, without the measuring."""
    spec = importlib.util.spec_from_file_location("train_step", ROOT / "bench" / "train_step.py")
    assert spec is not None
    assert spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    shapes = jax.eval_shape(lambda: bench.make_args(1, 32))
    answer = scanir.diff(bench.old, bench.new, *shapes, stage="jaxpr")
    assert (answer.verdict, answer.modulo) == (Verdict.EQUIVALENT, ("calls",))


@pytest.mark.full
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
