"""What a bench makes of its samples."""

from __future__ import annotations

from scanir.measured.ratios import ERROR
from scanir.measured.result import METRICS, Timing, compared, comparisons, timings

FAST = {metric: [1.0, 1.1, 0.9] * 8 for metric in METRICS}
SLOW = {metric: [2.0, 2.2, 1.8] * 8 for metric in METRICS}


def test_medians_and_quartiles() -> None:
    assert timings({"run": [4.0, 1.0, 3.0, 2.0, 5.0]}) == (("run", Timing(3.0, 2.0, 4.0)),)
    assert timings({}) == ()


def test_the_first_that_was_measured_is_the_one_compared_with() -> None:
    found, statements = comparisons([{}, FAST, SLOW, FAST], [1, 2, 3])
    assert [(c.row, c.against) for c in found] == [(2, 1), (3, 1)]
    assert statements == 3 * len(METRICS), "the control's, too"
    assert all(ratio.differs and ratio.estimate == 2 for _, ratio in found[0].ratios)
    assert not any(ratio.differs for _, ratio in found[1].ratios)
    assert comparisons([{}], []) == ((), 0)


def test_more_statements_are_told_with_more_care() -> None:
    """The level is shared out: the same samples give wider intervals among many."""
    wobbly = {"run": [1.0 + 0.01 * k for k in range(24)]}
    steady = {"run": [1.0] * 24}
    alone, among = (compared(wobbly, steady, 1, 0, ERROR / n).ratio("run") for n in (1, 50))
    assert among.width > alone.width
