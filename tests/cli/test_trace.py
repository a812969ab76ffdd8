"""``scanir trace``, and its files as targets of the other commands."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

import scanir
from scanir.cli import main

pytestmark = pytest.mark.compat

SOURCE = """
import jax
import jax.numpy as jnp
import numpy as np

W = np.arange(64, dtype=np.float32)

def f(x, scale=2.0):
    return jax.lax.scan(lambda c, _: (c * W + scale, c.sum()), x, None, length=5)

def g(x, scale=2.0):
    return jax.lax.scan(lambda c, _: (W * c + scale, jnp.sum(c)), x, None, length=5)

def other(x, scale=2.0):
    return jax.lax.scan(lambda c, _: (c * (W + 1) + scale, c.sum()), x, None, length=5)
"""
NODE = """
import jax

class Odd:
    pass

@jax.tree_util.register_pytree_node_class
class Node:
    def __init__(self, x, odd):
        self.x, self.odd = x, odd

    def tree_flatten(self):
        return (self.x,), self.odd

    @classmethod
    def tree_unflatten(cls, odd, children):
        return cls(*children, odd)

odd = Odd()

def f(x):
    return Node(x * 2, odd)
"""
STAGES = "jaxpr,stablehlo"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a program, and what was saved of it by values and by digest."""
    directory = tmp_path_factory.mktemp("saved")
    (directory / "m.py").write_text(SOURCE)
    common = ["trace", "m.py:f", "--args", "f32[64]", "--stage", STAGES]
    with contextlib.chdir(directory):
        assert main([*common, "-o", "f.scanir"]) == 0
        assert main([*common, "--constants", "digest", "-o", "f.scanir.gz"]) == 0
    return directory


@pytest.fixture(autouse=True)
def _there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "100")


def test_a_function_is_compared_with_the_arguments_that_were_saved(capsys: Any) -> None:
    assert main(["diff", "f.scanir", "m.py:f", "--stage", "all"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("IDENTICAL  f.scanir (a) and m.py:f (b) at jaxpr, stablehlo\n")
    assert "assumption" not in out


def test_arguments_that_are_given_are_used_in_place_of_those(capsys: Any) -> None:
    assert main(["diff", "f.scanir", "m.py:f", "--args", "f32[1,64]", "--stage", "jaxpr"]) == 1
    assert capsys.readouterr().out.startswith("DIFFERENT")


def test_constants_by_digest_are_an_assumption(capsys: Any) -> None:
    assert main(["diff", "f.scanir.gz", "m.py:g", "--stage", "stablehlo"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("EQUIVALENT")
    assert "digest: 1 constant is known by type and SHA-256 alone" in " ".join(out.split())
    assert main(["diff", "m.py:other", "f.scanir.gz", "--stage", "jaxpr"]) == 1
    assert "digest: " not in capsys.readouterr().out


def test_constants_by_digest_have_no_certificate(capsys: Any, tmp_path: Path) -> None:
    asked = ["--stage", "jaxpr", "--certificate", str(tmp_path / "c.json")]
    assert main(["diff", "f.scanir.gz", "m.py:f", *asked]) == 2
    assert "known by their digest alone" in capsys.readouterr().err
    assert main(["diff", "f.scanir", "m.py:f", *asked]) == 0


def test_an_object_in_a_pytree_is_known_without_its_address(capsys: Any, tmp_path: Path) -> None:
    (tmp_path / "node.py").write_text(NODE)
    file, target = str(tmp_path / "node.scanir"), f"{tmp_path}/node.py:f"
    assert main(["trace", target, "--args", "f32[3]", "--stage", "jaxpr", "-o", file]) == 0
    assert "Odd object at 0x..." in Path(file).read_text()
    assert main(["diff", file, target, "--stage", "jaxpr", "--paranoid"]) == 0
    assert capsys.readouterr().out.startswith("IDENTICAL")


def test_lines_come_from_the_file(capsys: Any) -> None:
    assert main(["diff", "f.scanir", "m.py:other", "--stage", "jaxpr"]) == 1
    out = capsys.readouterr().out
    assert "m.py:9" in out
    assert "m.py:15" in out


def test_show_and_matrix_take_it(capsys: Any) -> None:
    assert main(["show", "f.scanir.gz", "--stage", "stablehlo"]) == 0
    assert capsys.readouterr().out.startswith("module stablehlo entry @main")
    assert main(["show", "f.scanir", "--loops"]) == 0  # the last stage that is there, where no other is asked for
    assert "stablehlo" in capsys.readouterr().out
    assert main(["matrix", "f.scanir", "f.scanir.gz", "m.py:g", "--stage", "jaxpr"]) == 0
    assert "A" in capsys.readouterr().out


def test_a_stage_that_was_not_saved(capsys: Any) -> None:
    assert main(["show", "f.scanir", "--stage", "hlo-in"]) == 2
    assert "stage hlo-in was not saved" in (err := capsys.readouterr().err)
    assert "it has jaxpr, stablehlo" in err


def test_it_can_be_saved_again(capsys: Any) -> None:
    assert main(["trace", "f.scanir", "--stage", STAGES]) == 0
    assert capsys.readouterr().out == Path("f.scanir").read_text()


def test_what_is_saved_already_cannot_be_transformed(capsys: Any) -> None:
    assert main(["diff", "f.scanir", "m.py:f", "--under", "grad", "--stage", "jaxpr"]) == 2
    assert "cannot be transformed" in capsys.readouterr().err


def test_a_damaged_file(capsys: Any, tmp_path: Path) -> None:
    text = Path("f.scanir").read_text()
    (tmp_path / "cut.scanir").write_text(text[: len(text) // 2])
    assert main(["diff", str(tmp_path / "cut.scanir"), "f.scanir", "--stage", "jaxpr"]) == 2
    assert "the text is cut off" in capsys.readouterr().err
    (tmp_path / "odd.scanir").write_bytes(text.encode() + b"\xff")
    assert main(["show", str(tmp_path / "odd.scanir")]) == 2
    assert "is not ASCII" in capsys.readouterr().err


def test_from_python(place: Path, tmp_path: Path) -> None:
    found = scanir.trace("m.py:f", scanir.Arguments.parse("f32[64]"), stage=STAGES)
    assert list(found) == ["jaxpr", "stablehlo"]
    found.save(tmp_path / "again.scanir")
    assert (tmp_path / "again.scanir").read_text() == (place / "f.scanir").read_text()
    with pytest.raises(scanir.ScanirError, match="normal form"):
        scanir.trace("sum-scan", stage="jaxpr", normalized=True).save(tmp_path / "no.scanir")
    with pytest.raises(scanir.ScanirError, match="unknown kind of constants 'all'"):
        found.save(tmp_path / "no.scanir", constants="all")


def test_saved_sides_of_unlike_arguments(capsys: Any, tmp_path: Path) -> None:
    assert main(["trace", "m.py:f", "--args", "f32[2,64]", "--stage", "jaxpr", "-o", str(tmp_path / "b.scanir")]) == 0
    assert main(["matrix", "f.scanir", str(tmp_path / "b.scanir"), "m.py:f", "--stage", "jaxpr"]) == 2
    assert "saved sides were traced with unlike arguments" in capsys.readouterr().err
