"""The options of ``scanir show`` that ask for facts or for a part of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from scanir.errors import ArgumentError

if TYPE_CHECKING:
    from scanir.cli.options import Decorated
    from scanir.facts.request import Request

#: What an option with a value that may be left out has where it is left out.
_LEFT_OUT = "\0"
_TABLES = ("loops", "aliasing", "kept-args", "effects", "keys")
_OPTIONS = (
    click.option("--loops", is_flag=True, help="Table: the loops, by the numbers that scanir diff gives them."),
    click.option(
        "--constants",
        is_flag=False,
        flag_value=_LEFT_OUT,
        metavar="[BYTES]",
        help="Table: constants of more than BYTES (1024; 0 for all), with digests and where they enter.",
    ),
    click.option("--aliasing", is_flag=True, help="Table: donated arguments, and the outputs that take their memory."),
    click.option("--kept-args", is_flag=True, help="Table: parameters of the module, and the arguments jit dropped."),
    click.option("--effects", is_flag=True, help="Table: effects in their order, with the host functions they call."),
    click.option("--keys", is_flag=True, help="Table: where the key of each random draw comes from; keys used twice."),
    click.option(
        "--loop",
        is_flag=False,
        flag_value=_LEFT_OUT,
        metavar="[N]",
        help="Loop number N with its body, or the table of loops; with other selections: the ops in it.",
    ),
    click.option("--op", default="", metavar="NAME", help="The ops of that name, with or without their dialect."),
    click.option("--at", default="", metavar="PATH", help="What stands at a path of a report; PATH[k] picks one."),
    click.option("--line", default="", metavar="FILE:LINE", help="What a line made: f.py:42, f.py:42-50, f.py, :42."),
    click.option(
        "--back",
        default="",
        metavar="VALUE",
        help="The ops that lead to 'result 0', %12, @function/%3, or what stands at a path.",
    ),
    click.option("--depth", type=int, metavar="K", help="With --back: no further than K ops."),
)


def facts_options(function: Decorated) -> Decorated:
    """All of the options, in the order in which help lists them."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def request_of(target: str | None, asked: dict[str, Any]) -> tuple[str, Request | None]:
    """The target and what is asked of it; None where the whole program is.

    The value of --loop and of --constants may be left out: what follows them is the target, unless it is a number.
    """
    from scanir.facts.constants import LARGE
    from scanir.facts.request import Request

    numbers: dict[str, int | None] = {}
    for name in ("loop", "constants"):
        text = asked[name]
        if text is not None and text != _LEFT_OUT and not text.removeprefix("-").isdecimal():
            if target is not None:
                raise ArgumentError(f"--{name} takes a number, not {text!r}", hint=f"for example --{name} 1")
            target, text = text, _LEFT_OUT
        numbers[name] = None if text in (None, _LEFT_OUT) else int(text)
    if target is None:
        raise click.UsageError("Missing argument 'TARGET'.")
    tables = [name for name in _TABLES if asked[name.replace("-", "_")]]
    tables += ["constants"] if asked["constants"] is not None else []
    if asked["loop"] == _LEFT_OUT or (asked["loop"] is not None and numbers["loop"] is None):
        tables += [] if "loops" in tables else ["loops"]
    if len(tables) > 1:
        raise ArgumentError(f"one table at a time, not {' and '.join(tables)}", hint="ask once for each")
    request = Request(
        table=tables[0] if tables else "",
        loop=numbers["loop"],
        op=asked["op"],
        at=asked["at"],
        line=asked["line"],
        back=asked["back"],
        depth=asked["depth"],
        over=LARGE if numbers["constants"] is None else numbers["constants"],
    )
    if request == Request():
        return target, None
    request.check()
    return target, request
