"""Facts about a program as JSON: the fields of `scanir.facts`' data classes by their names, which stay.

Every field is always there. Promises plain data without an absolute path: same input, same bytes.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from scanir.facts.request import Report
from scanir.render.words import place
from scanir.result import SCHEMA_VERSION

#: Fields that hold the path of a source file.
_FILES = frozenset({"file", "first_file", "second_file"})


def reports_to_json(reports: Sequence[Report]) -> dict[str, Any]:
    """The object: the target, and one answer a stage."""
    return {
        "schema_version": SCHEMA_VERSION,
        "target": reports[0].target if reports else "",
        "answers": [
            {"stage": report.stage, "under": report.under, "what": report.what, **plain(report.answer)}
            for report in reports
        ],
    }


def render_reports_json(reports: Sequence[Report]) -> str:
    """The text of the JSON object: ASCII, so that it is the same under every locale."""
    return json.dumps(reports_to_json(reports), indent=2, ensure_ascii=True, allow_nan=False)


def plain(value: Any) -> Any:
    """A data class as an object, a tuple as a list, anything else as it is. Answers nest a few levels, never deeper."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return {name: place(getattr(value, name)) if name in _FILES else plain(getattr(value, name)) for name in names}
    return [plain(item) for item in value] if isinstance(value, tuple) else value
