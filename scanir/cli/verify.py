"""``scanir verify``: check a certificate."""

from __future__ import annotations

import json
from pathlib import Path

import click

from scanir.cli.options import CONTEXT, import_option, progress, stdout_is_for_the_report, traceback_option

_EPILOG = """\b
Exit codes:
  0    accepted
  1    rejected: an obligation does not hold
  2    the certificate or a side cannot be read"""


@click.command("verify", context_settings=CONTEXT, epilog=_EPILOG, short_help="Check a certificate.")
@click.argument("certificate")
@click.argument("a", required=False)
@click.argument("b", required=False)
@import_option
@traceback_option
def command(certificate: str, a: str | None, b: str | None) -> int:
    """Check CERTIFICATE, which scanir diff --certificate wrote, on the programs it names, or on A and B.

    Both sides are read again, and the checker replays the certificate on them. It shares nothing with the part of
    scanir that found the proof.
    """
    from scanir import api

    document = _read(certificate)
    if (a is None) != (b is None):
        raise click.UsageError("give both sides, or none")
    progress(f"checking {certificate}")
    with stdout_is_for_the_report():
        answer = api.verify(document, a, b)
    if answer.accepted:
        click.echo(f"ACCEPTED  {certificate} at {', '.join(answer.stages)}")
    else:
        click.echo(f"REJECTED  {certificate} at {answer.stage}")
        click.echo(f"{answer.obligation}: {answer.what}" + (f" ({answer.where})" if answer.where else ""))
        click.echo(f"{answer.obligation} asks that {answer.meaning}")
    return answer.exit_code


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object none of whose keys is written twice, so that no reader sees another certificate than the checker."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key that is written twice")
    return found


def _read(name: str) -> object:
    from scanir.checker.verdict import Unreadable

    hint = "scanir diff A B --certificate FILE writes one"
    try:
        return json.loads(Path(name).read_text(encoding="utf-8"), object_pairs_hook=_once)
    except OSError as problem:
        raise Unreadable(f"{name} cannot be read: {problem.strerror}", hint=hint) from problem
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"{name} is no JSON", hint=hint) from problem
