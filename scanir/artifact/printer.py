"""The text of a trace, which `scanir.artifact.reader` reads back.

    scanir 1
    target "sum-scan"
    arguments "f32[10]"

    == jaxpr
    provenance {jax = "0.10.2", platform = "cpu"}
    argument "xs" f32[10] {position = 0}
    kept [0]
    ...
    module jaxpr entry @main

    func @main (%xs: f32[10]) {
      ...
    }

    == jaxpr lines
    2 "scanir/strategies/sum.py": 22, "body"

    == end

Promises: equal text for equal traces, on every Python and machine; ASCII; a line that begins with ``==`` begins a
section, since no string holds an end of line; linear time. A change of one argument, constant or op changes few lines.
"""

from __future__ import annotations

from itertools import groupby

from scanir.artifact.trace import Trace, location_anywhere, locations
from scanir.ir.attrs import Attr, Bool, Int, Record, Seq, Text
from scanir.ir.graph import Location
from scanir.ir.lexical import quote
from scanir.ir.printer import Style, print_attr, print_module, print_type
from scanir.program import Argument, Interface, Program

#: The number of the format: another one means that older readers must not read it.
VERSION = 1
#: Sizes that are no fact of the program: that of the machine code counts the names of the files it was made from.
_UNSTEADY = frozenset({"code"})
#: The name of the last section, which says that the text is whole.
END = "end"
HEADER = f"scanir {VERSION}"
#: Constants of up to so many bytes are written out in any case: trip counts, indices, small tables.
SMALL = 64


def print_trace(trace: Trace, *, digests: bool = False, lines: bool = True) -> str:
    """The text of a trace. ``digests``: constants of more than `SMALL` bytes by type and SHA-256; ``lines``: with the
    line of each op, and what else an unrelated change of the source or another run of the compiler changes."""
    parts = [HEADER, f"target {quote(trace.target)}"]
    if trace.arguments:
        parts.append(f"arguments {quote(trace.arguments)}")
    if trace.machine:
        parts.append(f"machine {_record(dict(trace.machine))}")
    text = ["\n".join(parts) + "\n"]
    for program in trace.programs:
        label = "" if program.label == trace.target else f"label {quote(program.label)}\n"
        style = Style(names=True, digests=digests)
        text += ["\n== ", program.stage, "\n", label, *_program(program, style, lines=lines)]
    return "".join([*text, "\n== ", END, "\n"])


def _program(program: Program, style: Style, *, lines: bool) -> list[str]:
    head = [f"provenance {_record(dict(program.provenance))}"]
    head += _interface(program.interface, style)
    if program.callbacks is not None:
        head.append(f"callbacks {print_attr(Seq(program.callbacks))}")
    if lines:
        head += [f"note {quote(note)}" for note in program.notes]
        head += [f"size {quote(name)} {size}" for name, size in program.sizes if name not in _UNSTEADY]
    found = ["\n".join(head), "\n", print_module(program.module, style)]
    if lines and any(where := locations(program.module)):
        found += [f"\n== {program.stage} lines\n", *_runs(where)]
    return found


def _interface(interface: Interface, style: Style) -> list[str]:
    lines = [_argument(argument) for argument in interface.arguments]
    lines.append(f"kept {print_attr(Seq(tuple(map(Int, interface.kept))))}")
    lines += [f"result {quote(path)}" for path in interface.results]
    for index, value in interface.constants:
        lines.append(f"constant {index} {print_attr(value, style)}")
    for word, tree in (("input", interface.input_tree), ("output", interface.output_tree)):
        lines += [f"{word} {quote(tree)}"] if tree else []
    return lines


def _argument(argument: Argument) -> str:
    """An argument, with the fields that say something."""
    fields: dict[str, Attr] = {"position": Int(argument.position)} if argument.position != -1 else {}
    fields |= {name: Bool(True) for name in ("keyword", "donated") if getattr(argument, name)}
    for name in ("path", "group", "sharding"):
        fields |= {name: Text(text)} if (text := getattr(argument, name)) else {}
    rest = f" {print_attr(Record(tuple(fields.items())))}" if fields else ""
    return f"argument {quote(argument.name)} {print_type(argument.type)}{rest}"


def _record(facts: dict[str, str]) -> str:
    return print_attr(Record(tuple((name, Text(value)) for name, value in sorted(facts.items()))))


def _runs(where: list[Location | None]) -> list[str]:
    """One line for each run of ops that stand in one place."""
    text = []
    for location, run in groupby(map(location_anywhere, where)):
        count = sum(1 for _ in run)
        if location is None:
            text.append(f"{count} nowhere\n")
        else:
            function = f", {quote(location.function)}" if location.function else ""
            text.append(f"{count} {quote(location.file)}: {location.line}{function}\n")
    return text
