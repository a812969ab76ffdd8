"""``scanir trace``: save a program at its stages, for later and for others."""

from __future__ import annotations

import click

from scanir.cli.options import (
    ARGS_FROM_HELP,
    ARGS_HELP,
    CONTEXT,
    given_arguments,
    import_option,
    stdout_is_for_the_report,
    traceback_option,
)


@click.command("trace", context_settings=CONTEXT, short_help="Save a program at all its stages.")
@click.argument("target")
@click.option("--stage", default="all", show_default=True, metavar="STAGE", help="As for scanir diff.")
@click.option("--args", "args", metavar="ARGS", help=ARGS_HELP)
@click.option("--args-from", metavar="NAME", help=ARGS_FROM_HELP)
@click.option(
    "--constants", type=click.Choice(("values", "digest")), default="values", show_default=True,
    help="Large constants in full, or by type and SHA-256 alone.",
)  # fmt: skip
@click.option(
    "-o", "--output", metavar="FILE", help="The file to write, compressed if its name ends with .gz; stdout without."
)
@import_option
@traceback_option
def command(
    target: str, stage: str, args: str | None, args_from: str | None, constants: str, output: str | None
) -> None:
    """Save TARGET, with its arguments and source lines, as a .scanir file: one text with all stages, which is a target
    itself.

    \b
    scanir trace pkg.step:f --args 'f32[3]' -o step.scanir
    scanir diff step.scanir pkg.step:f

    TARGET is what scanir diff takes. The file is there as a whole or not at all. Exit codes: 0, or 2 for an error.
    """
    from scanir import api

    given = given_arguments(args, args_from)
    with stdout_is_for_the_report():
        found = api.trace(target, *(() if given is None else (given,)), stage=stage)
    if output is None or output == "-":
        click.echo(found.text(constants=constants), nl=False)
    else:
        found.save(output, constants=constants)
