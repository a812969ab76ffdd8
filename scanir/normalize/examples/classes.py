"""Classes: kinds of difference that leave results alone."""

from __future__ import annotations

from scanir.normalize.examples.example import Example

_SINE = "f {\n  a = f32[4] parameter(0)\n  ROOT b = f32[4] sine(a)\n}\n"


def _entry(*lines: str, header: str = "", parts: str = "") -> str:
    body = "".join(f"  {line}\n" for line in lines)
    first = f"HloModule m{header}\n" if header else ""
    return f"{first}{parts}ENTRY e {{\n{body}}}\n"


def _fused(config: str) -> str:
    return _entry(
        "x = f32[4] parameter(0)",
        f"ROOT r = f32[4] fusion(x), kind=kLoop, calls=f, backend_config={config}",
        parts=_SINE,
    )


def _typed(type: str, op: str = "negate(x)") -> str:
    return _entry(f"x = {type} parameter(0)", f"ROOT r = {type} {op}")


_CALL = 'custom-call(x), custom_call_target="mine"'
_PAIR = "func @main (%x: f32[], %y: f32[]) {\n  return %x, %y\n}\n"

CLASSES = {
    "class:interface": Example(
        "takes leaves in another order for the same",
        _PAIR,
        _PAIR,
        "func @main (%x: f32[], %y: f32[]) {\n  return %y, %x\n}\n",
        tells_a=(("result pytree", "PyTreeDef((*, *))"),),
        tells_b=(("result pytree", "PyTreeDef({'loss': *, 'size': *})"),),
        tells_other=(("result pytree", "PyTreeDef((*, *))"),),
    ),
    "class:donation": Example(
        "hides that another value is returned",
        _entry("x = f32[4] parameter(0)", "ROOT r = f32[4] sine(x)"),
        _entry(
            "x = f32[4] parameter(0)",
            "ROOT r = f32[4] sine(x)",
            header=", input_output_alias={ {}: (0, {}, may-alias) }",
        ),
        _entry(
            "x = f32[4] parameter(0)",
            "ROOT r = f32[4] cosine(x)",
            header=", input_output_alias={ {}: (0, {}, may-alias) }",
        ),
        dialect="hlo text",
    ),
    "class:sharding": Example(
        "sets aside the manual ones: of shard_map, or of the custom calls around it",
        _entry("x = f32[4] parameter(0)", "ROOT r = f32[4] sine(x)"),
        _entry("x = f32[4] parameter(0)", "ROOT r = f32[4] sine(x), sharding={replicated}"),
        _entry(
            "x = f32[4] parameter(0)",
            'ROOT r = f32[4] custom-call(x), custom_call_target="SPMDFullToShardShape", sharding={manual}',
        ),
        _entry(
            "x = f32[4] parameter(0)",
            'ROOT r = f32[4] custom-call(x), custom_call_target="SPMDFullToShardShape", sharding={replicated}',
        ),
        dialect="hlo text",
    ),
    "class:layout": Example(
        "sets aside the layouts of a custom call or of a transfer to the host, which see them",
        _typed("f32[4,4]{1,0}"),
        _typed("f32[4,4]{0,1}"),
        _typed("f32[4,4]{0,1}", _CALL),
        _typed("f32[4,4]{1,0}", _CALL),
        dialect="hlo text",
    ),
    "class:memory-space": Example(
        "sets aside the memory spaces of a custom call or of a transfer to the host",
        _typed("f32[4]{0}"),
        _typed("f32[4]{0:S(1)}"),
        _typed("f32[4]{0:S(1)}", _CALL),
        _typed("f32[4]{0}", _CALL),
        dialect="hlo text",
    ),
    "class:schedule": Example(
        "exchanges what a token or a control dependency keeps in order",
        _entry(
            "x = f32[4] parameter(0)",
            "s = f32[4] sine(x)",
            "c = f32[4] cosine(x)",
            "ROOT r = f32[4] subtract(s, c)",
            header=", is_scheduled=true",
        ),
        _entry(
            "x = f32[4] parameter(0)",
            "c = f32[4] cosine(x)",
            "s = f32[4] sine(x)",
            "ROOT r = f32[4] subtract(s, c)",
            header=", is_scheduled=true",
        ),
        _entry(
            "x = f32[4] parameter(0)",
            "y = f32[4] parameter(1)",
            "t = token[] after-all()",
            "u = token[] outfeed(y, t)",
            "ROOT r = token[] outfeed(x, u)",
            header=", is_scheduled=true",
        ),
        _entry(
            "x = f32[4] parameter(0)",
            "y = f32[4] parameter(1)",
            "t = token[] after-all()",
            "u = token[] outfeed(x, t)",
            "ROOT r = token[] outfeed(y, u)",
            header=", is_scheduled=true",
        ),
        dialect="hlo text",
    ),
    "class:backend-config": Example(
        "sets aside a field that is not listed, or the configuration of a dot or of a custom call",
        _fused('{"outer_dimension_partitions":["2"]}'),
        _fused('{"outer_dimension_partitions":["4"]}'),
        _fused('{"precision_of_mine":["4"]}'),
        dialect="hlo text",
    ),
    "class:fusion": Example(
        "takes a fused computation for another one: its ops are compared as if they stood outside",
        _entry("x = f32[4] parameter(0)", "ROOT r = f32[4] fusion(x), kind=kLoop, calls=f", parts=_SINE),
        _entry("x = f32[4] parameter(0)", "ROOT r = f32[4] fusion(x), kind=kInput, calls=f", parts=_SINE),
        _entry(
            "x = f32[4] parameter(0)",
            "ROOT r = f32[4] fusion(x), kind=kLoop, calls=f",
            parts=_SINE.replace("sine", "cosine"),
        ),
        dialect="hlo text",
    ),
    "class:copies": Example(
        "takes a copy that changes the shape or dtype for none",
        _entry("x = f32[4] parameter(0)", "c = f32[4] copy(x)", "ROOT r = f32[4] sine(c)"),
        _entry("x = f32[4] parameter(0)", "ROOT r = f32[4] sine(x)"),
        _entry("x = f32[4] parameter(0)", "c = f32[4] reverse(x), dimensions={0}", "ROOT r = f32[4] sine(c)"),
        modulo=("class:copies", "no-op"),
        dialect="hlo text",
    ),
}
