"""A reader loses nothing: the printed module has every token of its text outside the listed noise (`tokens.NOISE`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scanir.errors import ScanirError
from scanir.ir.printer import print_module
from tests.mutation.judge import program_of
from tests.mutation.sources import MODELS, artifact, functions, names
from tests.readers import tokens

#: Dialect -> a model for each change, small and with many kinds of attributes.
FEW = {"hlo": "scatters before optimization", "stablehlo": "collectives", "jaxpr": "scatters"}


def lost(dialect: str, given: Any) -> set[str]:
    """Tokens of an artifact that its printed module has not."""
    text = tokens.equations(given) if dialect == "jaxpr" else given
    return tokens.lost(dialect, text, print_module(program_of(dialect, given).module))


@pytest.mark.parametrize("dialect", FEW)
def test_a_model(dialect: str) -> None:
    assert lost(dialect, artifact(dialect, FEW[dialect], None)) == set()


@pytest.mark.full
@pytest.mark.parametrize("dialect", FEW)
def test_all_models_and_strategies(dialect: str) -> None:
    made = [*MODELS, *(name for name in functions() if not name.startswith("primitive ")), "primitive fft"]
    more = " before optimization" if dialect == "hlo" else ""
    for name in made:
        assert lost(dialect, artifact(dialect, f"{name}{more}", None)) == set(), name


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("dialect", ["hlo", "stablehlo"])
def test_the_corpus(shared_dir: Path, dialect: str) -> None:
    corpus, read = shared_dir / "corpus", 0
    for name in names(dialect, corpus):
        if not name.startswith("corpus "):
            continue
        try:
            missing = lost(dialect, artifact(dialect, name, corpus))
        except ScanirError:
            continue  # what cannot be read is refused, which other tests are about
        assert missing == set(), name
        read += 1
    assert read > 500


#: A text, and a token of it that a reader could lose.
SAYING = {
    "hlo": ("HloModule m\n\nENTRY %e (x: f32[8]) -> f32[8] {\n  %x = f32[8]{0} parameter(0)\n"
            "  ROOT %r = f32[8]{0} negate(%x), frontend_attributes={mode=\"odd\"}\n}\n", "odd"),
    "stablehlo": ('"builtin.module"() ({\n  "func.func"() <{function_type = (tensor<8x3xf32>) -> tensor<8x3xf32>, '
                  'sym_name = "main"}> ({\n  ^bb0(%arg0: tensor<8x3xf32>):\n    %0 = "stablehlo.reverse"(%arg0) '
                  '<{dimensions = array<i64: 1>}> {some.name = "odd"} : (tensor<8x3xf32>) -> tensor<8x3xf32>\n'
                  '    "func.return"(%0) : (tensor<8x3xf32>) -> ()\n  }) : () -> ()\n}) : () -> ()\n', "odd"),
}  # fmt: skip


@pytest.mark.parametrize("dialect", SAYING)
def test_a_lost_token_is_noticed(dialect: str) -> None:
    """The noise does not take attributes with it, nor types, nor names of ops."""
    text, token = SAYING[dialect]
    assert lost(dialect, text) == set()
    found = tokens.said(dialect, text)
    assert {token, "8", "f32", "negate" if dialect == "hlo" else "reverse"} <= found
    assert found.isdisjoint({"parameter", "HloModule", "ROOT", "sym_name", "tensor"})
    told = print_module(program_of(dialect, text).module)
    assert tokens.lost(dialect, text, told.replace(token, "even")) == {token}
    assert "f32" in tokens.lost(dialect, text, told.replace("f32", "f64"))
