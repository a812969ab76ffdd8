"""Arguments a target is traced with: given by a person, or the example its function comes with.

Only shapes are needed: a spec ``f32[3]`` becomes a ``jax.ShapeDtypeStruct``, and nothing of that size is made. What
does not fit the function's signature is an ArgumentError that shows the signature and an example.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from scanir.errors import ArgumentError
from scanir.strategies import registered
from scanir.targets.grammar import parse
from scanir.targets.specs import DTYPES, Spec, Static, written

#: Shapes for an example of ``--args``, one a parameter.
_EXEMPLARS = ("f32[3]", "f32[2,100]", "f32[]", "0.01")
#: The generators that JAX has, by the short name in a key's dtype.
_KEYS = {"fry": "threefry2x32", "rbg": "rbg", "urbg": "unsafe_rbg"}


@dataclass(frozen=True, slots=True)
class Arguments:
    """Positional and keyword arguments. ``static``: positions and keywords whose values the function gets as given."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    static: frozenset[int | str] = frozenset()

    def __str__(self) -> str:
        """The arguments as ``--args`` takes them; ``...`` for what it has no words for."""
        shown = {key: Static(value) if key in self.static else value for key, value in self.each()}
        named = {key: value for key, value in shown.items() if isinstance(key, str)}
        return written(tuple(value for key, value in shown.items() if isinstance(key, int)), named)

    def each(self) -> Iterator[tuple[int | str, Any]]:
        """All arguments by position or keyword."""
        yield from enumerate(self.args)
        yield from self.kwargs.items()

    @classmethod
    def parse(cls, text: str) -> Arguments:
        """Arguments from the text that ``--args`` takes: ``'f32[3], n=static(3)'``. Raises ArgumentError."""
        return parse_arguments(text)


def parse_arguments(text: str) -> Arguments:
    """Read the text of ``--args``. Raises ArgumentError."""
    parsed = parse(text)
    static = {k for k, value in enumerate(parsed.args) if isinstance(value, Static)}
    named = {name for name, value in parsed.kwargs.items() if isinstance(value, Static)}
    return Arguments(
        tuple(_real(value, text) for value in parsed.args),
        {name: _real(value, text) for name, value in parsed.kwargs.items()},
        frozenset(static | named),
    )


def _real(value: Any, text: str) -> Any:
    """A parsed value with JAX's own objects in it. Nesting is bounded by the grammar."""
    match value:
        case Static():
            return _real(value.value, text)
        case Spec():
            return _array(value, text)
        case tuple():
            return tuple(_real(item, text) for item in value)
        case list():
            return [_real(item, text) for item in value]
        case dict():
            return {key: _real(item, text) for key, item in value.items()}
        case _:
            return value


def _array(spec: Spec, text: str) -> Any:
    import jax

    if spec.dtype.startswith("key<"):
        return jax.ShapeDtypeStruct(spec.shape, _key_dtype(spec.dtype, text))
    dtype = jax.numpy.dtype(_long(spec.dtype, text))
    if dtype.itemsize >= 8 and not jax.config.jax_enable_x64 and dtype.name != "complex64":
        raise ArgumentError(
            f"{spec.dtype} needs 64-bit types, which JAX has switched off",
            where=text,
            hint="switch them on by --config jax_enable_x64=1 or JAX_ENABLE_X64=1, or use the 32-bit type",
        )
    return jax.ShapeDtypeStruct(spec.shape, dtype)


def _long(dtype: str, text: str) -> str:
    """The long name of a dtype that this JAX has."""
    import jax

    name = DTYPES[dtype]
    if name not in ("bool", "complex64", "complex128") and not hasattr(jax.numpy, name):
        raise ArgumentError(f"this version of JAX has no {dtype}", where=text, hint=f"jax {jax.__version__}")
    return name


def _key_dtype(dtype: str, text: str) -> Any:
    import jax

    impl = _KEYS.get(dtype.removeprefix("key<").removesuffix(">"))
    if impl is None:
        raise ArgumentError(
            f"unknown kind of key {dtype}", where=text, hint=f"keys: {', '.join(f'key<{k}>[]' for k in _KEYS)}"
        )
    return jax.eval_shape(lambda: jax.random.key(0, impl=impl)).dtype


