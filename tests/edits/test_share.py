"""The share of the edit campaign that belongs to a change: a fixed seed, a few modules of each dialect."""

from __future__ import annotations

import pytest

from tests.edits.campaign import attempts

SHARE = {
    "hlo": ("mlp_grad before optimization", "loops before optimization", "attention"),
    "stablehlo": ("conds", "strategy lambda", "scatters"),
    "jaxpr": ("attention_grad", "nested_scans", "derivative_rules"),
}


@pytest.mark.parametrize("dialect", SHARE)
def test_the_script_is_as_long_as_what_was_planted(dialect: str) -> None:
    found = [one for name in SHARE[dialect] for one in attempts(dialect, name, (1, 2, 5), 0, None)]
    assert {one.planted for one in found} == {1, 2, 5}
    assert [(one.source, one.planted, one.told) for one in found if not one.good] == []
    assert sum(one.named for one in found) >= sum(one.planted for one in found) - 1
    assert all(one.lines >= one.planted for one in found)


@pytest.mark.parametrize(("dialect", "source"), [("hlo", "hidden_state"), ("stablehlo", "primitive igamma")])
def test_a_shorter_script_does_not_hide_edits(dialect: str, source: str) -> None:
    """Of these, a script over normal forms told one and two edits of five."""
    for seed in (0, 1):
        (one,) = attempts(dialect, source, (5,), seed, None)
        assert (one.told, one.fewer) == (5, False)
