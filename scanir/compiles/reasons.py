"""Why a call was compiled again: what tells it from an earlier call of the same function.

Promises that what JAX's caches are keyed by, as far as it was recorded, is compared field by field, and that of calls
which differ in nothing it is said: the program was not kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scanir.compiles.call import Call, Compile, Leaf

#: Earlier calls of a function that a later one is held against: the last ones.
WINDOW = 64
#: Lines of one kind that are shown; the rest is counted.
SHOWN = 4

#: Kind of reason -> (its name in a summary, what to do, whether one program could have served both calls).
KINDS: dict[str, tuple[str, str, bool]] = {
    "pytree": ("pytree", "give the same structure each time", False),
    "shape": ("shape", "pad to one shape, or leave the odd batch out", False),
    "dtype": ("dtype", "convert to one dtype before the call", False),
    "weak-type": ("weak type", "pass jnp.asarray(value, dtype) each time, the first one too", True),
    "sharding": ("sharding", "put arguments on the same devices each time: jax.device_put, or out_shardings", True),
    "donation": ("donation", "one jit with one donate_argnums", True),
    "static": ("static value", "pass what changes as an argument that is traced, where the code allows it", False),
    "static-object": ("static object", "give the class __eq__ and __hash__, or pass the same object", True),
    "closure": ("closed-over value", "pass the value as an argument", True),
    "function": ("another function object", "make the function, and its jit, once outside the loop", True),
    "options": ("options of jit", "one jit with one set of options", False),
    "settings": ("settings of JAX", "set them once, before the first call", False),
    "transform": ("another transform", "", False),
    "evicted": ("not kept", "jax.clear_caches, or a jit made anew, throws away what was compiled", True),
}
#: The number, at the end of a text, that tells an object from others of that text.
_NUMBER = re.compile(r"(?: #[0-9a-f]+)+$")
Pairs: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """``kind`` is one of KINDS, ``what`` says it in lines: ``x: f32[8] -> f32[9]``."""

    kind: str
    what: tuple[str, ...]

    @property
    def title(self) -> str:
        return KINDS[self.kind][0]

    @property
    def hint(self) -> str:
        return KINDS[self.kind][1]

    @property
    def avoidable(self) -> bool:
        """Whether one program could have served both calls."""
        return KINDS[self.kind][2]


def nearest(later: Compile, earlier: Sequence[Compile]) -> tuple[int, tuple[Reason, ...]]:
    """The index of the earlier compile that differs in fewest ways, the last of several, and those ways."""
    best = -1
    found: tuple[Reason, ...] = ()
    for index in range(len(earlier) - 1, max(len(earlier) - 1 - WINDOW, -1), -1):
        reasons = between(earlier[index], later)
        if best < 0 or cost(reasons) < cost(found):
            best, found = index, reasons
        if cost(found) == (0, 0):
            break
    return best, found


def cost(reasons: Sequence[Reason]) -> tuple[int, int]:
    """How far apart two calls are: kinds of reasons, then lines."""
    different = [reason for reason in reasons if reason.kind != "evicted"]
    return len(different), sum(len(reason.what) for reason in different)


def between(before: Compile, after: Compile) -> tuple[Reason, ...]:
    """All that tells two compiles of one function apart."""
    found = of_calls(before.call, after.call)
    if before.call_number == after.call_number:
        return (Reason("transform", (f"another part of that call: takes {', '.join(after.parameters)}",)),)
    if not found and before.parameters != after.parameters:
        shown = f"takes {', '.join(before.parameters)} -> {', '.join(after.parameters)} (grad, vmap, or the like)"
        return (Reason("transform", (shown,)),)
    if not found:
        return (Reason("evicted", ("the same function, types, static values and settings",)),)
    return found


def of_calls(a: Call, b: Call) -> tuple[Reason, ...]:
    """What tells two calls of a function apart; empty where nothing does."""
    found: list[Reason] = []
    found += _function(a, b)
    found += _statics(a, b)
    names_a, names_b = [leaf.name for leaf in a.leaves], [leaf.name for leaf in b.leaves]
    if names_a != names_b or a.tree != b.tree:
        found.append(Reason("pytree", _tree(a, b)))
    if len(set(names_a)) == len(names_a) and len(set(names_b)) == len(names_b):
        others = {leaf.name: leaf for leaf in a.leaves}
        pairs = [(others[leaf.name], leaf) for leaf in b.leaves if leaf.name in others]
    else:
        pairs = list(zip(a.leaves, b.leaves, strict=False))
    found += _leaves(pairs)
    found += _changed("options", a.options, b.options)
    if a.under != b.under:
        found.append(Reason("transform", (f"under {a.under or 'no transform'} -> {b.under or 'no transform'}",)))
    if a.context != b.context:
        changed = _changed("settings", a.settings, b.settings)
        found += changed or [Reason("settings", ("a context manager of JAX (a mesh, say) was entered or left",))]
    return tuple(found)


def _leaves(pairs: Sequence[tuple[Leaf, Leaf]]) -> list[Reason]:
    lines: dict[str, list[str]] = {}
    for x, y in pairs:
        if x.type.partition("[")[0] != y.type.partition("[")[0]:
            lines.setdefault("dtype", []).append(f"{y.name}: {_shown(x)} -> {_shown(y)}")
        elif x.type != y.type:
            lines.setdefault("shape", []).append(f"{y.name}: {x.type} -> {y.type}")
        elif x.weak != y.weak:
            lines.setdefault("weak-type", []).append(f"{y.name}: {_shown(x)} -> {_shown(y)}")
        if x.sharding != y.sharding:
            what = f"{y.name}: {x.sharding or 'not committed'} -> {y.sharding or 'not committed'}"
            lines.setdefault("sharding", []).append(what)
        if x.donated != y.donated:
            lines.setdefault("donation", []).append(f"{y.name}: {'no longer' if x.donated else 'now'} donated")
    return [Reason(kind, cut(what)) for kind, what in lines.items()]


def _shown(leaf: Leaf) -> str:
    """``weak f32[] (a Python float)``."""
    what = f" (a Python {leaf.python})" if leaf.python else "" if leaf.weak else " (an array)"
    return f"{'weak ' if leaf.weak else ''}{leaf.type}{what}"


def _tree(a: Call, b: Call) -> tuple[str, ...]:
    names_a, names_b = ({leaf.name: leaf for leaf in call.leaves} for call in (a, b))
    lines = [f"{name}: new, {leaf.type}" for name, leaf in names_b.items() if name not in names_a]
    lines += [f"{name}: gone, was {leaf.type}" for name, leaf in names_a.items() if name not in names_b]
    return cut(lines or [f"{_short(a.tree)} -> {_short(b.tree)}"])


def _short(text: str) -> str:
    text = text.removeprefix("PyTreeDef(").removesuffix(")")
    return text if len(text) <= 100 else f"{text[:100]}..."


def _function(a: Call, b: Call) -> list[Reason]:
    """Another function object: of other values, or of the same ones."""
    if not a.function or not b.function or a.function == b.function:
        return []
    changed = _changed("closure", a.closure, b.closure)
    if changed:
        return changed
    made = "around the one" if b.wrapped else "made"
    where = f", {made} at {b.source.file}:{b.source.line}" if b.source is not None else ""
    if a.source != b.source:
        return [Reason("function", (f"another function of that name{where}",))]
    kind = "lambda" if b.name == "<lambda>" else "function"
    return [Reason("function", (f"a new {kind} of the same code and values{where}",))]


def _statics(a: Call, b: Call) -> list[Reason]:
    """Static values: others, or objects that no equality of theirs makes the same."""
    objects: list[str] = []
    values: list[str] = []
    before = dict(a.statics)
    for name, text in b.statics:
        if name in before and before[name] != text:
            same = _unnumbered(before[name]) == _unnumbered(text)
            (objects if same else values).append(f"{name}: {_change(before[name], text)}")
    after = dict(b.statics)
    values += [f"{name}: new, {_unnumbered(text)}" for name, text in b.statics if name not in before]
    values += [f"{name}: gone, was {_unnumbered(text)}" for name, text in a.statics if name not in after]
    return [Reason(kind, cut(lines)) for kind, lines in (("static", values), ("static-object", objects)) if lines]


def _unnumbered(text: str) -> str:
    """The text of an object without the number that tells it from others."""
    return _NUMBER.sub("", text)


def _change(before: str, after: str) -> str:
    """``2 -> 3``; of objects that look alike, that it is another one."""
    x, y = _unnumbered(before), _unnumbered(after)
    return f"another object, {y}" if x == y else f"{x} -> {y}"


def _changed(kind: str, a: Pairs, b: Pairs) -> list[Reason]:
    before, after = dict(a), dict(b)
    names = [*after, *(name for name in before if name not in after)]
    lines = [
        f"{name}: {_change(before.get(name, 'none'), after.get(name, 'none'))}"
        for name in names
        if before.get(name) != after.get(name)
    ]
    return [Reason(kind, cut(lines))] if lines else []


def cut(lines: Sequence[str]) -> tuple[str, ...]:
    """The first lines, and how many more there are."""
    if len(lines) <= SHOWN:
        return tuple(lines)
    return (*lines[: SHOWN - 1], f"and {len(lines) - SHOWN + 1} more")
