"""``scanir recompile``: why calls were compiled again: of a script, of calls that are only traced, of a dump."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import click

from scanir.cli.options import (
    ARGS_HELP,
    CONTEXT,
    import_option,
    progress,
    stdout_is_for_the_report,
    traceback_option,
    write_text,
)

_EPILOG = """\b
Exit codes:
  0    the calls share one compile; no module of a dump was compiled again
  1    they do not
  2    usage error, unreadable input, a crash
  of a script: its own"""
_COMMAND = "scanir.recompile.command"


class _Recompile(click.Command):
    """Sets aside what follows ``--``: options there are the script's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.meta[_COMMAND] = args[at + 1 :]
            args = args[:at]
        return super().parse_args(ctx, args)


@click.command(
    "recompile", cls=_Recompile, context_settings=CONTEXT, epilog=_EPILOG,
    short_help="Say why calls were compiled again.",
    options_metavar="[OPTIONS]",
)  # fmt: skip
@click.argument("target", required=False, metavar="[TARGET | DIR | -- COMMAND...]")
@click.option("--args", "texts", multiple=True, metavar="SPECS", help=f"Once for each call. {ARGS_HELP}")
@click.option("--all", "all_", is_flag=True, help="Explain JAX's own small functions, too.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Text, or JSON.")
@click.option(
    "--output", metavar="FILE", help="Where the report goes; - is stdout. Of a script it is stderr by default."
)
@import_option
@traceback_option
@click.pass_context
def command(
    ctx: click.Context, target: str | None, texts: tuple[str, ...], all_: bool, form: str, output: str | None
) -> int:
    """Say which calls were compiled again, and why.

    \b
    scanir recompile -- python train.py   every compile of a script
    scanir recompile step.py:f --args 'f32[8], 0.1' --args 'f32[8], f32[]'
    scanir recompile DIR                  modules in a dump of JAX or XLA
    """
    script: list[str] | None = ctx.meta.get(_COMMAND)
    if script is not None:
        if target is not None or texts:
            raise click.UsageError("give a script behind --, or a target, not both")
        return _script(script, output or "", form, all_=all_)
    if target is None:
        raise click.UsageError("Missing argument 'TARGET'.")
    status, text, document = _dump(target) if os.path.isdir(target) and not texts else _calls(target, texts)
    _write(text, document, output or "-", form)
    return status


def _script(words: list[str], output: str, form: str, *, all_: bool) -> int:
    from scanir.recording.script import run
    from scanir.render.compiles import log_document, render_log

    done = run(words)
    notes = "".join(f"note: {note}\n" for note in done.notes)
    document = {**log_document(done.log), "notes": list(done.notes), "status": done.status}
    _write(lambda: render_log(done.log, all_=all_) + notes, lambda: document, output, form)
    return done.status


def _calls(target: str, texts: tuple[str, ...]) -> tuple[int, Callable[[], str], Callable[[], Any]]:
    from scanir.recording.calls import compare_calls
    from scanir.render.calls import calls_document, render_calls
    from scanir.targets.resolve import resolve

    progress(f"tracing {target}")
    with stdout_is_for_the_report():
        found = compare_calls(resolve(target), texts)
    status = int(sum(call.compiles for call in found) > 1)
    return status, lambda: render_calls(target, found), lambda: calls_document(target, found)


def _dump(directory: str) -> tuple[int, Callable[[], str], Callable[[], Any]]:
    from scanir.recording.dump import read_dump
    from scanir.render.calls import dump_document, render_dump

    found = read_dump(directory)
    return int(any(len(group) > 1 for group in found)), lambda: render_dump(found), lambda: dump_document(found)


def _write(text: Callable[[], str], document: Callable[[], Any], output: str, form: str) -> None:
    """To a file, to stdout for ``-``, else to stderr."""
    said = json.dumps(document(), indent=2, ensure_ascii=True) + "\n" if form == "json" else text()
    if output in ("", "-"):
        click.echo(said, nl=False, err=not output)
    else:
        write_text(output, said)
