"""``scanir baseline``: write, list, prune and report the files that baselines are compared with."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scanir.cli.options import CONTEXT, traceback_option

if TYPE_CHECKING:
    from scanir.gate.plan import Baseline, Check, Plan
    from scanir.outcome import Outcome

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_FILE = click.option("--file", "file", metavar="FILE", help="The file that lists the baselines.")
_JOBS = click.option(
    "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes side by side; one a core."
)
_NAMES = click.argument("names", nargs=-1, metavar="[NAME]...")


@click.group("baseline", context_settings=CONTEXT, short_help="Write the files that programs are checked against.")
@traceback_option
def command() -> None:
    """Baselines: what a program was, in a .scanir file under __scanir__ beside the file that lists the checks.

    \b
    scanir baseline update            write all that are new or changed
    scanir check                      compare each program with its file
    scanir baseline report            what an upgrade changed, grouped by the same change
    """


@command.command("update", context_settings=CONTEXT)
@_NAMES
@_JOBS
@_FILE
@traceback_option
def update(names: tuple[str, ...], jobs: int | None, file: str | None) -> int:
    """Write the files of all [[tool.scanir.baselines]], or those of these NAMEs (step, 'loss-*').

    A file is there as a whole or as it was, whatever happens. Exit codes: 0, or 2 where one could not be written.
    """
    from scanir.gate.plan import Update
    from scanir.outcome import worst
    from scanir.render.baselines import updated

    plan, baselines = _chosen(file, names)
    rows = _made(plan, [Update(baseline) for baseline in baselines], jobs)
    click.echo(updated(rows), nl=False)
    for row in rows:
        if row.exit_code:
            click.echo(f"\n{row.name}  {row.report}", err=True, nl=False)
    return worst(row.exit_code for row in rows)


@command.command("list", context_settings=CONTEXT)
@_FILE
@traceback_option
def list_(file: str | None) -> None:
    """List all baselines with their files, and files that no baseline has."""
    from scanir.gate.files import stale, states
    from scanir.render.baselines import listed

    plan, baselines = _chosen(file, ())
    click.echo(listed(states(plan.directory, baselines), stale(plan.directory, baselines)), nl=False)


@command.command("prune", context_settings=CONTEXT)
@_FILE
@traceback_option
def prune(file: str | None) -> None:
    """Remove the files under __scanir__ that no baseline has."""
    from scanir.gate.files import remove, stale

    plan, baselines = _chosen(file, ())
    for name in stale(plan.directory, baselines):
        remove(plan.directory, name)
        click.echo(f"removed {name}")


@command.command("report", context_settings=CONTEXT)
@_NAMES
@_JOBS
@_FILE
@traceback_option
def report(names: tuple[str, ...], jobs: int | None, file: str | None) -> int:
    """Say which programs are not what their baselines say, grouped by the same change.

    Exit codes: those of scanir check.
    """
    from scanir.gate.upgrade import SHOWN, groups
    from scanir.outcome import worst
    from scanir.render.baselines import grouped

    plan, baselines = _chosen(file, names)
    rows = _made(plan, baselines, jobs)
    found = [(group.word, group.names, group.changes, group.notes) for group in groups(rows)]
    click.echo(grouped(found, SHOWN), nl=False)
    return worst(row.exit_code for row in rows)


def _chosen(file: str | None, names: tuple[str, ...]) -> tuple[Plan, list[Baseline]]:
    """The plan, and the baselines that are named in it. Raises ConfigError."""
    from scanir.errors import ConfigError
    from scanir.gate.config import find_file, read_plan
    from scanir.gate.plan import Baseline

    plan = read_plan(Path(file).absolute() if file is not None else find_file(Path.cwd()))
    found = [check for check in plan.chosen(names) if isinstance(check, Baseline)]
    if not found:
        hint = 'write [[tool.scanir.baselines]] with name = "step", target = "step.py:step", args = "f32[8]"'
        raise ConfigError("there is no baseline of these names" if names else "there are no baselines",
                          where=plan.file.name, hint=hint)  # fmt: skip
    return plan, found


def _made(plan: Plan, checks: Sequence[Check], jobs: int | None) -> tuple[Outcome, ...]:
    """The outcomes, with a display of what is being made on a terminal."""
    from scanir.cli.check import watched
    from scanir.gate.workers import make_all

    with watched(checks, lines=False, colored=False) as tell:
        return make_all(plan, checks, jobs or len(os.sched_getaffinity(0)), tell)
