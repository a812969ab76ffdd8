"""One side laid out in reading order: a position for each value, a node for each op, a block for each region.

Values of tuple type are their leaves, and what only hands values on (tuples, parameters of branches and of inlined
calls) has no position of its own. Effects are made explicit: each takes the position of the token before it and has
one for the token after it. Which calls are entered in place, and which loops are taken for their 0 or 1 trips, says the
certificate (``shape``); everything else is forced by the module. No recursion; never more positions than ``limit``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from scanir.checker.effects import Effects, droppable
from scanir.checker.tables import ELEMENT, PACKING, STRUCTURED, packs
from scanir.checker.verdict import Rejected
from scanir.ir.attrs import Int
from scanir.ir.graph import Module, Op, Region, Value
from scanir.ir.steps import Steps, run
from scanir.ir.structure import BranchView, CallView, LoopView, view
from scanir.ir.types import TOKEN, TensorType, TupleType, Type

#: What a loop or a call is taken for, in ``shape``.
LOOP, ZERO_TRIPS, ONE_TRIP = 0, 1, 2
LEMMA, INLINE = 0, 1
#: A value: its position, or those of a tuple's leaves.
Leaves: TypeAlias = "int | tuple[int, ...]"


@dataclass(slots=True, eq=False)
class Block:
    """One instance of a region. ``token_in`` is -1 where the region is not bound to a token of its own."""

    params: tuple[int, ...]
    token_in: int = -1
    results: tuple[int, ...] = ()
    token_out: int = -1


@dataclass(slots=True, eq=False)
class Node:
    """One instance of an op. ``operands``, and results from ``first`` on, are positions of leaves.

    ``place``: what is around: (node, index of the region), (loop, -1), or None at the top. ``slots``: of a loop
    (init, parameter, next, result), its token last; ``xs``: (element, scanned); ``ys``: (result, value of a trip).
    ``conditions``: results of the condition; ``after``: the token behind it where that is another one.
    """

    number: int
    op: Op
    kind: str
    operands: tuple[int, ...]
    groups: tuple[int, ...]
    place: tuple[Node, int] | None
    first: int = 0
    width: int = 0
    token_in: int = -1
    token_out: int = -1
    trips: int = -1
    blocks: tuple[Block, ...] = ()
    slots: tuple[tuple[int, int, int, int], ...] = ()
    xs: tuple[tuple[int, int], ...] = ()
    ys: tuple[tuple[int, int], ...] = ()
    conditions: tuple[int, ...] = ()
    after: int = -1

    @property
    def where(self) -> str:
        return f"op {self.number}, {self.op.name}"


class Layout:
    """The positions of one module: ``types``, ``makers`` and ``roles`` (what of its maker a position is) by position,
    ``nodes`` in the order of their numbers, ``entry``. ``choices``: how much of ``shape`` was used."""

    def __init__(self, module: Module, shape: Sequence[int], dropped: Sequence[int], limit: int) -> None:
        self._functions = {function.name: function for function in module.functions}
        candidates = droppable(module)
        if list(dropped) != sorted(set(dropped)) or any(not 0 <= k < len(candidates) for k in dropped):
            raise Rejected("O1", "the list of dropped callbacks does not fit the module")
        self.dropped = frozenset(id(candidates[k]) for k in dropped)
        self._effects = Effects(module, self.dropped)
        self._shape, self.choices, self._limit = shape, 0, limit
        self.types: list[Type] = []
        self.makers: list[Node | None] = []
        self.roles: list[tuple[str, int]] = []
        self.nodes: list[Node] = []
        self.lemmas: dict[str, Block] = {}
        #: Ops that pack or unpack, by `id`: they have no node.
        self.packings: dict[int, Op] = {}
        self._env: dict[Value, Leaves] = {}
        self._token = -1
        self._place: tuple[Node, int] | None = None
        self._entering: set[str] = set()
        self.entry: Block = run(self._entry(self._functions[module.entry].body))

    def effect(self, op: Op) -> bool:
        return self._effects.op(op)

    # -- positions
    # -------------------------------------------------------------------------------------------------------

    def _new(self, type: Type, maker: Node | None, role: str, k: int) -> int:
        position = len(self.types)
        if position >= self._limit:
            raise Rejected("O1", f"the map ends before the values of the module do, at {position}")
        self.types.append(type)
        self.makers.append(maker)
        self.roles.append((role, k))
        return position

    def _values(self, values: Sequence[Value], maker: Node | None, role: str, start: int = 0) -> tuple[int, ...]:
        """New positions for values, which are bound to them."""
        found: list[int] = []
        for value in values:
            if isinstance(value.type, TensorType):
                self._env[value] = position = self._new(value.type, maker, role, start + len(found))
                found.append(position)
                continue
            leaves = [self._new(t, maker, role, start + len(found) + k) for k, t in enumerate(leaf_types(value.type))]
            self._env[value] = tuple(leaves) if isinstance(value.type, TupleType) else leaves[0]
            found += leaves
        return tuple(found)

    def _bind(self, values: Sequence[Value], positions: Sequence[int]) -> None:
        """Let values be what stands at positions already."""
        at = 0
        for value in values:
            count = len(leaf_types(value.type))
            here = tuple(positions[at : at + count])
            if len(here) != count:
                raise Rejected("O1", "values do not fit what they are bound to")
            self._env[value] = here if isinstance(value.type, TupleType) else here[0]
            at += count
        if at != len(positions):
            raise Rejected("O1", "values do not fit what they are bound to")

    def _flat(self, values: Sequence[Value]) -> tuple[int, ...]:
        env = self._env
        found: list[int] = []
        for value in values:
            leaves = env[value]
            if isinstance(leaves, int):
                found.append(leaves)
            else:
                found.extend(leaves)
        return tuple(found)

    def _choose(self, most: int) -> int:
        if self.choices >= len(self._shape) or not 0 <= self._shape[self.choices] <= most:
            raise Rejected("O1", "the list of loops and calls does not fit the module")
        self.choices += 1
        return self._shape[self.choices - 1]

    # -- regions
    # ---------------------------------------------------------------------------------------------------------

    def _entry(self, region: Region) -> Steps[Block]:
        params: list[int] = []
        for k, param in enumerate(region.params):
            leaves = self._values((param,), None, "in")
            for position in leaves:
                self.roles[position] = ("in", k)
            params += leaves
        block = Block(tuple(params))
        block.token_in = self._token = self._new(TOKEN, None, "in", -1)
        block.results = yield self._region(region)
        block.token_out = self._token
        return block

    def _region(self, region: Region) -> Steps[tuple[int, ...]]:
        """The ops of a region whose parameters are bound; the positions of its results."""
        for op in region.ops:
            if op.name in PACKING and packs(op):
                self.packings[id(op)] = op
                self._env[op.results[0]] = self._flat(op.operands)
            elif op.name in ELEMENT and packs(op):
                self._element(op)
            else:
                node = self._node(op)
                match view(op) if op.name in STRUCTURED else None:
                    case LoopView() as structure:
                        yield self._loop(node, structure)
                    case BranchView() as structure:
                        yield self._branch(node, structure)
                    case CallView() as structure:
                        yield self._call(node, structure)
                    case _ if op.regions or node.kind == "named":
                        yield self._regional(node)
                    case _:
                        self._plain(node)
        return self._flat(region.results)

    def _node(self, op: Op) -> Node:
        env = self._env
        groups: tuple[int, ...] = ()
        operands: list[int] = []
        for value in op.operands:
            leaves = env[value]
            if isinstance(leaves, int):
                operands.append(leaves)
            else:
                operands += leaves
                groups = tuple(len(leaf_types(v.type)) for v in op.operands)
        kind = "constant" if op.name == "constant" else "named" if self._effects.names(op) else "plain"
        node = Node(len(self.nodes), op, kind, tuple(operands), groups, self._place)
        self.nodes.append(node)
        return node

    def _element(self, op: Op) -> None:
        index, whole = op.attribute("index"), op.operands[0]
        self.packings[id(op)] = op
        leaves = self._env[whole]
        if (
            not isinstance(index, Int) or not isinstance(whole.type, TupleType) or isinstance(leaves, int)
            or not 0 <= index.value < len(whole.type.elements)
        ):  # fmt: skip
            raise Rejected("O5", f"{op.name} of what is no tuple, or of an element that it does not have")
        before = sum(len(leaf_types(t)) for t in whole.type.elements[: index.value])
        count = len(leaf_types(whole.type.elements[index.value]))
        self._bind(op.results, leaves[before : before + count])

    def _plain(self, node: Node) -> None:
        op = node.op
        effect = id(op) not in self.dropped and self._effects.op(op)
        if effect:
            node.token_in = self._token
        node.first = len(self.types)
        node.width = len(self._values(op.results, node, "result"))
        if effect:
            node.token_out = self._token = self._new(TOKEN, node, "token", node.width)

    def _regional(self, node: Node) -> Steps[Any]:
        """An op whose regions it binds itself, or that names functions: each is a closed function."""
        before, place = self._token, self._place
        effect = self._effects.op(node.op)
        blocks = []
        for k, region in enumerate(node.op.regions):
            self._place = (node, k)
            blocks.append((yield self._fun(region, node, effect)))
        self._token, self._place = before, place
        for name in self._effects.names(node.op):
            blocks.append((yield self._lemma(name)))
        node.blocks, node.kind = tuple(blocks), "plain"
        self._plain(node)

    def _fun(self, region: Region, maker: Node | None, effect: bool) -> Steps[Block]:
        block = Block(self._values(region.params, maker, "bound"))
        if effect:
            block.token_in = self._token = self._new(TOKEN, maker, "bound", len(block.params))
        block.results = yield self._region(region)
        if effect:
            block.token_out = self._token
        return block

    def _lemma(self, name: str) -> Steps[Block]:
        """A function of the module for all arguments, laid out where it is met first."""
        found = self.lemmas.get(name)
        if found is None:
            if name in self._entering:
                raise Rejected("O8", f"functions call each other in a cycle: {name}")
            self._entering.add(name)
            token, place, self._place = self._token, self._place, None
            found = yield self._fun(self._functions[name].body, None, self._effects.function(name))
            self.lemmas[name] = found
            self._token, self._place = token, place
            self._entering.discard(name)
        return found

    # -- calls, branches, loops
    # ------------------------------------------------------------------------------------------

    def _call(self, node: Node, call: CallView) -> Steps[Any]:
        function = self._functions[call.callee]
        if self._choose(INLINE) == LEMMA:
            node.kind = "call"
            node.blocks = ((yield self._lemma(call.callee)),)
            self._plain(node)
            return
        if call.callee in self._entering:
            raise Rejected("O8", f"functions call each other in a cycle: {call.callee}")
        node.kind = "inline"
        self._entering.add(call.callee)
        self._bind(function.body.params, node.operands)
        results = yield self._region(function.body)
        self._entering.discard(call.callee)
        self._bind(node.op.results, results)

    def _branch(self, node: Node, branch: BranchView) -> Steps[Any]:
        node.kind = "branch"
        before, place = self._token, self._place
        effect = self._effects.op(node.op)
        blocks = []
        for k, (region, bound) in enumerate(zip(branch.regions, branch.arguments, strict=True)):
            self._token, self._place = before, (node, k)
            given = self._flat(bound)
            self._bind(region.params, given)
            results = yield self._region(region)
            blocks.append(Block(given, -1, results, self._token))
        self._token, self._place = before, place
        node.blocks = tuple(blocks)
        node.first = len(self.types)
        node.width = len(self._values(node.op.results, node, "result"))
        if any(len(block.results) != node.width for block in blocks):
            raise Rejected("O7", "branches of unlike numbers of results", node.where)
        if effect:
            node.token_in = before
            node.token_out = self._token = self._new(TOKEN, node, "token", node.width)

    def _loop(self, node: Node, loop: LoopView) -> Steps[Any]:
        choice = self._choose(ONE_TRIP)
        if choice != LOOP:
            yield self._trivial(node, loop, choice)
            return
        node.kind = "loop"
        place, self._place = self._place, (node, -1)
        effect = self._effects.op(node.op)
        inits, count = self._flat(loop.inits), len(loop.inits)
        params = self._values(loop.body.params[:count], node, "slot")
        elems = self._values(loop.body.params[count:], node, "elem")
        if len(params) != len(inits):
            raise Rejected("O6", "a loop of unlike numbers of initial values and parameters", node.where)
        node.token_in = self._token if effect else -1
        token = self._token
        if effect:
            token = self._token = self._new(TOKEN, node, "slot", len(params))
        if loop.condition is not None:
            self._bind(loop.condition.params, params)
            node.conditions = yield self._region(loop.condition)
            node.after = self._token if self._token != token else -1
        results = yield self._region(loop.body)
        nexts, ys = results[: len(params)], results[len(params) :]
        last, self._place = self._token, place
        node.first = len(self.types)
        finals = self._values(node.op.results[:count], node, "result")
        stacked = self._values(node.op.results[count:], node, "result", len(finals))
        node.width = len(finals) + len(stacked)
        if len(finals) != len(nexts) or len(nexts) != len(params) or len(ys) != len(stacked):
            raise Rejected("O6", "a loop of unlike numbers of next values and results", node.where)
        slots = list(zip(inits, params, nexts, finals, strict=True))
        node.xs = tuple(zip(elems, self._flat(loop.xs), strict=True))
        node.ys = tuple(zip(stacked, ys, strict=True))
        if effect:
            node.token_out = self._token = self._new(TOKEN, node, "token", node.width)
            slots.append((node.token_in, token, last, node.token_out))
        node.slots = tuple(slots)

    def _trivial(self, node: Node, loop: LoopView, choice: int) -> Steps[Any]:
        """A loop of 0 or 1 trips: its condition on the initial values, its body, its condition on the next ones."""
        if self._effects.op(node.op):
            raise Rejected("O6", "a loop with effects is no trivial one", node.where)
        node.kind, node.trips, count = "trivial", choice - 1, len(loop.inits)
        state = self._flat(loop.inits)
        conditions: list[int] = []
        if loop.condition is not None:
            self._bind(loop.condition.params, state)
            conditions += yield self._region(loop.condition)
        inside: tuple[int, ...] = ()
        if node.trips:
            self._bind(loop.body.params[:count], state)
            firsts = self._values(loop.body.params[count:], node, "elem")
            node.xs = tuple(zip(firsts, self._flat(loop.xs), strict=True))
            results = yield self._region(loop.body)
            state, inside = results[: len(state)], results[len(state) :]
            if loop.condition is not None:
                self._bind(loop.condition.params, state)
                conditions += yield self._region(loop.condition)
        node.conditions = tuple(conditions)
        self._bind(node.op.results[:count], state)
        node.first = len(self.types)
        stacked = self._values(node.op.results[count:], node, "result")
        node.width = len(stacked)
        node.ys = tuple([(position, inside[k] if node.trips else -1) for k, position in enumerate(stacked)])


def leaf_types(type: Type) -> tuple[Type, ...]:
    """The types of a tuple's leaves, in order; of anything else itself."""
    if isinstance(type, TensorType) or not isinstance(type, TupleType):
        return (type,)
    found: list[Type] = []
    stack: list[Iterator[Type]] = [iter(type.elements)]
    while stack:
        for element in stack[-1]:
            if isinstance(element, TupleType):
                stack.append(iter(element.elements))
                break
            found.append(element)
        else:
            stack.pop()
    return tuple(found)
