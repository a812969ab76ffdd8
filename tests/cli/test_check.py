"""``scanir check`` without the work behind it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scanir.errors import TargetError
from scanir.gate.pair import error_of, outcome_of
from scanir.outcome import Outcome
from tests.cli.conftest import Outcome as Ran
from tests.render.diffs import DIFFERENT, EQUIVALENT, INCONCLUSIVE

Run = Callable[..., Ran]
ANSWERS = {"good": EQUIVALENT, "bad": DIFFERENT, "dark": INCONCLUSIVE}


def made(name: str) -> Outcome:
    if name in ANSWERS:
        return outcome_of(ANSWERS[name], name, "pair")
    return error_of(TargetError("there is no module x", hint="is it installed?"), name, "pair")


@pytest.fixture
def check(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run the command on pairs of these names, whose processes answer backwards."""
    from scanir.gate import workers

    def make_all(plan: Any, checks: Any, jobs: int, tell: Any) -> tuple[Outcome, ...]:
        found = tuple(made(row.name) for row in checks)
        for number in reversed(range(len(found))):
            tell(number, None)
            tell(number, found[number])
        return found

    monkeypatch.setattr(workers, "make_all", make_all)
    monkeypatch.chdir(tmp_path)

    def check(names: str, *arguments: str) -> Ran:
        text = "".join(f'[[pairs]]\nname = "{name}"\na = "x"\nb = "y"\n' for name in names.split())
        (tmp_path / "scanir.toml").write_text(text, encoding="utf-8")
        return run("check", *arguments)

    return check


@pytest.mark.parametrize(
    ("names", "code"),
    [("good", 0), ("good dark", 3), ("good dark bad", 1), ("bad none dark good", 2)],
)
def test_the_exit_code_is_that_of_the_checks_that_say_most(check: Callable[..., Ran], names: str, code: int) -> None:
    done = check(names)
    assert done.code == code
    assert done.err == ""


def test_a_line_each_in_the_order_of_the_file(check: Callable[..., Ran]) -> None:
    lines = check("good bad none").out.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [["pass", "good"], ["FAIL", "bad"], ["ERROR", "none"]]
    assert lines[-1] == "3 checks: 1 passed, 1 failed, 1 could not be made"
    assert "  first difference" in [line[:20].rstrip() for line in lines]
    assert "    hint:  is it installed?" in lines


def test_those_that_are_named(check: Callable[..., Ran]) -> None:
    assert check("good bad", "go*").code == 0
    wrong = check("good bad", "god")
    assert wrong.code == 2
    assert "did you mean good?" in wrong.err


def test_json(check: Callable[..., Ran]) -> None:
    done = check("good bad none", "--format", "json")
    found = json.loads(done.out)
    assert found["exit_code"] == done.code == 2
    assert [row["verdict"] for row in found["checks"]] == ["EQUIVALENT", "DIFFERENT", "ERROR"]
    assert found["checks"][2]["error"]["hint"] == "is it installed?"
    assert found["checks"][1]["answer"]["stages"][0]["verdict"] == "DIFFERENT"


def test_no_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("check", "--format", "json")
    assert done.code == 2
    assert json.loads(done.out)["error"]["kind"] == "ConfigError"


@pytest.mark.parametrize(
    ("fail_on", "codes"), [("equivalent", (1, 3, 1)), ("inconclusive", (0, 3, 1)), ("different", (0, 0, 1))]
)
def test_from_which_verdict_on_a_pair_fails(fail_on: str, codes: tuple[int, ...]) -> None:
    answers = (EQUIVALENT, INCONCLUSIVE, DIFFERENT)
    assert tuple(outcome_of(answer, "x", "pair", fail_on).exit_code for answer in answers) == codes


def test_several_reports_at_once(check: Callable[..., Ran], tmp_path: Path) -> None:
    files = {form: tmp_path / f"report.{form}" for form in ("text", "json", "github", "sarif", "junit", "markdown")}
    wanted = [word for form, file in files.items() for word in ("--report", f"{form}={file}")]
    done = check("good bad", "--format", "github", *wanted)
    assert done.code == 1
    assert done.out.startswith("::error ")
    texts = {form: file.read_text(encoding="utf-8") for form, file in files.items()}
    assert texts["github"] == done.out
    assert "2 checks: 1 passed, 1 failed" in texts["text"]
    assert json.loads(texts["json"])["exit_code"] == json.loads(check("good bad", "--format", "json").out)["exit_code"]
    assert json.loads(texts["sarif"])["version"] == "2.1.0"
    assert "<testsuites" in texts["junit"]
    assert texts["markdown"].startswith("## scanir: ")


@pytest.mark.parametrize("word", ["sarif", "sarif=", "html=x", "=x"])
def test_a_report_is_a_format_and_a_file(check: Callable[..., Ran], word: str) -> None:
    done = check("good", "--report", word)
    assert (done.code, done.out) == (2, "")
    assert "formats: text, json, github, sarif, junit, markdown" in done.err


def test_a_report_that_cannot_be_written(check: Callable[..., Ran]) -> None:
    done = check("good", "--report", "sarif=no/such/folder/x")
    assert done.code == 2
    assert "no/such/folder/x cannot be written" in done.err
