"""The answers of checks as JSON. Keys are always there; later versions only add some."""

from __future__ import annotations

import json
from typing import Any

from scanir.outcome import Finding, Outcome, Outcomes, Spot
from scanir.result import SCHEMA_VERSION


def outcomes_to_json(outcomes: Outcomes) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "source": outcomes.source,
        "exit_code": outcomes.exit_code,
        "checks": [_outcome(row) for row in outcomes.rows],
    }


def render_check_json(outcomes: Outcomes) -> str:
    """The text of the JSON object: ASCII, so that it is the same under every locale."""
    return json.dumps(outcomes_to_json(outcomes), indent=2, ensure_ascii=True, allow_nan=False)


def _outcome(row: Outcome) -> dict[str, Any]:
    return {
        "name": row.name,
        "kind": row.kind,
        "verdict": row.word,
        "exit_code": row.exit_code,
        "summary": row.summary,
        "where": None if row.spot is None else _spot(row.spot),
        "findings": [_finding(found, row.name) for found in row.findings],
        "notes": list(row.notes),
        "answer": None if row.word == "ERROR" else row.data,
        "error": row.data if row.word == "ERROR" else None,
    }


def _finding(found: Finding, check: str) -> dict[str, Any]:
    return {
        "rule": found.rule,
        "message": found.message,
        "row": found.row,
        "paths": list(found.paths),
        "places": [_spot(spot) for spot in found.spots],
        "fingerprint": found.fingerprint(check),
    }


def _spot(spot: Spot) -> dict[str, Any]:
    return {"file": spot.file, "line": spot.line, "side": spot.label}
