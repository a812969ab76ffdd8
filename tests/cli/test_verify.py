"""``scanir diff --certificate`` and ``scanir verify``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Outcome

Run = Callable[..., Outcome]
#: What the obligation asks for that the tests break.
MEANING = "O12 asks that results, and what a module says besides its ops, are the same but for the classes listed"


def test_a_certificate_is_written_and_accepted(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "c.json")
    assert run("diff", "lambda", "carry", "--stage", "jaxpr", "--certificate", path).code == 0
    answer = run("verify", path)
    assert (answer.code, answer.out) == (0, f"ACCEPTED  {path} at jaxpr\n")


def test_a_changed_certificate_is_rejected(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    run("diff", "lambda", "carry", "--stage", "jaxpr", "--certificate", str(path))
    certificate = json.loads(path.read_text())
    certificate["stages"][0]["surplus"].pop()
    path.write_text(json.dumps(certificate))
    answer = run("verify", str(path))
    assert answer.code == 1
    assert answer.out == f"REJECTED  {path} at jaxpr\nO12: unlike numbers of results\n{MEANING}\n"


@pytest.mark.parametrize(
    ("sides", "unlike"),
    [
        (("lambda", "swapped"), "swapped is another program than carry, which the certificate is about"),
        (("swapped", "carry"), "swapped is another program than lambda, which the certificate is about"),
    ],
)
def test_the_side_that_is_unlike_is_named(run: Run, tmp_path: Path, sides: tuple[str, str], unlike: str) -> None:
    path = str(tmp_path / "c.json")
    run("diff", "lambda", "carry", "--stage", "jaxpr", "--certificate", path)
    answer = run("verify", path, *sides)
    asked = "O1 asks that the certificate is about these programs, and its maps fit them"
    assert (answer.code, answer.out) == (1, f"REJECTED  {path} at jaxpr\nO1: {unlike}\n{asked}\n")


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"schema_version": 1, "stages": [], "stages": []}',
        "[" * 9999,
        "\0",
        "1" * 9999,
        '{"schema_version": 7}',
    ],
)
def test_an_unreadable_certificate(run: Run, tmp_path: Path, content: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(content)
    answer = run("verify", str(path))
    assert (answer.code, answer.out) == (2, "")
    assert "error:" in answer.err
    assert run("verify", str(tmp_path / "none.json")).code == 2


def test_one_side_alone(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text("{}")
    assert "both sides, or none" in run("verify", str(path), "lambda").err


def test_a_certificate_of_nothing_proves_nothing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    run("diff", "lambda", "carry", "--stage", "jaxpr", "--certificate", str(path))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"stages": []}))
    answer = run("verify", str(path))
    assert answer.code == 2
    assert "it is of no stage" in answer.err


def test_what_differs_needs_no_certificate(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    answer = run("diff", "lambda", "swapped", "--stage", "jaxpr", "--certificate", str(path))
    assert answer.code == 1
    assert "DIFFERENT has no certificate" in answer.err
    assert not path.exists()


def test_paranoid(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that the checker does not accept is a bug, and is not printed."""
    from scanir.checker.verdict import Rejected

    assert run("diff", "lambda", "carry", "--stage", "jaxpr", "--paranoid").code == 0
    alone = run("diff", "lambda", "swapped", "--stage", "jaxpr", "--scope", "loops", "--paranoid")
    assert (alone.code, alone.err) == (1, "")

    def refuse(*_: Any, **__: Any) -> None:
        raise Rejected("O6", "for the test")

    monkeypatch.setattr("scanir.certify.produce.check", refuse)
    answer = run("diff", "lambda", "carry", "--stage", "jaxpr", "--paranoid")
    assert (answer.code, answer.out) == (2, "")
    assert "the checker does not accept this answer: O6: for the test" in answer.err
    assert "please report it with what scanir show --stage jaxpr prints" in answer.err
