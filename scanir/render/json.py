"""The answer as JSON: the documented object, its keys in the documented order.

Schema 1. Every key is always there; what does not apply is null or an empty list. Later versions add keys, and change
or take away none without another ``schema_version``. Promises plain data without clock, identity or absolute path of a
source file: same input, same bytes.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from scanir.cost import Cost
from scanir.render.edits import edit_to_json
from scanir.render.words import place
from scanir.result import (
    SCHEMA_VERSION,
    Capture,
    Diff,
    Evidence,
    Filling,
    LoopDiff,
    LoopSide,
    Mismatch,
    SideCost,
    StageDiff,
)


def diff_to_json(diff: Diff) -> dict[str, Any]:
    """The JSON object of an answer."""
    return {
        "schema_version": SCHEMA_VERSION,
        "a": diff.a,
        "b": diff.b,
        "verdict": diff.verdict.name,
        "exit_code": diff.exit_code,
        "stages": [_stage(stage) for stage in diff.stages],
    }


def render_json(diff: Diff) -> str:
    """The text of the JSON object: ASCII, so that it is the same under every locale."""
    return json.dumps(diff_to_json(diff), indent=2, ensure_ascii=True, allow_nan=False)


def _stage(stage: StageDiff) -> dict[str, Any]:
    return {
        "stage": stage.stage,
        "under": stage.under,
        "verdict": stage.verdict.name,
        "modulo": [{"rule": use.rule, "count": use.count, "where": list(use.where)} for use in stage.modulo],
        "bindings": [
            {"side": binding.side, "argument": binding.argument, "constant": binding.constant}
            for binding in stage.bindings
        ],
        "forwarded_outputs": [
            {"side": output.side, "output": output.output, "input": output.input} for output in stage.forwarded_outputs
        ],
        "reasons": list(stage.reasons),
        "assumptions": list(stage.assumptions),
        "loops": [_loop(loop) for loop in stage.loops],
        "mismatch": _mismatch(stage.mismatch),
        "facts": [{"kind": fact.kind, "side": fact.side, "text": fact.text} for fact in stage.facts],
        "provenance": list(stage.provenance),
        "notes": list(stage.notes),
        "evidence": _evidence(stage.evidence),
        "costs": _costs(stage.costs),
        "edits": [edit_to_json(edit) for edit in stage.edits],
        "edit_notes": list(stage.edit_notes),
        "consequences": stage.consequences,
    }


def _costs(costs: tuple[SideCost, SideCost] | None) -> dict[str, Any] | None:
    if costs is None:
        return None
    return {
        name: {**cost_to_json(side.total), "sizes": dict(side.sizes)}
        for name, side in zip(("left", "right"), costs, strict=True)
    }


def _evidence(evidence: Evidence | None) -> dict[str, Any] | None:
    if evidence is None:
        return None
    differs = bool(evidence.output)
    return {
        "status": evidence.status,
        "ran": evidence.ran,
        "agreed": evidence.agreed,
        "difference": {
            "inputs": [{"argument": name, "value": value} for name, value in evidence.inputs],
            "output": evidence.output,
            "left": evidence.left,
            "right": evidence.right,
            "ulps": evidence.ulps,
            "count": evidence.count,
        }
        if differs
        else None,
        "skipped": list(evidence.skipped),
        "reason": evidence.reason,
        "jit": {"ran": evidence.compiled, "ulps": evidence.rounding, "note": evidence.rounding_note},
    }


def _loop(loop: LoopDiff) -> dict[str, Any]:
    return {
        "verdict": loop.verdict,
        "left": _side(loop.left),
        "right": _side(loop.right),
        "trip_count": loop.trip_count,
        "captures": [_capture(capture) for capture in loop.captures],
        "notes": list(loop.notes),
    }


def _side(side: LoopSide | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "path": side.path,
        "kind": side.kind,
        "slots": side.slots,
        "ops": side.ops,
        "file": place(side.file),
        "line": side.line,
        "carries": [
            {"slot": c.slot, "type": c.type, "kind": c.kind, "start": c.start, "other": c.other, "live": c.live}
            for c in side.carries
        ],
        "copies": {
            "count": side.copies,
            "bytes": side.copied_bytes,
            "types": list(side.copied),
            "carries": [
                {
                    "slot": c.slot,
                    "start": c.start,
                    "type": c.type,
                    "bytes": c.bytes,
                    "count": c.count,
                    "file": place(c.file),
                    "line": c.line,
                }
                for c in side.copy_facts
            ],
        },
        "trip_cost": None if side.trip is None else cost_to_json(side.trip),
    }


def cost_to_json(cost: Cost) -> dict[str, Any]:
    """Counts of a piece of program."""
    return {**dataclasses.asdict(cost), "uncounted": dict(cost.uncounted)}


def _capture(capture: Capture) -> dict[str, Any]:
    return {
        "hole": capture.hole,
        "type": capture.type,
        "left": _filling(capture.left),
        "right": _filling(capture.right),
    }


def _filling(filling: Filling | None) -> dict[str, Any] | None:
    return None if filling is None else {"kind": filling.kind, "slot": filling.slot, "value": filling.value}


def _mismatch(mismatch: Mismatch | None) -> dict[str, Any] | None:
    if mismatch is None:
        return None
    return {
        "reason": mismatch.reason,
        "left": {"path": mismatch.left_path, "value": mismatch.left, "line": place(mismatch.left_line)},
        "right": {"path": mismatch.right_path, "value": mismatch.right, "line": place(mismatch.right_line)},
    }
