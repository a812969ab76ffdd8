"""Facts beside a verdict that a person asks for next: which results correspond, what became of arguments, weak types.

Nothing here decides anything. Promises one sentence a fact, in a fixed order, and few of them: what both sides have
alike is no fact.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from scanir.ir.attrs import Bool
from scanir.ir.types import TOKEN, TensorType, Type
from scanir.program import Program
from scanir.result import Fact, Verdict

#: Names, numbers or types listed in one fact.
LISTED = 8


def facts(
    a: Program,
    b: Program,
    verdict: Verdict,
    results: tuple[list[int], list[int]] | None,
    renamed: Sequence[tuple[str, str]],
    *,
    forwarded: bool,
) -> tuple[Fact, ...]:
    """The facts of one stage. ``results``: canonical ids of the results of both sides, where an attempt was made;
    ``renamed``: functions that are paired under unlike names; ``forwarded``: what is surplus is explained already."""
    found: list[Fact] = []
    if results is not None and len(results[0]) != len(results[1]):
        found += _outputs(*results, forwarded=forwarded)
    if a.interface.kept != b.interface.kept:
        found += _kept(a, b)
    if a.stage == "jaxpr":
        found += _weak(a, b)
    if verdict is Verdict.IDENTICAL and renamed:
        pairs = [f"@{x} is @{y}" for x, y in renamed]
        found.append(Fact("names", "", f"functions of a and b differ in name alone: {_list(pairs)}"))
    return tuple(found)


def _list(items: Iterable[object]) -> str:
    texts = [str(item) for item in items]
    more = f" and {len(texts) - LISTED} more" if len(texts) > LISTED else ""
    return f"{', '.join(texts[:LISTED])}{more}"


def _outputs(left: list[int], right: list[int], *, forwarded: bool) -> list[Fact]:
    """Which results of one side are which of the other, whatever their places."""
    found = [Fact("outputs", "", f"a has {len(left)}, b has {len(right)}")]
    places: dict[int, list[int]] = defaultdict(list)
    for k, term in reversed(list(enumerate(right))):
        places[term].append(k)
    pairs = [(k, places[term].pop()) for k, term in enumerate(left) if places[term]]
    if pairs:
        mine, others = _list(k for k, _ in pairs), _list(k for _, k in pairs)
        verb = "is output" if len(pairs) == 1 else "are outputs"
        found.append(Fact("outputs", "", f"output{'' if len(pairs) == 1 else 's'} {mine} of a {verb} {others} of b"))
    for side, terms, taken in (("a", left, {k for k, _ in pairs}), ("b", right, {k for _, k in pairs})):
        alone = [k for k in range(len(terms)) if k not in taken]
        if alone and not forwarded:
            noun = "output" if len(alone) == 1 else "outputs"
            found.append(Fact("outputs", side, f"{noun} {_list(alone)} without a counterpart"))
    return found


def _kept(a: Program, b: Program) -> list[Fact]:
    """Which argument each parameter of the module is, where jit dropped some on either side."""
    programs = (a, b)
    if all(_dropped(program) == [] for program in programs):
        return []
    found = []
    for side, program in zip("ab", programs, strict=True):
        arguments = program.interface.arguments
        kept = [arguments[index].name for index in program.interface.kept if index >= 0]
        text = _list(f"{k} = {name}" for k, name in enumerate(kept)) or "none"
        dropped = _dropped(program)
        found.append(
            Fact("arguments of the module", side, f"{text}; jit dropped {_list(dropped)}" if dropped else text)
        )
    return found


def _dropped(program: Program) -> list[str]:
    kept = set(program.interface.kept)
    return [argument.name for k, argument in enumerate(program.interface.arguments) if k not in kept]


def _weak(a: Program, b: Program) -> list[Fact]:
    """Arguments and results whose weak_type bit differs, with their types on both sides."""
    found = []
    bodies = [program.module.function(program.module.entry).body for program in (a, b)]
    for what, lists in (("argument", [body.params for body in bodies]), ("result", [body.results for body in bodies])):
        types = [[value.type for value in values if value.type != TOKEN] for values in lists]
        if len(types[0]) != len(types[1]):
            continue
        for k, (x, y) in enumerate(zip(*types, strict=True)):
            if _bit(x) != _bit(y) and _strong(x) == _strong(y):
                found.append(Fact("weak types", "", f"{what} {k}: {_shown(x)} in a, {_shown(y)} in b"))
    if not found:
        return []
    after = "the same program is lowered, but jit's cache key differs: passing one for the other traces again"
    return [*found[:LISTED], Fact("weak types", "", after)]


def _bit(type: Type) -> bool:
    return isinstance(type, TensorType) and ("weak_type", Bool(True)) in type.extras


def _strong(type: Type) -> object:
    return (type.dtype, type.shape) if isinstance(type, TensorType) else type


def _shown(type: Type) -> str:
    return f"{'weak ' if _bit(type) else ''}{type}"
