"""The log of compiles: rows in order, groups by function, and one sentence that sums them up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from scanir.compiles.call import Compile, Place
from scanir.compiles.reasons import KINDS, Reason, nearest


@dataclass(frozen=True, slots=True)
class Row:
    """One compile. ``number`` counts from 1, JAX's own functions behind all others; ``beside``: the earlier compile of
    the function that it is nearest to, and ``reasons`` what tells it from that one. The first compile of a function
    has neither."""

    number: int
    compile: Compile
    beside: int | None = None
    reasons: tuple[Reason, ...] = ()

    @property
    def name(self) -> str:
        return self.compile.call.name

    @property
    def site(self) -> Place | None:
        """The person's line that called."""
        return self.compile.site

    @property
    def avoidable(self) -> bool:
        """Whether the program of ``beside`` could have served this call, but for reasons that a person can remove."""
        return bool(self.reasons) and all(reason.avoidable for reason in self.reasons)


@dataclass(frozen=True, slots=True)
class Group:
    """The compiles of one function: all function objects of that name and code."""

    name: str
    source: Place | None
    owner: str
    rows: tuple[Row, ...]

    @property
    def seconds(self) -> tuple[float, float, float]:
        """Seconds of tracing, lowering and compiling."""
        compiles = [row.compile for row in self.rows]
        return sum(c.trace for c in compiles), sum(c.lower for c in compiles), sum(c.compile for c in compiles)


@dataclass(frozen=True)
class Log:
    """All compiles of a while. ``own``: groups of JAX's own small functions (``convert_element_type``, say)."""

    compiles: tuple[Compile, ...] = ()

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """All compiles by number: those of people and packages in order, then JAX's own."""
        return tuple(sorted((row for group in self._all for row in group.rows), key=lambda row: row.number))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Functions of people and packages, in order of their first compile."""
        return tuple(group for group in self._all if group.owner != "jax")

    @cached_property
    def own(self) -> tuple[Group, ...]:
        """JAX's own functions."""
        return tuple(group for group in self._all if group.owner == "jax")

    @cached_property
    def _all(self) -> tuple[Group, ...]:
        members: dict[tuple[str, Place | None, str], list[tuple[int, Compile]]] = {}
        ordered = sorted(self.compiles, key=lambda compile: compile.call.owner == "jax")
        for number, compile in enumerate(ordered, 1):
            call = compile.call
            members.setdefault((call.name, call.source, call.owner), []).append((number, compile))
        return tuple(Group(*key, tuple(_rows(found))) for key, found in members.items())

    @property
    def summary(self) -> str:
        """``7 compiles of 3 functions; 4 avoidable: 3 another function object, 1 weak type``."""
        rows = [row for group in self.groups for row in group.rows]
        if not rows:
            return "no compiles"
        said = f"{_count(len(rows), 'compile')} of {_count(len(self.groups), 'function')}"
        again = [row for row in rows if row.reasons]
        avoidable = [row for row in again if row.avoidable]
        if avoidable:
            said += f"; {len(avoidable)} avoidable: {_kinds(avoidable)}"
        if others := [row for row in again if not row.avoidable]:
            said += f"; {len(others)} for other programs: {_kinds(others)}"
        return said

    def __len__(self) -> int:
        return len(self.compiles)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __str__(self) -> str:
        from scanir.render.compiles import render_log

        return render_log(self)


def _rows(found: Iterable[tuple[int, Compile]]) -> Iterator[Row]:
    """Each compile of one function beside the nearest earlier one."""
    earlier: list[Compile] = []
    numbers: list[int] = []
    for number, compile in found:
        index, reasons = nearest(compile, earlier)
        yield Row(number, compile, numbers[index] if index >= 0 else None, reasons)
        earlier.append(compile)
        numbers.append(number)


def _kinds(rows: Iterable[Row]) -> str:
    """How many rows each kind of reason is the first of, among those that cannot be avoided where there are some."""
    counted = Counter(min(row.reasons, key=lambda reason: reason.avoidable).kind for row in rows)
    return ", ".join(f"{counted[kind]} {KINDS[kind][0]}" for kind in KINDS if counted[kind])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
