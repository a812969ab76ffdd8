"""One program that is measured: each of its steps apart, from a cold start as often as asked.

Promises that nothing is taken from an earlier round: JAX's caches are emptied before a function is traced, outside of
the time. A call is over when its results are there. Inputs that a program donates are copied before the time starts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from scanir import _compat
from scanir.errors import TargetError, TraceError
from scanir.measure.inputs import Inputs
from scanir.strategies import registered
from scanir.targets.arguments import Arguments
from scanir.targets.resolve import resolve
from scanir.targets.target import Target
from scanir.targets.under import parse_under
from scanir.targets.worlds import world
from scanir.tracers import step

#: Bytes of donated inputs that are copied ahead of a block of calls.
_AHEAD = 64 << 20


class Measured:
    """A target with its inputs, brought to a compiled program by `compile`, as often as it is called."""

    def __init__(self, text: str, arguments: Arguments | str | None, under: str, options: dict[str, Any],
                 inputs: Inputs) -> None:  # fmt: skip
        target = resolve(text)
        if target.kind not in ("function", "jitted", "module"):
            raise TargetError(f"{target.label} is a {target.kind}: it cannot be measured", hint="name its function")
        self.label, self._directory, self._options = target.label, target._directory, options
        given = arguments if arguments is not None else _values(target)
        row = target.under(parse_under(under)[0]) if under else target
        self._target, self._given_arguments = row, given
        with world(self._directory):
            self._function, args, kwargs = step("preparing the call", lambda: row.staged(given))
            fixed = target.arguments(given).static
            numbers, names = _compat.static_arguments(self._function)
            static = {n + len(args) if n < 0 else n for n in numbers} | set(names) | set(fixed)
            self._args = tuple(a if k in static else inputs.of(a) for k, a in enumerate(args))
            self._kwargs = {name: a if name in static else inputs.of(a) for name, a in kwargs.items()}
        self._leaves_of = [a for k, a in enumerate(self._args) if k not in static]
        self._named = {name: a for name, a in self._kwargs.items() if name not in static}
        self._compiled: Any = None
        self._call: Callable[[], Any] = lambda: None
        self._donated: tuple[bool, ...] = ()

    def compile(self) -> dict[str, float]:
        """Seconds of tracing, lowering and compiling, from a cold start. Raises TraceError."""
        import jax

        self._compiled = None
        _compat.forget_traces()
        now = time.perf_counter
        with world(self._directory), _compat.without_persistent_cache():
            function = self._function if hasattr(self._function, "lower") else jax.jit(self._function)
            start = now()
            traced = self._explained("tracing", lambda: _traced(function, self._args, self._kwargs))
            after_trace = now()
            lowered = self._explained("lowering", lambda: traced.lower())
            after_lower = now()
            options = dict(_compat.compiler_options(lowered) or ()) | self._options if self._options else None
            compiled = self._explained("compiling", lambda: lowered.compile(compiler_options=options))
            end = now()
        self._ready(lowered, compiled)
        return {"trace": after_trace - start, "lower": after_lower - after_trace, "compile": end - after_lower}

    def _ready(self, lowered: Any, compiled: Any) -> None:
        import jax

        given = getattr(self._function, "given", None) or (tuple(self._leaves_of), self._named)
        leaves = jax.tree.leaves(given)
        self._donated = tuple(bool(info.donated) for info in jax.tree.leaves(lowered.args_info, is_leaf=_is_info))
        if lowered.in_tree.num_leaves != len(leaves):
            raise TraceError(
                f"{self.label} takes {lowered.in_tree.num_leaves} arrays where {len(leaves)} are at hand",
                hint="measure a function around it, whose jit takes no static arguments",
            )
        self._inputs, self._tree, self._compiled = leaves, lowered.in_tree, compiled

    def first(self) -> float:
        """Seconds of the first call after compiling."""
        return self._explained("running", lambda: self.block(1))  # type: ignore[no-any-return]

    def _explained(self, what: str, run: Callable[[], Any]) -> Any:
        try:
            return step(what, run)
        except TraceError as problem:
            raise self._target.explained(problem, self._given_arguments) from problem

    def block(self, calls: int) -> float:
        """Seconds a call, of so many calls one after the other."""
        import jax

        given = self._given(calls)
        compiled, now = self._compiled, time.perf_counter
        start = now()
        for args, kwargs in given:
            jax.block_until_ready(compiled(*args, **kwargs))
        return (now() - start) / len(given)

    def _given(self, calls: int) -> list[tuple[Any, Any]]:
        """The arguments of each call: the same ones, but for what is donated."""
        import jax

        if not any(self._donated):
            return [jax.tree.unflatten(self._tree, self._inputs)] * calls
        size = sum(x.nbytes for x, donated in zip(self._inputs, self._donated, strict=True) if donated)
        count = max(1, min(calls, _AHEAD // max(1, size)))
        return [jax.tree.unflatten(self._tree, self._fresh()) for _ in range(count)]

    def _fresh(self) -> list[Any]:
        import jax

        pairs = zip(self._inputs, self._donated, strict=True)
        fresh = [jax.numpy.copy(x) if donated else x for x, donated in pairs]
        return list(jax.block_until_ready(fresh))

    def sizes(self) -> dict[str, int]:
        """Bytes that the executable takes; empty for a backend that does not tell."""
        try:
            return _compat.executable_sizes(self._compiled)
        except (NotImplementedError, RuntimeError):  # XlaRuntimeError: UNIMPLEMENTED
            return {}


def _values(target: Target) -> Arguments | None:
    """The example of a strategy with its values, where tracing would need no more than shapes."""
    strategy = registered(target.function)
    if strategy is None or strategy.arguments is None or target.has_arguments:
        return None
    return Arguments(strategy.example())


def _traced(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if not hasattr(function, "trace"):
        raise TargetError("a jitted function of this kind cannot be measured", hint="name the function inside")
    traced = function.trace(*args, **kwargs)
    return getattr(traced, "traced", traced)  # wrappers keep JAX's own object there


def _is_info(value: Any) -> bool:
    return hasattr(value, "donated")
