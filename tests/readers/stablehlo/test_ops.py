"""Every op that JAX can emit is read in full: counted, one text each or a written reason."""

# ruff: noqa: E501

from __future__ import annotations

import inspect
import re

import pytest

from scanir.ir.attrs import Array, Int, Opaque, Symbol
from scanir.ir.graph import Module, Op
from scanir.ir.verify import verify
from scanir.ir.walk import ops_of
from scanir.normalize.tables import stablehlo as tables
from scanir.readers.stablehlo import read_stablehlo
from scanir.readers.stablehlo.defaults import DEFAULTS
from tests.readers.stablehlo import op_texts as texts


def text_of(name: str) -> str:
    statement = texts.STATEMENTS[name]
    count = 1
    result = statement.rsplit(" -> ", 1)[-1] if " -> " in statement else ""
    if result.startswith("("):
        count = result.count("tensor<") + result.count("!stablehlo.token")
    return f"""
    module {{
      sdy.mesh @mesh = <["x"=2, "y"=2]>
      func.func public @main({texts.ARGUMENTS}) {{
        {texts.NEEDS.get(name, "")}
        %result{f":{count}" if count > 1 else ""} = {statement}
        return
      }}
      func.func private @helper(%a: tensor<4xf32>) -> tensor<4xf32> {{ return %a : tensor<4xf32> }}
    }}"""


def find(module: Module, name: str) -> Op:
    wanted = "constant" if name == "stablehlo.constant" else name
    return [op for op in ops_of(module.function("main").body) if op.name == wanted][-1]


def test_every_op_has_a_text_or_a_reason() -> None:
    covered = texts.STATEMENTS.keys() | texts.REASONS.keys()
    assert covered == tables.OPS
    assert not texts.STATEMENTS.keys() & texts.REASONS.keys()
    assert len(texts.STATEMENTS) == len(tables.OPS) - 15


@pytest.mark.parametrize("name", sorted(texts.STATEMENTS))
def test_read(name: str) -> None:
    module = read_stablehlo(text_of(name), name=name)
    verify(module)
    op = find(module, name)
    head, _, types = texts.STATEMENTS[name].rpartition(" : ")
    assert op.results
    # Each attribute that the text spells out in generic form is there, and no other text of the op is lost: the
    # regions.
    for attribute in re.findall(r"[{,] ?(\w+) = ", re.sub(r"\(\{.*?\}\)|<[^{}]*>", "", head)):
        if head.startswith('"') and "composite_attributes" not in head and "backend_config" not in head:
            assert op.attribute(attribute) is not None or attribute in DEFAULTS[name], attribute
    assert len(op.regions) == head.count("stablehlo.return") + head.count("sdy.return")
    assert types


def test_sharding_group() -> None:
    source = "func.func @main(%a: tensor<4xf32>) { sdy.sharding_group %a group_id=21 : tensor<4xf32> return }"
    (op,) = read_stablehlo(source).function("main").body.ops
    assert (op.name, op.attribute("group_id")) == ("sdy.sharding_group", Int(21))


def test_attributes_of_some_ops() -> None:
    compare = find(read_stablehlo(text_of("stablehlo.compare")), "stablehlo.compare")
    assert compare.attribute("comparison_direction") == Opaque("mlir", "#stablehlo<comparison_direction LT>")
    composite = find(read_stablehlo(text_of("stablehlo.composite")), "stablehlo.composite")
    assert composite.attribute("decomposition") == Symbol("helper")
    call = find(read_stablehlo(text_of("func.call")), "func.call")
    assert call.attribute("callee") == Symbol("helper")
    groups = find(read_stablehlo(text_of("stablehlo.all_reduce")), "stablehlo.all_reduce").attribute("replica_groups")
    assert groups == Array("i64", (1, 2), b"".join(n.to_bytes(8, "little") for n in (0, 1)))


def test_tables_are_of_ops() -> None:
    for table in (tables.PURE, tables.COMMUTATIVE, tables.DEVICE, tables.OPAQUE):
        assert table <= tables.OPS
    assert tables.COMMUTATIVE <= tables.PURE
    assert not tables.PURE & tables.DEVICE
    effects = ("rng", "custom_call", "composite", "infeed", "outfeed", "send", "recv", "optimization_barrier", "all_reduce",
               "all_gather", "all_to_all", "reduce_scatter", "collective_permute", "collective_broadcast")  # fmt: skip
    assert not {f"stablehlo.{name}" for name in effects} & (tables.PURE | tables.OPAQUE)


def test_table_holds_every_op_of_the_bindings() -> None:
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo

    for dialect in (stablehlo, chlo, sdy):
        classes = [value for _, value in inspect.getmembers(dialect, inspect.isclass)]
        names = {value.OPERATION_NAME for value in classes if hasattr(value, "OPERATION_NAME")}
        known = {name for name in names if name.split(".")[0] in ("stablehlo", "chlo", "sdy")}
        assert len(known) >= 18
        assert known <= tables.OPS
