"""A context as a person asks for it: settings of JAX, options for the compiler, variables of the environment.

Promises: names that JAX has, values of the type that the setting has, else an ArgumentError with what lies near. What
an option for the compiler may be is known to XLA alone, and asked of it in `scanir.contexts.inside`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from scanir.errors import ArgumentError
from scanir.targets.names import near, shown

#: As given: a mapping, or texts KEY=VALUE.
Given: TypeAlias = "Mapping[str, Any] | Iterable[str] | None"
#: Settings that JAX reads once, as it starts: in a process in which it runs they come too late.
AT_START = frozenset(
    {
        "jax_platforms", "jax_platform_name", "jax_num_cpu_devices", "jax_xla_backend", "jax_backend_target",
        "jax_cuda_visible_devices", "jax_rocm_visible_devices", "jax_oneapi_visible_devices", "jax_mock_gpu_topology",
        "mock_num_gpu_processes", "jax_cpu_enable_async_dispatch", "jax_cpu_enable_gloo_collectives",
        "jax_cpu_collectives_implementation", "jax_pjrt_client_create_options",
    }
)  # fmt: skip
_TRUTHS = {"true": True, "1": True, "on": True, "yes": True, "false": False, "0": False, "off": False, "no": False}


@dataclass(frozen=True, slots=True)
class Context:
    """What one side is made under, each part sorted by name."""

    config: tuple[tuple[str, Any], ...] = ()
    compiler_options: tuple[tuple[str, Any], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.config or self.compiler_options or self.environment)

    def __str__(self) -> str:
        """``jax_enable_x64=True, XLA_FLAGS=...``."""
        return ", ".join(f"{k}={v}" for k, v in (*self.config, *self.compiler_options, *self.environment))


def contexts(
    config: tuple[Given, Given, Given], compiler_options: tuple[Given, Given, Given], environment: tuple[Given, Given]
) -> tuple[Context, Context]:
    """The contexts of a and b. Of the first two, each is what holds for both, for a and for b; a side's own wins."""
    both, options = _pairs(config[0], "config"), _pairs(compiler_options[0], "compiler-option")
    left, right = (
        Context(
            tuple(sorted((name, setting(name, value)) for name, value in (both | _pairs(own, "config")).items())),
            tuple(sorted((k, option(v)) for k, v in (options | _pairs(extra, "compiler-option")).items())),
            tuple(sorted((k, str(v)) for k, v in _pairs(variables, "env").items())),
        )
        for own, extra, variables in zip(config[1:], compiler_options[1:], environment, strict=True)
    )
    return left, right


def _pairs(given: Given, what: str) -> dict[str, Any]:
    """Names and values. The last of several values of one name counts only if it is the same: else it is a mistake."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name): value for name, value in given.items()}
    pairs: dict[str, Any] = {}
    for text in (given,) if isinstance(given, str) else given:
        name, equals, value = str(text).partition("=")
        name = name.strip().removeprefix("--")
        if not equals or not name:
            raise ArgumentError(
                f"{shown(str(text))!r} is not KEY=VALUE", hint=f"for example --{what} {_EXAMPLES[what]}"
            )
        if pairs.setdefault(name, value.strip()) != value.strip():
            raise ArgumentError(f"{shown(name)} is given twice, with unlike values", hint="leave one of them out")
    return pairs


_EXAMPLES = {
    "config": "jax_enable_x64=True",
    "compiler-option": "xla_cpu_enable_fast_math=True",
    "env": "XLA_FLAGS=--xla_cpu_enable_fast_math=true",
}


def setting(name: str, value: Any) -> Any:
    """The value of a setting as JAX has it. Raises ArgumentError for a name or a value that JAX does not have."""
    from scanir import _compat

    known = _compat.setting_names()
    if name not in known:
        found = near(name, known) or near(f"jax_{name}", known)
        raise ArgumentError(
            f"JAX has no setting {shown(name)!r}",
            hint=f"did you mean {' or '.join(found)}?"
            if found
            else "settings are the names of jax.config, such as jax_enable_x64",
        )
    kind, choices = _compat.setting_type(name)
    nothing = value is None or (isinstance(value, str) and value.lower() == "none" and "None" not in choices)
    typed = None if nothing and kind != "bool" else _typed(name, value, kind, choices)
    # What JAX reads as it starts it takes no more where it runs: a process that is yet to start may still refuse it.
    problem = "" if name in AT_START else _compat.refused(name, typed)
    if problem:
        raise ArgumentError(f"{name} cannot be {value!r}", where=problem, hint=_choices(kind, choices))
    return typed


def _typed(name: str, value: Any, kind: str, choices: tuple[str, ...]) -> Any:
    fitting: dict[str, tuple[type, ...]] = {"bool": (bool,), "int": (int,), "float": (int, float)}
    types = fitting.get(kind, (str,))
    if not isinstance(value, str):
        if isinstance(value, types) and not (isinstance(value, bool) and kind != "bool"):
            return value
    elif kind == "bool":
        if value.lower() in _TRUTHS:
            return _TRUTHS[value.lower()]
    elif kind in ("int", "float"):
        try:
            return int(value) if kind == "int" else float(value)
        except ValueError:
            pass
    elif not choices or value in choices:
        return value
    raise ArgumentError(f"{name} cannot be {value!r}", hint=_choices(kind, choices))


def _choices(kind: str, choices: tuple[str, ...]) -> str:
    if choices:
        return f"one of {', '.join(choices)}"
    return {"bool": "True or False", "int": "a whole number", "float": "a number"}.get(kind, "a text")


def option(value: Any) -> Any:
    """The value of a compiler option: XLA takes truths as Python's own, all else as text too."""
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return value
