"""Host callbacks below the jaxpr: a lowered module knows them by number only, the jaxprs know the functions."""

from __future__ import annotations

from typing import Any

from scanir.compare.isomorphism import Isomorphism
from scanir.ir.attrs import Attr, Callable, Record, Seq
from scanir.ir.graph import Op
from scanir.ir.walk import ops_of
from scanir.normalize.effects import calls_python
from scanir.normalize.erase import Eraser
from scanir.program import Program

_PRIMITIVES = frozenset({"pure_callback", "io_callback", "debug_callback", "debug_print", "python_callback"})


def calls_any(program: Program) -> bool:
    """True if the module calls any host function."""
    return any(calls_python(op) for function in program.module.functions for op in ops_of(function.body))


BY_NAME = "callback-by-name"


def same_callbacks(a: Program, b: Program, *, by_name: bool = False) -> bool:
    """True if the numbers of two lowered modules must mean the same host functions, judged by the jaxprs ``a``, ``b``;
    ``by_name``: functions of one name and code are taken for the same.

    Either there is only one host function in both, used in one way, or the jaxprs are identical: lowering then numbers
    alike.
    """
    rules = frozenset({BY_NAME} if by_name else ())
    sites = {site for side, program in (("a", a), ("b", b)) for site in _sites(program, side, rules)}
    return len(sites) == 1 or Isomorphism(a, b, rules=rules).holds()


def names(jaxpr: Program) -> tuple[str, ...]:
    """The host functions of a jaxpr by name, each once."""
    return tuple(sorted({callback.qualname for callback in jaxpr.callbacks or ()}))


def _sites(program: Program, side: str, rules: frozenset[str]) -> list[Any]:
    """Keys of the calls. What an artifact hides equals nothing."""
    eraser = Eraser(program.module, side, rules, guess=False, settled=False)
    eraser.symbol = lambda name: "function"
    return [
        (op.name, eraser.attributes(op, frozenset({"ctx", "effects"})))
        for function in program.module.functions
        for op in ops_of(function.body)
        if op.name in _PRIMITIVES or _has_callable(op)
    ]


def _has_callable(op: Op) -> bool:
    stack: list[Attr] = [value for _, value in op.attributes]
    while stack:
        attr = stack.pop()
        if isinstance(attr, Callable):
            return True
        if isinstance(attr, Seq):
            stack.extend(attr.items)
        elif isinstance(attr, Record):
            stack.extend(value for _, value in attr.fields)
    return False
