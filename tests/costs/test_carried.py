"""Which carries the copies of a loop are of: on compiled programs, and in HLO written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax

import scanir
from scanir.costs.carried import carried_copies
from scanir.ir.graph import Module, Op
from scanir.ir.structure import LoopView, view
from scanir.ir.walk import ops_of
from scanir.readers.hlo import read_hlo

BODY = """HloModule m

yes { t.1 = (f32[8]) parameter(0)
  ROOT y = f32[8] get-tuple-element(t.1), index=0 }

no { t.2 = (f32[8]) parameter(0)
  n.1 = f32[8] get-tuple-element(t.2), index=0
  ROOT n = f32[8] negate(n.1) }

body {
  s = (s32[], f32[8], f32[8], f32[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[8] get-tuple-element(s), index=1
  w = f32[8] get-tuple-element(s), index=2
  c = f32[4] get-tuple-element(s), index=3
  one = s32[] constant(1)
  next = s32[] add(i, one)
  p = pred[] compare(i, one), direction=LT
  tw = (f32[8]) tuple(w)
  branch = f32[8] conditional(p, tw, tw), true_computation=yes, false_computation=no,
    metadata={source_file="m.py" source_line=7}
  %(copies)s
  ROOT r = (s32[], f32[8], f32[8], f32[4]) tuple(next, %(results)s)
}

cond {
  q = (s32[], f32[8], f32[8], f32[4]) parameter(0)
  k = s32[] get-tuple-element(q), index=0
  ten = s32[] constant(10)
  ROOT less = pred[] compare(k, ten), direction=LT
}

ENTRY main {
  z = s32[] constant(0)
  a = f32[8] parameter(0)
  b = f32[8] parameter(1)
  d = f32[4] parameter(2)
  t = (s32[], f32[8], f32[8], f32[4]) tuple(z, a, b, d)
  ROOT loop = (s32[], f32[8], f32[8], f32[4]) while(t), condition=cond, body=body,
    metadata={source_file="m.py" source_line=3}
}
"""


def the_loop(module: Module) -> Op:
    return next(op for f in module.functions for op in ops_of(f.body) if isinstance(view(op), LoopView))


def copies(text: str, results: str) -> list[tuple[int | None, str, int | None, int, int]]:
    module = read_hlo(BODY % {"copies": text, "results": results})
    found = carried_copies(the_loop(module), {f.name: f for f in module.functions})
    return [(c.slot, c.type, c.bytes, c.count, c.line.line if c.line else 0) for c in found]


@pytest.mark.parametrize(
    ("text", "results", "found"),
    [
        ("", "x, w, c", []),
        ("e = f32[8] copy(x)", "e, w, c", [(1, "f32[8]", 32, 1, 3)]),
        ("e = f32[8] copy(x)\n f = f32[8] copy(w)", "f, e, c", [(1, "f32[8]", 32, 1, 3), (2, "f32[8]", 32, 1, 3)]),
        # Through a branch that hands it on, with the line of the branch.
        ("e = f32[8] copy(branch)", "x, e, c", [(2, "f32[8]", 32, 1, 7)]),
        # Of a computed value: the carry that it becomes.
        ("g = f32[4] negate(c)\n e = f32[4] copy(g)", "x, w, e", [(3, "f32[4]", 16, 1, 3)]),
        ("g = f32[4] negate(c)\n e = f32[4] copy(g)\n h = f32[4] copy(e)", "x, w, h", [(3, "f32[4]", 16, 2, 3)]),
        # Of nothing that the loop carries.
        ("g = f32[4] negate(c)\n e = f32[4] copy(g)\n h = f32[4] sine(e)", "x, w, h", [(None, "f32[4]", 16, 1, 3)]),
        # Its own line where it has one; two of one carry are one entry.
        (
            'e = f32[8] copy(x), metadata={source_file="m.py" source_line=9}\n f = f32[8] copy(x)\n h = f32[8] copy(x)',
            "x, w, c",
            [(1, "f32[8]", 32, 2, 3), (1, "f32[8]", 32, 1, 9)],
        ),
    ],
)
def test_by_hand(text: str, results: str, found: list[Any]) -> None:
    assert copies(text, results) == found


def test_what_is_no_loop_has_none() -> None:
    module = read_hlo(BODY % {"copies": "", "results": "x, w, c"})
    other = next(op for f in module.functions for op in ops_of(f.body) if op.name == "tuple")
    assert carried_copies(other, {}) == ()


def closed_over(x: Any, w: Any, p: Any) -> Any:
    def body(c: Any, i: Any) -> Any:
        c = c + w[0] * i
        return c, c.sum()

    return lax.scan(body, x, jnp.arange(20.0))


def through_a_branch(x: Any, w: Any, p: Any) -> Any:
    def body(carry: Any, i: Any) -> Any:
        c, v = carry
        v = lax.cond(p, lambda v: v, lambda v: v * 2, v)
        c = c + v[0] * i
        return (c, v), c.sum()

    (c, _), ys = lax.scan(body, (x, w), jnp.arange(20.0))
    return c, ys


@pytest.mark.compat
def test_a_carry_through_a_branch_is_named_with_its_bytes_and_line() -> None:
    types = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((256,), (1024,))]
    found = scanir.diff(closed_over, through_a_branch, *types, jax.ShapeDtypeStruct((), jnp.bool_), stage="hlo")
    (loop,) = found.loops
    assert loop.left is not None
    assert loop.right is not None
    assert not [fact for fact in loop.left.copy_facts if fact.type == "f32[1024]"]
    if jax.__version_info__ >= (0, 12):  # its XLA makes one copy of w, before the loop, and none in a trip
        text = jax.jit(through_a_branch).lower(*types, jax.ShapeDtypeStruct((), jnp.bool_)).compile().as_text()
        assert text is not None
        assert text.count("= f32[1024]{0} copy(") == 1
        assert [fact.type for fact in loop.right.copy_facts] == ["i32[]"]
        return
    fact = loop.right.copy_facts[0]
    line = through_a_branch.__code__.co_firstlineno + 3
    assert (fact.start, fact.type, fact.bytes, fact.line) == ("w", "f32[1024]", 4096, line)
    assert Path(fact.file).name == "test_carried.py"
    # What a trip costs, and what the programs do.
    assert loop.left.trip is not None
    assert loop.right.trip is not None
    assert loop.right.trip.copied_bytes >= loop.left.trip.copied_bytes + 4096
    costs = found.stages[0].costs
    assert costs is not None
    assert costs[1].total.copied_bytes - costs[0].total.copied_bytes >= 20 * 4096
    assert {"argument", "output", "temp"} <= set(dict(costs[0].sizes))
    text = str(found)
    assert f"carry {fact.slot} w: f32[1024]" in text
    assert f"test_carried.py:{line}" in text
    assert "bytes copied" in text
