"""Looking for an input on which two programs differ, within a limit of time.

Promises that what did not run counts for nothing: a death of the process, or an input that took too long, is told and
the next input is tried. Only results of StableHLO's reference interpreter, both sides in it, make a difference.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scanir.evidence.elements import NAN_APART, differs, distance, index_text, scalar_text
from scanir.evidence.inputs import inputs
from scanir.evidence.plan import Plan
from scanir.evidence.process import Runner, Stopped, TimedOut
from scanir.evidence.shrink import shrink

#: Inputs that may end the process, or take too long: before any went well, and in all.
_FIRST_STOPS, _STOPS = 2, 4
#: The share of the time that the first input may take, and any later one.
_FIRST_SHARE, _SHARE = 2, 20
#: How much longer than the slowest so far an input may take.
_SLOWER = 8


@dataclass(frozen=True, slots=True)
class Difference:
    """Where results differ: index of the result on both sides, place in it, both values, ulps, how many places."""

    results: tuple[int, int]
    place: str
    left: str
    right: str
    ulps: int | None
    count: str


@dataclass(slots=True)
class Findings:
    """What the runs showed; see `scanir.result.Evidence`."""

    ran: int = 0
    agreed: int = 0
    difference: Difference | None = None
    values: list[Any] = field(default_factory=list)
    stops: Counter[str] = field(default_factory=Counter)
    reason: str = ""
    compiled: int = 0
    rounding: int | None = None
    rounding_note: str = ""


def search(plan: Plan, sources: dict[str, bytes], count: int, seconds: float, *, compiled: bool) -> Findings:
    """Run both sides in the interpreter on the example and ``count`` more inputs, until they differ or ``seconds`` are
    over; then what ran, where ``compiled``, as generated code, for as long again."""
    found = Findings()
    tried: list[list[Any]] = []
    with Runner(sources) as runner:
        if plan.missing:
            found.reason = f"the reference interpreter cannot run it: {plan.missing}"
            tried = list(inputs(plan.slots, count))
        else:
            _interpret(found, plan, runner, count, seconds, tried)
        if compiled and tried:
            _compile(found, plan, runner, tried, seconds)
    return found


class _Stopwatch:
    """How long an input may take: much at first, then in proportion to the others."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds
        self._slowest: float | None = None

    def left(self) -> float:
        return self._end - time.monotonic()

    def limit(self) -> float:
        if self._slowest is None:
            return min(self.left(), self.seconds / _FIRST_SHARE)
        return min(self.left(), max(self.seconds / _SHARE, _SLOWER * self._slowest))

    def took(self, started: float) -> None:
        self._slowest = max(self._slowest or 0.0, time.monotonic() - started)


def _interpret(found: Findings, plan: Plan, runner: Runner, count: int, seconds: float, tried: list[list[Any]]) -> None:
    try:
        runner.start()
    except Stopped as stop:
        found.reason = f"the programs cannot be loaded: {stop.what}"
        return
    watch = _Stopwatch(seconds)
    for values in inputs(plan.slots, count):
        if watch.left() <= 0:
            found.stops[f"the time limit of {seconds:g} s ended the search"] += 1
            break
        try:
            difference = _differ(plan, runner, values, watch)
        except _SideStopped as stop:
            found.stops[stop.told] += 1
            tried += [] if stop.timed_out else [values]
            if stop.fatal or sum(found.stops.values()) >= (_STOPS if found.ran else _FIRST_STOPS):
                break
            continue
        found.ran += 1
        tried.append(values)
        if difference is not None:
            found.values, found.difference = shrink(
                plan.slots, values, difference, lambda smaller: _quietly(plan, runner, smaller, watch)
            )
            tried[:] = [found.values]
            break
        found.agreed += 1
    if not found.ran:
        found.reason = "; ".join(found.stops) or "the time limit ended the search"


class _SideStopped(Exception):
    """One side did not end with results."""

    def __init__(self, side: str, stop: Stopped, limit: float) -> None:
        super().__init__(stop.what)
        self.fatal = stop.fatal
        self.timed_out = isinstance(stop, TimedOut)
        self.told = (
            f"{side} did not end within {limit:.2g} s" if self.timed_out
            else f"the reference interpreter cannot run {side}: {stop.what}"
        )  # fmt: skip


def _differ(plan: Plan, runner: Runner, values: list[Any], watch: _Stopwatch) -> Difference | None:
    started = time.monotonic()
    results = []
    for side in ("a", "b"):
        limit = watch.limit()
        try:
            results.append(runner.interpret(side, plan.given(side, values), limit))
        except Stopped as stop:
            raise _SideStopped(side, stop, limit) from stop
    watch.took(started)
    return _first_difference(plan, results[0], results[1])


def _quietly(plan: Plan, runner: Runner, values: list[Any], watch: _Stopwatch) -> Difference | None:
    """The difference on a smaller input; None where there is none, or no time."""
    if watch.left() <= 0:
        return None
    try:
        return _differ(plan, runner, values, watch)
    except _SideStopped:
        return None


def _first_difference(plan: Plan, left: list[Any], right: list[Any]) -> Difference | None:
    for x, y in plan.results:
        one, other = left[x], right[y]
        unlike = differs(one, other)
        if unlike.any():
            apart = np.where(unlike, distance(one, other), 0).reshape(-1)
            place = int(np.argmax(apart)) if apart.any() else int(np.argmax(unlike.reshape(-1)))
            most = int(apart[place])
            count, size = int(unlike.sum()), unlike.size
            return Difference(
                (x, y),
                index_text(one.shape, place),
                scalar_text(one.reshape(-1)[place]),
                scalar_text(other.reshape(-1)[place]),
                None if most in (0, int(NAN_APART)) else most,
                f"{count} of {size} elements differ" if size > 1 else "",
            )
    return None


# -- generated code ----------------------------------------------------------------------------------------------------


def _compile(found: Findings, plan: Plan, runner: Runner, tried: list[list[Any]], seconds: float) -> None:
    """How far the results of generated code are apart, on inputs on which the programs did not take too long."""
    try:
        for side in ("a", "b"):
            runner.compile(side)
        watch = _Stopwatch(seconds)
        most = 0
        for values in tried:
            if watch.left() <= 0:
                break
            left, right = (runner.compiled(side, plan.given(side, values), watch.left()) for side in ("a", "b"))
            for x, y in plan.results:
                if left[x].dtype != right[y].dtype or left[x].shape != right[y].shape:
                    continue
                unlike = differs(left[x], right[y])
                apart = np.where(unlike, distance(left[x], right[y]), 0)
                if (unlike & (apart == 0)).any():
                    found.rounding_note = "integers or booleans differ"
                if (apart == NAN_APART).any():
                    found.rounding_note = "one side is NaN where the other is not"
                most = max(most, int(np.where(apart == NAN_APART, 0, apart).max(initial=0)))
            found.compiled += 1
            found.rounding = most
    except Stopped as stop:
        if not found.compiled:
            found.rounding_note = f"generated code did not run: {stop.what}"
