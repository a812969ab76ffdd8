"""Benches of real programs, in processes of their own: what is measured, what is refused, how each end is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from scanir import api
from scanir.errors import ArgumentError, ScanirError, TargetError, TraceError
from scanir.measure.bench import Plan, Subject, bench, lengths, probes
from scanir.measure.inputs import Inputs
from scanir.measure.program import Measured
from scanir.measured.result import METRICS, Bench
from scanir.strategies.lengths import FAMILIES, KINDS, members
from scanir.targets import resolve

ROOT = Path(__file__).resolve().parents[2]
SOURCE = """
import functools, os, signal, time
import jax, jax.numpy as jnp
def product(x, w): return x @ w
@functools.partial(jax.jit, donate_argnums=0)
def donates(x, w): return x + w
@functools.partial(jax.jit, static_argnames=("n",))
def static(x, n): return x * n
def noise(key): return jax.random.normal(key, (3,))
class Model:
    @functools.partial(jax.jit, static_argnums=0)
    def call(self, x): return x + 1
model = Model()
def wide(x): return x if x.dtype.itemsize == 8 else 1 / 0
def prints(x):
    print("prints while it is traced")
    return x
def bad(x): raise ValueError("mine")
def fails(x):
    def inside(value): raise RuntimeError("while it runs")
    return jax.pure_callback(inside, jax.ShapeDtypeStruct((3,), jnp.float32), x)
def crash(x): os.kill(os.getpid(), signal.SIGSEGV)
def waits(x):
    open("started", "w").close()
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    (folder / "mine.py").write_text(SOURCE)
    return folder


@pytest.fixture(autouse=True)
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def quick(*targets: tuple[str, Any], **plan: Any) -> Bench:
    """One round of each."""
    options = Plan(**{"seconds": 0.01, "rounds": 1, **plan})
    subjects = [Subject(text, text, given) for text, given in targets]
    return bench(probes(subjects, options, lambda what, done: None), options, lambda what, done: None)


CALLS = [
    ("mine.py:product", "f32[8], f32[8]"),
    ("mine.py:donates", "f32[8], f32[8]"),
    ("mine.py:static", "f32[3], n=static(2)"),
    ("mine.py:noise", "key<fry>[]"),
    ("mine.py:model.call", "f32[3]"),
    ("lambda", None),
]


@pytest.mark.compat
@pytest.mark.older
@pytest.mark.parametrize(("text", "given"), CALLS, ids=lambda part: str(part))
def test_each_kind_of_call(text: str, given: str | None) -> None:
    """In this process: donated inputs, static ones, keys, methods, the values of an example."""
    program = Measured(text, given, "", {}, Inputs())
    made = program.compile()
    assert list(made) == ["trace", "lower", "compile"]
    assert all(seconds > 0 for seconds in made.values())
    assert program.first() > 0
    assert program.block(3) > 0
    assert program.sizes()["code"] > 0


def test_equal_inputs_are_one_array() -> None:
    import jax
    import numpy as np

    inputs = Inputs()
    first, second = inputs.of((np.ones(3, np.float32), jax.ShapeDtypeStruct((2,), "int32")))
    again, other, weak = inputs.of((np.ones(3, np.float32), np.zeros(3, np.float32), 1.0))
    assert first is again
    assert first is not other
    assert 0 <= int(second.min()) <= int(second.max()) < 10
    assert weak.weak_type
    assert inputs.of("a text") == "a text"


@pytest.mark.full
@pytest.mark.timeout(600)
def test_a_bench_of_several(capfd: Any) -> None:
    found = quick(*CALLS[:3])
    assert [row.missing for row in found.rows] == [""] * 3
    for row in found.rows:
        assert [metric for metric, _ in row.samples] == list(METRICS)
        assert all(timing.median > 0 for _, timing in row.timings)
        assert row.memory.planned > 0
        assert row.memory.code > 0
    assert len(found.comparisons) == 2
    assert found.control is not None
    assert found.rounds == 1
    assert not found.noisy, "one round tells nothing"
    assert capfd.readouterr().out == ""


