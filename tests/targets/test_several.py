"""Files of several modules, and compressed ones."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from scanir import api
from scanir.errors import ReadError, ScanirError, TargetError
from scanir.result import Verdict
from scanir.targets.several import parts

MODULE = """HloModule {name}, is_scheduled=true

ENTRY %main (x: f32[4]) -> f32[4] {{
  %x = f32[4]{{0}} parameter(0)
  ROOT %r = f32[4]{{0}} {op}(%x)
}}
"""
SEVERAL = "\n".join(MODULE.format(name=name, op=op) for name, op in (("f", "sine"), ("g", "tanh"), ("f", "cosine")))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "all.hlo").write_text(f"// HloModule is no word of this line\n{SEVERAL}")
    for op in ("sine", "tanh", "cosine"):
        (tmp_path / f"{op}.hlo").write_text(MODULE.format(name="m", op=op))
    return tmp_path / "all.hlo"


@pytest.mark.parametrize(
    ("pick", "op"), [("f", "sine"), ("f#1", "sine"), ("g", "tanh"), ("f#2", "cosine"), ("1", "sine"), ("3", "cosine")]
)
def test_one_is_picked(file: Path, pick: str, op: str) -> None:
    for other in ("sine", "tanh", "cosine"):
        verdict = api.diff(f"{file}#{pick}", file.parent / f"{other}.hlo").verdict
        assert (verdict is Verdict.IDENTICAL) == (other == op)


def test_which_there_are_is_said(file: Path) -> None:
    with pytest.raises(TargetError, match="holds 3 modules") as caught:
        api.diff(file, file)
    assert "#f#2" in caught.value.hint
    for pick in ("4", "0", "ff", "9" * 30):
        with pytest.raises(TargetError, match="there is no module"):
            api.diff(f"{file}#{pick}", file)


def test_lines_of_errors_are_those_of_the_file(file: Path) -> None:
    text = file.read_text()
    file.write_text(text.replace("cosine(%x)", "cosine(%y)"))
    assert api.diff(f"{file}#g", f"{file}#g")
    with pytest.raises(ScanirError) as caught:
        api.diff(f"{file}#f#2", f"{file}#g")
    line = text[: text.index("cosine")].count("\n") + 1
    assert f"all.hlo:{line}" in f"{caught.value.where} {caught.value.what}"


def test_parts_cover_the_text() -> None:
    found = parts(SEVERAL)
    assert [part.label for part in found] == ["f", "g", "f#2"]
    assert "".join(SEVERAL[part.start : part.end] for part in found) == SEVERAL
    assert parts("no module") == ()


def test_compressed_files(file: Path) -> None:
    plain = file.parent / "sine.hlo"
    packed = file.parent / "sine"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert api.diff(plain, str(packed)).verdict is Verdict.IDENTICAL
    packed.write_bytes(gzip.compress(plain.read_bytes())[:-20])
    with pytest.raises(ReadError, match="cannot be decompressed"):
        api.diff(plain, str(packed))


def test_zstd(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zstandard = pytest.importorskip("zstandard")
    plain = file.parent / "sine.hlo"
    packed = file.parent / "sine.zst"
    packed.write_bytes(zstandard.compress(plain.read_bytes()))
    assert api.diff(plain, str(packed)).verdict is Verdict.IDENTICAL
    packed.write_bytes(zstandard.compress(plain.read_bytes())[:-9])
    with pytest.raises(ReadError, match="cannot be decompressed"):
        api.diff(plain, str(packed))
    for name in ("compression.zstd", "zstandard"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(ReadError, match="compressed by zstd") as caught:
        api.diff(plain, str(packed))
    assert caught.value.hint == "pip install 'scanir[zstd]' reads it"
