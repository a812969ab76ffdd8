"""Random draws: each with where its key comes from, and which keys are used twice.

A key is used by a draw and by a split; a fold_in leaves its key usable. Two uses of one key are reuse, unless they
stand in different branches of one choice; a draw inside a loop whose key does not depend on the trip draws the same
numbers each time. A use of all keys of an array also uses each of them. Keys that cannot be followed warn of nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scanir.ir.graph import Location, Op
from scanir.ir.structure import CALLS, label
from scanir.normalize.binders import Loop, Trace
from scanir.normalize.origins import Origin, Origins, base_name, named
from scanir.normalize.side import Side
from scanir.normalize.values import Table
from scanir.program import Argument

#: Ops that draw -> how many operands are the key (0: a state that the op itself holds).
DRAWS = {
    "random_bits": 1, "random_gamma": 1, "threefry2x32": 2, "threefry4x32": 4, "philox2x32": 1, "philox4x32": 2,
    "rng_bit_generator": 1, "stablehlo.rng_bit_generator": 1, "rng-bit-generator": 1, "rng_uniform": 0,
    "stablehlo.rng": 0, "rng": 0, "rng-get-and-update-state": 0,
}  # fmt: skip
CUSTOM = frozenset({"custom-call", "stablehlo.custom_call"})


@dataclass(frozen=True, slots=True)
class KeyUse:
    """``what``: ``draw`` or ``split``. ``op``: the op, or the function of JAX that is called. ``origin`` is None where
    there is no key. ``loops``: paths of the loops around it, outer first."""

    what: str
    op: str
    path: str
    type: str
    location: Location | None
    origin: Origin | None
    loops: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reuse:
    """One key used twice (``second`` is set), or in each trip of ``loop`` alike."""

    key: str
    first: KeyUse
    second: KeyUse | None = None
    loop: str = ""


@dataclass(frozen=True, slots=True)
class _Found:
    use: KeyUse
    around: tuple[tuple[int, str], ...]
    branches: Mapping[int, int]


def draws(side: Side, shared: Table, arguments: Mapping[int, Argument]) -> tuple[tuple[KeyUse, ...], tuple[Reuse, ...]]:
    """All draws of a side in the order of the program, and the reuses among draws and splits.

    ``shared`` is the table of the side's canonical terms, ``arguments[k]`` the argument that has number k in it.
    """
    origins = Origins(side, shared, arguments)
    found = [
        _Found(_use(entry, origins, side), entry.around, entry.branches) for entry in _entries(side) if _what(entry.op)
    ]
    return tuple(each.use for each in found if each.use.what == "draw"), tuple(_reuses(found, origins))


@dataclass(frozen=True, slots=True)
class _Entry:
    """An op with its term and place: loops around (depth, path), choices around (selector -> branch), and the line of
    the innermost call around it that has one (JAX's own functions have none of the user's)."""

    op: Op
    term: int
    path: str
    around: tuple[tuple[int, str], ...]
    branches: Mapping[int, int]
    location: Location | None


def _entries(side: Side) -> Iterator[_Entry]:
    """All ops of a side, in the order of the traces."""
    start = (side.trace, side.program.module.entry)
    parts = [(trace, name) for name, (_, trace, _) in side.parts.items() if name not in side.evaluator.kept]
    for root, entry in (start, *parts):
        nothing: Mapping[int, int] = {}
        stack: list[tuple[Trace, str, tuple[tuple[int, str], ...], Mapping[int, int], Location | None]] = [
            (root, entry, (), nothing, None)
        ]
        while stack:
            trace, path, around, branches, location = stack.pop()
            for op, term in trace.entries:
                yield _Entry(op, term, f"{path}/{label(op)}", around, branches, op.location or location)
            for inner in reversed(trace.inner):
                below, chosen = around, branches
                step = inner.label or inner.kind
                if isinstance(inner.binder, Loop):
                    step = inner.binder.op.name
                    below = (*around, (inner.binder.depth, f"{path}/{step}"))
                if inner.selector is not None:
                    chosen = {**branches, inner.selector[0]: inner.selector[1]}
                where = inner.op.location if inner.op is not None and inner.op.location else location
                stack.append((inner, f"{path}/{step}", below, chosen, where))


def _what(op: Op) -> str:
    """``draw`` or ``split``, empty for what uses no key."""
    if op.name in DRAWS or (op.name in CUSTOM and "threefry" in _target(op)):
        return "draw"
    if op.name == "random_split":
        return "split"
    found = named(op)
    return found if found in ("draw", "split") else ""


def _target(op: Op) -> str:
    target = op.attribute("call_target_name") or op.attribute("custom_call_target")
    return str(getattr(target, "value", ""))


def _use(entry: _Entry, origins: Origins, side: Side) -> KeyUse:
    op, term = entry.op, entry.term
    children = side.evaluator.table.children(term) if term >= 0 else ()
    operands = children[1:] if op.name in CALLS else children
    count = 1 if op.name in CALLS else DRAWS.get(op.name, 1)
    name = base_name(getattr(op.attribute("callee"), "name", "")) if op.name in CALLS else op.name
    origin = origins.of(operands[0]) if count and operands else None
    types = ", ".join(str(result.type) for result in op.results)
    return KeyUse(_what(op), name, entry.path, types, entry.location, origin, tuple(loop for _, loop in entry.around))


def _reuses(found: list[_Found], origins: Origins) -> Iterator[Reuse]:
    """Pairs of uses of one key: each use against the first one that it does not exclude."""
    seen: dict[tuple[object, ...], list[_Found]] = {}
    for each in found:
        origin = each.use.origin
        if origin is None:
            continue
        if each.use.what == "draw" and each.around:
            depends = origins.depends(origin)
            for depth, loop in reversed(each.around):
                if not depends >> depth & 1:
                    yield Reuse(origin.text, each.use, loop=loop)
                    break
        earlier = next((other for key in _keys(origin) for other in seen.get(key, ()) if _meet(each, other)), None)
        if earlier is not None:
            yield Reuse(origin.text, earlier.use, each.use)
        kept = seen.setdefault(origin.identity, [])
        if len(kept) < 8:  # uses in so many branches that exclude each other: enough to compare with
            kept.append(each)


def _keys(origin: Origin) -> Iterator[tuple[object, ...]]:
    """The key itself, and the array of keys that it is an element of."""
    yield origin.identity
    if origin.steps and origin.steps[0].kind == "index":
        yield (origin.root, *[step.same for step in origin.steps[1:]])


def _meet(left: _Found, right: _Found) -> bool:
    """False where the two stand in different branches of one choice."""
    return all(right.branches.get(selector, index) == index for selector, index in left.branches.items())
