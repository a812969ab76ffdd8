from __future__ import annotations

from pathlib import Path

import pytest

from scanir.errors import ConfigError, ScanirError
from scanir.gate.budget import check_budget
from scanir.gate.config import read_plan
from scanir.gate.plan import Budget
from scanir.outcome import Outcome

HLO = """HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] copy(x), metadata={op_name="f" source_file="f.py" source_line=7}
  ROOT z = f32[4] sine(y)
}
"""


def budget(directory: Path, more: str, target: str = "f.hlo") -> Budget:
    file = directory / "scanir.toml"
    file.write_text(f'[[budgets]]\nname = "small"\ntarget = "{target}"\n{more}\n', encoding="utf-8")
    (check,) = read_plan(file).checks
    assert isinstance(check, Budget)
    return check


def checked(directory: Path, monkeypatch: pytest.MonkeyPatch, more: str) -> Outcome:
    monkeypatch.chdir(directory)
    (directory / "f.hlo").write_text(HLO, encoding="utf-8")
    return check_budget(budget(directory, more))


def test_within(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = checked(tmp_path, monkeypatch, "copies = 1\nper-trip = { copies = 0 }")
    assert (found.word, found.exit_code, found.summary) == ("WITHIN", 0, "copies 1, per-trip copies no loop")


def test_exceeded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = checked(tmp_path, monkeypatch, "copies = 0\ntemp-bytes = 5\n[budgets.per-trip]\ncopies = 0")
    assert (found.word, found.exit_code) == ("EXCEEDED", 1)
    over, unknown = found.findings
    assert (over.rule, str(over.spots[0]), over.paths) == ("budget/copies", "f.py:7", ("copies", "main/copy"))
    assert (unknown.rule, unknown.paths) == ("inconclusive", ("temp-bytes",))
    assert found.summary == "1 copies in all, at most 0 allowed, f.py:7, and 1 more"
    assert "copies           1          at most 0  over" in found.report


def test_what_is_not_known_is_inconclusive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = checked(tmp_path, monkeypatch, "temp-bytes = 5")
    assert (found.word, found.exit_code) == ("INCONCLUSIVE", 3)


def test_a_budget_is_of_a_compiled_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.mlir").write_text("func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }\n")
    with pytest.raises(ScanirError, match="of a compiled program"):
        check_budget(budget(tmp_path, "copies = 1", "f.mlir"))


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("", "a budget without a limit"),
        ("copis = 1", "did you mean copies?"),
        ("copies = -1", "whole number"),
        ("copies = true", "whole number"),
        ("per-trip = { copie = 1 }", "did you mean copies?"),
        ("per-trip = 3", "per-trip is a table"),
        ('forbid-dtypes = "float64"', "unknown dtype 'float64'"),
        ('forbid-ops = "custom_cal"', "did you mean custom-call?"),
        ('require-dot-precision = "hihgest"', "did you mean highest?"),
        ("no-callback-in-loop = 1", "true or false"),
    ],
)
def test_limits_that_are_none(tmp_path: Path, more: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        budget(tmp_path, more)
    assert says in str(caught.value)
    assert "scanir.toml:" in caught.value.where


def test_names_as_people_write_them(tmp_path: Path) -> None:
    limits = budget(tmp_path, 'forbid-dtypes = ["pred", "f8e4m3fn"]\nforbid-ops = "custom_call"').limits
    assert (limits.forbid_dtypes, limits.forbid_ops) == (("bool", "f8e4m3fn"), ("custom-call",))
