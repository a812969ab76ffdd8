"""The report for a terminal, against the reports it gave when they were last read and found good.

To accept new ones after reading them: python -m tests.render.test_text
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from scanir.render.text import LOOPS, ROWS, render_text
from scanir.render.words import LONGEST
from scanir.result import (
    Binding,
    Capture,
    Diff,
    Filling,
    ForwardedOutput,
    LoopDiff,
    LoopSide,
    Mismatch,
    RuleUse,
    StageDiff,
    Verdict,
)
from tests.render.diffs import ALL, DIFFERENT, EQUIVALENT, INCONCLUSIVE, LEFT

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", ALL)
def test_golden(name: str) -> None:
    assert render_text(ALL[name]) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_the_verdict_comes_first() -> None:
    for diff in ALL.values():
        made, verdict = render_text(diff).splitlines()[:2] if diff is DIFFERENT else ("", render_text(diff))
        assert verdict.startswith(f"{diff.verdict.name}  {diff.a} (a) and {diff.b} (b) at ")
        assert made in ("", "the sides were made differently: jax 0.10.2 against 0.12.0")


def test_what_must_be_said() -> None:
    text = render_text(EQUIVALENT)
    for phrase in (
        "closed over: a ",
        "carried unchanged in slot 2: a",
        "output 2 of b is its input 1 (a) handed on",
        "output 4 of b is its input 3 handed on",
        "forwarded-outputs  3x",
        "scan, 100 trips",
    ):
        assert phrase in text
    assert "--xla_dump_large_constants" in render_text(INCONCLUSIVE)
    assert "damp and dtau changed places" in render_text(DIFFERENT)


def test_color_only_where_asked_for() -> None:
    for diff in ALL.values():
        assert "\x1b[" not in render_text(diff)
        assert "\x1b[" in render_text(diff, color=True)


def test_only_the_verdict_is_green_or_red() -> None:
    first = render_text(DIFFERENT, color=True).splitlines()[1]
    assert first.startswith("\x1b[1;31mDIFFERENT\x1b[0m")
    assert first.count("31m") == 1


def test_color_changes_no_word() -> None:
    from rich.text import Text

    for diff in ALL.values():
        colored = Text.from_ansi(render_text(diff, color=True)).plain
        assert [line.rstrip() for line in colored.splitlines()] == render_text(diff).splitlines()


def test_notes_can_be_left_to_the_caller() -> None:
    assert "the text was made without large constants" in render_text(INCONCLUSIVE)
    assert "the text was made without large constants" not in render_text(INCONCLUSIVE, notes=False)


def test_rich_markup_and_emoji_codes_are_plain_words() -> None:
    text = render_text(Diff("[bold]x[/bold]", "[/] :smile:", (StageDiff("hlo", Verdict.IDENTICAL),)))
    assert "[bold]x[/bold] (a) and [/] :smile: (b)" in text


HOSTILE = st.text(max_size=60) | st.sampled_from(
    ["\x1b[31mred", "[/bold]", "a\nb", "\u202eevil", "wide漢字" * 9, "x" * 3000]
)


@given(HOSTILE, HOSTILE, st.integers(40, 120))
def test_no_name_can_steer_or_widen_the_report(one: str, two: str, width: int) -> None:
    side = LoopSide(one, two, 3, 4, one, 5)
    stage = StageDiff(
        "hlo",
        Verdict.DIFFERENT,
        modulo=(RuleUse(one, 2, (two,)),),
        bindings=(Binding("a", one, two),),
        forwarded_outputs=(ForwardedOutput("b", 1, 0, one),),
        reasons=(one, two),
        assumptions=(two,),
        loops=(
            LoopDiff(
                "SAME-BODY", side, side, 7, (Capture(0, one, Filling(two, one, 1), Filling("constant", two)),), (one,)
            ),
        ),
        mismatch=Mismatch(one, two, one, two, one, two, one),
        provenance=(one,),
        notes=(two,),
    )
    for line in render_text(Diff(one, two, (stage, stage)), width=width).splitlines():
        assert cell_len(line) <= width
        assert line.isprintable()
        assert line == line.rstrip()


def test_long_lists_are_cut_and_say_so() -> None:
    captures = tuple(Capture(k, "f32[]", Filling("closed-over", f"v{k}"), None) for k in range(ROWS + 2))
    equal = tuple(LoopDiff("EQUIVALENT", LEFT, LEFT, 3, captures) for _ in range(LOOPS + 4))
    other = LoopDiff("DIFFERENT", LEFT, LEFT, 3)
    text = render_text(Diff("x", "y", (StageDiff("hlo", Verdict.DIFFERENT, loops=(*equal, other)),)))
    assert "and 2 more, in --format json" in text
    assert "and 5 loops more, in --format json" in text
    assert "loop 1  scan, 3 trips: DIFFERENT" in text, "what is not equal is never cut away first"
    long = render_text(Diff("x" * 5000, "y", (StageDiff("hlo", Verdict.IDENTICAL),)))
    assert len(long) < 2 * LONGEST


if __name__ == "__main__":
    for name, diff in ALL.items():
        (GOLDEN / f"{name}.txt").write_text(render_text(diff), encoding="utf-8")
