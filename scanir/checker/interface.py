"""What modules say besides their ops (O3, O12): arguments and how they pair, results, header and interface attributes.

All of it must agree, but for what the tables assign to a class that is in force. Deny by default.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from scanir.checker.certificate import StageRecord
from scanir.checker.side import Side
from scanir.checker.tables import INTERFACE_CLASSES, MODULE_CLASSES
from scanir.checker.verdict import Rejected
from scanir.ir.attrs import Attr, Attrs, Opaque
from scanir.ir.graph import Function, Module
from scanir.ir.types import TOKEN, TensorType
from scanir.ir.walk import ops_of, symbols
from scanir.program import Argument, Program

#: (rule, side or 2 for both, op, argument or result).
Use: TypeAlias = "tuple[str, int, int]"
BOTH = 2
_LAYOUT = re.compile(r"\{[^{}]*\}|\s|/\*[^*]*\*/")


def pairs_of(a: Program, b: Program) -> tuple[tuple[int, int], ...]:
    """Arguments pair by position; in signatures of unlike length as long as dtype and shape fit, then by name."""
    left, right = a.interface.arguments, b.interface.arguments
    if len(left) == len(right):
        return tuple((k, k) for k in range(len(left)))
    found: list[tuple[int, int]] = []
    for k, (x, y) in enumerate(zip(left, right, strict=False)):
        if x.keyword or y.keyword or not _alike(x, y):
            break
        found.append((k, k))
    names = {argument.name: k for k, argument in enumerate(right) if k >= len(found)}
    for k in range(len(found), len(left)):
        other = names.pop(left[k].name, None)
        if other is not None and _alike(left[k], right[other]):
            found.append((k, other))
    return tuple(found)


def _alike(x: Argument, y: Argument) -> bool:
    if isinstance(x.type, TensorType) and isinstance(y.type, TensorType):
        return (x.type.dtype, x.type.shape) == (y.type.dtype, y.type.shape)
    return x.type == y.type


def alone(programs: Sequence[Program], pairs: Sequence[tuple[int, int]], side: int) -> list[int]:
    """The arguments of a side that have no counterpart."""
    paired = {pair[side] for pair in pairs}
    return [k for k in range(len(programs[side].interface.arguments)) if k not in paired]


def parameters(side: Side, record: StageRecord) -> None:
    """Each parameter is the argument of its number, the constant it is bound to, or one that the interface passes."""
    me, program, layout = side.me, side.programs[side.me], side.layout
    interface, pairs = program.interface, record.arguments
    numbers = {pair[me]: number for number, pair in enumerate(pairs)}
    left = alone(side.programs, pairs, 0)
    for k, argument in enumerate(alone(side.programs, pairs, me)):
        numbers[argument] = len(pairs) + k + (len(left) if me else 0)
    bound = {argument: c for where, argument, c in record.bindings if where == me}
    constants = dict(interface.constants)
    first: dict[int, int] = {}
    for position in layout.entry.params:
        k = layout.roles[position][1]
        leaf = position - first.setdefault(k, position)
        c = side.map[position]
        if c == -1:
            continue
        entry = side.classes[c]
        if k in constants:
            mine = side.constant_of(entry) if entry.kind == "const" else None
            if mine is None or side.keys.attr(constants[k], mine) != frozenset():
                raise side.bad("O3", f"parameter {k} is not the constant that is passed for it")
        elif layout.types[position] == TOKEN:
            if (entry.kind, entry.number, entry.offset) != ("in", -2 - k, leaf):
                raise side.bad("O3", f"parameter {k} is not the token of its number")
        elif (argument := interface.kept[k]) in bound:
            if c != bound[argument]:
                raise side.bad("O3", f"parameter {k} is not the constant that it is bound to")
        elif (entry.kind, entry.number, entry.offset) != ("in", numbers.get(argument), leaf):
            raise side.bad("O3", f"parameter {k} is not the argument that it is paired with")
        side.typed(position, entry, None, "O3")
    _unread(side, record)
    token = side.map[layout.entry.token_in]
    first_token = side.classes[token] if token != -1 else None
    if first_token is None or (first_token.kind, first_token.number, first_token.offset) != ("in", -1, 0):
        raise side.bad("O9", "the token of the program is not its first token")


def _unread(side: Side, record: StageRecord) -> None:
    """Paired arguments that both modules have are of one type, read or not."""
    if side.me:
        return
    a, b = side.programs
    entries = [program.module.function(program.module.entry).body.params for program in (a, b)]
    places = [{argument: k for k, argument in enumerate(p.interface.kept)} for p in (a, b)]
    for x, y in record.arguments:
        if x in places[0] and y in places[1]:
            used = side.keys.types(entries[0][places[0][x]].type, entries[1][places[1][y]].type)
            if used is None:
                raise Rejected("O3", f"argument {x} of a and argument {y} of b are of unlike types")
            for rule in sorted(used):
                side.use(rule, -1)


def bindings(record: StageRecord, programs: Sequence[Program], shown: Sequence[dict[int, int]]) -> Iterator[Use]:
    """Only an argument without a counterpart is bound, to a constant that the other side has (``shown``: by side)."""
    if list(record.bindings) != sorted(set(record.bindings)):
        raise Rejected("O3", "bindings are not in order")
    seen: set[tuple[int, int]] = set()
    for side, argument, c in record.bindings:
        if side not in (0, 1) or argument not in alone(programs, record.arguments, side) or (side, argument) in seen:
            raise Rejected("O3", f"argument {argument} of {'ab'[side == 1]} may not be bound")
        seen.add((side, argument))
        if not 0 <= c < len(record.classes) or record.classes[c].kind != "const":
            raise Rejected("O3", f"class {c}, to which an argument is bound, is no constant")
        if argument not in programs[side].interface.kept:
            raise Rejected("O3", f"argument {argument}, which is bound, is no parameter")
        if c not in shown[1 - side]:
            raise Rejected("O3", "an argument is bound to a constant that the other side has not")
        yield "constant-argument", side, argument


def unused(record: StageRecord, programs: Sequence[Program]) -> Iterator[Use]:
    """Arguments that one side's signature or module lacks."""
    bound = {(side, argument) for side, argument, _ in record.bindings}
    for side in (0, 1):
        for argument in alone(programs, record.arguments, side):
            if (side, argument) not in bound:
                yield "unused-argument", side, argument
    kept = [set(program.interface.kept) for program in programs]
    for x, y in record.arguments:
        if (x in kept[0]) != (y in kept[1]):
            yield "unused-argument", BOTH, x


