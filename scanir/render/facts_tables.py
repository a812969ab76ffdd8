"""Tables about a program for a terminal: constants, donation, kept arguments, effects, random keys."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from scanir.facts.constants import ConstantRow, ConstantTable
from scanir.facts.effects import EffectRow, HostFunction
from scanir.facts.interface import AliasTable, KeptTable
from scanir.facts.keys import DrawRow, KeyTable, ReuseRow
from scanir.render.facts_parts import ROWS, counted, cut, grid, head, indented, listed, source, spot, titled
from scanir.render.words import clean, count


def constants(table: ConstantTable, where: str) -> list[RenderableType]:
    more = f" of more than {table.over:,} bytes" if table.over else ""
    title = f"{count(len(table.rows), 'constant') if table.rows else 'no constants'}{more} in {where}"
    total = [f"{table.total:,} bytes in all"] if table.rows else []
    total += [f"{count(table.smaller, 'smaller one')} of {table.rest:,} bytes"] if table.smaller else []
    body = listed(table.rows, _constant)
    if total:
        body += ["", Text("; ".join(total), "bold")]
    return titled(title, body)


def _constant(row: ConstantRow) -> list[RenderableType]:
    title = head(row.path, row.file, row.line)
    facts = [f"{row.type}, {row.bytes:,} bytes"]
    if row.stored and row.stored < row.bytes:
        facts.append("one element stored")
    if row.digest:
        facts.append(f"sha256 {row.digest}")
    if row.elided:
        facts.append(row.elided)
    values = []
    if row.first:
        values.append(
            f"{', '.join(row.first)}{', ...' if row.looks != 'splat' and row.elements > len(row.first) else ''}"
        )
    if row.looks:
        values.append("the same everywhere" if row.looks == "splat" else f"equals {row.looks}")
    if row.low and row.looks != "splat" and row.elements > len(row.first):
        values.append(f"from {row.low} to {row.high}")
    enters = ", ".join(row.enters) + (f" and {row.uses - len(row.enters)} more" if row.uses > len(row.enters) else "")
    cells: list[tuple[str, str]] = [
        ("is", ", ".join(facts)),
        ("values", "; ".join(values)),
        ("enters", enters or "nothing uses it"),
    ]
    if row.argument >= 0:
        cells.append(("passed", f"as parameter {row.argument} of the module"))
    return [title, indented(grid(("", ""), [cell for cell in cells if cell[1]]))]


def aliases(table: AliasTable, where: str) -> list[RenderableType]:
    title = f"{count(len(table.rows), 'donated argument') if table.rows else 'no donated arguments'} in {where}"
    cells = [
        (
            row.argument,
            row.type,
            "-"
            if row.output is None
            else f"output {row.output}{f', result{path}' if (path := row.output_path) else ''}",
            row.note or row.state,
        )
        for row in table.rows[:ROWS]
    ]
    body: list[RenderableType] = ["", grid(("argument", "type", "memory goes to", "state"), cells)] if cells else []
    unused = [row for row in table.rows if row.state == "unused"]
    body += cut(len(table.rows))
    body += ["", Text(f"{table.saved:,} bytes saved", "bold")] if table.saved else []
    if unused:
        names = ", ".join(row.argument for row in unused)
        body += ["", Text(f"warning: donated but not used: {clean(names)}", "bold yellow")]
    return titled(title, body, table.notes)


def kept_arguments(table: KeptTable, where: str) -> list[RenderableType]:
    kept = [row for row in table.rows if row.parameter is not None]
    dropped = [row for row in table.rows if row.parameter is None]
    title = f"{count(len(kept), 'parameter')} of {where}"
    cells = [
        (
            str(row.parameter),
            row.type,
            row.argument
            if row.kind == "argument"
            else {"constant": "a constant that JAX passes"}.get(row.kind, row.kind),
            "" if row.read else "nothing reads it",
        )
        for row in kept[:ROWS]
    ]
    body: list[RenderableType] = ["", grid(("parameter", "type", "argument", ""), cells)] if cells else []
    body += cut(len(kept))
    if dropped:
        listed = ", ".join(f"{row.argument} ({row.type})" for row in dropped)
        body += ["", Text(f"dropped, as nothing reads them: {clean(listed)}", "bold")]
    return titled(title, body, table.notes)


def effect(row: EffectRow) -> list[RenderableType]:
    order = {True: ", ordered", False: ", unordered", None: ""}[row.ordered]
    what = f" {row.what}" if row.what else ""
    lines = [f"{row.kind}{order}:{what}" if what else f"{row.kind}{order}"]
    if row.function is not None:
        lines.append(_function(row.function))
    if row.inside:
        lines.append(f"inside {' / '.join(row.inside)}")
    if row.note:
        lines.append(row.note)
    body = [indented(Text(clean(line))) for line in lines]
    return [head(row.path, row.file, row.line), *body, *map(indented, source(row.code))]


def _function(function: HostFunction) -> str:
    if function.number is not None or not function.name:
        return f"host function {'?' if function.number is None else function.number}, known by number only"
    where = spot(function.file, function.line)
    digest = f", code {function.digest}" if function.digest else ""
    return f"{function.name}{f' in {where}' if where else ''}{digest}"


def keys(table: KeyTable, where: str) -> list[RenderableType]:
    title = counted(table.rows, "draw", where)
    warnings: list[RenderableType] = []
    for warning in table.warnings[:ROWS]:
        warnings += ["", *_reuse(warning)]
    return titled(title, [*listed(table.rows, _draw), *warnings], table.notes)


def _draw(row: DrawRow) -> list[RenderableType]:
    key = f"key {row.key}, from {_SOURCES.get(row.source, row.source)}" if row.key else row.note
    body = [Text(clean(f"{row.type} by {row.op}")), Text(clean(key))]
    if row.key and row.note:
        body.append(Text(clean(row.note)))
    return [head(row.path, row.file, row.line), *map(indented, body), *map(indented, source(row.code))]


#: What each source of a key is called.
_SOURCES = {
    "argument": "an argument", "constant": "a constant in the program", "seed": "a seed", "slot": "a carry of the loop",
    "computed": "a value that cannot be followed further",
}  # fmt: skip


def _reuse(row: ReuseRow) -> list[RenderableType]:
    def named(path: str, file: str, line: int) -> str:
        where = spot(file, line)
        return f"{path}{f', {where}' if where else ''}"

    first = named(row.first, row.first_file, row.first_line)
    if row.loop:
        title, places = f"key {row.key} is the same in each trip of {row.loop}", [first]
    else:
        title = f"key {row.key} is used twice"
        places = [first, named(row.second, row.second_file, row.second_line)]
    return [
        Text(clean(f"warning: {title}"), "bold yellow"),
        *(indented(Text(clean(each))) for each in places),
    ]
