"""``scanir check``: make the checks that a file lists."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanir.cli.options import CONTEXT, traceback_option, use_color
from scanir.cli.reports import format_options, formats, write_reports

if TYPE_CHECKING:
    from scanir.gate.plan import Check
    from scanir.outcome import Outcome, Outcomes

    Tell = Callable[[int, Outcome | None], None]

_EPILOG = """\b
Exit codes, of the checks that say most:
  2    a check could not be made, or the file is wrong
  1    a check failed
  3    a check is inconclusive
  0    all passed
  130  interrupted (Ctrl-C)"""


@click.command(
    "check", context_settings=CONTEXT, epilog=_EPILOG, short_help="Make the checks that a file lists: the gate for CI."
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes side by side; one a core.")
@click.option("--file", "file", metavar="FILE", help="The file that lists the checks, in place of the nearest one.")
@click.option(
    "--twice",
    "again",
    is_flag=True,
    help="Instead make each program twice, in two processes of unlike hash seeds and in one, and say what differs.",
)
@format_options
@traceback_option
def command(
    names: tuple[str, ...], jobs: int | None, file: str | None, again: bool, format_: str, color: str,
    reports: tuple[tuple[str, str], ...],
) -> int:  # fmt: skip
    """Make all checks of [tool.scanir] in pyproject.toml, or of scanir.toml, or those of these NAMEs (step, 'loss-*').

    The nearest such file counts, of this directory or one above; targets are relative to it. Rules are stricter than
    those of scanir diff: what a check does not allow by name counts, of bindings, interface, donation and sharding.
    """
    from scanir.gate.config import find_file, read_plan
    from scanir.gate.twice import twice
    from scanir.gate.workers import make_all
    from scanir.outcome import Outcomes
    from scanir.render.check import check_details
    from scanir.render.check_json import render_check_json

    plan = read_plan(Path(file).absolute() if file is not None else find_file(Path.cwd()))
    checks = twice(plan.chosen(names)) if again else plan.chosen(names)
    colored = use_color(color)
    with watched(checks, lines=format_ == "text", colored=colored) as tell:
        rows = make_all(plan, checks, jobs or len(os.sched_getaffinity(0)), tell)
    outcomes = Outcomes(plan.file.name, rows)
    made = {
        "text": lambda: _text(checks, outcomes),
        "json": lambda: render_check_json(outcomes),
        **formats(outcomes, plan.file.parent),
    }
    if format_ == "text":
        click.echo(check_details(outcomes, color=colored), nl=False, color=colored)
    else:
        click.echo(made[format_](), nl=format_ == "json")
    write_reports(reports, made)
    return outcomes.exit_code


def _text(checks: Sequence[Check], outcomes: Outcomes) -> str:
    """All that is printed as text, in one."""
    from scanir.render.check import check_details, check_line

    widest = max(len(check.name) for check in checks)
    return "".join(check_line(row, widest) for row in outcomes.rows) + check_details(outcomes)


@contextlib.contextmanager
def watched(checks: Sequence[Check], *, lines: bool, colored: bool) -> Iterator[Tell]:
    """Print a line for each check in the order of the file, as early as that order allows; on a terminal also say what
    is being made."""
    from scanir.render.check import check_line

    widest = max(len(check.name) for check in checks)
    done: dict[int, Outcome] = {}
    printed = 0

    def tell(number: int, outcome: Outcome | None) -> None:
        nonlocal printed
        if outcome is not None:
            done[number] = outcome
        while lines and printed in done:
            click.echo(check_line(done[printed], widest, color=colored), nl=False, color=colored)
            printed += 1
        sys.stdout.flush()

    if not sys.stderr.isatty():
        yield tell
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", total=len(checks))
        running: dict[int, str] = {}

        def shown(number: int, outcome: Outcome | None) -> None:
            if outcome is None:
                running[number] = checks[number].name
            else:
                running.pop(number, None)
                bar.advance(task)
            bar.update(task, description=_plain(", ".join(running.values())))
            if sys.stdout.isatty() and lines and outcome is not None:
                bar.stop()  # the line goes where the bar stands
                tell(number, outcome)
                bar.start()
            else:
                tell(number, outcome)

        yield shown


def _plain(text: str) -> str:
    """Text for rich, which reads brackets as markup."""
    from rich.markup import escape

    return escape(text)
