"""An attribute left out is one that holds its default: printing, bytecode and portable artifacts agree."""

from __future__ import annotations

import re

import pytest

from scanir._compat_mlir import mlir_ir, new_context
from scanir.readers.stablehlo import read_stablehlo
from scanir.readers.stablehlo.defaults import DEFAULTS, without_defaults
from tests.readers.stablehlo import op_texts as texts
from tests.readers.stablehlo.test_ops import find, text_of
from tests.readers.stablehlo.test_structure import shape

#: An artifact keeps the number of a channel and not its type, which the collectives have beside it.
CHANNELS = re.compile(r"type = 1>")
OPS = [
    name
    for name, statement in sorted(texts.STATEMENTS.items())
    if name.startswith("stablehlo.") and not CHANNELS.search(statement)
]


def test_ops() -> None:
    assert len(OPS) >= 100
    assert len(DEFAULTS.keys() & set(OPS)) == len(DEFAULTS)


@pytest.mark.compat
@pytest.mark.parametrize("name", OPS)
def test_an_artifact_is_the_same_module(name: str) -> None:
    from jaxlib.mlir.dialects import stablehlo

    source = text_of(name).replace('sdy.mesh @mesh = <["x"=2, "y"=2]>', "")
    module = mlir_ir().Module.parse(source, new_context())
    artifact = stablehlo.serialize_portable_artifact(module, stablehlo.get_current_version())
    assert shape(read_stablehlo(artifact)) == shape(read_stablehlo(source))


@pytest.mark.parametrize(
    ("name", "default", "other"),
    [
        ("stablehlo.sort", "is_stable = false", "is_stable = true"),
        ("stablehlo.reduce_window", "window_strides = array<i64: 1>", "window_strides = array<i64: 2>"),
        (
            "stablehlo.reduce_window",
            "padding = dense<0> : tensor<1x2xi64>",
            "padding = dense<[[0, 1]]> : tensor<1x2xi64>",
        ),
        ("stablehlo.custom_call", "has_side_effect = false", "has_side_effect = true"),
        ("stablehlo.custom_call", "called_computations = []", "called_computations = [@helper]"),
    ],
)
def test_only_the_default_is_left_out(name: str, default: str, other: str) -> None:
    def attribute(assignment: str, result: str) -> object:
        head, _, tail = text_of(name).replace(", is_stable = true", "").rpartition("} : (")
        source = f"{head}, {assignment}}} : ({tail}".replace("tensor<3xf32>", result)
        return find(read_stablehlo(source), name).attribute(assignment.split()[0])

    assert attribute(default, "tensor<3xf32>") is None
    assert attribute(other, "tensor<2xf32>" if "strides" in other else "tensor<4xf32>") is not None


def test_other_ops_keep_everything() -> None:
    from scanir.ir.attrs import Bool

    fields = {"is_stable": Bool(False)}
    assert without_defaults("my.op", fields) == fields
    assert without_defaults("stablehlo.sort", fields) == {}