def default_arguments(function: Any) -> Arguments | None:
    """The example a function comes with: as a registered strategy, or as ``example_args`` of its module.

    ``example_args`` is a tuple, a callable that makes one, or a dict of these by function name.
    """
    strategy = registered(function)
    if strategy is not None and strategy.shapes:
        return parse_arguments(strategy.shapes)  # the example's own shapes, without computing its values
    if strategy is not None and strategy.arguments is not None:
        return Arguments(strategy.example())
    inner = inspect.unwrap(function) if callable(function) else function
    inner = getattr(inner, "__func__", inner)
    module = sys.modules.get(str(getattr(inner, "__module__", "")))
    names = getattr(inner, "__globals__", vars(module) if module is not None else {})
    return _of_module(names, inner)


def _of_module(names: Any, function: Any) -> Arguments | None:
    found = names.get("example_args")
    if isinstance(found, dict):
        found = found.get(getattr(function, "__name__", ""))
    if found is None:
        return None
    if isinstance(found, Arguments):
        return found
    if callable(found):
        from scanir.targets.made import make_arguments

        return make_arguments(found, f"{names.get('__name__', 'the module')}.example_args", values=True)
    if not isinstance(found, (tuple, list)):
        raise ArgumentError(
            f"example_args is neither a tuple nor a callable that makes one, but a {type(found).__name__}",
            where=f"{names.get('__name__', 'the module')}.example_args",
            hint="example_args = (x, y), or a dict of such tuples by function name",
        )
    return Arguments(tuple(found))


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a function, where Python knows it."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # a builtin, or an object that only looks callable
        return None


def describe(function: Callable[..., Any]) -> str:
    """``name(s0, a, dtau, damp)``: names and defaults, no annotations."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or type(function).__name__
    signature = signature_of(function)
    if signature is None:
        return f"{name}(...)"
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return f"{name}{signature.replace(parameters=plain, return_annotation=inspect.Signature.empty)}"


def both_ways(text: str) -> str:
    """How arguments are given on the command line, and how from Python."""
    quoted = text.replace("'", "\\'")
    return f"--args '{text}', in Python scanir.Arguments.parse('{quoted}')"


def example_of(function: Callable[..., Any]) -> str:
    """As many arguments as the function needs, as ``--args`` has them."""
    strategy = registered(function)
    if strategy is not None and strategy.shapes:
        return strategy.shapes
    signature = signature_of(function)
    if signature is None:
        return ", ".join(_EXEMPLARS)
    parts: list[str] = []
    for parameter in signature.parameters.values():
        shape = _EXEMPLARS[len(parts) % len(_EXEMPLARS)]
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
            parts.append(f"{parameter.name}={shape}")
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            if parameter.default is parameter.empty:
                parts.append(shape)
    return ", ".join(parts)


def takes_nothing(function: Callable[..., Any]) -> bool:
    """True if a call without arguments fits the signature."""
    signature = signature_of(function)
    if signature is None:
        return False
    try:
        signature.bind()
    except TypeError:
        return False
    return True


def check(function: Callable[..., Any], arguments: Arguments, label: str) -> None:
    """Raise ArgumentError if the arguments do not fit the function's signature, or it is no function of arrays."""
    if inspect.iscoroutinefunction(function):
        what = f"{label} is an async function, which only makes a coroutine when it is called"
        raise ArgumentError(what, where=describe(function), hint="name the function that it awaits")
    signature = signature_of(function)
    if signature is None:
        return
    try:
        signature.bind(*arguments.args, **arguments.kwargs)
    except TypeError as problem:
        if isinstance(function, type):
            what = f"{label} is a class, and what its instances compute is compared"
            raise ArgumentError(what, where=describe(function), hint=f"name an instance: {label}(...)") from None
        raise ArgumentError(
            f"the arguments do not fit {label}: {problem}",
            where=describe(function),
            hint=f"for example {both_ways(example_of(function))}; --args-a and --args-b (args_a, args_b) are for one "
            "side alone",
        ) from None


def missing(function: Callable[..., Any], label: str) -> ArgumentError:
    """The error for a function that needs arguments and has no example."""
    return ArgumentError(
        f"{label} needs arguments",
        where=describe(function),
        hint=f"for example {both_ways(example_of(function))}; or define example_args in its module",
    )
