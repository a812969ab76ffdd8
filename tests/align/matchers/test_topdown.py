from scanir.align.matchers import topdown
from tests.align.sides import CHAIN, named, program, started


def test_what_is_below_an_edit_is_paired() -> None:
    pairing = started(program(CHAIN), program(CHAIN.replace("sine", "cosine")))
    topdown.match(pairing, *pairing.waiting[0])
    assert named(pairing) == {"multiply": "multiply", "exponential": "exponential"}


def test_what_nobody_uses_is_left_alone() -> None:
    dead = CHAIN.replace("e = ", "d = f32[4] tanh(m)\ne = ")
    pairing = started(program(dead), program(dead))
    topdown.match(pairing, *pairing.waiting[0])
    assert "tanh" not in named(pairing)
