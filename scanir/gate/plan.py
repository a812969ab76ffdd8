"""The checks of a file as plain data, and which of them a person named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, TypeAlias

from scanir.errors import ConfigError
from scanir.facts.limits import Limits
from scanir.outcome import Spot

#: From which verdict on a pair fails.
FAIL_ON = ("equivalent", "inconclusive", "different")
#: What is done about a baseline that another version of JAX, or another machine, made.
ON_MISMATCH = ("compare", "skip", "fail")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two programs that must stay one.

    ``options`` are those of `scanir.diff`; ``sources`` are functions that make arguments, by the option they give
    (``args_a``, ``args_b``). ``afresh``: what JAX keeps of the trace of ``a`` is forgotten before that of ``b``.
    """

    name: str
    spot: Spot
    a: str
    b: str
    options: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    fail_on: str = "inconclusive"
    afresh: bool = False

    @property
    def targets(self) -> tuple[str, ...]:
        return self.a, self.b


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on a compiled program. ``options`` are those of `scanir.api.budget`; ``source`` makes arguments."""

    name: str
    spot: Spot
    target: str
    limits: Limits
    options: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.target,)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A program that must stay what its file says. ``options`` are those of `scanir.diff` for rules, ``settings`` those
    for how the program is made; ``source`` makes arguments. ``on_mismatch``: one of `ON_MISMATCH`."""

    name: str
    spot: Spot
    target: str
    stages: tuple[str, ...]
    args: str = ""
    source: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    fail_on: str = "inconclusive"
    on_mismatch: str = "compare"

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.target,)


@dataclass(frozen=True, slots=True)
class Update:
    """What to do in place of the check of a baseline: write its file."""

    baseline: Baseline

    @property
    def name(self) -> str:
        return self.baseline.name

    @property
    def spot(self) -> Spot:
        return self.baseline.spot

    @property
    def targets(self) -> tuple[str, ...]:
        return self.baseline.targets


Check: TypeAlias = Pair | Budget | Baseline | Update


@dataclass(frozen=True, slots=True)
class Plan:
    """All checks of ``file`` in its order. ``imports``: what is imported before any of them."""

    file: Path
    checks: tuple[Check, ...]
    imports: tuple[str, ...] = ()

    @property
    def directory(self) -> Path:
        """What targets are relative to."""
        return self.file.parent

    def chosen(self, names: Sequence[str]) -> tuple[Check, ...]:
        """The checks of these names or patterns (``step-*``), all without any. Raises ConfigError for one of none."""
        for name in names:
            if not any(fnmatchcase(check.name, name) for check in self.checks):
                raise ConfigError(
                    f"there is no check {name}", where=self.file.name, hint=near(name, [c.name for c in self.checks])
                )
        return tuple(c for c in self.checks if not names or any(fnmatchcase(c.name, name) for name in names))


def near(name: str, names: Sequence[str]) -> str:
    """A hint: the likest name there is, and all of them."""
    from rapidfuzz import fuzz, process

    listed = f"there is: {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}" if names else "there is none"
    found = process.extractOne(name, names, scorer=fuzz.ratio, score_cutoff=60)
    return f"did you mean {found[0]}? {listed}" if found else listed
