"""The public names: there, lazy, and none other."""

from __future__ import annotations

import subprocess
import sys

import pytest

import scanir


@pytest.mark.parametrize("name", scanir.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(scanir, name) is not None
    assert name in dir(scanir)


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        scanir.nothing  # noqa: B018


@pytest.mark.compat
def test_the_names_that_need_no_jax_import_none() -> None:
    code = (
        "import sys, scanir; scanir.register, scanir.Verdict, scanir.Target, scanir.diff; print('jax' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
