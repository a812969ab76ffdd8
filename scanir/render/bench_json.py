"""A bench as JSON: each sample, medians and quartiles, the ratios, and what the report says of them."""

from __future__ import annotations

import json
from typing import Any

from scanir.measured.ratios import ERROR, Ratio
from scanir.measured.result import Bench, Comparison, Lengths, Row
from scanir.render.bench import headlines, verdict
from scanir.render.matrix import matrix_to_json


def bench_to_json(bench: Bench) -> dict[str, Any]:
    names = [row.name for row in bench.rows]
    return {
        "schema_version": 1,
        "platform": bench.platform,
        "rounds": bench.rounds,
        "confidence": 1 - ERROR,
        "statements": bench.statements,
        "summary": headlines(bench),
        "rows": [_row(row) for row in bench.rows],
        "comparisons": [_comparison(found, names) for found in bench.comparisons],
        "control": None if bench.control is None else _comparison(bench.control, names),
        "matrix": None if bench.matrix is None else matrix_to_json(bench.matrix),
    }


def lengths_to_json(found: Lengths) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "family": found.family,
        "lengths": list(found.lengths),
        "benches": [bench_to_json(bench) for bench in found.benches],
    }


def _row(row: Row) -> dict[str, Any]:
    memory = row.memory
    return {
        "name": row.name,
        "missing": row.missing or None,
        "seconds": {
            metric: {"median": timing.median, "quartiles": [timing.low, timing.high]} for metric, timing in row.timings
        },
        "samples": {metric: list(values) for metric, values in row.samples},
        "memory": {
            "planned": memory.planned,
            "code": memory.code,
            "compile": memory.compile,
            "run": memory.run,
            "device": memory.device,
        },
    }


def _comparison(found: Comparison, names: list[str]) -> dict[str, Any]:
    ours, theirs = names[found.row], names[found.against]
    return {
        "row": ours,
        "against": theirs,
        "ratios": {metric: _ratio(value, ours, theirs) for metric, value in found.ratios},
    }


def _ratio(found: Ratio, ours: str, theirs: str) -> dict[str, Any]:
    return {
        "estimate": found.estimate,
        "low": found.low if found.known else None,
        "high": found.high if found.known else None,
        "differs": found.differs,
        "says": verdict(found, ours, theirs),
    }


def render_bench_json(found: Bench | Lengths) -> str:
    document = bench_to_json(found) if isinstance(found, Bench) else lengths_to_json(found)
    return json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False)
