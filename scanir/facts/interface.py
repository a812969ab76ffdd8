"""How a module's parameters hang on the function's arguments: which were kept, and which outputs take their memory."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scanir.costs.copies import size_of
from scanir.facts.places import Places
from scanir.facts.values import Values
from scanir.ir.attrs import Attr, Bool, Int, Opaque, Seq
from scanir.ir.types import TOKEN, TupleType
from scanir.ir.walk import uses

_ALIAS = re.compile(r"\{([\d,\s]*)\}\s*:\s*\(\s*(\d+)\s*,\s*\{([\d,\s]*)\}\s*(?:,\s*([\w-]+)\s*)?\)")
_DONOR = re.compile(r"\(\s*(\d+)\s*,\s*\{([\d,\s]*)\}\s*\)")


@dataclass(frozen=True, slots=True)
class AliasRow:
    """An argument whose memory is given away. ``parameter`` is -1 where jit dropped it. ``output``: number of the
    result that takes its memory, None where none does; ``state``: ``aliased``, ``offered`` (the compiler may still take
    it), ``wanted`` (asked for; nothing is decided at this stage) or ``unused`` (donated, and no output took it)."""

    argument: str
    parameter: int
    type: str
    bytes: int | None
    output: int | None
    output_path: str
    state: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class AliasTable:
    """``saved``: bytes of the outputs that take an argument's memory."""

    rows: tuple[AliasRow, ...]
    saved: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptRow:
    """A parameter of the module, or an argument that it does not have (``parameter`` None). ``kind``: ``argument``,
    ``constant`` (JAX passes a closed-over value so), ``token`` or ``dropped``. ``read``: whether any op uses it."""

    parameter: int | None
    kind: str
    argument: str
    type: str
    read: bool


def aliasing(places: Places) -> AliasTable:
    """Donation and aliasing, argument by argument."""
    program = places.program
    found: list[AliasRow] = []
    taken: set[int] = set()
    for parameter, element, output, note in _aliased(places):
        found.append(_row(places, parameter, element, output, "aliased", note))
        taken.add(parameter)
    for parameter, element in _donors(places):
        if parameter not in taken:
            state = "unused" if program.stage == "hlo" else "offered"
            note = "no output took it" if state == "unused" else "the compiler decides"
            found.append(_row(places, parameter, element, None, state, note))
            taken.add(parameter)
    kept = program.interface.kept
    for number, argument in enumerate(program.interface.arguments):
        parameter = kept.index(number) if number in kept else -1
        if argument.donated and (parameter not in taken or parameter < 0):
            found.append(_donated(places, number, parameter))
    notes = ("the jaxpr says only what was asked for; stage stablehlo or hlo says what came of it",)
    rows = tuple(sorted(found, key=lambda row: (row.parameter < 0, row.parameter, row.argument)))
    saved = sum(row.bytes or 0 for row in rows if row.state == "aliased")
    return AliasTable(rows, saved, notes if program.stage == "jaxpr" else ())


def _donated(places: Places, number: int, parameter: int) -> AliasRow:
    argument = places.program.interface.arguments[number]
    if places.program.stage == "jaxpr":
        state, note = "wanted", "donated"
    elif parameter < 0:
        state, note = "unused", "donated but not used: nothing reads it, so jit dropped it"
    else:
        state, note = "unused", "donated but not used: no output took it"
    return AliasRow(argument.name, parameter, str(argument.type), size_of(argument.type), None, "", state, note)


def _aliased(places: Places) -> list[tuple[int, tuple[int, ...], int, str]]:
    """(parameter, element of it, output, how) for each alias that the module states."""
    module = places.program.module
    entry = module.function(module.entry)
    found: list[tuple[int, tuple[int, ...], int, str]] = []
    for parameter, attributes in enumerate(entry.param_attrs):
        output = _integer(dict(attributes).get("tf.aliasing_output"))
        if output is not None:
            found.append((parameter, (), output, ""))
    attr = dict(module.attributes).get("input_output_alias")
    for output_, parameter_, element, how in _ALIAS.findall(_text(attr)):
        path = _numbers(output_)
        found.append((int(parameter_), _numbers(element), path[0] if path else 0, how))
    return found


def _donors(places: Places) -> list[tuple[int, tuple[int, ...]]]:
    module = places.program.module
    entry = module.function(module.entry)
    found: list[tuple[int, tuple[int, ...]]] = [
        (parameter, ())
        for parameter, attributes in enumerate(entry.param_attrs)
        if dict(attributes).get("jax.buffer_donor") == Bool(True)
    ]
    return found + [
        (int(parameter), _numbers(element))
        for parameter, element in _DONOR.findall(_text(dict(module.attributes).get("buffer_donor")))
    ]


def _row(
    places: Places, parameter: int, element: tuple[int, ...], output: int | None, state: str, note: str
) -> AliasRow:  # fmt: skip
    module = places.program.module
    params = module.function(module.entry).body.params
    name = Values(places).argument(parameter) if parameter < len(params) else f"parameter {parameter}"
    type = params[parameter].type if parameter < len(params) else None
    for index in element:
        name = f"{name}[{index}]"
        type = type.elements[index] if isinstance(type, TupleType) and index < len(type.elements) else None
    results = places.program.interface.results
    path = results[output] if output is not None and output < len(results) else ""
    size = None if type is None else size_of(type)
    return AliasRow(name, parameter, str(type or "?"), size, output, path, state, note)


@dataclass(frozen=True, slots=True)
class KeptTable:
    rows: tuple[KeptRow, ...]
    notes: tuple[str, ...] = ()


def kept_arguments(places: Places) -> KeptTable:
    """The parameters of the module in order, then the arguments that it does not have."""
    program = places.program
    body = program.module.function(program.module.entry).body
    values, used = Values(places), uses(body)
    interface = program.interface
    constants = dict(interface.constants)
    rows: list[KeptRow] = []
    for k, param in enumerate(body.params):
        kind = "token" if param.type == TOKEN else "constant" if k in constants else "argument"
        name = values.argument(k) if kind == "argument" else ""
        rows.append(KeptRow(k, kind, name, str(param.type), param in used))
    rows += [
        KeptRow(None, "dropped", argument.name, str(argument.type), False)
        for number, argument in enumerate(interface.arguments)
        if number not in interface.kept
    ]
    notes = ("jit drops arguments that nothing reads when it lowers: see stage stablehlo",)
    unread = any(not row.read and row.kind == "argument" for row in rows)
    return KeptTable(tuple(rows), notes if program.stage == "jaxpr" and unread else ())


def _integer(attr: Attr | None) -> int | None:
    """An integer attribute, or the one in a typed pair."""
    items = attr.items if isinstance(attr, Seq) else (attr,)
    return next((item.value for item in items if isinstance(item, Int)), None)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(",") if part.strip())


def _text(attr: Attr | None) -> str:
    return attr.text if isinstance(attr, Opaque) else ""
