from scanir.align.matchers import similar
from tests.align.sides import CHAIN, named, program, started


def test_what_is_left_is_paired_in_written_order_where_an_operand_agrees() -> None:
    pairing = started(program(CHAIN), program(CHAIN.replace("sine(x)", 'sine(x), frontend_attributes={k="v"}')))
    similar.match(pairing, *pairing.waiting[0])
    assert named(pairing) == {"sine": "sine", "multiply": "multiply", "exponential": "exponential"}


def test_ops_of_which_nothing_agrees_are_not() -> None:
    one = "x = f32[4] parameter(0)\ny = f32[4] parameter(1)\ne = f32[4] tanh(x)"
    pairing = started(program(one), program(one.replace("tanh(x)", "tanh(y)")))
    similar.match(pairing, *pairing.waiting[0])
    assert named(pairing) == {}
