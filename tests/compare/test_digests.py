"""Constants known by their digests: equal to what has the same digest, under an assumption, and to nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from scanir.artifact import Trace, print_trace, read_trace
from scanir.compare.digests import assumption, matched
from scanir.compare.verdict import compare
from scanir.ir.attrs import Array, Digest
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Module
from scanir.ir.types import TensorType
from scanir.ir.walk import ops_of
from scanir.normalize.rules import rule_set
from scanir.program import Argument, Interface, Program
from scanir.result import Verdict

VEC = TensorType("f32", (32,))


def program(*constants: Array | Digest, dialect: str = "jaxpr") -> Program:
    """x * c0 * c1 ..., the last of them inside a region."""
    main = RegionBuilder()
    x = main.param(VEC, "x")
    value = x
    for k, constant in enumerate(constants):
        body = RegionBuilder()
        (c,) = (body if k == 1 else main).op("constant", (), [VEC], {"value": constant})
        if k == 1:
            carry = body.param(VEC)
            (y,) = body.op("mul", [carry, c], [VEC])
            (value,) = main.op("custom_jvp_call", [value], [VEC], {}, [body.region([y])])
        else:
            (value,) = main.op("mul", [value, c], [VEC])
    module = Module(dialect, (Function("main", main.region([value])),), "main")
    return Program("jaxpr", module, Interface((Argument("x", VEC, 0),), (0,), ("",)))


def values(seed: int) -> Array:
    return Array("f32", (32,), np.random.default_rng(seed).random(32, np.float32).tobytes())


def by_digest(given: Program) -> Program:
    return read_trace(print_trace(Trace("t", "", (given,)), digests=True)).program("jaxpr")


def verdict(a: Program, b: Program) -> tuple[Verdict, int]:
    a, b, known = matched(a, b)
    return compare(a, b, rule_set()).verdict, known


WHOLE, OTHER = program(values(0), values(1)), program(values(0), values(2))


def test_a_constant_known_by_digest_is_written_and_read_as_such() -> None:
    found = [op.attribute("value") for f in by_digest(WHOLE).module.functions for op in ops_of(f.body)]
    assert [value for value in found if value is not None] == [Digest.of(values(0)), Digest.of(values(1))]


@pytest.mark.parametrize("sides", ["digest, value", "value, digest", "digest, digest"])
def test_equal_digests_are_equal_constants(sides: str) -> None:
    a, b = (by_digest(WHOLE) if side == "digest" else WHOLE for side in sides.split(", "))
    assert verdict(a, b) == (Verdict.IDENTICAL, 2)


@pytest.mark.parametrize("sides", ["digest, value", "value, digest", "digest, digest"])
def test_unlike_digests_are_unlike_constants(sides: str) -> None:
    a, b = (by_digest(p) if side == "digest" else p for side, p in zip(sides.split(", "), (WHOLE, OTHER), strict=True))
    assert verdict(a, b) == (Verdict.DIFFERENT, 1)


def test_equal_bits_of_another_type_are_another_constant() -> None:
    value = values(0)
    digest = Digest.of(Array("i32", (32,), value.data))
    assert verdict(program(value), program(Digest("f32", (4, 8), digest.sha256))) == (Verdict.DIFFERENT, 0)


def test_without_the_other_side_a_digest_is_no_value() -> None:
    """A constant of ones goes away as a value; nobody knows that of a digest."""
    ones = Array("f32", (32,), np.ones(32, np.float32).tobytes())
    assert verdict(by_digest(program(ones)), program()) == (Verdict.DIFFERENT, 0)


def test_zeros_of_either_sign_are_told_apart() -> None:
    zeros = np.zeros(32, np.float32)
    minus = zeros.copy()
    minus[3] = -0.0
    a, b = (program(Array("f32", (32,), x.tobytes())) for x in (zeros, minus))
    assert verdict(by_digest(a), b) == (Verdict.DIFFERENT, 0)


def test_the_assumption_says_how_many() -> None:
    assert assumption(1).startswith("digest: 1 constant is known by type and SHA-256 alone")
    assert assumption(2).startswith("digest: 2 constants are known")
