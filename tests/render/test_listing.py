"""Ops side by side or inline, folded, and counted."""

from __future__ import annotations

from typing import Any

from scanir.render.listing import folded, listing_parts, stat_parts
from scanir.render.paper import written
from scanir.result import Diff, ListedOp, ListedRegion, StageDiff, Verdict

SAME = ListedOp("same", "sine(x) -> f32[4]", "sine(x) -> f32[4]")
CHANGED = ListedOp("changed", "mul(sine, 0.5) -> f32[4]", "mul(sine, 2.0) -> f32[4]", (("m.py", 3), ("m.py", 7)))
PUT = ListedOp("inserted", "", "tanh(mul) -> f32[4]", (("", 0), ("m.py", 8)))
LEFT = ListedOp("deleted", "exp(mul) -> f32[4]", "", (("m.py", 4), ("", 0)))
BODY = ListedRegion("main/scan", (SAME, SAME, SAME, CHANGED, PUT, LEFT, SAME, SAME))


def answer(*regions: ListedRegion) -> Diff:
    return Diff("f", "g", (StageDiff("jaxpr", Verdict.DIFFERENT),), lister=lambda: (regions,))


def text(parts: list[Any], width: int = 80, *, color: bool = False) -> str:
    return written(parts, width=width, color=color)


def test_inline() -> None:
    found = answer(BODY, ListedRegion("main", (SAME,)))
    assert (
        text(listing_parts(found, 1, beside=False))
        == """
ops at jaxpr

main/scan  8 ops: 1 changed, 1 deleted, 1 inserted
  ... 2 unchanged
  sine(x) -> f32[4]
- mul(sine, 0.5) -> f32[4]  m.py:3
+ mul(sine, 2.0) -> f32[4]  m.py:7
+ tanh(mul) -> f32[4]  m.py:8
- exp(mul) -> f32[4]  m.py:4
  sine(x) -> f32[4]
  ... 1 unchanged

the same: main (1 op)
"""
    )


def test_side_by_side() -> None:
    found = text(listing_parts(answer(BODY), 0, beside=True), 80)
    assert (
        found
        == """
ops at jaxpr

main/scan  8 ops: 1 changed, 1 deleted, 1 inserted
... 3 unchanged
mul(sine, 0.5) -> f32[4]  m.py:3       | mul(sine, 2.0) -> f32[4]  m.py:7
                                       > tanh(mul) -> f32[4]  m.py:8
exp(mul) -> f32[4]  m.py:4             <
... 2 unchanged
"""
    )


def test_what_changed_within_a_line_is_marked() -> None:
    found = text(listing_parts(answer(BODY), 0, beside=False), color=True)
    assert "mul(sine, \x1b[1;31m0.5\x1b[0m)" in found
    assert "mul(sine, \x1b[1;32m2.0\x1b[0m)" in found


def test_counts() -> None:
    assert (
        text(stat_parts(answer(BODY, ListedRegion("main", (SAME,)))))
        == """
jaxpr      ops  same  changed  deleted  inserted
main/scan    8     5        1        1         1
main         1     1
"""
    )


def test_folding_keeps_all_and_no_more_than_asked_for() -> None:
    assert folded([SAME] * 5, 2) == [5]
    assert folded([SAME, SAME, CHANGED, SAME, SAME], 0) == [2, CHANGED, 2]
    assert folded([SAME, SAME, CHANGED, SAME, SAME], 1) == [1, SAME, CHANGED, SAME, 1]
    assert folded([], 1) == []
    for around in range(4):
        shown = folded(BODY.ops, around)
        assert sum(row if isinstance(row, int) else 1 for row in shown) == len(BODY.ops)


def test_hostile_names() -> None:
    region = ListedRegion("main/\x1b[31m", (ListedOp("deleted", "x\x1b]0;y\x07[bold]"),))
    found = text(listing_parts(answer(region), 0, beside=False))
    assert "\x1b" not in found
    assert "[bold]" in found
