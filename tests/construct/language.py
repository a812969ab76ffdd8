"""A random JAX program as small data: blocks of statements over names that are unique in the whole program.

What a program *is* stands here; `tests.construct.build` makes a JAX function of it, `tests.construct.rewrites` changes
it and keeps its meaning, `tests.construct.perturb` changes its meaning. A block sees the names of the blocks around it,
as a Python function sees those of its closure; whether a value is passed on or closed over is part of the spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

#: Types: a scalar f32, a vector f32[3], a scalar i32, four scalars f32[4] that a scan of four trips can go over.
#: (A name of type ``stack`` holds what some other number of trips stacked; nothing reads it but the results.)
TYPES = ("f", "v", "i", "x")
#: How many trips a loop over scanned inputs makes.
SCANNED = 4
BINARY = ("add", "sub", "mul", "max", "where")


@dataclass(frozen=True, slots=True)
class Const:
    value: float | int
    type: str = "f"


Atom: TypeAlias = "str | Const"


@dataclass(frozen=True, slots=True)
class Block:
    """Statements, then what the block hands on."""

    stmts: tuple[Stmt, ...]
    results: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Let:
    out: str
    op: str
    args: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """``kind``: scan, fori or while. The body's parameters are ``carries`` and, of a scan, ``elems`` of ``xs``; its
    results are the next values of the carries, then what a scan stacks as ys. ``index`` is the trip number (fori,
    while). A while goes on while ``index < trips`` and, with ``also``, while the first atom is not above the second.
    ``tree``: how the carry is packed.
    """

    kind: str
    outs: tuple[str, ...]
    carries: tuple[str, ...]
    inits: tuple[Atom, ...]
    body: Block
    trips: Atom
    index: str = ""
    also: tuple[Atom, Atom] | None = None
    tree: str = "tuple"
    xs: tuple[Atom, ...] = ()
    elems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cond:
    """If the first atom is less than the second. ``params`` are handed to both branches; the rest is closed over."""

    outs: tuple[str, ...]
    test: tuple[Atom, Atom]
    branches: tuple[Block, Block]
    params: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    args: tuple[Atom, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A function of its own, jitted or plain; ``params`` are bound to ``args``, the rest is closed over."""

    outs: tuple[str, ...]
    block: Block
    params: tuple[str, ...] = ()
    args: tuple[Atom, ...] = ()
    jit: bool = True
    label: str = "inner"


Stmt: TypeAlias = "Let | Loop | Cond | Call"


@dataclass(frozen=True, slots=True)
class Program:
    """``types`` of all names. ``style``: how the results are packed, ``names``: what the parameters are called."""

    params: tuple[str, ...]
    block: Block
    types: Mapping[str, str] = field(hash=False)
    style: str = "tuple"

    def type(self, atom: Atom) -> str:
        return atom.type if isinstance(atom, Const) else self.types[atom]


#: Where a block is: (index of a statement, which of its blocks), from the outermost in.
Path: TypeAlias = "tuple[tuple[int, int], ...]"


def blocks_of(stmt: Stmt) -> tuple[Block, ...]:
    match stmt:
        case Loop():
            return (stmt.body,)
        case Cond():
            return stmt.branches
        case Call():
            return (stmt.block,)
        case Let():
            return ()


def with_block(stmt: Stmt, part: int, block: Block) -> Stmt:
    match stmt:
        case Loop():
            return replace(stmt, body=block)
        case Cond(branches=(first, second)):
            return replace(stmt, branches=(block, second) if part == 0 else (first, block))
        case Call():
            return replace(stmt, block=block)
        case Let():
            raise AssertionError("no blocks in it")


def bound_in(stmt: Stmt, part: int) -> tuple[str, ...]:
    """The parameters of one of a statement's blocks."""
    match stmt:
        case Loop():
            return (*stmt.carries, *stmt.elems, *((stmt.index,) if stmt.index else ()))
        case Cond():
            return stmt.params[part]
        case Call():
            return stmt.params
        case Let():
            return ()


def outs_of(stmt: Stmt) -> tuple[str, ...]:
    return (stmt.out,) if isinstance(stmt, Let) else stmt.outs


def atoms_of(stmt: Stmt) -> tuple[Atom, ...]:
    """What a statement itself reads, its blocks aside."""
    match stmt:
        case Let():
            return stmt.args
        case Loop():
            return (*stmt.inits, *stmt.xs, stmt.trips)
        case Cond():
            return (*stmt.test, *stmt.args)
        case Call():
            return stmt.args


# -- places ------------------------------------------------------------------------------------------------------------


