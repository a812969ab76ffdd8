"""What is asked of several stages, of which some do not have it."""

from __future__ import annotations

import pytest

from scanir import api
from scanir.errors import ArgumentError
from scanir.facts.request import Absent, Request
from scanir.render.facts import render_reports

pytestmark = pytest.mark.compat


def test_a_stage_without_a_match_says_so_and_the_others_answer() -> None:
    first, second = api.ask("lambda", Request(op="scan"), stage="jaxpr,stablehlo")
    assert (first.what, second.what) == ("ops", "absent")
    assert isinstance(second.answer, Absent)
    text = render_reports([first, second])
    assert text.startswith("1 op in lambda at jaxpr")
    assert "no op is called scan, in lambda at stablehlo" in text
    assert "there is: constant, " in text


def test_where_no_stage_has_it_there_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="no op is called nonsense"):
        api.ask("lambda", Request(op="nonsense"), stage="jaxpr,stablehlo")
    with pytest.raises(ArgumentError, match="no op is called scan"):
        api.ask("lambda", Request(op="scan"), stage="stablehlo")
