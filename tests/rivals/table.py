"""The comparison as a table for people, and its place in the page."""

from __future__ import annotations

import platform
from importlib.metadata import version

from tests.rivals.measure import Counts
from tests.rivals.tools import TOOLS

BEGIN, END = "<!-- made by make soundness -->", "<!-- end of what make soundness makes -->"
_NAMES = {
    "text": "plain text", "stripped": "text after regular expressions", "canonical": "XLA's canonical print",
    "fingerprint": "XLA's fingerprint print", "scanir": "**scanir**",
}  # fmt: skip


def page(counts: Counts) -> str:
    """The table in Markdown, with the versions that it was made with."""
    lines = [
        "| dialect | tool | mutants | called the same | of these, execution shows other results "
        "| equal by construction | called different | pairs of strategies | called different |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for dialect, tools in TOOLS.items():
        for tool in tools:
            n = {what: counts[dialect, tool, what] for what in _COUNTED}
            lines.append(
                f"| {dialect} | {_NAMES[tool]} | {n['mutants']:,} | {_share(n['same'], n['mutants'])} | {n['shown']} "
                f"| {n['pairs']} | {_share(n['different'], n['pairs'])} | {n['family']} "
                f"| {_share(n['family different'], n['family'])} |"
            )
    left_out = sum(counts[dialect, "scanir", "undecided"] for dialect in TOOLS)
    lines += ["", f"Made with {versions()}. Mutants that scanir calls equal and that cannot be run here: {left_out}."]
    return "\n".join(lines)


_COUNTED = ("mutants", "same", "shown", "pairs", "different", "family", "family different")


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / max(1, whole):.1f} %)"


def versions() -> str:
    return f"Python {platform.python_version()}, JAX {version('jax')}, jaxlib {version('jaxlib')}"


def put(text: str, made: str) -> str:
    """The page with the table in its place."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{made}\n{END}{after}"


def wrong(counts: Counts) -> int:
    """How often scanir called a mutant the same."""
    return sum(counts[dialect, "scanir", "same"] for dialect in TOOLS)
