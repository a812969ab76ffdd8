"""The public functions on real programs: what they take, what they answer, and that they answer the same in every
process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import scanir
from scanir.ir.parser import parse_module
from scanir.ir.printer import print_module
from scanir.ir.verify import problems
from scanir.result import Verdict

pytestmark = pytest.mark.compat

vec = jax.ShapeDtypeStruct((8,), jnp.float32)
f32 = jax.ShapeDtypeStruct((), jnp.float32)


def scaled(x: jax.Array, w: jax.Array) -> jax.Array:
    return jnp.sin(x) * w


def spelled(x: jax.Array, w: jax.Array) -> jax.Array:
    inner = jax.jit(lambda y: jnp.sin(y))
    return inner(x) * w


def other(x: jax.Array, w: jax.Array) -> jax.Array:
    return jnp.cos(x) * w


def test_every_kind_of_object() -> None:
    jitted = jax.jit(scaled)
    traced = jitted.trace(vec, f32)
    lowered = traced.lower()
    for stage, sides in {
        "jaxpr": (scaled, jitted, traced, traced.jaxpr),
        "stablehlo": (scaled, jitted, traced, lowered),
        "hlo": (scaled, jitted, traced, lowered, lowered.compile()),
    }.items():
        for side in sides:
            answer = scanir.diff(scaled, side, vec, f32, stage=stage)
            assert answer.verdict is Verdict.IDENTICAL, (stage, side)
        assert scanir.diff(sides[-1], spelled, vec, f32, stage=stage).verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT)
        assert scanir.diff(sides[-1], other, vec, f32, stage=stage).verdict is Verdict.DIFFERENT


def test_json_is_the_documented_object() -> None:
    answer = scanir.diff("lambda", "carry", stage="all")
    shown = json.loads(json.dumps(answer.to_json()))
    assert list(shown)[:6] == ["schema_version", "a", "b", "verdict", "exit_code", "stages"]
    assert (shown["schema_version"], shown["verdict"], shown["exit_code"]) == (1, "EQUIVALENT", 0)
    for stage in shown["stages"]:
        assert stage["forwarded_outputs"][0] == {"side": "b", "output": 2, "input": 1}
        assert {use["rule"] for use in stage["modulo"]} >= {"forwarded-outputs"}
        capture = stage["loops"][0]["captures"][0]
        assert set(capture) == {"hole", "type", "left", "right"}
        assert set(capture["left"]) >= {"kind", "value", "slot"}


def test_unused_and_forgotten_arguments() -> None:
    def unused(x: Any, w: Any, z: Any) -> Any:
        return scaled(x, w)

    def forgotten(x: Any, w: Any, z: Any) -> Any:
        return scaled(x, z)

    for stage in ("jaxpr", "stablehlo", "hlo"):
        assert scanir.diff(forgotten, unused, vec, f32, f32, stage=stage).verdict is Verdict.DIFFERENT


@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo", "hlo"])
def test_gate_is_stricter_than_a_look(stage: str) -> None:
    with pytest.raises(AssertionError, match="constant-argument"):
        scanir.assert_equivalent("lambda", "constant", stage=stage)
    scanir.assert_equivalent("lambda", "constant", stage=stage, allow=["constant-argument"])
    scanir.assert_equivalent(scaled, spelled, vec, f32, stage=stage)


@pytest.mark.parametrize("name", ["lambda", "carry", "jit-body", "sum-while", "fibonacci-vmap", "factorial-fori"])
def test_normal_forms_are_modules(name: str) -> None:
    """Raw modules are well formed; both forms print, and read back as they print."""
    raw, normal = scanir.trace(name), scanir.trace(name, normalized=True)
    for stage in ("jaxpr", "stablehlo", "hlo"):
        assert problems(raw[stage]) == ()
        for module in (raw[stage], normal[stage]):
            text = print_module(module)
            assert print_module(parse_module(text)) == text


SCRIPT = """
import jax, jax.numpy as jnp
def loop(x, w):
    return jax.lax.scan(lambda c, _: (jnp.sin(c) * w, c.sum()), x, None, length=7)
example_args = (jax.ShapeDtypeStruct((4,), jnp.float32), jax.ShapeDtypeStruct((), jnp.float32))
"""


def run(*args: str, cwd: Path, seed: str = "0") -> subprocess.CompletedProcess[str]:
    env = dict(os.environ, PYTHONHASHSEED=seed, PYTHONPATH=str(Path(scanir.__file__).parents[1]), COLUMNS="100")
    return subprocess.run(
        [sys.executable, "-m", "scanir", *args], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )


def test_one_function_in_two_files_and_processes(tmp_path: Path) -> None:
    """Other file, other line, other process, other hash seed: the artifacts are IDENTICAL, and so is the printed
    report."""
    shown = []
    for number, pad in enumerate(("", "\n" * 40)):
        folder = tmp_path / f"v{number}"
        folder.mkdir()
        (folder / f"step{number}.py").write_text(pad + SCRIPT)
        for stage in ("jaxpr", "stablehlo", "hlo"):
            (folder / f"{stage}.txt").write_text(scanir.show(f"{folder}/step{number}.py:loop", stage=stage))
    for stage in ("jaxpr", "stablehlo", "hlo"):
        left, right = (str(tmp_path / f"v{number}" / f"{stage}.txt") for number in (0, 1))
        assert scanir.diff(left, right).verdict is Verdict.IDENTICAL
    for seed in ("1", "2"):
        done = run("diff", "v0/step0.py:loop", "v1/step1.py:loop", "--stage", "all", cwd=tmp_path, seed=seed)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("IDENTICAL")
        shown.append(done.stdout)
    assert shown[0] == shown[1]
