from scanir.align.matchers import context, exact
from tests.align.sides import CHAIN, named, program, started


def test_an_op_of_another_name_is_paired_where_all_around_it_agrees() -> None:
    pairing = started(program(CHAIN), program(CHAIN.replace("multiply", "divide")))
    exact.match(pairing, *pairing.waiting[0])
    assert "multiply" not in named(pairing)
    context.match(pairing, *pairing.waiting[0])
    assert named(pairing) == {"sine": "sine", "multiply": "divide", "exponential": "exponential"}


def test_an_op_put_in_is_nobody() -> None:
    other = CHAIN.replace("m = ", "t = f32[4] tanh(s)\nm = ").replace("multiply(s", "multiply(t")
    pairing = started(program(CHAIN), program(other))
    exact.match(pairing, *pairing.waiting[0])
    context.match(pairing, *pairing.waiting[0])
    assert "tanh" not in named(pairing).values()
    assert named(pairing)["multiply"] == "multiply"
