"""``scanir show``: print a program at a stage."""

from __future__ import annotations

import click

from scanir.cli.options import (
    ARGS_FROM_HELP,
    ARGS_HELP,
    CONTEXT,
    given_arguments,
    import_option,
    stage_option,
    stdout_is_for_the_report,
    traceback_option,
    under_option,
)


@click.command("show", context_settings=CONTEXT, short_help="Print a program at a stage.")
@click.argument("target")
@stage_option
@click.option("--normalized", is_flag=True, help="In normal form: what a comparison sees.")
@click.option("--args", "args", metavar="ARGS", help=ARGS_HELP)
@click.option("--args-from", metavar="NAME", help=ARGS_FROM_HELP)
@under_option
@import_option
@traceback_option
def command(
    target: str, stage: str, normalized: bool, args: str | None, args_from: str | None, under: tuple[str, ...]
) -> None:
    """Print TARGET at a stage, as text that scanir diff reads back.

    TARGET is what scanir diff takes. Exit codes: 0, or 2 for an error.
    """
    from scanir import api

    given = given_arguments(args, args_from)
    with stdout_is_for_the_report():
        text = api.show(target, stage=stage, normalized=normalized, args=given, under=under)
    click.echo(text.rstrip("\n"))
