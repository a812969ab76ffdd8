"""Modules of Equinox and Flax as targets: their arrays are arguments, their options are kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import scanir
from scanir.errors import ScanirError
from scanir.result import Verdict
from scanir.targets import Arguments, Target

pytestmark = pytest.mark.compat
S = jax.ShapeDtypeStruct((4, 2), jnp.float32)
V = jax.ShapeDtypeStruct((2,), jnp.float32)


def found(target: Any, *args: Any, stage: str = "jaxpr", **kwargs: Any) -> Any:
    return Target(target).trace((stage,), Arguments(args, kwargs))[stage]


def names(program: Any) -> list[str]:
    return [argument.name for argument in program.interface.arguments]


def verdict(a: Any, b: Any, *args: Any, **options: Any) -> Verdict:
    return scanir.diff(a, b, *args, **({"stage": "jaxpr"} | options)).verdict


# -- Equinox -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def eqx() -> Any:
    return pytest.importorskip("equinox", reason="Equinox is not installed: its modules are not tested")


def mlp(eqx: Any, seed: int = 0, act: Any = jax.nn.relu) -> Any:
    return eqx.nn.MLP(2, 2, 4, 1, activation=act, key=jax.random.key(seed))


PARAMETERS = ["layers[0].weight", "layers[0].bias", "layers[1].weight", "layers[1].bias"]


def test_an_equinox_module(eqx: Any) -> None:
    program = found(mlp(eqx), V)
    assert names(program) == [*(f"model.{name}" for name in PARAMETERS), "x"]
    assert program.notes[0] == "the arrays of MLP are its first argument, model"
    assert "argument model.activation is static: <function relu>" in program.notes
    assert verdict(mlp(eqx), mlp(eqx, 1), V) is Verdict.IDENTICAL  # other weights, same program
    assert verdict(mlp(eqx), mlp(eqx, act=jnp.tanh), V) is Verdict.DIFFERENT
    assert verdict(mlp(eqx), lambda model, x: model(x), args_a=Arguments((V,)), args_b=Arguments((mlp(eqx), V))) is (
        Verdict.IDENTICAL
    )


def test_numbers_of_an_equinox_module_are_static(eqx: Any) -> None:
    # Traced they would be equal whatever they are, and the choice of a dropout or a norm by a truth could not be made.
    def dropout(rate: Any, *, inference: bool = False) -> Any:
        return eqx.nn.Sequential([eqx.nn.Linear(2, 2, key=jax.random.key(0)), eqx.nn.Dropout(rate, inference)])

    arguments = Arguments((V,), {"key": jax.random.key(1)})
    assert verdict(dropout(0.5), dropout(0.5), arguments) is Verdict.IDENTICAL
    assert verdict(dropout(0.5), dropout(0.25), arguments) is Verdict.DIFFERENT
    assert verdict(dropout(0.5), dropout(0.5, inference=True), arguments) is Verdict.DIFFERENT
    program = Target(dropout(0.5)).trace(("jaxpr",), arguments)["jaxpr"]
    assert names(program) == ["model.layers[0].weight", "model.layers[0].bias", "x", "key"]
    assert "argument model.layers[1].p is static: 0.5" in program.notes
    array = Target(dropout(np.float64(0.5))).trace(("jaxpr",), arguments)["jaxpr"]
    assert "model.layers[1].p" in names(array)  # a number of numpy is an array to Equinox


def test_an_equinox_module_among_the_arguments(eqx: Any) -> None:
    def apply(model: Any, x: Any) -> Any:
        return jax.vmap(model)(x)

    program = found(apply, mlp(eqx), S)
    assert names(program) == [*(f"model.{name}" for name in PARAMETERS), "x"]
    assert len(program.notes) == 2


@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo"])
def test_filter_jit_is_traced_as_it_traces_itself(eqx: Any, stage: str) -> None:
    def step(model: Any, x: Any, n: int = 2, *, scale: Any) -> Any:
        return model(x) * n * scale, model

    model, shape = mlp(eqx), jax.ShapeDtypeStruct((), jnp.float32)
    donating = eqx.filter_jit(step, donate="all")
    program = found(donating, model, V, 3, scale=shape, stage=stage)
    assert names(program) == [*(f"model.{name}" for name in PARAMETERS), "x", "scale"]
    assert all(argument.donated for argument in program.interface.arguments)
    plain = found(eqx.filter_jit(step), model, V, 3, scale=shape, stage=stage)
    assert not any(argument.donated for argument in plain.interface.arguments)
    given = Arguments((model, V, 3), {"scale": shape})
    other = Arguments((model, V, 4), {"scale": shape})
    assert verdict(donating, donating, args_a=given, args_b=other, stage=stage) is Verdict.DIFFERENT
    if stage == "stablehlo":
        answer = scanir.diff(donating, eqx.filter_jit(step), given, stage=stage)
        assert answer.modulo == ("class:donation",)


# -- Flax linen --------------------------------------------------------------------------------------------------------


@pytest.fixture
def linen() -> Any:
    return pytest.importorskip("flax.linen", reason="Flax is not installed: its modules are not tested")


def test_a_linen_module_makes_its_variables_on_shapes_alone(linen: Any) -> None:
    huge = linen.Dense(1_000_000_000_000)
    program = found(huge, V)
    assert names(program) == ["variables['params']['bias']", "variables['params']['kernel']", "inputs"]
    assert program.notes == ("the variables of Dense, its first argument, are made by init on shapes alone",)
    by_hand = Arguments((jax.eval_shape(linen.Dense(3).init, jax.random.key(0), V), V))
    answer = scanir.diff(linen.Dense(3), linen.Dense(3).apply, args_a=Arguments((V,)), args_b=by_hand, stage="jaxpr")
    assert answer.verdict is Verdict.IDENTICAL


def test_a_bound_linen_module_and_options_of_apply(linen: Any) -> None:
    class Net(linen.Module):
        @linen.compact
        def __call__(self, x: Any, train: bool = False) -> Any:
            x = linen.BatchNorm(use_running_average=not train)(linen.Dense(3)(x))
            return linen.Dropout(0.5, deterministic=not train)(x)

    variables = Net().init(jax.random.key(0), jnp.zeros((4, 2)))
    bound = Net().bind(variables)
    assert verdict(bound, Net(), S) is Verdict.IDENTICAL
    key = jax.eval_shape(lambda: jax.random.key(0))
    trained = {"rngs": {"dropout": key}, "mutable": ["batch_stats"]}
    program = Target(Net()).trace(("jaxpr",), Arguments((S, True), trained, frozenset({1, "mutable"})))["jaxpr"]
    assert "rngs['dropout']" in names(program)
    assert len(program.interface.results) == 3  # the output, and two running means
    with pytest.raises(ScanirError, match=r"ModifyScopeVariableError|InvalidRngError"):
        Target(Net()).trace(("jaxpr",), Arguments((S, True), {}, frozenset({1})))


# -- Flax nnx ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def nnx() -> Any:
    return pytest.importorskip("flax.nnx", reason="Flax is not installed: its modules are not tested")


def net(nnx: Any, momentum: float = 0.9) -> Any:
    class Net(nnx.Module):
        def __init__(self, rngs: Any) -> None:
            self.dense = nnx.Linear(2, 3, rngs=rngs)
            self.norm = nnx.BatchNorm(3, momentum=momentum, rngs=rngs)
            self.act = jax.nn.relu

        def __call__(self, x: Any) -> Any:
            return self.act(self.norm(self.dense(x)))

    return Net(nnx.Rngs(0))


def test_an_nnx_module_returns_what_it_changes(nnx: Any) -> None:
    program = found(net(nnx), S)
    assert names(program)[-1] == "x"
    assert all(name.startswith("model[") for name in names(program)[:-1])
    assert len(program.interface.results) == 3  # the output, running mean and variance
    assert "first argument, model" in program.notes[0]
    assert verdict(net(nnx), net(nnx), S) is Verdict.IDENTICAL
    # The outputs agree; the running means, which only later calls see, do not.
    assert verdict(net(nnx), net(nnx, 0.8), S) is Verdict.DIFFERENT
    net(nnx)(jnp.zeros((4, 2)))  # no tracer was left in a module


@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo", "hlo"])
def test_an_nnx_module_as_an_argument(nnx: Any, stage: str) -> None:
    model = nnx.Linear(2, 3, rngs=nnx.Rngs(0))

    def twice(model: Any, x: Any) -> Any:
        return model(x) * 2

    program = found(twice, model, S, stage=stage)
    assert {"kernel", "bias"} == {name for name in ("kernel", "bias") if any(name in n for n in names(program))}
    assert names(program)[-1] == "x"
    assert verdict(twice, lambda model, x: twice(model, x), model, S, stage=stage) is Verdict.IDENTICAL
    assert verdict(twice, lambda model, x: model(x) * 3, model, S, stage=stage) is Verdict.DIFFERENT


def writing(nnx: Any, write: Any) -> Any:
    class Cell(nnx.Module):
        def __init__(self) -> None:
            self.c, self.e = nnx.BatchStat(jnp.float32(1.0)), nnx.BatchStat(jnp.float32(2.0))

        def __call__(self, x: Any) -> Any:
            write(self)
            return x * 2

    return Cell()


def test_which_variable_is_written_counts(nnx: Any) -> None:
    def copies(cell: Any) -> None:
        cell.e[...] = cell.c[...]

    def counts_c(cell: Any) -> None:
        cell.c[...] = cell.c[...] + 1

    def counts_e(cell: Any) -> None:
        cell.e[...] = cell.c[...] + 1

    x = jax.ShapeDtypeStruct((), jnp.float32)
    assert verdict(writing(nnx, counts_c), writing(nnx, counts_c), x) is Verdict.IDENTICAL
    assert verdict(writing(nnx, counts_c), writing(nnx, counts_e), x) is Verdict.DIFFERENT
    assert verdict(writing(nnx, copies), writing(nnx, lambda cell: None), x) is Verdict.DIFFERENT


def test_a_call_that_changes_what_a_module_is_made_of_is_refused(nnx: Any) -> None:
    def marks(cell: Any) -> None:
        cell.seen = True

    def deletes(cell: Any) -> None:
        del cell.c

    x = jax.ShapeDtypeStruct((), jnp.float32)
    for write in (marks, deletes):
        with pytest.raises(ScanirError, match="changes what Cell is made of"):
            found(writing(nnx, write), x)


@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo"])
def test_nnx_jit(nnx: Any, stage: str) -> None:
    @nnx.jit
    def step(model: Any, x: Any) -> Any:
        return model(x)

    model = net(nnx)
    assert verdict(step, step, model, S, stage=stage) is Verdict.IDENTICAL
    assert len(found(step, model, S, stage=stage).interface.arguments) == 7


def test_modules_of_a_file(eqx: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from scanir.cli import main

    (tmp_path / "nets.py").write_text(
        "import equinox as eqx, jax\nmodel = eqx.nn.Linear(2, 3, key=jax.random.key(0))\n"
        "def make(n):\n    return eqx.nn.Linear(2, n, key=jax.random.key(0))\n"
    )
    where = f"{tmp_path}/nets.py"
    assert main(["diff", f"{where}:model", f"{where}:make(3)", "--args", "f32[2]", "--stage", "jaxpr"]) == 0
    assert "model" in capsys.readouterr().err
