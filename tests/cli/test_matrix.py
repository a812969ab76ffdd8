"""``scanir matrix`` as a person calls it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scanir.cli import main

pytestmark = pytest.mark.compat


def test_a_family_in_one_screen(capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["matrix", "sum", "--stage", "jaxpr"]) == 1
    out, _ = capsys.readouterr()
    assert "4 variants at jaxpr" in out
    assert len(out.splitlines()) < 24
    assert max(map(len, out.splitlines())) <= 80


def test_json_and_exit_code(capsys: Any) -> None:
    assert main(["matrix", "lambda", "def", "carry", "--stage", "jaxpr", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [variant["groups"]["jaxpr"] for variant in found["variants"]] == [0, 0, 0]
    assert [pair["verdict"] for pair in found["pairs"]] == ["IDENTICAL", "EQUIVALENT", "EQUIVALENT"]


def test_one_program_is_no_matrix(capsys: Any) -> None:
    assert main(["matrix", "lambda"]) == 2
    assert "needs two programs" in capsys.readouterr().err


def test_a_name_nobody_knows(capsys: Any) -> None:
    assert main(["matrix", "lambda", "lamda"]) == 2
    assert "lambda" in capsys.readouterr().err
