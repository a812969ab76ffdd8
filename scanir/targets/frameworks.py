"""Modules of Equinox and Flax, and their own jit, as functions of arrays.

Recognized by their classes, without importing the packages. A module becomes a function whose first argument holds its
arrays, so that weights are arguments and not constants:

- an ``equinox.Module`` is called with its arrays in ``model``; its numbers and truths (the rate of a dropout, whether
  it infers) are static, as ``equinox.filter_jit`` has it, which is traced as it traces itself;
- a ``flax.linen.Module`` is applied to ``variables``, which its ``init`` makes on shapes alone;
- a ``flax.nnx.Module`` is called with its state in ``model``, and returns what it changes of it beside its results.

Refuses nothing: what these packages raise is told as an error of tracing.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from scanir.program import WRITTEN, Program
from scanir.targets.arguments import Arguments, signature_of

#: Keywords of ``linen.Module.apply`` that are no arguments of the module's own call.
_PATH = re.compile(r"^\w+")
_OF_APPLY = ("rngs", "mutable", "capture_intermediates", "method")


def framework_of(value: Any) -> str:
    """``equinox``, ``filter_jit``, ``linen``, ``nnx``, or nothing for what is no module of these packages."""
    if isinstance(value, type):
        return ""
    for name, package, attribute in (
        ("filter_jit", "equinox._jit", "_JitWrapper"),
        ("equinox", "equinox", "Module"),
        ("linen", "flax.linen", "Module"),
        ("nnx", "flax.nnx", "Module"),
    ):
        class_ = getattr(sys.modules.get(package), attribute, None)
        if isinstance(class_, type) and isinstance(value, class_):
            return name
    return ""


def opened(module: Any, arguments: Arguments) -> tuple[Callable[..., Any], Arguments, str]:
    """(function of arrays, its arguments, note) of a module that is called with these arguments."""
    match framework_of(module):
        case "equinox":
            function, state, note = _equinox(module)
        case "linen":
            function, state, note = _linen(module, arguments)
        case _:
            function, state, note = _nnx(module)
    static = frozenset(key + 1 if isinstance(key, int) else key for key in arguments.static)
    return function, replace(arguments, args=(state, *arguments.args), static=static), note


def own_call(arguments: Arguments) -> Arguments:
    """The arguments of a module's own call, without those of ``linen.Module.apply``."""
    return replace(arguments, kwargs={k: v for k, v in arguments.kwargs.items() if k not in _OF_APPLY})


@dataclass(frozen=True, slots=True)
class _Number:
    """A number of Python's that is not to be traced: no leaf that JAX has a type for."""

    value: Any

    def __repr__(self) -> str:
        return repr(self.value)


def _is_number(leaf: Any) -> bool:
    """Whether a leaf is a number of Python's own: a float64 of numpy is one too, and an array to Equinox."""
    return isinstance(leaf, (int, float, complex)) and not hasattr(leaf, "dtype")


def _equinox(module: Any) -> tuple[Callable[..., Any], Any, str]:
    import jax

    def call(model: Any, *args: Any, **kwargs: Any) -> Any:
        whole = jax.tree.map(lambda leaf: leaf.value if isinstance(leaf, _Number) else leaf, model)
        return whole(*args, **kwargs)

    held = jax.tree.map(lambda leaf: _Number(leaf) if _is_number(leaf) else leaf, module)
    note = f"the arrays of {type(module).__name__} are its first argument, model"
    return _signed(call, "model", module.__call__, module), held, note


def _linen(module: Any, arguments: Arguments) -> tuple[Callable[..., Any], Any, str]:
    import jax

    name = type(module).__name__
    if module.scope is not None:  # bound to variables
        module, variables = module.unbind()
        note = f"the variables that {name} is bound to are its first argument, variables"
    else:
        dynamic, whole = _split(own_call(arguments))

        def init(leaves: list[Any]) -> Any:
            given = whole(leaves)
            keys = {word: jax.random.key(0) for word in ("params", *arguments.kwargs.get("rngs", ()))}
            return module.init(keys, *given.args, **given.kwargs)

        variables = jax.eval_shape(init, dynamic)
        note = f"the variables of {name}, its first argument, are made by init on shapes alone"

    def apply(variables: Any, *args: Any, **kwargs: Any) -> Any:
        return module.apply(variables, *args, **kwargs)

    return _signed(apply, "variables", type(module).__call__, module, skip=1, more=True), variables, note


def _by_path(tree: Any) -> dict[str, Any]:
    import jax

    return {jax.tree_util.keystr(path): leaf for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]}


def _nnx(module: Any) -> tuple[Callable[..., Any], Any, str]:
    nnx = sys.modules["flax.nnx"]
    graph, state = nnx.split(module)

    def call(model: Any, *args: Any, **kwargs: Any) -> Any:
        # Before the call: a state and what is merged from it share their variables.
        held = _by_path(model)
        merged = nnx.merge(graph, model)
        result = merged(*args, **kwargs)
        # What the call changed (running means, counters of random numbers) is a result: it must not be lost.
        made_of, left = nnx.split(merged)
        if made_of != graph:
            raise ValueError(
                f"the call changes what {type(module).__name__} is made of (a variable or attribute is new, gone or of "
                "another static value), which no program shows"
            )
        changed = {path: leaf for path, leaf in _by_path(left).items() if held.get(path) is not leaf}
        return {"result": result, WRITTEN: changed} if changed else result

    note = f"the state of {type(module).__name__} is its first argument, model; what the call changes of it is returned"
    return _signed(call, "model", module.__call__, module), state, note


