"""Shardings of arguments reach the tracing, the interface and the verdict (in a child with eight devices)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import scanir

pytestmark = pytest.mark.compat
SOURCE = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
rows, columns = NamedSharding(mesh, P("data")), NamedSharding(mesh, P(None, "model"))

def shape(sharding=None):
    return jax.ShapeDtypeStruct((8, 16), "float32", sharding=sharding)

def step(x, w):
    return x @ w.T

def make_args():
    put = jax.device_put(jnp.zeros((8, 16)), rows)
    made = jax.jit(lambda: jnp.ones((8, 16)), out_shardings=columns)()
    return put, {"w": made, "given": shape(rows), "plain": jnp.zeros((8, 16))}["w"]

def all_of_them():
    put = jax.device_put(jnp.zeros((8, 16)), rows)
    return put, {"given": shape(rows), "plain": jnp.zeros((8, 16))}
"""
CHILD = """
import json, sys
import scanir
from scanir.targets import Target
from scanir.targets.made import arguments_from
sys.path.insert(0, ".")
import mine

def texts(target, given, stage):
    return [a.sharding for a in Target(target).trace((stage,), given)[stage].interface.arguments]

def attributes(target, given):
    module = Target(target).trace(("stablehlo",), given)["stablehlo"].module
    entry = module.function(module.entry)
    return [any("sharding" in name for name, _ in attrs) for attrs in entry.param_attrs]

given = scanir.Arguments((mine.shape(mine.rows), mine.shape(mine.columns)))
other = scanir.Arguments((mine.shape(mine.columns), mine.shape(mine.columns)))
plain = scanir.Arguments((mine.shape(), mine.shape()))
made = arguments_from("mine.py:make_args")
loose = arguments_from("mine.py:all_of_them").args
jitted = mine.jax.jit(mine.step, in_shardings=(mine.rows, None))
answers = {}
for stage in ("jaxpr", "stablehlo", "hlo"):
    found = scanir.diff(mine.step, mine.step, args_a=given, args_b=other, stage=stage)
    same = scanir.diff(mine.step, mine.step, args_a=given, args_b=made, stage=stage)
    answers[stage] = [found.verdict.name, found.modulo, same.verdict.name]
print(json.dumps({
    "jaxpr": texts(mine.step, given, "jaxpr"),
    "stablehlo": texts(mine.step, given, "stablehlo"),
    "plain": texts(mine.step, plain, "jaxpr"),
    "made": texts(mine.step, made, "jaxpr"),
    "jitted": texts(jitted, plain, "jaxpr"),
    "attributes": [attributes(mine.step, given), attributes(mine.step, plain)],
    "loose": [str(x.sharding is not None) for x in (loose[0], loose[1]["given"], loose[1]["plain"])],
    "diff": answers,
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    directory: Path = tmp_path_factory.mktemp("sharded")
    (directory / "mine.py").write_text(SOURCE)
    environment = {**os.environ, "PYTHONPATH": str(Path(scanir.__file__).parent.parent)}
    environment |= {"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}
    done = subprocess.run(
        [sys.executable, "-c", CHILD], cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_interface_says_how_arguments_are_split(found: Any) -> None:
    expected = ["('data', None) over data=4, model=2", "(None, 'model') over data=4, model=2"]
    assert found["jaxpr"] == expected
    assert found["stablehlo"] == expected
    assert found["plain"] == ["", ""]


def test_the_lowering_gets_them(found: Any) -> None:
    assert found["attributes"] == [[True, True], []]


def test_a_function_that_makes_arguments_loses_none(found: Any) -> None:
    assert found["made"] == found["jaxpr"]
    assert found["loose"] == ["True", "True", "False"]


def test_options_of_a_jit_count(found: Any) -> None:
    import jax

    if hasattr(jax.jit(lambda x: x).trace(1.0), "_params"):  # not known from outside up to 0.6
        assert found["jitted"] == [found["jaxpr"][0], ""]


@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo"])
def test_unlike_shardings_are_a_class(found: Any, stage: str) -> None:
    assert found["diff"][stage] == ["EQUIVALENT", ["class:sharding"], "IDENTICAL"]


def test_compiled_for_unlike_shardings(found: Any) -> None:
    verdict, _, same = found["diff"]["hlo"]
    assert verdict != "IDENTICAL"
    assert same == "IDENTICAL"
