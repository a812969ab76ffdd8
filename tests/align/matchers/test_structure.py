from scanir.align.matchers import structure
from tests.align.sides import named, program, started

REDUCERS = """
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}

most {
  c = f32[] parameter(0)
  d = f32[] parameter(1)
  ROOT q = f32[] maximum(c, d)
}
"""
TWO = """
x = f32[4] parameter(0)
z = f32[] constant(0)
s = f32[] reduce(x, z), dimensions={0}, to_apply=sum
t = f32[] reduce(x, z), dimensions={0}, to_apply=most
o = f32[] subtract(s, t)
"""


def test_loops_of_one_body_are_paired_wherever_they_stand() -> None:
    lines = TWO.strip().splitlines()
    other = "\n".join([*lines[:2], lines[3], lines[2], lines[4]])
    pairing = started(program(TWO, REDUCERS), program(other, REDUCERS))
    structure.match(pairing, *pairing.waiting[0])
    assert named(pairing) == {"reduce": "reduce#2", "reduce#2": "reduce"}


def test_the_only_one_of_its_kind_is_paired_whatever_is_in_it() -> None:
    one = "\n".join(line for line in TWO.splitlines() if not line.startswith("t ")).replace("(s, t)", "(s, s)")
    pairing = started(program(one, REDUCERS), program(one.replace("to_apply=sum", "to_apply=most"), REDUCERS))
    structure.match(pairing, *pairing.waiting[0])
    assert named(pairing) == {"reduce": "reduce"}
