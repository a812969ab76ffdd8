"""The comparison on a small share of fixed seed: texts are wrong both ways, scanir calls no mutant the same."""

from __future__ import annotations

import pytest

from tests.rivals import table
from tests.rivals.measure import Counts, Mutants, count_construct, count_family
from tests.rivals.tools import TOOLS, stripped


def test_a_share_of_the_mutants() -> None:
    """Captured arrays and contexts are in no text of a jaxpr."""
    mutants = Mutants()
    counts = mutants.count("jaxpr", "constants", 12, 0)
    mutants.close()
    assert counts["jaxpr", "text", "same"] > 0
    assert counts["jaxpr", "scanir", "mutants"] > 5
    assert table.wrong(counts) == 0


@pytest.fixture(scope="module")
def counts() -> Counts:
    """Some mutants of a few modules of each dialect, and some equal pairs."""
    found, mutants = Counts(), Mutants()
    for dialect, names in (("jaxpr", ("constants", "conds")), ("stablehlo", ("collectives", "conds", "scatters"))):
        for name in names:
            found += mutants.count(dialect, name, 12, 0)
    for name in ("constants", "conds", "collectives"):
        found += mutants.count("hlo", f"{name} before optimization", 12, 0)
    mutants.close()
    return found + count_family(("lambda", "carry")) + count_construct("rewrites", 1)


@pytest.mark.full
def test_scanir_calls_no_mutant_the_same(counts: Counts) -> None:
    assert all(counts[dialect, "scanir", "mutants"] > 15 for dialect in TOOLS)
    assert table.wrong(counts) == 0
    assert all(counts[dialect, "scanir", what] == 0 for dialect in TOOLS for what in ("different", "family different"))


@pytest.mark.full
def test_texts_are_wrong_both_ways(counts: Counts) -> None:
    for dialect, tools in TOOLS.items():
        assert counts[dialect, "stripped", "same"] > 0, dialect
        for tool in tools[:-1]:
            assert counts[dialect, tool, "different"] + counts[dialect, tool, "family different"] > 0
    assert counts["hlo", "fingerprint", "shown"] > 0


def test_what_regular_expressions_take_out() -> None:
    a = 'HloModule jit_f, is_scheduled=true\n%add.12 = f32[] add(%x.1, %y.2), metadata={op_name="f/add" source_line=3}'
    b = 'HloModule jit_g, is_scheduled=true\n%add.7 = f32[] add(%x.3, %y), metadata={op_name="g/add" source_line=99}'
    assert stripped("hlo", a) == stripped("hlo", b)
    one = 'module @jit_f {\n %0 = stablehlo.add %arg0, %arg1 : tensor<f32> loc(#loc1)\n}\n#loc1 = loc("f.py":1:2)\n'
    other = "module @jit_g {\n %3 = stablehlo.add %arg4, %arg2 : tensor<f32>\n}\n\n"
    assert stripped("stablehlo", one).split() == stripped("stablehlo", other).split()
    assert stripped("jaxpr", "jit[name=f jaxpr=a]") == stripped("jaxpr", "jit[name=g jaxpr=a]")


def test_the_table_has_a_row_for_each_tool_and_keeps_the_page() -> None:
    counts = Counts({("hlo", "text", "mutants"): 8, ("hlo", "text", "same"): 2, ("hlo", "text", "shown"): 1})
    made = table.page(counts)
    assert "| hlo | plain text | 8 | 2 (25.0 %) | 1 | 0 | 0 (0.0 %) | 0 | 0 (0.0 %) |" in made
    assert made.count("\n| ") == sum(map(len, TOOLS.values()))
    page = f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n"
    assert table.put(page, made) == f"before\n{table.BEGIN}\n{made}\n{table.END}\nafter\n"
    assert table.put(table.put(page, made), made) == table.put(page, made)
