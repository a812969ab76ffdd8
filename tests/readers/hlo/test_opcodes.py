"""Every opcode of XLA, each read once; and what the tables say of them."""

from __future__ import annotations

import pytest

from scanir.ir.attrs import Attr, Symbol
from scanir.ir.graph import Op
from scanir.ir.verify import problems
from scanir.normalize.tables.hlo import COMMUTATIVE, DEVICE, OPCODES, PURE
from scanir.readers.hlo import read_hlo
from scanir.readers.hlo.syntax import REFERENCES

COMPUTATIONS = """
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = pred[] compare(a, b), direction=LT }
same { ROOT a = f32[4] parameter(0) }
stop { a = f32[4] parameter(0)  ROOT p = pred[] constant(false) }
"""

#: What is written behind an opcode that is not just ``opcode(x)``. x, y are f32[4], z f32[], p pred[], t token[].
WRITTEN = {
    "while": "(x), condition=stop, body=same",
    "conditional": "(p, x, x), true_computation=same, false_computation=same",
    "call": "(x), to_apply=same",
    "fusion": "(x), kind=kLoop, calls=same",
    "map": "(x, y), dimensions={0}, to_apply=add",
    "reduce": "(x, z), dimensions={0}, to_apply=add",
    "reduce-window": "(x, z), window={size=2}, to_apply=add",
    "scatter": "(x, x, x), update_window_dims={}, to_apply=add",
    "select-and-scatter": "(x, y, z), window={size=2}, select=less, scatter=add",
    "sort": "(x), dimensions={0}, to_apply=less",
    "scan": "(x, z), num_carries=1, to_apply=add",
    "all-reduce": "(x), channel_id=1, replica_groups={{0,1}}, to_apply=add",
    "all-reduce-start": "(x), channel_id=1, replica_groups=[1,2]<=[2], to_apply=add",
    "reduce-scatter": "(x), dimensions={0}, to_apply=add",
    "collective-reduce": "(x), to_apply=add",
    "async-start": "(x), calls=same",
    "custom-call": '(x), custom_call_target="f", called_computations={add}',
    "parameter": "(2)",
    "constant": "({1, 2, 3, 4})",
    "iota": "(), iota_dimension=0",
    "partition-id": "()",
    "replica-id": "()",
    "rng-get-and-update-state": "(), delta=1",
    "infeed": '(t), infeed_config="x"',
    "outfeed": "(x, t), outfeed_shape=f32[4]{0}",
    "send": "(x, t), channel_id=3, is_host_transfer=true",
    "after-all": "(t, t)",
    "get-tuple-element": "(u), index=1",
    "compare": "(x, y), direction=EQ, type=TOTALORDER",
    "convolution": "(x, y), window={size=1}, dim_labels=b0f_0io->b0f",
    "dot": "(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}, operand_precision={highest,default}",
    "gather": "(x, y), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, slice_sizes={1}",
    "domain": '(x), domain={kind="sharding", entry={replicated}, exit={maximal device=0}}',
    "slice": "(x), slice={[0:4]}",
    "pad": "(x, z), padding=0_0",
}


def read(opcode: str) -> Op:
    written = WRITTEN.get(opcode, "(x)")
    text = f"""HloModule m
{COMPUTATIONS}
ENTRY e {{
  x = f32[4] parameter(0)  y = f32[4] parameter(1)
  z = f32[] constant(0)  p = pred[] constant(true)  t = token[] after-all()  u = (f32[4], f32[4]) tuple(x, y)
  ROOT %r = f32[4]{{0}} {opcode}{written}, metadata={{op_name="o" source_file="f.py" source_line=3}}
}}"""
    module = read_hlo(text)
    # The rules for scan are those of a jaxpr's; HLO's own opcode of that name is a plain op.
    assert opcode == "scan" or problems(module) == ()
    if opcode == "parameter":
        assert module.function("e").body.params[2].name == "r"
        return Op("parameter", (), (), (), (), (), None)
    return module.function("e").body.ops[-1]


def references(attr: Attr | None) -> int:
    return int(isinstance(attr, Symbol))


def test_every_opcode_is_read() -> None:
    read_ones = {read(opcode).name for opcode in OPCODES}
    assert read_ones == OPCODES
    assert len(read_ones) == 136


@pytest.mark.parametrize("opcode", sorted(WRITTEN))
def test_each_reference_is_resolved(opcode: str) -> None:
    written = WRITTEN[opcode]
    expected = sum(f" {key}=" in written for key in REFERENCES)
    op = read(opcode)
    assert len(op.regions) + references(op.attribute("callee")) == expected
    assert not any(key in REFERENCES for key, _ in op.attributes)


def test_the_tables_speak_of_opcodes() -> None:
    assert OPCODES >= PURE | COMMUTATIVE | DEVICE
    assert PURE >= COMMUTATIVE
    assert not PURE & DEVICE


def test_effects_and_what_is_structured_is_not_pure() -> None:
    effects = {opcode for opcode in OPCODES if opcode.startswith(("all-", "collective-", "async-", "send", "recv"))}
    effects |= {"rng", "rng-get-and-update-state", "custom-call", "infeed", "outfeed", "reduce-scatter", "opt-barrier",
                "ragged-all-to-all", "domain", "add-dependency", "partition-id", "replica-id", "while", "conditional",
                "call", "fusion", "parameter", "scan", "shuffle"}  # fmt: skip
    assert effects == OPCODES - PURE
