"""``scanir diff``: compare two programs."""

from __future__ import annotations

import textwrap
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    run_options,
    settings_options,
    stage_option,
    stdout_is_for_the_report,
    traceback_option,
    under_option,
    use_color,
    width,
    write_json,
)
from scanir.cli.reports import FORMATS, Made, format_options, formats, write_reports
from scanir.errors import TargetError
from scanir.normalize.rules import RULES

if TYPE_CHECKING:
    from scanir.result import Diff
    from scanir.targets.arguments import Arguments


#: Behind the options: what they may name, and how the command ends.
_NAMES = textwrap.fill(", ".join(RULES), 76, break_on_hyphens=False)
_EPILOG = f"\b\nRules and classes:\n{_NAMES}\n\n{EXIT_CODES}"


@click.command("diff", context_settings=CONTEXT, epilog=_EPILOG, short_help="Compare two programs.")
@click.argument("a")
@click.argument("b")
@stage_option
@click.option("--args", "args", metavar="ARGS", help=f"{ARGS_HELP} For both sides.")
@click.option("--args-a", metavar="ARGS", help="The same, for A alone.")
@click.option("--args-b", metavar="ARGS", help="The same, for B alone.")
@click.option("--args-from", metavar="NAME", help=f"{ARGS_FROM_HELP} For both sides.")
@click.option("--args-from-a", metavar="NAME", help="The same, for A alone.")
@click.option("--args-from-b", metavar="NAME", help="The same, for B alone.")
@under_option
@settings_options
@rules_options
@click.option(
    "--scope",
    type=click.Choice(["program", "loops"]),
    default="program",
    show_default=True,
    help="What the verdict is about: the program, or its pairs of loops alone.",
)
@format_options
@click.option("--stat", is_flag=True, help="Count the ops that differ, a line a region.")
@click.option(
    "-U",
    "--unified",
    "around",
    type=click.IntRange(min=0),
    metavar="N",
    help="List the ops that differ, with N unchanged ones around them; side by side where the terminal is wide.",
)
@click.option("--side-by-side/--inline", "beside", default=None, help="How -U lists them; alone as with -U 3.")
@run_options
@click.option("--certificate", metavar="FILE", help="Write a certificate of the answer, for scanir verify.")
@click.option("--paranoid", is_flag=True, help="Have the checker accept the answer before it is printed.")
@import_option
@traceback_option
def command(
    a: str, b: str, stage: str, args: str | None, args_a: str | None, args_b: str | None, args_from: str | None,
    args_from_a: str | None, args_from_b: str | None, allow: tuple[str, ...], forbid: tuple[str, ...], strict: bool,
    scope: str, format_: str, color: str, reports: tuple[tuple[str, str], ...], under: tuple[str, ...],
    certificate: str | None, paranoid: bool, run: int | None, run_timeout: float, stat: bool, around: int | None,
    beside: bool | None, **settings: tuple[str, ...],
) -> int:  # fmt: skip
    """Say whether A and B are the same program, and if not, where they first differ.

    A and B are strategies (see scanir list), pkg.module:function, path/to/file.py:function, or files of HLO or
    StableHLO. A function is traced with the arguments given, else with its own example; it is run
    with --run alone.
    """
    from scanir import api

    if a == b == "-":
        raise TargetError("standard input holds one program, not two", hint="give one side as a file or by name")
    from scanir.targets.dumped import is_directory

    if is_directory(a) and is_directory(b):
        if any(
            (args, args_a, args_b, args_from, args_from_a, args_from_b, under, run, certificate, *settings.values())
        ):
            raise click.UsageError("two directories are compared as they are: arguments and settings are for functions")
        return _directories(a, b, stage, (allow, forbid, strict), format_, color, reports)
    made: dict[str, Any] = {name: texts for name, texts in settings.items() if texts}
    # Under settings of their own (jax_enable_x64, say) arguments are read where the sides are made.
    by_side: dict[str, Arguments | str | None] = {
        side: text if made and text is not None and source is None else given_arguments(text, source, side)
        for side, text, source in (("", args, args_from), ("-a", args_a, args_from_a), ("-b", args_b, args_from_b))
    }
    given_a, given_b = (by_side[""] if by_side[side] is None else by_side[side] for side in ("-a", "-b"))
    if run is not None:
        made |= {"run": run, "run_timeout": run_timeout}
    progress(f"comparing {a} and {b} at {stage}")
    with stdout_is_for_the_report():
        answer = api.diff(
            a, b, stage=stage, allow=allow, forbid=forbid, strict=strict, scope=scope, args_a=given_a, args_b=given_b,
            under=under, **made,
        )  # fmt: skip
    if paranoid or certificate is not None:
        _certified(answer, certificate, paranoid=paranoid)
    colored, columns = use_color(color), width()
    more = _listed(answer, stat, around, beside, columns)
    made = _formats(answer, a, b, more, columns)
    if format_ == "text":
        from scanir.render.plain import plain

        text = None if colored or more else plain(answer, width=columns)
        if text is None:
            from scanir.render.text import render_text

            text = render_text(answer, more, color=colored, width=columns, notes=False)
        click.echo(text, nl=False, color=colored)
        _notes(answer)
    else:
        click.echo(made[format_](), nl=format_ == "json")
    write_reports(reports, made)
    return answer.exit_code


