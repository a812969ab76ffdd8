from scanir.align.matchers import bottomup
from tests.align.sides import CHAIN, named, program, started


def test_another_type_everywhere_leaves_the_names_of_ops() -> None:
    pairing = started(program(CHAIN), program(CHAIN.replace("f32[4]", "f32[8]")))
    bottomup.match(pairing, *pairing.waiting[0])
    assert named(pairing) == {"sine": "sine", "multiply": "multiply", "exponential": "exponential"}
