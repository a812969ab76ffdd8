"""Keys of ops that do not depend on the attempt are kept, and are what they would be without that."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scanir.ir.graph import Module
from scanir.ir.walk import ops_of
from scanir.normalize.erase import Eraser, FixedKeys
from scanir.normalize.rules import RULES
from tests.ir.strategies import modules


class _None(FixedKeys):
    def __init__(self) -> None:
        super().__init__("", frozenset())

    def of(self, op: object) -> None:
        return None


@given(modules(), st.lists(st.sampled_from([*RULES]), max_size=6), st.booleans())
def test_kept_keys_are_the_keys(module: Module, rules: list[str], guess: bool) -> None:
    erasers = [Eraser(module, "a", frozenset(rules), guess=guess, settled=False) for _ in range(3)]
    erasers[0]._fixed = _None()
    for function in module.functions:
        for op in ops_of(function.body):
            keys = [eraser.attributes(op) for eraser in erasers]
            assert keys[0] == keys[1] == keys[2]
            assert [type(value) for _, value in keys[0]] == [type(value) for _, value in keys[1]]
    assert erasers[0].touched == erasers[1].touched == erasers[2].touched
    assert erasers[0].hidden == erasers[1].hidden == erasers[2].hidden
