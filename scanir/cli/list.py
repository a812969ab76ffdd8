"""``scanir list``: the strategies there are. Imports no jax."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import click

from scanir.cli.options import CONTEXT, import_option, traceback_option

if TYPE_CHECKING:
    from scanir.strategies import Strategy


@click.command("list", context_settings=CONTEXT, short_help="List the strategies.")
@import_option
@traceback_option
def command() -> None:
    """List the strategies by family: name, shapes of the example arguments, and what is special about each."""
    from scanir.strategies import strategies

    families = itertools.groupby(strategies(), key=lambda strategy: strategy.family)
    for number, (family, members) in enumerate(families):
        click.echo(("\n" if number else "") + family)
        rows = [(strategy.name, _shapes(strategy), strategy.summary) for strategy in members]
        names, shapes = (max(len(row[k]) for row in rows) for k in (0, 1))
        for name, shape, summary in rows:
            click.echo(f"  {name:{names}}  {shape:{shapes}}  {summary}".rstrip())


def _shapes(strategy: Strategy) -> str:
    """The example arguments by shape; an example that a built-in strategy computes is known by its shapes already."""
    if strategy.shapes or strategy.arguments is None:
        return strategy.shapes or "-"
    from scanir.targets.specs import written

    return written(strategy.example()) or "-"
