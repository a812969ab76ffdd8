"""Evidence on whole programs: what is refuted, what stays unproved, what agrees, and what is not run."""

from __future__ import annotations

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import scanir
from scanir.compare.verdict import _Comparison
from scanir.evidence.judge import judge
from scanir.normalize.identities import Identities
from scanir.render.text import render_text
from scanir.result import Evidence, StageDiff, Verdict
from scanir.strategies import strategies
from scanir.targets import resolve
from scanir.targets.arguments import Arguments

pytestmark = pytest.mark.compat


def shape(*dims: int, dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(dims, dtype)


S, V = shape(), shape(3)
N, W = shape(dtype=jnp.int32), shape(2, dtype=jnp.int32)


def run(f: Any, g: Any, *args: Any, stage: str = "stablehlo", **options: Any) -> tuple[StageDiff, Evidence]:
    answer = scanir.diff(f, g, *args, stage=stage, **({"run": 16} | options))
    (row,) = answer.stages
    assert row.evidence is not None
    return row, row.evidence


REFUTED = {
    "sign of zero": (lambda x: x, lambda x: x + 0.0, (S,), (("x", "-0.0"),), "-0.0", "0.0", 1),
    "NaN alone": (lambda x: x, lambda x: jnp.where(x == x, x, 1.0), (S,), (("x", "nan"),), "nan", "1.0", None),
    "infinity alone": (
        lambda x: x, lambda x: jnp.minimum(x, 3.4028235e38), (S,), (("x", "inf"),), "inf", "3.4028235e+38", 1,
    ),
    "a denormal": (lambda x: x == 0, lambda x: x * x == 0, (S,), (("x", "1e-45"),), "false", "true", None),
    "overflow": (lambda x: jnp.abs(x) < 0, lambda x: x != x, (N,), (("x", "-2147483648"),), "true", "false", None),
    "exchanged": (lambda x, y: x - y, lambda x, y: y - x, (N, N), (("x", "1"), ("y", "0")), "1", "-1", None),
    "bool": (lambda x: x, lambda x: x & False, (shape(dtype=bool),), (("x", "true"),), "true", "false", None),
    "bf16": (lambda x: x + 1, lambda x: x + 2, (shape(dtype=jnp.bfloat16),), (("x", "0"),), "1", "2", 128),
    "one element": (lambda x: x, lambda x: x.at[1].add(0.0), (V,), (("x", "[0.0, -0.0, 0.0]"),), "-0.0", "0.0", 1),
    "parts": (lambda x: x, jnp.conj, (shape(dtype=jnp.complex64),), None, None, None, None),
    "keys": (
        lambda k: jax.random.bits(k), lambda k: jax.random.bits(jax.random.fold_in(k, 1)),
        (jax.eval_shape(lambda: jax.random.key(0)),), (("k", "0 everywhere"),), None, None, None,
    ),
    "an expansion of XLA": (lambda x: jnp.sinh(x), lambda x: jnp.cosh(x), (S,), (("x", "0.0"),), "0.0", "1.0", None),
    "dropped arguments": (
        lambda x, y, z: x - y, lambda x, y, z: x - z, (S, S, S), (("x", "0.0"), ("y", "0.0"), ("z", "1.0")),
        "0.0", "-1.0", None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUTED)
def test_refuted(name: str) -> None:
    f, g, args, inputs, left, right, ulps = REFUTED[name]
    row, found = run(f, g, *args, run=24)
    assert (row.verdict, found.status) == (Verdict.DIFFERENT, "refuted")
    assert inputs is None or found.inputs == inputs
    assert left is None or (found.left, found.right) == (left, right)
    assert ulps is None or found.ulps == ulps
    assert (found.left != found.right, found.ran) == (True, found.agreed + 1)


def test_refuted_by_types() -> None:
    _, found = run(lambda x: x, lambda x: x.astype(jnp.float16), V)
    assert (found.status, found.left, found.right, found.ran) == ("refuted", "f32[3]", "f16[3]", 0)


def test_another_way_to_the_same_numbers_stays_unproved() -> None:
    row, found = run(lambda x, y: x + y, lambda x, y: x - (-y), W, W)
    assert (row.verdict, found.status, found.ran, found.agreed) == (Verdict.DIFFERENT, "unproved", 16, 16)


def test_the_example_is_the_first_input() -> None:
    """Only the value that the person gave tells these apart."""
    f, g = (lambda x: x), (lambda x: jnp.where(x == 123456789, 7, x))
    assert run(f, g, N)[1].status == "unproved"
    _, found = run(f, g, jnp.int32(123456789))
    assert (found.status, found.inputs, found.ran) == ("refuted", (("x", "123456789"),), 1)


def test_a_bound_argument_has_its_constant() -> None:
    sides = {"args_a": Arguments((V, S)), "args_b": Arguments((V,))}
    row, found = run(lambda x, w: x * w, lambda x: x * 2.0, **sides)
    assert (row.verdict, found.status, found.agreed) == (Verdict.EQUIVALENT, "agrees", 16)
    row, found = run(lambda x, w: x * w, lambda x: x * 2.0, forbid="constant-argument", **sides)
    assert (row.verdict, found.status, found.inputs[-1][0]) == (Verdict.DIFFERENT, "refuted", "w of a")


def test_forwarded_outputs_are_left_out() -> None:
    row, found = run(lambda x, y: (x + y, x), lambda x, y: x + y, V, V)
    assert (row.verdict, found.status) == (Verdict.EQUIVALENT, "agrees")
    _, found = run(lambda x, y: (x + y, y * x), lambda x, y: x + y, V, V)
    assert (found.status, "which of them correspond is not known" in found.reason) == ("not run", True)


def agreement(pairs: Any) -> None:
    for a, b in pairs:
        row, found = run(a, b, run=1)
        if row.verdict is Verdict.DIFFERENT:
            assert found.status in ("refuted", "unproved", "not run"), (a, b, found)
        else:
            assert (found.status, found.agreed) == ("agrees", 1), (a, b, found)


def families() -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for strategy in strategies():
        names.setdefault(strategy.family, []).append(strategy.name)
    return names


def test_no_verdict_on_the_strategies_is_contradicted() -> None:
    agreement((members[0], other) for members in families().values() for other in members[1:])


@pytest.mark.full
def test_no_verdict_on_any_pair_of_strategies_is_contradicted() -> None:
    agreement(pair for members in families().values() for pair in itertools.combinations(members, 2))


# -- not run -----------------------------------------------------------------------------------------------------------


def untouchable(x: Any) -> Any:
    raise AssertionError("a host function was run")


NOT_RUN = {
    "a host function": (lambda x: jax.pure_callback(untouchable, x, x), "host function"),
    "an effect": (lambda x: lax.rng_uniform(x[0], x[1], (3,)), "has an effect"),
    "a custom call": (lambda x: jnp.linalg.qr(jnp.outer(x, x))[0], "stablehlo.custom_call @"),
    "an op of CHLO": (lambda x: lax.top_k(x, 2)[0], "chlo.top_k"),
}


@pytest.mark.parametrize("name", NOT_RUN)
def test_not_run(name: str) -> None:
    f, why = NOT_RUN[name]
    _, found = run(f, f, V)
    assert (found.status, found.ran) == ("not run", 0)
    assert why in found.reason


def test_several_devices() -> None:
    if len(jax.devices()) < 2:
        pytest.skip("one device")
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), ("x",))
    split = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))
    _, found = run(*(jax.jit(lambda x: x + 1, in_shardings=split),) * 2, shape(4))
    assert (found.status, "split over devices" in found.reason) == ("not run", True)


