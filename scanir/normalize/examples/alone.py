"""Rules that are allowed by hand alone: they take on trust what the programs do not show."""

from __future__ import annotations

from scanir.normalize.examples.example import Example

_SIN = "func @main (%x: f32[]) {\n  %s = sin(%x) : f32[]\n  return %s\n}\n"


def _plus(bits: str, says: str) -> str:
    return (
        f"func @main (%x: f32[]) {{\n  %o = constant() {{value = array(f32[], {bits})}} : f32[]  /* {says} */\n"
        "  %s = add(%x, %o) : f32[]\n  return %s\n}\n"
    )


def _hidden(shape: str) -> str:
    return (
        f"ENTRY e {{\n  x = f32[{shape}] parameter(0)\n  c = f32[{shape}] constant({{...}})\n"
        f"  ROOT r = f32[{shape}] add(x, c)\n}}\n"
    )


def _callback(name: str, digest: str) -> str:
    return (
        f'func @main (%x: f32[]) {{\n  %r = pure_callback(%x) {{callback = callable("{name}", "{digest}")}} : f32[]\n'
        "  return %r\n}\n"
    )


ALONE = {
    "inexact": Example(
        "takes x + 1.0 for x: what it may change are the sign of zeros, NaNs and infinities",
        _plus("0x00000000", "0.0"),
        "func @main (%x: f32[]) {\n  return %x\n}\n",
        _plus("0x0000803f", "1.0"),
        "func @main (%x: f32[]) {\n  return %x\n}\n",
    ),
    "elided-constants": Example(
        "takes constants of different type, or in different places, for equal",
        _hidden("64"),
        _hidden("64"),
        _hidden("64").replace("add(x, c)", "subtract(c, x)"),
        dialect="hlo text",
    ),
    "callback-by-name": Example(
        "takes host functions of another name or code for equal; what they close over is not looked at",
        _callback("log_loss", "aaaa"),
        _callback("log_loss", "aaaa"),
        _callback("log_loss", "bbbb"),
    ),
    "provenance": Example(
        "hides a difference of the programs: they have to be equal as they stand",
        _SIN,
        _SIN,
        _SIN.replace("sin(", "cos("),
        tells_a=(("XLA_FLAGS", ""),),
        tells_b=(("XLA_FLAGS", "--xla_cpu_enable_fast_math=true"),),
        tells_other=(("XLA_FLAGS", ""),),
        dialect="hlo",
    ),
}
