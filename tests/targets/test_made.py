"""Arguments made by a person's function on shapes alone."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import scanir
from scanir.errors import ArgumentError, ScanirError
from scanir.targets import Arguments
from scanir.targets.made import arguments_from, make_arguments

pytestmark = pytest.mark.compat
SOURCE = """
import jax, jax.numpy as jnp, numpy as np, scanir
import neighbour

def make_args():
    return {"w": jnp.zeros((neighbour.SIZE, 2)), "act": jax.nn.relu}, jnp.zeros(3)

def sized(n, kind="sgd"):
    return {"x": jnp.zeros(n), "kind": kind}

class Maker:
    def make(self):
        return scanir.Arguments((jnp.zeros(1),), {"n": 3}, frozenset({"n"}))

maker = Maker()
values = (np.zeros(2), 1)
there = jnp.ones(4)

def closes_over():
    return {"w": there, "b": np.ones(2)}, jnp.zeros(3)
named = {"x": 1.0}
state = 5

def chooses():
    x = jnp.zeros(3)
    return (x,) if x.sum() > 0 else (x, x)

def breaks():
    raise RuntimeError("no such data set")

def single():
    return jnp.zeros(3)

def numbered():
    return {1: jnp.zeros(3)}
"""


class State(NamedTuple):
    w: Any


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(SOURCE)
    (tmp_path / "neighbour.py").write_text("SIZE = 5\n")
    return tmp_path


def struct(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


@pytest.mark.usefixtures("here")
def test_what_may_be_named() -> None:
    assert arguments_from("mine.py:make_args").args == ({"w": struct(5, 2), "act": jax.nn.relu}, struct(3))
    assert arguments_from("mine.py:sized(7)") == Arguments((), {"x": struct(7), "kind": "sgd"})
    assert arguments_from("mine.py:sized(2, kind='adam')").kwargs["kind"] == "adam"
    assert arguments_from("mine.py:maker.make") == Arguments((struct(1),), {"n": 3}, frozenset({"n"}))
    assert arguments_from("mine.py:Maker().make()").static == {"n"}
    assert isinstance(arguments_from("mine.py:values").args[0], np.ndarray)
    assert arguments_from("mine.py:named").kwargs == {"x": 1.0}
    made = arguments_from("mine.py:closes_over").args
    assert isinstance(made[0]["w"], jax.Array)
    assert made[0]["w"].shape == (4,)
    assert made[1] == struct(3)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("name", "what", "hint"),
    [
        ("mine.py:chooses", "needs the values of arrays it makes", "numpy"),
        ("mine.py:breaks", "RuntimeError: no such data set", "jax.eval_shape"),
        ("mine.py:single", "gives one value (array), not a tuple", "return (x,)"),
        ("mine.py:numbered", "keys are not names", "scanir.Arguments"),
        ("mine.py:sized", "needs arguments itself", "mine.py:sized(2)"),
        ("mine.py:state", "neither a function nor a tuple", "scanir.Arguments"),
        ("mine.py:nothing", "has no nothing", ""),
        ("mine.py", "names no part", "m.py:make_args"),
        ("", "names no part", "m.py:make_args"),
        ("absent.py:f", "no file absent.py", ""),
        ("mine.py:state(2)", "cannot be called", ""),
        ("mine.py:sized(2, 3, 4)", "TypeError", ""),
    ],
)
def test_what_cannot_be_used(name: str, what: str, hint: str) -> None:
    with pytest.raises(ScanirError) as caught:
        arguments_from(name)
    assert what in caught.value.what
    assert hint in caught.value.hint


def test_values_survive() -> None:
    array = np.arange(3)

    def make() -> Any:
        return jnp.zeros(2), 3, 0.5, "text", None, jnp.tanh, array, struct(4), [True, State(jnp.ones(1))]

    made = make_arguments(make, "make").args
    assert made[0] == struct(2)
    assert made[1:6] == (3, 0.5, "text", None, jnp.tanh)
    assert [type(value) for value in made[1:3]] == [int, float]
    assert made[6] is array
    assert made[7:] == (struct(4), [True, State(struct(1))])


def test_weak_types_and_keys_survive() -> None:
    weak, key = make_arguments(lambda: (jnp.asarray(1.0) * 2, jax.random.key(0)), "make").args
    assert weak.weak_type == jax.eval_shape(lambda: jnp.asarray(1.0) * 2).weak_type
    assert str(key.dtype) == "key<fry>"


def test_a_named_tuple_is_one_value() -> None:
    with pytest.raises(ArgumentError, match=r"gives one value \(State\)"):
        make_arguments(lambda: State(1), "make")


def test_an_object_that_holds_arrays_and_is_no_pytree() -> None:
    class Holder:
        def __init__(self) -> None:
            self.w = jnp.zeros(3)

    def closure() -> Any:
        w = jnp.zeros(3)
        return jnp.zeros(3), lambda x: x + w

    for make in (
        lambda: (jnp.zeros(3), {"held": Holder()}),
        lambda: (functools.partial(example, jnp.zeros(3)),),
        closure,
    ):
        with pytest.raises(ArgumentError, match="holds an array that JAX does not see") as caught:
            make_arguments(make, "make")
        assert "pytree" in caught.value.hint
    assert isinstance(make_arguments(lambda: (jax.tree_util.Partial(example, jnp.zeros(3)),), "make"), Arguments)


def example(x: Any) -> Any:
    return x


def needy() -> Any:
    return (jnp.zeros(int(jnp.asarray(3))),)


example_args: dict[str, Callable[[], Any]] = {"example": needy}


def test_the_example_of_a_module_may_need_values() -> None:
    assert scanir.Target(example).arguments().args[0].shape == (3,)


@pytest.mark.usefixtures("here")
def test_printing_does_not_reach_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    from scanir.cli import main

    Path("loud.py").write_text("def make():\n    print('hello')\n    return (1.0,)\n\ndef f(x):\n    return x * 2\n")
    assert main(["diff", "loud.py:f", "loud.py:f", "--args-from", "loud.py:make", "--stage", "jaxpr"]) == 0
    said = capsys.readouterr()
    assert "hello" not in said.out
    assert "hello" in said.err


HUGE = """
import jax, jax.numpy as jnp

