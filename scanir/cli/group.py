"""``scanir``: the group of commands, and the one place where an outcome becomes an exit status.

Promises: a report on stdout and everything else on stderr; a Python traceback only for ``--traceback``; one of the exit
codes below, whatever happens.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from itertools import pairwise

import click

from scanir.cli.options import CONTEXT, EXIT_CODES, Settings, traceback_option
from scanir.errors import ScanirError

#: The commands in the order of help, which imports none of them: modules of this package with the same short help.
COMMANDS = {
    "diff": "Compare two programs.",
    "matrix": "Compare many programs at once.",
    "classes": "Sort many programs into classes.",
    "bench": "Measure programs in turns.",
    "check": "Make the checks that a file lists: the gate for CI.",
    "baseline": "Write the files that programs are checked against.",
    "verify": "Check a certificate.",
    "trace": "Save a program at all its stages.",
    "show": "Print a program at a stage, or facts about it.",
    "recompile": "Say why calls were compiled again.",
    "explain": "Say what a rule, class or word of reports means.",
    "list": "List the strategies.",
    "doctor": "Show versions, devices and flags.",
}
INTERRUPTED = 130
CLOSED_PIPE = 141
#: What the system says where output cannot be kept.
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class _Commands(click.Group):
    """Loads a command's module when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"scanir.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from rapidfuzz import process

            near = process.extractOne(args[0], [*COMMANDS], score_cutoff=60)
            hint = f"did you mean {near[0]}?" if near else f"commands: {', '.join(COMMANDS)}"
            raise click.UsageError(f"no such command {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings=CONTEXT, epilog=EXIT_CODES)
@click.version_option(
    package_name=None, message="scanir %(version)s", version=importlib.import_module("scanir").__version__
)
@traceback_option
def cli() -> None:
    """Compare JAX programs as they are traced, lowered and compiled.

    \b
    scanir diff lambda carry --stage all
    scanir diff pkg.step:old pkg.step:new --args 'f32[3], f32[2,100], 0.01'
    scanir diff before.txt after.txt
    """


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit status."""
    settings = Settings()
    _open_what_is_closed()
    _tolerate_any_character()
    arguments = sys.argv[1:] if argv is None else list(argv)
    try:
        # Not cli.main, which makes a closed pipe exit code 1: here that means DIFFERENT.
        with cli.make_context("scanir", arguments, obj=settings) as context:
            result = cli.invoke(context)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as wanted:
        return wanted.exit_code
    except click.ClickException as problem:
        with contextlib.suppress(OSError):
            problem.show()
        return 2
    except ScanirError as problem:
        _traceback(problem, settings)
        if "json" in (y if x == "--format" else x.partition("--format=")[2] for x, y in pairwise((*arguments, ""))):
            _say_as_json(problem)
        return _say(f"error: {problem}", problem.exit_code)
    except (KeyboardInterrupt, click.Abort):
        return _say("\ninterrupted", INTERRUPTED)  # behind the terminal's ^C
    except SystemExit as problem:
        _traceback(problem, settings)
        return _say("error: the program of a target ended the process (sys.exit)", 2)
    except BrokenPipeError:
        _stop_writing()
        return CLOSED_PIPE
    # The last resort: whatever it is, a person gets a line, a hint and exit code 2.
    except Exception as problem:  # noqa: BLE001
        if isinstance(problem, OSError) and problem.errno in _UNWRITABLE:
            _stop_writing()
            return _say(f"error: the output cannot be written: {problem.strerror}", 2)
        _traceback(problem, settings)
        hint = "" if settings.traceback else "\n  hint:  --traceback shows where"
        first = str(problem).partition("\n")[0]
        return _say(f"internal error, please report: {type(problem).__name__}: {first}{hint}", 2)


def _traceback(problem: BaseException, settings: Settings) -> None:
    if settings.traceback:
        traceback.print_exception(problem, file=sys.stderr)


def _say_as_json(problem: ScanirError) -> None:
    """The error for a program that reads the report: on stdout there is JSON, whatever happens."""
    import json

    from scanir.result import SCHEMA_VERSION

    said = {"kind": type(problem).__name__, "what": problem.what, "where": problem.where, "hint": problem.hint}
    with contextlib.suppress(OSError):
        click.echo(json.dumps({"schema_version": SCHEMA_VERSION, "error": said}, indent=2))


def _say(message: str, code: int) -> int:
    with contextlib.suppress(OSError):  # where nobody can be told, the exit status still says it
        click.echo(message, err=True)
    return code


def _stop_writing() -> None:
    """Python flushes stdout once more at exit, and would complain again about what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_what_is_closed() -> None:
    """A stream that was closed before Python began (``>&-``) is None there: nothing to read, nowhere to write."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - until the process ends


def _tolerate_any_character() -> None:
    """Write what the encoding of a stream lacks as an escape, rather than fail."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