def places(program: Program) -> Iterator[tuple[Path, Block]]:
    """All blocks, outer before inner."""
    stack: list[tuple[Path, Block]] = [((), program.block)]
    while stack:
        path, block = stack.pop()
        yield path, block
        for k, stmt in enumerate(block.stmts):
            stack += [((*path, (k, part)), inner) for part, inner in enumerate(blocks_of(stmt))]


def put(program: Program, path: Path, block: Block) -> Program:
    """The program with another block at a place."""
    chain = [program.block]
    for k, part in path:
        chain.append(blocks_of(chain[-1].stmts[k])[part])
    for (k, part), outer in zip(reversed(path), reversed(chain[:-1]), strict=True):
        stmt = with_block(outer.stmts[k], part, block)
        block = replace(outer, stmts=(*outer.stmts[:k], stmt, *outer.stmts[k + 1 :]))
    return replace(program, block=block)


def visible(program: Program, path: Path, index: int) -> list[str]:
    """The names in scope before statement ``index`` of the block at ``path``."""
    names, block = list(program.params), program.block
    for k, part in path:
        for stmt in block.stmts[:k]:
            names += outs_of(stmt)
        names += bound_in(block.stmts[k], part)
        block = blocks_of(block.stmts[k])[part]
    for stmt in block.stmts[:index]:
        names += outs_of(stmt)
    return names


# -- names -------------------------------------------------------------------------------------------------------------


def free(block: Block, bound: tuple[str, ...] = ()) -> dict[str, None]:
    """The names that a block uses and does not define, in order."""
    found: dict[str, None] = {}
    defined = set(bound)
    for stmt in block.stmts:
        for atom in reads(stmt):
            if atom not in defined:
                found[atom] = None
        defined.update(outs_of(stmt))
    found.update((atom, None) for atom in block.results if isinstance(atom, str) and atom not in defined)
    return found


def reads(stmt: Stmt) -> dict[str, None]:
    """The names that a statement needs, its blocks included."""
    found: dict[str, None] = {atom: None for atom in atoms_of(stmt) if isinstance(atom, str)}
    for part, block in enumerate(blocks_of(stmt)):
        found.update(free(block, bound_in(stmt, part)))
    if isinstance(stmt, Loop) and stmt.also is not None:
        found.update((a, None) for a in stmt.also if isinstance(a, str) and a not in bound_in(stmt, 0))
    return found


def renamed(block: Block, names: Callable[[Atom], Atom], *, define: bool = False) -> Block:
    """A block with its atoms mapped; with ``define`` the names it defines, too."""
    stmts = tuple(renamed_stmt(stmt, names, define=define) for stmt in block.stmts)
    return Block(stmts, tuple(names(atom) for atom in block.results))


def renamed_stmt(stmt: Stmt, names: Callable[[Atom], Atom], *, define: bool = False) -> Stmt:
    def defined(name: str) -> str:
        new = names(name) if define and name else name
        assert isinstance(new, str)
        return new

    def all_of(atoms: tuple[Atom, ...]) -> tuple[Atom, ...]:
        return tuple(names(atom) for atom in atoms)

    match stmt:
        case Let():
            return Let(defined(stmt.out), stmt.op, all_of(stmt.args))
        case Loop():
            return replace(
                stmt, outs=tuple(map(defined, stmt.outs)), carries=tuple(map(defined, stmt.carries)),
                inits=all_of(stmt.inits), body=renamed(stmt.body, names, define=define), trips=names(stmt.trips),
                index=defined(stmt.index), also=stmt.also and (names(stmt.also[0]), names(stmt.also[1])),
                xs=all_of(stmt.xs), elems=tuple(map(defined, stmt.elems)),
            )  # fmt: skip
        case Cond():
            return Cond(
                tuple(map(defined, stmt.outs)), (names(stmt.test[0]), names(stmt.test[1])),
                (renamed(stmt.branches[0], names, define=define), renamed(stmt.branches[1], names, define=define)),
                (tuple(map(defined, stmt.params[0])), tuple(map(defined, stmt.params[1]))), all_of(stmt.args),
            )  # fmt: skip
        case Call():
            return replace(
                stmt, outs=tuple(map(defined, stmt.outs)), block=renamed(stmt.block, names, define=define),
                params=tuple(map(defined, stmt.params)), args=all_of(stmt.args),
            )  # fmt: skip


def put_for(name: str, atom: Atom) -> Callable[[Atom], Atom]:
    """The substitution of one name. Names are unique, so nothing is captured."""
    return lambda found: atom if found == name and isinstance(found, str) else found


def result_type(op: str, types: tuple[str, ...]) -> str:
    if op in ("lift", "get"):
        return "f"
    return "v" if "v" in types else types[0]
