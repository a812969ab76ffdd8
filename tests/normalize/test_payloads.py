"""The address of a host call, as modules of JAX up to 0.5 hold it: noise where it is one, and nowhere else."""

from __future__ import annotations

import pytest

from scanir.compare.verdict import compare
from scanir.normalize.rules import DEFAULT
from scanir.program import Program
from scanir.result import Verdict
from tests.normalize.test_rules import program


def calls(address: int, said: int | None = None, target: str = "xla_python_cpu_callback") -> Program:
    bits = address.to_bytes(8, "little").hex()
    said = address if said is None else said
    return program(
        f"%p = constant() {{value = array(i64[], 0x{bits})}} : i64[]\n"
        f'%r = stablehlo.custom_call(%p, %x) {{backend_config = "{said}", call_target_name = "{target}"}} : f32[]\n'
        "return %r",
        dialect="stablehlo",
    )


def test_an_address_is_noise_where_the_functions_are_known() -> None:
    answer = compare(calls(1000), calls(2000), DEFAULT, settled=True)
    assert answer.verdict is Verdict.EQUIVALENT
    assert [use.rule for use in answer.modulo] == ["payload-noise"]
    assert compare(calls(1000), calls(2000), DEFAULT - {"payload-noise"}, settled=True).verdict is Verdict.DIFFERENT
    assert compare(calls(1000), calls(2000), DEFAULT).verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (calls(1000, said=1), calls(2000, said=1)),  # a number that is no address
        (calls(1000, target="mine"), calls(2000, target="mine")),  # a target that we do not know
    ],
)
def test_any_other_number_is_semantic(left: Program, right: Program) -> None:
    assert compare(left, right, DEFAULT, settled=True).verdict is Verdict.DIFFERENT
