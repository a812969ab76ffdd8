"""``scanir diff``: what it asks for, what it prints where, and what it exits with."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from scanir.errors import TraceError
from scanir.render.text import render_text
from scanir.targets import Arguments
from tests.cli.conftest import FakeApi, Outcome
from tests.render.diffs import ALL, BOUND, EQUIVALENT, INCONCLUSIVE

Run = Callable[..., Outcome]


def test_what_it_asks_for(api: FakeApi, run: Run) -> None:
    run("diff", "lambda", "carry")
    rules = ("--allow", "inexact", "--allow", "calls", "--forbid", "cse", "--strict")
    run("diff", "x", "y", "--stage", "jaxpr,hlo", *rules, "--scope", "loops")
    common = {"args": (), "args_a": None, "args_b": None, "under": ()}
    plain = {"stage": "hlo", "allow": (), "forbid": (), "strict": False, "scope": "program"}
    asked = {"stage": "jaxpr,hlo", "allow": ("inexact", "calls"), "forbid": ("cse",), "strict": True, "scope": "loops"}
    assert api.calls == [{"a": "lambda", "b": "carry"} | plain | common, {"a": "x", "b": "y"} | asked | common]


def test_running(api: FakeApi, run: Run) -> None:
    """``--run`` alone is the usual number of inputs; it may stand before what is no number, given as --run=N."""
    run("diff", "x", "y", "--run")
    run("diff", "--run=3", "x", "y", "--run-timeout", "0.5")
    assert [(call["run"], call["run_timeout"]) for call in api.calls] == [(16, 20), (3, 0.5)]
    assert run("diff", "x", "y", "--run", "none").code == 2
    assert run("diff", "x", "y", "--run=0").code == 2
    assert run("diff", "x", "y", "--run", "--run-timeout", "0").code == 2


def test_transforms(api: FakeApi, run: Run) -> None:
    run("diff", "x", "y", "--under", "grad,vmap", "--under", "jvp")
    run("show", "x", "--under", "vmap(in_axes=(0,None))")
    assert [call["under"] for call in api.calls] == [("grad,vmap", "jvp"), ("vmap(in_axes=(0,None))",)]


def test_arguments_made_by_a_function(api: FakeApi, run: Run, tmp_path: Path) -> None:
    made = tmp_path / "made.py"
    made.write_text("import jax.numpy as jnp\n\ndef make(n=2):\n    return jnp.zeros(n), 'x'\n")
    run("diff", "x", "y", "--args-from", f"{made}:make")
    run("diff", "x", "y", "--args", "f32[3]", "--args-from-b", f"{made}:make(5)")
    run("diff", "x", "y", "--args-from-a", f"{made}:make(1)", "--args-b", "2")
    shapes = [jax.ShapeDtypeStruct((n,), jnp.float32) for n in (2, 3, 5, 1)]
    assert [(call["args_a"].args, call["args_b"].args) for call in api.calls] == [
        ((shapes[0], "x"), (shapes[0], "x")),
        ((shapes[1],), (shapes[2], "x")),
        ((shapes[3], "x"), (2,)),
    ]


def test_settings(api: FakeApi, run: Run) -> None:
    """Given to the API as written; arguments too, since they may need the settings to be read."""
    both = ("--config", "jax_enable_x64=1", "--compiler-option", "xla_a=1", "--compiler-option", "xla_b=2")
    sides = ("--config-a", "k=1", "--config-b", "k=2", "--compiler-option-a", "o=1", "--env-b", "XLA_FLAGS=--x")
    run("diff", "x", "y", *both, *sides, "--args", "f64[3]")
    (call,) = api.calls
    assert (call["config"], call["compiler_options"]) == (("jax_enable_x64=1",), ("xla_a=1", "xla_b=2"))
    assert (call["config_a"], call["config_b"], call["compiler_options_a"]) == (("k=1",), ("k=2",), ("o=1",))
    assert (call["env_b"], call["args_a"], call["args_b"]) == (("XLA_FLAGS=--x",), "f64[3]", "f64[3]")


def test_arguments(api: FakeApi, run: Run) -> None:
    run("diff", "x", "y", "--args", "f32[3], 0.5")
    run("diff", "x", "y", "--args", "f32[3]", "--args-b", "1")
    run("diff", "x", "y", "--args", "")
    vector = jax.ShapeDtypeStruct((3,), jnp.float32)
    assert [(call["args_a"], call["args_b"]) for call in api.calls] == [
        (Arguments((vector, 0.5)), Arguments((vector, 0.5))),
        (Arguments((vector,)), Arguments((1,))),
        (Arguments(), Arguments()),
    ]


@pytest.mark.parametrize(
    ("name", "code"), [("identical", 0), ("equivalent", 0), ("bound", 0), ("different", 1), ("inconclusive", 3)]
)
def test_exit_codes_and_report(api: FakeApi, run: Run, name: str, code: int) -> None:
    api.answer = ALL[name]
    done = run("diff", "x", "y")
    assert done.code == code
    assert done.out == render_text(ALL[name], notes=False)


def test_json_is_all_of_stdout(api: FakeApi, run: Run) -> None:
    api.answer, api.prints = BOUND, "printed by the program of a person"
    done = run("diff", "x", "y", "--format", "json")
    assert json.loads(done.out) == BOUND.to_json()
    assert "printed by the program of a person" in done.err


def test_notes_go_to_stderr(api: FakeApi, run: Run) -> None:
    api.answer = INCONCLUSIVE
    done = run("diff", "x", "y")
    assert done.err == "note: hlo: the text was made without large constants\n"
    assert "large constants\n" not in done.out.partition("reasons")[0]


@pytest.mark.parametrize(
    ("choice", "environment", "colored"),
    [
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {}, False),
        (["--color", "auto"], {}, True),
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"NO_COLOR": ""}, True),
        ([], {"TERM": "dumb"}, False),
    ],
)
def test_color_on_a_terminal(
    api: FakeApi,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    choice: list[str],
    environment: dict[str, str],
    colored: bool,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert ("\x1b[" in run("diff", "x", "y", *choice).out) is colored


def test_no_color_in_a_pipe(api: FakeApi, run: Run) -> None:
    assert "\x1b[" not in run("diff", "x", "y").out
    assert "\x1b[" in run("diff", "x", "y", "--color", "always").out


def test_progress_only_for_a_person_who_watches(api: FakeApi, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("diff", "x", "y").err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run("diff", "x", "y").err == "comparing x and y at hlo\n"


def test_an_error(api: FakeApi, run: Run) -> None:
    api.answer = TraceError("cannot be traced", where="f.py:3", hint="look there")
    done = run("diff", "x", "y")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: cannot be traced\n  where: f.py:3\n  hint:  look there\n"


@pytest.mark.parametrize("spelling", [["--format", "json"], ["--format=json"]])
def test_an_error_for_a_program(api: FakeApi, run: Run, spelling: list[str]) -> None:
    api.answer = TraceError("cannot be traced", where="f.py:3", hint="look there")
    done = run("diff", "x", "y", *spelling)
    assert done.code == 2
    told = json.loads(done.out)
    assert told["error"] == {"kind": "TraceError", "what": "cannot be traced", "where": "f.py:3", "hint": "look there"}
    assert isinstance(told["schema_version"], int)
    assert done.err.startswith("error: cannot be traced\n")


def test_a_traceback_only_where_asked_for(api: FakeApi, run: Run) -> None:
    for error, message in (
        (TraceError("no"), "error: no\n"),
        (ValueError("odd\nmore"), "internal error, please report: ValueError: odd"),
    ):
        api.answer = error
        assert "Traceback" not in run("diff", "x", "y").err
        for arguments in (
            ["--traceback", "diff", "x", "y"],
            ["diff", "--traceback", "x", "y"],
            ["diff", "x", "y", "--traceback"],
        ):
            done = run(*arguments)
            assert done.code == 2
            assert "Traceback" in done.err
            assert message in done.err


def test_a_crash(api: FakeApi, run: Run) -> None:
    api.answer = RecursionError("too deep")
    done = run("diff", "x", "y")
    assert (done.code, done.out) == (2, "")
    assert done.err == "internal error, please report: RecursionError: too deep\n  hint:  --traceback shows where\n"


def test_a_program_that_ends_the_process(api: FakeApi, run: Run) -> None:
    api.answer = SystemExit(0)
    done = run("diff", "x", "y")
    assert (done.code, done.out) == (2, "")
    assert "ended the process" in done.err


def test_ctrl_c(api: FakeApi, run: Run) -> None:
    api.answer = KeyboardInterrupt()
    done = run("diff", "x", "y")
    assert (done.code, done.out, done.err) == (130, "", "\ninterrupted\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["diff"], "Missing argument 'A'"),
        (["diff", "x"], "Missing argument 'B'"),
        (["diff", "x", "y", "z"], "unexpected extra argument"),
        (["diff", "x", "y", "--format", "xml"], "'xml' is not one of"),
        (["diff", "x", "y", "--scope", "x"], "'x' is not one of"),
        (["diff", "x", "y", "--nope"], "No such option"),
        (["diff", "x", "y", "--args", "f32[3"], "expected ','"),
        (["diff", "x", "y", "--args", "1", "--args-from", "m.py:f"], "--args and --args-from both say"),
        (["diff", "x", "y", "--args-b", "1", "--args-from-b", "m.py:f"], "--args-b and --args-from-b both say"),
        (["dif", "x", "y"], "did you mean diff?"),
        (
            ["zzz"],
            "commands: diff, matrix, classes, bench, check, baseline, verify, trace, show, recompile",
        ),
        (["--nope"], "No such option"),
    ],
)
def test_usage_errors(api: FakeApi, run: Run, arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err
    assert api.calls == []


HOSTILE = [
    "\x1b[31mred",
    "[bold]",
    "a\nb",
    "x" * 10_000,
    "--",
    "-",
    "é\udcff",
    "; rm -rf /",
    "%s%n",
    "../../etc/passwd:x",
    "a:b:c:d",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(run: Run, name: str) -> None:
    arguments: list[Any] = ["diff", "--", name, "lambda"] if name != "-" else ["diff", "qqq", name]
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert "\x1b" not in done.err
    assert "internal error" not in done.err
    assert len(done.err) < 2000


def test_a_report_that_an_encoding_lacks(api: FakeApi, run: Run) -> None:
    api.answer = EQUIVALENT
    assert run("diff", "x", "y").out.isascii()


def test_a_transform_that_is_none(run: Run) -> None:
    done = run("diff", "sum-scan", "sum-fori", "--under", "grad(argnum=1)")
    assert (done.code, done.out) == (2, "")
    assert "grad has no option 'argnum'" in done.err
    assert "did you mean argnums?" in done.err


def test_fail_on_is_another_spelling_of_forbid(api: FakeApi, run: Run) -> None:
    run("diff", "x", "y", "--fail-on", "copies", "--forbid", "class:fusion")
    (call,) = api.calls
    assert call["forbid"] == ("copies", "class:fusion")
