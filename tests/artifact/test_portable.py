"""What is saved is the same wherever and whenever it is made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scanir.artifact.trace import flags_anywhere, text_anywhere

SOURCE = """
import jax
import jax.numpy as jnp
import numpy as np

W = np.arange(400, dtype=np.float32).reshape(20, 20)

def host(x):
    return x

def f(x):
    y = jnp.tanh(x @ W)
    y = jax.pure_callback(host, jax.ShapeDtypeStruct((20,), "float32"), y)
    return jax.lax.scan(lambda c, _: (jax.nn.relu(c * 2) @ W, c.sum()), y, None, length=7)
"""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/me/proj/pkg/step.py:f", ".../pkg/step.py:f"),
        ("act is static: <function relu at 0x7f0dca2bed10>", "act is static: <function relu at 0x...>"),
        ("rel/step.py:f", "rel/step.py:f"),
        ("pkg.mod:make(3)", "pkg.mod:make(3)"),
        ("a ratio of 1/2, and 0x10", "a ratio of 1/2, and 0x10"),
        ("'/usr/lib/x/y.py' (written without lines)", "'.../x/y.py' (written without lines)"),
    ],
)  # fmt: skip
def test_texts_name_no_place_of_this_machine(text: str, shown: str) -> None:
    assert text_anywhere(text) == shown


def test_flags_that_write_dumps_are_left_out() -> None:
    assert flags_anywhere("--xla_a=1 --xla_dump_to=/tmp/x --xla_b") == "--xla_a=1 --xla_b"


@pytest.mark.full
def test_two_processes_in_two_directories_write_the_same_bytes(tmp_path: Path) -> None:
    """Host calls of JAX up to 0.5 have addresses in their modules, which is why this is not asked of those."""
    found = []
    for seed, place in (("1", "here"), ("7", "far/away")):
        directory = tmp_path / place
        directory.mkdir(parents=True)
        (directory / "m.py").write_text(SOURCE)
        command = [sys.executable, "-m", "scanir", "trace", "m.py:f", "--args", "f32[20]", "-o", "f.scanir"]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        stages = ["--stage", "jaxpr,stablehlo,hlo-in,hlo"]
        subprocess.run([*command, *stages], cwd=directory, env=environment, check=True)
        found.append((directory / "f.scanir").read_text())
        assert str(tmp_path) not in found[-1]
        assert str(Path.home()) + os.sep not in found[-1]
    assert found[0] == found[1]
