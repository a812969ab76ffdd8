"""What is asked of the example's files, by the name of the golden answer."""

from __future__ import annotations

import functools
from pathlib import Path

from scanir.facts.request import TABLES, Report, Request, answer
from scanir.program import Program
from scanir.targets.artifact import read_artifact

HERE = Path(__file__).parent
DIALECTS = ("jaxpr", "stablehlo", "hlo")
ASKS = {
    **{f"{dialect}-{table}": (dialect, Request(table=table)) for dialect in DIALECTS for table in TABLES},
    "jaxpr-loop": ("jaxpr", Request(loop=1)),
    "stablehlo-op": ("stablehlo", Request(op="while")),
    "hlo-at": ("hlo", Request(at="conditional.1")),
    "jaxpr-line": ("jaxpr", Request(line="example.py:20", loop=1)),
    "jaxpr-back": ("jaxpr", Request(back="result 1")),
    "hlo-back": ("hlo", Request(back="result 1", depth=4)),
}


@functools.cache
def example(dialect: str) -> Program:
    """The example in a dialect, read without JAX."""
    file = read_artifact(str(HERE / "files" / f"{dialect}.txt"))
    file.label = f"example.{dialect}"
    return file.trace((dialect,))[dialect]


@functools.cache
def ask(name: str) -> Report:
    dialect, request = ASKS[name]
    return answer(example(dialect), request)
