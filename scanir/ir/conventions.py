"""The conventions of structured ops, as checks: constants, loops, branches and calls, as `scanir.ir.graph` states them.

Promises one sentence for each broken convention of one op, looking at that op, its regions' interfaces and its callee
only. Types agree when dtype, shape and being a reference agree; symbolic dimensions fit any dimension.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scanir.ir.attrs import Array, Digest, Hidden
from scanir.ir.graph import Function, Op, Region, Value
from scanir.ir.structure import BRANCHES, CALLS, SCANS, WHILES, BranchView, CallView, LoopView, view
from scanir.ir.types import TensorType, TupleType, Type

#: Bytes of one element as `Array` holds it; a dtype that is not listed is not checked.
WIDTHS = {
    "bool": 1, "i2": 1, "u2": 1, "i4": 1, "u4": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8,
    "u64": 8, "bf16": 2, "f16": 2, "f32": 4, "f64": 8, "c64": 8, "c128": 16,
}  # fmt: skip


_PACKING = frozenset({"tuple", "get-tuple-element", "stablehlo.tuple", "stablehlo.get_tuple_element"})
#: The ops that conventions are about.
CONVENTIONAL = SCANS | WHILES | BRANCHES | CALLS | _PACKING | {"constant"}


def convention_problems(op: Op, functions: Mapping[str, Function]) -> Iterator[str]:
    """What is wrong with an op that is structured by its name; nothing for plain ops."""
    if op.name == "constant":
        yield from _constant(op)
        return
    if op.name in _PACKING:
        yield from _packing(op)
        return
    if op.name not in CONVENTIONAL:
        return
    if op.name in SCANS and op.attribute("num_carries") is not None:
        return  # HLO has an opcode of that name, which is another op
    seen = view(op)
    match seen:
        case LoopView(condition=None):
            yield from _scan(op, seen)
        case LoopView():
            yield from _while(op, seen)
        case BranchView():
            yield from _branch(op, seen)
        case CallView():
            yield from _call(op, functions.get(seen.callee))
        case None:
            yield f"{op.name} lacks the regions, operands or attributes of its kind"


def agree(left: Type, right: Type) -> bool:
    """Whether two types are the same in dtype, shape and being a reference."""
    stack = [(left, right)]
    while stack:
        match stack.pop():
            case TensorType() as a, TensorType() as b:
                if a.dtype != b.dtype or a.extra("ref") != b.extra("ref") or len(a.shape) != len(b.shape):
                    return False
                pairs = zip(a.shape, b.shape, strict=True)
                if any(m != n and isinstance(m, int) and isinstance(n, int) for m, n in pairs):
                    return False
            case TupleType() as a, TupleType() as b:
                if len(a.elements) != len(b.elements):
                    return False
                stack.extend(zip(a.elements, b.elements, strict=True))
            case a, b:
                if a != b:
                    return False
    return True


def _types(what: str, given: Sequence[Type], wanted: Sequence[Type]) -> Iterator[str]:
    if len(given) != len(wanted):
        yield f"{what}: {len(given)} where {len(wanted)} are wanted"
        return
    for index, (have, want) in enumerate(zip(given, wanted, strict=True)):
        if not agree(have, want):
            yield f"{what}: number {index} is {have} where {want} is wanted"


def _of(values: Sequence[Value]) -> list[Type]:
    return [value.type for value in values]


def _interface(what: str, region: Region, params: Sequence[Type], results: Sequence[Type]) -> Iterator[str]:
    yield from _types(f"parameters of the {what}", _of(region.params), params)
    yield from _types(f"results of the {what}", _of(region.results), results)


def _packing(op: Op) -> Iterator[str]:
    """A tuple has the types of its operands, an element the type that the tuple gives it."""
    if op.name.endswith("tuple"):
        whole = op.results[0].type if op.results else None
        if isinstance(whole, TupleType):
            yield from _types("elements of the tuple", _of(op.operands), whole.elements)
        return
    whole = op.operands[0].type if op.operands else None
    index = op.attribute("index")
    number = getattr(index, "value", None)
    if isinstance(whole, TupleType) and isinstance(number, int) and 0 <= number < len(whole.elements):
        yield from _types("element of the tuple", _of(op.results), (whole.elements[number],))


def _constant(op: Op) -> Iterator[str]:
    value = op.attribute("value")
    if op.operands or op.regions or len(op.results) != 1:
        yield "a constant has no operands, no regions and one result"
        return
    if isinstance(value, Hidden):
        return
    if not isinstance(value, (Array, Digest)):
        yield "a constant's value is an array, one known by its digest, or hidden"
        return
    yield from _types("value of the constant", [TensorType(value.dtype, value.shape)], _of(op.results))
    width = WIDTHS.get(value.dtype)
    if isinstance(value, Digest) or width is None or any(isinstance(dim, str) for dim in value.shape):
        return
    count = 1
    for dim in value.shape:
        count *= int(dim)
    wanted = width if value.splat else width * count
    if len(value.data) != wanted:
        yield f"a constant of {len(value.data)} bytes where its type takes {wanted}"


def _scan(op: Op, loop: LoopView) -> Iterator[str]:
    carries = len(loop.inits)
    number = op.attribute("num_carry")
    if number is not None and getattr(number, "value", carries) != carries:
        yield "num_carry is negative or larger than the number of operands"
        return
    elements: list[Type] = []
    for index, x in enumerate(loop.xs):
        element = _element(x.type, loop.length)
        if element is None:
            yield f"scanned operand {index} is {x.type}, without a leading dimension of {loop.length}"
        elements.append(element or x.type)
    yield from _types("parameters of the body", _of(loop.body.params), [*_of(loop.inits), *elements])
    yield from _types("next values of the body", _of(loop.body.results)[:carries], _of(loop.inits))
    yield from _types("final values", _of(op.results)[:carries], _of(loop.inits))
    if len(op.results) != len(loop.body.results):
        yield f"{len(op.results)} results for {len(loop.body.results)} results of the body"
        return
    for y, result in zip(loop.body.results[carries:], op.results[carries:], strict=True):
        element = _element(result.type, loop.length)
        if element is None or not agree(element, y.type):
            yield f"stacked result is {result.type} where the body yields {y.type} in {loop.length} steps"


def _element(type: Type, length: int | None) -> Type | None:
    """The type of one step's part of a scanned array; None if the array cannot be scanned in that many steps."""
    if not isinstance(type, TensorType) or not type.shape:
        return None
    leading = type.shape[0]
    if isinstance(leading, int) and length is not None and leading != length:
        return None
    return TensorType(type.dtype, type.shape[1:], type.extras)


def _while(op: Op, loop: LoopView) -> Iterator[str]:
    assert loop.condition is not None
    slots = _of(loop.inits)
    yield from _interface("condition", loop.condition, slots, [TensorType("bool")])
    yield from _interface("body", loop.body, slots, slots)
    yield from _types("results", _of(op.results), slots)


def _branch(op: Op, branch: BranchView) -> Iterator[str]:
    selector = branch.selector.type
    if not isinstance(selector, TensorType) or selector.shape:
        yield f"the selector is {selector}, not a scalar"
    for index, (region, bound) in enumerate(zip(branch.regions, branch.arguments, strict=True)):
        yield from _interface(f"branch {index}", region, _of(bound), _of(op.results))


def _call(op: Op, callee: Function | None) -> Iterator[str]:
    if callee is None:
        return  # reported where the attribute is
    yield from _types("arguments of the call", _of(op.operands), _of(callee.body.params))
    yield from _types("results of the call", _of(op.results), _of(callee.body.results))
