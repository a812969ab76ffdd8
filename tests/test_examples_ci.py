"""The project of examples/ci: what keeps the program is green, what changes it is red at its line, in each format."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jax
import pytest

from scanir.gate.baseline import update
from scanir.gate.child import made
from scanir.gate.config import read_plan
from scanir.gate.plan import Baseline, Update
from scanir.outcome import Outcomes
from scanir.render.github import render_github
from scanir.render.sarif import sarif_document

EXAMPLE = Path(__file__).parent.parent / "examples" / "ci"
BODY = """    def body(state, x):
        state = state * decay + x
        return state, jnp.max(state, axis=0)

    return lax.scan(body, start, inputs)
"""
#: Spellings of one program.
GREEN = {
    "names and a comment": BODY.replace("state", "s").replace("    def", "    # Sums up.\n\n    def"),
    "the order of independent statements": BODY.replace(
        "        state = state * decay + x\n        return state, jnp.max(state, axis=0)\n",
        "        scaled, more = state * decay, x\n        state = scaled + more\n"
        "        highest = jnp.max(state, axis=0)\n        return state, highest\n"),
    "a carry in place of the closure": """    def body(carry, x):
        factor, state = carry
        state = state * factor + x
        return (factor, state), jnp.max(state, axis=0)

    (_, state), highest = lax.scan(body, (decay, start), inputs)
    return state, highest
""",
}  # fmt: skip
#: Other programs, and how far from the start of the body the line is.
RED = {
    "a constant": (BODY.replace("* decay", "* (decay * 0.5)"), 1),
    "an operand": (BODY.replace("decay + x", "decay + state"), 1),
    "an axis": (BODY.replace("axis=0", "axis=1"), 2),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "ci", dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path / "ci")
    made_with = f'jax = "{jax.__version__}"'
    if made_with not in (tmp_path / "ci" / "__scanir__" / "rollout.scanir").read_text(encoding="utf-8"):
        (baseline,) = [c for c in read_plan(tmp_path / "ci" / "pyproject.toml").checks if isinstance(c, Baseline)]
        update(Update(baseline))  # another JAX makes another jaxpr of it
    return tmp_path / "ci"


def edit(project: Path, body: str) -> int:
    """Put another body into the model; the line of its function."""
    text = (project / "model.py").read_text(encoding="utf-8")
    assert text.count(BODY) == 1
    text = text.replace(BODY, body)
    (project / "model.py").write_text(text, encoding="utf-8")
    return text[: text.index("    def body")].count("\n") + 1


def answers(project: Path) -> Outcomes:
    plan = read_plan(project / "pyproject.toml")
    checks = [check for check in plan.checks if "rollout" in check.name]
    assert len(checks) == 2
    return Outcomes(plan.file.name, tuple(made(check) for check in checks))


@pytest.mark.parametrize("change", GREEN)
def test_the_same_program_stays_green(project: Path, change: str) -> None:
    edit(project, GREEN[change])
    for row in answers(project).rows:
        assert (row.exit_code, row.word) in [(0, "IDENTICAL"), (0, "EQUIVALENT")], row.report


@pytest.mark.parametrize("change", RED)
def test_another_program_is_red_at_its_line(project: Path, change: str) -> None:
    body, offset = RED[change]
    line = edit(project, body) + offset
    found = answers(project)
    assert found.exit_code == 1
    assert [row.exit_code for row in found.rows] == [1, 1]
    assert all(f"file=model.py,line={line}," in told for told in render_github(found).splitlines())
    region = sarif_document(found, "1")["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert (region["artifactLocation"]["uri"], region["region"]["startLine"]) == ("model.py", line)
    assert f"model.py:{line}" in found.rows[0].report


@pytest.mark.full
def test_as_a_user_runs_it(project: Path) -> None:
    def check(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "scanir", "check", *options]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=project)

    done = check()
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 checks: 3 passed" in done.stdout
    line = edit(project, RED["an axis"][0]) + RED["an axis"][1]
    reports = ("text=r.txt", "json=r.json", "sarif=r.sarif", "junit=r.xml", "markdown=r.md")
    done = check("--format", "github", *(word for report in reports for word in ("--report", report)))
    assert done.returncode == 1
    assert f"::error file=model.py,line={line}," in done.stdout
    texts = {name.partition("=")[2]: (project / name.partition("=")[2]).read_text() for name in reports}
    assert all(f"model.py:{line}" in texts[name] for name in ("r.txt", "r.xml", "r.md"))
    places = json.loads(texts["r.json"])["checks"][0]["findings"][0]["places"]
    assert {"file": "model.py", "line": line, "side": "b"} in places
    assert json.loads(texts["r.sarif"])["runs"][0]["results"]
    assert ElementTree.fromstring(texts["r.xml"]).get("failures") == "2"


def test_the_workflow_runs_what_there_is() -> None:
    text = (EXAMPLE / ".github" / "workflows" / "scanir.yml").read_text(encoding="utf-8")
    assert "scanir check --format github --report sarif=scanir.sarif" in text
    assert not any(word in text for word in ("\t", "pull_request_target"))
