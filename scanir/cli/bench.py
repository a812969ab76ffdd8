"""``scanir bench``: measure programs in turns, and say whether they differ."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanir.cli.options import (
    ARGS_FROM_HELP,
    ARGS_HELP,
    CONTEXT,
    given_arguments,
    import_option,
    report_options,
    stage_option,
    stdout_is_for_the_report,
    traceback_option,
    use_color,
    width,
)
from scanir.errors import ArgumentError, ScanirError

if TYPE_CHECKING:
    from scanir.measured.result import Bench, Lengths

EXIT_CODES = """\b
Exit codes:
  0    measured
  2    usage error, a target that cannot be made or run, or a crash
  130  interrupted (Ctrl-C)
  141  the reader of the output went away"""


@click.command("bench", context_settings=CONTEXT, epilog=EXIT_CODES, short_help="Measure programs in turns.")
@click.argument("targets", nargs=-1, required=True)
@stage_option
@click.option("--args", "args", metavar="ARGS", help=f"{ARGS_HELP} For all that have none of their own.")
@click.option("--args-from", metavar="NAME", help=ARGS_FROM_HELP)
@click.option("--under", default="", metavar="TRANSFORM", help="Measure all of them under this transform, as in diff.")
@click.option("--config", multiple=True, metavar="KEY=VALUE", help="Set a setting of JAX for all of them.")
@click.option("--compiler-option", "compiler_options", multiple=True, metavar="KEY=VALUE",
              help="Compile all of them with this option.")  # fmt: skip
@click.option("--length", metavar="N,N,...", help="Measure each kind of loop of a family at these lengths.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
              help="About how long to measure: 30, with --length 10 for each length.")  # fmt: skip
@click.option("--rounds", type=click.IntRange(min=1), default=200, show_default=True, help="Rounds at most.")
@click.option("--limit", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
              help="Leave out what takes longer to be made and called once: none, with --length 20.")  # fmt: skip
@click.option("--plot", type=click.Path(dir_okay=False), metavar="FILE.svg", help="Draw what was measured.")
@report_options
@import_option
@traceback_option
def command(
    targets: tuple[str, ...], stage: str, args: str | None, args_from: str | None, under: str, config: tuple[str, ...],
    compiler_options: tuple[str, ...], length: str | None, seconds: float | None, rounds: int, limit: float | None,
    plot: str | None, format_: str, color: str,
) -> int:  # fmt: skip
    """Measure TARGETS in turns: trace, lower, compile, first call and run time, and memory, beside verdict and costs.

    \b
    scanir bench lambda carry
    scanir bench old.py:step new.py:step --args 'f32[128,128]' --plot step.svg
    scanir bench fibonacci --length 10,100,1000,10000

    Every round compiles each program afresh and runs it, in an order drawn by lot. A difference is told only where
    measuring shows one; else it says "no measurable difference".
    """
    from scanir import api
    from scanir.render.bench import render_bench, render_lengths
    from scanir.render.bench_json import render_bench_json

    found: Bench | Lengths
    with _bar() as progress, stdout_is_for_the_report():
        if length is not None:
            if len(targets) != 1 or args or args_from or under or config or compiler_options:
                raise click.UsageError(
                    "--length measures one built-in family, with nothing else: fibonacci, sum, factorial"
                )
            found = api.bench_lengths(targets[0], _lengths(length), seconds=seconds or 10, rounds=rounds,
                                      limit=limit or 20, progress=progress)  # fmt: skip
        else:
            # A text is read where the programs are made, under the settings that they have.
            given = args if args_from is None else given_arguments(args, args_from)
            found = api.bench(
                targets, *(() if given is None else (given,)), stage=stage, under=under, config=config,
                compiler_options=compiler_options, seconds=seconds or 30, rounds=rounds, limit=limit, progress=progress,
            )  # fmt: skip
    if plot is not None:
        _draw(found, plot)
    if format_ == "json":
        click.echo(render_bench_json(found))
        return 0
    colored = use_color(color)
    render = render_lengths if length is not None else render_bench
    click.echo(render(found, color=colored, width=width()), nl=False, color=colored)  # type: ignore[arg-type]
    return 0


def _lengths(text: str) -> list[int]:
    parts = [part.strip().replace("_", "") for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise ArgumentError(f"{text!r} is no list of lengths", hint="--length 10,100,1000")
    return [int(part) for part in parts]


def _draw(found: Bench | Lengths, path: str) -> None:
    from scanir.render.plot import plot

    try:
        Path(path).write_text(plot(found), encoding="utf-8")
    except OSError as problem:
        raise ScanirError(f"{path} cannot be written: {problem.strerror}", hint="name another file") from problem


@contextlib.contextmanager
def _bar() -> Iterator[Callable[[str, float], None]]:
    """A bar on stderr for a person who is watching; nothing else."""
    if not sys.stderr.isatty():
        yield lambda what, done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, console=Console(file=sys.stderr), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("starting", total=1.0)
        yield lambda what, done: bar.update(task, description=what, completed=done)