def init(key):
    keys = jax.random.split(key, 4)
    # Four times 2.5 GB of float32.
    return {f"layer{k}": jax.random.normal(keys[k], (25_000, 25_000)) for k in range(4)}

def make_args():
    params = init(jax.random.key(0))
    return params, jax.tree.map(jnp.zeros_like, params), jnp.zeros((8, 25_000)), "sgd"

def step(params, momentum, x, rule):
    def loss(params):
        y = x
        for w in params.values():
            y = jnp.tanh(y @ w)
        return (y**2).sum()
    grads = jax.grad(loss)(params)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, grads)
    return jax.tree.map(lambda p, m: p - 0.1 * m, params, momentum), momentum

def other(params, momentum, x, rule):
    return step(params, momentum, x, rule)
"""
PEAK = """
import resource, sys
from scanir.cli import main
code = main(sys.argv[1:])
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, "code", code)
"""


def test_twenty_gigabytes_of_arguments_take_no_memory(tmp_path: Path) -> None:
    (tmp_path / "huge.py").write_text(HUGE)
    command = [
        "diff",
        "huge.py:step",
        "huge.py:other",
        "--args-from",
        "huge.py:make_args",
        "--stage",
        "jaxpr,stablehlo",
    ]
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(scanir.__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("IDENTICAL"), done.stdout + done.stderr
    _, peak, _, code = done.stdout.splitlines()[-1].split()
    assert code == "0"
    assert int(peak) < 1e9
    assert "argument rule is static: 'sgd'" in done.stderr
