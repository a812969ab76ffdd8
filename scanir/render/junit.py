"""The answers of checks as JUnit has them, which most CI systems show: a test case each."""

from __future__ import annotations

from xml.etree import ElementTree

from scanir.outcome import Outcome, Outcomes
from scanir.render.words import clean


def render_junit(outcomes: Outcomes) -> str:
    """The XML document. What cannot be made is an error; all else that does not pass is a failure."""
    codes = [row.exit_code for row in outcomes.rows]
    counts = {"tests": len(codes), "failures": sum(code in (1, 3) for code in codes), "errors": codes.count(2)}
    said = {name: str(number) for name, number in counts.items()}
    root = ElementTree.Element("testsuites", said)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "scanir", **said, "skipped": "0"})
    for row in outcomes.rows:
        _case(suite, row)
    ElementTree.indent(root)
    return f"{ElementTree.tostring(root, encoding='unicode', xml_declaration=True)}\n"


def _case(suite: ElementTree.Element, row: Outcome) -> None:
    where = {} if row.spot is None else {"file": clean(row.spot.file), "line": str(row.spot.line)}
    case = ElementTree.SubElement(
        suite, "testcase", {"classname": f"scanir.{row.kind}", "name": clean(row.name), **where}
    )
    if row.exit_code:
        rule = row.findings[0].rule if row.findings else row.word.lower()
        kind = "error" if row.exit_code == 2 else "failure"
        made = ElementTree.SubElement(case, kind, {"type": clean(rule), "message": clean(row.summary)})
        made.text = "\n".join(clean(line) for line in row.report.splitlines())
    if row.notes:
        ElementTree.SubElement(case, "system-out").text = "\n".join(clean(note) for note in row.notes)
