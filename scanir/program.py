"""A program at one stage: its module, and what connects the module to the function a person wrote.

Neutral data between the tracers (or file readers) and the differ; imports neither jax nor click.
"""

from __future__ import annotations

from collections.abc import Callable as Function
from dataclasses import dataclass, field
from typing import Any

from scanir.ir.attrs import Attr, Callable
from scanir.ir.graph import Module
from scanir.ir.types import Type

#: The key, among the results of a module with state, of what a call changes of that state, by path.
WRITTEN = "state written"
STAGES = ("jaxpr", "stablehlo", "hlo-in", "hlo")


@dataclass(frozen=True, slots=True)
class Argument:
    """One array leaf of a function's arguments.

    ``name`` is what a person would write for it (``dtau``, ``params['w']``); ``keyword`` is True where the leaf came in
    by keyword, so that its name and not its position identifies it. ``position`` is the index of the positional
    parameter the leaf belongs to (-1 for keywords), ``path`` the rest of the way to the leaf. ``group`` is empty
    for the function's own arguments, else what a transform added them as (``tangent``, ``cotangent``). ``sharding``:
    how it is split over several devices, where the tracer knows.
    """

    name: str
    type: Type
    position: int = -1
    path: str = ""
    keyword: bool = False
    donated: bool = False
    group: str = ""
    sharding: str = ""


@dataclass(frozen=True, slots=True)
class Interface:
    """How a module's parameters and results hang on the function's.

    ``arguments``: all leaves, in flattening order. ``kept[k]``: the index in ``arguments`` of the module's k-th
    parameter (jit drops unused arguments). ``results``: the path of each result leaf, in order. ``constants``: module
    parameter index -> full value, for parameters through which JAX passes closed-over constants (those have no entry in
    ``arguments``, and ``kept`` holds -1 for them). ``input_tree`` and ``output_tree``: the pytrees as text.
    """

    arguments: tuple[Argument, ...]
    kept: tuple[int, ...]
    results: tuple[str, ...] = ()
    constants: tuple[tuple[int, Attr], ...] = ()
    input_tree: str = ""
    output_tree: str = ""


class Source:
    """A module of StableHLO as its own tools read it, and example values of the arguments (None where shapes alone are
    known), as arrays of numpy. Both are made when they are first asked for, or sent to another process."""

    __slots__ = ("_examples", "_module")

    def __init__(self, module: Function[[], bytes], examples: Function[[], tuple[Any, ...]] = tuple) -> None:
        self._module = module
        self._examples = examples

    def module(self) -> bytes:
        return self._module()

    def examples(self) -> tuple[Any, ...]:
        return self._examples()

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.module(), self.examples())


def _made(module: bytes, examples: tuple[Any, ...]) -> Source:
    return Source(lambda: module, lambda: examples)


@dataclass(frozen=True, slots=True)
class Program:
    """One side of a comparison at one stage.

    ``callbacks``: the host functions of the program in order of their appearance in its jaxpr, where that is known
    (below jaxpr a module knows them by number only). ``provenance``: facts that, if different, may explain a difference
    (jax version, platform, flags), sorted by name. ``notes``: what a person should be told about how it was read.
    ``sizes``: bytes that a compiled program takes, by kind (``temp``, ``code``, ``argument``, ...).
    ``source``: at stage stablehlo, what can be run of it.
    """

    stage: str
    module: Module
    interface: Interface
    label: str = ""
    callbacks: tuple[Callable, ...] | None = None
    provenance: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = field(default=())
    sizes: tuple[tuple[str, int], ...] = ()
    source: Source | None = field(default=None, compare=False, repr=False)
