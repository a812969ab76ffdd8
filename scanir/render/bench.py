"""A bench as text: what differs first, then the times, the ratios, memory, verdicts and static costs.

Promises to say "no measurable difference" where an interval holds 1, and to say so where rounds are too few to tell.
"""

from __future__ import annotations

import math

import numpy as np
from rich.table import Table
from rich.text import Text

from scanir.measured.ratios import ERROR, Ratio
from scanir.measured.result import METRICS, Bench, Lengths, Row, Timing
from scanir.render import words
from scanir.render.matrix import short, variants_table
from scanir.render.paper import WIDTH, written
from scanir.result import Verdict

TITLES = {"trace": "trace", "lower": "lower", "compile": "compile", "first": "first call", "run": "a call"}
_TAKES = {
    "trace": "to trace", "lower": "to lower", "compile": "to compile", "first": "in the first call", "run": "to run",
}  # fmt: skip
_SAME = "no measurable difference"
_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def seconds(value: float) -> str:
    """``12.3 µs``: three digits."""
    unit, size = next(((unit, size) for unit, size in _UNITS if value >= size), _UNITS[-1])
    scaled = value / size
    digits = max(0, 2 - int(math.log10(scaled))) if scaled >= 1 else 2
    return f"{scaled:.{digits}f} {unit}"


def size(number: int) -> str:
    """``12.3 kB``; ``-`` where the system does not tell."""
    if not number:
        return "-"
    shown = short(number)
    return f"{shown} B" if shown.isdecimal() else f"{shown[:-1]} {shown[-1]}B"


def verdict(found: Ratio, name: str, other: str, takes: str = "") -> str:
    """``a is 1.21 times slower than b (1.18 to 1.24)``, or what else can be said."""
    if not found.known:
        return f"{name} and {other}: too few rounds to tell"
    if not found.differs:
        return f"{name} and {other}: {_SAME}{f' {takes}' if takes else ''} ({_interval(found)})"
    slower = found.estimate >= 1
    shown = found if slower else found.inverse()
    word = "slower" if slower else "faster"
    return (
        f"{name} is {shown.estimate:.2f} times {word} than {other}{f' {takes}' if takes else ''} ({_interval(shown)})"
    )


def _interval(found: Ratio) -> str:
    return f"{found.low:.2f} to {found.high:.2f}"


def headlines(bench: Bench) -> list[str]:
    """What there is to say of the run time, a line a program; first of all whether the machine is fit to tell."""
    names = [words.clean(row.name) for row in bench.rows]
    lines = []
    if bench.noisy:
        lines.append(f"not to be relied on: {names[bench.control.row]} differs from itself"  # type: ignore[union-attr]
                     " when it is measured twice")  # fmt: skip
    lines += [verdict(c.ratio("run"), names[c.row], names[c.against], "to run") for c in bench.comparisons]
    lines += [f"{words.clean(row.name)}: {words.clean(row.missing)}" for row in bench.rows if row.missing]
    return lines


def render_bench(bench: Bench, *, color: bool = False, width: int = WIDTH) -> str:
    """The report, ending in a newline."""
    title = f"{words.count(len(bench.rows), 'program')} on {bench.platform}, {words.count(bench.rounds, 'round')}"
    parts: list[Text | Table] = [Text(title, "bold"), *map(Text, headlines(bench))]
    parts += [Text(""), Text("medians, and half of the range that holds the middle half of the rounds", "dim")]
    parts.append(_times(bench))
    if bench.comparisons:
        parts += [Text(""), Text(_level(bench), "dim"), _ratios(bench)]
    parts += [Text(""), Text("memory: as XLA plans it, and by how much a process grew at most", "dim")]
    parts.append(_memory(bench))
    if bench.matrix is not None:
        parts += [Text(""), *map(Text, verdicts(bench)), Text(""), variants_table(bench.matrix)]
    parts += [Text(""), Text(control(bench), "dim")]
    return written(parts, color=color, width=width)


def _level(bench: Bench) -> str:
    first = bench.rows[bench.comparisons[0].against].name
    return f"times longer than {words.clean(first)}, with {1 - ERROR:.0%} confidence in all intervals together"


def control(bench: Bench) -> str:
    """What measuring the first program twice showed."""
    if bench.control is None:
        return "nothing was measured"
    name = words.clean(bench.rows[bench.control.row].name)
    differs = [TITLES[metric] for metric, found in bench.control.ratios if found.differs]
    if not any(found.known for _, found in bench.control.ratios):
        return f"control: {name} against itself: too few rounds to tell"
    if differs:
        return f"control: {name} against itself differs in {', '.join(differs)}: this machine is not fit to tell"
    return f"control: {name} against itself: {_SAME}"


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", overflow="fold")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _times(bench: Bench) -> Table:
    table = _table(*(TITLES[metric] for metric in METRICS))
    for row in bench.rows:
        table.add_row(Text(words.clean(row.name)), *(Text(_time(row.timing(metric))) for metric in METRICS))
    return table