def test_division_by_zero_is_told_and_other_inputs_go_on() -> None:
    row, found = run(lambda x, y: lax.div(x, y), lambda x, y: lax.div(x, y) + (x - x), N, N, run=4)
    assert (row.verdict, found.status, found.ran) == (Verdict.DIFFERENT, "unproved", 3)
    assert found.skipped == ("the reference interpreter cannot run a: integer division by zero",)


def test_a_loop_without_end() -> None:
    def endless(x: Any) -> Any:
        return lax.while_loop(lambda c: c == c, lambda c: c + 1, x)

    _, found = run(endless, lambda x: x, N, run=1, run_timeout=1)
    assert found.status == "not run"
    assert "a did not end within" in found.reason


def test_files_and_artifacts() -> None:
    lowered = [jax.jit(f).lower(V) for f in (jnp.sin, lambda x: jnp.sin(x) + 0.0)]
    texts = [stage.as_text() for stage in lowered]
    assert run(*texts)[1].inputs == (("argument 0", "[0.0, 0.0, -0.0]"),)
    assert run(texts[0], lowered[0])[1].status == "agrees"
    compiled = lowered[0].compile()
    assert "no StableHLO of a" in run(compiled, compiled, stage="hlo")[1].reason
    shown = scanir.show(lowered[0], stage="stablehlo")
    assert "other tools" in run(shown, shown)[1].reason


