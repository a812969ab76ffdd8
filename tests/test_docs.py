"""The page on closures and carries says what the JAX at hand does, and is made from what stands beside it."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import jax
import pytest

from scanir.cli import main

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("closure_or_carry", ROOT / "docs" / "closure_or_carry.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.compat
@pytest.mark.older
def test_the_facts_are_those_of_the_jax_at_hand(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the times; some seconds, for each verdict of the page is found anew."""
    recorded = script.FOLDER / f"jax-{jax.__version__}.facts.json"
    if not recorded.exists():
        pytest.skip(f"the page says nothing of JAX {jax.__version__}: make docs")
    monkeypatch.chdir(ROOT)
    assert script.facts() == json.loads(recorded.read_text(encoding="utf-8")), "the page is out of date: make docs"


def test_the_page_is_made_from_what_stands_beside_it(script: ModuleType) -> None:
    text = script.PAGE.read_text(encoding="utf-8")
    assert text == script.rendered(), "make docs"
    assert not re.search(r"\{[a-z-]+\}", text), "a block that nobody fills in"
    versions = [found["jax"] for found in script.read("facts")]
    assert len(versions) >= 4
    assert [found["jax"] for found in script.read("times")] == versions


def test_links_and_commands_of_the_page(script: ModuleType) -> None:
    """Each file it links to is there, and each command it shows is one of scanir's that names what there is."""
    text = script.PAGE.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (script.PAGE.parent / link).exists(), link
    commands = re.findall(r"^    scanir (.*)$", text, re.MULTILINE)
    assert commands
    for name in re.findall(r"(examples/\w+\.py):(\w+)", " ".join(commands)):
        assert f"def {name[1]}(" in (ROOT / name[0]).read_text(encoding="utf-8")


@pytest.mark.compat
def test_what_is_carried_through_a_conditional(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The remedy does the same, without a copy of the table."""
    import jax.numpy as jnp
    import numpy as np

    spec = importlib.util.spec_from_file_location("cond_carry", ROOT / "examples" / "cond_carry.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    row = jnp.arange(example.ROWS, dtype=jnp.float32)
    table = jnp.asarray(np.random.default_rng(0).random((example.ROWS, example.ROWS), np.float32))
    for left, right in zip(
        jax.jit(example.through_cond)(row, table), jax.jit(example.beside_cond)(row, table), strict=True
    ):
        assert np.array_equal(left, right)
    copied = {}
    for name in ("through_cond", "beside_cond", "unchanged"):
        assert main(["show", f"{ROOT}/examples/cond_carry.py:{name}", "--loops", "--format", "json"]) == 0
        (answer,) = json.loads(capsys.readouterr().out)["answers"]
        (loop,) = answer["rows"]
        copied[name] = dict(map(tuple, loop["copies"]["types"])).get(f"f32[{example.ROWS},{example.ROWS}]", 0)
    assert copied["through_cond"] > 0
    assert (copied["beside_cond"], copied["unchanged"]) == (0, 0)
