"""Reports in the formats of CI: one on stdout by ``--format``, any number in files by ``--report FORMAT=FILE``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanir.cli.options import Decorated, write_text

if TYPE_CHECKING:
    from scanir.outcome import Outcomes

#: Formats that both a comparison and a file of checks have.
FORMATS = ("text", "json", "github", "sarif", "junit", "markdown")
Made = Callable[[], str]


class _Report(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    name = "FORMAT=FILE"

    def convert(
        self, value: str | tuple[str, str], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        form, _, file = value.partition("=")
        if form not in FORMATS or not file:
            self.fail(f"{value!r} is no FORMAT=FILE; formats: {', '.join(FORMATS)}", param, ctx)
        return form, file


def format_options(function: Decorated) -> Decorated:
    """``--format``, ``--report`` and ``--color``."""
    color = click.option(
        "--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True,
        help="Colour of the report; auto follows NO_COLOR and the terminal.",
    )  # fmt: skip
    report = click.option(
        "--report", "reports", type=_Report(), multiple=True, metavar="FORMAT=FILE",
        help="Write the report to a file, too: sarif=scanir.sarif. May be repeated.",
    )  # fmt: skip
    form = click.option(
        "--format", "format_", type=click.Choice(FORMATS), default="text", show_default=True,
        help="Of the report on stdout; github makes annotations.",
    )  # fmt: skip
    return form(report(color(function)))


def formats(outcomes: Outcomes, directory: Path) -> dict[str, Made]:
    """What makes each format of CI; ``directory`` is where files of the outcomes are named from."""
    from scanir import __version__
    from scanir.render.github import render_github
    from scanir.render.junit import render_junit
    from scanir.render.markdown import render_markdown
    from scanir.render.sarif import render_sarif

    prefix = _prefix(directory)
    return {
        "github": lambda: render_github(outcomes, prefix),
        "sarif": lambda: render_sarif(outcomes, __version__, prefix),
        "junit": lambda: render_junit(outcomes),
        "markdown": lambda: render_markdown(outcomes),
    }


def write_reports(reports: tuple[tuple[str, str], ...], made: dict[str, Made]) -> None:
    """Write each report to its file. Raises ScanirError."""
    for form, file in reports:
        text = made[form]()
        write_text(file, text if text.endswith("\n") else f"{text}\n")


def _prefix(directory: Path) -> str:
    """The way from the checkout, which CI systems name files from, to a directory; empty where that is no checkout."""
    root = os.environ.get("GITHUB_WORKSPACE", "")
    here = directory.resolve()
    top = Path(root).resolve() if root else next((d for d in (here, *here.parents) if (d / ".git").exists()), here)
    way = os.path.relpath(here, top)
    return "" if way == "." or way.startswith("..") else f"{Path(way).as_posix()}/"
