"""The plugin in small projects of its own, run by pytester."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import jax.numpy as jnp
import pytest

X = jnp.arange(3.0)

def test_step(scanir):
    scanir.check(lambda x: jnp.sin(x) * 2.0, X)
    scanir.check(lambda x: x.sum(AXIS), X, name="sum")

@pytest.mark.parametrize("n", [1, 2])
def test_power(scanir, n):
    scanir.check(lambda x: x ** n, X, stage="jaxpr")
"""
NAMES = ["test_it.test_power%5B1%5D.scanir", "test_it.test_power%5B2%5D.scanir", "test_it.test_step.scanir",
         "test_it.test_step.sum.scanir"]  # fmt: skip


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """All modules that a check loads are loaded: pytester forgets what is loaded inside, and JAX bears no second
    time."""
    import scanir.pytest_plugin
    from scanir import api
    from scanir.gate import baseline
    from scanir.targets.artifact import read_artifact

    path = tmp_path_factory.mktemp("warm") / "x.scanir"
    baseline.written(baseline.made("lambda", ("jaxpr", "stablehlo"), {}), path)
    saved = read_artifact(str(path))
    assert scanir.pytest_plugin.stale is not None
    assert baseline.unlike(saved, ("jaxpr",)) == []  # type: ignore[arg-type]
    for other in ("def", "swapped"):
        answer = api.diff(saved, other, stage="jaxpr,stablehlo")
        answer.confirm()
        assert str(answer)
        assert answer.to_json()


@pytest.fixture
def project(warm: None, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    write(pytester)
    return pytester


def write(project: pytest.Pytester, old: str = "", new: str = "") -> None:
    project.makepyfile(test_it=TESTS.replace(old, new).replace("AXIS", "0"))


def run(project: pytest.Pytester, *words: str) -> pytest.RunResult:
    return project.runpytest_inprocess("-p", "scanir.pytest_plugin", "-p", "no:cacheprovider", *words)


def kept(project: pytest.Pytester) -> list[str]:
    return sorted(path.name for path in (project.path / "__scanir__").iterdir())


def test_a_missing_baseline_fails_and_update_writes_it(project: pytest.Pytester) -> None:
    done = run(project)
    done.assert_outcomes(failed=3)
    done.stdout.fnmatch_lines(["*there is no baseline __scanir__/test_it.test_step.scanir*", "*--scanir-update*"])
    assert not (project.path / "__scanir__").exists()
    run(project, "--scanir-update").assert_outcomes(passed=3)
    assert kept(project) == NAMES
    before = {path: path.stat().st_mtime_ns for path in (project.path / "__scanir__").iterdir()}
    run(project).assert_outcomes(passed=3)
    run(project, "--scanir-update").assert_outcomes(passed=3)
    assert before == {path: path.stat().st_mtime_ns for path in (project.path / "__scanir__").iterdir()}


def test_the_same_program_passes_and_another_fails(project: pytest.Pytester) -> None:
    run(project, "--scanir-update")
    write(project, "lambda x: jnp.sin(x) * 2.0", "lambda other: 2.0 * jnp.sin(other)")
    run(project).assert_outcomes(passed=3)
    write(project, "jnp.sin(x) * 2.0", "jnp.sin(x) * 2.5")
    done = run(project, "--scanir-report", "out")
    done.assert_outcomes(failed=1, passed=2)
    done.stdout.fnmatch_lines(
        ["another program than __scanir__/test_it.test_step.scanir", "DIFFERENT*", "*2.0 -> 2.5*"]
    )
    assert "Traceback" not in done.stdout.str()
    data = json.loads((project.path / "out" / "test_it.test_step.json").read_text())
    assert data["verdict"] == "DIFFERENT"
    assert "2.0 -> 2.5" in (project.path / "out" / "test_it.test_step.txt").read_text()


def test_a_rule_of_the_gate(project: pytest.Pytester) -> None:
    """A program that returns an argument more is another one, unless that is allowed."""
    run(project, "--scanir-update")
    write(project, "lambda x: x ** n, X", "lambda x: (x ** n, x), X")
    run(project).assert_outcomes(failed=2, passed=1)
    write(project, "lambda x: x ** n, X", "lambda x: (x ** n, x), X, allow=['forwarded-outputs', 'class:interface']")
    run(project).assert_outcomes(passed=3)


def test_what_no_test_asks_for_is_listed(project: pytest.Pytester) -> None:
    run(project, "--scanir-update")
    write(project, ', name="sum")', ', name="total")')
    run(project, "--scanir-update").stdout.fnmatch_lines(
        ["*no test asked for*", "__scanir__/test_it.test_step.sum.scanir"]
    )
    for words in (("-k", "power"), ("test_it.py::test_step",)):  # not all of the file was run
        run(project, *words).stdout.no_fnmatch_line("*no test asked for*")


def test_an_error_is_told_without_a_traceback(project: pytest.Pytester) -> None:
    write(project, "lambda x: x ** n, X", "lambda x: x @ 1, X")
    done = run(project, "-k", "power", "--scanir-update")
    done.assert_outcomes(failed=2, deselected=1)
    done.stdout.fnmatch_lines(["error: *"])


def test_a_file_that_is_no_baseline(project: pytest.Pytester) -> None:
    run(project, "--scanir-update")
    (project.path / "__scanir__" / NAMES[0]).write_text("nothing")
    done = run(project)
    done.assert_outcomes(failed=1, passed=2)


@pytest.mark.full
def test_workers_of_xdist(project: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    words = ("-p", "xdist", "-n", "2")
    done = project.runpytest_subprocess("-p", "scanir.pytest_plugin", *words, "--scanir-update")
    done.assert_outcomes(passed=3)
    (project.path / "__scanir__" / "test_it.test_gone.scanir").write_bytes(
        (project.path / "__scanir__" / NAMES[0]).read_bytes()
    )
    done = project.runpytest_subprocess("-p", "scanir.pytest_plugin", *words)
    done.assert_outcomes(passed=3)
    done.stdout.fnmatch_lines(["*no test asked for*", "__scanir__/test_it.test_gone.scanir"])


def test_it_imports_no_jax(tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text("def test(scanir):\n    import sys\n    assert 'jax' not in sys.modules\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "scanir.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
    ]
    env = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "", "PYTHONPATH": str(Path(__file__).parent.parent)}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=env)
    assert "1 passed" in done.stdout
