"""Integers and neutral elements that the checker reads off classes by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace

from scanir.checker.side import Side
from scanir.checker.tables import ADD, BITS, BROADCASTS, SUB
from scanir.ir.attrs import Array, Attr, Int, Opaque, Record, Seq, Text
from scanir.ir.graph import Op
from scanir.ir.types import TensorType, Type

#: How many ops deep a condition is folded: counters and bounds are shallow.
DEEPEST = 40
_FLOATS = {"f16": ("0080", "003c"), "bf16": ("0080", "803f"), "f32": ("00000080", "0000803f"),
           "f64": ("0000000000000080", "000000000000f03f")}  # fmt: skip
_WORDS = {"lt": "LT", "le": "LE", "gt": "GT", "ge": "GE", "ne": "NE", "eq": "EQ"}


@dataclass(frozen=True, slots=True)
class Neutral:
    """Bits of one, zero, and minus zero (of integers zero itself)."""

    floating: bool
    one: bytes
    zero: bytes
    minus: bytes


def neutral(dtype: str) -> Neutral | None:
    if dtype in _FLOATS:
        minus, one = (bytes.fromhex(text) for text in _FLOATS[dtype])
        return Neutral(True, one, bytes(len(one)), minus)
    width = dtype.lstrip("ui")
    if dtype[:1] in ("i", "u") and width.isdigit() and int(width) >= 8:
        size = int(width) // 8
        return Neutral(False, (1).to_bytes(size, "little"), bytes(size), bytes(size))
    return None


def array(side: Side, c: int) -> Array | None:
    """The contents of a constant class."""
    entry = side.classes[c]
    if entry.kind != "const":
        return None
    value = side.constant_of(entry)
    return value if isinstance(value, Array) else None


def scalar(side: Side, position: int) -> Array | None:
    """The one element of a splat constant, looked for through broadcasts and other readings of the bits of integers; of
    a dead value in the module itself."""
    c, read_as = side.map[position], ""
    value: Attr | None = None
    if c != -1:
        while side.classes[c].kind == "op" and _hands_on(side.node_of(side.classes[c]).op):
            read_as = read_as or _reading(side.node_of(side.classes[c]).op)
            c = side.classes[c].lists[0][0]
        value = array(side, c)
    else:
        node = side.layout.makers[position]
        while node is not None and node.kind == "plain" and _hands_on(node.op):
            read_as = read_as or _reading(node.op)
            node = side.layout.makers[node.operands[0]]
        value = node.op.attribute("value") if node is not None and node.kind == "constant" else None
    if not isinstance(value, Array) or not (value.splat or not value.shape):
        return None
    return replace(value, dtype=read_as) if read_as else value


def _hands_on(op: Op) -> bool:
    return _broadcasts(op) or _reading(op) != ""


def _reading(op: Op) -> str:
    """The dtype as which an op reads the bits of integers of the same width; empty for any other op."""
    if op.name not in BITS or len(op.operands) != 1:
        return ""
    before, after = op.operands[0].type, op.results[0].type
    kinds = [integer(TensorType(t.dtype)) if isinstance(t, TensorType) else None for t in (before, after)]
    if kinds[0] is None or kinds[1] is None or kinds[0][0] != kinds[1][0] or kinds[0][0] < 8:
        return ""
    dtype, shapes = getattr(after, "dtype", ""), [getattr(t, "shape", None) for t in (before, after)]
    said = op.attribute("new_dtype")
    return dtype if shapes[0] == shapes[1] and said in (None, Opaque("dtype", dtype)) else ""


def _broadcasts(op: Op) -> bool:
    """Whether an op repeats its operand; a jaxpr may say another shape than the type has, and then is no program."""
    shape, type = op.attribute("shape"), op.results[0].type
    if op.name not in BROADCASTS or shape is None:
        return op.name in BROADCASTS
    sizes = shape.items if isinstance(shape, Seq) else ()
    return (
        isinstance(type, TensorType)
        and len(sizes) == len(type.shape)
        and all(
            isinstance(dim, str) if not isinstance(size, Int) else size.value == dim
            for size, dim in zip(sizes, type.shape, strict=True)
        )
    )


def integer(type: Type) -> tuple[int, bool] | None:
    """(width, signed) of a scalar integer type."""
    if not isinstance(type, TensorType) or type.shape:
        return None
    signed = type.dtype.startswith("i")
    width = type.dtype[1:] if signed else type.dtype.removeprefix("u").removeprefix("i")
    return (int(width), signed) if type.dtype[:1] in ("i", "u") and width.isdigit() else None


def wrapped(value: int, width: int, signed: bool) -> int:
    value %= 1 << width
    return value - (1 << width) if signed and value >> (width - 1) else value


def constant_integer(side: Side, c: int) -> int | None:
    """The value of a scalar integer constant, as its type reads the bits."""
    value = array(side, c)
    kind = integer(side.type_of(side.classes[c])) if value is not None else None
    if value is None or kind is None:
        return None
    return wrapped(int.from_bytes(value.data, "little"), *kind)


def fold(side: Side, c: int, depth: int = 0) -> int | None:
    """The value of a scalar integer or comparison of integers that constants alone make; None where it is not known."""
    entry = side.classes[c]
    if entry.kind == "const":
        return constant_integer(side, c)
    if entry.kind != "op" or len(entry.lists[0]) != 2 or depth > DEEPEST:
        return None
    op = side.node_of(entry).op
    left, right = (fold(side, x, depth + 1) for x in entry.lists[0])
    if left is None or right is None:
        return None
    if op.name in ADD | SUB:
        kind = integer(op.results[0].type)
        return None if kind is None else wrapped(left + right if op.name in ADD else left - right, *kind)
    words = _direction(op)
    return None if words is None else int(holds(words, left, right))


def holds(direction: str, x: int, y: int) -> bool:
    return {"LT": x < y, "LE": x <= y, "GT": x > y, "GE": x >= y, "NE": x != y, "EQ": x == y}[direction]


def _direction(op: Op) -> str | None:
    """Which comparison of integers an op is, if it reads bits as their type does."""
    if op.name in _WORDS:
        return _WORDS[op.name]
    if op.name not in ("compare", "stablehlo.compare"):
        return None
    found, kind = None, integer(op.operands[0].type)
    for name, attr in op.attributes:
        words = attr.value if isinstance(attr, Text) else attr.text if isinstance(attr, Opaque) else ""
        parts = words.replace("<", " ").replace(">", " ").split()
        if name in ("direction", "comparison_direction"):
            found = next((part for part in parts if part in _WORDS.values()), None)
        elif name in ("type", "compare_type"):
            if "SIGNED" in words and (kind is None or kind[1] != ("UNSIGNED" not in words)):
                return None
    return found


def declared_trips(op: Op) -> int | None:
    """The trip count that an annotation claims, which a compiler believes; -1 for one that is not understood."""
    config = op.attribute("backend_config")
    if isinstance(config, Record):
        known = dict(config.fields).get("known_trip_count")
        if known is None:
            return None
        count = dict(known.fields).get("n") if isinstance(known, Record) else None
        return int(count.value) if isinstance(count, Text) and count.value.isdecimal() else -1
    return -1 if "known_trip_count" in getattr(config, "value", getattr(config, "text", "")) else None
