"""The shortest report is the report, where it is one at all."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.render.plain import plain
from scanir.render.text import render_text
from scanir.result import Diff, Fact, StageDiff, Verdict
from tests.render.diffs import ALL

SAME = Diff("before.txt", "after.txt", (StageDiff("hlo", Verdict.IDENTICAL),))
SMALL = "HloModule m\n\nENTRY main {\n  p = f32[4]{0} parameter(0)\n  c = f32[4]{0} constant({1, 2.5, -0, inf})\n"
SMALL += "  ROOT s = f32[4]{0} add(p, c)\n}\n"


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("width", [80, 200])
def test_it_is_the_report_or_nothing(name: str, width: int) -> None:
    found = plain(ALL[name], width=width)
    assert found is None or found == render_text(ALL[name], width=width, notes=False)


@given(st.text(max_size=40), st.text(max_size=40), st.integers(20, 160), st.lists(st.text(max_size=30), max_size=2))
def test_names_of_any_kind(a: str, b: str, width: int, provenance: list[str]) -> None:
    (stage,) = SAME.stages
    answer = replace(SAME, a=a, b=b, stages=(replace(stage, provenance=tuple(provenance)),))
    found = plain(answer, width=width)
    assert found is None or found == render_text(answer, width=width, notes=False)


def test_where_there_is_one() -> None:
    (stage,) = SAME.stages
    assert plain(SAME, width=80) == render_text(SAME, width=80)
    assert plain(SAME, width=30) is None
    assert plain(replace(SAME, stages=(stage, stage)), width=80) is None
    assert plain(replace(SAME, stages=(replace(stage, facts=(Fact("outputs", "", "x"),)),)), width=80) is None
    assert plain(replace(SAME, stages=(replace(stage, verdict=Verdict.EQUIVALENT),)), width=80) is None


def test_two_small_files_load_little(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(SMALL)
    script = (
        "import sys; from scanir.cli import main; assert main(['diff', 'a.txt', 'b.txt']) == 0; "
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("IDENTICAL")
    loaded = {name for name in done.stderr.split() if "." not in name or name.startswith("scanir.")}
    unwanted = {"jax", "jaxlib", "numpy", "rich", "rapidfuzz", "scanir.compare.search", "scanir.facts.beside"}
    assert not loaded & (unwanted | {"scanir.contexts.spawn", "scanir.align", "scanir.certify", "scanir.render.text"})
