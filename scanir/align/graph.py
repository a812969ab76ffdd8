"""A module as numbered nodes: ops, who uses them, and numbers that say how each is computed and what becomes of it.

Numbers come from one `Numbers` for both sides, by equality of full keys, so that equal numbers are equal structure.
``up`` says how a node is computed (its label and the ``up`` of its operands), ``down`` what becomes of it (the labels
and ``down`` of its users, place by place); an edit changes ``up`` only below it and ``down`` only above it. The loose
ones leave types and attributes out. All of it is linear in the number of operands.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

from scanir.ir.graph import Function, Location, Op, Region, Value
from scanir.ir.types import TensorType
from scanir.ir.walk import Site, sites, symbols
from scanir.normalize.classes import CLASSES, TYPE_CLASSES
from scanir.normalize.erase import Eraser
from scanir.program import Program

#: All classes that can be taken off a type or an attribute.
CLASS_NAMES = frozenset({*CLASSES.values(), *TYPE_CLASSES.values(), "class:backend-config"})


class Numbers:
    """A number for each key, by equality."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}

    def of(self, key: Hashable) -> int:
        return self._known.setdefault(key, len(self._known))


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An op: where it stands, and its labels. ``label`` has all but operands and regions, ``loose`` the name alone."""

    op: Op
    path: str
    region: int
    label: int
    loose: int

    @property
    def is_constant(self) -> bool:
        return self.op.name == "constant"

    @property
    def line(self) -> tuple[str, int] | None:
        at: Location | None = self.op.location
        return (at.file, at.line) if at is not None and at.line else None


@dataclass(slots=True, eq=False)
class Block:
    """A region: its nodes in written order, and where it belongs. ``owner``: the node that holds it, None for the body
    of a function; ``digest``: a number for all that stands in it."""

    region: Region
    path: str
    owner: int | None
    nodes: list[int] = field(default_factory=list)
    digest: int = -1


#: Where a value comes from: (node, result) or (~block, parameter).
Source = tuple[int, int]
#: A use: (node, operand) or (~block, result of the region).
Use = tuple[int, int]


class Graph:
    """One side."""

    def __init__(self, program: Program, side: str, numbers: Numbers) -> None:
        self.program, self.module = program, program.module
        none: frozenset[str] = frozenset()
        self.eraser = Eraser(self.module, side, CLASS_NAMES, guess=True, settled=True)
        self.exact = Eraser(self.module, side, none, guess=True, settled=True)
        for eraser in (self.eraser, self.exact):
            eraser.symbol = lambda name: "function"
        self._numbers = numbers
        self.functions = {function.name: function for function in self.module.functions}
        self.nodes: list[Node] = []
        self.blocks: list[Block] = []
        self.block_of: dict[int, int] = {}
        self.source: dict[Value, Source] = {}
        self.uses: dict[Source, list[Use]] = {}
        self._params: dict[Source, int] = {}
        self._callers: dict[int, tuple[int, int]] | None = None
        self._build()
        self._link()
        self.up, self.loose_up = self._ups(loose=False), self._ups(loose=True)
        self._digests()
        self.down, self.loose_down = self._downs(loose=False), self._downs(loose=True)

    # -- building
    # ------------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        for function in self.module.functions:
            self._block(function.body, function.name, None)
        for site in sites(self.module):
            self._node(site)

    def _block(self, region: Region, path: str, owner: int | None) -> None:
        if id(region) not in self.block_of:
            self.block_of[id(region)] = len(self.blocks)
            self.source.update({value: (~len(self.blocks), k) for k, value in enumerate(region.params)})
            self.blocks.append(Block(region, path, owner))

    def _node(self, site: Site) -> None:
        op, index = site.op, len(self.nodes)
        block = self.block_of[id(site.region)]
        types = tuple(self.eraser.result_type(op, value.type) for value in op.results)
        key = (op.name, self.eraser.attributes(op), types, len(op.operands), len(op.regions), len(op.control))
        loose = (op.name, len(op.operands) if len(op.operands) < 4 else 4, len(op.regions))
        self.nodes.append(Node(op, site.path, block, self._numbers.of(key), self._numbers.of(loose)))
        self.blocks[block].nodes.append(index)
        self.source.update({value: (index, k) for k, value in enumerate(op.results)})
        for k, region in enumerate(op.regions):
            self._block(region, f"{site.path}:{k}" if len(op.regions) > 1 else site.path, index)

    def _link(self) -> None:
        for index, node in enumerate(self.nodes):
            for k, value in enumerate((*node.op.operands, *node.op.control)):
                self.uses.setdefault(self.source[value], []).append((index, k))
        for number, block in enumerate(self.blocks):
            for k, value in enumerate(block.region.results):
                self.uses.setdefault(self.source[value], []).append((~number, k))

    def inner(self, node: int) -> list[int]:
        """The blocks that a node holds, then those of the functions that it names."""
        op = self.nodes[node].op
        called = [self.functions[name] for name in symbols(op.attributes) if name in self.functions]
        return [self.block_of[id(region)] for region in (*op.regions, *(function.body for function in called))]

    def route(self, node: int) -> str:
        """The place of a node on the way from the entry, through the first op that holds or calls what is around."""
        found = self.nodes[node]
        return f"{self.way(found.region)}/{found.path.rpartition('/')[2]}"

    def way(self, block: int) -> str:
        """The place of a region; ``main/while:1``, ``main/layer``."""
        if self._callers is None:
            self._callers = self._called()
        parts: list[str] = []
        seen: set[int] = set()
        while block in self._callers and block not in seen:
            seen.add(block)
            index, place = self._callers[block]
            op = self.nodes[index].op
            if place < len(op.regions):
                name = self.nodes[index].path.rpartition("/")[2]
                parts.append(f"{name}:{place}" if len(op.regions) > 1 else name)
            else:
                parts.append(self.blocks[block].path)
            block = self.nodes[index].region
        return "/".join([self.blocks[block].path, *reversed(parts)])

    def _called(self) -> dict[int, tuple[int, int]]:
        """The first op that holds or calls each region, and in which place."""
        callers: dict[int, tuple[int, int]] = {}
        for index in range(len(self.nodes)):
            for place, inner in enumerate(self.inner(index)):
                callers.setdefault(inner, (index, place))
        return callers

    def inputs(self, node: int, most: int | None = None) -> list[Source]:
        """What an op is given; at ``most`` so many, for who looks around: there may be as many as there are ops."""
        op = self.nodes[node].op
        values = (*op.operands, *op.control) if most is None else (*op.operands[:most], *op.control[:most])[:most]
        return [self.source[value] for value in values]

    def outputs(self, block: int) -> list[Source]:
        return [self.source[value] for value in self.blocks[block].region.results]

    def value(self, source: Source) -> Value:
        at, k = source
        return self.nodes[at].op.results[k] if at >= 0 else self.blocks[~at].region.params[k]

    def block_at(self, source: Source) -> int:
        """The block in which a value is defined."""
        return self.nodes[source[0]].region if source[0] >= 0 else ~source[0]

    def entry(self) -> Function:
        return self.functions[self.module.entry]

    # -- numbers
    # -------------------------------------------------------------------------------------------------------------

    def _ups(self, *, loose: bool) -> list[int]:
        of, ups = self._numbers.of, [0] * len(self.nodes)
        for index in self._definition_order():
            node = self.nodes[index]
            below = tuple(self._up(source, ups, loose) for source in self.inputs(index))
            label = node.label if not (loose or node.is_constant) else node.loose if loose else node.label
            ups[index] = of(("up", label, below))
        return ups

    def _definition_order(self) -> Iterable[int]:
        """Nodes are numbered so that what stands around comes first and what is used stands before, but that a function
        may be read after its caller, whose values it does not see."""
        return range(len(self.nodes))

    def _up(self, source: Source, ups: list[int], loose: bool) -> int:
        at, k = source
        if at >= 0:
            return ups[at] if not k else self._numbers.of(("result", ups[at], k))
        if loose:
            return self._numbers.of(("parameter", k))
        known = self._params.get(source)
        if known is None:  # hashing a large type is linear in its size, and a parameter may have as many uses
            type = self.eraser.type(self.blocks[~at].region.params[k].type)
            known = self._params[source] = self._numbers.of(("parameter", k, type))
        return known

    def _digests(self) -> None:
        """What stands in each region, innermost first: a region inside has a larger number than the one around it."""
        inside: dict[int, list[int]] = {}
        for number in range(len(self.blocks) - 1, -1, -1):
            block = self.blocks[number]
            ups = sorted(self.up[index] for index in block.nodes)
            results = tuple(self._up(source, self.up, False) for source in self.outputs(number))
            block.digest = self._numbers.of(("region", tuple(ups), results, tuple(inside.pop(number, ()))))
            if block.owner is not None:
                inside.setdefault(self.nodes[block.owner].region, []).append(block.digest)

    def digest(self, node: int) -> tuple[int, ...]:
        return tuple(self.blocks[block].digest for block in self.inner(node))

    def _downs(self, *, loose: bool) -> list[int]:
        """Users stand after what they use, and inside what stands after it: backwards, each finds its users done."""
        of, downs = self._numbers.of, [0] * len(self.nodes)
        for index in range(len(self.nodes) - 1, -1, -1):
            found: list[Any] = []
            for k in range(len(self.nodes[index].op.results)):
                for user, place in self.uses.get((index, k), ()):
                    if user >= 0:
                        node = self.nodes[user]
                        found.append((k, node.loose if loose else node.label, downs[user], place))
                    else:
                        found.append((k, -1, self._depth(~user), place))
            found.sort()
            node = self.nodes[index]
            downs[index] = of(("down", node.loose if loose else node.label, tuple(found)))
        return downs

    def _depth(self, block: int) -> int:
        owner = self.blocks[block].owner
        return -1 if owner is None else self.nodes[owner].loose


def is_array(value: Value) -> bool:
    return isinstance(value.type, TensorType)
