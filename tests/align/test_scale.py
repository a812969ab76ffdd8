"""Scripts of wide and long modules: work grows with the module, not with its square."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanir.align.graph import Graph
from scanir.align.words import SHOWN
from scanir.program import Program
from tests.align.sides import edits, program


def constants(size: int, digit: int) -> Program:
    """One op that is given as many constants."""
    lines = [f"c{k} = f32[] constant({k}.{digit})" for k in range(size)]
    types = ", ".join(["f32[]"] * size)
    return program("\n".join([*lines, f"t = ({types}) tuple({', '.join(f'c{k}' for k in range(size))})"]))


def layers(size: int, name: str) -> Program:
    lines = [f"e{k} = f32[4] {'tanh' if k % 5 else name}({f'e{k - 1}' if k else 'x'})" for k in range(size)]
    return program("\n".join(["x = f32[4] parameter(0)", *lines]))


@pytest.mark.parametrize("make", [lambda n, k: constants(n, k + 1), lambda n, k: layers(n, ("sine", "cosine")[k])])
def test_inputs_that_are_looked_up_grow_with_the_module(
    make: Callable[[int, int], Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = [0]
    inner, inputs = Graph.inner, Graph.inputs

    def counted(graph: Graph, node: int, most: int | None = None) -> list[tuple[int, int]]:
        found = inputs(graph, node, most)
        looked[0] += len(found)
        return found

    def entered(graph: Graph, node: int) -> list[int]:
        looked[0] += 1
        return inner(graph, node)

    monkeypatch.setattr(Graph, "inputs", counted)
    monkeypatch.setattr(Graph, "inner", entered)
    figures = []
    for size in (40, 160):
        looked[0] = 0
        assert edits(make(size, 0), make(size, 1)) != []
        figures.append(looked[0])
    assert figures[1] < 6 * figures[0], "four times the module, not sixteen times the work"


def test_texts_of_an_edit_do_not_grow_with_what_an_op_is_given() -> None:
    found = edits(constants(300, 1), constants(300, 2))
    assert sum(edit.times for edit in found) == 300
    side = found[0].left
    assert side is not None
    assert side.text.count("f32[]") == SHOWN
    assert f"{300 - SHOWN} more" in side.text
