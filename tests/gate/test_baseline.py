"""Baselines: written, checked against what the program is now, and grouped by what changed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import scanir.api
from scanir.artifact import read_trace
from scanir.cli import main
from scanir.errors import ConfigError, ScanirError
from scanir.gate.baseline import check_baseline, file_of, update
from scanir.gate.config import read_plan
from scanir.gate.plan import Baseline, Update
from scanir.gate.upgrade import groups
from scanir.outcome import Outcome
from scanir.result import Diff

SOURCE = """
import jax
import jax.numpy as jnp
import numpy as np

W = np.arange(64, dtype=np.float32)

def host(x):
    return x

def f(x):
    return jax.lax.scan(lambda c, _: (c * W, c.sum()), x, None, length=5)

def calls(x):
    return jax.pure_callback(host, jax.ShapeDtypeStruct((64,), "float32"), x) * 2
"""
HLO = """HloModule m

ENTRY main {
  x = f32[4] parameter(0)
  ROOT y = f32[4] OP(x)
}
"""
TABLE = '[[baselines]]\nname = "{name}"\ntarget = "{target}"\nargs = "f32[64]"\nstages = {stages}\n{more}\n'


class Project:
    """A directory with a program and its checks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.write(SOURCE)

    def write(self, source: str) -> None:
        (self.path / "m.py").write_text(source)
        sys.modules.pop("m", None)

    def baseline(self, target: str = "m.py:f", stages: str = '["jaxpr", "stablehlo"]', more: str = "") -> Baseline:
        (self.path / "scanir.toml").write_text(
            TABLE.format(name=target.partition(":")[2], target=target, stages=stages, more=more)
        )
        (found,) = read_plan(self.path / "scanir.toml").checks
        assert isinstance(found, Baseline)
        return found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.chdir(tmp_path)
    return Project(tmp_path)


@pytest.mark.compat
def test_an_unchanged_program_passes_where_only_lines_move(project: Project) -> None:
    baseline = project.baseline()
    first = update(Update(baseline))
    assert (first.word, first.exit_code) == ("NEW", 0)
    text = file_of("f").read_text()
    assert str(project.path) not in text
    assert "m.py:11" not in text
    assert "sha256" in text
    project.write(f"# one line more\n\n{SOURCE}")
    assert update(Update(baseline)).word == "UNCHANGED"
    found = check_baseline(baseline)
    assert (found.word, found.exit_code, found.kind) == ("IDENTICAL", 0, "baseline")
    assert file_of("f").read_text() == text


def test_a_changed_constant_is_red_at_its_line(project: Project) -> None:
    baseline = project.baseline()
    update(Update(baseline))
    project.write(SOURCE.replace("np.arange(64", "1 + np.arange(64"))
    found = check_baseline(baseline)
    assert (found.word, found.exit_code) == ("DIFFERENT", 1)
    assert found.findings[0].spots[0].file == "m.py"
    assert update(Update(baseline)).word == "CHANGED"
    assert check_baseline(baseline).exit_code == 0


@pytest.mark.compat
@pytest.mark.parametrize("stages", ['["stablehlo"]', '["jaxpr"]'])
def test_host_functions_are_known_by_name_and_code(project: Project, stages: str) -> None:
    baseline = project.baseline("m.py:calls", stages)
    update(Update(baseline))
    found = check_baseline(baseline)
    assert (found.word, found.exit_code) == ("EQUIVALENT", 0)
    assert "callback-by-name" in found.summary
    project.write(SOURCE.replace("return x\n", "return -x\n"))
    found = check_baseline(baseline)
    assert found.exit_code in (1, 3)
    forbidden = project.baseline("m.py:calls", stages, 'forbid = ["callback-by-name"]')
    project.write(SOURCE)
    assert check_baseline(forbidden).word == "INCONCLUSIVE"


@pytest.mark.parametrize(
    ("policy", "word", "code"), [("compare", "IDENTICAL", 0), ("skip", "SKIPPED", 0), ("fail", "OTHER VERSION", 1)]
)
def test_another_version_than_the_files(project: Project, policy: str, word: str, code: int) -> None:
    import jax

    baseline = project.baseline("m.py:f", '["jaxpr"]', f'on-version-mismatch = "{policy}"')
    update(Update(baseline))
    path = file_of("f")
    path.write_text(path.read_text().replace(f'jax = "{jax.__version__}"', 'jax = "0.1.2"'))
    found = check_baseline(baseline)
    assert (found.word, found.exit_code) == (word, code)
    assert any(f"was made with jax 0.1.2, this is {jax.__version__}" in note for note in found.notes)
    assert [finding.rule for finding in found.findings] == (["version-mismatch"] if code else [])


