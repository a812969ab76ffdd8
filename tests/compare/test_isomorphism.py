"""What the pairing of two modules says, it says however often it is asked."""

from __future__ import annotations

from scanir.compare.isomorphism import Isomorphism
from tests.normalize.test_rules import program

ENTRY = "%a = sin(%x) : f32[]\nreturn %a"


def functions(leaf: str) -> str:
    """Two functions nobody calls, which call one more, and that one: `leaf`."""
    shared = f"func @shared (%a: f32[]) {{\n%b = {leaf}(%a) : f32[]\nreturn %b\n}}\n"
    call = "%b = jit(%a) {callee = @shared} : f32[]\n"
    first = f"func @first (%a: f32[]) {{\n{call}%c = cos(%b) : f32[]\nreturn %c\n}}\n"
    second = f"func @second (%a: f32[]) {{\n{call}%c = tanh(%b) : f32[]\nreturn %c\n}}\n"
    return shared + first + second


def test_unlike_functions_that_nobody_calls() -> None:
    pairing = Isomorphism(program(ENTRY, functions=functions("exp")), program(ENTRY, functions=functions("log")))
    for _ in range(2):
        assert pairing.dead_functions() == ["shared", "first", "second"]
        assert not pairing.holds()


def test_like_functions_that_nobody_calls() -> None:
    pairing = Isomorphism(program(ENTRY, functions=functions("exp")), program(ENTRY, functions=functions("exp")))
    for _ in range(2):
        assert pairing.dead_functions() == []
        assert pairing.holds()
