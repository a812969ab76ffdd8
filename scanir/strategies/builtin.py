"""The built-in strategies. Imports none of them: each is named by where it is, and imported when it is wanted."""

from __future__ import annotations

from scanir.strategies.registry import register

_ROLLOUT = "f32[3], f32[2,100], f32[], f32[]"


def _family(family: str, module: str, rows: tuple[tuple[str, str, str, str, str], ...]) -> None:
    """Register ``rows`` of (name, function, example, shapes, summary)."""
    for name, function, example, shapes, summary in rows:
        place = f"scanir.strategies.{module}"
        register(
            name,
            f"{place}:{function}",
            family=family,
            summary=summary,
            example=f"{place}:{example}" if example else None,
            shapes=shapes,
        )


_family(
    "rollout",
    "rollout",
    (
        ("lambda", "lambda_", "example", _ROLLOUT, "the body is a lambda that closes over a, dtau and damp"),
        ("def", "def_", "example", _ROLLOUT, "the same body as a nested def"),
        ("carry", "carry", "example", _ROLLOUT, "a, dtau, damp go through the carry, and are returned"),
        ("constant", "constant", "short_example", "f32[3], f32[2,100]", "dtau and damp are Python numbers closed over"),
        ("xs", "xs", "example", _ROLLOUT, "the columns of a are scanned inputs"),
        ("jit-body", "jit_body", "example", _ROLLOUT, "carry, with its body wrapped in jit"),
        ("swapped", "swapped", "example", _ROLLOUT, "lambda with dtau and damp exchanged: another program"),
    ),
)
_family(
    "sum",
    "sum",
    (
        ("sum-scan", "sum_scan", "example", "i32[10]", "the sum of an array by scan"),
        ("sum-fori", "sum_fori", "example", "i32[10]", "the sum of an array by fori_loop"),
        ("sum-while", "sum_while", "example", "i32[10]", "the sum of an array by while_loop"),
        ("sum-python", "sum_python", "example", "i32[10]", "the sum of an array by a Python loop, unrolled"),
    ),
)
_family(
    "factorial",
    "factorial",
    (
        ("factorial-scan", "factorial_scan", "example", "i32[5]", "the product of an array by scan"),
        ("factorial-fori", "factorial_fori", "example", "i32[5]", "the product of an array by fori_loop"),
        ("factorial-python", "factorial_python", "example", "i32[5]", "the product of an array by a Python loop"),
    ),
)
_family(
    "fibonacci",
    "fibonacci",
    (
        ("fibonacci-scan", "fibonacci_scan", "example", "i32[], i32[]", "ten terms stacked by scan"),
        ("fibonacci-fori", "fibonacci_fori", "example", "i32[], i32[]", "ten terms written to an output buffer"),
        ("fibonacci-python", "fibonacci_python", "example", "i32[], i32[]", "ten terms by a Python loop, unrolled"),
        ("fibonacci-vmap", "fibonacci_vmap", "many", "i32[4], i32[4]", "fibonacci-scan vmapped over several starts"),
        ("fibonacci-jit", "fibonacci_jit", "", "", "jitted already, with options of its own; takes no argument"),
        ("fibonacci-xs-unused", "fibonacci_xs_unused", "example", "i32[], i32[]",
         "scans an arange it does not read, against length="),
    ),
)  # fmt: skip
