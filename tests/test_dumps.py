"""Directories of programs: paired by name and order, never by number; each file by what is in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanir import api
from scanir.cli import main
from scanir.dumps import Dumps
from scanir.errors import TargetError
from scanir.render.dumps import dumps_document, render_dumps
from scanir.result import Verdict
from scanir.targets import resolve

HLO = """HloModule {name}, entry_computation_layout={{(f32[4]{{0}})->f32[4]{{0}}}}

ENTRY %main{n} (x{n}: f32[4]) -> f32[4] {{
  %x{n} = f32[4]{{0}} parameter(0)
  ROOT %r{n} = f32[4]{{0}} {op}(%x{n})
}}
"""


def dump(folder: Path, start: int, modules: list[tuple[str, str]], after: str = "cpu_after") -> Path:
    """Modules as XLA dumps them, before and after optimization, numbered from ``start`` on."""
    folder.mkdir()
    for number, (name, op) in enumerate(modules, start):
        for end, text in (("before", "sine"), (after, op)):
            file = folder / f"module_{number:04}.{name}.{end}_optimizations.txt"
            file.write_text(HLO.format(name=name, n=number, op=text))
        (folder / f"module_{number:04}.{name}.cpu_after_optimizations-buffer-assignment.txt").write_text(
            "BufferAssignment:\n"
        )
    return folder


@pytest.fixture
def dumps(tmp_path: Path) -> tuple[Path, Path]:
    a = dump(tmp_path / "a", 0, [("jit_f", "tanh"), ("jit_g", "sine"), ("jit_f", "cosine"), ("jit_old", "sine")])
    b = dump(tmp_path / "b", 7, [("jit_h", "sine"), ("jit_f", "tanh"), ("jit_f", "negate"), ("jit_g", "sine")],
             after="sm_9.0_gpu_after")  # fmt: skip
    return a, b


def words(answer: Dumps) -> dict[str, str]:
    return {row.name: row.only or row.word for row in answer.rows}


def test_by_name_and_order(dumps: tuple[Path, Path]) -> None:
    answer = api.diff_dumps(*dumps)
    assert words(answer) == {
        "jit_f": "IDENTICAL", "jit_g": "IDENTICAL", "jit_f#2": "DIFFERENT", "jit_old": "a", "jit_h": "b",
    }  # fmt: skip
    assert answer.exit_code == 1
    assert words(api.diff_dumps(*dumps, stage="hlo-in"))["jit_f#2"] == "IDENTICAL"
    assert words(api.diff_dumps(dumps[0], dumps[0])) == dict.fromkeys(
        ("jit_f", "jit_g", "jit_f#2", "jit_old"), "IDENTICAL"
    )


def test_one_module_of_a_dump(dumps: tuple[Path, Path]) -> None:
    answer = api.diff(f"{dumps[0]}#jit_f#2", f"{dumps[1]}#jit_f#2", stage="hlo-in,hlo")
    assert [(row.stage, row.verdict) for row in answer.stages] == [
        ("hlo-in", Verdict.IDENTICAL),
        ("hlo", Verdict.DIFFERENT),
    ]
    assert api.diff(f"{dumps[0]}#jit_f#1", f"{dumps[1]}#jit_f")
    with pytest.raises(TargetError, match="no module jit_ff in") as caught:
        resolve(f"{dumps[0]}#jit_ff")
    assert "did you mean jit_f" in caught.value.hint
    with pytest.raises(TargetError, match="is a directory") as caught:
        resolve(str(dumps[0]))
    assert "#jit_f#2" in caught.value.hint
    with pytest.raises(TargetError, match="no jaxpr of"):
        api.diff(f"{dumps[0]}#jit_g", f"{dumps[0]}#jit_g", stage="jaxpr")


def test_files_by_their_names(tmp_path: Path) -> None:
    for side, op in (("a", "sine"), ("b", "cosine")):
        (tmp_path / side / "sub").mkdir(parents=True)
        (tmp_path / side / "same.hlo").write_text(HLO.format(name=side, n=side, op="tanh"))
        (tmp_path / side / "sub" / "other.hlo").write_text(HLO.format(name=side, n=1, op=op))
        (tmp_path / side / "notes.txt").write_text("nothing")
        (tmp_path / side / "broken.hlo").write_text(HLO.format(name=side, n=1, op="sine(((").replace(")\n", "\n"))
    answer = api.diff_dumps(tmp_path / "a", tmp_path / "b")
    assert words(answer) == {"same.hlo": "IDENTICAL", "sub/other.hlo": "DIFFERENT", "broken.hlo": "ERROR"}
    assert (answer.left_out, answer.exit_code) == (("notes.txt",), 2)


def test_the_report(dumps: tuple[Path, Path]) -> None:
    answer = api.diff_dumps(*dumps)
    text = render_dumps(Dumps("a", "b", answer.rows))
    assert text.splitlines()[:7] == [
        "a (a) and b (b): 5 programs: 2 IDENTICAL, 3 DIFFERENT",
        "",
        "DIFFERENT  jit_f#2  result 0: cosine against negate",
        "DIFFERENT  jit_old  only a has it",
        "DIFFERENT  jit_h    only b has it",
        "IDENTICAL  jit_f",
        "IDENTICAL  jit_g",
    ]
    assert "edits: 1" in text
    document = json.loads(json.dumps(dumps_document(answer)))
    assert [row["verdict"] for row in document["programs"]].count("DIFFERENT") == 3
    assert document["programs"][2]["answer"]["stages"][0]["edits"][0]["kind"] == "replace"


def test_the_command(dumps: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> tuple[int, str]:
        code = main(["diff", *words])
        found = capsys.readouterr()
        return code, found.out + found.err

    a, b = map(str, dumps)
    assert run(a, b)[0] == 1
    assert "2 IDENTICAL, 3 DIFFERENT" in " ".join(run(a, b)[1].split())
    assert json.loads(run(a, b, "--format", "json")[1])["exit_code"] == 1
    for words, said in (
        ((a, b, "--args", "1"), "arguments and settings are for functions"),
        ((a, b, "--format", "sarif"), "directories have reports as text and JSON"),
        ((a, "lambda"), "name a program in it"),
    ):
        code, text = run(*words)
        assert (code, said in text) == (2, True)
