"""What a report says of evidence, status by status."""

from __future__ import annotations

import dataclasses

import pytest

from scanir.render.json import diff_to_json
from scanir.render.text import render_text
from scanir.result import Diff, Evidence, StageDiff, Verdict

DIFFERS = {"inputs": (("x", "[0.0, -0.0]"),), "output": "output 0[1]", "left": "-0.0", "right": "0.0", "ulps": 1}
DIFFERENT, EQUIVALENT = Verdict.DIFFERENT, Verdict.EQUIVALENT


def report(verdict: Verdict, evidence: Evidence | None, stage: str = "hlo") -> list[str]:
    answer = Diff("f", "g", (StageDiff(stage, verdict, evidence=evidence),))
    return [line.strip() for line in render_text(answer, width=120).splitlines()]


SAID = {
    "refuted": (
        DIFFERENT, Evidence("refuted", 3, 2, **DIFFERS, count="1 of 2 elements differ"),  # type: ignore[arg-type]
        [
            "DIFFERENT (refuted)  f (a) and g (b) at hlo", "results differ on the input shown",
            "results differ, in StableHLO's reference interpreter, on", "x  [0.0, -0.0]",
            "output 0[1]: 1 ulp apart; 1 of 2 elements differ", "a  -0.0", "b  0.0",
            "-  results agreed on 2 inputs before",
        ],
    ),
    "unproved": (
        DIFFERENT, Evidence("unproved", 17, 17, compiled=17, rounding=4),
        [
            "DIFFERENT (unproved)  f (a) and g (b) at hlo",
            "no proof of equality within the rules; results agreed wherever both sides were run",
            "-  results are the same bits on 17 inputs, in StableHLO's reference interpreter",
            "-  under jit results are apart by at most 4 ulp on 17 inputs",
        ],
    ),
    "rounding": (
        EQUIVALENT, Evidence("agrees", 1, 1, compiled=1, rounding=3, skipped=("a did not end within 1 s",)),
        [
            "-  results are the same bits on 1 input, in StableHLO's reference interpreter",
            "-  codegen rounding: at most 3 ulp on 1 input, under jit", "-  left out: a did not end within 1 s",
        ],
    ),
    "no rounding": (
        EQUIVALENT, Evidence("agrees", 2, 2, compiled=2, rounding=0),
        ["-  under jit results are the same bits on 2 inputs"],
    ),
    "compiled away": (
        EQUIVALENT, Evidence("compiled away", 1, 0, **DIFFERS, compiled=1, rounding=0),  # type: ignore[arg-type]
        [
            "the compiler takes a difference of the StableHLO away, which is, on",
            "-  under jit results are the same bits there",
        ],
    ),
    "not run": (
        DIFFERENT, Evidence("not run", reason="a has an effect: send"),
        [
            "DIFFERENT  f (a) and g (b) at hlo", "no proof of equality within the rules",
            "-  not run: a has an effect: send",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(name: str) -> None:
    verdict, evidence, lines = SAID[name]
    shown = report(verdict, evidence)
    assert [line for line in lines if line not in shown] == []


def test_nothing_is_said_of_what_was_not_asked_for() -> None:
    assert "evidence" not in report(DIFFERENT, None)
    assert diff_to_json(Diff("f", "g", (StageDiff("hlo", DIFFERENT),)))["stages"][0]["evidence"] is None


def test_a_contradiction_is_said_first() -> None:
    evidence = Evidence("contradicted", 1, 0, **DIFFERS)  # type: ignore[arg-type]
    lines = report(EQUIVALENT, evidence, "jaxpr")
    assert lines[0] == "error: the verdict at jaxpr is wrong: running both sides contradicts it"
    assert lines[1].startswith("please report this")
    answer = Diff("f", "g", (StageDiff("jaxpr", EQUIVALENT, evidence=evidence), StageDiff("hlo", DIFFERENT)))
    assert (answer.exit_code, diff_to_json(answer)["exit_code"]) == (2, 2)


def test_json_has_all_of_it() -> None:
    evidence = Evidence("refuted", 3, 2, **DIFFERS, compiled=1, rounding=1)  # type: ignore[arg-type]
    shown = diff_to_json(Diff("f", "g", (StageDiff("hlo", DIFFERENT, evidence=evidence),)))["stages"][0]["evidence"]
    assert shown == {
        "status": "refuted",
        "ran": 3,
        "agreed": 2,
        "difference": {
            "inputs": [{"argument": "x", "value": "[0.0, -0.0]"}],
            "output": "output 0[1]",
            "left": "-0.0",
            "right": "0.0",
            "ulps": 1,
            "count": "",
        },
        "skipped": [],
        "reason": "",
        "jit": {"ran": 1, "ulps": 1, "note": ""},
    }
    none = dataclasses.replace(evidence, output="")
    assert (
        diff_to_json(Diff("f", "g", (StageDiff("hlo", DIFFERENT, evidence=none),)))["stages"][0]["evidence"][
            "difference"
        ]
        is None
    )
