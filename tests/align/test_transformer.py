"""Twelve layers, one epsilon: one edit, at its line, on less than a screen."""

from __future__ import annotations

import linecache

import pytest

import scanir
from scanir.render.text import render_text
from tests.align import transformer
from tests.align.transformer import LAYERS, arguments, scanned, stacked, step


@pytest.mark.parametrize(
    ("stage", "places"),
    [
        ("jaxpr", 1),
        pytest.param("stablehlo", 1, marks=pytest.mark.full),
        pytest.param("hlo", 2, marks=[pytest.mark.full, pytest.mark.timeout(400)]),  # XLA computes it twice
    ],
)
def test_one_epsilon(stage: str, places: int) -> None:
    answer = scanir.diff(step(), step(7), *arguments(), stage=stage)
    ((_, (edit,)),) = answer.edits
    assert (edit.kind, edit.kind_class, edit.times) == ("replace", "semantics", places)
    for side, value in ((edit.left, "1e-06"), (edit.right, "1e-05")):
        assert side is not None
        assert side.changed == value
        assert linecache.getline(transformer.__file__, side.line).strip() == side.code
        assert "rsqrt(spread + epsilon)" in side.code
    assert render_text(answer, width=80).count("\n") < 24


@pytest.mark.full
@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo", "hlo"])
def test_one_epsilon_in_a_scan(stage: str) -> None:
    answer = scanir.diff(scanned(1e-6), scanned(1e-5), *stacked(), stage=stage)
    ((_, (edit,)),) = answer.edits
    assert (edit.kind, edit.kind_class) == ("replace", "semantics")
    assert edit.left is not None
    assert edit.right is not None
    assert (edit.left.changed, edit.right.changed) == ("1e-06", "1e-05")
    assert "rsqrt(spread + epsilon)" in edit.left.code
    told = render_text(answer, width=80)
    if stage == "jaxpr":  # as it is written there; below, the loops carry what autodiff has stacked
        assert told.count("\n") < 60
    assert told.index("1e-06 -> 1e-05") < told.index("loop 1")


@pytest.mark.full
@pytest.mark.parametrize("stage", ["jaxpr", "stablehlo"])
def test_the_same_epsilon_in_each_layer_is_one_entry(stage: str) -> None:
    answer = scanir.diff(step(), step(*range(LAYERS)), *arguments(), stage=stage)
    ((_, (edit,)),) = answer.edits
    assert (edit.times, len(edit.places)) == (LAYERS, LAYERS)
    assert f"{LAYERS}x" in render_text(answer, width=80)
