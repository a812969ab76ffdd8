"""Obligations of constants, plain ops, calls and branches (O4, O5, O7, O8, O9)."""

from __future__ import annotations

from collections.abc import Sequence

from scanir.checker.effects import DROPPABLE
from scanir.checker.folding import Neutral, neutral, scalar
from scanir.checker.layout import Node
from scanir.checker.side import Side
from scanir.checker.tables import ADD, COMMUTATIVE, COPIES, DIV, IDEMPOTENT, MUL, PACKING, SUB
from scanir.ir.attrs import Attr, Int, Opaque, Seq, Text
from scanir.ir.graph import Op
from scanir.ir.types import TOKEN, TensorType, TupleType

_UNMEANT = frozenset({"ctx", "name"})


def constant(side: Side, node: Node) -> None:
    """A constant is the constant of its class: every bit, and its type."""
    entry = side.classes[side.map[node.first]]
    if entry.kind != "const":
        raise side.bad("O4", "a constant of another class", node)
    mine, other = node.op.attribute("value"), side.constant_of(entry)
    if mine is None or other is None:
        raise side.bad("O4", "a class names a constant that is none", node)
    side.use_all(side.keys.attr(mine, other), "O4", "another constant than that of its class", node)
    named = side.layouts[entry.side].makers[entry.at]
    if named is not None:
        more = side.keys.attributes(node.op, named.op, frozenset({"value"}))
        side.use_all(more, "O4", "a constant that says more than that of its class", node)
    side.typed(node.first, entry, node, "O4")


def plain(side: Side, node: Node) -> None:
    """An op is the op of its class on operands of its classes, or hands an operand on."""
    if id(node.op) in side.layout.dropped:
        raise side.bad("O10", f"a result of a dropped {DROPPABLE} is used", node)
    operands = side.of(node.operands)
    if -1 in operands:
        raise side.bad("O4", "an operand of a live op is dead", node)
    if node.token_out < 0 and node.width == 1 and not node.blocks and side.map[node.first] in operands:
        _copy(side, node, operands)
        return
    c = side.op_class(node)
    if c is None or side.classes[c].kind != "op":
        raise side.bad("O4", "an op of another class", node)
    entry = side.classes[c]
    named = side.node_of(entry)
    if named.kind != "plain" or named.groups != node.groups or (named.token_out < 0) != (node.token_out < 0):
        raise side.bad("O4", "an op of another kind than that of its class", node)
    side.use_all(side.keys.ops(node.op, named.op), "O4", "another op than that of its class", node)
    wanted = operands
    if node.token_out >= 0:
        wanted = (*operands, side.map[node.token_in])
    if wanted != entry.lists[0]:
        if node is named or operands[::-1] != entry.lists[0] or not _exchanges(side, node):
            raise side.bad("O4", "other operands than those of its class", node)
        side.use("commutative", node.number)
    if len(node.blocks) != len(entry.lists[1]):
        raise side.bad("O4", "another number of regions than its class", node)
    for block, f in zip(node.blocks, entry.lists[1], strict=True):
        side.region(block, f, node)
    for f in entry.lists[1][: len(node.op.regions)]:
        side.below(node, side.classes[f].height, "O2")
    results(side, node, c)


def packing(side: Side, op: Op) -> None:
    """A tuple has the types of what is packed, and an op that packs or unpacks says nothing besides (O5)."""
    said = [name for name, _ in op.attributes if name != "index"]
    used = frozenset() if not said else side.keys.set_aside(op, frozenset({"index"}))
    whole = (op.results if op.name in PACKING else op.operands)[0].type
    if not isinstance(whole, TupleType):
        raise side.bad("O5", f"{op.name} of what is no tuple")
    if op.name in PACKING:
        pairs = list(zip(whole.elements, [value.type for value in op.operands], strict=True))
    else:
        index = op.attribute("index")
        pairs = [(whole.elements[index.value], op.results[0].type)] if isinstance(index, Int) else []
    for left, right in pairs:
        more = side.keys.types(left, right)
        used = None if used is None or more is None else used | more
    if used is None:
        raise side.bad("O5", f"{op.name} that says more than what it packs")
    for rule in sorted(used):
        side.use(rule, -1)