def _signed(
    function: Callable[..., Any], first: str, call: Any, module: Any, *, skip: int = 0, more: bool = False
) -> Callable[..., Any]:
    """The function under the module's name, with the parameters of its call behind the first."""
    function.__name__ = function.__qualname__ = type(module).__name__
    signature = signature_of(call)
    if signature is None:
        return function
    rest = list(signature.parameters.values())[skip:]
    words = {parameter.name for parameter in rest}
    kinds = [parameter.kind for parameter in rest]
    head = inspect.Parameter(first if first not in words else f"{first}_", inspect.Parameter.POSITIONAL_ONLY)
    if more and inspect.Parameter.VAR_KEYWORD not in kinds:
        rest.append(inspect.Parameter("of_apply", inspect.Parameter.VAR_KEYWORD))
    parameters = [head, *rest]
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function


def _split(arguments: Arguments) -> tuple[list[Any], Callable[[list[Any]], Arguments]]:
    """What can be traced of arguments, and the arguments again with other such leaves in it."""
    import jax

    from scanir import _compat

    leaves, tree = jax.tree.flatten((arguments.args, arguments.kwargs))
    # A number is a value here: a module may choose sizes by it.
    traced = [_compat.is_traceable(leaf) and hasattr(leaf, "dtype") for leaf in leaves]

    def whole(given: list[Any]) -> Arguments:
        rest = iter(given)
        args, kwargs = tree.unflatten([next(rest) if keep else leaf for leaf, keep in zip(leaves, traced, strict=True)])
        return Arguments(args, kwargs)

    return [leaf for leaf, keep in zip(leaves, traced, strict=True) if keep], whole


class FilterJit:
    """``equinox.filter_jit`` as something with ``trace``: arrays and shapes are traced, all else is static, and what it
    donates stays donated. Once it was traced, ``names`` is what each traced leaf is called, and ``given`` what the
    program inside is called with."""

    def __init__(self, wrapper: Any) -> None:
        self._wrapper = wrapper
        self.names: tuple[str, ...] = ()
        self.given: tuple[Any, ...] = ()
        functools.update_wrapper(self, wrapper, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._wrapper(*args, **kwargs)

    def trace(self, *args: Any, **kwargs: Any) -> Any:
        import jax

        wrapper, preprocess = self._wrapper, sys.modules["equinox._jit"]._preprocess
        info = (
            wrapper._signature, wrapper._dynamic_fun, wrapper._static_fun, wrapper.donate_first, wrapper.donate_rest,
        )  # fmt: skip
        leaves, whole = _split(Arguments(args, kwargs))
        found: list[Any] = []

        def under_trace(tracers: list[Any]) -> None:
            # It holds a ShapeDtypeStruct for static; what is traced it takes for an array.
            given = whole(tracers)
            originals = {id(tracer): leaf for tracer, leaf in zip(tracers, leaves, strict=True)}
            donated, kept, static = preprocess(info, given.args, given.kwargs, return_static=True)
            found.append(jax.tree.map(lambda leaf: originals.get(id(leaf), leaf), (donated, kept)))
            found.append(static)

        jax.eval_shape(under_trace, leaves)
        (donated, kept), static = found
        self.names = _names(wrapper, args, kwargs, [*sorted(donated), *sorted(kept)])
        self.given = ((donated, kept), {})
        return wrapper._cached.trace(donated, kept, static)

    def named(self, program: Program) -> Program:
        """The program with its arguments called as a person would."""
        interface = program.interface
        if len(self.names) != len(interface.arguments):
            return program
        renamed = tuple(
            replace(argument, name=name, path=_PATH.sub("", name))
            for argument, name in zip(interface.arguments, self.names, strict=True)
        )
        return replace(program, interface=replace(interface, arguments=renamed))


def _names(wrapper: Any, args: tuple[Any, ...], kwargs: dict[str, Any], order: list[str]) -> tuple[str, ...]:
    """What the traced leaves of a filter_jit are called, in the order in which it hands them to its jit."""
    import jax

    from scanir import _compat
    from scanir.targets.leaves import argument_names

    bound = wrapper._signature.bind(*args, **kwargs)
    words = argument_names(wrapper, len(bound.args))
    first, rest = list(zip(words, bound.args, strict=True))[:1], list(zip(words, bound.args, strict=True))[1:]
    groups = {"first": first, "rest": [*rest, *sorted(bound.kwargs.items())], "fun": []}
    names = []
    for group in order:
        for word, value in groups[group]:
            for path, leaf in jax.tree_util.tree_flatten_with_path(value)[0]:
                if _compat.is_traceable(leaf) and hasattr(leaf, "dtype"):
                    names.append(f"{word}{jax.tree_util.keystr(path)}")
        names += [f"fun[{k}]" for k in range(len(jax.tree.leaves(wrapper._dynamic_fun)))] if group == "fun" else []
    return tuple(names)
