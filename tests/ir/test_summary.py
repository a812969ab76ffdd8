"""Summaries say what walking op by op says."""

from __future__ import annotations

from hypothesis import given

from scanir.ir.graph import Module
from scanir.ir.summary import mentions, summaries
from scanir.ir.walk import ops_of, symbols
from tests.ir.strategies import modules


@given(modules())
def test_summaries_are_what_the_ops_say(module: Module) -> None:
    known = summaries(module)
    everything = []
    for function in module.functions:
        ops = list(ops_of(function.body))
        everything += ops
        summary = known.of(function)
        assert summary.size == len(ops)
        assert summary.names == {op.name for op in ops}
        assert summary.regions == {id(region) for op in ops for region in op.regions}
        assert summary.mentions == tuple(name for op in ops for name in symbols(op.attributes))
    assert known.names == {op.name for op in everything}
    assert all(mentions(module).get(id(op), ()) == symbols(op.attributes) for op in everything)
    assert summaries(module) is known