def results(side: Side, node: Node, c: int) -> None:
    """Each of several results is that part of the class of all."""
    if node.width == 1 and node.token_out < 0:
        return
    for k in range(node.width + (1 if node.token_out >= 0 else 0)):
        found = side.map[node.first + k if k < node.width else node.token_out]
        if found == -1:
            continue
        entry = side.classes[found]
        if (entry.kind, entry.number, entry.refs) != ("proj", k, (c,)):
            raise side.bad("O4", f"result {k} is not that of its class", node)


def call(side: Side, node: Node) -> None:
    """A call of a function that is shown once, for all arguments, to be the function of the class."""
    c = side.op_class(node)
    if c is None or side.classes[c].kind != "call":
        raise side.bad("O8", "a call of another class", node)
    entry = side.classes[c]
    named = side.node_of(entry)
    if named.kind != "call" or named.groups != node.groups or (named.token_out < 0) != (node.token_out < 0):
        raise side.bad("O8", "a call of another kind than that of its class", node)
    side.use_all(side.keys.ops(node.op, named.op, frozenset({"callee"})), "O8", "another call", node)
    token = (node.token_in,) if node.token_out >= 0 else ()
    arguments = side.of((*node.operands, *token))
    if -1 in arguments or entry.refs != (entry.refs[0], *arguments):
        raise side.bad("O8", "other arguments than those of its class", node)
    side.region(node.blocks[0], entry.refs[0], node)
    results(side, node, c)


def branch(side: Side, node: Node) -> None:
    """Each result is what the selector picks, or what all branches agree on."""
    for k in range(node.width + (1 if node.token_out >= 0 else 0)):
        token = k == node.width
        position = node.token_out if token else node.first + k
        c = side.map[position]
        if c == -1:
            continue
        outcomes = side.of([block.token_out if token else block.results[k] for block in node.blocks])
        if outcomes == (c,) * len(outcomes):
            if not token:
                side.use("branch-passthrough", node.number)
            continue
        entry = side.classes[c]
        if -1 in outcomes or entry.kind != "sel" or entry.refs != (side.map[node.operands[0]], *outcomes):
            raise side.bad("O7", f"result {k} is not what the selector picks", node)
        named = side.layouts[entry.side].makers[entry.at]
        if named is None or named.kind != "branch" or (side.type_of(entry) == TOKEN) != token:
            raise side.bad("O7", "a choice of another kind than that of its class", node)
        if node.op.name != named.op.name:
            raise side.bad("O7", "another op than that of its class", node)
        side.use_all(side.keys.attributes(node.op, named.op), "O7", "another op than that of its class", node)
        side.typed(position, entry, node, "O7")


# -- side conditions
# -------------------------------------------------------------------------------------------------------------


def _copy(side: Side, node: Node, operands: tuple[int, ...]) -> None:
    """The result is an operand: a copy schema, tested on the op itself."""
    c, op = side.map[node.first], node.op
    if len(operands) == 1:
        if not hands_on(op):
            raise side.bad("O5", "an op is taken for its operand, which it is not", node)
        if op.name == "copy" and side.hlo:
            side.use("class:copies", node.number)
        side.use("no-op", node.number)
    elif any(operands[k] == c for k in neutral_operands(side, node, side.map)):
        side.use("exact-identities", node.number)
    elif any(operands[k] == c for k in _zero_added(side, node)):
        side.use("inexact", node.number)
    else:
        raise side.bad("O5", "an op is taken for its operand, which it is not", node)
    position = node.operands[operands.index(c)]
    used = side.keys.types(side.layout.types[position], side.layout.types[node.first])
    side.use_all(used, "O5", "an op is taken for an operand of another type", node)


def hands_on(op: Op) -> bool:
    """Whether an op of one type in and out is its operand: by its attributes, and by layouts where they count."""
    entry = COPIES.get(op.name)
    if entry is None or len(op.operands) != 1 or len(op.results) != 1:
        return False
    type = op.results[0].type
    if not isinstance(type, TensorType):
        return False
    if op.name in ("bitcast", "copy") and op.operands[0].type != type:
        return False
    permutations, ignored = entry
    rank = tuple(range(len(type.shape)))
    for name, value in op.attributes:
        if name in permutations:
            if _numbers(value) != rank:
                return False
        elif name == "dimensions" and op.name == "reshape":
            if _numbers(value) not in (None, rank):
                return False
        elif name in ignored:
            if not _repeats(op.name, name, value, type):
                return False
        elif name not in _UNMEANT:
            return False
    said = [name for name, _ in op.attributes if name in permutations]
    return bool(said) or not permutations


