"""Checks of determinism: each program against itself, made in two fresh processes, and made twice in one.

Two processes have other hash seeds and other addresses; in one process the second trace comes after the first. A
program that differs from itself keeps nobody's baseline and misses every compilation cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from scanir.gate.plan import Baseline, Budget, Check, Pair, Update

#: The hash seeds of the two processes.
SEEDS = ("1", "2")
#: Options of a pair that hold for its programs, whichever side they are.
_KEPT = ("stage", "under")
#: Options that each side may have of its own.
_OF_A_SIDE = ("config", "compiler_options", "env")


def twice(checks: Sequence[Check]) -> tuple[Check, ...]:
    """The checks of determinism of all programs that the given ones are about, each program once."""
    found: dict[str, Pair] = {}
    for check in checks:
        for pair in _pairs(check):
            key = repr((pair.a, pair.afresh, sorted(pair.options.items()), sorted(pair.sources.items())))
            found.setdefault(key, pair)
    return tuple(found.values())


def _pairs(check: Check) -> Iterator[Pair]:
    for name, target, options, source in _programs(check):
        sources = {"args_a": source, "args_b": source} if source else {}
        strict = {**options, "strict": True, "allow": ("provenance",)}
        again = Pair(f"{name}, traced again", check.spot, target, target, strict, sources, afresh=True)
        seeded = {f"env_{side}": {**options.get(f"env_{side}", {}), "PYTHONHASHSEED": seed}
                  for side, seed in zip("ab", SEEDS, strict=True)}  # fmt: skip
        yield replace(again, name=f"{name}, in two processes", options={**strict, **seeded}, afresh=False)
        if not any(options.get(f"env_{side}") for side in "ab"):
            yield again


def _programs(check: Check) -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """Each program of a check: its name, target, options of `scanir.diff`, and what makes its arguments."""
    match check:
        case Budget():
            args = check.options.get("args")
            options = {name: value for name, value in check.options.items() if name != "args"}
            yield check.name, check.target, _both(options, {}, args) | {"stage": "hlo"}, check.source
        case Baseline():
            options = _both({**check.settings}, {}, check.args or None) | {"stage": ",".join(check.stages)}
            yield check.name, check.target, options, check.source
        case Update():
            pass
        case Pair():
            kept = {name: check.options[name] for name in _KEPT if name in check.options}
            for side, target in zip("ab", check.targets, strict=True):
                own = {name: check.options.get(f"{name}_{side}", {}) for name in _OF_A_SIDE}
                args = check.options.get(f"args_{side}")
                options = {name: check.options[name] for name in _OF_A_SIDE if name in check.options}
                source = check.sources.get(f"args_{side}", "")
                yield f"{check.name}: {side}", target, kept | _both(options, own, args), source


def _both(options: dict[str, Any], own: dict[str, Any], args: Any) -> dict[str, Any]:
    """Options for two sides that are alike: ``own`` is what one side had for itself."""
    found: dict[str, Any] = {name: value for name, value in options.items() if name != "env"}
    for side in "ab":
        found |= {f"{name}_{side}": dict(value) for name, value in own.items() if value}
        found |= {} if args is None else {f"args_{side}": args}
    return found
