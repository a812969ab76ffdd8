"""Phrases of the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanir.normalize.rules import RULES
from scanir.render import words
from scanir.render.json import render_json
from scanir.render.text import render_text
from scanir.result import Diff, Filling, LoopDiff, LoopSide, Mismatch, StageDiff, Verdict


@pytest.mark.parametrize(
    ("filled", "phrase"),
    [
        (Filling("closed-over", "a"), "closed over: a"),
        (Filling("carried", "a", 3), "carried unchanged in slot 3: a"),
        (Filling("scanned", "a", 0), "scanned input 0: a"),
        (Filling("constant", "0.01"), "constant 0.01"),
        (Filling("computed", "mul -> f32[3]"), "computed: mul -> f32[3]"),
        (None, "-"),
    ],
)
def test_fillings(filled: Filling | None, phrase: str) -> None:
    assert words.filling(filled) == phrase


def test_every_rule_has_a_law() -> None:
    assert all(words.law(rule) for rule in RULES)
    assert words.law("unheard-of") == ""


@pytest.mark.parametrize(("number", "phrase"), [(0, "0 slots"), (1, "1 slot"), (2, "2 slots")])
def test_counts(number: int, phrase: str) -> None:
    assert words.count(number, "slot") == phrase


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert words.place(f"{tmp_path}/src/step.py:3") == "src/step.py:3"
    assert words.place("/home/someone/src/step.py") == ".../src/step.py"
    assert words.place(f"{tmp_path}x/step.py") == f".../{tmp_path.name}x/step.py"
    assert words.place("step.py:3") == "step.py:3"
    assert words.place("") == ""


def test_no_output_names_an_absolute_path() -> None:
    side = LoopSide("main/scan", "scan", 1, 1, "/home/someone/src/step.py", 3)
    mismatch = Mismatch("p", "q", "x", "y", "differ", "/home/someone/src/step.py:4", "/home/someone/src/step.py:5")
    loops = (LoopDiff("DIFFERENT", side, side, None),)
    diff = Diff("x", "y", (StageDiff("hlo", Verdict.DIFFERENT, loops=loops, mismatch=mismatch),))
    for text in (render_text(diff), render_json(diff)):
        assert "someone" not in text
        assert ".../src/step.py" in text


def test_a_long_place_keeps_its_last_parts() -> None:
    long = "a_rather_long_directory_name_for_a_project/with_subfolder/model_definitions.py:12"
    assert words.short_place(long) == ".../with_subfolder/model_definitions.py:12"
    assert words.short_place("pkg/model.py:12") == "pkg/model.py:12"
    name = "x" * 80 + ".py"
    assert words.short_place(f"pkg/{name}") == f".../{name}"
    assert words.short_place(name) == name
