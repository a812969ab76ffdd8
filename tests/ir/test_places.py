"""Whose line a stack of frames stands for."""

from __future__ import annotations

import pytest

from scanir.ir.graph import Location
from scanir.ir.places import innermost, is_installed

MINE = Location("/home/me/model.py", 8, "Model.__call__")
OUTER = Location("/home/me/train.py", 20, "step")
LIBRARY = Location("/opt/venv/lib/python3.11/site-packages/flax/nnx/nn/linear.py", 431, "Linear.__call__")
PYTHON = Location("/usr/lib/python3.13/functools.py", 50, "wrapper")


@pytest.mark.parametrize(
    ("stack", "line"),
    [
        ((MINE, OUTER), MINE),
        ((LIBRARY, PYTHON, MINE, OUTER), MINE),
        ((PYTHON, LIBRARY), PYTHON),
        ((LIBRARY,), LIBRARY),
        ((), None),
    ],
    ids=["mine", "through packages", "packages alone", "one frame", "none"],
)
def test_a_persons_own_line_comes_first(stack: tuple[Location, ...], line: Location | None) -> None:
    assert innermost(stack) == line


@pytest.mark.parametrize(
    ("file", "installed"),
    [
        ("/usr/lib/python3/dist-packages/x.py", True),
        ("C:\\py\\Lib\\site-packages\\x.py", True),
        ("/usr/lib/python3.11/contextlib.py", True),
        ("/home/me/lib/python/x.py", False),
        ("site-packages.py", False),
        ("/home/me/my-site-packages/x.py", False),
    ],
)
def test_what_is_installed(file: str, installed: bool) -> None:
    assert is_installed(file) is installed
