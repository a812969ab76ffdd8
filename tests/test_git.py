"""The recipes of docs/ci.md in a repository: canonical text in ``git diff``, verdicts in ``git difftool``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
DOCS = (Path(__file__).parent.parent / "docs" / "ci.md").read_text(encoding="utf-8")
MODULE = "HloModule m\nENTRY %main (p: f32[3]) -> f32[3] {\n %p = f32[3] parameter(0)\n ROOT %r = f32[3] sine(%p)\n}\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)

    (tmp_path / "m.hlo").write_text(MODULE)
    git("init", "-q")
    git("config", "user.name", "a")
    git("config", "user.email", "a@b")
    git("add", ".")
    git("commit", "-qm", "first")
    return tmp_path


def shell(repository: Path, command: str) -> str:
    here = Path(sys.executable).parent
    env = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "GIT_PAGER": "cat"}
    done = subprocess.run(command, shell=True, cwd=repository, capture_output=True, text=True, check=False, env=env)
    return done.stdout


def recipe(start: str) -> str:
    (line,) = [line.strip() for line in DOCS.splitlines() if line.strip().startswith(start)]
    return line


def test_diff_shows_what_differs(repository: Path) -> None:
    shell(repository, recipe("git config"))
    shell(repository, recipe("echo"))
    (repository / "m.hlo").write_text(MODULE.replace("%p", "%x").replace("(p:", "(x:"))
    assert "sine" not in shell(repository, "git diff")
    (repository / "m.hlo").write_text(MODULE.replace("sine", "cosine"))
    changed = [
        line
        for line in shell(repository, "git diff").splitlines()
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert len(changed) == 2
    assert ["cosine" in line for line in changed] == [False, True]


def test_difftool_gives_the_verdict(repository: Path) -> None:
    (repository / "m.hlo").write_text(MODULE.replace("sine", "cosine"))
    shell(repository, "git commit -qam second")
    assert shell(repository, recipe("git difftool")).startswith("DIFFERENT ")
