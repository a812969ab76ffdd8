"""Derivative rules of custom_jvp and custom_vjp: what they do, traced; or who they are, where that cannot be had.

A rule that calls its own function would be traced for ever: inside itself it is named by how many rules further out it
is. It is the same rule only if its function, everything bound to it and the types it is traced with are the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from scanir._compat_rules import RULES, Key, derivative_jaxpr, rule_key
from scanir.ir.attrs import Attr, Seq, Text
from scanir.ir.graph import Region
from scanir.readers.jaxpr.callables import read_rule
from scanir.readers.jaxpr.types import read_type

DERIVATIVES = frozenset({"custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"})
#: Parameters that only hold the rules or serve them.
_HIDDEN = frozenset({*RULES, "out_trees"})
#: Rules inside rules are traced to this depth, and so many in one module. Some rules make other ones whenever they are
#: traced (those of a function that was exported lower it again), so derivatives of all orders would never end.
DEEPEST, MOST = 3, 400


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A rule that was traced: ``key`` says which one, ``around`` which rules it was met inside."""

    key: Key
    around: tuple[Key, ...]
    jaxpr: Any


class Rules:
    """The rules of one module: each is traced once for each list of types."""

    def __init__(self) -> None:
        self._around: list[Key] = []
        self._jaxprs: dict[Key, Any] = {}
        self._regions: dict[tuple[Key, tuple[Key, ...]], Region] = {}

    def of(self, eqn: Any) -> tuple[dict[str, Attr], Traced | None, dict[str, Any]]:
        """Attributes that tell the rule of an equation, the rule if it was traced, and parameters still to be read."""
        params = {key: value for key, value in eqn.params.items() if key not in _HIDDEN}
        rule = rule_key(eqn.params)
        key = (eqn.primitive.name, rule, _types(eqn), _plain(params))
        if key in self._around:
            return {"rule": Text(f"the rule {self._around[::-1].index(key) + 1} levels out")}, None, params
        if key not in self._jaxprs:
            room = len(self._around) < DEEPEST and len(self._jaxprs) < MOST
            self._jaxprs[key] = derivative_jaxpr(eqn) if room else None
        jaxpr = self._jaxprs[key]
        attrs: dict[str, Attr] = {}
        if jaxpr is None or eqn.params.get("symbolic_zeros"):
            # With symbolic zeros a rule may do other things for other patterns of zeros than the one that was traced.
            named = [name for name in RULES if name in eqn.params]
            attrs["rule"] = Seq(tuple(read_rule(eqn.params[name], (name, rule)) for name in named))
        return attrs, None if jaxpr is None else Traced(key, tuple(self._around), jaxpr), params

    def region(self, traced: Traced) -> Region | None:
        """The region of a rule, if it was read in the same place before."""
        return self._regions.get((traced.key, traced.around))

    def keep(self, traced: Traced, region: Region) -> None:
        self._regions[traced.key, traced.around] = region

    @contextmanager
    def inside(self, traced: Traced) -> Iterator[None]:
        self._around.append(traced.key)
        try:
            yield
        finally:
            self._around.pop()


def _types(eqn: Any) -> Key:
    return tuple(read_type(atom.aval) for atom in (*eqn.invars, *eqn.outvars))


def _plain(params: dict[str, Any]) -> Key:
    """Parameters besides rules and jaxprs that tell a rule what to do."""
    return tuple((key, value) for key, value in sorted(params.items()) if isinstance(value, (int, str, bool)))
