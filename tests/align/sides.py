"""Pairs of small modules in HLO text, one line an op, and the script between them."""

from __future__ import annotations

from scanir.align.align import align
from scanir.align.graph import Graph, Numbers
from scanir.align.pairing import Pairing
from scanir.align.script import script
from scanir.normalize.rules import DEFAULT
from scanir.program import Program
from scanir.readers.hlo import read_hlo
from scanir.result import Edit
from scanir.targets.artifact import interface_of


def program(body: str, before: str = "") -> Program:
    """A module whose entry is ``body``: lines ``name = type op(...)``, the last one the result."""
    lines = [line.strip() for line in body.strip().splitlines()]
    lines[-1] = f"ROOT {lines[-1]}"
    text = "HloModule m\n\n" + before + "\nENTRY main {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"
    module = read_hlo(text)
    return Program("hlo", module, interface_of(module))


def edits(a: Program, b: Program) -> list[Edit]:
    return list(script(a, b, DEFAULT)[0])


def started(a: Program, b: Program) -> Pairing:
    """A pairing in which the entries are paired, and no op is."""
    numbers = Numbers()
    left, right = Graph(a, "a", numbers), Graph(b, "b", numbers)
    pairing = Pairing(left, right)
    pairing.pair_blocks(left.block_of[id(left.entry().body)], right.block_of[id(right.entry().body)])
    return pairing


def named(pairing: Pairing) -> dict[str, str]:
    """Which op is which, by the last part of their paths."""
    return {
        pairing.left.nodes[a].path.rpartition("/")[2]: pairing.right.nodes[b].path.rpartition("/")[2]
        for a, b in pairing.partner.items()
    }


def how(a: Program, b: Program) -> dict[str, str]:
    """Which matcher paired each op of the left side."""
    pairing = align(a, b)
    return {pairing.left.nodes[k].path.rpartition("/")[2]: name for k, name in pairing.how.items()}


#: x -> sine -> multiply by y -> exponential
CHAIN = """
x = f32[4] parameter(0)
y = f32[4] parameter(1)
s = f32[4] sine(x)
m = f32[4] multiply(s, y)
e = f32[4] exponential(m)
"""
