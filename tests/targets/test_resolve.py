"""From names to targets, and what a person is told where there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from scanir.errors import ArgumentError, ScanirError, TargetError
from scanir.targets import Arguments, Target, resolve

SOURCE = """
import jax

class Model:
    def __init__(self, n): self.n = n
    def step(self, x): return x * self.n

model = Model(2)
number = 3

def f(x):
    return x + 1

def make(n=1, *, name="x"):
    return Model(n).step

def fails():
    raise ValueError("no luck\\nsecond line")

jitted = jax.jit(f, donate_argnums=0)
example_args = {"f": (1.0,)}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(SOURCE)
    (tmp_path / "directory.py").mkdir()
    return tmp_path


@pytest.fixture
def no_new_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))


def call(name: str, x: Any = 5.0) -> Any:
    return resolve(name).function(x)


def test_a_strategy() -> None:
    target = resolve("carry")
    assert (target.label, target.kind, target.stage) == ("carry", "function", None)
    assert len(target.arguments().args) == 4


def test_a_jitted_strategy_is_not_wrapped_again() -> None:
    from scanir.strategies.fibonacci import fibonacci_jit

    target = resolve("fibonacci-jit")
    assert target.kind == "jitted"
    assert target._ready(target.arguments()).function is fibonacci_jit


@pytest.mark.usefixtures("here")
def test_functions_of_a_file() -> None:
    assert call("mine.py:f") == 6
    assert call("./mine.py:model.step") == 10
    assert call("mine.py:make()") == 5
    assert call("mine.py:make(4)") == 20
    assert call('mine.py:make(n=3, name=")")') == 15
    assert call("mine.py:Model(7).step") == 35
    assert resolve("mine.py:f").label == "mine.py:f"
    assert resolve("mine.py:f").arguments() == Arguments((1.0,))


def test_an_absolute_path_and_a_path_object(here: Path) -> None:
    assert call(f"{here}/mine.py:f") == 6
    with pytest.raises(TargetError, match="say which function"):
        resolve(here / "mine.py")


@pytest.mark.usefixtures("here")
def test_a_jitted_function_of_a_file_keeps_its_options() -> None:
    target = resolve("mine.py:jitted")
    assert target.kind == "jitted"
    ready = target._ready(Arguments((jax.ShapeDtypeStruct((2,), jnp.float32),)))
    lowered = ready.function.lower(jnp.zeros(2))
    assert lowered.args_info[0][0].donated


@pytest.mark.usefixtures("here", "no_new_modules")
def test_a_module_in_the_working_directory() -> None:
    assert call("mine:f") == 6
    assert call("mine:model.step") == 10


def test_a_module_with_dots() -> None:
    assert resolve("scanir.strategies.sum:sum_scan").arguments().args[0].shape == (10,)


@pytest.mark.parametrize(
    ("name", "what", "hint"),
    [
        ("lamda", "unknown target lamda", "did you mean lambda?"),
        ("mine", "unknown target mine", "files near: mine.py"),
        ("qqq", "unknown target qqq", "scanir list"),
        ("mine.py", "is a Python file", "mine.py:f"),
        ("mine.f", "unknown target mine.f", "mine:f"),
        (".", "is a directory", "name one of the files"),
        ("min.py:f", "there is no file min.py", "files near: mine.py"),
        ("mine.py:ff", "mine has no ff", "did you mean f?"),
        ("mine.py:model.stp", "mine.model has no stp", "did you mean step?"),
        ("mine.py:number", "a value of type int cannot be traced", "give a function"),
        ("directory.py:f", "directory.py is a directory", "name one of the files"),
        ("before.txt", "there is no file before.txt", "a target is"),
        ("minee.py", "there is no file minee.py", "files near: mine.py"),
        ("dumps/x", "there is no file dumps/x", "a target is"),
        ("bad", "unknown target bad", "a target is"),
        ("mine.py:number()", "cannot be called", "module:make"),
        ("mine.py:fails()", "ValueError: no luck", "--traceback"),
        ("mine.py:make(", "not closed", "module:make"),
        ("mine.py:make('", "a string that does not end", "module:make"),
        ("mine.py:make(n=)", "a value is missing", "--args"),
        ("mine.py:", "is not a name", "module:function"),
        ("mine.py:f.", "is not a name", "module:function"),
        ("mine.py:f x", "is not a name", "module:function"),
        ("mine.py:1", "is not a name", "module:function"),
        ("no_such_module_x:f", "there is no module no_such_module_x", "is it installed"),
        ("scanir.no_such:f", "there is no module scanir.no_such", "is it installed"),
        ("a-b:f", "neither a Python file nor a module", "a target is"),
        (":f", "'' is neither a Python file nor a module", "a target is"),
        ("", "an empty target", "a target is"),
        ("a\0b", "NUL", "a target is"),
        ("x" * 5000, "unknown target xxx", "a target is"),
    ],
)
@pytest.mark.usefixtures("here", "no_new_modules")
def test_what_there_is_not(name: str, what: str, hint: str) -> None:
    with pytest.raises(ScanirError) as caught:
        resolve(name)
    assert what in caught.value.what
    assert hint in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("source", "error", "line"),
    [
        ("import jax\nx = 1 / 0\n", "ZeroDivisionError: division by zero", 2),
        ("def f(:\n", "SyntaxError: invalid syntax", 1),
        ("\n\nimport no_such_thing\n", "ModuleNotFoundError: No module named 'no_such_thing'", 3),
        ("import sys\nsys.exit(3)\n", "SystemExit: 3", 2),
        ("import json\njson.loads('')\n", "JSONDecodeError: Expecting value", 2),
    ],
)
@pytest.mark.parametrize("name", ["broken.py:f", "broken:f"])
@pytest.mark.usefixtures("no_new_modules")
def test_an_error_in_the_file_of_a_person(here: Path, name: str, source: str, error: str, line: int) -> None:
    (here / "broken.py").write_text(source)
    with pytest.raises(TargetError) as caught:
        resolve(name)
    assert error in caught.value.what
    assert caught.value.hint == "--traceback shows the whole of it"
    if "json" not in source:  # there the error is in the library
        assert caught.value.where == f"{here}/broken.py:{line}"