def test_settings_count_though_versions_do_not(project: Project) -> None:
    baseline = project.baseline("m.py:f", '["jaxpr"]')
    update(Update(baseline))
    path = file_of("f")
    path.write_text(path.read_text().replace('jax_enable_x64 = "False"', 'jax_enable_x64 = "True"'))
    assert check_baseline(baseline).word == "EQUIVALENT"  # not IDENTICAL, and says why
    assert "provenance" in check_baseline(baseline).summary


def test_equal_text_is_compared_and_checked_too(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text never decides: a green baseline is a verdict that the checker was asked about."""
    baseline = project.baseline()
    update(Update(baseline))
    asked: list[str] = []
    diff, confirm = scanir.api.diff, Diff.confirm
    monkeypatch.setattr("scanir.api.diff", lambda *a, **k: (asked.append("compared"), diff(*a, **k))[1])
    monkeypatch.setattr(Diff, "confirm", lambda answer: (asked.append("checked"), confirm(answer))[1])
    found = check_baseline(baseline)
    assert (found.exit_code, asked) == (0, ["compared", "checked"])


def test_what_is_not_there_or_no_baseline(project: Project) -> None:
    baseline = project.baseline()
    with pytest.raises(ScanirError, match=r"there is no baseline __scanir__/f\.scanir"):
        check_baseline(baseline)
    file_of("f").parent.mkdir()
    file_of("f").write_text(HLO.replace("OP", "sine"))
    with pytest.raises(ScanirError, match=r"f\.scanir is no \.scanir file"):
        check_baseline(baseline)
    update(Update(project.baseline("m.py:f", '["jaxpr"]')))
    with pytest.raises(ScanirError, match="has no stage stablehlo"):
        check_baseline(baseline)


@pytest.mark.parametrize(
    ("name", "file"),
    [("step", "step"), ("a/b", "a%2Fb"), ("../x", "%2E.%2Fx"), ("ü x", "%C3%BC%20x"), ("A.b-c", "A.b-c")],
)  # fmt: skip
def test_a_name_stays_in_its_directory(name: str, file: str) -> None:
    assert file_of(name) == Path("__scanir__", f"{file}.scanir")


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ('on-version-mismatch = "ignore"', "on-version-mismatch is one of compare, skip, fail"),
        ('under = "grad"', "unknown key 'under'"),
        ('forbid = ["nothing"]', "unknown rule or class 'nothing'"),
        ('args-from = "m.py:make"', "both say what the arguments are"),
    ],
)
def test_mistakes_in_the_table(project: Project, more: str, what: str) -> None:
    with pytest.raises(ConfigError, match=what):
        project.baseline("m.py:f", '["jaxpr"]', more)


def outcome(name: str, word: str, change: str) -> Outcome:
    edit = {"kind": "replace", "op": "mul", "what": change, "left": {"changed": "2.0"}, "right": {"changed": "3.0"}}
    stage = {
        "verdict": word, "stage": "hlo", "modulo": [{"rule": "cse"}], "edits": [edit, edit], "mismatch": None,
        "reasons": [],
    }  # fmt: skip
    return Outcome(
        name, "baseline", word, 0, data={"stages": [stage]}, notes=(f"{name} was made with jax 1, this is 2",)
    )


def test_programs_are_grouped_by_what_changed() -> None:
    rows = [
        outcome("a", "IDENTICAL", ""), outcome("b", "DIFFERENT", "constant"), outcome("c", "EQUIVALENT", ""),
        outcome("d", "DIFFERENT", "constant"), outcome("e", "DIFFERENT", "operand 1"),
    ]  # fmt: skip
    found = [(group.word, group.names, group.changes) for group in groups(rows)]
    assert found == [
        ("DIFFERENT", ("b", "d"), ("DIFFERENT at hlo: replace mul, constant: 2.0 to 3.0",)),
        ("EQUIVALENT", ("c",), ("EQUIVALENT at hlo modulo cse",)),
        ("DIFFERENT", ("e",), ("DIFFERENT at hlo: replace mul, operand 1: 2.0 to 3.0",)),
        ("IDENTICAL", ("a",), ()),
    ]
    assert groups(rows)[0].notes == ("jax 1, this is 2",)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Baselines of files, which take no JAX."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    names = ("sine", "cosine")
    for name in names:
        (tmp_path / f"{name}.hlo").write_text(HLO.replace("OP", name))
    tables = [f'[[baselines]]\nname = "{name}"\ntarget = "{name}.hlo"\nstages = "hlo"\n' for name in names]
    (tmp_path / "scanir.toml").write_text("".join(tables))
    return tmp_path


def test_the_commands(files: Path, capsys: Any) -> None:
    assert main(["baseline", "update", "-j", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "new        sine    __scanir__/sine.scanir, 210 bytes, hlo",
        "new        cosine  __scanir__/cosine.scanir, 214 bytes, hlo",
    ]
    (files / "__scanir__" / "old.scanir").write_text(Path("__scanir__/sine.scanir").read_text())
    (files / "__scanir__" / "notes.txt").write_text("mine")
    (files / "test_m.py").write_text("")
    (files / "__scanir__" / "test_m.test_f.scanir").write_text(Path("__scanir__/sine.scanir").read_text())
    assert main(["baseline", "list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "sine    __scanir__/sine.scanir    hlo; jax unknown, unknown",
        "cosine  __scanir__/cosine.scanir  hlo; jax unknown, unknown",
        "stale: __scanir__/old.scanir, which no baseline has; scanir baseline prune removes it",
    ]
    assert main(["baseline", "prune"]) == 0
    assert capsys.readouterr().out == "removed __scanir__/old.scanir\n"
    assert sorted(os.listdir("__scanir__")) == ["cosine.scanir", "notes.txt", "sine.scanir", "test_m.test_f.scanir"]
    assert main(["baseline", "update", "tan*"]) == 2
    assert "there is no check tan*" in capsys.readouterr().err


@pytest.mark.full
def test_the_report_and_the_check_of_a_program_that_changed(files: Path, capsys: Any) -> None:
    assert main(["check"]) == 2
    assert "scanir baseline update 'sine' writes it" in capsys.readouterr().out
    assert not (files / "__scanir__").exists()
    assert main(["baseline", "update"]) == 0
    capsys.readouterr()
    Path("sine.hlo").write_text(HLO.replace("OP", "cosine"))
    assert main(["baseline", "report"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("1 of 2 baselines changed, in 1 way\n\nDIFFERENT  1 baseline: sine\n")
    assert "IDENTICAL  1 baseline: cosine" in out
    assert main(["check", "--format", "json"]) == 1
    assert [check["kind"] for check in json.loads(capsys.readouterr().out)["checks"]] == ["baseline", "baseline"]


UPDATER = """
import os, sys
os.chdir(sys.argv[1])
from pathlib import Path
from scanir.gate.baseline import update
from scanir.gate.config import read_plan
from scanir.gate.plan import Update
(check,) = read_plan(Path("scanir.toml").absolute()).chosen(["sine"])
print("ready", flush=True)
k = 0
while True:
    k += 1
    Path("sine.hlo").write_text(TEXT.replace("OP", ("sine", "cosine")[k % 2]))
    update(Update(check))
"""


def test_an_update_that_is_killed_leaves_whole_files(files: Path, capsys: Any) -> None:
    code = f"TEXT = {HLO!r}\n{UPDATER}"
    states = set()
    for wait in (0.0, 0.02):
        with subprocess.Popen([sys.executable, "-c", code, str(files)], stdout=subprocess.PIPE) as updater:
            assert updater.stdout is not None
            updater.stdout.readline()
            while not (files / "__scanir__" / "sine.scanir").exists():
                time.sleep(0.001)
            time.sleep(wait)
            updater.send_signal(signal.SIGKILL)
        text = (files / "__scanir__" / "sine.scanir").read_text()
        saved = read_trace(text)
        assert saved.program("hlo").stage == "hlo"
        states.add(text)
    assert len(states) <= 2
    assert main(["baseline", "prune"]) == 0
    assert os.listdir("__scanir__") == ["sine.scanir"]
    capsys.readouterr()
