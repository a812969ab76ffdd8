"""How the sides were made, where that differs: what may change numbers beside the IR, and what cannot.

Promises: sides made differently are never IDENTICAL. Deny by default: a fact that is not known here may change results
in ways that the compared IR does not show, and is set aside only where `provenance` is allowed by name.
"""

from __future__ import annotations

from scanir.program import Program

#: Settings of JAX whose whole effect is written into the IR. They are read while a function is traced and lowered, for
#: dtypes of values, ``precision`` of dot and convolution, how random bits are computed, and the generator of a key;
#: what hands the module to the compiler (jax/_src/compiler.py) reads none of them.
IN_THE_IR = frozenset(
    {"jax_enable_x64", "jax_default_matmul_precision", "jax_threefry_partitionable", "jax_default_prng_impl"}
)
#: Facts that only the compiler hears of, beside the module: before it ran, they have touched nothing that is compared.
FOR_THE_COMPILER = frozenset({"XLA_FLAGS", "compiler options", "device", "devices", "jaxlib", "platform"})
#: What says who made a module, and nothing of what XLA makes of it.
_LABELS = frozenset({"jax"})


def differences(a: Program, b: Program) -> tuple[tuple[str, str, str], ...]:
    """(name, value of a, value of b) of the facts that differ; a file has none, which is no difference."""
    left, right = dict(a.provenance), dict(b.provenance)
    return tuple(
        (name, left[name], right[name]) for name in sorted(left.keys() & right.keys()) if left[name] != right[name]
    )


def is_harmless(name: str, stage: str) -> bool:
    """Whether a fact is known to leave numbers alone, other than through the IR of that stage."""
    return name in IN_THE_IR or name in _LABELS or (stage != "hlo" and name in FOR_THE_COMPILER)


def told(name: str, left: str, right: str) -> str:
    """``jax_enable_x64: False against True``."""
    return f"{name}: {left or 'none'} against {right or 'none'}"