@pytest.mark.full
@pytest.mark.timeout(600)
def test_settings_transforms_and_what_a_function_prints(capfd: Any) -> None:
    answer = api.bench(["mine.py:wide"], "f64[3]", config=["jax_enable_x64=1"], seconds=0.01, rounds=1)
    assert answer.matrix is not None
    under = api.bench(["mine.py:product"] * 2, "f32[8], f32[8]", under="grad", seconds=0.01, rounds=1, stage="jaxpr")
    assert [row.name for row in under.rows] == ["mine.py:product", "mine.py:product (2)"]
    assert under.matrix is not None
    assert under.matrix.exit_code == 0
    capfd.readouterr()
    quick(("mine.py:prints", "f32[3]"))
    assert "prints while it is traced" in capfd.readouterr().err


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("target", "error", "what", "where"),
    [
        ("mine.py:bad", TraceError, "ValueError: mine", "mine.py:18, in bad(x) given f32[3], measuring mine.py:bad"),
        ("mine.py:crash", TraceError, "was ended by SIGSEGV", ""),
        ("mine.py:fails", TraceError, "calling callback", "measuring mine.py:fails"),
        ("mine.py:prodct", TargetError, "prodct", "measuring"),
    ],
)
def test_a_target_that_fails(target: str, error: type[ScanirError], what: str, where: str) -> None:
    with pytest.raises(error) as caught:
        quick((target, "f32[3]"))
    assert what in caught.value.what
    assert where in caught.value.where
    assert caught.value.hint


@pytest.mark.full
@pytest.mark.timeout(600)
def test_what_takes_too_long_is_left_out() -> None:
    found = quick(("mine.py:waits", "f32[3]"), limit=0.5)
    assert [row.missing for row in found.rows] == ["not run: over the limit of 0.5 s"]
    assert (found.comparisons, found.control, found.rounds) == ((), None, 0)


@pytest.mark.full
@pytest.mark.timeout(600)
def test_what_was_too_long_is_not_tried_longer() -> None:
    given = ("mine.py:waits", "f32[3]")
    found = lengths(
        "mine", (1, 2), lambda length: [("waits", *given)], seconds=0.01, rounds=1, limit=0.5,
        progress=lambda what, done: None,
    )  # fmt: skip
    assert [bench.rows[0].missing for bench in found.benches] == ["not run: over the limit of 0.5 s"] * 2


def test_what_is_refused() -> None:
    with pytest.raises(ArgumentError, match="another process measures"):
        api.bench([len])  # type: ignore[list-item]
    with pytest.raises(ArgumentError, match="under one transform"):
        api.bench(["lambda"], under="grad, jvp")
    with pytest.raises(ArgumentError, match="rollout has no lengths"):
        api.bench_lengths("rollout", [10])
    with pytest.raises(ArgumentError, match="a length is a number"):
        api.bench_lengths("sum", [0])
    with pytest.raises(ArgumentError, match="nothing to measure"):
        api.bench([])


@pytest.mark.parametrize("family", FAMILIES)
def test_kinds_of_loops_do_the_same(family: str) -> None:
    """All but vmap, which has more inputs, return the same; of another length too."""
    import jax.numpy as jnp
    import numpy as np

    results = {}
    for kind, text, _ in members(family, 7):
        start = (np.int32(2), np.int32(3)) if family == "fibonacci" else (np.arange(1, 8, dtype=np.int32),)
        many = kind == "vmap"
        values = tuple(jnp.asarray(np.stack([value, value + 1]) if many else value) for value in start)
        found = np.asarray(resolve(text).function(*values))
        results[kind] = (found[0] if many else found).tolist()
    assert list(results) == list(KINDS)
    expected = {"fibonacci": [2, 3, 5, 8, 13, 21, 34], "sum": 28, "factorial": 5040}[family]
    assert results == dict.fromkeys(KINDS, expected)


@pytest.mark.full
@pytest.mark.timeout(600)
def test_ctrl_c_ends_it_all(folder: Path) -> None:
    started = folder / "started"
    started.unlink(missing_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "scanir", "bench", "mine.py:waits", "--args", "f32[3]"],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    for _ in range(600):
        if started.exists():
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said.strip() == "interrupted"
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_it_is_honest() -> None:
    """A share of bench/measuring.py: a program does not differ from itself; one of a fifth more work is slower."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("measuring", ROOT / "bench" / "measuring.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    same = [script.all_the_same(script.measured(script.probed(script.TRIPS, script.TRIPS), 15)) for _ in range(3)]
    more = [script.slower(script.measured(script.probed(script.TRIPS, script.MORE), 15)) for _ in range(3)]
    assert sum(same) >= 2
    assert sum(more) >= 2
