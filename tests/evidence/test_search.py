"""Inputs, shrinking, and the process that runs programs, each by itself."""

from __future__ import annotations

import io
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from scanir.evidence.inputs import inputs
from scanir.evidence.plan import Slot
from scanir.evidence.process import Runner, Stopped, TimedOut, _idle, end_idle
from scanir.evidence.shrink import TRIES, shrink

pytestmark = pytest.mark.compat

VECTOR = Slot("x", "f32", (4,), (("a", 0), ("b", 0)))
FIXED = Slot("y", "f32", (), (("a", 1),), fixed=np.float32(7))


def test_inputs_are_the_same_each_time() -> None:
    slots = (VECTOR, FIXED, Slot("k", "i32", (), (("b", 1),)))
    first, second = (list(inputs(slots, 9)) for _ in range(2))
    assert len(first) == 9
    for one, other in zip(first, second, strict=True):
        assert [value.tobytes() for value in one] == [value.tobytes() for value in other]
        assert [value.shape for value in one] == [(4,), (), ()]
        assert one[1] == 7


def test_a_scalar_meets_its_edges_in_order() -> None:
    some = [values[0] for values in inputs((Slot("x", "f32", (), (("a", 0),)),), 6)]
    assert (np.signbit(some[0]), some[0], some[1], np.isnan(some[3])) == (True, 0, np.inf, True)


def test_every_argument_meets_nan_alone() -> None:
    """One NaN would hide what the others do."""
    slots = (VECTOR, Slot("y", "f32", (4,), (("a", 1),)))
    for place in (0, 1):
        assert any(np.isnan(v[place]).any() and not np.isnan(v[1 - place]).any() for v in inputs(slots, 16))


def test_the_example_comes_first_and_nothing_twice() -> None:
    example = Slot("x", "i32", (), (("a", 0),), example=np.int32(3))
    assert next(inputs((example,), 1)) == [3]
    assert len(list(inputs((FIXED,), 16))) == 1
    assert len(list(inputs((), 16))) == 1


def test_shrinking() -> None:
    """Differs while element 2 is above a half: of all others nothing is left, and of that one the plainest value."""
    tried = []

    def differ(values: list[Any]) -> str | None:
        tried.append(values)
        return "differs" if values[0][2] > 0.5 else None

    start = [np.array([5.5, -3.25, 7.75, np.nan], np.float32), np.float32(7)]
    values, seen = shrink((VECTOR, FIXED), start, "first", differ)
    assert (values[0].tolist(), float(values[1]), seen) == ([0, 0, 1, 0], 7, "differs")
    assert len(tried) <= TRIES


def test_shrinking_may_find_nothing_smaller() -> None:
    start = [np.arange(4, dtype=np.float32)]
    assert shrink((VECTOR,), start, "first", lambda _: None) == (start, "first")


# -- the process -------------------------------------------------------------------------------------------------------


def module(f: Any, *args: Any) -> bytes:
    buffer = io.BytesIO()
    jax.jit(f).lower(*args).compiler_ir("stablehlo").operation.write_bytecode(buffer)
    return buffer.getvalue()


N = np.int32(1)


def test_values_of_all_types_come_back() -> None:
    values = [
        np.array([True, False]), np.array([-0.0, np.nan], np.float32), np.array([1 + 2j, -1j], np.complex64),
        np.array([[-1, 2**31 - 1]], np.int32), np.zeros((0, 2), np.float32), np.array(3, jnp.bfloat16),
        np.array([1, -2], jnp.float8_e4m3fn), np.array([200], np.uint8),
    ]  # fmt: skip
    with Runner({"a": module(lambda *args: args, *values)}) as runner:
        for found in (runner.interpret("a", values, 20), runner.compiled("a", values, 60)):
            assert [value.dtype for value in found] == [value.dtype for value in values]
            assert [value.tobytes() for value in found] == [value.tobytes() for value in values]


def test_what_ends_the_process_is_told_and_the_next_request_is_served() -> None:
    sources = {
        "zero": module(lax.div, N, N),
        "missing": module(lambda x: lax.top_k(x, 1), np.ones(2, np.float32)),
        "endless": module(lambda x: lax.while_loop(lambda c: c == c, lambda c: c + 1, x), N),
    }
    with Runner(sources) as runner:
        with pytest.raises(Stopped, match="integer division by zero"):
            runner.interpret("zero", [N, np.int32(0)], 20)
        assert runner.interpret("zero", [np.int32(7), np.int32(2)], 20) == [3]
        with pytest.raises(Stopped, match=r"has no chlo\.top_k"):
            runner.interpret("missing", [np.ones(2, np.float32)], 20)
        with pytest.raises(TimedOut):
            runner.interpret("endless", [N], 0.3)
        assert runner.interpret("zero", [np.int32(7), np.int32(2)], 20) == [3]


def test_a_module_that_cannot_be_read() -> None:
    with Runner({"a": b"nonsense"}) as runner, pytest.raises(Stopped, match="MLIR cannot read this"):
        runner.interpret("a", [], 20)


def test_no_process_outlives_its_use() -> None:
    """One that is well waits for the next pair; an exception such as Ctrl-C ends it."""
    end_idle()
    source = {"a": module(lax.neg, N)}
    runner = Runner(source)
    runner.interpret("a", [N], 20)
    assert runner._process is not None
    popen = runner._process._popen
    runner.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert popen.poll() is not None
    assert _idle == []
    with Runner(source) as runner:
        runner.interpret("a", [N], 20)
    (waiting,) = _idle
    end_idle()
    assert waiting._popen.poll() is not None
