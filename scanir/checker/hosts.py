"""Host functions: a lowered module knows them by number only; the jaxprs that were lowered say which they are (O1).

Two lowered modules mean the same functions by the same calls where all calls in both jaxprs are one (``ONE``), or where
the jaxprs are one graph (``SAME``): lowering then numbers alike. Else nothing is known of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from scanir.checker.certificate import StageRecord
from scanir.checker.effects import calls_python
from scanir.checker.identical import Bijection
from scanir.checker.keys import NOTHING, Keys
from scanir.checker.verdict import Rejected
from scanir.ir.attrs import Attr, Callable, Record, Seq
from scanir.ir.graph import Op, Region
from scanir.ir.walk import ops_of
from scanir.program import Program

#: What ``host`` of a certificate says.
ONE, SAME = "one call", "identical jaxprs"
#: Primitives that call host functions, besides all that hold one.
_PRIMITIVES = frozenset({"pure_callback", "io_callback", "debug_callback", "debug_print", "python_callback"})
#: Attributes that say where an equation stands, and what it does besides.
_BESIDE = frozenset({"ctx", "effects"})


def known_by_number(program: Program) -> bool:
    """Whether a module calls host functions that it knows by number only."""
    return any(calls_python(op) for function in program.module.functions for op in ops_of(function.body))


def how(jaxprs: Sequence[Program]) -> str:
    """What there is to be shown of the jaxprs."""
    sites = [op for program in jaxprs for function in program.module.functions for op in _calls(function.body)]
    keys = Keys("jaxpr", NOTHING)
    alike = [op.name == sites[0].name and keys.attributes(op, sites[0], _BESIDE) == NOTHING for op in sites]
    return ONE if sites and all(alike) else SAME


def settled(record: StageRecord, programs: Sequence[Program], jaxprs: Sequence[Program] | None) -> None:
    """Raises Rejected unless the jaxprs settle what the certificate takes for settled."""
    if not record.host:
        if record.jaxprs:
            raise Rejected("O1", "a bijection of jaxprs that nothing rests on")
        return
    if not any(map(known_by_number, programs)):
        raise Rejected("O1", "it settles host functions, and the modules call none by number")
    if jaxprs is None:
        raise Rejected("O1", "host functions are known by number only, and there are no jaxprs that say which they are")
    if record.host != how(jaxprs) or (record.host == ONE and record.jaxprs):
        raise Rejected("O1", f"it settles host functions by {record.host!r}, which the jaxprs are not")
    if record.host == SAME:
        a, b = jaxprs
        Bijection(record.jaxprs, a.module, b.module).check()


def _calls(body: Region) -> list[Op]:
    return [op for op in ops_of(body) if op.name in _PRIMITIVES or _holds_one(op)]


def _holds_one(op: Op) -> bool:
    stack: list[Attr] = [value for _, value in op.attributes]
    while stack:
        match stack.pop():
            case Callable():
                return True
            case Seq(items):
                stack.extend(items)
            case Record(fields):
                stack.extend(value for _, value in fields)
    return False
