"""``scanir explain``: what a rule, a class or a word of reports means. Imports no jax."""

from __future__ import annotations

import json

import click

from scanir.cli.options import CONTEXT, traceback_option, width


@click.command("explain", context_settings=CONTEXT, short_help="Say what a rule, class or word of reports means.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="Text, or JSON.")
@traceback_option
def command(names: tuple[str, ...], form: str) -> None:
    """Say what NAME means: a rule (carry-closure), a class (class:layout), or a word of reports (SAME-BODY, hole, O6).

    Rules come with two tiny programs that the rule makes EQUIVALENT, and two that it must not. Without NAME: the list.
    """
    from scanir.render.explain import document, explain, overview, render

    if form == "json":
        click.echo(json.dumps(document(names), indent=2, ensure_ascii=True))
        return
    found = [explain(name) for name in names]
    click.echo("\n".join(render(one, width()) for one in found) if found else overview(width()), nl=False)