def _repeats(op: str, name: str, value: Attr, type: TensorType) -> bool:
    """Whether an attribute says no more than the result type does."""
    if name == "new_dtype":
        return value == Opaque("dtype", type.dtype)
    if name in ("new_sizes", "shape") and isinstance(value, Seq):
        sizes = [item.value if isinstance(item, Int) else None for item in value.items]
        return len(sizes) == len(type.shape) and all(
            isinstance(dim, str) if size is None else size == dim for size, dim in zip(sizes, type.shape, strict=True)
        )
    return op != "squeeze" or value == Seq(())


def _numbers(attr: Attr) -> tuple[int, ...] | None:
    if isinstance(attr, Seq) and all(isinstance(item, Int) for item in attr.items):
        return tuple(item.value for item in attr.items if isinstance(item, Int))
    text = attr.value if isinstance(attr, Text) else attr.text if isinstance(attr, Opaque) else None
    if text is None:
        return None
    parts = [part.strip() for part in text.replace("array<i64:", "").strip("{}<>[]() ").split(",") if part.strip()]
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else None


def neutral_operands(side: Side, node: Node, map: Sequence[int]) -> list[int]:
    """x*1, x/1, x+(-0.0), x-0, max(x, x), x and x, and integer kin: the operands that the result is, by the constant's
    full bits. Operands are one value where they have one number in ``map``."""
    table, name, type = _table(side, node), node.op.name, side.layout.types[node.first]
    if len(node.operands) != 2 or (table and table.floating and side.nan_bits_are_seen) or _says_more(side, node.op):
        return []
    if name in IDEMPOTENT:
        left, right = node.operands
        twice = left == right or map[left] == map[right] != -1
        known = table is not None or (isinstance(type, TensorType) and type.dtype == "bool")
        return [0, 1] if twice and known and side.layout.types[left] == type else []
    if table is None:
        return []
    if name in MUL | ADD:
        return _beside(side, node, table.one if name in MUL else table.minus, (0, 1))
    if name in DIV | SUB:
        return _beside(side, node, table.one if name in DIV else table.zero, (0,))
    return []


def _says_more(side: Side, op: Op) -> bool:
    """Whether an op has attributes that no rule sets aside: what it says besides its operands is not to be lost."""
    unsaid = _UNMEANT.union(name for name, value in op.attributes if value == Opaque("none", ""))
    return bool(op.attributes) and side.keys.set_aside(op, unsaid) is None


def _table(side: Side, node: Node) -> Neutral | None:
    type = side.layout.types[node.first]
    return neutral(type.dtype) if isinstance(type, TensorType) and len(node.operands) == 2 else None


def _beside(side: Side, node: Node, wanted: bytes, which: tuple[int, ...]) -> list[int]:
    """Which operands stand beside a constant of these bits."""
    type = side.layout.types[node.first]
    found = []
    for k in which:
        value = scalar(side, node.operands[1 - k])
        if value is not None and value.data == wanted and value.dtype == getattr(type, "dtype", ""):
            found.append(k)
    return found


def _zero_added(side: Side, node: Node) -> list[int]:
    """x+0.0, which is x except for -0.0: allowed by hand only."""
    table = _table(side, node)
    if table is None or node.op.name not in ADD or "inexact" not in side.rules or _says_more(side, node.op):
        return []
    return _beside(side, node, table.zero, (0, 1))


def _exchanges(side: Side, node: Node) -> bool:
    op = node.op
    if op.name not in COMMUTATIVE or len(op.operands) != 2 or node.token_out >= 0 or node.blocks:
        return False
    type, other = op.operands[0].type, op.operands[1].type
    if not isinstance(type, TensorType) or not isinstance(other, TensorType):
        return False
    # In a jaxpr a scalar may stand beside an array: it is repeated for each element.
    if type != other and (type.dtype != other.dtype or () not in (type.shape, other.shape)):
        return False
    if type.dtype == "bool" or type.dtype.lstrip("u").startswith("i"):
        return True
    return op.name in ADD | MUL and not side.nan_bits_are_seen