# -- what evidence does to a verdict -----------------------------------------------------------------------------------


def test_a_contradiction_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted rule: every op of two operands commutes."""
    monkeypatch.setattr(Identities, "exchange", lambda self, op: len(op.operands) == 2)
    # The checker would find it first.
    monkeypatch.setattr(_Comparison, "run", _Comparison.run.__wrapped__)  # type: ignore[attr-defined]
    f, g = (lambda x, y: x - y), (lambda x, y: y - x)
    answer = scanir.diff(f, g, V, V, stage="jaxpr,stablehlo", run=16)
    assert answer.verdict is Verdict.EQUIVALENT
    assert (answer.exit_code, bool(answer), answer.contradicted) == (2, False, True)
    assert [row.evidence and row.evidence.status for row in answer.stages] == ["contradicted"] * 2
    text = render_text(answer, width=100)
    assert text.startswith("error: the verdict at jaxpr, stablehlo is wrong: running both sides contradicts it\n")
    assert "please report this" in text
    with pytest.raises(AssertionError, match="please report this"):
        scanir.assert_equivalent(f, g, V, V, stage="stablehlo", run=16)
    scanir.assert_equivalent(f, g, V, V, stage="stablehlo")


def test_the_compiler_may_take_a_difference_away() -> None:
    """XLA drops + 0.0, which StableHLO does not: no contradiction."""
    row, found = run(lambda x: x, lambda x: x + 0.0, S, stage="hlo")
    assert (row.verdict.exit_code, found.status, found.inputs) == (0, "compiled away", (("x", "-0.0"),))
    assert (found.compiled, found.rounding) == (1, 0)


def test_an_inexact_rule_lets_results_differ() -> None:
    row, found = run(lambda x: x, lambda x: x + 0.0, S, allow="inexact")
    assert (row.verdict, found.status) == (Verdict.EQUIVALENT, "set aside")


def test_a_difference_decides_what_was_inconclusive() -> None:
    """Results differ whatever hides the answer, where the hidden part is not run."""
    sides = [resolve(f).trace(("stablehlo",), Arguments((S,)))["stablehlo"] for f in (lambda x: x, lambda x: x + 1)]
    row = StageDiff("stablehlo", Verdict.INCONCLUSIVE, reasons=("planted",))
    (judged,) = judge([row], *sides, 4, 20)
    assert (judged.verdict, judged.reasons, judged.evidence and judged.evidence.status) == (
        Verdict.DIFFERENT, ("planted",), "refuted",
    )  # fmt: skip


def test_generated_code_may_round_otherwise() -> None:
    """What the interpreter adds up in one order, generated code may add up in another: told, and it refutes nothing."""
    row, found = run(
        lambda x: jnp.sum(x), lambda x: lax.fori_loop(0, 64, lambda k, s: s + x[k], 0.0), shape(64), stage="hlo", run=4
    )
    assert (row.verdict, found.status, found.compiled) == (Verdict.DIFFERENT, "unproved", 4)
    assert found.rounding is not None


def test_rows_of_transforms_and_loops() -> None:
    answer = scanir.diff(
        lambda x: jnp.sum(x * x), lambda x: jnp.sum(x**3), V, stage="stablehlo", under=["none", "grad"], run=8
    )
    assert [row.evidence and row.evidence.status for row in answer.stages] == ["refuted", "refuted"]
    _, found = run("lambda", "carry", scope="loops")
    assert (found.status, "--scope loops" in found.reason) == ("not run", True)


def test_the_same_answer_each_time() -> None:
    first, second = (run(lambda x, y: x / y, lambda x, y: x * (1 / y), V, V)[1] for _ in range(2))
    assert first == second
    assert first.status == "refuted"


def test_a_side_that_was_made_in_another_process() -> None:
    """What runs comes with it."""
    row, found = run("sum-scan", "sum-python", run=2, env_a=["SCANIR_TEST=1"])
    assert (row.verdict, found.status, found.agreed) == (Verdict.DIFFERENT, "unproved", 2)
