"""The formats of CI, from outcomes made by hand: places, limits, and nothing hostile comes through."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from scanir.outcome import Finding, Outcome, Outcomes, Spot
from scanir.render.github import MOST, render_github
from scanir.render.junit import render_junit
from scanir.render.markdown import MOST as LARGEST
from scanir.render.markdown import render_markdown
from scanir.render.sarif import render_sarif, sarif_document

FOUND = Finding(
    "different", "DIFFERENT at jaxpr: add against sub", "jaxpr", ("main/add", "main/sub"),
    (Spot("src/new.py", 7, "b"), Spot("src/old.py", 3, "a")),
)  # fmt: skip
GREEN = Outcome("loss", "pair", "IDENTICAL", 0, "at jaxpr", spot=Spot("scanir.toml", 9))
RED = Outcome("step", "pair", "DIFFERENT", 1, "at jaxpr: add against sub", (FOUND,), "DIFFERENT\n  add\n",
              spot=Spot("scanir.toml", 2))  # fmt: skip
OPEN = replace(RED, name="net", word="INCONCLUSIVE", exit_code=3, findings=(replace(FOUND, rule="inconclusive"),))
ERROR = Outcome("gone", "pair", "ERROR", 2, "there is no file x.py", (Finding("error", "there is no file x.py"),),
                "error: there is no file x.py\n", spot=Spot("scanir.toml", 5))  # fmt: skip
ALL = Outcomes("scanir.toml", (GREEN, RED, OPEN, ERROR))
HOSTILE = "a,b:c%\r\n::error::x|`*</script>\x1b[31m\u202e]]>"


def test_github() -> None:
    assert render_github(ALL, "sub/") == (
        "::error file=sub/src/new.py,line=7,title=scanir pair step::DIFFERENT at jaxpr: add against sub"
        " (also src/old.py:3)\n"
        "::error file=sub/scanir.toml,line=5,title=scanir pair gone::there is no file x.py\n"
        "::warning file=sub/src/new.py,line=7,title=scanir pair net::DIFFERENT at jaxpr: add against sub"
        " (also src/old.py:3)\n"
    )


def test_github_counts_what_it_leaves_out() -> None:
    found = render_github(Outcomes("x", (RED,) * 30)).splitlines()
    assert len(found) == MOST + 1
    assert found[-1] == "::error title=scanir::21 more findings, in the log of this step"


def test_github_is_not_told_what_to_do_by_a_program() -> None:
    row = replace(RED, name=HOSTILE, findings=(replace(FOUND, message=HOSTILE, spots=(Spot(f"{HOSTILE}.py", 1),)),))
    (line,) = render_github(Outcomes("x", (row,))).splitlines()
    head, _, message = line.removeprefix("::").partition("::")
    assert head.count(",") == 2
    assert ":" not in head
    assert "\x1b" not in line
    assert message.startswith("a,b:c%25")


def test_a_file_outside_of_the_checkout_annotates_nothing() -> None:
    row = replace(RED, findings=(replace(FOUND, spots=(Spot(".../lib/x.py", 1, "b"),)),))
    assert "file=scanir.toml,line=2," in render_github(Outcomes("x", (row,)))


def test_markdown() -> None:
    text = render_markdown(ALL)
    assert text.startswith("## scanir: 4 checks: 1 passed, 1 failed, 1 could not be made, 1 inconclusive\n")
    assert "| **FAIL** | step | DIFFERENT | at jaxpr: add against sub |\n" in text
    assert text.index("| step |") < text.index("| loss |"), "what does not pass comes first"
    assert text.count("<details>") == text.count("</details>") == 3


def test_markdown_stays_below_what_github_takes() -> None:
    text = render_markdown(Outcomes("x", (replace(RED, report="é\n" * 30_000),) * 40))
    assert len(text.encode()) <= LARGEST + 2_000 < 1 << 20
    assert "more reports are too long for a summary" in text


def test_markdown_shows_texts_as_they_are() -> None:
    row = replace(RED, name=HOSTILE, summary=HOSTILE, report=f"```\n{HOSTILE}\n````\n")
    text = render_markdown(Outcomes("x", (row,)))
    table, _, details = text.partition("<details>")
    (line,) = [line for line in table.splitlines() if "FAIL" in line]
    assert line.replace("\\|", "").count("|") == 5
    assert "</script>" not in table
    assert "\n`````text\n" in details
    assert not {"\x1b", "\u202e"} & set(text)


def test_junit() -> None:
    root = ElementTree.fromstring(render_junit(ALL))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("4", "2", "1")
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert [child.tag for child in cases["step"]] == ["failure"]
    assert [child.tag for child in cases["gone"]] == ["error"]
    assert [child.tag for child in cases["loss"]] == []
    failure = cases["step"].find("failure")
    assert failure is not None
    assert (failure.get("type"), failure.text) == ("different", "DIFFERENT\n  add")


def test_junit_is_xml_whatever_is_in_it() -> None:
    row = replace(RED, name=HOSTILE, summary=HOSTILE, report=f"{HOSTILE}\x00\ud800\n", notes=(HOSTILE,))
    root = ElementTree.fromstring(render_junit(Outcomes("x", (row,))).encode())
    assert len(list(root.iter("testcase"))) == 1


def test_sarif() -> None:
    """What the standard requires of a log, a run, a rule and a result, by its sections 3.13, 3.14, 3.19 and 3.27."""
    document = sarif_document(ALL, "1.2.3", "sub/")
    assert (document["version"], len(document["runs"])) == ("2.1.0", 1)
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("scanir", "1.2.3")
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    assert all(rule["shortDescription"]["text"].endswith((".", ")")) for rule in driver["rules"])
    assert [result["level"] for result in run["results"]] == ["error", "warning", "error"]
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["message"]["text"]
        for place in (*result["locations"], *result.get("relatedLocations", ())):
            physical = place["physicalLocation"]
            assert physical["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
            assert not physical["artifactLocation"]["uri"].startswith("/")
            assert physical["region"]["startLine"] >= 1
    first = run["results"][0]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "sub/src/new.py"
    assert [place["fullyQualifiedName"] for place in first["locations"][0]["logicalLocations"]] == list(FOUND.paths)


def fingerprints(*rows: Outcome) -> list[str]:
    results: list[dict[str, Any]] = sarif_document(Outcomes("x", rows), "1")["runs"][0]["results"]
    return [result["partialFingerprints"]["scanir/v1"] for result in results]


def test_a_fingerprint_is_of_places_in_the_program() -> None:
    moved = replace(RED, findings=(replace(FOUND, spots=(Spot("src/new.py", 99, "b"),)),))
    other = replace(RED, findings=(replace(FOUND, paths=("main/mul", "main/sub")),))
    assert fingerprints(RED) == fingerprints(moved) != fingerprints(other)


@pytest.mark.parametrize("render", [lambda rows: render_sarif(rows, "1"), render_github, render_junit, render_markdown])
def test_the_same_outcomes_give_the_same_text(render: Any) -> None:
    hostile = replace(RED, name=HOSTILE, summary=HOSTILE, findings=(replace(FOUND, message=HOSTILE),))
    rows = Outcomes("x", (*ALL.rows, hostile))
    assert render(rows) == render(rows)
    assert "\x1b" not in render(rows)


def test_sarif_is_ascii_json() -> None:
    assert json.loads(render_sarif(ALL, "1").encode("ascii"))["runs"]
