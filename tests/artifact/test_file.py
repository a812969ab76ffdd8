"""Artifacts on disk: whole or not there, compressed by name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scanir.artifact import keep, packed, unpacked
from scanir.errors import ReadError, TargetError

WRITER = """
import sys
from pathlib import Path
from scanir.artifact import keep
print("ready", flush=True)
k = 0
while True:
    k += 1
    keep(Path(sys.argv[1]), (b"%d\\n" % (k % 10)) * 200_000)
"""


def test_compressed_bytes_hold_no_time_and_no_name(tmp_path: Path) -> None:
    first = packed("scanir 1\n", tmp_path / "a.scanir.gz")
    assert first == packed("scanir 1\n", tmp_path / "b.scanir.gz")
    assert unpacked(first, "a") == packed("scanir 1\n", tmp_path / "a.scanir") == b"scanir 1\n"


@pytest.mark.parametrize("damage", [lambda data: data[:-3], lambda data: data[:6], lambda data: data[:12] + b"x" * 9])
def test_damaged_compression_is_refused(damage: object) -> None:
    assert callable(damage)
    with pytest.raises(ReadError, match=r"a.gz cannot be decompressed"):
        unpacked(damage(packed("scanir 1\n" * 99, Path("a.gz"))), "a.gz")


def test_what_would_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scanir.artifact.file.LARGEST", 1000)
    with pytest.raises(ReadError, match="larger than 1,000 bytes"):
        unpacked(packed("x" * 2000, Path("a.gz")), "a.gz")


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="cannot be written: No such file"):
        keep(tmp_path / "no" / "a.scanir", b"x")
    assert not list(tmp_path.iterdir())


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    keep(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_device_is_written_to(tmp_path: Path) -> None:
    keep(Path(os.devnull), b"x")
    assert Path(os.devnull).is_char_device()


def test_a_process_that_is_killed_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "a.scanir"
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            while not path.exists():
                pass
            writer.kill()
        lines = path.read_bytes().splitlines()
        assert len(lines) == 200_000
        assert len(set(lines)) == 1
