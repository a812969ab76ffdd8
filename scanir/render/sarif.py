"""The findings of checks as SARIF 2.1.0, which code review tools read: rules with ids that stay, results with
fingerprints that name places in the program and no line."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from scanir.outcome import FINDINGS, Finding, Outcome, Outcomes, Spot
from scanir.render.github import inside
from scanir.render.words import clean

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_document(outcomes: Outcomes, version: str, prefix: str = "") -> dict[str, Any]:
    """``prefix``: the way from the checkout to the file of checks."""
    found = list(outcomes.findings())
    ids = list(dict.fromkeys((*FINDINGS, *(finding.rule for _, finding in found))))
    rules = [{"id": id, "shortDescription": {"text": _description(id)}} for id in ids]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "scanir", "version": version, "rules": rules}},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": "the checkout"}}},
                "results": [_result(row, finding, ids, prefix) for row, finding in found],
            }
        ],
    }


def render_sarif(outcomes: Outcomes, version: str, prefix: str = "") -> str:
    return json.dumps(sarif_document(outcomes, version, prefix), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _description(id: str) -> str:
    base, _, limit = id.partition("/")
    return f"{FINDINGS.get(base, base)} ({limit})" if limit else FINDINGS.get(id, id)


def _result(row: Outcome, finding: Finding, ids: list[str], prefix: str) -> dict[str, Any]:
    spots = [spot for spot in finding.spots if inside(spot)] or ([row.spot] if row.spot is not None else [])
    result = {
        "ruleId": finding.rule,
        "ruleIndex": ids.index(finding.rule),
        "level": "warning" if row.exit_code == 3 else "error",
        "message": {"text": clean(f"{row.name}: {finding.message}")},
        "locations": [_location(spot, prefix, finding.paths) for spot in spots[:1]],
        "partialFingerprints": {"scanir/v1": finding.fingerprint(row.name)},
    }
    if spots[1:]:
        result["relatedLocations"] = [
            {"id": number, **_location(spot, prefix), "message": {"text": spot.label or "the other side"}}
            for number, spot in enumerate(spots[1:], 1)
        ]
    return result


def _location(spot: Spot, prefix: str, paths: tuple[str, ...] = ()) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": quote(prefix + spot.file), "uriBaseId": "SRCROOT"}}
    if spot.line:
        physical["region"] = {"startLine": spot.line}
    logical = [{"fullyQualifiedName": clean(path)} for path in dict.fromkeys(paths) if path]
    return {"physicalLocation": physical, **({"logicalLocations": logical} if logical else {})}
