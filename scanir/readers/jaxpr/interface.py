"""How the parameters and results of a module hang on those of the function that a person wrote.

Promises one `Argument` a leaf of the arguments, named as a person would write it, whether or not jit kept it; for each
parameter of the module its argument, or the full value of the constant that JAX passes in its place. Refuses a module
whose parameters it cannot account for.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from scanir import _compat
from scanir.errors import ReadError
from scanir.ir.attrs import Attr
from scanir.ir.graph import Module
from scanir.ir.types import TOKEN
from scanir.program import Argument, Interface
from scanir.readers.jaxpr.arrays import read_array
from scanir.readers.jaxpr.types import read_type


def staged_interface(
    module: Module, stage: Any, function: Any, kept: Sequence[int] | None, constants: Sequence[Any]
) -> Interface:
    """The interface of a module that one of JAX's staged objects describes.

    ``function`` helps with names. ``kept``: which arguments are parameters (None: all); ``constants``: values that are
    passed before them.
    """
    arguments = _arguments(stage, function)
    positions = tuple(range(len(arguments))) if kept is None else tuple(kept)
    mapped, values = _parameters(module, positions, constants)
    results, tree = _results(stage)
    return Interface(arguments, mapped, results, values, str(stage.in_tree), tree)


def jaxpr_interface(module: Module, jaxpr: Any) -> Interface:
    """The interface of a bare jaxpr: its arguments by number, or as they were called when it was traced."""
    params = module.function(module.entry).body.params
    names = _compat.argument_names(jaxpr)
    known = names if len(names) == len(params) else ("",) * len(params)
    arguments = tuple(
        Argument(name or f"argument {k}", param.type, k)
        for k, (name, param) in enumerate(zip(known, params, strict=True))
    )
    return Interface(arguments, tuple(range(len(params))))


def exported_interface(module: Module, exported: Any) -> Interface:
    """The interface of an Exported, which says which of its arguments its module kept."""
    import jax

    tree = jax.tree.unflatten(exported.in_tree, exported.in_avals)
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    arguments = tuple(
        _argument(path, aval, "", (), donated=False) for (path, _), aval in zip(leaves, exported.in_avals, strict=True)
    )
    mapped, values = _parameters(module, tuple(exported.module_kept_var_idx), ())
    outs = jax.tree.unflatten(exported.out_tree, exported.out_avals)
    results = [path for path, _ in jax.tree_util.tree_flatten_with_path(outs)[0]]
    texts = tuple(jax.tree_util.keystr(path) for path in results)
    return Interface(arguments, mapped, texts, values, str(exported.in_tree), str(exported.out_tree))


def _arguments(stage: Any, function: Any) -> tuple[Argument, ...]:
    import jax

    leaves, _ = jax.tree_util.tree_flatten_with_path(stage.args_info)
    avals = jax.tree.leaves(stage.in_avals)
    names = _compat.argument_names(stage)
    known = names if len(names) == len(leaves) else ("",) * len(leaves)
    written = _positional(function)
    arguments = tuple(
        _argument(path, aval, name, written, donated=bool(getattr(info, "donated", False)))
        for (path, info), aval, name in zip(leaves, avals, known, strict=True)
    )
    shardings = _compat.argument_shardings(stage)
    if len(shardings) != len(arguments):
        return arguments
    return tuple(
        replace(argument, sharding=sharding_text(sharding, len(aval.shape)))
        for argument, aval, sharding in zip(arguments, avals, shardings, strict=True)
    )


def sharding_text(sharding: Any, rank: int) -> str:
    """A sharding over several devices in one line, such as ``('data', None) over data=4, model=2``."""
    if sharding is None or sharding.num_devices < 2:
        return ""
    spec, mesh = getattr(sharding, "spec", None), getattr(sharding, "mesh", None)
    if spec is None or mesh is None:
        return " ".join(str(sharding).split())
    parts = (*spec, *(None,) * (rank - len(spec)))
    axes = ", ".join(f"{name}={size}" for name, size in mesh.shape.items())
    return f"({', '.join(map(repr, parts))}{',' if rank == 1 else ''}) over {axes}"


def _argument(path: tuple[Any, ...], aval: Any, known: str, written: Sequence[str], *, donated: bool) -> Argument:
    """One leaf of (args, kwargs), which ``path`` leads to. ``known``: what JAX calls it, if it does."""
    import jax

    keyword = getattr(path[0], "idx", 0) == 1
    rest = jax.tree_util.keystr(path[2:])
    if keyword:
        return Argument(f"{path[1].key}{rest}", read_type(aval), -1, rest, True, donated)
    position = int(getattr(path[1], "idx", -1))
    base = written[position] if 0 <= position < len(written) else f"argument {position}"
    return Argument(known or f"{base}{rest}", read_type(aval), position, rest, False, donated)


def _positional(function: Any) -> tuple[str, ...]:
    """Names of the positional parameters of a function, as far as they are known."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # no function, or a builtin
        return ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(parameter.name for parameter in parameters if parameter.kind in kinds)


def _results(stage: Any) -> tuple[tuple[str, ...], str]:
    """Paths of the result leaves, and the pytree they form."""
    import jax

    tree = getattr(stage, "out_tree", None)
    if tree is None:
        tree = jax.tree.structure(stage.out_info)
    numbered = jax.tree.unflatten(tree, range(tree.num_leaves))
    leaves, _ = jax.tree_util.tree_flatten_with_path(numbered)
    return tuple(jax.tree_util.keystr(path) for path, _ in leaves), str(tree)


def _parameters(
    module: Module, kept: tuple[int, ...], constants: Sequence[Any]
) -> tuple[tuple[int, ...], tuple[tuple[int, Attr], ...]]:
    """For each parameter its argument, or -1 for tokens and constants; and the values of the constants."""
    params = module.function(module.entry).body.params
    real = [k for k, param in enumerate(params) if param.type != TOKEN]
    if len(real) != len(constants) + len(kept):
        raise ReadError(
            f"the module has {len(real)} parameters for {len(kept)} arguments and {len(constants)} constants",
            hint="please report this with the function",
        )
    mapped = [-1] * len(params)
    for k, argument in zip(real[len(constants) :], kept, strict=True):
        mapped[k] = argument
    values = [(k, read_array(value)) for k, value in zip(real[: len(constants)], constants, strict=True)]
    return tuple(mapped), tuple(values)
