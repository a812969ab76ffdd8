"""A bench as text, as JSON and as a picture."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest

from scanir.measured.ratios import Ratio
from scanir.measured.result import Bench, Lengths
from scanir.render.bench import render_bench, render_lengths, seconds, size, verdict
from scanir.render.bench_json import render_bench_json
from scanir.render.plot import plot
from tests.render.benches import FEW, LENGTHS, NOISY, SAME, TWO

GOLDEN = Path(__file__).parent / "golden"
INF = float("inf")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Ratio(1.21, 1.18, 1.24), "a is 1.21 times slower than b (1.18 to 1.24)"),
        (Ratio(0.5, 0.4, 0.8), "a is 2.00 times faster than b (1.25 to 2.50)"),
        (Ratio(1.01, 0.98, 1.05), "a and b: no measurable difference (0.98 to 1.05)"),
        (Ratio(1.0, 1.0, 1.0), "a and b: no measurable difference (1.00 to 1.00)"),
        (Ratio(3.0, 0.0, INF), "a and b: too few rounds to tell"),
    ],
)
def test_what_is_said(found: Ratio, said: str) -> None:
    assert verdict(found, "a", "b") == said


def test_numbers_have_three_digits() -> None:
    told = [seconds(value) for value in (2.0, 0.5, 0.0123, 1e-3, 21.44e-6, 1.5e-7, 3e-10, 0.0)]
    assert told == ["2.00 s", "500 ms", "12.3 ms", "1.00 ms", "21.4 µs", "150 ns", "0.30 ns", "0.00 ns"]
    assert [size(number) for number in (0, 436, 20_767, 5_431_296)] == ["-", "436 B", "20.8 kB", "5.43 MB"]


@pytest.mark.parametrize(
    ("name", "found"), [("bench-two", TWO), ("bench-few", FEW), ("bench-lengths", LENGTHS)], ids=lambda v: str(v)[:14]
)
def test_the_report(name: str, found: Bench | Lengths) -> None:
    text = render_bench(found) if isinstance(found, Bench) else render_lengths(found)
    assert max(map(len, text.splitlines())) <= 80
    assert text == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_equal_programs() -> None:
    text = render_bench(SAME)
    assert "def and lambda: no measurable difference to run" in text
    assert "slower" not in text
    assert "faster" not in text
    assert "control: lambda against itself: no measurable difference" in text


def test_a_machine_that_is_not_fit_to_tell() -> None:
    text = render_bench(NOISY, width=120)
    assert "not to be relied on: lambda differs from itself" in text
    assert "control: lambda against itself differs in trace, lower, compile, first call, a call" in text


@pytest.mark.parametrize("found", [TWO, FEW, NOISY, LENGTHS], ids=["two", "few", "noisy", "lengths"])
def test_the_picture(found: Bench | Lengths) -> None:
    text = plot(found)
    assert text == plot(found), "the same bytes"
    root = ET.fromstring(text)
    assert root.tag.endswith("svg")
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    for part in root.iter():
        at = {
            key: float(part.attrib[key]) for key in ("x", "y", "cx", "cy", "x1", "y1", "x2", "y2") if key in part.attrib
        }
        assert all(0 <= value <= (wide if "x" in key else high) for key, value in at.items()), ET.tostring(part)
    drawn = "".join(root.itertext())
    names = found.names if isinstance(found, Lengths) else [row.name for row in found.rows]
    assert all(name in drawn for name in names)


def test_names_are_escaped() -> None:
    row = replace(TWO.rows[1], name="<b>&\x1b")
    ET.fromstring(plot(replace(TWO, rows=(TWO.rows[0], row))))
    assert "\x1b" not in render_bench(replace(TWO, rows=(TWO.rows[0], row)))


def test_json() -> None:
    found = json.loads(render_bench_json(TWO))
    assert found["schema_version"] == 1
    assert found["rows"][0]["seconds"]["run"]["median"] == pytest.approx(21.4e-6, rel=0.05)
    assert len(found["rows"][0]["samples"]["run"]) == found["rounds"] == 24
    run = found["comparisons"][0]["ratios"]["run"]
    assert (run["differs"], run["says"]) == (True, "carry is 1.25 times slower than lambda (1.25 to 1.25)")
    assert found["summary"] == ["carry is 1.25 times slower than lambda to run (1.25 to 1.25)"]
    few = json.loads(render_bench_json(FEW))
    assert few["rows"][2]["missing"] == "not run: over the limit of 5 s"
    assert few["comparisons"][0]["ratios"]["run"]["low"] is None
    assert [len(b["rows"]) for b in json.loads(render_bench_json(LENGTHS))["benches"]] == [3, 3]
