"""The grammar of ``--args``: parsing undoes printing, and every error points at its place."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.errors import ArgumentError
from scanir.targets.grammar import DEEPEST, parse
from scanir.targets.specs import DTYPES, SPELLINGS, Parsed, Spec, Static, show

DIMS = st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 100), max_size=4).map(tuple)
SPECS = st.builds(Spec, st.sampled_from([*DTYPES, "key<fry>", "key<rbg>"]), DIMS)
NUMBERS = st.integers() | st.floats() | st.floats(allow_nan=False, allow_infinity=False).map(lambda x: complex(0, x))
LEAVES = SPECS | NUMBERS | st.booleans() | st.none() | st.text()


def nest(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=4)
    return lists | lists.map(tuple) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=3)


VALUES = st.recursive(LEAVES, nest, max_leaves=10)
ARGUMENTS = VALUES | VALUES.map(Static)
NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True)


@given(st.builds(Parsed, st.lists(ARGUMENTS, max_size=4).map(tuple), st.dictionaries(NAMES, ARGUMENTS, max_size=3)))
def test_parsing_undoes_printing(parsed: Parsed) -> None:
    # repr tells 0.0 from -0.0, 1 from True and calls nan equal to itself.
    assert repr(parse(show(parsed))) == repr(parsed)


@given(st.text(alphabet="f32[]{}()<>,:='\"\\.+-eEjxnai0123456789kybTrue \n\té☃\x00", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    parsed: Parsed | ArgumentError
    try:
        parsed = parse(text)
    except ArgumentError as problem:
        parsed = problem
    if isinstance(parsed, ArgumentError):
        assert "^" in parsed.where
        assert parsed.hint
    else:
        assert repr(parse(show(parsed))) == repr(parsed)


@pytest.mark.parametrize(
    ("text", "args"),
    [
        ("", ()),
        ("f32[3], f32[2,100], 0.01", (Spec("f32", (3,)), Spec("f32", (2, 100)), 0.01)),
        ('{"w": bf16[8,8]}', ({"w": Spec("bf16", (8, 8))},)),
        ("key<fry>[], float32[], f8_e4m3fn[2], pred[], s32[1]",
         (Spec("key<fry>"), Spec("f32"), Spec("f8e4m3fn", (2,)), Spec("bool"), Spec("i32", (1,)))),
        ("(), (1), (1,), [], {}, {1: 2}", ((), 1, (1,), [], {}, {1: 2})),
        ("1, -2, +3, 0x1f, 1_000, 1., .5, 1e-6, -inf, 2j", (1, -2, 3, 31, 1000, 1.0, 0.5, 1e-6, float("-inf"), 2j)),
        ("True, False, None, 'it\\'s', \"\\x41\"", (True, False, None, "it's", "A")),
        ("static(3), static('relu')", (Static(3), Static("relu"))),
        ("f32[3],", (Spec("f32", (3,)),)),
        ("f32[ 3 , 4 ]\n", (Spec("f32", (3, 4)),)),
    ],
)  # fmt: skip
def test_what_it_reads(text: str, args: tuple[Any, ...]) -> None:
    assert parse(text) == Parsed(args, {})
    assert [type(value) for value in parse(text).args] == [type(value) for value in args]


def test_keywords() -> None:
    assert parse("f32[], x=f32[8], n=static(3)") == Parsed((Spec("f32"),), {"x": Spec("f32", (8,)), "n": Static(3)})


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("f32[3", 5, "found the end"),
        ("f32[3)", 5, "found ')'"),
        ("f32[-1]", 4, "a dimension is a whole number"),
        ("f32[1.5]", 4, "a dimension is a whole number"),
        ("f32[n]", 4, "a dimension is a whole number"),
        (f"f32[{2**63}]", 4, "a dimension is at most"),
        ("foo[3]", 0, "is not a dtype"),
        ("f32", 0, "without a shape"),
        ("f32[3] f32[3]", 7, "between arguments"),
        ("x=1, 2", 5, "a positional argument after one by keyword"),
        ("x=1, x=2", 5, "given twice"),
        ("{'a': 1, 'a': 2}", 9, "given twice"),
        ("{a: 1}", 1, "a key is a string"),
        ("{1.5: 1}", 1, "a key is a string"),
        ("'abc", 0, "a string that does not end"),
        (r"'\q'", 0, "unknown escape"),
        ("1, @", 3, "has no meaning here"),
        ("1, ,", 3, "expected a value"),
        ("(1, 2", 5, "found the end"),
        ("static(3", 8, "after a static value"),
        ("(static(3),)", 1, "is not a dtype"),
        ("3x", 0, "is not a number"),
        ("1__0", 0, "is not a number"),
        ("x=", 2, "a value is missing"),
        ("__import__('os')", 0, "is not a dtype"),
        ("(" * (DEEPEST + 1), DEEPEST, "nested more than"),
        ("9" * 5000, 0, "is not a number"),
    ],
)
def test_errors_point_at_their_place(text: str, column: int, what: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse(text)
    assert what in caught.value.what
    shown, caret = caught.value.where.split("\n")
    at = caret.index("^") - 9  # the width of "  where: "
    assert at < 80
    if len(text) <= 70:
        assert at == column
        assert shown == text
    else:
        assert shown[at : at + 1] == text[column : column + 1]


def test_nesting_up_to_the_limit() -> None:
    value: Any = parse("[" * DEEPEST + "]" * DEEPEST).args[0]
    for _ in range(DEEPEST - 1):
        (value,) = value
    assert value == []


def test_a_misspelt_dtype_gets_near_names() -> None:
    with pytest.raises(ArgumentError) as caught:
        parse("flot32[3]")
    assert "float32" in caught.value.hint


def test_every_spelling_means_a_dtype() -> None:
    assert set(SPELLINGS.values()) == set(DTYPES)
    for spelling, short in SPELLINGS.items():
        assert parse(f"{spelling}[2]").args == (Spec(short, (2,)),)


def test_reading_imports_neither_jax_nor_numpy() -> None:
    code = "import sys, scanir.targets.grammar as g; g.parse('f32[3]'); print({'jax', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
