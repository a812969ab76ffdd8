"""A bench as a picture, in SVG: the same bench gives the same bytes.

One program under the other: a panel a metric, medians with the middle half of the rounds. By length: a panel each for
a call, for making the program, for code and for memory, both axes logarithmic, a line for each kind of loop. What was
not measured is not drawn. Colours are told apart by those who see few of them (Okabe and Ito 2008).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from scanir.measured.result import METRICS, Bench, Lengths
from scanir.render import words
from scanir.render.bench import TITLES, headlines, made, seconds, size

_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
#: Sizes in pixels of a panel by length, and the room around it.
_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 300, 200, 70, 60, 110
_STYLE = (
    "text{font:12px sans-serif;fill:#222}.title{font-weight:bold}.dim{fill:#666}"
    ".axis{stroke:#999;fill:none}.grid{stroke:#ddd}.line{fill:none;stroke-width:2}"
)


def plot(found: Bench | Lengths) -> str:
    """The picture as text, ending in a newline."""
    return _rows(found) if isinstance(found, Bench) else _by_length(found)


def _document(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">'
    )
    body = [
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    return "\n".join([head, *body, *parts, "</svg>"]) + "\n"


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{style} text-anchor="{anchor}">{escape(words.clean(text))}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str = "axis") -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


# -- programs under one another ----------------------------------------------------------------------------------------


def _rows(bench: Bench) -> str:
    lines = headlines(bench)
    names = [words.clean(row.name) for row in bench.rows]
    left, wide, step = 20 + 7.5 * max(map(len, names), default=0), 420.0, 20
    parts = [_text(20, 24 + 16 * k, line, "title" if k == 0 else "") for k, line in enumerate(lines)]
    y = 40.0 + 16 * len(lines)
    for metric in METRICS:
        found = [row.timing(metric) for row in bench.rows]
        top = max((timing.high for timing in found if timing is not None), default=0.0)
        if not top:
            continue
        parts.append(_text(20, y, TITLES[metric], "title"))
        for number, timing in enumerate(found):
            y += step
            parts.append(_text(20, y, names[number]))
            if timing is None:
                parts.append(_text(left, y, "not measured", "dim"))
                continue
            color = _COLORS[number % len(_COLORS)]
            bar, low, high = (wide * value / top for value in (timing.median, timing.low, timing.high))
            parts.append(f'<rect x="{left:.1f}" y="{y - 11:.1f}" width="{bar:.1f}" height="14" fill="{color}"/>')
            parts.append(_line(left + low, y - 4, left + high, y - 4))
            parts.append(_text(left + max(bar, high) + 8, y, seconds(timing.median)))
        y += 2 * step
    return _document(left + wide + 100, y, "scanir bench", parts)


# -- by length ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Scale:
    """A logarithmic axis: ``low`` and ``high`` are powers of ten."""

    low: int
    high: int
    start: float
    end: float

    def at(self, value: float) -> float:
        return self.start + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float) -> _Scale:
        low = math.floor(math.log10(min(values)) + 1e-9)
        return cls(low, max(low + 1, math.ceil(math.log10(max(values)) - 1e-9)), start, end)


def _by_length(found: Lengths) -> str:
    panels: tuple[tuple[str, Callable[[Bench, int], float | None], Callable[[float], str]], ...] = (
        ("a call", _run, seconds),
        ("trace, lower and compile", lambda bench, k: made(bench.rows[k]), seconds),
        ("code", lambda bench, k: bench.rows[k].memory.code, lambda value: size(round(value))),
        ("memory to run", lambda bench, k: bench.rows[k].memory.planned, lambda value: size(round(value))),
    )
    parts = [_text(20, 24, f"{found.family} by length", "title")]
    for number, name in enumerate(found.names):
        x = 20 + 90 * number
        parts.append(f'<rect x="{x}" y="36" width="12" height="12" fill="{_COLORS[number % len(_COLORS)]}"/>')
        parts.append(_text(x + 18, 47, name))
    for number, (title, value, unit) in enumerate(panels):
        column, row = number % 2, number // 2
        x, y = _LEFT + column * (_WIDTH + _GAP), _TOP + 30 + row * (_HEIGHT + 80)
        parts += _panel(found, title, value, unit, x, y)
    return _document(2 * (_WIDTH + _GAP) + 20, _TOP + 2 * (_HEIGHT + 80) + 20, f"{found.family} by length", parts)


def _run(bench: Bench, k: int) -> float | None:
    timing = bench.rows[k].timing("run")
    return None if timing is None else timing.median


def _panel(
    found: Lengths, title: str, value: Callable[[Bench, int], float | None], unit: Callable[[float], str],
    x: float, y: float,
) -> list[str]:  # fmt: skip
    lines = [
        [(n, v) for n, bench in zip(found.lengths, found.benches, strict=True) if (v := value(bench, k))]
        for k in range(len(found.names))
    ]
    parts = [_text(x, y - 10, title, "title")]
    points = [point for line in lines for point in line]
    if not points:
        return [*parts, _text(x, y + 20, "not measured", "dim")]
    across = _Scale.over([n for n, _ in points], x, x + _WIDTH)
    up = _Scale.over([v for _, v in points], y + _HEIGHT, y)
    for power in range(up.low, up.high + 1):
        at = up.at(10.0**power)
        parts += [_line(x, at, x + _WIDTH, at, "grid"), _text(x - 6, at + 4, unit(10.0**power), "dim", "end")]
    for power in range(across.low, across.high + 1):
        at = across.at(10.0**power)
        parts += [_line(at, y, at, y + _HEIGHT, "grid"), _text(at, y + _HEIGHT + 16, f"{10**power:,}", "dim", "middle")]
    parts += [_line(x, y, x, y + _HEIGHT), _line(x, y + _HEIGHT, x + _WIDTH, y + _HEIGHT)]
    for number, line in enumerate(lines):
        color = _COLORS[number % len(_COLORS)]
        places = [(across.at(n), up.at(v)) for n, v in line]
        path = " ".join(f"{px:.1f},{py:.1f}" for px, py in places)
        parts.append(f'<polyline class="line" stroke="{color}" points="{path}"/>')
        parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="{color}"/>' for px, py in places]
    return parts
