"""``scanir matrix``: compare many variants with one another."""

from __future__ import annotations

import click

from scanir.cli.options import (
    ARGS_FROM_HELP,
    ARGS_HELP,
    CONTEXT,
    EXIT_CODES,
    given_arguments,
    import_option,
    progress,
    report_options,
    rules_options,
    stage_option,
    stdout_is_for_the_report,
    traceback_option,
    use_color,
    width,
)


@click.command("matrix", context_settings=CONTEXT, epilog=EXIT_CODES, short_help="Compare many programs at once.")
@click.argument("targets", nargs=-1, required=True)
@stage_option
@click.option("--args", "args", metavar="ARGS", help=f"{ARGS_HELP} For all that have none of their own.")
@click.option("--args-from", metavar="NAME", help=ARGS_FROM_HELP)
@rules_options
@report_options
@import_option
@traceback_option
def command(
    targets: tuple[str, ...], stage: str, args: str | None, args_from: str | None, allow: tuple[str, ...],
    forbid: tuple[str, ...], strict: bool, format_: str, color: str,
) -> int:  # fmt: skip
    """Compare every pair of TARGETS, and group those that are one program.

    TARGETS are what scanir diff takes, and names of families of strategies (see scanir list): scanir matrix rollout.
    The exit code is that of the worst pair.
    """
    from scanir import api
    from scanir.render.matrix import render_matrix, render_matrix_json

    found = given_arguments(args, args_from)
    given = () if found is None else (found,)
    progress(f"comparing {len(targets)} targets at {stage}")
    with stdout_is_for_the_report():
        answer = api.matrix(targets, *given, stage=stage, allow=allow, forbid=forbid, strict=strict)
    if format_ == "json":
        click.echo(render_matrix_json(answer))
    else:
        colored = use_color(color)
        click.echo(render_matrix(answer, color=colored, width=width()), nl=False, color=colored)
    return answer.exit_code
