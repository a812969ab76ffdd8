from scanir.align.matchers import unique
from tests.align.sides import CHAIN, named, program, started


def test_an_op_that_is_alone_of_its_kind_is_paired_wherever_it_stands() -> None:
    other = CHAIN.replace("sine(x)", "sine(y)").replace("multiply(s, y)", "multiply(x, s)")
    pairing = started(program(CHAIN), program(other))
    unique.match(pairing, *pairing.waiting[0])
    assert named(pairing) == {"sine": "sine", "multiply": "multiply", "exponential": "exponential"}


def test_one_of_two_is_not() -> None:
    twice = CHAIN.replace("exponential(m)", "sine(m)")
    pairing = started(program(twice), program(twice))
    unique.match(pairing, *pairing.waiting[0])
    assert named(pairing) == {"multiply": "multiply"}
