"""What a scan takes apart and stacks, read off the module: where the laws of `stacking` may hold (O6).

Nothing here is a proof: it says which positions the proof is about. Positions are those of the layout, in which calls
that are entered and tuples have none of their own.
"""

from __future__ import annotations

from scanir.checker.layout import Layout, Node
from scanir.ir.attrs import Int, Opaque, Seq
from scanir.ir.graph import Op
from scanir.ir.types import TensorType, Type


def again(layout: Layout, node: Node, k: int) -> int | None:
    """The scanned value whose elements the scan stacks as they are, as its ys ``k``; of its type and length."""
    result, y = node.ys[k]
    if layout.makers[y] is not node or layout.roles[y][0] != "elem" or not _whole(node.op, layout.types[result]):
        return None
    scanned = node.xs[layout.roles[y][1]][1]
    return scanned if layout.types[scanned] == layout.types[result] else None


def copied(layout: Layout, node: Node, element: int) -> int | None:
    """The value of which a scanned value may be copies: what another scan stacks, or a broadcast repeats."""
    scanned = node.xs[layout.roles[element][1]][1]
    maker, (role, k), type = layout.makers[scanned], layout.roles[scanned], layout.types[scanned]
    if maker is None or role != "result" or not _whole(node.op, type):
        return None
    source = None
    if maker.kind == "loop":
        carried = len(maker.slots) - (1 if maker.token_out >= 0 else 0)
        source = maker.ys[k - carried][1] if k >= carried and _whole(maker.op, type) else None
    elif maker.kind == "plain" and maker.op.name == "broadcast_in_dim" and _repeats(maker.op, type):
        (source,) = maker.operands
    return source if source is not None and layout.types[source] == layout.types[element] else None


def _whole(op: Op, type: Type) -> bool:
    length = op.attribute("length")
    return isinstance(length, Int) and isinstance(type, TensorType) and type.shape[:1] == (length.value,)


def _repeats(op: Op, type: Type) -> bool:
    """Whether a broadcast only repeats its operand along a new first dimension."""
    if not isinstance(type, TensorType) or any(isinstance(dim, str) for dim in type.shape):
        return False
    sizes = Seq(tuple(Int(dim) for dim in type.shape if isinstance(dim, int)))
    kept = Seq(tuple(Int(k) for k in range(1, len(type.shape))))
    said = [(name, value) for name, value in op.attributes if name != "ctx" and value != Opaque("none", "")]
    return all(
        (name, value) in (("broadcast_dimensions", kept), ("shape", sizes)) for name, value in said
    ) and "broadcast_dimensions" in dict(said)
