"""Options that several commands share."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from scanir.targets.arguments import Arguments

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

EXIT_CODES = """\b
Exit codes:
  0    IDENTICAL or EQUIVALENT
  1    DIFFERENT
  2    usage error, unreadable input, a crash, or a contradicted verdict
  3    INCONCLUSIVE: something hides the answer
  130  interrupted (Ctrl-C)
  141  the reader of the output went away
Over several stages: 2 if any failed, else 1 if any differ, else 3, else 0."""

ARGS_HELP = (
    """Example arguments, by shape: 'f32[3], f32[2,100], 0.01, {"w": bf16[8,8]}'; """
    "n=static(3) gives n that very value, untraced."
)
ARGS_FROM_HELP = (
    "A function that makes the arguments, m.py:make_args or pkg.mod:make_args(2): it runs on shapes alone, so nothing "
    "it makes takes memory. It returns a tuple, a dict of keywords, or scanir.Arguments."
)


@dataclass(slots=True)
class Settings:
    """What holds for the whole run: filled in while the command line is read."""

    traceback: bool = False


def _set_traceback(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and isinstance(ctx.obj, Settings):
        ctx.obj.traceback = True


def traceback_option(function: Decorated) -> Decorated:
    """``--traceback``, which every command takes."""
    return click.option(
        "--traceback",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_set_traceback,
        help="Show the Python traceback of an error.",
    )(function)


def _import(_ctx: click.Context, _param: click.Parameter, names: tuple[str, ...]) -> None:
    if not names:
        return
    from scanir.targets.imports import import_named

    with stdout_is_for_the_report():
        for name in names:
            import_named(name)


def import_option(function: Decorated) -> Decorated:
    """``--import``, for strategies of a person's own."""
    return click.option(
        "--import",
        multiple=True,
        metavar="MODULE",
        expose_value=False,
        callback=_import,
        help="Import this module or .py file first: it may register strategies. May be repeated.",
    )(function)


def stage_option(function: Decorated) -> Decorated:
    return click.option(
        "--stage",
        default="hlo",
        show_default=True,
        metavar="STAGE",
        help="jaxpr, stablehlo, hlo-in (before optimization), hlo (optimized), a comma list, or all.",
    )(function)


def run_options(function: Decorated) -> Decorated:
    """``--run`` and its limit of time. The numbers are those of `scanir.evidence.judge`, which needs numpy."""
    timeout = click.option(
        "--run-timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=20,
        show_default=True,
        metavar="SECONDS",
        help="How long --run may run the programs of one row.",
    )
    return click.option(
        "--run",
        type=click.IntRange(min=1),
        is_flag=False,
        flag_value=16,
        default=None,
        metavar="[N]",
        help="Run both sides, in a process of their own, on the example and N random and edge inputs; 16 unless given. "
        "Results that differ refute equality.",
    )(timeout(function))


def rules_options(function: Decorated) -> Decorated:
    """``--allow``, ``--forbid`` and ``--strict``: which rules and classes hold."""
    allow = "Set aside what this rule or class says. May be repeated."
    for option in (
        click.option("--strict", is_flag=True, help="Forbid all rules and classes but those allowed."),
        click.option(
            "--forbid",
            "--fail-on",
            "forbid",
            multiple=True,
            metavar="RULE",
            help="Do without this rule or class: --fail-on copies. May be repeated.",
        ),
        click.option("--allow", multiple=True, metavar="RULE", help=allow),
    ):
        function = option(function)
    return function


def report_options(function: Decorated) -> Decorated:
    """``--format`` and ``--color`` of what is printed on stdout."""
    color = click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        help="Colour of the report; auto follows NO_COLOR and the terminal.",
    )
    return click.option(
        "--format",
        "format_",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Of the report on stdout.",
    )(color(function))


def under_option(function: Decorated) -> Decorated:
    """``--under``, for transforms of what is named."""
    return click.option(
        "--under",
        multiple=True,
        metavar="TRANSFORM",
        help="grad, value_and_grad, jvp, vjp, vmap, checkpoint or none, with JAX's options and of one another: "
        "'vmap(grad(argnums=1), in_axes=(0,None))'. A comma list or several give a row each.",
    )(function)


_SETTINGS = (
    ("--config", "Set a setting of JAX while both sides are made, such as jax_enable_x64=True."),
    ("--config-a", "The same, for A alone."),
    ("--config-b", "The same, for B alone."),
    ("--compiler-option", "Compile both sides with this option, such as xla_cpu_enable_fast_math=True."),
    ("--compiler-option-a", "The same, for A alone."),
    ("--compiler-option-b", "The same, for B alone."),
    ("--env-a", "Make A in a process with this variable of the environment, such as XLA_FLAGS=..."),
    ("--env-b", "The same, for B."),
)


def settings_options(function: Decorated) -> Decorated:
    """``--config`` and its kin: what the sides are made under. Their names are those of `scanir.diff`."""
    for name, text in reversed(_SETTINGS):
        parameter = name.lstrip("-").replace("-", "_").replace("compiler_option", "compiler_options")
        function = click.option(name, parameter, multiple=True, metavar="KEY=VALUE", help=text)(function)
    return function


def given_arguments(text: str | None, source: str | None, side: str = "") -> Arguments | None:
    """Arguments from ``--args`` or ``--args-from`` (of one side); None where there are none."""
    if text is not None and source is not None:
        raise click.UsageError(f"--args{side} and --args-from{side} both say what the arguments are: give one of them")
    if source is not None:
        from scanir.targets.made import arguments_from

        with stdout_is_for_the_report():
            return arguments_from(source)
    if text is None:
        return None
    from scanir.targets.arguments import parse_arguments

    return parse_arguments(text)


def write_json(path: str, document: object) -> None:
    """Write a document to a file, on one line. Raises ScanirError."""
    import json

    write_text(path, json.dumps(document, separators=(",", ":"), ensure_ascii=True) + "\n")


def write_text(path: str, text: str) -> None:
    """Write a text to a file. Raises ScanirError."""
    from pathlib import Path

    from scanir.errors import ScanirError

    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as problem:
        raise ScanirError(f"{path} cannot be written: {problem.strerror}", hint="name another file") from problem


def use_color(choice: str) -> bool:
    """Whether to colour stdout: as asked for, else on a terminal, unless NO_COLOR says no."""
    if choice != "auto":
        return choice == "always"
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns of the terminal: COLUMNS, else what it says, else 80."""
    return shutil.get_terminal_size((80, 24)).columns


@contextlib.contextmanager
def stdout_is_for_the_report() -> Iterator[None]:
    """What a person's code prints while it is imported and traced goes to stderr: stdout holds the report alone."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def progress(message: str) -> None:
    """Tell a person who is watching that something goes on."""
    if sys.stderr.isatty():
        click.echo(message, err=True)
