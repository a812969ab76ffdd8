"""Orders over the graph: all ops, their places, uses, captures, and what attributes mention.

All of it is iterative and linear in the size of the graph: a region that several ops share is entered once.
Refuses nothing and checks nothing (`scanir.ir.verify` does); the graph is not changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from scanir.ir.attrs import (
    Array,
    Attr,
    Attrs,
    Bool,
    Callable,
    Digest,
    Float,
    Hidden,
    Int,
    Opaque,
    Record,
    Seq,
    Symbol,
    Text,
    TypeAttr,
)  # fmt: skip
from scanir.ir.graph import Module, Op, Region, Value
from scanir.ir.types import OpaqueType, TensorType, TokenType, TupleType, Type


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """An op and its place. ``path`` names it in the module: ``main/scan#2/add`` is the first add in the second scan of
    main, ``main/while:1/mul`` is in region 1 of a while. ``depth`` counts the regions around it, 1 at the top."""

    path: str
    op: Op
    region: Region
    depth: int


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """One use of a value. ``op`` is None where a region hands the value on as its result ``index``."""

    region: Region
    op: Op | None
    index: int


def ops_of(region: Region) -> Iterator[Op]:
    """All ops inside a region, nested ones after the op they belong to."""
    seen = {id(region)}
    stack = [iter(region.ops)]
    while stack:
        for op in stack[-1]:
            yield op
            fresh = []
            for inner in op.regions:
                if id(inner) not in seen:
                    seen.add(id(inner))
                    fresh.append(iter(inner.ops))
            if fresh:
                stack.extend(reversed(fresh))
                break
        else:
            stack.pop()


def regions_of(region: Region) -> Iterator[Region]:
    """The region itself, then all regions inside it, outer before inner."""
    yield region
    seen = {id(region)}
    for op in ops_of(region):
        for inner in op.regions:
            if id(inner) not in seen:
                seen.add(id(inner))
                yield inner


def sites(module: Module) -> Iterator[Site]:
    """All ops of a module with their places, function by function in the order of `ops_of`."""
    seen: set[int] = set()
    for function in module.functions:
        seen.add(id(function.body))
        stack = [_children(function.name, function.body, 1)]
        while stack:
            for site in stack[-1]:
                yield site
                fresh = []
                for index, inner in enumerate(site.op.regions):
                    if id(inner) not in seen:
                        seen.add(id(inner))
                        path = f"{site.path}:{index}" if len(site.op.regions) > 1 else site.path
                        fresh.append(_children(path, inner, site.depth + 1))
                if fresh:
                    stack.extend(reversed(fresh))
                    break
            else:
                stack.pop()


def _children(path: str, region: Region, depth: int) -> Iterator[Site]:
    counts: dict[str, int] = {}
    for op in region.ops:
        count = counts[op.name] = counts.get(op.name, 0) + 1
        yield Site(f"{path}/{op.name}#{count}" if count > 1 else f"{path}/{op.name}", op, region, depth)


def uses(region: Region) -> dict[Value, tuple[Use, ...]]:
    """Who uses each value, in order, inside the region and the regions in it. Control uses are none."""
    found: dict[Value, list[Use]] = {}
    for inner in regions_of(region):
        for op in inner.ops:
            for index, value in enumerate(op.operands):
                found.setdefault(value, []).append(Use(inner, op, index))
        for index, value in enumerate(inner.results):
            found.setdefault(value, []).append(Use(inner, None, index))
    return {value: tuple(where) for value, where in found.items()}


def captures(region: Region) -> tuple[Value, ...]:
    """Values from outside that the region or a region in it uses (control included), in order of first use."""
    inside: set[Value] = set()
    used: dict[Value, None] = {}
    for inner in regions_of(region):
        inside.update(inner.params)
        for op in inner.ops:
            inside.update(op.results)
            used.update(dict.fromkeys((*op.operands, *op.control)))
        used.update(dict.fromkeys(inner.results))
    return tuple(value for value in used if value not in inside)


def attrs_in(roots: Iterable[Attr]) -> Iterator[Attr]:
    """The attributes themselves and all attributes inside them (items, fields, extras of types), outer before inner."""
    stack: list[Attr | Type] = [*roots]
    stack.reverse()
    while stack:
        node = stack.pop()
        match node:
            case TensorType(extras=extras):
                stack.extend(value for _, value in reversed(extras))
            case TupleType(elements=elements):
                stack.extend(reversed(elements))
            case Seq(items=items):
                yield node
                stack.extend(reversed(items))
            case Record(fields=fields):
                yield node
                stack.extend(value for _, value in reversed(fields))
            case TypeAttr(type=type):
                yield node
                stack.append(type)
            case TokenType() | OpaqueType():
                pass
            case _:
                yield node


#: Attributes with nothing inside: nearly all of them.
LEAVES = frozenset({Array, Bool, Callable, Digest, Float, Hidden, Int, Opaque, Text})


def _is_plain_list(attr: Attr) -> bool:
    return type(attr) is Seq and LEAVES.issuperset(map(type, attr.items))


def symbols(attributes: Attrs) -> tuple[str, ...]:
    """Names of the functions that attributes mention, at any depth."""
    # Asked of every op in every attempt at a proof: what has nothing inside is passed over without a walk.
    roots = [value for _, value in attributes if type(value) not in LEAVES and not _is_plain_list(value)]
    if not roots:
        return ()
    return tuple(attr.name for attr in attrs_in(roots) if type(attr) is Symbol)