def results(sides: Sequence[Side], record: StageRecord) -> Iterator[Use]:
    """Paired results are one class and of one type; surplus ones are arguments of the longer side handed on (O12)."""
    a, b = (side.layout.entry for side in sides)
    if sides[0].map[a.token_out] != sides[1].map[b.token_out]:
        raise Rejected("O9", "the last tokens differ")
    surplus = set(record.surplus)
    if list(record.surplus) != sorted(surplus) or len({side for side, _ in surplus}) > 1:
        raise Rejected("O12", "surplus results are not in order, or on both sides")
    rest = []
    for side in sides:
        found = side.layout.entry.results
        for where, k in record.surplus:
            if where == side.me and not (0 <= k < len(found) and _handed_on(side, side.map[found[k]])):
                raise Rejected("O12", f"result {k} of {'ab'[side.me]} is no argument handed on")
        rest.append([p for k, p in enumerate(found) if (side.me, k) not in surplus])
    if len(rest[0]) != len(rest[1]) or any(where not in (0, 1) for where, _ in surplus):
        raise Rejected("O12", "unlike numbers of results")
    for k, (x, y) in enumerate(zip(*rest, strict=True)):
        c = sides[0].map[x]
        if c == -1 or c != sides[1].map[y]:
            raise Rejected("O12", f"result {k} differs")
        used = sides[0].keys.types(sides[0].layout.types[x], sides[1].layout.types[y])
        if used is None:
            raise Rejected("O12", f"result {k} is of unlike types")
        yield from ((rule, BOTH, k) for rule in sorted(used))
    yield from (("forwarded-outputs", side, k) for side, k in record.surplus)


def _handed_on(side: Side, c: int) -> bool:
    """Whether a class is an argument (or what one is bound to), through slots that hand their value on."""
    classes = side.classes
    while c != -1 and classes[c].kind == "proj":
        loop, j = classes[classes[c].refs[0]], classes[c].number
        if loop.kind != "loop" or loop.lists[2][j] != loop.lists[1][j]:
            return False
        c = loop.lists[0][j]
    return c != -1 and c in side.of(side.layout.entry.params)


# -- attributes
# -----------------------------------------------------------------------------------------------------------------


