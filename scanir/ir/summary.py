"""What the ops of a module come to, worked out in one pass, once a module: how many, of which names, what they mention.

Many phases ask these of each attempt at a proof. Promises what `scanir.ir.walk` would say, asked op by op. Kept for as
long as the module lives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from scanir.ir.graph import Function, Module, Op
from scanir.ir.walk import ops_of, symbols


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """All ops of a function, at any depth: how many, their names, their regions (by ``id``), and those that mention
    functions, in reading order."""

    size: int
    names: frozenset[str]
    regions: frozenset[int]
    mentioning: tuple[tuple[Op, tuple[str, ...]], ...]

    @property
    def mentions(self) -> tuple[str, ...]:
        """The functions that ops mention, each as often as it is."""
        return tuple([name for _, names in self.mentioning for name in names])


class Summaries:
    """The summary of each function of a module, and what each op mentions (by its ``id``; absent: nothing)."""

    def __init__(self, module: Module) -> None:
        self.mentions: dict[int, tuple[str, ...]] = {}
        self._of = {id(function): self._summary(function) for function in module.functions}
        self.names = frozenset().union(*(summary.names for summary in self._of.values()))

    def of(self, function: Function) -> Summary:
        return self._of[id(function)]

    def _summary(self, function: Function) -> Summary:
        size, mentioning = 0, []
        names: set[str] = set()
        regions: set[int] = set()
        for op in ops_of(function.body):
            size += 1
            names.add(op.name)
            if op.regions:
                regions.update(map(id, op.regions))
            if op.attributes and (found := symbols(op.attributes)):
                self.mentions[id(op)] = found
                mentioning.append((op, found))
        return Summary(size, frozenset(names), frozenset(regions), tuple(mentioning))


_KNOWN: WeakKeyDictionary[Module, Summaries] = WeakKeyDictionary()


def summaries(module: Module) -> Summaries:
    """The summaries of a module."""
    found = _KNOWN.get(module)
    if found is None:
        found = _KNOWN[module] = Summaries(module)
    return found


def mentions(module: Module) -> Mapping[int, tuple[str, ...]]:
    """The functions that each op mentions, by its ``id``; ops that mention none are absent."""
    return summaries(module).mentions
