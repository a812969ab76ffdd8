"""The findings of checks as annotations of GitHub: one line each, on the person's line.

GitHub shows ten annotations of a step, so there are at most nine and one that counts the rest. A file outside of the
checkout is named in the message and annotates nothing.
"""

from __future__ import annotations

from scanir.outcome import Finding, Outcome, Outcomes, Spot
from scanir.render.words import clean

#: Annotations before the one that counts the rest.
MOST = 9


def render_github(outcomes: Outcomes, prefix: str = "") -> str:
    """The workflow commands, then a line that counts. ``prefix``: the way from the checkout to the file of checks."""
    found = sorted(outcomes.findings(), key=lambda pair: pair[0].exit_code == 3)
    lines = [annotation(row, finding, prefix) for row, finding in found[:MOST]]
    if len(found) > MOST:
        lines.append(f"::error title=scanir::{len(found) - MOST} more findings, in the log of this step")
    return "".join(f"{line}\n" for line in lines)


def annotation(row: Outcome, finding: Finding, prefix: str = "") -> str:
    """One workflow command."""
    spot = next((spot for spot in finding.spots if inside(spot)), row.spot)
    fields = [] if spot is None else [f"file={_property(clean(prefix + spot.file))}"]
    fields += [f"line={spot.line}"] if spot is not None and spot.line else []
    fields.append(f"title={_property(f'scanir {row.kind} {clean(row.name)}')}")
    others = [clean(str(other)) for other in finding.spots if other != spot]
    more = f" (also {', '.join(others)})" if others else ""
    level = "warning" if row.exit_code == 3 else "error"
    return f"::{level} {','.join(fields)}::{_data(clean(finding.message) + more)}"


def inside(spot: Spot) -> bool:
    """Whether a spot is in a file below the file of checks, whose way there is known."""
    return bool(spot.file) and not spot.file.startswith(("...", "/", ".."))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
