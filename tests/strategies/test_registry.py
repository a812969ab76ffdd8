"""Names of strategies: looked up, registered by users, without jax."""

from __future__ import annotations

import subprocess
import sys

import pytest

from scanir.errors import TargetError
from scanir.strategies import Strategy, find, near_names, register, registered, registry, strategies

FAMILIES = {
    "rollout": ["lambda", "def", "carry", "constant", "xs", "jit-body", "swapped"],
    "sum": ["sum-scan", "sum-fori", "sum-while", "sum-python"],
    "factorial": ["factorial-scan", "factorial-fori", "factorial-python"],
    "fibonacci": [f"fibonacci-{kind}" for kind in ("scan", "fori", "python", "vmap", "jit", "xs-unused")],
}


@pytest.fixture
def scratch(monkeypatch: pytest.MonkeyPatch) -> None:
    strategies()
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))


def test_the_built_in_strategies() -> None:
    found: dict[str, list[str]] = {}
    for strategy in strategies():
        found.setdefault(strategy.family, []).append(strategy.name)
    assert {family: found[family] for family in FAMILIES} == FAMILIES


def test_listing_imports_no_jax() -> None:
    code = "import sys, scanir.strategies as s; s.strategies(); s.near_names('lamda'); print('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_built_in_has_a_summary() -> None:
    assert all(strategy.summary and strategy.family for strategy in strategies())


@pytest.mark.parametrize(
    ("typed", "meant"), [("lamda", "lambda"), ("sum_scan", "sum-scan"), ("fibonaci-fori", "fibonacci-fori")]
)
def test_near_names(typed: str, meant: str) -> None:
    assert near_names(typed)[0] == meant


def test_no_near_name_for_something_else() -> None:
    assert near_names("qqqqzzzz") == ()
    assert near_names("bad") == near_names("/dev/null") == ()


@pytest.mark.usefixtures("scratch")
def test_users_register_as_the_built_in_do() -> None:
    @register("mine", example=(1, 2))
    def mine(x: int, y: int) -> int:
        """Adds.

        And more."""
        return x + y

    assert find("mine") == Strategy("mine", "user", "Adds.", mine, (1, 2))
    assert registered(mine) is find("mine")
    assert find("mine").function(*find("mine").example()) == 3  # type: ignore[union-attr]


@pytest.mark.usefixtures("scratch")
def test_a_name_that_is_taken() -> None:
    with pytest.raises(TargetError, match="registered already"):
        register("lambda", lambda x: x)


@pytest.mark.usefixtures("scratch")
def test_registering_the_same_function_again() -> None:
    def again() -> None: ...

    register("again", again)
    register("again", again)
    assert registered(again) is find("again")


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a.py", "-x", "a/b", "é", "1a"])
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(TargetError, match="cannot name a strategy"):
        register(name, lambda: None)


def test_a_built_in_is_found_by_its_function() -> None:
    from scanir.strategies.rollout import carry

    assert registered(carry) is find("carry")
    assert registered(3) is None
