"""``scanir bench`` as a person calls it; measuring itself is in tests/measure."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from scanir.cli import main
from tests.render.benches import LENGTHS, TWO


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """`scanir.api` that answers at once, and keeps how it was called."""
    import scanir.api

    calls: list[Any] = []
    monkeypatch.setattr(
        scanir.api, "bench", lambda targets, *args, **given: calls.append((targets, args, given)) or TWO
    )
    monkeypatch.setattr(
        scanir.api, "bench_lengths", lambda family, lengths, **given: calls.append((family, lengths, given)) or LENGTHS
    )
    return calls


def test_programs(calls: list[Any], capsys: Any, tmp_path: Path) -> None:
    picture = tmp_path / "out.svg"
    assert main(["bench", "lambda", "carry", "--args", "f32[3]", "--seconds", "2", "--plot", str(picture)]) == 0
    ((targets, args, given),) = calls
    assert (targets, args, given["seconds"], given["limit"]) == (("lambda", "carry"), ("f32[3]",), 2.0, None)
    out, err = capsys.readouterr()
    assert out.startswith("2 programs on cpu")
    assert err == "", "no bar where nobody watches"
    ET.parse(picture)


def test_lengths(calls: list[Any], capsys: Any) -> None:
    assert main(["bench", "sum", "--length", "10, 1_000", "--format", "json"]) == 0
    ((family, lengths, given),) = calls
    assert (family, lengths, given["seconds"], given["limit"]) == ("sum", [10, 1000], 10, 20)
    assert json.loads(capsys.readouterr().out)["lengths"] == [10, 1000]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["lambda", "--length", "10", "--args", "f32[3]"], "--length measures one built-in family"),
        (["sum", "--length", "ten"], "'ten' is no list of lengths"),
        (["lambda", "--seconds", "0"], "--seconds"),
        (["lambda", "--args", "f32[3]", "--args-from", "m.py:f"], "give one of them"),
        (["lambda", "--plot", "/nowhere/at/all.svg"], "cannot be written"),
        ([], "TARGETS"),
    ],
)
def test_what_is_wrong(calls: list[Any], capsys: Any, given: list[str], said: str) -> None:
    assert main(["bench", *given]) == 2
    assert said in capsys.readouterr().err


def test_the_bar_is_for_a_terminal(calls: list[Any], capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["bench", "lambda"]) == 0
    assert capsys.readouterr().out.startswith("2 programs on cpu")
