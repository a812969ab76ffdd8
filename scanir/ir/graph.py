"""The SSA graph: Module, Function, Region, Op, Value. Frozen; compared by identity, never by contents.

Structure is compared through interned ids (`scanir.compare`), so nodes have ``eq=False``: a generated ``__hash__`` over
a shared graph doubles its time with each level. Locations and names are set aside: no comparison reads them.

Conventions that every reader keeps (the *structured* ops; see `scanir.ir.structure` for the view on them):

* ``constant``: no operands, attribute ``value`` (Array, Digest, or Hidden). The name is the same in all dialects.
* ``scan`` (jaxpr): operands are initial carries, then xs; one region whose parameters are carries, then
  elements, and whose results are next carries, then ys. Attribute ``num_carry``. What the equation calls consts are
  captured values.
* ``while``, ``stablehlo.while``: operands are the initial values; regions are condition, body. The HLO ``while`` has a
  single tuple operand, and regions with a single tuple parameter.
* ``cond`` (jaxpr), ``stablehlo.if``, ``stablehlo.case``, ``conditional`` (HLO): operand 0 selects; the other operands
  bind the branches' parameters (``cond``: all of them in each branch; ``conditional``: operand k+1 is the parameter of
  branch k).
* calls (``jit``, ``closed_call``, ``core_call``, ``func.call``, HLO ``call`` and ``fusion``): attribute ``callee`` is a
  Symbol.
* other ops with regions (reduce, sort, scatter, custom_jvp_call, remat ...): each region's parameters are bound by the
  op.
* A region may use values of the regions around it (captures), except in HLO, where regions are closed. One Region
  object may be shared by several ops when it is closed.
"""

from __future__ import annotations

from dataclasses import dataclass

from scanir.ir.attrs import Attr, Attrs
from scanir.ir.types import Type


@dataclass(frozen=True, slots=True)
class Location:
    """Where in the user's Python a thing was written. ``line`` is 1-based; 0 where unknown."""

    file: str
    line: int
    function: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One SSA value: a result of an op or a parameter of a region. ``name`` is for display only."""

    type: Type
    name: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """One operation. ``control`` are values of ops that must run before this one (HLO control predecessors)."""

    name: str
    operands: tuple[Value, ...]
    results: tuple[Value, ...]
    attributes: Attrs = ()
    regions: tuple[Region, ...] = ()
    control: tuple[Value, ...] = ()
    location: Location | None = None

    def attribute(self, name: str) -> Attr | None:
        for key, value in self.attributes:
            if key == name:
                return value
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A block of ops in an order in which each value is defined before it is used."""

    params: tuple[Value, ...]
    ops: tuple[Op, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A named region. ``param_attrs`` and ``result_attrs`` hold one attribute list a parameter or result, or are
    empty."""

    name: str
    body: Region
    attributes: Attrs = ()
    param_attrs: tuple[Attrs, ...] = ()
    result_attrs: tuple[Attrs, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Module:
    """A program in one dialect: ``jaxpr``, ``stablehlo`` or ``hlo``. Functions in reading order; names are unique."""

    dialect: str
    functions: tuple[Function, ...]
    entry: str
    attributes: Attrs = ()
    name: str = ""

    def function(self, name: str) -> Function:
        for function in self.functions:
            if function.name == name:
                return function
        raise KeyError(name)
