"""Where everything in a program stands: each op with its path, as reports print paths, and each value with its name.

Promises each op once, in the order in which a run meets it (a function where it is first called, what nobody calls at
the end), and names of values as ``scanir show`` prints them. A function that is called from several places has the path
of its first call; `Places.matching` finds it by the others, too. Linear in the size of the module; a path is spelled
when it is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from scanir.ir.graph import Function, Location, Op, Region, Value
from scanir.ir.structure import BRANCHES, CALLS, LoopView, label, view
from scanir.ir.walk import symbols
from scanir.program import Program

_NTH = re.compile(r"(.*)#(\d+)\Z", re.DOTALL)

#: A step of a path: a name, and which of that name it is in its region.
Step = tuple[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A region on the way through a program: the body of ``function``, or region ``index`` of ``parent``'s op.

    ``parent`` of a body is its first call, None where there is none. ``steps`` are what a path says for it, innermost
    first.
    """

    region: Region
    function: str
    parent: Place | None
    is_body: bool
    steps: tuple[Step, ...] = ()
    index: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """An op in its place. ``step`` is the last one of its path. ``location``: its own line, or that of what it stands
    in. ``depth``: loops around it."""

    op: Op
    frame: Frame
    step: Step
    location: Location | None
    number: int
    depth: int

    @property
    def path(self) -> str:
        """How a report names it: ``main/scan/mul``."""
        return "/".join(reversed([name for name, _ in self._up(whole=True)]))

    def steps(self) -> Iterator[Step]:
        """The steps that lead to it inside its function, the last one first."""
        return self._up(whole=False)

    def _up(self, *, whole: bool) -> Iterator[Step]:
        yield self.step
        frame: Frame | None = self.frame
        while frame is not None:
            if frame.is_body:
                if not whole:
                    return
                yield frame.function, 1
            else:
                yield from frame.steps
            frame = None if frame.parent is None else frame.parent.frame

    def around(self) -> Iterator[Place]:
        """The ops it stands in, innermost first, through the first call of each function."""
        place = self.frame.parent
        while place is not None:
            yield place
            place = place.frame.parent


@dataclass(frozen=True, slots=True)
class Bound:
    """What a parameter of a region is: parameter ``index`` of the region of ``frame``."""

    frame: Frame
    index: int