def _time(timing: Timing | None) -> str:
    if timing is None:
        return "-"
    return f"{seconds(timing.median)} ±{(timing.high - timing.low) / 2 / timing.median:.0%}"


def _ratios(bench: Bench) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    for _ in range(4):
        table.add_column("")
    for comparison in bench.comparisons:
        name = words.clean(bench.rows[comparison.row].name)
        for metric, found in comparison.ratios:
            what = "too few rounds to tell" if not found.known else f"{found.estimate:.2f}" if found.differs else _SAME
            interval = _interval(found) if found.known else ""
            style = ("red" if found.estimate > 1 else "green") if found.differs else ""
            table.add_row(Text(name), Text(TITLES[metric]), Text(what, style), Text(interval, "dim"))
            name = ""
    return table


def _memory(bench: Bench) -> Table:
    device = any(row.memory.device for row in bench.rows)
    table = _table("planned", "code", "compiling", "running", *(("on the device",) if device else ()))
    for row in bench.rows:
        found = row.memory
        cells = [found.planned, found.code, found.compile, found.run, *((found.device,) if device else ())]
        table.add_row(Text(words.clean(row.name)), *(Text(size(cell)) for cell in cells))
    return table


def verdicts(bench: Bench) -> list[str]:
    """The verdict of each program against the first, a line a stage."""
    matrix = bench.matrix
    if matrix is None:
        return []
    lines = []
    first, *others = [words.clean(row.name) for row in bench.rows if not row.missing]
    for number, name in enumerate(others, 1):
        for stage in matrix.pair(0, number).stages:
            modulo = f" {words.summary(stage)}" if stage.modulo and _equal(stage.verdict) else ""
            lines.append(f"{stage.verdict.name} at {stage.stage}: {first} and {name}{modulo}")
    return lines


def _equal(verdict: Verdict) -> bool:
    return verdict in (Verdict.IDENTICAL, Verdict.EQUIVALENT)


# -- by length ---------------------------------------------------------------------------------------------------------


def render_lengths(found: Lengths, *, color: bool = False, width: int = WIDTH) -> str:
    """The report, ending in a newline."""
    platform = next((bench.platform for bench in found.benches if bench.platform), "")
    parts: list[Text | Table] = [Text(f"{found.family} by length, on {platform}", "bold")]
    first = found.names[0]
    for title, cell in _SECTIONS:
        parts += [Text(""), Text(title, "dim"), _by_length(found, cell)]
    parts += [Text(""), Text(f"= no measurable difference from {first}, ? too few rounds to tell", "dim")]
    for name, lengths in _left_out(found).items():
        parts.append(Text(f"- {name} at {', '.join(f'{n:,}' for n in lengths[1])}: {lengths[0]}", "dim"))
    told = verdicts(found.benches[0])
    parts += [Text(""), *(Text(f"{line}, at length {found.lengths[0]:,}") for line in told)] if told else []
    noisy = [f"{n:,}" for n, bench in zip(found.lengths, found.benches, strict=True) if bench.noisy]
    said = f"{first} differs from itself at {', '.join(noisy)}: not to be relied on there"
    parts.append(Text(f"control: {said if noisy else f'{first} against itself differs nowhere'}"))
    return written(parts, color=color, width=width)


def _run(bench: Bench, k: int) -> str:
    timing = bench.rows[k].timing("run")
    if timing is None:
        return "-"
    mark = next((_mark(c.ratio("run")) for c in bench.comparisons if c.row == k), "")
    return f"{mark}{seconds(timing.median)}"


def _mark(found: Ratio) -> str:
    return "? " if not found.known else "" if found.differs else "= "


def made(row: Row) -> float | None:
    """Seconds of tracing, lowering and compiling together: the median over the rounds."""
    samples = dict(row.samples)
    if not all(samples.get(metric) for metric in ("trace", "lower", "compile")):
        return None
    parts = zip(samples["trace"], samples["lower"], samples["compile"], strict=True)
    return float(np.median([math.fsum(part) for part in parts]))


def _made(bench: Bench, k: int) -> str:
    found = made(bench.rows[k])
    return "-" if found is None else seconds(found)


_SECTIONS = (
    ("a call", _run),
    ("trace, lower and compile", _made),
    ("code", lambda bench, k: size(bench.rows[k].memory.code)),
    ("memory to run: arguments, results and temporaries", lambda bench, k: size(bench.rows[k].memory.planned)),
    ("memory to compile: by how much a process grew", lambda bench, k: size(bench.rows[k].memory.compile)),
)


def _by_length(found: Lengths, cell: object) -> Table:
    assert callable(cell)
    table = _table(*(f"{length:,}" for length in found.lengths))
    for k, name in enumerate(found.names):
        table.add_row(Text(name), *(Text(cell(bench, k)) for bench in found.benches))
    return table


def _left_out(found: Lengths) -> dict[str, tuple[str, list[int]]]:
    missing: dict[str, tuple[str, list[int]]] = {}
    for length, bench in zip(found.lengths, found.benches, strict=True):
        for row in bench.rows:
            if row.missing:
                missing.setdefault(row.name, (row.missing, []))[1].append(length)
    return missing
