"""Files of IR: recognized by what is in them."""

from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from scanir.errors import ScanirError, TargetError
from scanir.ir.builder import RegionBuilder
from scanir.ir.graph import Function, Module
from scanir.ir.printer import print_module
from scanir.ir.types import TensorType
from scanir.targets import Arguments, resolve
from scanir.targets.artifact import interface_of

HLO = """HloModule jit_f, entry_computation_layout={(f32[2]{0}, f32[2]{0})->f32[2]{0}}

ENTRY main.3 {
  x.1 = f32[2]{0} parameter(0)
  y.1 = f32[2]{0} parameter(1)
  ROOT add.2 = f32[2]{0} add(x.1, y.1)
}
"""
STABLEHLO = """// a comment
module @jit_f {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


def canonical() -> str:
    builder = RegionBuilder()
    x = builder.param(TensorType("f32", (2,)), "x")
    results = builder.op("sin", [x], [x.type])
    return print_module(Module("jaxpr", (Function("main", builder.region(results)),), "main"))


def write(directory: Path, text: str | bytes, name: str = "dump.txt") -> str:
    path = directory / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


@pytest.mark.parametrize(
    ("text", "stage"),
    [(HLO, "hlo"), (STABLEHLO, "stablehlo"), (canonical(), "jaxpr"), (HLO.partition("\n\n")[2], "hlo")],
)
def test_what_a_file_is(tmp_path: Path, text: str, stage: str) -> None:
    target = resolve(write(tmp_path, text))
    assert (target.kind, target.stage) == ("file", stage)
    assert target.has_stage(stage)
    assert not target.has_stage("hlo-in")
    program = target.trace((stage,))[stage]
    assert program.module.dialect == program.stage == stage
    assert program.label == str(tmp_path / "dump.txt")


@pytest.mark.parametrize("text", [HLO, STABLEHLO, canonical()])
def test_what_an_editor_puts_in(tmp_path: Path, text: str) -> None:
    plain = resolve(write(tmp_path, text, "plain"))
    edited = resolve(write(tmp_path, b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), "edited"))
    assert plain.stage is not None
    assert edited.stage == plain.stage
    one, other = (target.trace((plain.stage,))[plain.stage].module for target in (plain, edited))
    assert print_module(one) == print_module(other)


@pytest.mark.parametrize("text", [HLO, STABLEHLO, canonical()])
def test_text_that_is_no_name_of_a_file(tmp_path: Path, text: str) -> None:
    target = resolve(text)
    assert (target.label, target.stage) == ("a text", resolve(write(tmp_path, text)).stage)
    with pytest.raises(TargetError, match="a text cannot be read: it is neither HLO nor StableHLO"):
        resolve("two\nlines")


def test_a_pipe_is_a_file(tmp_path: Path) -> None:
    name = tmp_path / "pipe"
    os.mkfifo(name)
    writer = threading.Thread(target=name.write_text, args=(HLO,))
    writer.start()
    target = resolve(str(name))
    writer.join()
    assert (target.label, target.stage) == (str(name), "hlo")
    with pytest.raises(TargetError, match="it is empty"):
        resolve(os.devnull)


def test_bytecode(tmp_path: Path) -> None:
    import jax

    serialized = jax.export.export(jax.jit(lambda x: x + 1))(1.0).mlir_module_serialized
    assert resolve(write(tmp_path, bytes(serialized), "f.mlir")).stage == "stablehlo"


def test_the_interface_of_a_file(tmp_path: Path) -> None:
    interface = resolve(write(tmp_path, HLO)).trace(("hlo",))["hlo"].interface
    assert [(argument.name, argument.position) for argument in interface.arguments] == [("x.1", 0), ("y.1", 1)]
    assert interface.kept == (0, 1)
    assert interface.results == ("0",)


def test_a_file_without_lines_says_so(tmp_path: Path) -> None:
    (note,) = resolve(write(tmp_path, HLO)).trace(("hlo",))["hlo"].notes
    assert "holds no source lines" in note
    with_lines = HLO.replace("add(x.1, y.1)", 'add(x.1, y.1), metadata={source_file="a.py" source_line=3}')
    assert with_lines != HLO
    assert resolve(write(tmp_path, with_lines)).trace(("hlo",))["hlo"].notes == ()


def test_parameters_without_names_or_with_one_name() -> None:
    builder = RegionBuilder()
    for name in ("x", "", "x"):
        builder.param(TensorType("f32"), name)
    module = Module("hlo", (Function("main", builder.region(builder.params)),), "main")
    assert [argument.name for argument in interface_of(module).arguments] == ["x", "argument 1", "x (2)"]


def test_a_file_takes_no_arguments_and_has_one_stage(tmp_path: Path) -> None:
    target = resolve(write(tmp_path, HLO))
    assert target.arguments(Arguments((1, 2))) == Arguments()
    with pytest.raises(TargetError, match="has no other stage"):
        target.trace(("jaxpr",))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(HLO.encode())))
    target = resolve("-")
    assert (target.label, target.stage) == ("standard input", "hlo")


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("", "it is empty", "as_text"),
        ("hello world\n", "neither HLO nor StableHLO", "as_text"),
        (b"\x0a\x90\xff\xfe", "neither text nor", "as_text"),
        ("{ lambda ; a:f32[]. let  in (a,) }", "does not show the arrays it captures", "scanir show --stage jaxpr"),
        ("let jaxpr = { lambda ; a:f32[]. let  in (a,) } in\n", "does not show the arrays", "name the function"),
        ('{"json": 1}', "neither HLO nor StableHLO", "as_text"),
    ],
)
def test_what_no_reader_takes(tmp_path: Path, text: str | bytes, what: str, hint: str) -> None:
    with pytest.raises(TargetError) as caught:
        resolve(write(tmp_path, text))
    assert what in caught.value.what
    assert hint in caught.value.hint
    assert caught.value.where.endswith("dump.txt")


@pytest.mark.parametrize("text", ["HloModule x\n\nENTRY e {\n", "module {", "module hlo entry @main\nfunc"])
def test_what_begins_well_and_ends_badly(tmp_path: Path, text: str) -> None:
    with pytest.raises(ScanirError) as caught:
        resolve(write(tmp_path, text))
    assert caught.value.exit_code == 2


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = write(tmp_path, HLO)

    def refuse(_path: Any) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(TargetError, match="Permission denied"):
        resolve(name)


def test_hlo_is_read_without_jax(tmp_path: Path) -> None:
    import subprocess

    name = write(tmp_path, HLO)
    code = f"import sys, scanir.targets as t; t.resolve({name!r}).trace(('hlo',)); print('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
