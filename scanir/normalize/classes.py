"""Which attributes and type facts are noise, which belong to a class, and (all the others) which are semantic.

Deny by default: an attribute nobody classified here is semantic. A class may hold only what provably leaves results
alone. Keys are (dialect, op name or ``*``, attribute name).
"""

from __future__ import annotations

from scanir.ir.attrs import Attr, Bool, Opaque, Record, Seq, Text
from scanir.ir.graph import Function, Op

#: Never part of a program: names that only label. Printed, never compared.
NOISE: frozenset[tuple[str, str, str]] = frozenset(
    {("jaxpr", "jit", "name"), ("jaxpr", "core_call", "name"), ("jaxpr", "closed_call", "name")}
)

#: Attribute -> the class it belongs to.
CLASSES: dict[tuple[str, str, str], str] = {
    ("hlo", "fusion", "kind"): "class:fusion",
    ("hlo", "*", "sharding"): "class:sharding",
    ("stablehlo", "*", "mhlo.sharding"): "class:sharding",
    ("stablehlo", "*", "sdy.sharding"): "class:sharding",
    ("jaxpr", "jit", "donated_invars"): "class:donation",
    ("jaxpr", "*", "weak_type"): "weak-type",
}

#: Ops on which nothing may be set aside: sharding, layout and memory space are what these ops are about.
STRICT_OPS = frozenset(
    {
        "custom-call", "stablehlo.custom_call", "infeed", "outfeed", "send", "recv", "send-done", "recv-done",
        "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send", "stablehlo.recv", "shard_map",
        "sdy.manual_computation", "pallas_call", "ffi_call", "domain",
    }
)  # fmt: skip

#: Fields of the backend_config of a fusion or call that only say how code is made for what the callee computes.
CODE_GENERATION = frozenset(
    {
        "outer_dimension_partitions", "operation_queue_id", "wait_on_operation_queues", "force_earliest_schedule",
        "reification_cost", "native_emitter_backend_config", "fusion_config", "fusion_backend_config",
        "scoped_memory_configs", "used_scoped_memory_configs", "fusion_formation_source",
    }
)  # fmt: skip

#: Frontend attributes that XLA's CPU compiler gives to calls that it makes itself, to make code for them in one piece.
SMALL_CALLS = frozenset({"xla_cpu_small_call"})

#: Parameters of a jit that say how its jaxpr came about, whatever their value.
TRACING = frozenset({"inline", "keep_unused"})

#: Facts of tensor types -> the class they belong to; facts that are absent here (bounds, ref, ...) are semantic.
TYPE_CLASSES = {
    "weak_type": "weak-type",
    "layout": "class:layout",
    "memory_space": "class:memory-space",
    "sharding": "class:sharding",
}

#: Attributes of the module -> class; None means that it only labels or repeats what is compared elsewhere.
MODULE_CLASSES: dict[tuple[str, str], str | None] = {
    ("stablehlo", "jax.uses_shape_polymorphism"): None,  # whether dimensions may be symbols; the types say which are
    ("hlo", "is_scheduled"): "class:schedule",
    ("hlo", "input_output_alias"): "class:donation",
    ("hlo", "buffer_donor"): "class:donation",
    ("hlo", "entry_computation_layout"): None,  # parameters, results and their layouts are compared themselves
    ("hlo", "allow_spmd_sharding_propagation_to_parameters"): None,  # one flag an argument or result
    ("hlo", "allow_spmd_sharding_propagation_to_output"): None,
}

#: Attributes of parameters and results of functions -> class; None as above.
INTERFACE_CLASSES: dict[str, str | None] = {
    "tf.aliasing_output": "class:donation",
    "jax.buffer_donor": "class:donation",
    "mhlo.sharding": "class:sharding",
    "sdy.sharding": "class:sharding",
    "sharding": "class:sharding",
    "mhlo.layout_mode": "class:layout",
    "mhlo.memory_kind": "class:memory-space",
    "jax.result_info": None,
    "jax.arg_info": None,
    "jax.global_constant": None,
    "jax.const": None,  # bound to its value by the interface, or refused
    "sym_visibility": None,
}


def facts(function: Function) -> tuple[tuple[str, str, Attr], ...]:
    """What a function says of itself, its parameters and results, labels left out: (place, name, value)."""
    lists = (
        ("function", (function.attributes,)),
        ("parameter", function.param_attrs),
        ("result", function.result_attrs),
    )
    return tuple(
        (f"{role} {k}" if role != "function" else role, name, value)
        for role, entries in lists
        for k, entry in enumerate(entries)
        for name, value in entry
        if INTERFACE_CLASSES.get(name, "") is not None
    )


def attribute_class(dialect: str, op: Op, name: str) -> str | None:
    """``noise``, the name of a class or rule, or None for a semantic attribute."""
    if (dialect, op.name, name) in NOISE:
        return "noise"
    if op.name in STRICT_OPS:
        return None
    if name == "backend_config" and op.name in ("fusion", "call"):
        return "class:backend-config" if _only_code_generation(op.attribute(name)) else None
    return CLASSES.get((dialect, op.name, name)) or CLASSES.get((dialect, "*", name))


#: Parameters of a jit that list something for each argument or result.
_LISTS = frozenset({"in_shardings", "out_shardings", "in_layouts", "out_layouts", "donated_invars"})


def _only_code_generation(config: Attr | None) -> bool:
    return isinstance(config, Record) and all(name in CODE_GENERATION for name, _ in config.fields)


def says_nothing(op: Op, name: str) -> bool:
    """Whether an attribute of a call leaves open all that it could ask for: inlining the call loses nothing then."""
    if name == "callee" or (op.name == "jit" and name in TRACING):
        return True
    match op.attribute(name):
        case Seq(items=items):
            count = len(op.results if name.startswith("out_") else op.operands)
            return all(_unsaid(item) for item in items) and len(items) in (count, 0 if name not in _LISTS else count)
        case Record(fields=fields) if name == "frontend_attributes":
            return SMALL_CALLS.issuperset(field for field, _ in fields)
        case Record(fields=fields):
            return ("axes", Seq(())) in fields  # no mesh
        case item:
            return _unsaid(item)


def _unsaid(item: Attr | None) -> bool:
    if isinstance(item, Record):
        return ("shows", Text("UnspecifiedValue")) in item.fields
    return item in (Opaque("none", ""), Bool(False))
