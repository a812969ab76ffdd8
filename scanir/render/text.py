"""The report for a terminal: how the sides were made if not alike, the verdict, and stage by stage what it rests on.

Promises: no line is longer than the width asked for, no colour unless asked for, no trailing blanks, and nothing in a
program's names that the terminal or rich would obey. Long lists are cut, and say so; JSON has all.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from scanir.render import words
from scanir.render.costs import copies, cost_rows, trip_cost
from scanir.render.edits import EQUAL, edit_parts
from scanir.render.ladder import ladder, steps
from scanir.render.paper import WIDTH, written
from scanir.result import Capture, Diff, Fact, LoopDiff, LoopSide, Mismatch, StageDiff

#: Rows of a table of captures, and loops of a stage, that a person still reads.
ROWS = 40
#: Holes that both sides fill alike, of one loop.
ALIKE = 8
LOOPS = 12

_STYLE = {
    "IDENTICAL": "bold green",
    "EQUIVALENT": "bold green",
    "DIFFERENT": "bold red",
    "INCONCLUSIVE": "bold yellow",
    "SAME-BODY": "bold yellow",
    "UNPAIRED": "bold yellow",
}
_EQUAL = ("IDENTICAL", "EQUIVALENT")


def render_text(
    diff: Diff, more: Sequence[RenderableType] = (), *, color: bool = False, width: int = WIDTH, notes: bool = True
) -> str:
    """The report, ending in a newline, with ``more`` at its end. ``notes`` False leaves the notes to the caller."""
    parts: list[RenderableType] = [Text(line) for line in words.provenance(diff)]
    parts += [Text(line, "bold red") for line in words.contradiction(diff)]
    parts.append(_head(diff))
    for stage in diff.stages:
        body = _stage(stage, notes=notes)
        if len(diff.stages) > 1:
            parts += ["", _stage_title(stage)]
            body = [Padding(part, (0, 0, 0, 2)) for part in body]
        parts += body
    for under in dict.fromkeys(stage.under for stage in diff.stages):
        parts += _ladder(under, [stage for stage in diff.stages if stage.under == under])
    return written([*parts, *more], color=color, width=width)


def _ladder(under: str, stages: list[StageDiff]) -> list[RenderableType]:
    """A line a stage: the verdict, and what became of the difference."""
    if len(stages) < 2:
        return []
    grid = _grid("bold", "default", "dim")
    for name, verdict, fate in steps(stages):
        grid.add_row(Text(name), Text(verdict, _STYLE[verdict.partition(" ")[0]]), Text(fate))
    return [_heading(f"from stage to stage{f' under {words.clean(under)}' if under else ''}"), _indented(grid)]


def _head(diff: Diff) -> Text:
    return Text.assemble(
        (f"{diff.verdict.name}{_shown_by(diff.stages)}", _STYLE[diff.verdict.name]),
        (f"  {words.clean(diff.a)} (a) and {words.clean(diff.b)} (b)", "bold"),
        f" {words.rows(diff)}\n",
        (words.meaning(diff), "dim"),
        (f"\n{rung}" if (rung := ladder(diff)) else "", "bold"),
    )


def _shown_by(stages: tuple[StageDiff, ...]) -> str:
    return f" ({kind})" if (kind := words.proved(stages)) else ""


def _stage_title(stage: StageDiff) -> Text:
    verdict = (f"{stage.verdict.name}{_shown_by((stage,))}", _STYLE[stage.verdict.name])
    title = Text.assemble((f"{words.clean(stage.title)}: ", "bold"), verdict)
    if modulo := words.summary(stage):
        title.append(f" {modulo}")
    return title


def _stage(stage: StageDiff, *, notes: bool) -> list[RenderableType]:
    """The parts of a stage, in the order in which a person asks for them."""
    parts: list[RenderableType] = []
    if stage.mismatch is not None:
        parts += [_heading("first difference"), _mismatch(stage.mismatch)]
    parts += edit_parts(stage) if stage.verdict not in EQUAL else []
    parts += _evidence(stage)
    parts += _bullets("reasons", stage.reasons)
    if stage.modulo:
        parts += [_heading("rules that were needed"), _rules(stage)]
    parts += edit_parts(stage) if stage.verdict in EQUAL else []
    if stage.bindings:
        parts += [_heading("bindings"), _bindings(stage)]
    parts += _bullets("assumptions", stage.assumptions)
    forwarded = tuple(Fact("outputs", "", words.forwarded(output)) for output in stage.forwarded_outputs)
    parts += _facts(forwarded + stage.facts)
    for number, loop in enumerate(_shown(stage.loops), 1):
        parts += _loop(loop, number)
    if len(stage.loops) > LOOPS:
        parts += [
            "",
            _indented(Text(f"and {words.count(len(stage.loops) - LOOPS, 'loop')} more, in --format json", "dim")),
        ]
    return parts + _costs(stage) + (_bullets("notes", stage.notes) if notes else [])


def _costs(stage: StageDiff) -> list[RenderableType]:
    """What the compiled programs cost, where they do not cost the same; else one line."""
    if stage.costs is None:
        return []
    rows, same = cost_rows(stage.costs)
    if not rows:
        return [_heading("cost, the same on both sides"), _indented(Text(same))] if same else []
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("cost", no_wrap=True)
    for column in ("a", "b", "b/a"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    parts: list[RenderableType] = ["", table]
    if same:
        parts.append(Text(f"the same: {same}", "dim"))
    if any(side.total.dynamic for side in stage.costs):
        parts.append(Text("a loop whose trip count is not known counts once", "dim"))
    return parts


def _heading(text: str) -> RenderableType:
    return Group("", Text(text, "bold cyan"))


def _indented(part: RenderableType, by: int = 2) -> RenderableType:
    return Padding(part, (0, 0, 0, by))


def _grid(*styles: str) -> Table:
    """Columns side by side, the last taking what is left of the line."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for style in styles:
        grid.add_column(style=style, overflow="fold")
    return grid


