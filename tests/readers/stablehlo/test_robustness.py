"""Bad input is a ReadError, never another exception and never the end of the process."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.errors import ReadError
from scanir.readers.mlir_context import MAX_NESTING, nesting
from scanir.readers.stablehlo import read_stablehlo
from tests.readers.stablehlo.test_structure import NESTED

ROOT = Path(__file__).parents[3]
TOKENS = re.findall(r'"[^"]*"|[%@#!^]?[\w.]+|\s+|.', NESTED)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "module { " * 100_000,
        'func.func @main() { "a.b"() {a = ' + "[" * 100_000 + "]" * 100_000 + "} : () -> () return }",
        "func.func @main(%a: " + "tuple<" * 100_000 + ">" * 100_000 + ") { return }",
        "func.func @main() { " + '"a.b"() ({ ' * 50_000 + "}) : () -> () " * 50_000 + "return }",
        "#a0 = [1]\n" + "".join(f"#a{k + 1} = [#a{k}]\n" for k in range(50_000)) + "func.func @main() { return }",
        "(>=" * 100_000,
    ],
    ids=["lists", "modules", "attribute", "types", "regions", "aliases", "comparisons"],
)
def test_extreme_nesting(text: str) -> None:
    with pytest.raises(ReadError, match="nest deeper"):
        read_stablehlo(text)


def test_nesting_is_counted_outside_of_strings_and_comments() -> None:
    deep = "(" * 3000
    assert nesting(f'"{deep}" // {deep}\n' + "() -> ()\n" * 3000) == 1
    assert nesting("(" * 2500 + ")" * 2500) == 2500
    assert nesting("<" * 1500 + "(" * 1500) == 3000
    assert nesting("( > " * 2500) >= 2500


def test_deep_but_not_too_deep() -> None:
    depth = MAX_NESTING // 3
    source = "func.func @main() { " + '"a.b"() ({ ' * depth + "}) : () -> () " * depth + "return }"
    region = read_stablehlo(source).functions[0].body
    found = 0
    while region.ops:
        found, region = found + 1, region.ops[0].regions[0]
    assert found == depth


@given(st.lists(st.tuples(st.integers(0, len(TOKENS) - 1), st.integers(0, len(TOKENS) - 1)), min_size=1, max_size=4))
def test_exchanged_tokens(swaps: list[tuple[int, int]]) -> None:
    tokens = list(TOKENS)
    for i, j in swaps:
        tokens[i], tokens[j] = tokens[j], tokens[i]
    with contextlib.suppress(ReadError):
        assert read_stablehlo("".join(tokens)).entry


@given(st.integers(0, len(NESTED)), st.text(max_size=20))
def test_inserted_text(place: int, text: str) -> None:
    with contextlib.suppress(ReadError):
        assert read_stablehlo(NESTED[:place] + text + NESTED[place:]).entry


@given(st.binary(max_size=100))
def test_bytes(data: bytes) -> None:
    with pytest.raises(ReadError):
        read_stablehlo(data)


def test_a_text_cut_short_is_told_as_that() -> None:
    end = NESTED.rindex("}")
    for length in range(NESTED.index("{") + 1, end, 7):
        with pytest.raises(ReadError) as caught:
            read_stablehlo(NESTED[:length])
        assert "truncated" in caught.value.hint
    with pytest.raises(ReadError) as caught:
        read_stablehlo(NESTED.replace("func.func", "func.fun", 1))
    assert not caught.value.hint


def test_bytecode_cut_short() -> None:
    """In a process of its own: MLIR's reader of bytecode is the one that decides here."""
    code = f"""
import io
from scanir._compat_mlir import mlir_ir, new_context
from scanir.errors import ReadError
from scanir.readers.stablehlo import read_stablehlo
buffer = io.BytesIO()
mlir_ir().Module.parse({NESTED!r}, new_context()).operation.write_bytecode(buffer)
whole = buffer.getvalue()
assert read_stablehlo(whole).entry == "main"
refused = 0
for length in range(len(whole)):
    try:
        read_stablehlo(whole[:length])
    except ReadError:
        refused += 1
assert refused == len(whole)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_diagnostic_that_is_not_utf8() -> None:
    """The bindings' own list of diagnostics ends the process here."""
    with pytest.raises(ReadError, match="not UTF-8"):
        read_stablehlo('func.func @"\\FF"() { return } func.func @"\\FF"() { return }')


def test_nothing_is_printed() -> None:
    """Reading prints nothing: diagnostics of MLIR end up in the error."""
    code = (
        "import contextlib\n"
        "from scanir.errors import ReadError\n"
        "from scanir.readers.stablehlo import read_stablehlo\n"
        "with contextlib.suppress(ReadError):\n"
        "    read_stablehlo('module {')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")
