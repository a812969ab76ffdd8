"""Twelve layers, one epsilon: one edit, at its line, on less than a screen."""

from __future__ import annotations

import linecache

import pytest

import scanir
from scanir.render.text import render_text
from tests.align import transformer
from tests.align.transformer import arguments, step


@pytest.mark.parametrize(
    ("stage", "places"),
    [
        ("jaxpr", 1),
        pytest.param("stablehlo", 1, marks=pytest.mark.full),
        pytest.param("hlo", 2, marks=pytest.mark.full),  # XLA computes it twice
    ],
)
def test_one_epsilon(stage: str, places: int) -> None:
    answer = scanir.diff(step(None), step(7), *arguments(), stage=stage)
    ((_, (edit,)),) = answer.edits
    assert (edit.kind, edit.kind_class, edit.times) == ("replace", "semantics", places)
    for side, value in ((edit.left, "1e-06"), (edit.right, "1e-05")):
        assert side is not None
        assert side.changed == value
        assert linecache.getline(transformer.__file__, side.line).strip() == side.code
        assert "rsqrt(spread + epsilon)" in side.code
    assert render_text(answer, width=80).count("\n") < 24
