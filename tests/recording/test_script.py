"""Compiles of a script in a process of its own, which runs as it does without scanir."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from scanir.errors import ArgumentError
from scanir.recording.script import Recorded, run

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "recompiles.py"


def scanir(*arguments: str, cwd: Path, group: bool = False) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scanir", "recompile", *arguments], capture_output=True, text=True, cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(EXAMPLE.parents[1])}, timeout=110, check=False, start_new_session=group,
    )  # fmt: skip


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], dict[str, object]]:
    """The example, with an error at its end."""
    directory = tmp_path_factory.mktemp("training")
    (directory / "train.py").write_text(EXAMPLE.read_text() + 'raise ValueError("at the end")\n')
    done = scanir("--format", "json", "--output", "report.json", "--", "python", "train.py", cwd=directory)
    return done, json.loads((directory / "report.json").read_text())


@pytest.mark.full
def test_a_training_script(training: tuple[subprocess.CompletedProcess[str], dict[str, object]]) -> None:
    """At step 2 a Python float becomes an array, at the last batch the shape changes, and each epoch has a lambda."""
    _, report = training
    lines = EXAMPLE.read_text().splitlines()
    step, norm = (next(k for k, line in enumerate(lines, 1) if text in line) for text in ("= step(", "norm(params)"))
    found = report["compiles"]
    assert isinstance(found, list)
    rows = [
        (row["function"], row["site"]["file"], row["site"]["line"], [r["kind"] for r in row["reasons"]])
        for row in found
        if row["owner"] == "user"
    ]
    assert rows == [
        ("step", "train.py", step, []),
        ("step", "train.py", step, ["weak-type"]),
        ("step", "train.py", step, ["shape"]),
        *[("<lambda>", "train.py", norm, kinds) for kinds in ([], ["function"], ["function"])],
    ]
    said = [line for row in found for reason in row["reasons"] for line in reason["what"]]
    assert said[:2] == ["rate: weak f32[] (a Python float) -> f32[] (an array)", "batch: f32[8,3] -> f32[5,3]"]
    assert said[2].endswith(f"made at train.py:{norm - 1}")
    assert report["summary"] == (
        "6 compiles of 2 functions; 3 avoidable: 1 weak type, 2 another function object; 1 for other programs: 1 shape"
    )


@pytest.mark.full
def test_what_it_prints_and_how_it_ends_is_its_own(
    training: tuple[subprocess.CompletedProcess[str], dict[str, object]],
) -> None:
    done, report = training
    assert (done.returncode, done.stdout) == (1, "done\n")
    assert "ValueError: at the end" in done.stderr
    assert "scanir" not in done.stderr
    assert (report["status"], report["notes"]) == (1, ["the script ended with status 1"])


SCRIPT = """
import os, sys
print(sys.argv, __name__, os.getcwd() == os.path.realpath(os.getcwd()), sys.path[0], os.environ.get("PYTHONPATH"))
print(sorted(name for name in os.environ if name.startswith("SCANIR")), "sitecustomize" in sys.modules)
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.parametrize("module", [False, True])
def test_the_script_runs_as_without_scanir(
    module: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "script.py").write_text(SCRIPT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    words = ["-m", "package.script", "5"] if module else ["package/script.py", "5"]
    plain = subprocess.run([sys.executable, *words], check=False).returncode
    expected = capfd.readouterr().out.replace("False\n", "True\n")
    done = run(["python", *words])
    assert done.status == plain == 5
    assert capfd.readouterr().out.replace("False\n", "True\n") == expected
    assert done.notes == ("the script ended with status 5",)
    assert done.log.summary == "no compiles"


@pytest.mark.compat
@pytest.mark.older
def test_jax_is_listened_to_once_it_is_imported(tmp_path: Path) -> None:
    code = "import jax, numpy\nf = jax.jit(lambda x: x)\nf(numpy.ones(3))\nf(numpy.ones(2))\nraise ValueError"
    done = ended(code, tmp_path)
    (group,) = done.log.groups
    assert [reason.what for row in group.rows for reason in row.reasons] == [("x: f32[3] -> f32[2]",)]
    assert [row.site.line for row in group.rows if row.site is not None] == [3, 4]
    assert done.notes == ("the script ended with status 1",)


def ended(code: str, tmp_path: Path) -> Recorded:
    (tmp_path / "s.py").write_text(code)
    return run([str(tmp_path / "s.py")])


def test_ends_of_a_script(tmp_path: Path) -> None:
    assert ended("pass", tmp_path).notes == ()
    killed = ended("import os; os.kill(os.getpid(), 9)", tmp_path)
    assert (killed.status, killed.notes) == (128 + signal.SIGKILL, ("the script was ended by SIGKILL",))
    (note,) = run([sys.executable, "-I", "-c", "pass"]).notes
    assert note.startswith("nothing was recorded")
    with pytest.raises(ArgumentError, match="cannot be run: No such file"):
        run(["./nothing-of-that-name"])
    with pytest.raises(ArgumentError, match="no command"):
        run([])


def test_the_persons_own_sitecustomize_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("import builtins; builtins.mine = 3")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "own"))
    code = "import os, sys; sys.exit(mine + 10 * os.environ['PYTHONPATH'].endswith('own'))"
    assert ended(code, tmp_path).status == 13


def test_control_c_is_for_the_script(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text("import os, time\nos.killpg(0, 2)\ntime.sleep(30)\n")
    done = scanir("--", "python", "s.py", cwd=tmp_path, group=True)
    assert done.returncode == 130
    assert "KeyboardInterrupt" in done.stderr
    assert done.stderr.endswith("no compiles\nnote: the script was ended by SIGINT\n")
