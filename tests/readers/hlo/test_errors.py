"""Bad input: always a ReadError with a place, never anything else."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.errors import ReadError
from scanir.ir.graph import Module
from scanir.readers.hlo import read_hlo
from tests.growth import growth
from tests.readers.hlo.test_reader import LOOP


def attempt(text: str) -> Module | None:
    """The module, or None where the text is refused with a place and few words."""
    try:
        return read_hlo(text)
    except ReadError as error:
        refusal = error
    assert refusal.where
    assert len(str(refusal)) < 2000
    return None


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] abs(z)\n}", "operand 'z' of 'y' is not defined", "t:3:22"),
        ("ENTRY e {\n y = f32[] abs(x)\n x = f32[] parameter(0)\n}", "used before it is defined", "t:2:16"),
        ("e {\n x = f32[] parameter(0)\n y = f32[] abs(s32[] x)\n}", "operand 'x' is f32[] and not i32[]", "t:3:16"),
        ("ENTRY e {\n x = f32[] parameter(0)\n x = f32[] abs(x)\n}", "second instruction 'x'", "t:3:2"),
        ("ENTRY e { ROOT x = f32[] parameter(0)\nROOT y = f32[] abs(x)\n}", "second ROOT", "t:2:1"),
        ("ENTRY e { x = f32[] parameter(0) }\nENTRY f { x = f32[] parameter(0) }", "second ENTRY", "t:2:1"),
        ("e { x = f32[] parameter(0) }\ne { x = f32[] parameter(0) }", "second computation 'e'", "t:2:1"),
        ("e { x = f32[] parameter(1) }", "parameters [1]", "t:1:1"),
        (
            'HloModule m\n\nFileNames\n1 "a.py"\n\nStackFrames\n1 {file_loc',
            "the table StackFrames is cut off",
            "t:6:12",
        ),
        ("e { x = f32[] parameter(0)\n y = f32[] parameter(0) }", "second parameter 0", "t:2:2"),
        ("e { x = f32[] parameter(zero) }", "number of a parameter", "t:1:25"),
        ("e { x = f32[] constant(1)\n y = f32[] call(x), to_apply=%g }", "computation 'g' is not defined", "t:2:30"),
        ("e { x = f32[] constant(1), index=1, index=2 }", "'index' is given twice", "t:1:43"),
        ("e { x = f32[] constant(1)\n y = f32[] abs(x), control-predecessors={%z} }", "predecessor 'z'", "t:2:41"),
        ("e { x = rng(), distribution=rng_uniform }", "without a type", "t:1:9"),
        ("e { x = f32[] abs(x,,x) }", "is empty", "t:1:19"),
        ("e { }", "has no instruction", "t:1:1"),
        ("", "no computation", "t:1:1"),
        ("HloModule m", "no computation", "t:1:12"),
        ("module @m { }", "'{' was expected", "t:1:8"),
        ("e { x = f32[] constant(1), a= }", "'a' has no value", "t:1:31"),
        ("e { x = f32[] constant({1)} }", "another kind", "t:1:26"),
    ],
)
def test_what_is_wrong_and_where(text: str, what: str, where: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_hlo(text, source="t")
    assert what in caught.value.what
    assert caught.value.where == where


def test_the_line_is_shown() -> None:
    with pytest.raises(ReadError, match=r"ROOT y = f32\[\] abs\(z\)"):
        read_hlo("ENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] abs(z) /* here */\n}")


@pytest.mark.parametrize(
    "text",
    [
        "a { x = f32[] parameter(0)\n ROOT y = f32[] call(x), to_apply=a }",
        "a { x = f32[] parameter(0)\n y = f32[] call(x), to_apply=b }\n"
        "b { x = f32[] parameter(0)\n y = f32[] call(x), to_apply=a }",
        "a { x = f32[] parameter(0)\n ROOT y = f32[] odd(x), unknown={%a} }",
    ],
)
def test_computations_that_refer_to_themselves(text: str) -> None:
    with pytest.raises(ReadError, match="refers to itself"):
        read_hlo(text)


@given(st.integers(1, len(LOOP.rstrip()) - 1))
def test_a_truncated_text_says_where_it_stops(length: int) -> None:
    cut = LOOP[:length]
    module = attempt(cut)
    if module is None:
        return
    # Cut exactly behind a computation: what is there is whole, though not the whole module.
    assert cut.rstrip().endswith("}")
    assert module.entry != "main"


def test_truncation_is_named() -> None:
    with pytest.raises(ReadError) as caught:
        read_hlo(LOOP[: LOOP.index("  %i = s32[]")], source="cut.txt")
    assert "stops here" in caught.value.what
    assert "truncated" in caught.value.hint
    with pytest.raises(ReadError, match=r"begins in line \d+ has no end; the text stops here"):
        read_hlo(LOOP[: LOOP.index("stack_frame_id=1}\n  %j") - 8])


PIECES = [*"{}(),%=[] 0'", '"', "\n", "ROOT", "f32[", "/*", "//", "\\", "nan", "\x00", "é"]


@given(st.data())
def test_mutated_texts_are_read_or_refused(data: st.DataObject) -> None:
    text = LOOP
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(len(text), start + 30)))
        text = text[:start] + data.draw(st.sampled_from(PIECES) | st.text(max_size=3)) + text[stop:]
    attempt(text)


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    attempt(text)


HOSTILE: dict[str, Callable[[int], str]] = {
    "open": lambda n: "e { x = f32[] custom-call(), a=" + "{" * n,
    "braces": lambda n: "e { x = f32[] custom-call(), a=" + "{" * n + "}" * n + " }",
    "parens": lambda n: "e { x = " + "(" * n,
    "literal": lambda n: "e { x = f32[] constant(" + "{" * n + "}" * n + ") }",
    "operands": lambda n: "e { x = f32[] " + "abs(" * (n // 10) + ")" * (n // 10) + " }",
    "computations": lambda n: (
        "e { x = f32[] call(), to_apply=" + "{ y = f32[] call(), to_apply=" * (n // 40) + "}" * (n // 40) + " }"
    ),
    "string": lambda n: 'e { x = f32[] custom-call(), backend_config="' + "\\\\" * n,
    "list": lambda n: "e { x = f32[] abs(" + "a," * n + "b) }",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_recurses_or_grows_faster_than_the_text(name: str) -> None:
    assert growth(lambda size: attempt(HOSTILE[name](size)), 20_000) < 30  # linear: 8, quadratic: 64