@dataclass(slots=True)
class Places:
    """The places of a program. ``of`` is by ``id`` of the op; ``calls`` and ``bodies`` by name of a function. A value
    has its name in the function where ``scanir show`` prints it, its home: HLO's regions are functions, too."""

    program: Program
    all: list[Place] = field(default_factory=list)
    of: dict[int, Place] = field(default_factory=dict)
    names: dict[Value, str] = field(default_factory=dict)
    homes: dict[Value, str] = field(default_factory=dict)
    makers: dict[Value, tuple[Place, int]] = field(default_factory=dict)
    bound: dict[Value, Bound] = field(default_factory=dict)
    calls: dict[str, list[Place]] = field(default_factory=dict)
    bodies: dict[str, Frame] = field(default_factory=dict)

    @classmethod
    def build(cls, program: Program) -> Places:
        found, module = cls(program), program.module
        functions = {function.name: function for function in module.functions}
        seen: set[int] = set()
        for name in (module.entry, *functions):
            if name not in found.bodies and id(functions[name].body) not in seen:
                found._walk(functions, name, seen)
        found._name_values(module.functions)
        return found

    def _walk(self, functions: dict[str, Function], name: str, seen: set[int]) -> None:
        """All places of a function that nothing calls before, and of what it calls; each region once."""
        seen.add(id(functions[name].body))
        stack = [self._children(self._body(functions[name], None))]
        while stack:
            for place in stack[-1]:
                below: list[Frame] = []
                for k, region in enumerate(place.op.regions):
                    if id(region) not in seen:
                        seen.add(id(region))
                        below.append(self._inner(place, k, region))
                for callee in dict.fromkeys(symbols(place.op.attributes)):
                    if callee in functions:
                        self.calls.setdefault(callee, []).append(place)
                        if callee not in self.bodies and id(functions[callee].body) not in seen:
                            seen.add(id(functions[callee].body))
                            below.append(self._body(functions[callee], place))
                if below:
                    stack.extend(self._children(frame) for frame in reversed(below))
                    break
            else:
                stack.pop()

    def _body(self, function: Function, call: Place | None) -> Frame:
        frame = self.bodies[function.name] = Frame(function.body, function.name, call, True)
        self._bind(frame)
        return frame

    def _inner(self, place: Place, k: int, region: Region) -> Frame:
        name, nth = place.step
        loop = view(place.op)
        if place.op.name in BRANCHES:
            steps: tuple[Step, ...] = ((f"{name}.{k}", nth),)
        elif isinstance(loop, LoopView) and region is loop.condition:
            steps = (("condition", 1), place.step)
        else:
            steps = (place.step,)
        frame = Frame(region, place.frame.function, place, False, steps, k)
        self._bind(frame)
        return frame

    def _bind(self, frame: Frame) -> None:
        for index, param in enumerate(frame.region.params):
            self.bound.setdefault(param, Bound(frame, index))

    def _children(self, frame: Frame) -> Iterator[Place]:
        counts: dict[str, int] = {}
        parent = frame.parent
        inherited = None if parent is None else parent.location
        depth = 0 if parent is None else parent.depth
        if parent is not None and not frame.is_body and isinstance(view(parent.op), LoopView):
            depth += 1
        for op in frame.region.ops:
            step = label(op)
            counts[step] = counts.get(step, 0) + 1
            place = Place(op, frame, (step, counts[step]), op.location or inherited, len(self.all), depth)
            self.all.append(place)
            self.of[id(op)] = place
            for k, value in enumerate(op.results):
                self.makers[value] = (place, k)
            yield place

    def _name_values(self, functions: tuple[Function, ...]) -> None:
        """Numbers as the printer gives them: from 0 in each function, parameters, then results, op by op."""
        printed: set[int] = set()
        for function in functions:
            count = 0
            stack: list[Region | Op] = [function.body]
            while stack:
                node = stack.pop()
                if isinstance(node, Region):
                    if id(node) in printed:
                        continue
                    printed.add(id(node))
                values = node.params if isinstance(node, Region) else node.results
                for value in values:
                    self.names[value], self.homes[value] = f"%{count}", function.name
                    count += 1
                stack.extend(reversed(node.ops if isinstance(node, Region) else node.regions))

    def home(self, place: Place) -> str:
        """The function in which ``scanir show`` prints an op."""
        values = (*place.op.results, *place.op.operands)
        return self.homes.get(values[0], place.frame.function) if values else place.frame.function

    # -- finding -------------------------------------------------------------------------------------------------------

    def matching(self, path: str) -> list[Place]:
        """The ops at a path, or at any path that ends in it, in order. ``name#2`` is the second of that name in its
        region."""
        wanted = [part for part in path.strip().strip("/").split("/") if part][::-1]
        reached: dict[tuple[str, int], bool] = {}
        return [place for place in self.all if wanted and self._fits(place, wanted, reached)]

    def _fits(self, place: Place, wanted: list[str], reached: dict[tuple[str, int], bool]) -> bool:
        """``wanted``: the parts of the path, the last one first."""
        explained = 0
        for step in place.steps():
            if explained == len(wanted):
                return True
            if not _is(step, wanted[explained]):
                return False
            explained += 1
        if explained == len(wanted):
            return True
        state = (place.frame.function, explained)
        if state not in reached:
            reached[state] = self._reached(*state, wanted)
        return reached[state]

    def _reached(self, function: str, explained: int, wanted: list[str]) -> bool:
        """Whether what is left of a path leads into a function, by any of its calls. Looks at each state once."""
        stack, seen = [(function, explained)], {(function, explained)}
        while stack:
            name, done = stack.pop()
            if wanted[done] != name:
                continue
            if done + 1 == len(wanted):
                return True
            for call in self.calls.get(name, ()):
                steps = [step for k, step in enumerate(call.steps()) if k][: len(wanted) - done - 1]
                if all(_is(step, part) for step, part in zip(steps, wanted[done + 1 :], strict=False)):
                    state = (call.frame.function, done + 1 + len(steps))
                    if state[1] == len(wanted):
                        return True
                    if state not in seen:
                        seen.add(state)
                        stack.append(state)
        return False

    def regions_at(self, path: str) -> list[tuple[Place, int]]:
        """Regions at a path: ``cond.1`` is a branch, ``while/condition`` a condition."""
        head, _, last = path.strip().strip("/").rpartition("/")
        if last == "condition" and head:
            return [(place, 0) for place in self.matching(head) if _has_condition(place.op)]
        name, _, index = last.rpartition(".")
        if not index.isdecimal() or not {name, f"stablehlo.{name}"} & BRANCHES:
            return []
        ops = self.matching(f"{head}/{name}" if head else name)
        return [(place, int(index)) for place in ops if int(index) < len(place.op.regions)]


def _has_condition(op: Op) -> bool:
    loop = view(op)
    return isinstance(loop, LoopView) and loop.condition is not None


def _is(step: Step, part: str) -> bool:
    """Whether a step of a path is the one that is written: by name, callee (``jit f`` is also ``f``) or number."""
    name, nth = step
    if (numbered := _NTH.match(part)) is not None and name != part:
        return nth == int(numbered.group(2)) and _is(step, numbered.group(1))
    word, _, callee = name.partition(" ")
    if callee and word in CALLS and part in (word, callee):
        return True
    return part in (name, name.removeprefix("stablehlo."), name.removeprefix("chlo."))
