"""Tracing a target: what the tracer is given, and what a person is told when it fails."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from scanir.errors import TraceError
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Module
from scanir.program import Interface, Program
from scanir.targets import Arguments, Target, resolve
from scanir.targets.specs import written

EMPTY = Module("jaxpr", (Function("main", RegionBuilder().region(())),), "main")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Stands for `scanir.tracers`: keeps the calls; calls a function named ``late``, fails for one named ``bad``."""
    made: list[Any] = []

    def trace(function: Any, args: Any, kwargs: Any, stages: tuple[str, ...], options: Any) -> dict[str, Program]:
        made.append((function, args, kwargs))
        name = getattr(function, "__name__", "")
        if name == "bad":
            raise TraceError("incompatible shapes", where="mine.py:3")
        if name == "late":
            made.append(function(*args))
        return {stage: Program(stage, EMPTY, Interface((), ())) for stage in stages}

    fake = ModuleType("scanir.tracers")
    fake.trace = trace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "scanir.tracers", fake)
    return made


def bad(x: Any, y: Any) -> Any:
    return x + y


def good(x: Any) -> Any:
    return x


def test_every_stage_gets_the_label(calls: list[Any]) -> None:
    programs = Target(good, (1.0,), label="mine").trace(("jaxpr", "hlo"))
    assert {stage: (program.stage, program.label) for stage, program in programs.items()} == {
        "jaxpr": ("jaxpr", "mine"),
        "hlo": ("hlo", "mine"),
    }
    assert calls == [(good, (1.0,), {})]


def test_what_is_jitted_goes_as_it_is(calls: list[Any]) -> None:
    jitted = jax.jit(good, donate_argnums=0)
    Target(jitted, (1.0,)).trace(("jaxpr",))
    traced = jitted.trace(jnp.zeros(2))
    Target(traced).trace(("jaxpr",), Arguments((1, 2, 3)))
    assert calls == [(jitted, (1.0,), {}), (traced, (), {})]


def test_an_error_says_what_was_called_with_what(calls: list[Any]) -> None:
    given = Arguments((jax.ShapeDtypeStruct((3,), jnp.float32),), {"y": 0.5})
    with pytest.raises(TraceError) as caught:
        Target(bad).trace(("jaxpr",), given)
    assert str(caught.value).splitlines() == [
        "incompatible shapes",
        "  where: mine.py:3, in bad(x, y) given f32[3], y=0.5",
        "  hint:  for other arguments: --args 'f32[3], f32[2,100]', in Python scanir.Arguments.parse('f32[3], "
        "f32[2,100]')",
    ]


def test_a_function_that_ends_the_process(calls: list[Any]) -> None:
    def late(code: int) -> None:
        sys.exit(code)

    with pytest.raises(TraceError, match="ends the process"):
        Target(late, (3,)).trace(("jaxpr",))


def test_an_error_of_a_staged_object_says_which() -> None:
    lowered = jax.jit(good).lower(1.0)
    with pytest.raises(TraceError) as caught:
        Target(lowered, label="mine").trace(("jaxpr",))
    assert caught.value.where == "mine"


def test_an_error_names_no_address(calls: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise TraceError("<function f at 0x7f57d6bec180> is odd")

    monkeypatch.setattr(sys.modules["scanir.tracers"], "trace", fail)
    with pytest.raises(TraceError) as caught:
        Target(bad).trace(("jaxpr",), Arguments((1.0, "relu")))
    assert caught.value.what == "<function f> is odd"


def test_late_imports_find_the_neighbours_of_their_file(calls: list[Any], tmp_path: Path) -> None:
    for name, value in (("old", 1), ("new", 2)):
        directory = tmp_path / name
        directory.mkdir()
        (directory / "near_by.py").write_text(f"value = {value}\n")
        (directory / "mine.py").write_text("def late():\n    import near_by\n    return near_by.value\n")
        resolve(f"{directory}/mine.py:late").trace(("jaxpr",))
        assert calls[-1] == value


def test_a_registered_function_keeps_its_neighbours(
    calls: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scanir.strategies import registry, strategies
    from scanir.targets.imports import import_named

    strategies()
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
    (tmp_path / "near_by.py").write_text("value = 7\n")
    (tmp_path / "mine.py").write_text(
        "import scanir\n@scanir.register('mine')\ndef late():\n    import near_by\n    return near_by.value\n"
    )
    import_named(str(tmp_path / "mine.py"))
    resolve("mine").trace(("jaxpr",))
    assert calls[-1] == 7
    assert resolve("mine").label == "mine"


@pytest.mark.parametrize(
    ("values", "named", "text"),
    [
        ((), {}, ""),
        ((jnp.zeros((2, 3)), jnp.int32(1), 0.5, True, None), {}, "f32[2,3], i32[], 0.5, True, None"),
        (({"w": jnp.zeros(2, jnp.bfloat16)}, [1, (2,)]), {"n": "x"}, '{"w": bf16[2]}, [1, (2,)], n="x"'),
        ((jax.random.key(0), object()), {}, "key<fry>[], ..."),
    ],
)
def test_arguments_as_a_person_would_write_them(values: tuple[Any, ...], named: dict[str, Any], text: str) -> None:
    assert written(values, named) == text


def test_endless_nesting_is_not_written_out() -> None:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    assert written((value,)) == "[" * 9 + "..." + "]" * 9
