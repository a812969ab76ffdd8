"""Serialized HLO modules as targets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from scanir import _compat, api
from scanir.errors import ReadError, ScanirError
from scanir.ir.attrs import Array
from scanir.ir.walk import ops_of
from scanir.readers.hlo.proto import hlo_module_bytes
from scanir.result import Verdict
from scanir.targets.artifact import read_artifact
from scanir.targets.dumps import dumped

pytestmark = [pytest.mark.compat, pytest.mark.older]
WEIGHTS = np.arange(100, dtype=np.float32)


def serialized(change: float = 0.0) -> tuple[str, bytes]:
    """A module whose large constant its text elides."""
    weights = WEIGHTS + np.float32(change) * (WEIGHTS == 57)
    lowered = jax.jit(lambda x: jnp.sin(x) * weights).lower(jax.ShapeDtypeStruct((100,), jnp.float32))
    text, proto = _compat.hlo_text_and_proto(_compat.unoptimized_module(lowered))
    return text, proto()


def field(number: int, data: bytes) -> bytes:
    size, digits = len(data), bytearray()
    while size >= 0x80:
        digits.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([number << 3 | 2, *digits, size]) + data


@pytest.fixture(scope="module")
def modules() -> tuple[tuple[str, bytes], tuple[str, bytes]]:
    return serialized(), serialized(1.0)


def test_constants_come_from_the_bytes(tmp_path: Path, modules: Any) -> None:
    (text, one), _ = modules
    assert "{...}" in text
    assert hlo_module_bytes(field(1, field(1, one))) == one  # as in an HloSnapshot
    file = tmp_path / "one.hlo.pb"
    file.write_bytes(field(1, one))
    (program,) = read_artifact(str(file)).trace(("hlo",)).values()
    ops = ops_of(program.module.function(program.module.entry).body)
    assert WEIGHTS.tobytes() in {attr.data for op in ops for _, attr in op.attributes if isinstance(attr, Array)}


@pytest.mark.full
def test_constants_count(tmp_path: Path, modules: Any) -> None:
    (_, one), (_, other) = modules
    for name, data in {"one": one, "wrapped": field(1, one), "other": other}.items():
        (tmp_path / f"{name}.hlo.pb").write_bytes(data)
    first = tmp_path / "one.hlo.pb"
    assert api.diff(first, tmp_path / "wrapped.hlo.pb").verdict is Verdict.IDENTICAL
    assert api.diff(first, tmp_path / "other.hlo.pb").verdict is Verdict.DIFFERENT


def test_what_is_no_whole_module(tmp_path: Path, modules: Any) -> None:
    (_, data), _ = modules
    assert hlo_module_bytes(data) == data
    for broken in (data[:-1], data[: len(data) // 2], b"", b"\n", b"\n\x03abc", b"\nHloModule m", field(1, b"abc")):
        assert hlo_module_bytes(broken) is None
    (tmp_path / "cut.hlo.pb").write_bytes(data[:-1])
    with pytest.raises(ScanirError, match="neither text nor a whole serialized module"):
        api.diff(tmp_path / "cut.hlo.pb", tmp_path / "cut.hlo.pb")


def test_what_xla_refuses(tmp_path: Path) -> None:
    file = tmp_path / "odd.hlo.pb"
    file.write_bytes(field(1, b"m") + field(2, b"main") + field(3, field(1, b"main") + field(2, field(1, b"x"))))
    with pytest.raises(ReadError, match="XLA says"):
        api.diff(file, file)


def test_what_depends_on_partitions(tmp_path: Path) -> None:
    lowered = jax.pmap(lambda x: jax.lax.psum(x, "j"), axis_name="j").lower(jax.ShapeDtypeStruct((1,), jnp.float32))
    file = tmp_path / "all.hlo.pb"
    file.write_bytes(_compat.hlo_text_and_proto(_compat.unoptimized_module(lowered))[1]())
    with pytest.raises(ReadError, match="how many partitions and replicas"):
        api.diff(file, file)


def test_a_dump_has_them(tmp_path: Path, modules: Any) -> None:
    """Where a module is there as text, too, the text is read."""
    for name in ("module_0001.f.cpu_after_optimizations", "module_0002.g.before_optimizations"):
        (tmp_path / f"{name}.hlo.pb").write_bytes(modules[0][1])
    (tmp_path / "module_0002.g.before_optimizations.txt").write_text(modules[0][0])
    assert [(module.number, module.stage, module.path.suffix) for module in dumped(str(tmp_path))] == [
        (1, "hlo", ".pb"), (2, "hlo-in", ".txt"),
    ]  # fmt: skip
