"""Sides made in processes of their own: the programs come back as they are, and every end of a child is told."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import scanir
from scanir.compare.verdict import compare
from scanir.contexts import spawn
from scanir.contexts.transport import packed, unpacked
from scanir.errors import ArgumentError, ScanirError, TargetError, TraceError
from scanir.ir.printer import Style, print_module
from scanir.normalize.rules import rule_set
from scanir.result import Verdict
from scanir.targets import Arguments, resolve

SOURCE = """
import os, signal, sys
import jax, jax.numpy as jnp
WIDE = jnp.zeros(2, float).dtype.itemsize == 8
def f(x):
    print("prints while it is traced")
    return jnp.sin(x) * (2.0 if WIDE else 3.0)
def twice(x):
    return jax.pure_callback(lambda v: v, jax.ShapeDtypeStruct((3,), jnp.float32), x)
def bad(x): raise ValueError("mine")
def crash(x): os.kill(os.getpid(), signal.SIGSEGV)
def leave(x): os._exit(0)
def status(x): os._exit(7)
def leaves(x): sys.exit(3)
def interrupted(x): raise KeyboardInterrupt
def waits(x):
    import time
    open("started", "w").close()
    time.sleep(600)
"""
X64 = ["jax_enable_x64=1"]
VEC = jax.ShapeDtypeStruct((3,), jnp.float32)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "mine.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return "mine.py"


@pytest.mark.compat
@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo", "hlo"])
def test_a_program_comes_back_as_it_was(stage: str) -> None:
    weights = jnp.arange(40, dtype=jnp.float32).at[3].set(jnp.nan)

    def function(params: Any, x: Any) -> Any:
        return {"loss": jnp.sum(params["w"] * weights) + x}, jnp.float32(-0.0)

    arguments = Arguments(({"w": jax.ShapeDtypeStruct((40,), jnp.float32)}, jax.ShapeDtypeStruct((), jnp.float32)))
    program = resolve(function).trace((stage,), arguments)[stage]
    back = unpacked(packed(program))
    assert replace(back, module=program.module) == program
    exact = Style(names=True, locations=True)
    assert print_module(back.module, exact) == print_module(program.module, exact)
    assert compare(program, back, rule_set()).verdict is Verdict.IDENTICAL


@pytest.mark.compat
def test_host_functions_of_two_processes_are_never_the_same() -> None:
    def function(x: Any) -> Any:
        return jax.pure_callback(lambda v: v, VEC, x)

    programs = resolve(function).trace(("jaxpr", "stablehlo"), Arguments((VEC,)))
    for program in programs.values():
        one, two = unpacked(packed(program)), unpacked(packed(program))
        for a, b in ((program, one), (one, program), (one, two)):
            assert compare(a, b, rule_set()).verdict is Verdict.INCONCLUSIVE
    jaxpr = programs["jaxpr"]
    assert compare(jaxpr, unpacked(packed(jaxpr)), rule_set(["callback-by-name"])).verdict is Verdict.EQUIVALENT


@pytest.mark.compat
def test_each_side_is_imported_under_its_settings(file: str, capfd: pytest.CaptureFixture[str]) -> None:
    answer = scanir.diff(f"{file}:f", f"{file}:f", VEC, stage="jaxpr,hlo", under="none,jvp", config_b=X64)
    assert [(row.under, row.stage) for row in answer.stages] == [
        (u, s) for u in ("none", "jvp") for s in ("jaxpr", "hlo")
    ]
    assert answer.verdict is Verdict.DIFFERENT, "a constant of the module is another one there"
    assert all(row.provenance == ("jax_enable_x64: False against True",) for row in answer.stages)
    captured = capfd.readouterr()
    assert "prints while it is traced" in captured.err


def test_what_jax_reads_as_it_starts(file: str) -> None:
    answer = scanir.diff("lambda", "def", stage="all", config_b={"jax_num_cpu_devices": 3}, env_b={"XLA_FLAGS": ""})
    assert [row.verdict.name for row in answer.stages] == ["EQUIVALENT", "EQUIVALENT", "DIFFERENT"]
    assert any(fact == "devices: 8 against 3" for fact in answer.stages[0].provenance), answer.stages[0].provenance
    allowed = scanir.diff(
        "lambda", "def", config_b={"jax_num_cpu_devices": 3}, env_b={"XLA_FLAGS": ""}, allow=["provenance"]
    )
    assert (allowed.verdict, allowed.modulo) == (Verdict.EQUIVALENT, ("provenance",))


ENDS: list[Any] = [
    ("bad", TraceError, "ValueError: mine", "mine.py"),
    ("crash", TraceError, "was ended by SIGSEGV", "with jax_enable_x64=True"),
    ("leave", TraceError, "ended without an answer", ""),
    pytest.param("status", TraceError, "ended with status 7", "", marks=pytest.mark.full),
    ("leaves", TraceError, "ends the process (sys.exit)", "with jax_enable_x64=True"),
    pytest.param("nothing", TargetError, "mine has no nothing", "", marks=pytest.mark.full),
]


@pytest.mark.parametrize(("name", "kind", "what", "where"), ENDS)
def test_every_end_of_a_child_is_told(file: str, name: str, kind: type[ScanirError], what: str, where: str) -> None:
    with pytest.raises(kind) as caught:
        scanir.diff("sum-scan", f"{file}:{name}", args_b=Arguments((VEC,)), stage="jaxpr", config_b=X64)
    assert what in caught.value.what
    assert where in caught.value.where
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)  # no child is left, dead or alive


def test_an_interrupt_of_the_child_is_one_here(file: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        scanir.diff("sum-scan", f"{file}:interrupted", args_b=Arguments((VEC,)), stage="jaxpr", config_b=X64)


def test_no_child_outlives_its_parents_error(file: str, tmp_path: Path) -> None:
    """The other side fails while the child works: it is ended, and nothing of it stays."""
    began = time.monotonic()
    with pytest.raises(TraceError, match="mine"):
        scanir.diff(f"{file}:bad", f"{file}:waits", VEC, stage="jaxpr", config_b=X64)
    assert time.monotonic() - began < 100
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_nothing_is_started_without_need(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(spawn.subprocess, "Popen", refuse)
    for settings in (
        {},
        {"config": {"jax_enable_x64": True}},
        {"config_b": {"jax_enable_x64": False}},
        {"config": {"jax_platforms": jax.config.jax_platforms}},
        {"compiler_options_b": {"xla_cpu_enable_fast_math": True}},
        {"env_b": {"XLA_FLAGS": os.environ.get("XLA_FLAGS", "")}},
    ):
        scanir.diff(f"{file}:f", f"{file}:f", VEC, stage="jaxpr", **settings)


def test_arguments_that_cannot_be_sent(file: str) -> None:
    class Here:
        def __reduce__(self) -> Any:
            raise TypeError("stays here")

    with pytest.raises(ArgumentError, match="cannot be sent to another process: TypeError: stays here"):
        scanir.diff(f"{file}:f", f"{file}:f", Here(), config_b={"jax_enable_x64": True})


def test_the_command(file: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scanir", "diff", f"{file}:f", f"{file}:f", "--args", "f64[3]", "--stage", "jaxpr",
         "--config", "jax_enable_x64=True", "--config-b", "jax_numpy_rank_promotion=raise", "--allow", "provenance"],
        capture_output=True, text=True, check=False, timeout=110,
        env={**os.environ, "PYTHONPATH": str(Path(scanir.__file__).parents[1])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, verdict = done.stdout.splitlines()[:2]
    assert first == "the sides were made differently: jax_numpy_rank_promotion allow against raise"
    assert verdict.startswith("EQUIVALENT")
    assert done.stderr.count("prints while it is traced") == 2
