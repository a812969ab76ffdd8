"""Laws about single ops: the op is one of its operands, or its operands may exchange.

Each law returns None where it does not apply. Side conditions are tested on types, layouts and full constant bits.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from scanir.ir.attrs import Array, Attr, Int, Opaque, Seq, Text
from scanir.ir.graph import Op
from scanir.ir.types import TOKEN, TensorType, TupleType, Type
from scanir.normalize.effects import STRUCTURED
from scanir.normalize.tables import commutative_ops, device_reads, opaque_ops, pure_ops
from scanir.normalize.values import Table

if TYPE_CHECKING:
    from scanir.normalize.evaluate import Evaluator

#: Ops that hand on their operand when the type and the order of elements stay: name -> (attributes that must be the
# identity
#: permutation 0..r-1, attributes that are ignored because the result type repeats them).
_SAME: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # jaxpr
    "convert_element_type": ((), ("new_dtype", "weak_type", "sharding")),
    "copy": ((), ()),
    "copy_p": ((), ()),
    "reshape": ((), ("new_sizes", "dimensions", "sharding")),
    "broadcast_in_dim": (("broadcast_dimensions",), ("shape", "sharding")),
    "transpose": (("permutation", "dimensions"), ()),
    "squeeze": ((), ("dimensions",)),
    # StableHLO
    "stablehlo.convert": ((), ()),
    "stablehlo.reshape": ((), ()),
    "stablehlo.broadcast_in_dim": (("broadcast_dimensions",), ()),
    "stablehlo.transpose": (("permutation",), ()),
    # HLO (its copy, reshape and transpose share names with the above)
    "convert": ((), ()),
    "bitcast": ((), ()),
    "broadcast": (("dimensions",), ()),
}
#: Contexts of an equation and labels of an instruction that say nothing about its value.
_IGNORED = frozenset({"ctx", "name"})
#: What a parameter of an equation is that was not given, as ``out_dtype`` of each multiplication.
_NONE = Opaque("none", "")
_FLOATS = {"f16": ("0080", "003c"), "bf16": ("0080", "803f"), "f32": ("00000080", "0000803f"),
           "f64": ("0000000000000080", "000000000000f03f")}  # fmt: skip
_ADD, _SUB = {"add", "stablehlo.add"}, {"sub", "subtract", "stablehlo.subtract"}
_MUL, _DIV = {"mul", "multiply", "stablehlo.multiply"}, {"div", "divide", "stablehlo.divide"}
_BITS = frozenset({"bitcast_convert_type", "stablehlo.bitcast_convert", "bitcast-convert"})
#: Ops through which a constant is looked for: other readings of its bits, and its repetition.
_READS = _BITS | {"broadcast", "broadcast_in_dim", "stablehlo.broadcast_in_dim"}
#: Of two equal operands these give that operand. The words of comparing and of bits mean the same in each dialect.
_IDEMPOTENT = frozenset(
    {"max", "maximum", "stablehlo.maximum", "min", "minimum", "stablehlo.minimum", "and", "stablehlo.and", "or",
     "stablehlo.or"}
)  # fmt: skip
#: All ops of two operands that a law is about.
_LAWFUL = frozenset(_ADD | _SUB | _MUL | _DIV | _IDEMPOTENT)
#: Pure ops to which the bits of a NaN are more than "a NaN". Comparisons in the total order are found by their
# attribute.
_OBSERVERS = frozenset(
    {
        "bitcast_convert_type",
        "bitcast-convert",
        "stablehlo.bitcast_convert",
        "copysign",
        "custom-call",
        "stablehlo.custom_call",
        "sort",
        "stablehlo.sort",
        "reduce_precision",
        "nextafter",
        "chlo.next_after",
        "top_k",
        "approx_top_k",
        "topk",
        "chlo.top_k",
        "eq_to",
        "le_to",
        "lt_to",
    }
)


def permutation(attr: Attr | None) -> tuple[int, ...] | None:
    """The ints of an attribute that lists dimensions, in whichever form the dialect holds them."""
    if isinstance(attr, Seq) and all(isinstance(item, Int) for item in attr.items):
        return tuple(item.value for item in attr.items if isinstance(item, Int))
    if isinstance(attr, (Text, Opaque)):
        text = attr.value if isinstance(attr, Text) else attr.text
        parts = text.replace("array<i64:", "").strip("{}<>[]() ").split(",")
        if all(part.strip().isdigit() for part in parts if part.strip()):
            return tuple(int(part) for part in parts if part.strip())
    return None


def _says_the_same(op: Op, name: str, value: Attr, type: TensorType) -> bool:
    """Whether an attribute says of the result what its type says; a jaxpr that was made by hand may say something else.

    A symbolic dimension is not looked at, nor are sharding and weak type, which are facts of the type themselves.
    """
    if name == "new_dtype":
        return value == Opaque("dtype", type.dtype)
    if name in ("new_sizes", "shape") and isinstance(value, Seq):
        return _same_shape(value.items, type)
    return op.name != "squeeze" or value == Seq(())


def _same_shape(sizes: tuple[Attr, ...], type: Type) -> bool:
    """Whether sizes are those of a type; a symbolic one is not looked at."""
    if not isinstance(type, TensorType) or len(sizes) != len(type.shape):
        return False
    return all(
        size.value == dim if isinstance(size, Int) else isinstance(dim, str)
        for size, dim in zip(sizes, type.shape, strict=True)
    )


def _same_bits(before: Type | None, after: Type, said: Attr | None) -> bool:
    """Whether a bitcast reads integers as integers of the same width."""
    if not isinstance(before, TensorType) or not isinstance(after, TensorType) or before.shape != after.shape:
        return False
    widths = [type.dtype.lstrip("ui") for type in (before, after)]
    whole = widths[0] == widths[1] and widths[0].isdigit() and int(widths[0]) >= 8
    return whole and said in (None, Opaque("dtype", after.dtype))


class Identities:
    """The laws, as far as the rules in force allow them."""

    def __init__(self, table: Table, dialect: str, rules: frozenset[str]) -> None:
        self._table = table
        self._rules = rules
        self._commutative = commutative_ops(dialect)
        self.nan_bits_are_seen = True

    def simplify(self, op: Op, operands: tuple[int, ...], type: Type, run: Evaluator) -> int | None:
        """The operand that the op is equal to, or None."""
        if op.name in _SAME and "no-op" in self._rules and self._hands_on(op, type, run):
            if op.name == "copy" and run.eraser.dialect == "hlo":
                if "class:copies" not in self._rules:
                    return None
                run.use("class:copies", op)
            run.use("no-op", op)
            return operands[0]
        if op.name not in _LAWFUL or len(operands) != 2:
            return None
        unsaid = _IGNORED.union([name for name, value in op.attributes if value == _NONE])
        if any(name not in unsaid for name, _ in run.eraser.attributes(op)):
            return None  # what an op says besides its operands is not lost
        if "exact-identities" in self._rules and isinstance(type, TensorType):
            same = self._neutral(op.name, operands, type)
            if same is not None:
                run.use("exact-identities", op)
                return same
        if "inexact" in self._rules and isinstance(type, TensorType):
            same = self._inexact(op.name, operands, type)
            if same is not None:
                run.use("inexact", op)
                return same
        return None

    def _hands_on(self, op: Op, type: Type, run: Evaluator) -> bool:
        entry = _SAME.get(op.name)
        if entry is None or len(op.operands) != 1 or not isinstance(type, TensorType):
            return False
        before = op.operands[0].type
        if run.eraser.type(before) != type:
            return False
        if op.name in ("bitcast", "copy") and before != op.results[0].type:
            return False  # two layouts: a bitcast may be a transpose, a copy moves the elements
        identity, ignored = entry
        for name, value in op.attributes:
            if name in identity:
                if permutation(value) != tuple(range(len(type.shape))):
                    return False
            elif name == "dimensions" and op.name == "reshape":
                if permutation(value) not in (None, tuple(range(len(type.shape)))):
                    return False
            elif name in ignored:
                if not _says_the_same(op, name, value, type):
                    return False
            elif name not in _IGNORED:
                return False
        return all(any(name == key for key, _ in op.attributes) for name in identity[:1]) or op.name == "transpose"

    def constant(self, term: int) -> Array | None:
        """The scalar contents of a splat constant, looked for through broadcasts and other readings of its bits."""
        table, read_as = self._table, ""
        while table.kind(term) == "op":
            name, attributes, types, *_ = table.payload(term)
            if name not in _READS:
                return None
            said = dict(attributes)
            if name in _BITS:
                before = result_type(table, table.children(term)[0])
                if not _same_bits(before, types[0], said.get("new_dtype")):
                    return None
                read_as = read_as or types[0].dtype
            sizes = said.get("shape", ("seq", None))  # as `Eraser.attr` keys a list
            sizes = sizes[1] if isinstance(sizes, tuple) and sizes[0] == "seq" else ()
            if sizes is not None and not _same_shape(sizes, types[0]):
                return None  # a jaxpr that contradicts itself
            term = table.children(term)[0]
        if table.kind(term) != "const":
            return None
        value = table.payload(term)[0]
        if not isinstance(value, Array) or (value.shape and not value.splat):
            return None
        return replace(value, dtype=read_as) if read_as else value

    def _neutral(self, name: str, operands: tuple[int, int], type: TensorType) -> int | None:
        """x*1, x/1, x+(-0.0), x-(+0.0), max(x, x), min(x, x), x and x, x or x and, for integers, x+0: exact for every
        x, up to which NaN (a signalling x is quieted)."""
        if type.dtype in _FLOATS and self.nan_bits_are_seen:
            return None
        left, right = operands
        if name in _IDEMPOTENT and left == right and self._typed(left, type):
            return left if type.dtype == "bool" or _neutrals(type.dtype)[0] is not None else None
        one, zero, minus = _neutrals(type.dtype)
        if name in _MUL or name in _ADD:
            wanted = one if name in _MUL else minus
            for x, c in ((left, right), (right, left)):
                if self._is(c, wanted, type.dtype) and self._typed(x, type):
                    return x
        if name in _DIV or name in _SUB:
            wanted = one if name in _DIV else zero
            if self._is(right, wanted, type.dtype) and self._typed(left, type):
                return left
        return None

    def _inexact(self, name: str, operands: tuple[int, int], type: TensorType) -> int | None:
        """x+0.0 is x except for x = -0.0."""
        _, zero, _ = _neutrals(type.dtype)
        for x, c in (operands, operands[::-1]):
            if name in _ADD and self._is(c, zero, type.dtype) and self._typed(x, type):
                return x
        return None

    def _is(self, term: int, wanted: bytes | None, dtype: str) -> bool:
        if wanted is None:
            return False
        value = self.constant(term)
        return value is not None and value.dtype == dtype and value.data == wanted

    def _typed(self, term: int, type: TensorType) -> bool:
        """The operand has the result's type (jaxpr multiplies a literal scalar into an array, not the reverse)."""
        return result_type(self._table, term) == type

    def exchange(self, op: Op) -> bool:
        """True where the two operands may exchange: exactly, or up to which NaN where nothing sees the bits of one."""
        if "commutative" not in self._rules or len(op.operands) != 2 or op.name not in self._commutative:
            return False
        type, other = op.operands[0].type, op.operands[1].type
        if not isinstance(type, TensorType) or not (other == type or _repeated(type, other)):
            return False
        if type.dtype == "bool" or type.dtype.lstrip("u").startswith("i"):
            return True
        return (op.name in _ADD or op.name in _MUL) and not self.nan_bits_are_seen


