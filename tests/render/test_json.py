"""The JSON object: the documented schema, in the documented order."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scanir.render.json import diff_to_json, render_json
from scanir.result import Diff, StageDiff, Verdict
from tests.render.diffs import ALL, BOUND, COSTLY, DIFFERENT, EQUIVALENT, FACTS, IDENTICAL, INCONCLUSIVE


def test_the_keys_and_their_order() -> None:
    found = diff_to_json(EQUIVALENT)
    assert list(found) == ["schema_version", "a", "b", "verdict", "exit_code", "stages"]
    stage = found["stages"][0]
    assert list(stage) == [
        *("stage", "under", "verdict", "modulo", "bindings", "forwarded_outputs", "reasons", "assumptions", "loops"),
        *("mismatch", "facts", "provenance", "notes", "evidence", "costs"),
        *("edits", "edit_notes", "consequences"),
    ]
    assert list(stage["modulo"][0]) == ["rule", "count", "where"]
    assert list(stage["forwarded_outputs"][0]) == ["side", "output", "input"]
    assert list(stage["loops"][0]) == ["verdict", "left", "right", "trip_count", "captures", "notes"]
    assert list(stage["loops"][0]["captures"][0]) == ["hole", "type", "left", "right"]
    assert list(stage["loops"][0]["captures"][0]["left"]) == ["kind", "slot", "value"]


def test_the_documented_example() -> None:
    stage = diff_to_json(EQUIVALENT)["stages"][0]
    assert stage["modulo"][0] == {
        "rule": "forwarded-outputs",
        "count": 3,
        "where": ["result 2", "result 3", "result 4"],
    }
    assert stage["forwarded_outputs"][0] == {"side": "b", "output": 2, "input": 1}
    assert stage["loops"][0]["captures"][0] == {
        "hole": 0,
        "type": "f32[2,100]",
        "left": {"kind": "closed-over", "slot": None, "value": "a"},
        "right": {"kind": "carried", "slot": 2, "value": "a"},
    }
    (bound,) = diff_to_json(BOUND)["stages"]
    assert bound["bindings"][0] == {"side": "a", "argument": "dtau", "constant": "0.01"}
    assert bound["loops"][0]["captures"][2]["right"] is None


def test_facts_carries_and_copies() -> None:
    stage = diff_to_json(FACTS)["stages"][0]
    assert stage["facts"][1] == {"kind": "outputs", "side": "b", "text": "output 1 without a counterpart"}
    right = stage["loops"][0]["right"]
    assert right["carries"][1] == {
        "slot": 1,
        "type": "f32[]",
        "kind": "permuted",
        "start": "dtau",
        "other": 2,
        "live": True,
    }
    assert right["copies"] == {"count": 2, "bytes": 24, "types": ["f32[3]", "f32[] 3x"], "carries": []}


def test_costs() -> None:
    stages = diff_to_json(COSTLY)["stages"]
    assert stages[0]["costs"] is None
    costs = stages[1]["costs"]
    assert list(costs) == ["left", "right"]
    assert costs["right"]["copied_bytes"] == 87124
    assert costs["right"]["sizes"] == {"temp": 8688}
    right = stages[1]["loops"][0]["right"]
    assert right["trip_cost"]["bytes"] == 23897
    assert right["copies"]["carries"][0] == {
        "slot": 2,
        "start": "w",
        "type": "f32[1024]",
        "bytes": 4096,
        "count": 2,
        "file": "model.py",
        "line": 11,
    }


def test_sides_that_are_missing() -> None:
    loop = diff_to_json(DIFFERENT)["stages"][0]["loops"][1]
    assert loop["left"] is None
    assert loop["right"] == {
        "path": "carry/scan",
        "kind": "scan",
        "slots": 5,
        "ops": 31,
        "file": "rollout.py",
        "line": 82,
        "carries": [],
        "copies": {"count": 0, "bytes": 0, "types": [], "carries": []},
        "trip_cost": None,
    }
    assert diff_to_json(IDENTICAL)["stages"][0]["mismatch"] is None


def test_the_mismatch() -> None:
    assert diff_to_json(DIFFERENT)["stages"][0]["mismatch"] == {
        "reason": "operand 1 of mul differs: damp and dtau changed places",
        "left": {"path": "lambda/scan/mul", "value": "dtau", "line": "rollout.py:44"},
        "right": {"path": "swapped/scan/mul", "value": "damp", "line": "rollout.py:44"},
    }


@pytest.mark.parametrize(
    ("diff", "verdict", "code"),
    [
        (IDENTICAL, "IDENTICAL", 0),
        (EQUIVALENT, "EQUIVALENT", 0),
        (DIFFERENT, "DIFFERENT", 1),
        (INCONCLUSIVE, "INCONCLUSIVE", 3),
    ],
)
def test_verdicts(diff: Diff, verdict: str, code: int) -> None:
    found = diff_to_json(diff)
    assert (found["schema_version"], found["verdict"], found["exit_code"]) == (1, verdict, code)


@pytest.mark.parametrize("name", ALL)
def test_the_text_is_the_object(name: str) -> None:
    assert json.loads(render_json(ALL[name])) == ALL[name].to_json() == diff_to_json(ALL[name])
    assert render_json(ALL[name]).isascii()


@pytest.mark.parametrize("text", ["\x1b[31m", "é\u202e", "\ud800", '"\\'])
def test_hostile_names_survive(text: str) -> None:
    diff = Diff(text, text, (StageDiff("hlo", Verdict.IDENTICAL, notes=(text,)),))
    found: dict[str, Any] = json.loads(render_json(diff))
    assert found["a"] == text
    assert "\x1b" not in render_json(diff)
