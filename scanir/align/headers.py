"""What modules and functions say besides their ops, where that differs: one edit for each thing said."""

from __future__ import annotations

from typing import Any

from scanir.align.pairing import Pairing
from scanir.compare.attributes import attribute_text
from scanir.ir.attrs import Attr
from scanir.normalize.classes import INTERFACE_CLASSES, MODULE_CLASSES, facts
from scanir.result import Edit, EditSide

Said = dict[tuple[str, str], Attr]


def headers(pairing: Pairing) -> list[Edit]:
    """Of the modules, then of each pair of functions."""
    left, right = pairing.left, pairing.right
    found = []
    said: tuple[Said, Said] = tuple({("module", n): v for n, v in g.module.attributes} for g in (left, right))  # type: ignore[assignment]
    for key in _differ(said):
        kind = MODULE_CLASSES.get((left.module.dialect, key[1]), "semantics")
        if kind is not None:
            found.append(_edit(left.module.entry, key, said, kind))
    bodies = [{id(f.body): f for f in graph.module.functions} for graph in (left, right)]
    for x, y in pairing.blocks:
        functions = bodies[0].get(id(left.blocks[x].region)), bodies[1].get(id(right.blocks[y].region))
        if functions[0] is None or functions[1] is None:
            continue
        said = tuple({(place, n): v for place, n, v in facts(f)} for f in functions if f is not None)  # type: ignore[assignment]
        for key in _differ(said):
            found.append(_edit(functions[0].name, key, said, INTERFACE_CLASSES.get(key[1]) or "semantics"))
    return found


def _differ(said: tuple[Said, Said]) -> list[tuple[str, str]]:
    return sorted(key for key in {*said[0], *said[1]} if said[0].get(key) != said[1].get(key))


def _edit(path: str, key: tuple[str, str], said: tuple[Said, Said], kind: str) -> Edit:
    texts: list[Any] = ["absent" if (value := side.get(key)) is None else attribute_text(value) for side in said]
    left, right = (EditSide(f"{key[0]}: {key[1]} = {text}", text, path) for text in texts)
    op = "argument" if key[0].startswith("parameter") else key[0].partition(" ")[0]
    return Edit("replace", kind.removeprefix("class:"), op, path, f"{key[0]} {key[1]}", left, right)