def _repeated(type: TensorType, other: Type) -> bool:
    """One of two operands is a scalar that is repeated for each element of the other, as a jaxpr has it."""
    return isinstance(other, TensorType) and type.dtype == other.dtype and () in (type.shape, other.shape)


@cache
def _neutrals(dtype: str) -> tuple[bytes | None, bytes | None, bytes | None]:
    """Bits of one, zero and minus zero (zero itself for integers); None where the law does not hold."""
    if dtype in _FLOATS:
        minus, one = (bytes.fromhex(text) for text in _FLOATS[dtype])
        return one, bytes(len(minus)), minus
    width = dtype.lstrip("ui")
    if dtype[:1] in ("i", "u") and width.isdigit() and int(width) >= 8:
        size = int(width) // 8
        return (1).to_bytes(size, "little"), bytes(size), bytes(size)
    return None, None, None


def result_type(table: Table, term: int) -> Type | None:
    """The type of a term, where its key says it."""
    kind, payload, children = table.keys[term]
    found: Type | None = None
    match kind:
        case "op" | "call":
            found = payload[2][0] if len(payload[2]) == 1 else None
        case "const" | "item" | "ys" | "given" | "in" if isinstance(payload, tuple) and len(payload) == 2:
            found = payload[1]
        case "leaf" | "slot" | "elem" | "sel":
            found = payload[2]
        case "proj":
            found = _element_type(table, children[0], payload)
        case "res":
            found = table.payload(children[0])[2][payload] if isinstance(payload, int) else payload[1]
        case "tuple":
            found = payload
    return found


def _element_type(table: Table, term: int, index: int | str) -> Type | None:
    """The type of one of several results, or of an element of a tuple."""
    kind, payload, _ = table.keys[term]
    types: tuple[Type, ...] = payload[2] if kind in ("op", "call") else ()
    if index == "token" or (kind == "call" and index == len(types) and len(types) != 1):
        return TOKEN
    if len(types) == 1 or not types:
        whole = types[0] if types else result_type(table, term)
        types = whole.elements if isinstance(whole, TupleType) else types
    return types[index] if isinstance(index, int) and index < len(types) else None


def sees_nan_bits(op: Op) -> bool:
    """True for ops to which the bits of a NaN are more than "a NaN"; one that no table knows is one too."""
    if op.name in _OBSERVERS or op.attribute("effects") is not None or not _known(op.name):
        return True
    return any("TOTALORDER" in str(getattr(value, "value", getattr(value, "text", ""))) for _, value in op.attributes)


@cache
def _known(name: str) -> bool:
    """True for ops that some dialect knows as pure, or as structure."""
    return name in STRUCTURED or any(
        name in pure_ops(d) | device_reads(d) | opaque_ops(d) for d in ("jaxpr", "stablehlo", "hlo")
    )
