"""Rules about loops."""

from __future__ import annotations

from scanir.normalize.examples.example import Example


def _scan(inits: str, params: str, body: str, types: str, before: str = "", length: int = 9) -> str:
    """A function that runs one scan, whose carries are results."""
    results = ", ".join(f"%r{k}" for k in range(len(types.split(", "))))
    carried = len(types.split(", "))
    inner = "".join(f"    {line}\n" for line in body.split("\n"))
    outer = "".join(f"  {line}\n" for line in before.split("\n") if line)
    return (
        f"func @main (%x: f32[], %y: f32[]) {{\n{outer}  {results} = scan({inits})\n"
        f"    {{length = {length}, num_carry = {carried}, reverse = false}}\n"
        f"    : {types} region ({params}) {{\n{inner}  }}\n  return %r0\n}}\n"
    )


_HALF = "%h = constant() {value = array(f32[], 0x0000003f)} : f32[]  /* 0.5 */"
_CLOSED = _scan("%x", "%c: f32[]", "%s = mul(%c, %y) : f32[]\nreturn %s", "f32[]")


def _counter(op: str, bits: str, says: str) -> str:
    return _scan(
        "%z",
        "%i: i32[]",
        f"%j = {op}(%i, %o) : i32[]\nreturn %j",
        "i32[]",
        "%z = constant() {value = array(i32[], 0x00000000)} : i32[]\n"
        f"%o = constant() {{value = array(i32[], {bits})}} : i32[]  /* {says} */",
    )


def _stacks(stacked: str, result: str) -> str:
    return f"""func @main (%x: f32[], %xs: f32[9]) {{
  %c, %z = scan(%x, %xs)
    {{length = 9, num_carry = 1, reverse = false}}
    : f32[], f32[9] region (%a: f32[], %e: f32[]) {{
    %s = sub(%a, %e) : f32[]
    return %s, {stacked}
  }}
  return %c, {result}
}}
"""


LOOPS = {
    "carry-closure": Example(
        "takes a carry for a captured value because it is at the same position, or once it changes",
        _CLOSED,
        _scan("%x, %y", "%c: f32[], %w: f32[]", "%s = mul(%c, %w) : f32[]\nreturn %s, %w", "f32[], f32[]"),
        _scan("%x, %y", "%c: f32[], %w: f32[]", "%s = mul(%c, %w) : f32[]\nreturn %s, %c", "f32[], f32[]"),
    ),
    "constant-carry": Example(
        "takes a carry for the constant it starts as once it changes",
        _scan("%x", "%c: f32[]", "%s = mul(%c, %h) : f32[]\nreturn %s", "f32[]", _HALF),
        _scan("%x, %h", "%c: f32[], %w: f32[]", "%s = mul(%c, %w) : f32[]\nreturn %s, %w", "f32[], f32[]", _HALF),
        _scan("%x, %h", "%c: f32[], %w: f32[]", "%s = mul(%c, %w) : f32[]\nreturn %s, %s", "f32[], f32[]", _HALF),
    ),
    "duplicate-carry": Example(
        "merges carries of equal update that start as different values",
        _scan("%x", "%c: f32[]", "%s = sub(%c, %c) : f32[]\nreturn %s", "f32[]"),
        _scan("%x, %x", "%c: f32[], %d: f32[]", "%s = sub(%d, %c) : f32[]\nreturn %s, %s", "f32[], f32[]"),
        _scan("%x, %y", "%c: f32[], %d: f32[]", "%s = sub(%d, %c) : f32[]\nreturn %s, %s", "f32[], f32[]"),
    ),
    "dead-carry": Example(
        "leaves out a carry whose update has an effect",
        _CLOSED,
        _scan(
            "%x, %x",
            "%c: f32[], %d: f32[]",
            "%s = mul(%c, %y) : f32[]\n%t = sin(%d) : f32[]\nreturn %s, %t",
            "f32[], f32[]",
        ),
        _scan(
            "%x, %x",
            "%c: f32[], %d: f32[]",
            "%s = mul(%c, %y) : f32[]\n%t = check(%d) : f32[]\nreturn %s, %t",
            "f32[], f32[]",
        ),
    ),
    "carry-order": Example(
        "exchanges initial values alone: one bijection holds for starts, parameters, next values and results",
        _scan(
            "%x, %y",
            "%c: f32[], %d: f32[]",
            "%s = sub(%c, %d) : f32[]\n%t = cos(%d) : f32[]\nreturn %s, %t",
            "f32[], f32[]",
        ),
        _scan(
            "%y, %x",
            "%d: f32[], %c: f32[]",
            "%s = sub(%c, %d) : f32[]\n%t = cos(%d) : f32[]\nreturn %t, %s",
            "f32[], f32[]",
        ).replace("return %r0", "return %r1"),
        _scan(
            "%y, %x",
            "%c: f32[], %d: f32[]",
            "%s = sub(%c, %d) : f32[]\n%t = cos(%d) : f32[]\nreturn %s, %t",
            "f32[], f32[]",
        ),
    ),
    "integer-induction": Example(
        "holds for floats, for steps that are no constants, or on trust in a declared trip count",
        _counter("add", "0x01000000", "1"),
        _counter("sub", "0xffffffff", "-1"),
        _counter("add", "0x02000000", "2"),
    ),
    "trivial-loop": Example(
        "takes a loop of two trips for its body",
        _scan("%x", "%c: f32[]", "%s = sin(%c) : f32[]\nreturn %s", "f32[]", length=1),
        "func @main (%x: f32[], %y: f32[]) {\n  %s = sin(%x) : f32[]\n  return %s\n}\n",
        _scan("%x", "%c: f32[]", "%s = sin(%c) : f32[]\nreturn %s", "f32[]", length=2),
        "func @main (%x: f32[], %y: f32[]) {\n  %s = sin(%x) : f32[]\n  return %s\n}\n",
    ),
    "stacking": Example(
        "takes what changes with the trip for a copy, or a scan of fewer trips for the whole input",
        _stacks("%e", "%z"),
        _stacks("%s", "%xs"),
        _stacks("%s", "%z"),
    ),
    "hoisting": Example(
        "moves what has an effect: a draw in the loop is made once a trip",
        _scan("%x", "%c: f32[]", "%s = mul(%c, %e) : f32[]\nreturn %s", "f32[]", "%e = sin(%y) : f32[]"),
        _scan("%x", "%c: f32[]", "%e = sin(%y) : f32[]\n%s = mul(%c, %e) : f32[]\nreturn %s", "f32[]"),
        _scan("%x", "%c: f32[]", "%e = rng_uniform(%y) : f32[]\n%s = mul(%c, %e) : f32[]\nreturn %s", "f32[]"),
        _scan("%x", "%c: f32[]", "%s = mul(%c, %e) : f32[]\nreturn %s", "f32[]", "%e = rng_uniform(%y) : f32[]"),
    ),
}
