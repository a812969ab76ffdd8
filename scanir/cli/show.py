"""``scanir show``: print a program at a stage, a part of it, or facts about it."""

from __future__ import annotations

from typing import Any

import click

from scanir.cli.facts import facts_options, request_of
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
    under_option,
    use_color,
    width,
)
from scanir.errors import ArgumentError


@click.command("show", context_settings=CONTEXT, short_help="Print a program at a stage, or facts about it.")
@click.argument("target", required=False)
@stage_option
@click.option("--normalized", is_flag=True, help="In normal form: what a comparison sees.")
@click.option("--args", "args", metavar="ARGS", help=ARGS_HELP)
@click.option("--args-from", metavar="NAME", help=ARGS_FROM_HELP)
@under_option
@facts_options
@report_options
@import_option
@traceback_option
def command(
    target: str | None, stage: str, normalized: bool, args: str | None, args_from: str | None, under: tuple[str, ...],
    format_: str, color: str, **asked: Any,
) -> None:  # fmt: skip
    """Print TARGET at a stage, as text that scanir diff reads back; or, where an option asks for it, a part of it or a
    table of facts.

    TARGET is what scanir diff takes. Selections hold together. Exit codes: 0, or 2 for an error.
    """
    from scanir import api

    name, request = request_of(target, asked)
    given = given_arguments(args, args_from)
    if request is None:
        if format_ == "json":
            raise ArgumentError("a whole program is printed as text alone", hint="--format json is for tables")
        with stdout_is_for_the_report():
            text = api.show(name, stage=stage, normalized=normalized, args=given, under=under)
        click.echo(text.rstrip("\n"))
        return
    with stdout_is_for_the_report():
        reports = api.ask(name, request, stage=stage, normalized=normalized, args=given, under=under)
    if format_ == "json":
        from scanir.render.facts_json import render_reports_json

        click.echo(render_reports_json(reports))
        return
    from scanir.render.facts import render_reports

    colored = use_color(color)
    click.echo(render_reports(reports, color=colored, width=width()), nl=False, color=colored)
