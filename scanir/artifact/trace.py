"""A trace: what one target is at each stage it was brought to, and what it takes to make that again.

Promises of `portable`: no absolute path, no home directory, and no place in memory; file names are relative to the
working directory, or end with their last two parts. What belongs to programs is never touched by it: only places,
notes, labels and the texts of pytrees are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from scanir.ir.graph import Location, Module, Op, Region
from scanir.ir.places import place
from scanir.program import Program

#: What stands for a place in memory.
NOWHERE = "0x..."
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
#: A path from the root with two parts or more; a fraction, a date or an address of the web is none.
_PATH = re.compile(r"(?<![\w./:-])/(?:[^\s/'\":,;()]+/)+[^\s/'\":,;()]+")


@dataclass(frozen=True, slots=True)
class Trace:
    """``target``: its name; ``arguments``: the text of ``--args`` that it was traced with, empty where there is none
    that says all; ``programs``: by stage, in the order of `scanir.program.STAGES`; ``machine``: facts, by name, of the
    machine that compiled, which decide what XLA makes of a program."""

    target: str
    arguments: str
    programs: tuple[Program, ...]
    machine: tuple[tuple[str, str], ...] = ()


def portable(trace: Trace) -> Trace:
    """The trace without what only this machine and this process know."""
    programs = tuple(
        replace(
            without_addresses(program), label=text_anywhere(program.label), source=None,
            notes=tuple(map(text_anywhere, program.notes)),
            provenance=tuple((name, flags_anywhere(value)) for name, value in program.provenance),
        )
        for program in trace.programs
    )  # fmt: skip
    return replace(trace, target=text_anywhere(trace.target), programs=programs)


def without_addresses(program: Program) -> Program:
    """The program, objects in its pytrees that show nothing but their place in memory by their types alone."""
    interface = program.interface
    trees = [_ADDRESS.sub(NOWHERE, tree) for tree in (interface.input_tree, interface.output_tree)]
    return replace(program, interface=replace(interface, input_tree=trees[0], output_tree=trees[1]))


def level(a: Program, b: Program) -> tuple[Program, Program]:
    """Two programs, of which one may have been saved: then pytrees of both are `without_addresses`."""
    trees = (tree for program in (a, b) for tree in (program.interface.input_tree, program.interface.output_tree))
    return (without_addresses(a), without_addresses(b)) if any(NOWHERE in tree for tree in trees) else (a, b)


def text_anywhere(text: str) -> str:
    """A text for people without absolute paths and places in memory."""
    return _ADDRESS.sub(NOWHERE, _PATH.sub(lambda found: place(found[0]), text))


def flags_anywhere(value: str) -> str:
    """Flags without those that say where to write dumps, which leave programs alone."""
    if "--xla_dump" not in value:
        return value
    return " ".join(flag for flag in value.split() if not flag.startswith("--xla_dump"))


def location_anywhere(location: Location | None) -> Location | None:
    """A location as reports name it."""
    return None if location is None else Location(place(location.file), location.line, location.function)


def locations(module: Module) -> list[Location | None]:
    """The location of each op in the order in which the module is printed: a shared region where it first stands."""
    found: list[Location | None] = []
    seen: set[int] = set()
    for function in module.functions:
        stack: list[Region | Op] = [function.body]
        while stack:
            item = stack.pop()
            if isinstance(item, Region):
                if id(item) not in seen:
                    seen.add(id(item))
                    stack.extend(reversed(item.ops))
            else:
                found.append(item.location)
                stack.extend(reversed(item.regions))
    return found