def _bullets(title: str, lines: tuple[str, ...]) -> list[RenderableType]:
    if not lines:
        return []
    grid = _grid("default", "default")
    for line in lines:
        grid.add_row(Text("-"), Text(words.clean(line)))
    return [_heading(title), _indented(grid)]


def _evidence(stage: StageDiff) -> list[RenderableType]:
    """What running the sides showed: the input on which they differ, with both results, and how much was run."""
    found = stage.evidence
    if found is None:
        return []
    parts: list[RenderableType] = [_heading("evidence")]
    if found.output:
        if found.inputs:
            parts.append(_indented(Text(words.DIFFERS[found.status])))
            grid = _grid("bold", "default")
            for name, value in found.inputs:
                grid.add_row(Text(words.clean(name)), Text(words.clean(value)))
            parts.append(_indented(grid, 4))
        grid = _grid("bold", "default")
        grid.add_row(Text("a"), Text(words.clean(found.left)))
        grid.add_row(Text("b"), Text(words.clean(found.right)))
        apart = f": {text}" if (text := words.apart(found)) else ""
        parts += [_indented(Text(f"{words.clean(found.output)}{apart}")), _indented(grid, 4)]
    grid = _grid("default", "default")
    for line in words.evidence(stage):
        grid.add_row(Text("-"), Text(line))
    return [*parts, _indented(grid)] if grid.row_count else parts


def _facts(facts: tuple[Fact, ...]) -> list[RenderableType]:
    """Facts by kind, those of one side under its letter."""
    parts: list[RenderableType] = []
    for kind in dict.fromkeys(fact.kind for fact in facts):
        grid = _grid("bold", "default")
        for fact in facts:
            if fact.kind == kind:
                grid.add_row(Text(fact.side or "-"), Text(words.clean(fact.text)))
        parts += [_heading(words.clean(kind)), _indented(grid)]
    return parts


def _rules(stage: StageDiff) -> RenderableType:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for use in stage.modulo:
        text = Text(words.law(use.rule))
        if where := words.listed(use.where):
            text.append(f"\nin {where}" if text.plain else f"in {where}", "dim")
        grid.add_row(Text(words.clean(use.rule)), Text(f"{use.count}x"), text)
    return _indented(grid)