def _directories(
    a: str, b: str, stage: str, rules: tuple[tuple[str, ...], tuple[str, ...], bool], format_: str, color: str,
    reports: tuple[tuple[str, str], ...],
) -> int:  # fmt: skip
    """Compare two directories program by program."""
    from scanir import api
    from scanir.render.dumps import render_dumps, render_dumps_json

    if format_ not in ("text", "json") or any(form not in ("text", "json") for form, _ in reports):
        raise click.UsageError("directories have reports as text and JSON")
    progress(f"comparing the programs of {a} and {b}")
    answer = api.diff_dumps(a, b, stage=stage, allow=rules[0], forbid=rules[1], strict=rules[2])
    made: dict[str, Made] = {
        "text": lambda: render_dumps(answer, width=width()),
        "json": lambda: render_dumps_json(answer),
    }
    colored = use_color(color)
    if format_ == "text":
        click.echo(render_dumps(answer, color=colored, width=width()), nl=False, color=colored)
    else:
        click.echo(made["json"]())
    write_reports(reports, made)
    return answer.exit_code


def _formats(answer: Diff, a: str, b: str, more: list[Any], columns: int) -> dict[str, Made]:
    """What makes each format of the answer; those of CI see it as one check."""

    def text() -> str:
        from scanir.render.text import render_text

        return render_text(answer, more, width=columns)

    def as_json() -> str:
        from scanir.render.json import render_json

        return render_json(answer)

    def of_ci(form: str) -> str:
        from scanir.gate.pair import outcome_of
        from scanir.outcome import Outcomes

        return formats(Outcomes("", (outcome_of(answer, f"{a} {b}", "diff"),)), Path.cwd())[form]()

    return {
        "text": text,
        "json": as_json,
        **{form: partial(of_ci, form) for form in FORMATS if form not in ("text", "json")},
    }


def _listed(answer: Diff, stat: bool, around: int | None, beside: bool | None, columns: int) -> list[Any]:
    """What --stat, -U and --side-by-side ask for."""
    if not stat and around is None and beside is None:
        return []
    from scanir.render.listing import WIDE, listing_parts, stat_parts

    parts = stat_parts(answer) if stat else []
    if around is not None or beside is not None:
        parts += listing_parts(
            answer, 3 if around is None else around, beside=columns >= WIDE if beside is None else beside
        )
    return parts


def _certified(answer: Diff, path: str | None, *, paranoid: bool) -> None:
    """Have the checker accept each row that is equal, and write the certificate; what differs needs none."""
    if paranoid:
        for sentence in answer.confirm():
            click.echo(f"note: {sentence}", err=True)
    if path is None:
        return
    if answer.exit_code:
        click.echo(f"note: {answer.verdict.name} has no certificate; none is written", err=True)
        return
    write_json(path, answer.certificate())


def _notes(answer: Diff) -> None:
    """What a person should know about how the sides were read, which is no part of the report."""
    from scanir.render.words import clean

    for stage in answer.stages:
        for note in stage.notes:
            click.echo(f"note: {clean(stage.title)}: {clean(note)}", err=True)
