from __future__ import annotations

from pathlib import Path

import pytest

from scanir.errors import ConfigError
from scanir.gate.config import find_file, read_plan
from scanir.gate.lines import Lines
from scanir.gate.plan import Pair, Plan
from scanir.normalize.rules import GATE_FORBIDS

PAIR = '[[pairs]]\nname = "step"\na = "x.py:f"\nb = "x.py:g"\n'


def plan(directory: Path, text: str, name: str = "scanir.toml") -> Plan:
    file = directory / name
    file.write_text(text, encoding="utf-8")
    return read_plan(file)


def pair(directory: Path, more: str) -> Pair:
    (check,) = plan(directory, PAIR + more).checks
    assert isinstance(check, Pair)
    return check


def test_all_that_a_pair_may_say(tmp_path: Path) -> None:
    check = pair(
        tmp_path,
        """
        args = "f32[3]"
        args-from-b = "x.py:make"
        stage = ["jaxpr", "hlo"]
        under = ["none", "grad"]
        allow = "provenance"
        forbid = ["cse"]
        config = { jax_enable_x64 = true }
        env-b = ["XLA_FLAGS=--a=b"]
        fail-on = "equivalent"
        """,
    )
    assert (check.name, check.a, check.b, check.fail_on) == ("step", "x.py:f", "x.py:g", "equivalent")
    assert check.options["args_a"] == "f32[3]"
    assert "args_b" not in check.options
    assert check.sources == {"args_b": "x.py:make"}
    assert check.options["stage"] == "jaxpr,hlo"
    assert check.options["under"] == ("none", "grad")
    assert check.options["config"] == {"jax_enable_x64": True}
    assert check.options["env_b"] == {"XLA_FLAGS": "--a=b"}
    assert str(check.spot) == "scanir.toml:1"


def test_a_gate_forbids_what_is_not_allowed_by_name(tmp_path: Path) -> None:
    assert set(pair(tmp_path, "").options["forbid"]) == set(GATE_FORBIDS)
    opened = pair(tmp_path, 'allow = ["class:donation"]\nforbid = ["cse"]').options
    assert set(opened["forbid"]) == {"cse", *GATE_FORBIDS} - {"class:donation"}


def test_fail_on_names_a_verdict_or_classes(tmp_path: Path) -> None:
    found = pair(tmp_path, 'fail-on = ["copies", "class:fusion"]')
    assert found.fail_on == "inconclusive"
    assert {"copies", "class:fusion"} < set(found.options["forbid"])
    assert set(pair(tmp_path, 'fail-on = "different"').options["forbid"]) == set(GATE_FORBIDS)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PAIR + 'alow = ["cse"]', ["unknown key 'alow'", "scanir.toml:5, pairs 'step'", "did you mean allow?"]),
        ("[[pair]]\n", ["unknown key 'pair'", "did you mean pairs?"]),
        (PAIR + 'allow = "cs"', ["unknown rule or class 'cs'", "scanir.toml:5", "cse"]),
        (PAIR + 'forbid = ["class:copy"]', ["scanir.toml:5", "class:copies"]),
        (PAIR + 'stage = "hol"', ["unknown stage 'hol'", "scanir.toml:5", "stages:"]),
        (PAIR + "args = 3", ["args is a text, not 3", "scanir.toml:5"]),
        (PAIR + "strict = 1", ["strict is true or false, not 1"]),
        (PAIR + "run = -1", ["run is a whole number from 0 on"]),
        (PAIR + "under = [1]", ["under is a text or a list of texts"]),
        (PAIR + 'config = ["x"]', ["config is a table of settings", "config = { NAME = VALUE }"]),
        (PAIR + 'fail-on = "differnt"', ["fail-on is one of", "did you mean different?"]),
        (PAIR + 'args = "f32[]"\nargs-from = "m.py:f"', ["both say what the arguments are", "scanir.toml:6"]),
        ('[[pairs]]\nname = "s"\na = "x"\n', ["b is missing", "scanir.toml:1"]),
        ('[[pairs]]\nname = "s"\na = "x"\nb = "-"', ["standard input", "scanir.toml:4"]),
        ('[[pairs]]\nname = "a\\nb"\na = "x"\nb = "y"', ["is no name", "scanir.toml:2"]),
        (PAIR + PAIR, ["'step' is used twice", "scanir.toml:1 and scanir.toml:5"]),
        ("pairs = 3", ["pairs is a list of tables", "[[pairs]]"]),
        ("", ["there is nothing to check", "[[tool.scanir.pairs]]"]),
        ("[[pairs]\n", ["is no TOML"]),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, says: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        plan(tmp_path, text)
    for part in says:
        assert part in str(caught.value)


def test_in_a_pyproject_the_tables_stand_under_tool(tmp_path: Path) -> None:
    text = PAIR.replace("[[pairs]]", "[project]\nname = 'p'\n[[tool.scanir.pairs]]")
    (check,) = plan(tmp_path, text, "pyproject.toml").checks
    assert str(check.spot) == "pyproject.toml:3"
    with pytest.raises(ConfigError, match="unknown key 'bad'") as caught:
        plan(tmp_path, text + "bad = 1", "pyproject.toml")
    assert "pyproject.toml:7, tool.scanir.pairs 'step'" in caught.value.where


def test_the_nearest_file_that_lists_checks_counts(tmp_path: Path) -> None:
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.scanir]\n", encoding="utf-8")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    assert find_file(inside) == tmp_path / "pyproject.toml"
    (tmp_path / "a" / "scanir.toml").write_text(PAIR, encoding="utf-8")
    assert find_file(inside) == tmp_path / "a" / "scanir.toml"


def test_checks_are_chosen_by_name_or_pattern(tmp_path: Path) -> None:
    found = plan(tmp_path, PAIR + PAIR.replace("step", "step-2") + PAIR.replace("step", "loss"))
    assert [check.name for check in found.chosen(["step*"])] == ["step", "step-2"]
    assert len(found.chosen([])) == 3
    with pytest.raises(ConfigError, match="there is no check stp") as caught:
        found.chosen(["stp"])
    assert "did you mean step?" in caught.value.hint


def test_lines_are_not_told_where_they_would_be_wrong() -> None:
    text = '[a]\nx = """\n[[pairs]]\ny = 1\n"""\nz = 2\n[[ "pairs" ]]  # one\nname = 1\n'
    lines = Lines.of(text)
    assert lines.table("pairs", 0, 1) == 7
    assert lines.key("pairs", 0, 1, "name") == 8
    assert lines.key("a", 0, 1, "z") == 6
    assert lines.key("pairs", 0, 1, "other") == 7
    assert lines.table("pairs", 0, 2) == 0
    assert lines.key("pairs", 0, 2, "name") == 0
