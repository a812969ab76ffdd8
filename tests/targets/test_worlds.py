"""Files that import their neighbours: two directories share nothing, one directory shares all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scanir.errors import TargetError
from scanir.targets import resolve
from scanir.targets.worlds import load, world

ROOT = Path(__file__).resolve().parent.parent.parent


def write(directory: Path, factor: int) -> Path:
    directory.mkdir()
    (directory / "neighbour.py").write_text(f"factor = {factor}\n")
    (directory / "pack").mkdir()
    (directory / "pack" / "__init__.py").write_text("")
    (directory / "pack" / "late.py").write_text(f"offset = {factor * 100}\n")
    (directory / "step.py").write_text(
        "from neighbour import factor\n"
        "def f(x): return x * factor\n"
        "def g(x):\n    from pack.late import offset\n    return x + offset\n"
    )
    (directory / "second.py").write_text("import neighbour\ndef module(): return neighbour\n")
    return directory


def test_each_directory_has_its_own_neighbours(tmp_path: Path) -> None:
    old, new = write(tmp_path / "old", 2), write(tmp_path / "new", 3)
    assert resolve(f"{old}/step.py:f").function(10) == 20
    assert resolve(f"{new}/step.py:f").function(10) == 30
    assert resolve(f"{old}/step.py:f").function(10) == 20


def test_what_is_imported_late_too(tmp_path: Path) -> None:
    for name, factor in (("old", 2), ("new", 3)):
        directory = write(tmp_path / name, factor)
        target = resolve(f"{directory}/step.py:g")
        with world(str(directory)):
            assert target.function(1) == 1 + factor * 100


def test_a_neighbour_that_is_imported_already(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = write(tmp_path / "old", 2), write(tmp_path / "new", 3)
    monkeypatch.syspath_prepend(str(old))
    import neighbour

    try:
        assert resolve(f"{new}/step.py:f").function(10) == 30
        assert sys.modules["neighbour"] is neighbour
    finally:
        del sys.modules["neighbour"]


def test_two_files_of_one_directory_share_their_neighbours(tmp_path: Path) -> None:
    directory = write(tmp_path / "one", 2)
    (directory / "third.py").write_text("import neighbour\ndef module(): return neighbour\n")
    assert load(directory / "second.py").module() is load(directory / "third.py").module()
    assert load(directory / "second.py") is load(directory / "second.py")


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "step.py"
    file.write_text("x = 1\n")
    assert load(file).x == 1
    file.write_text("x = 22\n")
    assert load(file).x == 22


def test_a_neighbour_that_changed_is_read_again(tmp_path: Path) -> None:
    directory = write(tmp_path / "one", 2)
    first = resolve(f"{directory}/step.py:f")
    (directory / "neighbour.py").write_text("factor = 123\n")
    assert resolve(f"{directory}/step.py:f").function(10) == 1230
    assert first.function(10) == 20
    (directory / "neighbour.py").unlink()
    with pytest.raises(TargetError, match="No module named 'neighbour'"):
        resolve(f"{directory}/step.py:f")


def test_what_a_file_puts_on_the_path_is_its_own(tmp_path: Path) -> None:
    for name, factor in (("old", 2), ("new", 3)):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "lib").mkdir()
        (tmp_path / name / "lib" / "far.py").write_text(f"factor = {factor}\n")
        (tmp_path / name / "lib" / "later.py").write_text(f"factor = {factor * 10}\n")
        (tmp_path / name / "src" / "step.py").write_text(
            "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))\nimport far\n"
            "def f(x):\n    import later\n    return x * far.factor + later.factor\n"
        )
    path = list(sys.path)
    for name, value in (("old", 22), ("new", 33), ("old", 22)):
        target = resolve(f"{tmp_path}/{name}/src/step.py:f")
        with world(f"{tmp_path}/{name}/src"):
            assert target.function(1) == value
    assert sys.path == path
    assert "far" not in sys.modules


def test_what_scanir_imports_meanwhile_stays() -> None:
    code = f"""
import sys
from scanir.targets.worlds import world
with world({str(ROOT)!r}):
    import scanir.render.json as first
import scanir.render.json as second
print(first is second)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "True"


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    directory = write(tmp_path / "one", 2)
    (directory / "bad.py").write_text("import neighbour\nraise ValueError('bad')\n")
    before, path, bytecode = set(sys.modules), list(sys.path), sys.dont_write_bytecode
    resolve(f"{directory}/step.py:f")
    with pytest.raises(ValueError, match="bad"):
        load(directory / "bad.py")
    assert set(sys.modules) == before
    assert sys.path == path
    assert sys.dont_write_bytecode is bytecode
    assert not list(directory.rglob("__pycache__"))


def test_a_file_with_the_name_of_a_library(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("import json\nmine = json\n")
    import json

    module = load(tmp_path / "json.py")
    assert module.mine is json
    assert sys.modules["json"] is json


def test_a_file_may_find_itself_in_sys_modules(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass(slots=True)\nclass C:\n    x: int\n"
    )
    assert load(tmp_path / "own.py").C(3).x == 3
