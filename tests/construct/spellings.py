"""More rewrites that keep meaning: functions, order, names, packing, work moved or repeated, counters."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.construct.language import (
    Block,
    Call,
    Cond,
    Const,
    Let,
    Path,
    Program,
    Stmt,
    blocks_of,
    bound_in,
    free,
    outs_of,
    places,
    put,
    put_for,
    reads,
    renamed,
    visible,
)  # fmt: skip
from tests.construct.rewrites import Names, at, exchanged, loops, rewrite, some_uses, with_carry

TREES = ("tuple", "list", "dict", "reversed dict", "nested")


# -- functions ---------------------------------------------------------------------------------------------------------


@rewrite
def body_wrapped_in_jit(program: Program, rng: random.Random) -> Program | None:
    """A call of a jitted function is its body."""
    found = loops(program)
    if not found:
        return None
    path, k, loop = rng.choice(found)
    names = Names(program)
    outs = tuple(names.new(program.type(atom), "j") for atom in loop.body.results)
    params = tuple(names.new(program.types[carry]) for carry in loop.carries)
    into = dict(zip(loop.carries, params, strict=True))
    block = renamed(loop.body, lambda atom: into.get(atom, atom) if isinstance(atom, str) else atom)
    call = Call(outs, block, params, loop.carries, True, rng.choice(("step", "body", "update")))
    return exchanged(program, path, k, replace(loop, body=Block((call,), outs)), names)


@rewrite
def function_outlined(program: Program, rng: random.Random) -> Program | None:
    """Statements in a row are a function of what they read, passed or closed over."""
    chosen = [(path, block) for path, block in places(program) if block.stmts]
    path, block = rng.choice(chosen)
    first = rng.randrange(len(block.stmts))
    last = rng.randint(first + 1, len(block.stmts))
    names = Names(program)
    inside, rest = block.stmts[first:last], Block(block.stmts[last:], block.results)
    results = tuple(name for stmt in inside for name in outs_of(stmt) if name in free(rest))
    outs = tuple(names.new(names.types[name], "j") for name in results)
    args = tuple(name for name in free(Block(inside, ())) if rng.random() < 0.5)
    params = tuple(names.new(names.types[name]) for name in args)
    into = dict(zip(args, params, strict=True))
    body = renamed(Block(inside, results), lambda atom: into.get(atom, atom) if isinstance(atom, str) else atom)
    call = Call(outs, body, params, args, rng.random() < 0.7, rng.choice(("part", "inner", "helper")))
    after = dict(zip(results, outs, strict=True))
    rest = renamed(rest, lambda atom: after.get(atom, atom) if isinstance(atom, str) else atom)
    done = Block((*block.stmts[:first], call, *rest.stmts), rest.results)
    return put(replace(program, types=names.types), path, done)


@rewrite
def function_inlined(program: Program, rng: random.Random) -> Program | None:
    """The same law read backwards."""
    chosen = [(p, k, stmt) for p, b in places(program) for k, stmt in enumerate(b.stmts) if isinstance(stmt, Call)]
    if not chosen:
        return None
    path, k, call = rng.choice(chosen)
    into = dict(zip(call.params, call.args, strict=True))
    inner = renamed(call.block, lambda atom: into.get(atom, atom) if isinstance(atom, str) else atom)
    block = at(program, path)
    after = dict(zip(call.outs, inner.results, strict=True))
    rest = renamed(
        Block(block.stmts[k + 1 :], block.results),
        lambda atom: after.get(atom, atom) if isinstance(atom, str) else atom,
    )
    return put(program, path, Block((*block.stmts[:k], *inner.stmts, *rest.stmts), rest.results))


# -- order, names, packing ---------------------------------------------------------------------------------------------


@rewrite
def statements_reordered(program: Program, rng: random.Random) -> Program | None:
    """Statements that do not read each other may change places: nothing here has an effect."""
    changed = False
    for path, _ in list(places(program)):
        block = at(program, path)
        stmts = list(block.stmts)
        where = list(range(len(stmts)))
        for _ in range(len(stmts)):
            k = rng.randrange(max(1, len(stmts) - 1))
            if k + 1 < len(stmts) and not set(outs_of(stmts[k])) & set(reads(stmts[k + 1])):
                stmts[k : k + 2], where[k : k + 2] = stmts[k : k + 2][::-1], where[k : k + 2][::-1]
        if where != sorted(where) and not path_moves(program, path):
            program = put(program, path, Block(tuple(stmts), block.results))
            changed = True
            break
    return program if changed else None


def path_moves(program: Program, path: Path) -> bool:
    """Whether a place is not there (after a change)."""
    return not any(found == path for found, _ in places(program))


@rewrite
def names_changed(program: Program, rng: random.Random) -> Program | None:
    """Names say nothing. (Keys of a dict put its leaves in order, so a carry packed as one is permuted.)"""
    names = [name for name in program.types if name not in program.params]
    fresh = [f"z{k}" for k in range(len(names))]
    rng.shuffle(fresh)
    into = dict(zip(names, fresh, strict=True))
    types = {into.get(name, name): type for name, type in program.types.items()}
    block = renamed(program.block, lambda atom: into.get(atom, atom) if isinstance(atom, str) else atom, define=True)
    return replace(program, block=block, types=types)


@rewrite
def packed_otherwise(program: Program, rng: random.Random) -> Program | None:
    """A carry may be packed as any tree; a dict may list its keys in any order."""
    found = loops(program)
    if not found:
        return None
    path, k, loop = rng.choice(found)
    tree = rng.choice([tree for tree in TREES if tree != loop.tree])
    return exchanged(program, path, k, replace(loop, tree=tree), Names(program))


@rewrite
def results_packed_otherwise(program: Program, rng: random.Random) -> Program | None:
    """Results may be packed as any tree with the same leaves in order."""
    return replace(program, style=rng.choice([tree for tree in TREES if tree != program.style]))


# -- work moved, repeated, left out ------------------------------------------------------------------------------------


@rewrite
def moved_out(program: Program, rng: random.Random) -> Program | None:
    """Pure work on what a body or branch does not change may be done before it."""
    chosen = []
    for path, block in places(program):
        for k, stmt in enumerate(block.stmts):
            for part, inner in enumerate(blocks_of(stmt)):
                inside = {*bound_in(stmt, part), *(name for s in inner.stmts for name in outs_of(s))}
                chosen += [
                    (path, k, part, j)
                    for j, s in enumerate(inner.stmts)
                    if not inside & set(reads(s)) and not isinstance(stmt, Call)
                ]
    if not chosen:
        return None
    path, k, part, j = rng.choice(chosen)
    here = (*path, (k, part))
    inner = at(program, here)
    moved = inner.stmts[j]
    program = put(program, here, Block((*inner.stmts[:j], *inner.stmts[j + 1 :]), inner.results))
    outer = at(program, path)
    return put(program, path, Block((*outer.stmts[:k], moved, *outer.stmts[k:]), outer.results))


@rewrite
def moved_in(program: Program, rng: random.Random) -> Program | None:
    """The same law read backwards: work that only one body or branch needs is done in it."""
    chosen = []
    for path, block in places(program):
        for j, moved in enumerate(block.stmts):
            for k in range(j + 1, len(block.stmts)):
                users = [s for s in block.stmts[j + 1 :] if set(outs_of(moved)) & set(reads(s))]
                if users != [block.stmts[k]] or set(outs_of(moved)) & set(map(str, block.results)):
                    continue
                for part, inner in enumerate(blocks_of(block.stmts[k])):
                    within = set(free(inner, bound_in(block.stmts[k], part)))
                    elsewhere = set(reads(_without(block.stmts[k], part)))
                    if set(outs_of(moved)) & within and not set(outs_of(moved)) & elsewhere:
                        chosen.append((path, j, k, part))
    if not chosen:
        return None
    path, j, k, part = rng.choice(chosen)
    moved = at(program, path).stmts[j]
    here = (*path, (k, part))
    inner = at(program, here)
    program = put(program, here, Block((moved, *inner.stmts), inner.results))
    outer = at(program, path)
    return put(program, path, Block((*outer.stmts[:j], *outer.stmts[j + 1 :]), outer.results))


def _without(stmt: Stmt, part: int) -> Stmt:
    """A statement with one of its blocks emptied: what else of it reads a name."""
    from tests.construct.language import with_block

    return with_block(stmt, part, Block((), ()))


@rewrite
def work_repeated(program: Program, rng: random.Random) -> Program | None:
    """Pure work done twice gives the same twice."""
    chosen = [(p, k, stmt) for p, b in places(program) for k, stmt in enumerate(b.stmts) if isinstance(stmt, Let)]
    if not chosen:
        return None
    path, k, stmt = rng.choice(chosen)
    names = Names(program)
    again = names.new(names.types[stmt.out])
    block = at(program, path)
    rest = renamed(Block(block.stmts[k + 1 :], block.results), some_uses(rng, stmt.out, again))
    done = Block((*block.stmts[: k + 1], replace(stmt, out=again), *rest.stmts), rest.results)
    return put(replace(program, types=names.types), path, done)


@rewrite
def dead_work(program: Program, rng: random.Random) -> Program | None:
    """Work that nobody reads."""
    path, block = rng.choice(list(places(program)))
    k = rng.randint(0, len(block.stmts))
    scope = [name for name in visible(program, path, k) if program.types[name] in "fv"]
    names = Names(program)
    read = rng.choice(scope)
    stmt = Let(names.new(program.types[read]), rng.choice(("sin", "tanh")), (read,))
    done = Block((*block.stmts[:k], stmt, *block.stmts[k:]), block.results)
    return put(replace(program, types=names.types), path, done)


@rewrite
def operands_exchanged(program: Program, rng: random.Random) -> Program | None:
    """x + y is y + x, x * y is y * x, up to which NaN."""
    chosen = [
        (path, k, stmt)
        for path, block in places(program)
        for k, stmt in enumerate(block.stmts)
        if isinstance(stmt, Let) and stmt.op in ("add", "mul")
    ]
    if not chosen:
        return None
    path, k, stmt = rng.choice(chosen)
    return exchanged(program, path, k, replace(stmt, args=stmt.args[::-1]), Names(program))


@rewrite
def neutral_element(program: Program, rng: random.Random) -> Program | None:
    """x * 1 and x - 0 are x."""
    chosen = [
        (path, k, stmt)
        for path, block in places(program)
        for k, stmt in enumerate(block.stmts)
        if isinstance(stmt, Let) and program.types[stmt.out] in "fv"
    ]
    if not chosen:
        return None
    path, k, stmt = rng.choice(chosen)
    names = Names(program)
    out = names.new(names.types[stmt.out])
    op, neutral = rng.choice((("mul", Const(1.0)), ("sub", Const(0.0))))
    first = replace(stmt, out=out)
    return exchanged(program, path, k, Let(stmt.out, op, (out, neutral)), names, before=(first,))


# -- scanned and stacked -----------------------------------------------------------------------------------------------


@rewrite
def scanned_twice(program: Program, rng: random.Random) -> Program | None:
    """One array scanned as two inputs gives equal elements, in any order of the inputs."""
    chosen = [found for found in loops(program) if found[2].xs]
    if not chosen:
        return None
    path, k, loop = rng.choice(chosen)
    names = Names(program)
    old, again, x = loop.elems[0], names.new("f", "e"), loop.xs[0]
    pairs = [*zip(loop.elems, loop.xs, strict=True), (again, x)]
    rng.shuffle(pairs)
    new = replace(
        loop, elems=tuple(elem for elem, _ in pairs), xs=tuple(x for _, x in pairs),
        body=renamed(loop.body, some_uses(rng, old, again)),
    )  # fmt: skip
    return exchanged(program, path, k, new, names)


@rewrite
def stacked_twice(program: Program, rng: random.Random) -> Program | None:
    """One value stacked as two outputs gives equal arrays; a stacked value that nobody reads says nothing."""
    chosen = [found for found in loops(program) if found[2].kind == "scan"]
    if not chosen:
        return None
    path, k, loop = rng.choice(chosen)
    names, count = Names(program), len(loop.carries)
    ys = list(zip(loop.outs[count:], loop.body.results[count:], strict=True))
    after = None
    if ys:
        old, value = ys[0]
        again = names.new(names.types[old], "y")
        after = some_uses(rng, old, again)
    else:
        again, value = names.new("stack", "y"), loop.carries[0]
    ys.insert(rng.randint(0, len(ys)), (again, value))
    new = replace(
        loop, outs=(*loop.outs[:count], *(out for out, _ in ys)),
        body=Block(loop.body.stmts, (*loop.body.results[:count], *(value for _, value in ys))),
    )  # fmt: skip
    return exchanged(program, path, k, new, names, after)


# -- counters ----------------------------------------------------------------------------------------------------------


@rewrite
def second_counter(program: Program, rng: random.Random) -> Program | None:
    """A carry that starts at 0 and grows by 1 is the trip number."""
    chosen = [found for found in loops(program) if found[2].index and found[2].index in free(found[2].body)]
    if not chosen:
        return None
    path, k, loop = rng.choice(chosen)
    names = Names(program)
    counter, following, out = (names.new("i") for _ in range(3))
    body = renamed(loop.body, put_for(loop.index, counter))
    body = Block((*body.stmts, Let(following, "add", (counter, Const(1, "i")))), body.results)
    new = with_carry(
        replace(loop, body=body), counter, Const(0, "i"), following, out, rng.randint(0, len(loop.carries))
    )
    return exchanged(program, path, k, new, names)


@rewrite
def counted_by_hand(program: Program, rng: random.Random) -> Program | None:
    """A fori loop of constant length is a scan that carries its counter; one of a length given, a while."""
    chosen = [found for found in loops(program) if found[2].kind == "fori"]
    if not chosen:
        return None
    path, k, loop = rng.choice(chosen)
    if not isinstance(loop.trips, Const):
        return exchanged(program, path, k, replace(loop, kind="while"), Names(program))
    names = Names(program)
    following, out = names.new("i"), names.new("i")
    body = Block((*loop.body.stmts, Let(following, "add", (loop.index, Const(1, "i")))), loop.body.results)
    new = with_carry(
        replace(loop, kind="scan", body=body, index=""), loop.index, Const(0, "i"), following, out,
        rng.randint(0, len(loop.carries)),
    )  # fmt: skip
    return exchanged(program, path, k, new, names)


@rewrite
def branch_operands(program: Program, rng: random.Random) -> Program | None:
    """What a branch closes over may be handed to it."""
    chosen = []
    for path, block in places(program):
        for k, stmt in enumerate(block.stmts):
            if isinstance(stmt, Cond):
                outside = {n for part in (0, 1) for n in free(stmt.branches[part], stmt.params[part])}
                chosen += [(path, k, stmt, name) for name in sorted(outside) if program.types[name] in "fvix"]
    if not chosen:
        return None
    path, k, cond, name = rng.choice(chosen)
    names = Names(program)
    inner = [names.new(names.types[name]) for _ in "tf"]
    branches = tuple(renamed(b, put_for(name, new)) for b, new in zip(cond.branches, inner, strict=True))
    params = tuple((*some, new) for some, new in zip(cond.params, inner, strict=True))
    done = Cond(cond.outs, cond.test, (branches[0], branches[1]), (params[0], params[1]), (*cond.args, name))
    return exchanged(program, path, k, done, names)
