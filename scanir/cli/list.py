"""``scanir list``: the strategies there are. Imports no jax."""

from __future__ import annotations

import itertools

import click

from scanir.cli.options import CONTEXT, traceback_option


@click.command("list", context_settings=CONTEXT, short_help="List the strategies.")
@traceback_option
def command() -> None:
    """List the strategies by family: name, shapes of the example arguments, and what is special about each."""
    from scanir.strategies import strategies

    families = itertools.groupby(strategies(), key=lambda strategy: strategy.family)
    for number, (family, members) in enumerate(families):
        click.echo(("\n" if number else "") + family)
        rows = [(strategy.name, strategy.shapes or "-", strategy.summary) for strategy in members]
        names, shapes = (max(len(row[k]) for row in rows) for k in (0, 1))
        for name, shape, summary in rows:
            click.echo(f"  {name:{names}}  {shape:{shapes}}  {summary}".rstrip())
