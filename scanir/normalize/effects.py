"""Which ops have an effect: everything that no purity table lists.

An op is pure only if its name is in the purity table of its dialect and it declares no effects. Structured and opaque
ops are as pure as their regions and callees. Static, linear, computed once a module.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from scanir.ir.attrs import Bool
from scanir.ir.graph import Function, Module, Op, Region
from scanir.ir.structure import BRANCHES, CALLS, SCANS, WHILES
from scanir.ir.summary import mentions, summaries
from scanir.normalize.tables import device_reads, opaque_ops, pure_ops

CUSTOM_CALLS = frozenset({"custom-call", "stablehlo.custom_call"})
#: Targets of custom calls that run a Python function, known to the module by a number or a pointer only.
CALLBACK_TARGETS = frozenset(
    {"xla_python_cpu_callback", "xla_python_gpu_callback", "xla_ffi_python_cpu_callback", "xla_ffi_python_gpu_callback",
     "xla_ffi_partitioned_python_cpu_callback", "xla_ffi_partitioned_python_gpu_callback", "xla_python_callback"}
)  # fmt: skip
STRUCTURED = BRANCHES | CALLS | SCANS | WHILES | {"constant"}


def calls_python(op: Op) -> bool:
    """True for a custom call of a host function."""
    if op.name not in CUSTOM_CALLS:
        return False
    target = op.attribute("call_target_name") or op.attribute("custom_call_target")
    return getattr(target, "value", "") in CALLBACK_TARGETS


def declares_effect(op: Op) -> bool:
    """A custom call is pure only where it says so (by saying nothing) and is no host callback."""
    says = op.attribute("has_side_effect") or op.attribute("custom_call_has_side_effect")
    quiet = says is None or says == Bool(False)
    return not quiet or calls_python(op)


def has_own_effect(op: Op, transparent: frozenset[str], pure: frozenset[str]) -> bool:
    """True if an op has an effect whatever its regions and callees do. ``transparent``: ops that are as pure as
    those."""
    if op.name in CUSTOM_CALLS:
        return declares_effect(op)
    if op.name not in transparent and op.name not in pure:
        return True
    return op.attribute("effects") is not None and not op.regions


def purity(dialect: str) -> tuple[frozenset[str], frozenset[str]]:
    """The ops of a dialect that are as pure as their regions and callees, and those that are pure."""
    return STRUCTURED | opaque_ops(dialect), pure_ops(dialect) | device_reads(dialect)


class Effects:
    """Answers `op`, `region` and `function` for one module. Functions must be given callees first.

    ``dropped``: ``id`` of ops that are left out, so that they have no effect.
    """

    def __init__(self, module: Module, order: tuple[Function, ...], dropped: frozenset[int] = frozenset()) -> None:
        self._dropped = dropped
        self._ops: dict[int, bool] = {}
        self._transparent, self._pure = purity(module.dialect)
        self._mentions = mentions(module)
        self._functions: dict[str, bool] = {}
        self._regions: dict[int, bool] = {}
        for function in order:
            self._functions[function.name] = self.region(function.body)

    def function(self, name: str) -> bool:
        return self._functions[name]

    def region(self, region: Region) -> bool:
        """True if any op inside, at any depth, has an effect."""
        stack = [region]
        while stack:
            current = stack[-1]
            inner = [r for op in current.ops for r in op.regions if id(r) not in self._regions]
            if inner:
                stack.extend(inner)
                continue
            stack.pop()
            self._regions[id(current)] = any(self.op(op) for op in current.ops if id(op) not in self._dropped)
        return self._regions[id(region)]

    def op(self, op: Op) -> bool:
        """True if the op itself has an effect."""
        found = self._ops.get(id(op))
        if found is None:
            found = self._ops[id(op)] = self._has_effect(op)
        return found

    def _has_effect(self, op: Op) -> bool:
        if op.name in CUSTOM_CALLS or has_own_effect(op, self._transparent, self._pure):
            return has_own_effect(op, self._transparent, self._pure)
        if any(
            self._regions[id(region)] if id(region) in self._regions else self.region(region) for region in op.regions
        ):
            return True
        return any(self._functions[name] for name in self._mentions.get(id(op), ()))


#: What was found out of a module, for as long as it lives.
_ORDERS: WeakKeyDictionary[Module, tuple[tuple[Function, ...], tuple[str, ...]]] = WeakKeyDictionary()
_EFFECTS: WeakKeyDictionary[Module, dict[frozenset[int], Effects]] = WeakKeyDictionary()


def effects_of(module: Module, dropped: frozenset[int] = frozenset()) -> Effects:
    """The effects of a module without cycles of calls, worked out once."""
    known = _EFFECTS.setdefault(module, {})
    if dropped not in known:
        known[dropped] = Effects(module, callee_order(module)[0], dropped)
    return known[dropped]


def callee_order(module: Module) -> tuple[tuple[Function, ...], tuple[str, ...]]:
    """The functions, callees first, and the names of those in a cycle of calls (which are left out); once a module."""
    found = _ORDERS.get(module)
    if found is None:
        found = _ORDERS[module] = _ordered(module)
    return found


def _ordered(module: Module) -> tuple[tuple[Function, ...], tuple[str, ...]]:
    names = {function.name: function for function in module.functions}
    known = summaries(module)
    uses = {name: [c for c in dict.fromkeys(known.of(f).mentions) if c in names] for name, f in names.items()}
    waiting = {name: len(called) for name, called in uses.items()}
    users: dict[str, list[str]] = {name: [] for name in names}
    for name, called in uses.items():
        for callee in called:
            users[callee].append(name)
    ready = [name for name, count in waiting.items() if not count]
    order: list[Function] = []
    while ready:
        name = ready.pop()
        order.append(names[name])
        for user in users[name]:
            waiting[user] -= 1
            if not waiting[user]:
                ready.append(user)
    done = {function.name for function in order}
    return tuple(order), tuple(name for name in names if name not in done)
