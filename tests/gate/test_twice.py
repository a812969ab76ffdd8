"""Each program against itself: made again in this process, and in two of unlike hash seeds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scanir.gate.config import read_plan
from scanir.gate.pair import check_pair
from scanir.gate.plan import Check, Pair
from scanir.gate.twice import SEEDS, twice

FILE = """
import itertools
counter = itertools.count(1)
def steady(x): return x * 2
def counted(x): return x * next(counter)
def hashed(d):
    out = 0.
    for key in {"alpha", "beta", "gamma", "delta"}:
        out = out * 2. + d[key]
    return out
"""
CHECKS = """
[[pairs]]
name = "steps"
a = "m.py:counted"
b = "m.py:steady"
args = "f32[3]"
stage = "jaxpr"
config-b = { jax_enable_x64 = true }
[[budgets]]
name = "lean"
target = "m.py:hashed"
args = "{'alpha': f32[], 'beta': f32[], 'gamma': f32[], 'delta': f32[]}"
copies = 3
"""


@pytest.fixture
def checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Check, ...]:
    (tmp_path / "m.py").write_text(FILE, encoding="utf-8")
    (tmp_path / "scanir.toml").write_text(CHECKS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return read_plan(tmp_path / "scanir.toml").checks


def named(checks: tuple[Check, ...]) -> dict[str, Pair]:
    return {pair.name: pair for pair in twice(checks) if isinstance(pair, Pair)}


def test_each_program_of_each_check(checks: tuple[Check, ...]) -> None:
    pairs = named(checks)
    assert list(pairs) == [
        f"{name}, {how}"
        for name in ("steps: a", "steps: b", "lean")
        for how in ("in two processes", "traced again")
    ]  # fmt: skip
    assert all(pair.a == pair.b and pair.options["args_a"] == pair.options["args_b"] for pair in pairs.values())
    two = pairs["steps: b, in two processes"].options
    assert (two["stage"], two["config_a"], two["config_b"]) == ("jaxpr", {"jax_enable_x64": True}, two["config_a"])
    assert [two[f"env_{side}"]["PYTHONHASHSEED"] for side in "ab"] == list(SEEDS)
    assert pairs["lean, traced again"].options["stage"] == "hlo"


def test_a_program_is_made_twice_once(checks: tuple[Check, ...]) -> None:
    assert len(twice((*checks, *(replace(check, name=f"{check.name} too") for check in checks)))) == len(twice(checks))


def test_what_the_second_trace_has_otherwise(checks: tuple[Check, ...]) -> None:
    pairs = named(checks)
    counted = check_pair(pairs["steps: a, traced again"])
    assert (counted.word, counted.exit_code) == ("DIFFERENT", 1)
    assert [spot.line for finding in counted.findings for spot in finding.spots][:1] == [5]
    steady = replace(pairs["steps: a, traced again"], a="m.py:steady", b="m.py:steady")
    assert (check_pair(steady).word, check_pair(steady).exit_code) == ("IDENTICAL", 0)


@pytest.mark.full
def test_what_the_hash_seed_changes(checks: tuple[Check, ...]) -> None:
    pairs = named(checks)
    assert check_pair(pairs["lean, in two processes"]).word == "DIFFERENT"
    assert check_pair(pairs["steps: a, in two processes"]).exit_code == 0
