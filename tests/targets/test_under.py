"""The grammar of ``--under``: parsing undoes printing, and every error points at its place."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.errors import ArgumentError
from scanir.targets.under import DEEPEST, TRANSFORMS, Transform, Word, parse_under

WHOLE = st.integers(-(10**9), 10**9)
KEYS = st.from_regex(r"[a-z ]{1,4}", fullmatch=True) | WHOLE


def nest(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=3)
    return lists | lists.map(tuple) | st.dictionaries(KEYS, inner, max_size=3)


AXES = st.recursive(WHOLE | st.none(), nest)
NAMES = st.from_regex(r"[a-z_]{1,6}", fullmatch=True)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "flag": st.booleans(),
    "argnums": WHOLE | st.lists(WHOLE, min_size=1, max_size=3) | st.lists(WHOLE, min_size=1, max_size=3).map(tuple),
    "axes": AXES,
    "text": NAMES,
    "size": st.integers(1, 10**9),
    "policy": st.builds(Word, NAMES, st.none() | st.lists(NAMES, max_size=2).map(tuple)).filter(
        lambda word: word.name not in ("True", "False", "None")
    ),
}


@st.composite
def transforms(draw: st.DrawFn, depth: int = 3) -> Transform:
    name = draw(st.sampled_from(sorted(TRANSFORMS)))
    inner = draw(st.none() | transforms(depth - 1)) if depth and name != "none" else None
    options = draw(st.lists(st.sampled_from(sorted(TRANSFORMS[name])), unique=True)) if TRANSFORMS[name] else []
    return Transform(name, inner, tuple((option, draw(VALUES[TRANSFORMS[name][option]])) for option in options))


@given(st.lists(transforms(), min_size=1, max_size=3))
def test_parsing_undoes_printing(found: list[Transform]) -> None:
    distinct = tuple({str(transform): transform for transform in found}.values())
    assert repr(parse_under(", ".join(map(str, found)))) == repr(distinct)
    assert repr(parse_under([str(transform) for transform in found])) == repr(distinct)


@given(st.text(alphabet="gradvmpj(),=01N_ax'\"[]{}:;\n", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    found: tuple[Transform, ...] | ArgumentError
    try:
        found = parse_under(text)
    except ArgumentError as problem:
        found = problem
    if isinstance(found, ArgumentError):
        assert "^" in found.where
        assert found.hint
    else:
        assert parse_under([str(transform) for transform in found]) == found


def test_what_is_written() -> None:
    (both,) = parse_under("vmap( grad(argnums=(0,1)), in_axes=(0, None), axis_name=i )")
    assert both == Transform(
        "vmap", Transform("grad", None, (("argnums", (0, 1)),)), (("in_axes", (0, None)), ("axis_name", "i"))
    )
    assert [step.name for step in both.chain()] == ["grad", "vmap"]
    assert (both.option("axis_name"), both.option("axis_size", 8)) == ("i", 8)
    assert [str(t) for t in parse_under(["grad,vmap", "grad", "none"])] == ["grad", "vmap", "none"]


@pytest.mark.parametrize(
    ("text", "column", "what", "hint"),
    [
        ("", 0, "a transform is missing here", "for example grad"),
        ("grad,", 5, "a transform is missing here", ""),
        ("grda", 0, "unknown transform 'grda'", "did you mean grad?"),
        ("vmap(grad(argnum=1))", 10, "grad has no option 'argnum'", "did you mean argnums?"),
        ("grad(argnums=x)", 13, "argnums takes a position or several", ""),
        ("grad(argnums=True)", 13, "argnums takes a position", ""),
        ("grad(has_aux=1)", 13, "has_aux takes True or False", ""),
        ("vmap(axis_size=0)", 15, "axis_size takes a whole number from 1", ""),
        ("vmap(in_axes=(0,", 16, "a value is missing", ""),
        ("vmap(in_axes='x')", 13, "in_axes takes axes", ""),
        ("grad)", 4, "expected ',' between transforms, found ')'", ""),
        ("vmap(in_axes=0 grad)", 15, "expected ',' or ')', found 'grad'", ""),
        ("vmap(in_axes=0, grad)", 16, "an option is written name=value", "options of vmap: in_axes"),
        ("none(grad)", 0, "none is the function itself", ""),
        ("none(x=1)", 5, "none has no option 'x'", "known: none"),
        ("grad(argnums=1,argnums=2)", 15, "argnums is given twice", ""),
        ("grad;", 4, "';' has no meaning here", ""),
        ("checkpoint(policy=f(1))", 19, "only texts in quotes", ""),
        ("vmap(in_axes={'a': 0, 'a': 1})", 22, "the key 'a' is given twice", ""),
        ("vmap(" * (DEEPEST + 1), 5 * DEEPEST, "nested more than", ""),
        (f"vmap(in_axes={'[' * 99}", 13 + DEEPEST - 1, "nested more than", ""),
    ],
)
def test_errors_point_at_their_place(text: str, column: int, what: str, hint: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        parse_under(text)
    assert what in caught.value.what
    assert hint in caught.value.hint
    shown, caret = caught.value.where.split("\n")
    at = len(caret) - len("         ^")
    assert caret.strip() == "^"
    if len(text) < 70:
        assert (shown, at) == (text, column)
    else:
        assert shown[at : at + 5] == text[column : column + 5]


def test_only_texts_are_transforms() -> None:
    with pytest.raises(ArgumentError, match="a transform is a text, not a int"):
        parse_under([3])  # type: ignore[list-item]


def test_no_jax_is_imported() -> None:
    code = (
        "import sys; from scanir.targets.under import parse_under as p; p('vmap(grad)'); sys.exit('jax' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
