"""Obligations of loops (O6): a loop of a side is a loop of the quotient, slot by slot, or is taken for its trips.

The hypothesis of the induction: when iteration t starts, each mapped parameter has the value that its class has in
iteration t of the quotient's loop. It holds at the start (initial values) and is handed on (next values); both loops
run equally often, since their conditions are one class.
"""

from __future__ import annotations

from scanir.checker import stacking
from scanir.checker.certificate import Class
from scanir.checker.folding import constant_integer, declared_trips, fold, integer, wrapped
from scanir.checker.layout import Node
from scanir.checker.side import Side
from scanir.checker.tables import ADD, SUB
from scanir.ir.attrs import Int
from scanir.ir.types import TOKEN


def loop(side: Side, node: Node) -> None:
    number = side.loop_class(node)
    if number is None:
        _not_needed(side, node)
        return
    entry = side.classes[number]
    named = side.node_of(entry)
    if entry.kind != "loop" or named.kind != "loop" or (named.token_out < 0) != (node.token_out < 0):
        raise side.bad("O6", "a loop of another kind than that of its class", node)
    if node.op.name != named.op.name or len(node.conditions) != len(named.conditions):
        raise side.bad("O6", "a loop of another kind than that of its class", node)
    dropped = frozenset({"num_carry"}) if node.op.name == "scan" else frozenset()
    side.use_all(side.keys.attributes(node.op, named.op, dropped), "O6", "another loop than its class", node)
    side.below(node, entry.height, "O2")
    guards = side.of((*node.conditions, *((node.after,) if node.after >= 0 else ())))
    if -1 in guards or guards != entry.lists[3]:
        raise side.bad("O6", "another condition than that of its class", node)
    _slots(side, node, number, entry)
    for element, xs in node.xs:
        c = side.map[element]
        if c == -1:
            continue
        item = side.classes[c]
        if _copied(side, node, element):
            continue
        if (item.kind, item.height, item.refs) != ("elem", entry.height, (side.map[xs],)):
            raise side.bad("O6", "an element of another scanned value than its class", node)
        side.typed(element, item, node, "O6")
    for k, (result, y) in enumerate(node.ys):
        c = side.map[result]
        if c == -1 or _again(side, node, k):
            continue
        stacked = side.classes[c]
        if (stacked.kind, stacked.refs) != ("ys", (number, side.map[y])):
            raise side.bad("O6", "stacked values of another kind than their class", node)
        side.typed(result, stacked, node, "O6")


def _slots(side: Side, node: Node, number: int, entry: Class) -> None:
    order: dict[int, None] = {}
    for init, param, after, result in node.slots:
        a, p, n, r = side.of((init, param, after, result))
        if p == -1:
            if r != -1:
                raise side.bad("O6", "a result of a dead slot is used", node)
            side.use("dead-carry", node.number)
            continue
        if a == -1 or n == -1:
            raise side.bad("O6", "a live slot of dead values", node)
        kind = side.classes[p].kind
        if a == p == n and side.layout.types[param] != TOKEN:
            _invariant(side, node, a, r)
        elif kind == "affine":
            _counter(side, node, number, (a, p, n, r), (init, param, result))
        elif kind == "slot":
            _carried(side, node, number, entry, (a, p, n, r), param, order)
        else:
            raise side.bad("O6", "a parameter is no slot of its loop and does not keep its value", node)
    if len(order) != len(entry.lists[1]):
        raise side.bad("O6", "a slot of the quotient's loop has no counterpart", node)
    if list(order) != sorted(order):
        side.use("carry-order", node.number)


def _invariant(side: Side, node: Node, a: int, r: int) -> None:
    if r not in (a, -1):
        raise side.bad("O6", "a result of an unchanged slot is not its initial value", node)
    side.use("constant-carry" if side.classes[a].kind == "const" else "carry-closure", node.number)


def _carried(
    side: Side,
    node: Node,
    number: int,
    entry: Class,
    classes: tuple[int, int, int, int],
    param: int,
    order: dict[int, None],
) -> None:
    a, p, n, r = classes
    slot = side.classes[p]
    j = slot.number
    inits, slots, nexts, _ = entry.lists
    if not 0 <= j < len(slots) or (inits[j], slots[j], nexts[j]) != (a, p, n):
        raise side.bad("O6", f"slot {j} of the quotient's loop starts or goes on otherwise", node)
    side.typed(param, slot, node, "O6")
    if r != -1:
        found = side.classes[r]
        if (found.kind, found.number, found.refs) != ("proj", j, (number,)):
            raise side.bad("O6", "a result of a slot is not that of its class", node)
    if j in order:
        side.use("duplicate-carry", node.number)
    else:
        order[j] = None


