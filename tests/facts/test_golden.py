"""Answers about the example in all three dialects, against those that were last read and found good.

To accept new ones after reading them: python -m tests.facts.test_golden
The files are made by python -m tests.facts.example, with JAX 0.10.2.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len

from scanir.facts.request import Request, answer
from scanir.render.facts import render_reports
from scanir.render.facts_json import render_reports_json, reports_to_json
from tests.facts.asks import ASKS, HERE, ask, example

GOLDEN = HERE / "golden"


@pytest.fixture(autouse=True)
def _beside_the_example(repo_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of code are read where the example is."""
    monkeypatch.chdir(repo_root)


@pytest.mark.compat
@pytest.mark.parametrize("name", ASKS)
def test_golden(name: str) -> None:
    assert render_reports([ask(name)]) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ASKS)
@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_longer_than_the_width(name: str, width: int) -> None:
    report = ask(name)
    text = render_reports([report], width=width)
    raw = getattr(report.answer, "text", "")
    lines = text.removesuffix(f"{raw.rstrip()}\n").splitlines() if raw else text.splitlines()
    assert all(cell_len(line) <= width for line in lines)
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("name", ASKS)
def test_json_is_plain_and_names_no_place_of_this_machine(name: str) -> None:
    report = ask(name)
    text = render_reports_json([report])
    assert text.isascii()
    assert str(HERE) not in text
    known = json.loads(text)
    assert known == reports_to_json([report])
    assert list(known) == ["schema_version", "target", "answers"]
    assert known["answers"][0]["what"] == (ASKS[name][1].table or report.what)


def test_names_steer_no_terminal() -> None:
    report = replace(answer(example("jaxpr"), Request(table="loops")), target="a\x1b[31mb[bold]", under="\x07")
    text = render_reports([report])
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "a\\x1b[31mb[bold]" in text


ASKED = (
    ["--loops"], ["--constants", "0"], ["--aliasing"], ["--kept-args"], ["--effects"], ["--keys"], ["--loop", "1"],
    ["--op", "add"], ["--line", "example.py"], ["--back", "result 0", "--format", "json"],
)  # fmt: skip
SCRIPT = """
import sys
from scanir.cli import main
for asked in sys.argv[2:]:
    try:
        main(["show", sys.argv[1], *asked.split("|")])
    except SystemExit as end:
        assert not end.code, asked
assert not {"jax", "jaxlib"} & set(sys.modules), sorted(m for m in sys.modules if m.startswith("jax"))[:3]
"""


@pytest.mark.parametrize("dialect", ["jaxpr", "stablehlo", "hlo"])
def test_files_need_no_jax(dialect: str) -> None:
    file = str(HERE / "files" / f"{dialect}.txt")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, file, *map("|".join, ASKED)], capture_output=True, text=True, timeout=100,
        check=False, env=os.environ | {"COLUMNS": "80"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # A heading holds the file's path, so where it wraps depends on the folder this runs in.
    assert " ".join(done.stdout.split()).count(f"at {dialect}") >= len(ASKED) - 2


def main() -> None:
    """Write all golden answers."""
    GOLDEN.mkdir(exist_ok=True)
    for name in ASKS:
        (GOLDEN / f"{name}.txt").write_text(render_reports([ask(name)]), encoding="utf-8")


if __name__ == "__main__":
    main()