def _bindings(stage: StageDiff) -> RenderableType:
    grid = _grid("bold", "default")
    for bound in stage.bindings:
        grid.add_row(*(Text(text) for text in words.binding(bound)))
    return _indented(grid)


def _mismatch(mismatch: Mismatch) -> RenderableType:
    grid = _grid("bold", "default")
    sides = (
        ("a", mismatch.left_path, mismatch.left, mismatch.left_line),
        ("b", mismatch.right_path, mismatch.right, mismatch.right_line),
    )
    for side, path, value, line in sides:
        text = Text(words.clean(value))
        text.append(f"\nin {words.clean(path)}", "dim")
        if line:
            text.append(f", {words.clean(words.short_place(line))}", "dim")
        grid.add_row(Text(side), text)
    return _indented(Group(Text(words.clean(mismatch.reason)), grid))


def _shown(loops: tuple[LoopDiff, ...]) -> tuple[LoopDiff, ...]:
    """All loops, or of very many those that are not equal before those that are."""
    if len(loops) <= LOOPS:
        return loops
    return tuple(sorted(loops, key=lambda loop: loop.verdict in _EQUAL)[:LOOPS])


def _loop(loop: LoopDiff, number: int) -> list[RenderableType]:
    title = Text.assemble(
        (f"loop {number}", "bold cyan"),
        f"  {words.loop_title(loop)}: ",
        (words.clean(loop.verdict), _STYLE.get(loop.verdict, "bold")),
    )
    if meaning := words.loop_meaning(loop):
        title.append(f", {meaning}")
    sides = _grid("bold", "default")
    for name, side in (("a", loop.left), ("b", loop.right)):
        sides.add_row(Text(name), Text("\n".join([words.loop_side(side), *_beside(loop, side)])))
    parts: list[RenderableType] = ["", title, _indented(sides)]
    parts += [_indented(Text(words.clean(note))) for note in loop.notes]
    if loop.captures:
        parts += ["", _indented(_captures(loop.captures))]
    if more := len(loop.captures) - len(_filled(loop.captures)):
        parts.append(_indented(Text(f"and {more} more, in --format json", "dim")))
    return parts


def _beside(loop: LoopDiff, side: LoopSide | None) -> list[str]:
    """What becomes of the carries, where the sides have it otherwise, and what a trip copies."""
    if side is None:
        return []
    kinds = [None if each is None else [(c.kind, c.live) for c in each.carries] for each in (loop.left, loop.right)]
    lines = [f"carries: {words.carries(side)}"] if side.carries and kinds[0] != kinds[1] else []
    copied = [None if each is None else (each.copies, each.copied) for each in (loop.left, loop.right)]
    asked = copied[0] != copied[1] or loop.verdict not in _EQUAL
    lines += copies(side) if asked else []
    trips = [None if each is None else each.trip for each in (loop.left, loop.right)]
    return lines + ([trip_cost(side.trip)] if side.trip is not None and trips[0] != trips[1] else [])


def _filled(captures: tuple[Capture, ...]) -> list[Capture]:
    """The holes that are listed: all that are filled otherwise, and the first of those that are filled alike."""
    alike = [capture.hole for capture in captures if capture.left == capture.right]
    folded = set(alike[ALIKE:])
    return [capture for capture in captures if capture.hole not in folded][:ROWS]


def _captures(captures: tuple[Capture, ...]) -> Table:
    """What each side puts into each hole of the body; one column where they put the same into all of them."""
    alike = all(capture.left == capture.right for capture in captures)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("hole", no_wrap=True)
    for column in ("type", "in a and b") if alike else ("type", "in a", "in b"):
        table.add_column(column, overflow="fold")
    for capture in _filled(captures):
        fillings = (
            [words.filling(capture.left)] if alike else [words.filling(capture.left), words.filling(capture.right)]
        )
        style = "default" if capture.left == capture.right else "bold"
        cells = (
            Text(str(capture.hole)),
            Text(words.clean(capture.type)),
            *(Text(filling, style) for filling in fillings),
        )
        table.add_row(*cells)
    return table