def _counter(
    side: Side, node: Node, number: int, classes: tuple[int, int, int, int], places: tuple[int, int, int]
) -> None:
    """A slot of constant start and step is an affine function of the number of the trip, modulo 2^n."""
    a, p, n, r = classes
    _, param, result = places
    counter = side.classes[p]
    trip, kind = side.classes[counter.refs[0]], integer(side.layout.types[param])
    if kind is None or trip.height != side.classes[number].height or trip.dtype != _dtype(side, param):
        raise side.bad("O6", "a counter is of another type or loop than its class", node)
    side.typed(param, counter, node, "O6")
    if constant_integer(side, a) != wrapped(counter.offset, *kind):
        raise side.bad("O6", "a counter starts otherwise than its class", node)
    step = _step(side, p, n)
    if step is None or (step - counter.factor) % (1 << kind[0]):
        raise side.bad("O6", "a counter goes on otherwise than its class", node)
    if not -(1 << kind[0]) < counter.factor < 1 << kind[0]:
        raise side.bad("O14", "a factor that is not reduced", node)
    side.use("integer-induction", node.number)
    if r == -1:
        return
    last = side.classes[r]
    if (last.kind, last.factor, last.offset) != ("affine", counter.factor, counter.offset):
        raise side.bad("O6", "the last value of a counter is not that of its class", node)
    trips = side.classes[last.refs[0]]
    if (trips.kind, trips.refs, trips.dtype) != ("trips", (number,), trip.dtype):
        raise side.bad("O6", "the last value of a counter is not that of its class", node)
    side.typed(result, last, node, "O6")


def _dtype(side: Side, position: int) -> str:
    return getattr(side.layout.types[position], "dtype", "")


def _step(side: Side, before: int, after: int) -> int | None:
    """k where ``after`` is the op ``before + k``, k constant."""
    entry = side.classes[after]
    if entry.kind != "op" or len(entry.lists[0]) != 2:
        return None
    op, (left, right) = side.node_of(entry).op, entry.lists[0]
    if op.attributes and side.keys.set_aside(op, frozenset()) is None:
        return None  # what an op says besides its operands is not to be lost
    name = op.name
    if name in ADD and before in (left, right):
        return constant_integer(side, right if left == before else left)
    if name in SUB and left == before:
        step = constant_integer(side, right)
        return None if step is None else -step
    return None


def _not_needed(side: Side, node: Node) -> None:
    """All live results are initial values: each live slot is handed on unchanged, and the loop terminates."""
    for init, param, after, result in node.slots:
        a, p, n, r = side.of((init, param, after, result))
        if p == r == -1:
            continue
        if not a == p == n or r not in (a, -1):
            raise side.bad("O6", "a slot that is not handed on unchanged, in a loop that is not needed", node)
        _invariant(side, node, a, r)
    if any(side.map[element] != -1 and not _copied(side, node, element) for element, _ in node.xs):
        raise side.bad("O6", "an element is live in a loop that is not needed", node)
    for k, (result, _) in enumerate(node.ys):
        if side.map[result] != -1 and not _again(side, node, k):
            raise side.bad("O6", "stacked values of a loop that is not needed", node)


def _again(side: Side, node: Node, k: int) -> bool:
    """Elements of a scanned value, stacked as they are, are that value."""
    if not side.stacked_again(node, k):
        return False
    side.use("stacking", node.number)
    return True


def _copied(side: Side, node: Node, element: int) -> bool:
    """An element of copies of a value is the value: of a broadcast, or of what a scan stacks and no trip changes."""
    source, c = stacking.copied(side.layout, node, element), side.map[element]
    if source is None or side.map[source] != c:
        return False
    maker = side.layout.makers[node.xs[side.layout.roles[element][1]][1]]
    if maker is not None and maker.kind == "loop":
        loop = side.loop_class(maker)
        # The class of what is stacked does not depend on the trip. In a loop that is not needed nothing does.
        if loop is not None and side.free[c] >> side.classes[loop].height & 1:
            return False
    side.use("stacking", node.number)
    return True


def trivial(side: Side, node: Node) -> None:
    """A loop of 0 or 1 trips, by its length or by folding its condition; an annotation must say the same."""
    said = declared_trips(node.op)
    if said not in (None, node.trips):
        raise side.bad("O6", "an annotation says another number of trips", node)
    if node.conditions:
        values = [None if side.map[c] == -1 else fold(side, side.map[c]) for c in node.conditions]
        if values != [1] * node.trips + [0]:
            raise side.bad("O6", f"the condition does not say that the loop makes {node.trips} trips", node)
    else:
        length = node.op.attribute("length")
        if not isinstance(length, Int) or length.value != node.trips:
            raise side.bad("O6", f"a scan of another length than {node.trips}", node)
    side.use("trivial-loop", node.number)
    kinds = [(element, xs, "first") for element, xs in node.xs]
    kinds += [(result, y, "stack" if node.trips else "empty") for result, y in node.ys]
    for position, source, kind in kinds:
        c = side.map[position]
        if c == -1:
            continue
        entry = side.classes[c]
        if entry.kind != kind or entry.refs != (() if kind == "empty" else (side.map[source],)):
            raise side.bad("O6", "a value of a trivial loop is not that of its class", node)
        side.typed(position, entry, node, "O6")
