"""A module made ready for the reference interpreter, in place: what the interpreter lacks is put in other words.

Ops of CHLO, which XLA's front end expands, become calls of that expansion. Complex arguments and results of ``main``,
which the bindings cannot hand over, become pairs of real ones. Promises the same results; an op without an expansion
stays as it is.
"""

from __future__ import annotations

import re
from typing import Any

from scanir._compat_mlir import mlir_ir, through_hlo
from scanir.readers.mlir_context import parse_module
from scanir.readers.stablehlo.types import element_dtype

#: Ops of these dialects are what StableHLO's own lowering must still expand; XLA has the expansion.
_FRONT_END = "chlo."
#: What only says how a value is split: on one device, the value itself. And the custom call that says so.
CONSTRAINTS = frozenset({"sdy.mesh", "sdy.sharding_constraint"})
CONSTRAINT = "Sharding"


def _entry(module: Any) -> Any:
    for op in module.body.operations:
        if mlir_ir().StringAttr(op.attributes["sym_name"]).value == "main":
            return op
    raise ValueError("the module has no function main, at which the interpreter begins")


def split_complex(module: Any) -> list[str]:
    """Give the module a ``main`` of real arguments and results, which calls its own; the types of the results."""
    entry = _entry(module)
    function = mlir_ir().FunctionType(mlir_ir().TypeAttr(entry.attributes["function_type"]).value)
    arguments, results = [str(type) for type in function.inputs], [str(type) for type in function.results]
    dtypes = [element_dtype(_element(text)) for text in results]
    if not any("complex<" in text for text in (*arguments, *results)):
        return dtypes
    wrapper = mlir_ir().Module.parse(_wrapper(arguments, results), module.context)
    with module.context:
        entry.attributes["sym_name"] = mlir_ir().StringAttr.get("scanir_program")
        entry.attributes["sym_visibility"] = mlir_ir().StringAttr.get("private")
    main = _entry(wrapper).operation
    main.detach_from_parent()
    module.body.append(main)
    return dtypes


def _element(tensor: str) -> str:
    """The element type in the text of a type."""
    found = re.search(r"complex<f\d+>", tensor)
    return found[0] if found else tensor.removeprefix("tensor<").removesuffix(">").rpartition("x")[2]


def _wrapper(arguments: list[str], results: list[str]) -> str:
    """The text of ``main``, which makes complex numbers of pairs and pairs of complex numbers."""
    params, operands, lines = [], [], []
    for k, type in enumerate(arguments):
        real = _real_type(type)
        if real == type:
            params.append(f"%a{k}: {type}")
            operands.append(f"%a{k}")
            continue
        params += [f"%r{k}: {real}", f"%i{k}: {real}"]
        operands.append(f"%c{k}")
        lines.append(f'%c{k} = "stablehlo.complex"(%r{k}, %i{k}) : ({real}, {real}) -> {type}')
    call = f"func.call @scanir_program({', '.join(operands)}) : ({', '.join(arguments)}) -> ({', '.join(results)})"
    lines.append(f"%o:{len(results)} = {call}" if results else call)
    values, types = [], []
    for k, type in enumerate(results):
        real = _real_type(type)
        if real == type:
            values.append(f"%o#{k}")
            types.append(type)
            continue
        for part_ in ("real", "imag"):
            lines.append(f'%{part_}{k} = "stablehlo.{part_}"(%o#{k}) : ({type}) -> {real}')
            values.append(f"%{part_}{k}")
            types.append(real)
    lines.append(f"return {', '.join(values)} : {', '.join(types)}" if values else "return")
    body = "\n".join(lines)
    declared = f"func.func private @scanir_program({', '.join(arguments)}) -> ({', '.join(results)})"
    return f"{declared}\nfunc.func public @main({', '.join(params)}) -> ({', '.join(types)}) {{\n{body}\n}}"


def _real_type(type: str) -> str:
    return re.sub(r"complex<(f\d+)>", r"\1", type)


def expand(module: Any) -> None:
    """Replace each op of CHLO by a call of what XLA expands it to, where that is StableHLO."""
    known: dict[str, str] = {}
    for op in [op for op in _ops(module) if op.name.startswith(_FRONT_END)]:
        key = _alone(op)
        if key not in known:
            known[key] = _add_expansion(module, key, f"scanir_expanded_{len(known)}")
        if known[key]:
            _replace(module, op, known[key])


def drop_constraints(module: Any) -> None:
    """Take away what says how values are split, in a module for one device."""
    for op in _ops(module):
        if op.name == "sdy.mesh":
            op.erase()
        elif op.name == "sdy.sharding_constraint" or _is_constraint(op):
            op.results[0].replace_all_uses_with(op.operands[0])
            op.erase()


def _is_constraint(op: Any) -> bool:
    if op.name != "stablehlo.custom_call":
        return False
    return bool(mlir_ir().StringAttr(op.attributes["call_target_name"]).value == CONSTRAINT)


def _ops(module: Any) -> list[Any]:
    """All ops of a module."""
    found, stack = [], [module.operation]
    while stack:
        op = stack.pop()
        found.append(op)
        stack.extend(inner.operation for region in op.regions for block in region.blocks for inner in block.operations)
    return found


def _add_expansion(module: Any, alone: str, prefix: str) -> str:
    """Add the functions that the module of one op expands to; the name of the first, empty without an expansion."""
    expanded = parse_module(through_hlo(alone), "an op that XLA expands")
    if any(op.name.startswith(("chlo.", "mhlo.")) or op.name == "stablehlo.custom_call" for op in _ops(expanded)):
        return ""
    plain = expanded.operation.get_asm(enable_debug_info=False)
    plain = re.sub(r"@([\w.$-]+)", rf"@{prefix}_\1", plain)
    # A context of its own read it; ours reads it again.
    again = mlir_ir().Module.parse(plain, module.context)
    for function in list(again.body.operations):
        operation = function.operation
        operation.detach_from_parent()
        with module.context:
            operation.attributes["sym_visibility"] = mlir_ir().StringAttr.get("private")
        module.body.append(operation)
    return f"{prefix}_main"


def _alone(op: Any) -> str:
    """The text of a module that is this op alone."""
    operands, results = ([str(value.type) for value in values] for values in (op.operands, op.results))
    names = ", ".join(f"%a{k}" for k in range(len(operands)))
    params = ", ".join(f"%a{k}: {type}" for k, type in enumerate(operands))
    # Iterating gives names in some versions, and pairs in others.
    pairs = [op.attributes[k] for k in range(len(op.attributes))]
    attributes = ", ".join(f"{pair.name} = {pair.attr}" for pair in pairs)
    types = ", ".join(results)
    made = f'%r:{len(results)} = "{op.name}"({names}) {{{attributes}}} : ({", ".join(operands)}) -> ({types})'
    handed = f"return {', '.join(f'%r#{k}' for k in range(len(results)))} : {types}"
    return f"func.func public @main({params}) -> ({types}) {{\n{made}\n{handed}\n}}"


def _replace(module: Any, op: Any, name: str) -> None:
    ir = mlir_ir()
    with module.context, ir.Location.unknown(module.context), ir.InsertionPoint(op):
        call = ir.Operation.create(
            "func.call",
            results=[value.type for value in op.results],
            operands=list(op.operands),
            attributes={"callee": ir.FlatSymbolRefAttr.get(name)},
        )
    for old, new in zip(op.results, call.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
