"""Host functions of lowered modules: certified where the jaxprs say which they are, and for these functions only."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import scanir
from scanir.certify.produce import BeyondModules, LoopsAlone, checked
from scanir.checker.hosts import ONE, SAME, how
from scanir.compare.verdict import compare
from scanir.normalize.rules import DEFAULT
from scanir.program import Program
from scanir.result import Verdict
from tests.normalize.test_payloads import calls
from tests.normalize.test_rules import program

pytestmark = pytest.mark.compat

X = jax.ShapeDtypeStruct((), jnp.float32)


def first(x: Any) -> Any:
    return np.sin(x)


def second(x: Any) -> Any:
    return np.cos(x)


def host(*functions: Callable[[Any], Any], more: bool = False) -> Callable[[Any], Any]:
    """A program that calls host functions one after the other, and with ``more`` does what nobody reads."""

    def run(x: Any) -> Any:
        if more:
            jax.lax.cond(x < 1, lambda y: y, lambda y: y, x)
        for function in functions:
            x = jax.pure_callback(function, X, x) + 1.0
        return x

    return run


def certificate(a: Any, b: Any) -> Any:
    return scanir.diff(a, b, X, stage="stablehlo").certificate()


def test_one_call() -> None:
    a, b = host(first), host(first)
    found = certificate(a, b)
    assert (found["stages"][0]["host"], found["stages"][0]["jaxprs"]) == (ONE, [])
    found["stages"][0]["a"]["arguments"] = found["stages"][0]["b"]["arguments"] = "f32[]"
    assert scanir.verify(found, a, b)
    refused = scanir.verify(found, a, host(second))  # the module is the same to a byte
    assert (refused.accepted, refused.obligation) == (False, "O1")


def test_several_calls_take_identical_jaxprs() -> None:
    a, b = host(first, second), host(first, second)
    found = certificate(a, b)
    stage = found["stages"][0]
    assert stage["host"] == SAME
    assert len(stage["jaxprs"]) == 1
    stage["a"]["arguments"] = stage["b"]["arguments"] = "f32[]"
    assert scanir.verify(found, a, b)
    for other in (host(second, first), host(first, first)):
        assert not scanir.verify(found, a, other)


def test_every_change_of_what_settles_is_rejected() -> None:
    for functions in ((first,), (first, second)):
        a, b = host(*functions), host(*functions)
        found = certificate(a, b)
        stage = found["stages"][0]
        stage["a"]["arguments"] = stage["b"]["arguments"] = "f32[]"
        changes: list[tuple[str, Any]] = [
            ("host", other) for other in ("", ONE, SAME, "jaxprs") if other != stage["host"]
        ]
        changes += [("jaxprs", [*stage["jaxprs"], []]), ("jaxprs", [[0]])]
        for k in range(len(stage["jaxprs"][0]) if stage["jaxprs"] else 0):
            row = list(stage["jaxprs"][0])
            row[k] += 1
            changes.append(("jaxprs", [row]))
        for key, value in changes:
            changed = deepcopy(found)
            changed["stages"][0][key] = value
            assert not scanir.verify(changed, a, b), (key, value)


def test_nothing_is_settled_that_no_module_asks_for() -> None:
    found = certificate(jnp.sin, jnp.sin)
    found["stages"][0]["a"]["arguments"] = found["stages"][0]["b"]["arguments"] = "f32[]"
    assert scanir.verify(found, jnp.sin, jnp.sin)
    found["stages"][0]["host"] = ONE
    assert not scanir.verify(found, jnp.sin, jnp.sin)


def test_a_file_has_no_jaxpr(tmp_path: Path) -> None:
    a = host(first)
    path = tmp_path / "a.mlir"
    path.write_text(jax.jit(a).lower(X).as_text())
    assert scanir.diff(str(path), str(path)).verdict is Verdict.INCONCLUSIVE
    found = certificate(a, a)
    found["stages"][0]["a"]["arguments"] = found["stages"][0]["b"]["arguments"] = "f32[]"
    refused = scanir.verify(found, a, str(path))
    assert (refused.accepted, refused.obligation) == (False, "O1")


def test_what_is_hidden_is_no_one_call() -> None:
    def calling(what: str) -> Program:
        return program(f"%r = pure_callback(%x) {{callback = {what}}} : f32[]\nreturn %r")

    assert how((calling("1"), calling("1"))) == ONE
    assert how((calling("1"), calling("2"))) == SAME
    assert how((program("return %x"), program("return %x"))) == SAME  # nothing says what the modules call
    for what in ('hidden("callback", "x", "y")', 'callable("f", "aaaa")'):  # functions of another process are nobody's
        assert how((calling(what), calling(what))) == SAME


def test_the_checker_is_asked_of_settled_rows() -> None:
    assert scanir.diff(host(first), host(first, more=True), X, stage="all").confirm() == ()


# -- what has no certificate
# --------------------------------------------------------------------------------------------


def test_an_address_that_is_set_aside_has_none() -> None:
    jaxprs = (program("%r = pure_callback(%x) : f32[]\nreturn %r"),) * 2
    answer = compare(calls(1000), calls(2000), DEFAULT, settled=True)
    with pytest.raises(BeyondModules, match="the address of a host call"):
        checked(calls(1000), calls(2000), answer, jaxprs=(jaxprs[0], jaxprs[1]))
    same = compare(calls(1000), calls(1000), DEFAULT, settled=True)
    assert checked(calls(1000), calls(1000), same, jaxprs=(jaxprs[0], jaxprs[1])).verdict == "IDENTICAL"
    with pytest.raises(BeyondModules, match="by number only"):
        checked(calls(1000), calls(1000), same)


def test_loops_alone_have_none() -> None:
    def looped(more: float) -> Callable[[Any], Any]:
        return lambda x: jax.lax.fori_loop(0, 3, lambda _, c: jnp.sin(c), x) + more

    answer = scanir.diff(looped(1.0), looped(2.0), X, stage="jaxpr", scope="loops")
    assert answer.verdict is Verdict.EQUIVALENT
    with pytest.raises(LoopsAlone, match="about loops alone"):
        answer.certificate()
    assert answer.confirm() == ("jaxpr: the checker was not asked: the answer is about loops alone",)