def test_names_cannot_steer_a_terminal() -> None:
    with pytest.raises(TargetError) as caught:
        resolve("\x1b[31mred\u202e:x\x07")
    assert "\x1b" not in str(caught.value)
    assert "\\x1b[31mred\\u202e" in str(caught.value)


def f(x: Any) -> Any:
    return x * 2


def test_objects() -> None:
    spec = jax.ShapeDtypeStruct((2,), jnp.float32)
    traced = jax.jit(f).trace(spec)
    lowered = traced.lower()
    assert resolve(f).kind == "function"
    assert resolve(jax.jit(f)).kind == "jitted"
    for value, kind, stage in (
        (traced, "traced", None),
        (lowered, "lowered", None),
        (lowered.compile(), "compiled", "hlo"),
        (jax.make_jaxpr(f)(spec), "jaxpr", None),
        (jax.export.export(jax.jit(f))(spec), "exported", "stablehlo"),
    ):
        target = resolve(value)
        assert (target.kind, target.stage) == (kind, stage)
        assert target.arguments(Arguments((1, 2, 3))) == Arguments(), "what is traced takes no arguments any more"
    assert not resolve(lowered).has_stage("jaxpr")
    assert resolve(traced).has_stage("jaxpr")
    assert not resolve(lowered.compile()).has_stage("stablehlo")


def test_a_target_is_itself() -> None:
    target = Target(f, (1.0,))
    assert resolve(target) is target


@pytest.mark.parametrize("value", [3, None, object(), b"lambda", [f], jnp.zeros((2, 2)), bytearray(b"x")])
def test_what_cannot_be_traced(value: Any) -> None:
    with pytest.raises(TargetError, match="cannot be traced"):
        resolve(value)


def test_a_target_with_options_for_jit() -> None:
    target = Target(lambda x, n: x * n, (1.0, 3), static_argnums=1, donate_argnums=(0,))
    ready = target._ready(target.arguments())
    traced = ready.function.trace(*ready.args)
    assert traced.args_info[0][0].donated
    assert len(traced.jaxpr.in_avals) == 1


@pytest.mark.parametrize("options", [{"no_such": 1}, {"static_argnums": "x"}])
def test_options_that_jit_does_not_take(options: dict[str, Any]) -> None:
    with pytest.raises(TargetError, match="jit refuses its options") as caught:
        Target(f, (1.0,), **options).trace(("jaxpr",))
    assert (caught.value.where, next(iter(options)) in caught.value.hint) == ("f(x)", True)


def test_an_exception_without_a_message() -> None:
    def fails(x: Any) -> Any:
        raise RuntimeError

    with pytest.raises(ScanirError) as caught:
        Target(fails, (1.0,)).trace(("jaxpr",))
    assert caught.value.what == "RuntimeError"


def test_options_for_what_is_jitted_already() -> None:
    with pytest.raises(TargetError, match="takes no more options: donate_argnums"):
        Target(jax.jit(f), donate_argnums=0)


def test_static_arguments_of_a_plain_function() -> None:
    target = Target(lambda x, n, *, mode: x * n if mode == "mul" else x, static_argnums=())
    given = Arguments((1.0, 3), {"mode": "mul"}, frozenset({1, "mode"}))
    ready = target._ready(given)
    assert len(jax.jit(ready.function).trace(*ready.args, **ready.kwargs).jaxpr.in_avals) == 1


def test_arguments_given_win() -> None:
    target = Target(f, (1.0,))
    assert target.arguments() == Arguments((1.0,))
    assert target.arguments(Arguments((2.0,))) == Arguments((2.0,))
    with pytest.raises(ArgumentError, match="do not fit"):
        target.arguments(Arguments((1, 2)))
    with pytest.raises(ArgumentError, match="needs arguments"):
        Target(lambda x: x).arguments()


def test_naming_a_strategy_imports_no_jax_when_it_is_unknown() -> None:
    code = """
import sys
from scanir.errors import TargetError
from scanir.targets import resolve
try: resolve("lamda")
except TargetError: print("jax" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
