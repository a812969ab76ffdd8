"""A program as JSON text, and back: how a child process hands over what it read.

Modules, types and constants go as canonical text, whose parser is its exact inverse and costs no Python stack. What
cannot be handed over is the identity of a host function: it comes back as 0, which equals no other function's, so that
callbacks of two processes are never called the same.
"""

from __future__ import annotations

import base64
import pickle
from typing import Any

from scanir.ir.attrs import Callable
from scanir.ir.parser import parse_attr, parse_module, parse_type
from scanir.ir.printer import Style, print_attr, print_module, print_type
from scanir.program import Argument, Interface, Program

_EXACT = Style(names=True, locations=True)


def packed(program: Program) -> dict[str, Any]:
    """A program as plain data."""
    interface = program.interface
    return {
        "stage": program.stage,
        "label": program.label,
        "module": print_module(program.module, _EXACT),
        "arguments": [
            [a.name, print_type(a.type), a.position, a.path, a.keyword, a.donated, a.group, a.sharding]
            for a in interface.arguments
        ],
        "kept": list(interface.kept),
        "results": list(interface.results),
        "constants": [[index, print_attr(value)] for index, value in interface.constants],
        "trees": [interface.input_tree, interface.output_tree],
        "callbacks": None if program.callbacks is None else [print_attr(value) for value in program.callbacks],
        "provenance": [list(fact) for fact in program.provenance],
        "notes": list(program.notes),
        "sizes": [list(size) for size in program.sizes],
        "source": None if program.source is None else base64.b64encode(pickle.dumps(program.source)).decode("ascii"),
    }


def unpacked(data: dict[str, Any]) -> Program:
    """The program that was packed."""
    arguments = tuple(Argument(name, parse_type(type), *rest) for name, type, *rest in data["arguments"])
    constants = tuple((int(index), parse_attr(text)) for index, text in data["constants"])
    trees = data["trees"]
    found = data["callbacks"]
    callbacks = None
    if found is not None:
        callbacks = tuple(attr for attr in map(parse_attr, found) if isinstance(attr, Callable))
    return Program(
        data["stage"],
        parse_module(data["module"], "what the child process handed over"),
        Interface(arguments, tuple(data["kept"]), tuple(data["results"]), constants, trees[0], trees[1]),
        data["label"],
        callbacks,
        tuple((name, value) for name, value in data["provenance"]),
        tuple(data["notes"]),
        tuple((name, size) for name, size in data["sizes"]),
        source=None if data["source"] is None else pickle.loads(base64.b64decode(data["source"])),
    )
