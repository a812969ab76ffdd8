"""What ``scanir explain`` says: of each rule, class and word, as text and as data."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from scanir.errors import RuleError
from scanir.normalize.rules import GATE_FORBIDS, RULES
from scanir.render.explain import as_data, explain, overview, render
from scanir.render.terms import TERMS
from scanir.result import Verdict
from tests.cli.conftest import Outcome, run

__all__ = ["run"]


@pytest.mark.parametrize("name", RULES)
def test_a_rule(name: str) -> None:
    found = explain(name)
    text = render(found, 100)
    assert found.kind == ("class" if name.startswith("class:") else "rule")
    assert found.diff == RULES[name].default
    assert found.check == (RULES[name].default and name not in GATE_FORBIDS)
    assert ("assert_equivalent" in text) == (name in GATE_FORBIDS)
    head = [line.split()[0] for line in text.splitlines()[1:6] if line.strip()]
    assert [word for word in head if word in ("what", "when", "never")] == ["what", "when", "never"]
    assert text.splitlines()[0].startswith(f"{name}: a ")
    assert len(text.splitlines()) < 60
    assert as_data(found)["profiles"] == {"diff": found.diff, "check": found.check}


def test_words_of_reports() -> None:
    assert {verdict.name for verdict in Verdict} | {"SAME-BODY", "UNPAIRED", "hole", "slot", "refuted"} <= TERMS.keys()
    assert [name for name in TERMS if name[:1] == "O" and name[1:].isdecimal()] == [f"O{k}" for k in range(1, 15)]
    for name, text in TERMS.items():
        assert render(explain(name)).startswith(f"{name}: ")
        assert text


def test_names_are_found_as_people_write_them() -> None:
    assert explain("Layout").name == "class:layout"
    assert explain("same-body").name == "SAME-BODY"
    assert explain("holes").name == "hole"
    assert explain("o6").name == "O6"
    with pytest.raises(RuleError, match="nothing to explain") as caught:
        explain("carry-closur")
    assert "carry-closure" in caught.value.hint


def test_the_list_has_all() -> None:
    text = overview(100)
    assert all(f"  {name} " in text for name in RULES)
    assert all(name in text for name in TERMS)


def test_command(run: Callable[..., Outcome]) -> None:
    done = run("explain", "cse", "hole")
    assert (done.code, done.err) == (0, "")
    assert "cse: a rule" in done.out
    assert "hole: a word" in done.out
    assert run("explain").out == overview(80)
    assert run("explain", "zork").code == 2
    data = json.loads(run("explain", "cse", "--format", "json").out)
    assert [one["name"] for one in data["explained"]] == ["cse"]
    everything = json.loads(run("explain", "--format", "json").out)
    assert [one["name"] for one in everything["explained"]] == [*RULES, *TERMS]
