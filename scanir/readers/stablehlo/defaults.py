"""Attributes whose absence StableHLO defines: ``is_stable = false`` and no ``is_stable`` are one program.

Promises to leave out an attribute only where the op's definition says that its absence means exactly this value.
Printing, bytecode and portable artifacts each drop and add them as they like.
"""

from __future__ import annotations

from collections.abc import Callable

from scanir.ir.attrs import Array, Attr, Bool, Int, Opaque, Record, Seq, Text

_Test = Callable[[Attr], bool]


def _is(value: Attr) -> _Test:
    return lambda attr: attr == value


def _all(item: Attr, tag: Opaque | None = None) -> _Test:
    """A list of nothing but ``item``, one a dimension or operand."""
    head = () if tag is None else (tag,)

    def test(attr: Attr) -> bool:
        return isinstance(attr, Seq) and attr.items[: len(head)] == head and set(attr.items[len(head) :]) <= {item}

    return test


def _zeros(attr: Attr) -> bool:
    return isinstance(attr, Array) and not attr.data.strip(b"\0")


def _as(tag: str, *items: Attr) -> Seq:
    return Seq((Opaque("as", tag), *items))


_NO, _EMPTY = _is(Bool(False)), _is(_as("list"))
_ONES = _all(Int(1))
_FORWARD = _all(Bool(False), Opaque("as", "array<i1>"))
_PRECISION = {"precision_config": _all(Opaque("mlir", "#stablehlo<precision DEFAULT>"))}
_WINDOW = {"window_strides": _ONES, "padding": _zeros}
_CONVOLUTION = {**_WINDOW, **_PRECISION, "lhs_dilation": _ONES, "rhs_dilation": _ONES, "window_reversal": _FORWARD}

#: Op -> attribute -> whether a value is what its absence means.
DEFAULTS: dict[str, dict[str, _Test]] = {
    "stablehlo.cholesky": {"lower": _NO},
    "stablehlo.composite": {
        "composite_attributes": _is(Record(())),
        "has_side_effect": _NO,
        "version": _is(_as("i32", Int(0))),
    },
    "stablehlo.convolution": _CONVOLUTION,
    "stablehlo.custom_call": {
        "api_version": _is(_as("i32", Int(1))),
        "called_computations": _EMPTY,
        "has_side_effect": _NO,
        "output_operand_aliases": _EMPTY,
    },
    "stablehlo.dot": _PRECISION,
    "stablehlo.dot_general": _PRECISION,
    "stablehlo.dynamic_conv": _CONVOLUTION,
    "stablehlo.dynamic_gather": {"indices_are_sorted": _NO},
    "stablehlo.gather": {"indices_are_sorted": _NO},
    "stablehlo.infeed": {"infeed_config": _is(Text(""))},
    "stablehlo.outfeed": {"outfeed_config": _is(Text(""))},
    "stablehlo.recv": {"is_host_transfer": _NO},
    "stablehlo.reduce_window": {**_WINDOW, "base_dilations": _ONES, "window_dilations": _ONES},
    "stablehlo.scatter": {"indices_are_sorted": _NO, "unique_indices": _NO},
    "stablehlo.select_and_scatter": _WINDOW,
    "stablehlo.send": {"is_host_transfer": _NO},
    "stablehlo.sort": {"is_stable": _NO, "dimension": _is(Int(-1))},
}


def without_defaults(op: str, fields: dict[str, Attr]) -> dict[str, Attr]:
    """The attributes of an op but for those that say what their absence says."""
    tests = DEFAULTS.get(op)
    if tests is None:
        return fields
    return {name: attr for name, attr in fields.items() if name not in tests or not tests[name](attr)}