def attributes(a: Program, b: Program, record: StageRecord) -> Iterator[Use]:
    """Header, arguments, results and called functions say the same, but for classes."""
    yield from _header(a.module, b.module)
    functions = (a.module.function(a.module.entry), b.module.function(b.module.entry))
    for x, y in record.arguments:
        left, right = _parameter(a, functions[0], x), _parameter(b, functions[1], y)
        yield from _lists(f"argument {x}", left, right, BOTH, x)
    lists = [f.result_attrs or ((),) * len(f.body.results) for f in functions]
    if len(lists[0]) == len(lists[1]):
        for k, (left, right) in enumerate(zip(*lists, strict=True)):
            yield from _lists(f"result {k}", left, right, BOTH, k)
    yield from _lists("the entry", functions[0].attributes, functions[1].attributes, BOTH, -1)
    yield from _called(a.module, b.module)
    yield from _trees(a, b)
    made, otherwise = dict(a.provenance), dict(b.provenance)
    if any(made[name] != otherwise[name] for name in made.keys() & otherwise.keys()):
        yield "provenance", BOTH, -1


def _header(a: Module, b: Module) -> Iterator[Use]:
    if a.dialect != b.dialect:
        raise Rejected("O1", "modules of unlike dialects")
    left, right = dict(a.attributes), dict(b.attributes)
    for name in sorted(left.keys() | right.keys()):
        x, y = left.get(name), right.get(name)
        if x == y:
            continue
        if (a.dialect, name) not in MODULE_CLASSES:
            raise Rejected("O12", f"module attribute {name} differs")
        kind = MODULE_CLASSES[a.dialect, name]
        if kind is not None:
            yield kind, BOTH, -1
        elif name == "entry_computation_layout" and isinstance(x, Opaque) and isinstance(y, Opaque):
            if len({_LAYOUT.sub("", attr.text[1:-1]) for attr in (x, y)}) == 1:
                yield "class:layout", BOTH, -1


def _parameter(program: Program, function: Function, argument: int) -> Attrs:
    kept = program.interface.kept
    if argument not in kept or not function.param_attrs:
        return ()
    return function.param_attrs[kept.index(argument)]


def _lists(what: str, left: Attrs, right: Attrs, side: int, at: int) -> Iterator[Use]:
    mine, others = dict(left), dict(right)
    for name in sorted(mine.keys() | others.keys()):
        if mine.get(name) == others.get(name):
            continue
        if name not in INTERFACE_CLASSES:
            raise Rejected("O12", f"attribute {name} of {what} differs")
        kind = INTERFACE_CLASSES[name]
        if kind is not None:
            yield kind, side, at


def _called(a: Module, b: Module) -> Iterator[Use]:
    """What functions besides the entry say; which of them says it depends on how calls are shared."""
    left, right = (Counter(fact for f in _reached(m) if f.name != m.entry for fact in facts(f)) for m in (a, b))
    for place, name, value in sorted((left - right) + (right - left), key=repr):
        kind = INTERFACE_CLASSES.get(name)
        if kind is None:
            raise Rejected("O12", f"attribute {name} of a called function, {place}, is on one side only")
        if not (left[place, name, value] and right[place, name, value]):
            yield kind, BOTH, -1


def facts(function: Function) -> tuple[tuple[str, str, Attr], ...]:
    """What a function says of itself, its parameters and results, labels left out."""
    lists = (
        ("function", (function.attributes,)),
        ("parameter", function.param_attrs),
        ("result", function.result_attrs),
    )
    return tuple(
        (role if role == "function" else f"{role} {k}", name, value)
        for role, entries in lists
        for k, entry in enumerate(entries)
        for name, value in entry
        if INTERFACE_CLASSES.get(name, "") is not None
    )


def _reached(module: Module) -> list[Function]:
    """The functions that the entry needs."""
    unreached = {function.name for function in unreachable(module)}
    return [function for function in module.functions if function.name not in unreached]


def unreachable(module: Module) -> list[Function]:
    """Functions that nothing from the entry on names. In HLO the body of a computation may stand in an op."""
    if len(module.functions) == 1:
        return []
    bodies = {function.name: function.body for function in module.functions}
    reached, stack = {id(bodies[module.entry])}, [bodies[module.entry]]
    while stack:
        for op in ops_of(stack.pop()):
            reached |= {id(region) for region in op.regions}
            for body in [bodies[name] for name in symbols(op.attributes) if name in bodies]:
                if id(body) not in reached:
                    reached.add(id(body))
                    stack.append(body)
    return [function for function in module.functions if id(function.body) not in reached]


def _trees(a: Program, b: Program) -> Iterator[Use]:
    left, right = a.interface, b.interface
    if left.input_tree and right.input_tree:
        for k, (x, y) in enumerate(zip(left.arguments, right.arguments, strict=False)):
            named = (x.keyword or y.keyword or x.path != y.path) and (x.name, x.path) != (y.name, y.path)
            if named and len(left.arguments) == len(right.arguments):
                yield "class:interface", BOTH, k
    same = len(left.results) == len(right.results)
    if left.output_tree and right.output_tree and same and left.output_tree != right.output_tree:
        yield "class:interface", BOTH, -1
