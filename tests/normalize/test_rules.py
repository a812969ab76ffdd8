"""Each rule on both sides of its side condition: a pair that it makes EQUIVALENT, alone, and a near one that it must
not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from scanir.compare.verdict import compare
from scanir.errors import RuleError
from scanir.ir.parser import parse_module
from scanir.normalize.rules import DEFAULT, GATE_FORBIDS, RULES, gate_forbids, rule_set
from scanir.program import Argument, Interface, Program
from scanir.result import Verdict

ZERO, ONE, TWO = "0x00000000", "0x01000000", "0x02000000"
HALF, ONE_F, MINUS_F = "0x0000003f", "0x0000803f", "0x00000080"


def const(name: str, bits: str, dtype: str = "f32") -> str:
    return f"{name} = constant() {{value = array({dtype}[], {bits})}} : {dtype}[]\n"


def program(body: str, params: str = "%x: f32[], %y: f32[]", dialect: str = "jaxpr", functions: str = "") -> Program:
    module = parse_module(f"module {dialect} entry @main\n{functions}\nfunc @main ({params}) {{\n{body}\n}}\n")
    entry = module.function("main")
    names = [part.split(":")[0].strip(" %") for part in params.split(",")] if params else []
    arguments = tuple(
        Argument(names[k] if k < len(names) else f"p{k}", param.type, k) for k, param in enumerate(entry.body.params)
    )
    return Program(dialect, module, Interface(arguments, tuple(range(len(arguments)))))


def scan(inits: str, params: str, body: str, types: str, length: int = 9) -> str:
    count = len(types.split(", "))
    outs = ", ".join(f"%r{k}" for k in range(count))
    return f"{outs} = scan({inits}) {{length = {length}, num_carry = {count}, reverse = false}} : {types} region ({params}) {{\n{body}\n}}\n"


@dataclass(frozen=True)
class Pair:
    """``rules``: what the pair needs, the rule in question among them; empty for a pair that must stay DIFFERENT."""

    rule: str
    left: Program
    right: Program
    rules: tuple[str, ...] = ()


PLAIN = scan("%x", "%c: f32[]", "%s = mul(%c, %y) : f32[]\nreturn %s", "f32[]") + "return %r0"
COUNTER = "%i: i32[]"
CALLEE = "func @f (%a: f32[]) {\n%b = sin(%a) : f32[]\nreturn %b\n}"
CALLEE_PAIR = "func @f (%a: f32[]) {\n%b = cos(%a) : f32[]\nreturn %b\n}"


#: One slot, scanned inputs and stacked results; the sum of the elements goes round.
def stacking(scanned: str, result: str, stacked: str = "f32[9]", length: int = 9, reverse: str = "false") -> str:
    return (
        f"%c, %z = scan(%x, {scanned}) {{length = {length}, num_carry = 1, reverse = {reverse}}} : f32[], {stacked}"
        f" region (%a: f32[], %e: f32[]) {{\n%s = sub(%a, %e) : f32[]\n{result}\n}}\n"
    )


def copies(stacked: str, body: str = "", names: tuple[str, str] = ("%k", "%zs"), type: str = "f32[9]") -> str:
    """A scan that stacks something, and one that scans the stack."""
    return (
        f"{names[0]}, {names[1]} = scan(%x, %y) {{length = 9, num_carry = 2, reverse = false}} : f32[], f32[], {type}"
        f" region (%a: f32[], %w: f32[]) {{\n{body}%t = sin(%a) : f32[]\nreturn %t, %w, {stacked}\n}}\n"
    ).replace(f"{names[0]}, ", f"{names[0]}, {names[0]}w, ", 1)


VECTOR = "%x: f32[], %xs: f32[9]"
RUN = "%x: f32[], %y: f32[]"
#: What scans the stack, and what closes over the value itself.
SCANS_IT = "%r = scan(%k, %zs) {length = 9, num_carry = 1, reverse = true} : f32[] region (%d: f32[], %e: f32[]) {\n%m = mul(%d, %e) : f32[]\nreturn %m\n}\nreturn %r"
CLOSES = "%r = scan(%k) {length = 9, num_carry = 1, reverse = true} : f32[] region (%d: f32[]) {\n%m = mul(%d, %y) : f32[]\nreturn %m\n}\nreturn %r"
ALONE = "%k = scan(%x) {length = 9, num_carry = 1, reverse = false} : f32[] region (%a: f32[]) {\n%t = sin(%a) : f32[]\nreturn %t\n}\n"

PAIRS = [
    Pair(
        "stacking",
        program(stacking("%xs", "return %s, %e") + "return %c, %z", VECTOR),
        program(stacking("%xs", "return %s, %s") + "return %c, %xs", VECTOR),
        ("stacking",),
    ),
    Pair(  # seen through a call, backwards
        "stacking",
        program(stacking("%xs", "%i = jit(%e) {callee = @i} : f32[]\nreturn %s, %i", reverse="true") + "return %c, %z", VECTOR, functions="func @i (%q: f32[]) {\nreturn %q\n}"),
        program(stacking("%xs", "return %s, %e", reverse="true") + "return %c, %xs", VECTOR),
        ("stacking", "calls"),
    ),
    Pair(  # another value of each trip
        "stacking",
        program(stacking("%xs", "return %s, %s") + "return %c, %z", VECTOR),
        program(stacking("%xs", "return %s, %e") + "return %c, %xs", VECTOR),
    ),
    Pair(  # fewer trips than elements: some of them are not there
        "stacking",
        program(stacking("%xs", "return %s, %e", "f32[9]", 8) + "return %c, %z", VECTOR),
        program(stacking("%xs", "return %s, %e", "f32[9]", 8) + "return %c, %xs", VECTOR),
    ),
    Pair(
        "stacking",
        program(copies("%w") + SCANS_IT, RUN),
        program(ALONE + CLOSES, RUN),
        ("stacking", "carry-closure"),
    ),
    Pair(  # what changes with the trip is no copy
        "stacking",
        program(copies("%a") + SCANS_IT, RUN),
        program(ALONE + CLOSES, RUN),
    ),
    Pair(
        "stacking",
        program("%zs = broadcast_in_dim(%y) {broadcast_dimensions = [], shape = [9]} : f32[9]\n" + ALONE + SCANS_IT, RUN),
        program(ALONE + CLOSES, RUN),
        ("stacking", "dead-code"),
    ),
    Pair(  # along another dimension each element is another one
        "stacking",
        program("%zs = broadcast_in_dim(%xs) {broadcast_dimensions = [0], shape = [9, 9]} : f32[9,9]\n%k = scan(%x, %zs) {length = 9, num_carry = 1, reverse = false} : f32[9] region (%d: f32[9], %e: f32[9]) {\n%m = mul(%d, %e) : f32[9]\nreturn %m\n}\nreturn %k", "%x: f32[9], %xs: f32[9]"),
        program("%k = scan(%x) {length = 9, num_carry = 1, reverse = false} : f32[9] region (%d: f32[9]) {\n%m = mul(%d, %xs) : f32[9]\nreturn %m\n}\nreturn %k", "%x: f32[9], %xs: f32[9]"),
    ),
    Pair(
        "exact-identities",
        program(const("%o", ONE_F) + "%w = broadcast_in_dim(%o) {broadcast_dimensions = [], shape = [4]} : f32[4]\n%s = mul(%v, %w) : f32[4]\nreturn %s", "%v: f32[4]"),
        program("return %v", "%v: f32[4]"),
        ("exact-identities", "dead-code"),
    ),
    Pair(  # the bits of one, read as another integer
        "exact-identities",
        program(const("%o", ONE, "u32") + '%b = bitcast_convert_type(%o) {new_dtype = opaque("dtype", "i32")} : i32[]\n%s = mul(%i, %b) : i32[]\nreturn %s', "%i: i32[]"),
        program("return %i", "%i: i32[]"),
        ("exact-identities", "dead-code"),
    ),
    Pair(  # the bits of 1.0 are not one
        "exact-identities",
        program(const("%o", ONE_F) + '%b = bitcast_convert_type(%o) {new_dtype = opaque("dtype", "i32")} : i32[]\n%s = mul(%i, %b) : i32[]\nreturn %s', "%i: i32[]"),
        program("return %i", "%i: i32[]"),
    ),
    Pair(  # four bytes, of which the first is one
        "exact-identities",
        program(const("%o", ONE, "u32") + '%b = bitcast_convert_type(%o) {new_dtype = opaque("dtype", "i8")} : i8[4]\n%s = mul(%i, %b) : i8[4]\nreturn %s', "%i: i8[4]"),
        program("return %i", "%i: i8[4]"),
    ),
    Pair(  # ones of another shape than they say: no program at all
        "exact-identities",
        program(const("%o", ONE_F) + "%w = broadcast_in_dim(%o) {broadcast_dimensions = [], shape = [3]} : f32[4]\n%s = mul(%v, %w) : f32[4]\nreturn %s", "%v: f32[4]"),
        program("return %v", "%v: f32[4]"),
    ),
    Pair("exact-identities", program("%s = max(%x, %x) : f32[]\nreturn %s"), program("return %x"), ("exact-identities",)),
    Pair("exact-identities", program("%s = and(%x, %x) : i32[]\nreturn %s", "%x: i32[]"), program("return %x", "%x: i32[]"), ("exact-identities",)),
    Pair("exact-identities", program("%s = stablehlo.or(%x, %x) : bool[4]\nreturn %s", "%x: bool[4]", "stablehlo"), program("return %x", "%x: bool[4]", "stablehlo"), ("exact-identities",)),
    Pair("exact-identities", program("%s = max(%x, %y) : f32[]\nreturn %s"), program("return %x")),
    Pair("exact-identities", program("%s = xor(%x, %x) : i32[]\nreturn %s", "%x: i32[]"), program("return %x", "%x: i32[]")),
    Pair(  # max of two NaNs is a NaN, but which
        "exact-identities",
        program("%s = max(%x, %x) : f32[]\n%i = bitcast_convert_type(%s) : i32[]\nreturn %i"),
        program("%i = bitcast_convert_type(%x) : i32[]\nreturn %i"),
    ),
    Pair(
        "carry-closure",
        program(PLAIN),
        program(scan("%x, %y", "%c: f32[], %w: f32[]", "%s = mul(%c, %w) : f32[]\nreturn %s, %w", "f32[], f32[]") + "return %r0"),
        ("carry-closure",),
    ),
    Pair(  # handed on in another slot: not invariant
        "carry-closure",
        program(PLAIN),
        program(scan("%x, %y", "%c: f32[], %w: f32[]", "%s = mul(%c, %w) : f32[]\nreturn %s, %c", "f32[], f32[]") + "return %r0"),
    ),
    Pair(
        "constant-carry",
        program(const("%h", HALF) + scan("%x", "%c: f32[]", "%s = mul(%c, %h) : f32[]\nreturn %s", "f32[]") + "return %r0"),
        program(const("%h", HALF) + scan("%x, %h", "%c: f32[], %w: f32[]", "%s = mul(%c, %w) : f32[]\nreturn %s, %w", "f32[], f32[]") + "return %r0"),
        ("constant-carry",),
    ),
    Pair(  # starts as the constant, and changes
        "constant-carry",
        program(const("%h", HALF) + scan("%x", "%c: f32[]", "%s = mul(%c, %h) : f32[]\nreturn %s", "f32[]") + "return %r0"),
        program(const("%h", HALF) + scan("%x, %h", "%c: f32[], %w: f32[]", "%s = mul(%c, %w) : f32[]\nreturn %s, %s", "f32[], f32[]") + "return %r0"),
    ),
    Pair(
        "carry-order",
        program(scan("%x, %y", "%c: f32[], %d: f32[]", "%s = sin(%c) : f32[]\n%t = cos(%d) : f32[]\nreturn %s, %t", "f32[], f32[]") + "return %r0, %r1"),
        program(scan("%y, %x", "%d: f32[], %c: f32[]", "%s = sin(%c) : f32[]\n%t = cos(%d) : f32[]\nreturn %t, %s", "f32[], f32[]") + "return %r1, %r0"),
        ("carry-order",),
    ),
    Pair(  # initial values exchanged and nothing else: no bijection
        "carry-order",
        program(scan("%x, %y", "%c: f32[], %d: f32[]", "%s = sin(%c) : f32[]\n%t = cos(%d) : f32[]\nreturn %s, %t", "f32[], f32[]") + "return %r0, %r1"),
        program(scan("%y, %x", "%c: f32[], %d: f32[]", "%s = sin(%c) : f32[]\n%t = cos(%d) : f32[]\nreturn %s, %t", "f32[], f32[]") + "return %r0, %r1"),
    ),
    Pair(
        "duplicate-carry",
        program(scan("%x", "%c: f32[]", "%s = sub(%c, %c) : f32[]\nreturn %s", "f32[]") + "return %r0"),
        program(scan("%x, %x", "%c: f32[], %d: f32[]", "%s = sub(%d, %c) : f32[]\nreturn %s, %s", "f32[], f32[]") + "return %r0"),
        ("duplicate-carry",),
    ),
    Pair(  # equal updates, other start
        "duplicate-carry",
        program(scan("%x", "%c: f32[]", "%s = sub(%c, %c) : f32[]\nreturn %s", "f32[]") + "return %r0"),
        program(scan("%x, %y", "%c: f32[], %d: f32[]", "%s = sub(%d, %c) : f32[]\nreturn %s, %s", "f32[], f32[]") + "return %r0"),
    ),
    Pair(
        "dead-carry",
        program(PLAIN),
        program(scan("%x, %x", "%c: f32[], %d: f32[]", "%s = mul(%c, %y) : f32[]\n%t = sin(%d) : f32[]\nreturn %s, %t", "f32[], f32[]") + "return %r0"),
        ("dead-carry",),
    ),
    Pair(  # its update has an effect
        "dead-carry",
        program(PLAIN),
        program(scan("%x, %x", "%c: f32[], %d: f32[]", "%s = mul(%c, %y) : f32[]\n%t = unknown_effect(%d) : f32[]\nreturn %s, %t", "f32[], f32[]") + "return %r0"),
    ),
    Pair(  # steps 1 and 2: two functions of the trip number
        "integer-induction",
        program(const("%z", ZERO, "i32") + const("%o", ONE, "i32") + scan("%z", COUNTER, "%j = add(%i, %o) : i32[]\nreturn %j", "i32[]") + "return %r0"),
        program(const("%z", ZERO, "i32") + const("%o", TWO, "i32") + scan("%z", COUNTER, "%j = add(%i, %o) : i32[]\nreturn %j", "i32[]") + "return %r0"),
    ),
    Pair(  # written as a subtraction of -1: the same function of the trip number
        "integer-induction",
        program(const("%z", ZERO, "i32") + const("%o", ONE, "i32") + scan("%z", COUNTER, "%j = add(%i, %o) : i32[]\nreturn %j", "i32[]") + "return %r0"),
        program(const("%z", ZERO, "i32") + const("%o", "0xffffffff", "i32") + scan("%z", COUNTER, "%j = sub(%i, %o) : i32[]\nreturn %j", "i32[]") + "return %r0"),
        ("integer-induction",),
    ),
    Pair(
        "trivial-loop",
        program(scan("%x", "%c: f32[]", "%s = sin(%c) : f32[]\nreturn %s", "f32[]", length=1) + "return %r0"),
        program("%s = sin(%x) : f32[]\nreturn %s"),
        ("trivial-loop",),
    ),
    Pair(
        "trivial-loop",
        program(scan("%x", "%c: f32[]", "%s = sin(%c) : f32[]\nreturn %s", "f32[]", length=0) + "return %r0"),
        program("return %x"),
        ("trivial-loop",),
    ),
    Pair(
        "trivial-loop",
        program(scan("%x", "%c: f32[]", "%s = sin(%c) : f32[]\nreturn %s", "f32[]", length=2) + "return %r0"),
        program("%s = sin(%x) : f32[]\nreturn %s"),
    ),
    Pair(
        "branch-passthrough",
        program("%b = cond(%i, %x) : f32[] region (%p: f32[]) {\nreturn %p\n} region (%q: f32[]) {\nreturn %q\n}\nreturn %b", "%x: f32[], %i: i32[]"),
        program("return %x", "%x: f32[], %i: i32[]"),
        ("branch-passthrough",),
    ),
    Pair(
        "branch-passthrough",
        program("%b = cond(%i, %x) : f32[] region (%p: f32[]) {\nreturn %p\n} region (%q: f32[]) {\n%s = sin(%q) : f32[]\nreturn %s\n}\nreturn %b", "%x: f32[], %i: i32[]"),
        program("return %x", "%x: f32[], %i: i32[]"),
    ),
    Pair("commutative", program("%s = add(%x, %y) : f32[]\nreturn %s"), program("%s = add(%y, %x) : f32[]\nreturn %s"), ("commutative",)),
    Pair("commutative", program("%s = sub(%x, %y) : f32[]\nreturn %s"), program("%s = sub(%y, %x) : f32[]\nreturn %s")),
    Pair("commutative", program("%s = max(%x, %y) : f32[]\nreturn %s"), program("%s = max(%y, %x) : f32[]\nreturn %s")),
    Pair("commutative", program("%s = add(%x, %y) : f32[3]\nreturn %s", "%x: f32[], %y: f32[3]"), program("%s = add(%y, %x) : f32[3]\nreturn %s", "%x: f32[], %y: f32[3]"), ("commutative",)),
    Pair("commutative", program("%s = sub(%x, %y) : f32[3]\nreturn %s", "%x: f32[], %y: f32[3]"), program("%s = sub(%y, %x) : f32[3]\nreturn %s", "%x: f32[], %y: f32[3]")),
    Pair(  # neither a scalar nor of one shape: nothing that any dialect has
        "commutative",
        program("%s = add(%x, %y) : f32[3]\nreturn %s", "%x: f32[1], %y: f32[3]"),
        program("%s = add(%y, %x) : f32[3]\nreturn %s", "%x: f32[1], %y: f32[3]"),
    ),
    Pair(  # some op sees which NaN it is
        "commutative",
        program("%s = add(%x, %y) : f32[]\n%b = bitcast_convert_type(%s) : i32[]\nreturn %b"),
        program("%s = add(%y, %x) : f32[]\n%b = bitcast_convert_type(%s) : i32[]\nreturn %b"),
    ),
    Pair("exact-identities", program(const("%o", ONE_F) + "%s = mul(%x, %o) : f32[]\nreturn %s"), program("return %x"), ("exact-identities",)),
    Pair("exact-identities", program(const("%o", ONE_F) + '%s = mul(%x, %o) {out_dtype = opaque("none", "")} : f32[]\nreturn %s'), program("return %x"), ("exact-identities",)),
    Pair("exact-identities", program(const("%o", ONE_F) + '%s = mul(%x, %o) {out_dtype = opaque("dtype", "f32")} : f32[]\nreturn %s'), program("return %x")),
    Pair("exact-identities", program(const("%o", MINUS_F) + "%s = add(%x, %o) : f32[]\nreturn %s"), program("return %x"), ("exact-identities",)),
    Pair("exact-identities", program(const("%o", ZERO) + "%s = add(%x, %o) : f32[]\nreturn %s"), program("return %x")),
    Pair("exact-identities", program(const("%o", HALF) + "%s = mul(%x, %o) : f32[]\nreturn %s"), program("return %x")),
    Pair("inexact", program(const("%o", ZERO) + "%s = add(%x, %o) : f32[]\nreturn %s"), program("return %x"), ("inexact",)),
    Pair("inexact", program(const("%o", ONE_F) + "%s = add(%x, %o) : f32[]\nreturn %s"), program("return %x")),
    Pair("no-op", program("%s = convert_element_type(%x) : f32[]\nreturn %s"), program("return %x"), ("no-op",)),
    Pair(
        "no-op",
        program("%s = transpose(%x) {permutation = [1, 0]} : f32[2,2]\nreturn %s", "%x: f32[2,2]"),
        program("return %x", "%x: f32[2,2]"),
    ),
    Pair(
        "no-op",
        program("%h = convert_element_type(%x) : bf16[]\n%s = convert_element_type(%h) : f32[]\nreturn %s"),
        program("return %x"),
    ),
    Pair("cse", program("%s = sin(%x) : f32[]\n%t = sin(%x) : f32[]\n%u = sub(%s, %t) : f32[]\nreturn %u"), program("%s = sin(%x) : f32[]\n%u = sub(%s, %s) : f32[]\nreturn %u"), ("cse",)),
    Pair("cse", program("%s = draw(%x) : f32[]\n%t = draw(%x) : f32[]\n%u = sub(%s, %t) : f32[]\nreturn %u"), program("%s = draw(%x) : f32[]\n%u = sub(%s, %s) : f32[]\nreturn %u")),
    Pair("dead-code", program("%s = sin(%x) : f32[]\nreturn %x"), program("return %x"), ("dead-code",)),
    Pair("dead-code", program("%s = draw(%x) : f32[]\nreturn %x"), program("return %x")),
    Pair(
        "hoisting",
        program("%e = sin(%y) : f32[]\n" + scan("%x", "%c: f32[]", "%s = mul(%c, %e) : f32[]\nreturn %s", "f32[]") + "return %r0"),
        program(scan("%x", "%c: f32[]", "%e = sin(%y) : f32[]\n%s = mul(%c, %e) : f32[]\nreturn %s", "f32[]") + "return %r0"),
        ("hoisting",),
    ),
    Pair(
        "hoisting",
        program("%e = draw(%y) : f32[]\n" + scan("%x", "%c: f32[]", "%s = mul(%c, %e) : f32[]\nreturn %s", "f32[]") + "return %r0"),
        program(scan("%x", "%c: f32[]", "%e = draw(%y) : f32[]\n%s = mul(%c, %e) : f32[]\nreturn %s", "f32[]") + "return %r0"),
    ),
    Pair("calls", program("%s = jit(%x) {callee = @f} : f32[]\nreturn %s", functions=CALLEE), program("%s = sin(%x) : f32[]\nreturn %s"), ("calls",)),
    Pair("calls", program("%s = jit(%x) {callee = @f} : f32[]\nreturn %s", functions=CALLEE_PAIR), program("%s = sin(%x) : f32[]\nreturn %s")),
    Pair("forwarded-outputs", program("%s = sin(%x) : f32[]\nreturn %s"), program("%s = sin(%x) : f32[]\nreturn %s, %y"), ("forwarded-outputs",)),
    Pair("forwarded-outputs", program("%s = sin(%x) : f32[]\nreturn %s"), program("%s = sin(%x) : f32[]\nreturn %s, %s")),
    Pair("forwarded-outputs", program("return %x, %x"), program("return %x, %y")),
    Pair("constant-argument", program("%s = mul(%x, %y) : f32[]\nreturn %s"), program(const("%h", HALF) + "%s = mul(%x, %h) : f32[]\nreturn %s", "%x: f32[]"), ("constant-argument",)),
    Pair(  # equal arity: an argument was forgotten
        "constant-argument",
        program("%s = mul(%x, %y) : f32[]\nreturn %s"),
        program(const("%h", HALF) + "%s = mul(%x, %h) : f32[]\nreturn %s"),
    ),
    Pair(  # two constants for one argument
        "constant-argument",
        program("%s = mul(%x, %y) : f32[]\n%t = sub(%s, %y) : f32[]\nreturn %t"),
        program(const("%h", HALF) + const("%o", ONE_F) + "%s = mul(%x, %h) : f32[]\n%t = sub(%s, %o) : f32[]\nreturn %t", "%x: f32[]"),
    ),
    Pair("unused-argument", program("return %x"), program("return %x", "%x: f32[]"), ("unused-argument",)),
    Pair("unused-argument", program("return %y"), program("return %x", "%x: f32[]")),
    Pair("weak-type", program("%s = sin(%x) : f32[]\nreturn %s", "%x: f32[]<weak_type = true>"), program("%s = sin(%x) : f32[]\nreturn %s", "%x: f32[]"), ("weak-type",)),
    Pair("weak-type", program("%s = sin(%x) : f32[]\nreturn %s", "%x: f32[]"), program("%s = sin(%x) : f16[]\nreturn %s", "%x: f16[]")),
    Pair("class:copies", program("%s = copy(%x) : f32[3]\nreturn %s", "%x: f32[3]", "hlo"), program("return %x", "%x: f32[3]", "hlo"), ("class:copies", "no-op")),
    Pair("class:copies", program('%s = copy(%x) : f32[3,2]<layout = "{0,1}">\nreturn %s', "%x: f32[3,2]", "hlo"), program("return %x", "%x: f32[3,2]", "hlo")),
]  # fmt: skip


@pytest.mark.parametrize("pair", PAIRS, ids=[f"{pair.rule}-{k}" for k, pair in enumerate(PAIRS)])
def test_both_sides_of_the_condition(pair: Pair) -> None:
    answer = compare(pair.left, pair.right, DEFAULT | {pair.rule})
    if not pair.rules:
        assert answer.verdict is Verdict.DIFFERENT
        return
    assert answer.verdict is Verdict.EQUIVALENT
    assert {use.rule for use in answer.modulo} == set(pair.rules)
    assert compare(pair.left, pair.right, frozenset(pair.rules)).verdict is Verdict.EQUIVALENT
    for rule in pair.rules:
        assert compare(pair.left, pair.right, DEFAULT - {rule}).verdict is Verdict.DIFFERENT


def test_names() -> None:
    assert rule_set() == DEFAULT
    assert rule_set(strict=True) == frozenset()
    assert rule_set(["inexact"], ["cse"]) == DEFAULT - {"cse"} | {"inexact"}
    assert rule_set(forbid=["copies"]) == rule_set(forbid=["class:copies"]) == DEFAULT - {"class:copies"}
    assert set(gate_forbids(["donation"], [])) == set(GATE_FORBIDS) - {"class:donation"}
    with pytest.raises(RuleError, match="unknown rule") as caught:
        rule_set(forbid=["carry-closur"])
    assert "carry-closure" in caught.value.hint
    with pytest.raises(RuleError, match="both"):
        rule_set(["cse"], ["cse"])
    assert all(rule.law and rule.condition for rule in RULES.values())
