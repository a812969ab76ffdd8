"""The other commands, help, and the command as a process of its own."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import scanir
from scanir.cli.group import COMMANDS
from scanir.strategies import strategies
from tests.cli.conftest import FakeApi, Outcome

ROOT = Path(__file__).resolve().parent.parent.parent
Run = Callable[..., Outcome]


def test_a_reader_that_goes_away_while_help_is_written() -> None:
    done = subprocess.run(
        f"{sys.executable} -m scanir --help | true; exit ${{PIPESTATUS[0]}}", shell=True, executable="/bin/bash",
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 141), "0 where help was written before the reader went away"
    assert done.stderr == ""


def scanir_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scanir", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | environment,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "arguments",
    [["-h"], ["--help"], ["diff", "-h"], ["show", "--help"], ["list", "-h"], ["doctor", "-h"], ["recompile", "-h"]],
)
def test_help(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.code == 0
    assert done.out.startswith("Usage: scanir")
    assert "--traceback" in done.out
    assert all(len(line) <= 80 for line in done.out.splitlines())


@pytest.mark.parametrize("arguments", [["-h"], ["diff", "-h"]])
def test_help_documents_the_exit_codes(run: Run, arguments: list[str]) -> None:
    text = run(*arguments).out
    for line in (
        "0    IDENTICAL or EQUIVALENT",
        "1    DIFFERENT",
        "2    usage error",
        "3    INCONCLUSIVE",
        "130  ",
        "141  ",
    ):
        assert line in text


def test_no_command_shows_help(run: Run) -> None:
    done = run()
    assert done.code == 2
    assert "Commands:" in done.err + done.out


@pytest.mark.compat
@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["diff", "--help"],
        ["show", "--help"],
        ["--version"],
        ["list"],
        ["explain", "cse"],
        ["diff", "lamda", "x"],
    ],
)
def test_what_imports_neither_jax_nor_rich(arguments: list[str]) -> None:
    code = f"import sys; from scanir.cli import main; main({arguments!r}); print({{'jax', 'rich'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "set()"


def test_version(run: Run) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert run("--version").out == f"scanir {project['version']}\n"
    assert scanir.__version__ == project["version"]
    assert project["scripts"]["scanir"] == "scanir.cli:main"


def test_list(run: Run) -> None:
    done = run("list")
    assert done.code == 0
    lines = done.out.splitlines()
    assert all(len(line) <= 100 for line in lines)
    for strategy in strategies():
        (line,) = [line for line in lines if line.split()[:1] == [strategy.name]]
        assert strategy.shapes in line
        assert strategy.summary in line
    assert [line for line in lines if line and not line.startswith(" ")] == ["rollout", "sum", "factorial", "fibonacci"]


def test_show(api: FakeApi, run: Run) -> None:
    api.answer = "module jaxpr entry @main\n"
    done = run("show", "carry", "--stage", "jaxpr", "--normalized", "--args", "1")
    assert (done.code, done.out) == (0, "module jaxpr entry @main\n")
    (call,) = api.calls
    assert (call["target"], call["stage"], call["normalized"], call["args"].args) == ("carry", "jaxpr", True, (1,))
    run("show", "carry")
    assert (api.calls[1]["stage"], api.calls[1]["normalized"], api.calls[1]["args"]) == ("hlo", False, None)


def test_doctor(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import jax

    monkeypatch.setenv("JAX_OF_MY_OWN", "\x1b[31m")
    done = run("doctor")
    assert done.code == 0
    rows = dict(line.split(None, 1) for line in done.out.splitlines())
    assert rows["jax"] == jax.__version__
    assert rows["scanir"] == scanir.__version__
    assert {"python", "jaxlib", "numpy", "rapidfuzz", "click", "rich", "jax_enable_x64"} <= rows.keys()
    assert rows["devices"].startswith("cpu:0")
    assert "\x1b" not in done.out
    assert "\\x1b[31m" in rows["JAX_OF_MY_OWN"]


def test_doctor_where_jax_does_not_start(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import jax

    def fail() -> None:
        raise RuntimeError("no backend\nmore")

    monkeypatch.setattr(jax, "devices", fail)
    done = run("doctor")
    assert done.code == 2
    assert "RuntimeError: no backend" in done.out


def test_the_module_is_the_command() -> None:
    done = scanir_process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"scanir {scanir.__version__}\n", "")
    done = scanir_process("diff", "lamda", "carry")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: unknown target lamda\n  hint:  did you mean lambda?\n"


def test_a_reader_that_goes_away() -> None:
    code = "import sys; from scanir.cli import main; sys.exit(main(['list']))"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [("list >&-", 0), ("list 2>&-", 0), ("diff lamda carry 2>&-", 2), ("diff lamda carry <&- >&- 2>&-", 2)],
)
def test_streams_that_are_closed(arguments: str, code: int) -> None:
    done = subprocess.run(
        f"{sys.executable} -m scanir {arguments}", shell=True, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("list >/dev/full", "error: the output cannot be written: No space left on device\n"),
        ("diff lamda carry 2>/dev/full", ""),
        ("diff lamda 2>/dev/full", ""),
    ],
)
def test_output_that_cannot_be_written(arguments: str, said: str) -> None:
    done = subprocess.run(
        f"{sys.executable} -m scanir {arguments}", shell=True, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (2, said)


def test_help_names_the_rules(run: Run) -> None:
    from scanir.normalize.rules import RULES

    said = run("diff", "--help").out
    assert all(f"{name}," in said or f"{name}\n" in said for name in RULES)


def test_standard_input_for_both_sides(run: Run) -> None:
    done = run("diff", "-", "-")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: standard input holds one program, not two\n  hint:")


def test_ctrl_c_in_a_process() -> None:
    code = """
import os, signal, sys, time
import scanir.api
from scanir.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background have it ignored

def diff(*args, **options):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)  # which is cut short when the signal arrives

scanir.api.diff = diff
sys.exit(main(["diff", "a", "b"]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGINT, "", "\ninterrupted\n")


def test_an_encoding_that_lacks_a_character() -> None:
    done = scanir_process("diff", "☃:f", "lambda", PYTHONIOENCODING="latin-1")
    assert done.returncode == 2
    assert "\\u2603 is neither" in done.stderr


def test_strategies_of_a_person(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scanir.strategies import registry

    strategies()
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
    file = tmp_path / "mine.py"
    file.write_text(
        "import scanir\nprint('hello')\n@scanir.register('mine', example=(1.0,))\ndef f(x):\n    '''My own.'''\n"
    )
    done = run("list", "--import", str(file))
    assert done.out.splitlines()[-2:] == ["user", "  mine  1.0  My own."]
    assert done.err == "hello\n"
    assert run("list", "--import", str(tmp_path / "other.py")).code == 2
    assert run("list", "--import", "no_such_module_x").code == 2


def test_help_says_what_each_command_says_of_itself() -> None:
    for name, short in COMMANDS.items():
        assert importlib.import_module(f"scanir.cli.{name}").command.short_help == short
