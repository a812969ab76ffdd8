"""``scanir classes``: which of many programs are one program."""

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
    rules_options,
    stage_option,
    stdout_is_for_the_report,
    traceback_option,
    width,
)


@click.command("classes", context_settings=CONTEXT, epilog=EXIT_CODES, short_help="Sort many programs into classes.")
@click.argument("targets", nargs=-1, required=True, metavar="TARGET|FILE.py|DIR...")
@stage_option
@click.option("--args", "args", metavar="ARGS", help=f"{ARGS_HELP} For all that have none of their own.")
@click.option("--args-from", metavar="NAME", help=ARGS_FROM_HELP)
@rules_options
@click.option(
    "--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="Of the report on stdout; JSON names every program.",
)  # fmt: skip
@import_option
@traceback_option
def command(
    targets: tuple[str, ...], stage: str, args: str | None, args_from: str | None, allow: tuple[str, ...],
    forbid: tuple[str, ...], strict: bool, format_: str,
) -> int:  # fmt: skip
    """Say which of many programs are one program, and which are nearly one: all but shapes, constants or weak types.

    \b
    scanir classes DIR      modules of a dump of JAX or XLA, or any files of IR
    scanir classes m.py     the functions of a file: --args 'f32[8]'
    scanir classes rollout  a family of strategies, or any targets

    Compares no pair that could not be equal, so a thousand modules take little longer than reading them. The exit code
    is 0, or 2 where something cannot be read.
    """
    from scanir import api
    from scanir.render.classes import render_classes, render_classes_json

    found = given_arguments(args, args_from)
    progress(f"sorting the programs of {len(targets)} targets")
    with stdout_is_for_the_report():
        answer = api.classes(targets, *(() if found is None else (found,)), stage=stage, allow=allow, forbid=forbid,
                             strict=strict)  # fmt: skip
    click.echo(render_classes_json(answer) if format_ == "json" else render_classes(answer, width=width()),
               nl=format_ == "json")  # fmt: skip
    return answer.exit_code
