"""A matrix of verdicts on one screen: a row a variant with its groups and costs, then the verdict of each pair.

Promises plain text of at most the given width where names allow it, without control characters; many variants make
several blocks of columns.
"""

from __future__ import annotations

import io
import json
import math
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from scanir.facts.costs import CostTable
from scanir.matrix import Matrix, Pair
from scanir.render import words
from scanir.render.json import cost_to_json, diff_to_json
from scanir.result import Diff, Verdict

WIDTH = 80
#: One letter a verdict and stage.
LETTER = {Verdict.IDENTICAL: "I", Verdict.EQUIVALENT: "E", Verdict.DIFFERENT: "D", Verdict.INCONCLUSIVE: "?"}
_LEGEND = "I identical, E equivalent, B equivalent under a binding, D different, ? inconclusive"
_STYLE = {"I": "green", "E": "green", "B": "yellow", "D": "red", "?": "yellow"}
#: Unit, from which number on it is used, and what it stands for.
_UNITS = (("T", 10**12, 10**12), ("G", 10**9, 10**9), ("M", 10**6, 10**6), ("k", 10**4, 10**3))


def render_matrix(matrix: Matrix, *, color: bool = False, width: int = WIDTH) -> str:
    """The report, ending in a newline."""
    target = io.StringIO()
    console = Console(
        file=target, width=max(width, 40), color_system="standard" if color else None, force_terminal=color,
        no_color=not color, markup=False, highlight=False, emoji=False, legacy_windows=False, _environ={},
    )  # fmt: skip
    console.print(Text(f"{len(matrix.variants)} variants at {', '.join(matrix.stages)}", "bold"))
    console.print()
    console.print(variants_table(matrix))
    if len(matrix.variants) > 1:
        console.print()
        stages = "" if len(matrix.stages) == 1 else ", a letter a stage"
        console.print(Text(f"each pair{stages}: {_LEGEND}", "dim"))
        for block in _blocks(matrix, width):
            console.print()
            console.print(block)
    return "".join(f"{line.rstrip()}\n" for line in target.getvalue().splitlines())


def variants_table(matrix: Matrix) -> Table:
    """A row a variant. Costs are those of the last stage, the nearest to what runs."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", justify="right")
    table.add_column("variant", overflow="fold")
    table.add_column("group")
    for column in ("ops", "in loops", "flops", "bytes", "copies"):
        table.add_column(column, justify="right", no_wrap=True)
    sized = any(variant.sizes for variant in matrix.variants)
    if sized:
        table.add_column("temp", justify="right", no_wrap=True)
        table.add_column("code", justify="right", no_wrap=True)
    letters = dict(matrix.groups)
    for number, variant in enumerate(matrix.variants):
        cost = variant.costs[-1][1]
        total = cost.total
        mark = "+" if total.dynamic else ""
        row = [str(number + 1), words.clean(variant.name), " ".join(_group(letters[s][number]) for s in matrix.stages)]
        row += [str(total.ops), str(cost.loop_ops), f"{short(total.flops + total.transcendentals)}{mark}"]
        row += [f"{short(total.bytes)}{mark}", str(total.copies)]
        if sized:
            sizes = dict(variant.sizes)
            row += [short(sizes[name]) if name in sizes else "-" for name in ("temp", "code")]
        table.add_row(*map(Text, row))
    return table


def _group(number: int) -> str:
    """A, B, ... Z, AA, AB, ..."""
    letters = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return letters


def short(number: int) -> str:
    """``123``, ``12.3k``, ``4.56M``."""
    for unit, start, size in _UNITS:
        if number >= start:
            digits = max(0, 2 - int(math.log10(number / size)))
            return f"{number / size:.{digits}f}{unit}"
    return str(number)


def cell(pair: Pair) -> str:
    """A letter a stage."""
    return "".join(
        "B" if stage.verdict is Verdict.EQUIVALENT and stage.bindings else LETTER[stage.verdict]
        for stage in pair.stages
    )


def _blocks(matrix: Matrix, width: int) -> list[Table]:
    """The lower triangle, a block for as many columns as fit."""
    names = [words.clean(variant.name) for variant in matrix.variants]
    first = max(map(len, names)) + 6
    each = max(len(matrix.stages), len(str(len(names)))) + 2
    fit = max(1, (width - first) // each)
    blocks = []
    for start in range(0, len(names) - 1, fit):
        columns = range(start, min(start + fit, len(names) - 1))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("", justify="right")
        table.add_column("")
        for column in columns:
            table.add_column(str(column + 1))
        for row in range(start + 1, len(names)):
            cells = [_styled(cell(matrix.pair(column, row))) if column < row else Text("") for column in columns]
            table.add_row(Text(str(row + 1)), Text(names[row]), *cells)
        blocks.append(table)
    return blocks


def _styled(letters: str) -> Text:
    return Text.assemble(*((letter, _STYLE[letter]) for letter in letters))


def matrix_to_json(matrix: Matrix) -> dict[str, Any]:
    """The JSON object of a matrix: each pair as `scanir diff --format json` gives it, less what both have alike."""
    names = [variant.name for variant in matrix.variants]
    return {
        "schema_version": 1,
        "verdict": matrix.verdict.name,
        "exit_code": matrix.exit_code,
        "stages": list(matrix.stages),
        "variants": [
            {
                "name": variant.name,
                "groups": {stage: numbers[number] for stage, numbers in matrix.groups},
                "costs": {stage: _costs(cost) for stage, cost in variant.costs},
                "sizes": dict(variant.sizes),
            }
            for number, variant in enumerate(matrix.variants)
        ],
        "pairs": [diff_to_json(Diff(names[pair.left], names[pair.right], pair.stages)) for pair in matrix.pairs],
    }


def _costs(table: CostTable) -> dict[str, Any]:
    return {"loop_ops": table.loop_ops, **cost_to_json(table.total)}


def render_matrix_json(matrix: Matrix) -> str:
    return json.dumps(matrix_to_json(matrix), indent=2, ensure_ascii=True, allow_nan=False)
