"""One example, and how its short spelling becomes the text of a module."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """``a`` and ``b`` are one program by the rule, ``other`` is another one than ``beside`` (``a`` where that is
    empty).

    ``never``: what the rule does not do, which is what ``other`` shows. ``modulo``: all rules that the pair needs,
    where that is not the rule alone. ``dialect``: of the module, where the texts are functions in scanir's own
    spelling; ``hlo text`` where they are HLO. ``tells_a`` and so on: facts that do not stand in the module, as
    (name, value): ``result pytree``, else a setting. ``settled``: the host functions are known to be the same.
    """

    never: str
    a: str
    b: str
    other: str
    beside: str = ""
    modulo: tuple[str, ...] = ()
    dialect: str = "jaxpr"
    tells_a: tuple[tuple[str, str], ...] = ()
    tells_b: tuple[tuple[str, str], ...] = ()
    tells_other: tuple[tuple[str, str], ...] = ()
    settled: bool = False


def text_of(example: Example, program: str) -> str:
    """The text of a whole module, as `scanir diff` reads it from a file."""
    if example.dialect == "hlo text":
        return program if program.startswith("HloModule") else f"HloModule m\n{program}"
    return f"module {example.dialect} entry @main\n{program}"
