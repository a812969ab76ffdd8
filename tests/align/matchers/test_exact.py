from scanir.align.matchers import exact
from tests.align.sides import CHAIN, named, program, started


def test_what_is_above_an_edit_is_paired() -> None:
    pairing = started(program(CHAIN), program(CHAIN.replace("exponential", "tanh")))
    exact.match(pairing, *pairing.waiting[0])
    assert named(pairing) == {"sine": "sine", "multiply": "multiply"}


def test_the_same_work_done_twice_is_told_apart_by_its_users() -> None:
    twice = """
    x = f32[4] parameter(0)
    s = f32[4] sine(x)
    t = f32[4] sine(x)
    e = f32[4] exponential(s)
    m = f32[4] subtract(e, t)
    """
    other = twice.replace("s = f32[4] sine(x)\n    t = f32[4] sine(x)", "t = f32[4] sine(x)\n    s = f32[4] sine(x)")
    pairing = started(program(twice), program(other))
    exact.match(pairing, *pairing.waiting[0])
    assert named(pairing)["sine"] == "sine#2"
