"""Rules about single values and ops, calls and branches."""

from __future__ import annotations

from scanir.normalize.examples.example import Example

_SIN = """func @main (%x: f32[]) {
  %s = sin(%x) : f32[]
  return %s
}
"""
_SAME = "func @main (%x: f32[]) {\n  return %x\n}\n"

VALUES = {
    "commutative": Example(
        "exchanges operands of sub, div, dot or compare, nor where an op sees which NaN it is (a bit cast)",
        "func @main (%x: f32[], %y: f32[]) {\n  %s = add(%x, %y) : f32[]\n  return %s\n}\n",
        "func @main (%x: f32[], %y: f32[]) {\n  %s = add(%y, %x) : f32[]\n  return %s\n}\n",
        "func @main (%x: f32[], %y: f32[]) {\n  %s = sub(%y, %x) : f32[]\n  return %s\n}\n",
        "func @main (%x: f32[], %y: f32[]) {\n  %s = sub(%x, %y) : f32[]\n  return %s\n}\n",
    ),
    "exact-identities": Example(
        "takes x+0.0 for x (it makes 0.0 of -0.0), reassociates, distributes or contracts",
        """func @main (%x: f32[]) {
  %o = constant() {value = array(f32[], 0x0000803f)} : f32[]  /* 1.0 */
  %s = mul(%x, %o) : f32[]
  return %s
}
""",
        _SAME,
        """func @main (%x: f32[]) {
  %o = constant() {value = array(f32[], 0x00000000)} : f32[]  /* 0.0 */
  %s = add(%x, %o) : f32[]
  return %s
}
""",
    ),
    "no-op": Example(
        "takes a way through a smaller type and back for nothing: bits are lost there",
        "func @main (%x: f32[]) {\n  %s = convert_element_type(%x) : f32[]\n  return %s\n}\n",
        _SAME,
        """func @main (%x: f32[]) {
  %h = convert_element_type(%x) : bf16[]
  %s = convert_element_type(%h) : f32[]
  return %s
}
""",
    ),
    "tuples": Example(
        "takes one element for another",
        """ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  t = (f32[4], f32[4]) tuple(x, y)
  u = f32[4] get-tuple-element(t), index=0
  ROOT r = f32[4] sine(u)
}
""",
        """ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  ROOT r = f32[4] sine(x)
}
""",
        """ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  t = (f32[4], f32[4]) tuple(x, y)
  u = f32[4] get-tuple-element(t), index=1
  ROOT r = f32[4] sine(u)
}
""",
        dialect="hlo text",
    ),
    "payload-noise": Example(
        "sets aside a field that nobody listed, or a whole configuration",
        """func @main (%x: f32[]) {
  %p = constant() {value = array(i64[], 0xe803000000000000)} : i64[]
  %r = stablehlo.custom_call(%p, %x) {backend_config = "1000", call_target_name = "xla_python_cpu_callback"} : f32[]
  return %r
}
""",
        """func @main (%x: f32[]) {
  %p = constant() {value = array(i64[], 0xd007000000000000)} : i64[]
  %r = stablehlo.custom_call(%p, %x) {backend_config = "2000", call_target_name = "xla_python_cpu_callback"} : f32[]
  return %r
}
""",
        """func @main (%x: f32[]) {
  %p = constant() {value = array(i64[], 0xd007000000000000)} : i64[]
  %r = stablehlo.custom_call(%p, %x) {backend_config = "1", call_target_name = "xla_python_cpu_callback"} : f32[]
  return %r
}
""",
        dialect="stablehlo",
        settled=True,
    ),
    "calls": Example(
        "looks through custom_jvp, custom_vjp, remat or an optimization barrier",
        """func @f (%a: f32[]) {
  %b = sin(%a) : f32[]
  return %b
}
func @main (%x: f32[]) {
  %s = jit(%x) {callee = @f} : f32[]
  return %s
}
""",
        _SIN,
        """func @f (%a: f32[]) {
  %b = sin(%a) : f32[]
  return %b
}
func @main (%x: f32[]) {
  %y = optimization_barrier(%x) : f32[]
  %s = jit(%y) {callee = @f} : f32[]
  return %s
}
""",
    ),
    "branch-passthrough": Example(
        "drops a branch one of whose sides computes something",
        """func @main (%x: f32[], %i: i32[]) {
  %b = cond(%i, %x) : f32[] region (%p: f32[]) {
    return %p
  } region (%q: f32[]) {
    return %q
  }
  return %b
}
""",
        "func @main (%x: f32[], %i: i32[]) {\n  return %x\n}\n",
        """func @main (%x: f32[], %i: i32[]) {
  %b = cond(%i, %x) : f32[] region (%p: f32[]) {
    return %p
  } region (%q: f32[]) {
    %s = sin(%q) : f32[]
    return %s
  }
  return %b
}
""",
    ),
    "cse": Example(
        "shares what has an effect, such as a draw of random numbers",
        """func @main (%x: f32[]) {
  %s = sin(%x) : f32[]
  %t = sin(%x) : f32[]
  %u = sub(%s, %t) : f32[]
  return %u
}
""",
        """func @main (%x: f32[]) {
  %s = sin(%x) : f32[]
  %u = sub(%s, %s) : f32[]
  return %u
}
""",
        """func @main (%x: f32[]) {
  %s = rng_uniform(%x) : f32[]
  %u = sub(%s, %s) : f32[]
  return %u
}
""",
        """func @main (%x: f32[]) {
  %s = rng_uniform(%x) : f32[]
  %t = rng_uniform(%x) : f32[]
  %u = sub(%s, %t) : f32[]
  return %u
}
""",
    ),
    "dead-code": Example(
        "drops a check, a collective, a callback or an op that nobody knows: only what is pure",
        "func @main (%x: f32[]) {\n  %s = sin(%x) : f32[]\n  return %x\n}\n",
        _SAME,
        "func @main (%x: f32[]) {\n  %s = check(%x) : f32[]\n  return %x\n}\n",
        _SAME,
    ),
    "constant-argument": Example(
        "binds anything where both sides have as many arguments, or binds two constants to one argument",
        "func @main (%x: f32[], %y: f32[]) {\n  %s = mul(%x, %y) : f32[]\n  return %s\n}\n",
        """func @main (%x: f32[]) {
  %h = constant() {value = array(f32[], 0x0000003f)} : f32[]  /* 0.5 */
  %s = mul(%x, %h) : f32[]
  return %s
}
""",
        """func @main (%x: f32[], %y: f32[]) {
  %h = constant() {value = array(f32[], 0x0000003f)} : f32[]  /* 0.5; y was forgotten */
  %s = mul(%x, %h) : f32[]
  return %s
}
""",
    ),
    "forwarded-outputs": Example(
        "lets a side return more of anything but its own arguments, or both sides return more",
        "func @main (%x: f32[], %y: f32[]) {\n  %s = sin(%x) : f32[]\n  return %s\n}\n",
        "func @main (%x: f32[], %y: f32[]) {\n  %s = sin(%x) : f32[]\n  return %s, %y\n}\n",
        "func @main (%x: f32[], %y: f32[]) {\n  %s = sin(%x) : f32[]\n  return %s, %s\n}\n",
    ),
    "unused-argument": Example(
        "leaves out an argument that is read, if only once",
        "func @main (%x: f32[], %y: f32[]) {\n  %s = sin(%x) : f32[]\n  return %s\n}\n",
        _SIN,
        "func @main (%x: f32[], %y: f32[]) {\n  %s = sin(%y) : f32[]\n  return %s\n}\n",
        _SIN,
    ),
    "weak-type": Example(
        "sets aside a dtype",
        "func @main (%x: f32[]<weak_type = true>) {\n  %s = sin(%x) : f32[]\n  return %s\n}\n",
        _SIN,
        "func @main (%x: f16[]) {\n  %s = sin(%x) : f16[]\n  return %s\n}\n",
    ),
}
