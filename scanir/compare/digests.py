"""Constants that an artifact knows by their digest alone.

Law: a constant known by type and SHA-256 is the constant of the other side that has this type and SHA-256, or is known
by the same. It rests on nobody having found two contents of one digest, so a verdict that needs it lists the assumption
`digest`. A digest without its like on the other side stays what it is, and equals no value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from scanir.artifact.trace import level
from scanir.ir.attrs import Array, Attr, Attrs, Digest, Record, Seq
from scanir.ir.graph import Function, Module, Op, Region
from scanir.ir.steps import Steps, run
from scanir.ir.walk import attrs_in, ops_of
from scanir.program import Program

#: How the assumption begins.
DIGEST = "digest: "
Known = Mapping[Digest, Array]


def matched(a: Program, b: Program) -> tuple[Program, Program, int]:
    """Both programs with values for the digests that the other side has values for; and how many constants of one side
    correspond to some of the other by a digest."""
    a, b = level(a, b)
    digests = set(_digests(a)), set(_digests(b))
    if not digests[0] and not digests[1]:
        return a, b, 0
    known = _values(b, digests[0]), _values(a, digests[1])
    count = len(known[0].keys() | known[1].keys() | (digests[0] & digests[1]))
    return _with_values(a, known[0]), _with_values(b, known[1]), count


def assumption(count: int) -> str:
    """The assumption of a verdict that took so many constants by their digests."""
    taken = "1 constant is" if count == 1 else f"{count} constants are"
    return f"{DIGEST}{taken} known by type and SHA-256 alone, and taken as the other side's of the same"


def _attrs(program: Program) -> Iterator[Attr]:
    """All attributes of a program."""
    yield from attrs_in(value for _, value in program.interface.constants)
    module = program.module
    for function in module.functions:
        for attributes in (function.attributes, *function.param_attrs, *function.result_attrs):
            yield from attrs_in(value for _, value in attributes)
        for op in ops_of(function.body):
            yield from attrs_in(value for _, value in op.attributes)
    yield from attrs_in(value for _, value in module.attributes)


def _digests(program: Program) -> Iterator[Digest]:
    return (attr for attr in _attrs(program) if type(attr) is Digest)


def _values(program: Program, wanted: set[Digest]) -> dict[Digest, Array]:
    """The arrays of a program that have these digests; of others than their types none is computed."""
    types = {(digest.dtype, digest.shape) for digest in wanted}
    arrays = {attr for attr in _attrs(program) if type(attr) is Array and (attr.dtype, attr.shape) in types}
    found = {Digest.of(array): array for array in arrays if not array.splat}
    return {digest: array for digest, array in found.items() if digest in wanted}


def _with_values(program: Program, known: Known) -> Program:
    if not known:
        return program
    module, done = program.module, _regions(program.module, known)
    functions = tuple(
        Function(
            function.name, done[function.body], _fields(function.attributes, known),
            tuple(_fields(fields, known) for fields in function.param_attrs),
            tuple(_fields(fields, known) for fields in function.result_attrs),
        )
        for function in module.functions
    )  # fmt: skip
    constants = tuple((index, _attr(value, known)) for index, value in program.interface.constants)
    return replace(
        program,
        module=Module(module.dialect, functions, module.entry, _fields(module.attributes, known), module.name),
        interface=replace(program.interface, constants=constants),
    )


def _regions(module: Module, known: Known) -> dict[Region, Region]:
    """Each region of a module with values in place of digests, inner regions first; one that has none is itself."""
    done: dict[Region, Region] = {}
    stack = [function.body for function in module.functions]
    while stack:
        region = stack[-1]
        waiting = [inner for op in region.ops for inner in op.regions if inner not in done]
        if region in done or not waiting:
            stack.pop()
            if region not in done:
                ops = tuple(_op(op, done, known) for op in region.ops)
                same = all(new is old for new, old in zip(ops, region.ops, strict=True))
                done[region] = region if same else Region(region.params, ops, region.results)
        else:
            stack.extend(reversed(waiting))
    return done


def _op(op: Op, done: Mapping[Region, Region], known: Known) -> Op:
    attributes, regions = _fields(op.attributes, known), tuple(done[region] for region in op.regions)
    if attributes is op.attributes and all(new is old for new, old in zip(regions, op.regions, strict=True)):
        return op
    return replace(op, attributes=attributes, regions=regions)


def _fields(fields: Attrs, known: Known) -> Attrs:
    if not any(type(attr) is Digest for attr in attrs_in(value for _, value in fields)):
        return fields
    return tuple((name, _attr(value, known)) for name, value in fields)


def _attr(attr: Attr, known: Known) -> Attr:
    return run(_filled(attr, known))


def _filled(attr: Attr, known: Known) -> Steps[Attr]:
    match attr:
        case Digest():
            return known.get(attr, attr)
        case Seq(items):
            parts: list[Attr] = []
            for item in items:
                parts.append((yield _filled(item, known)))
            return Seq(tuple(parts))
        case Record(fields):
            named: list[tuple[str, Attr]] = []
            for name, value in fields:
                named.append((name, (yield _filled(value, known))))
            return Record(tuple(named))
        case _:
            return attr
