"""What a text says, as tokens: words and numbers; and the noise of each dialect, listed here and nowhere else.

A reader loses nothing where the printed module has every token of its text outside this noise. Names of values and
functions are noise because other tests compare graphs; elements of constants because the print has their bits, which
other tests compare.
"""

from __future__ import annotations

import re
from typing import Any

#: Dialect -> (pattern, what stands for it), in order: what is left out of a text before its tokens are compared.
NOISE: dict[str, tuple[tuple[str, str], ...]] = {
    "hlo": (  # first the usual layouts, which the print leaves out; then comments, and tables of places
        (r"(?<=\])\{(?:7, ?)?(?:6, ?)?(?:5, ?)?(?:4, ?)?(?:3, ?)?(?:2, ?)?(?:1, ?)?0\}", " "),
        (r"(?s)/\*.*?\*/|//[^\n]*", " "),
        (r"(?s)\n[ \t]*(?:FileNames|FunctionNames|FileLocations|StackFrames)[ \t]*\n.*?(?=\n[ \t]*\n|\Z)", "\n"),
        (r"\b(?:metadata|origin)=\{(?:[^{}\"]|\"(?:[^\"\\]|\\.)*\"|\{[^{}]*\})*\}", " "),
        (r"(?m)^[ \t]*(?:ENTRY )?%?[\w.\-]* *(?:\(.*\) *-> .*)?\{[ \t]*$", " "),  # head: types repeat the parameters'
        (r"(?m)^[ \t]*HloModule\s+[^,\s]+", " "),
        (r"(?m)^[ \t]*(?:ROOT[ \t]+)?%?[\w.\-]+[ \t]*=(?=\s)", "\n="),  # the name of a result
        (r"\b(?:ENTRY|ROOT)\b", " "),
        (r"\bparameter\(\d+\)", " "),  # its place
        (r"(?s)\bconstant\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "constant"),
        (r"%[\w.\-]+", " "),  # names of values and computations
        # How a computation is named: in the print it is a region, a branch or a callee.
        (r"\b(?:to_apply|calls|condition|body|select|scatter|called_computations|branch_computations|comparator"
         r"|true_computation|false_computation)=", " "),
        (r"\bcontrol-predecessors=\{[^{}]*\}", " "),  # printed as the values that are waited for
    ),
    "stablehlo": (
        (r"(?m)^[ \t]*#loc.*$", " "),
        (r" loc\((?:[^()]|\([^()]*\))*\)", " "),
        (r"%\w+(?:#\d+)?(?::\d+)?", " "),  # names of values
        (r"\^bb\d+", " "),
        (r"(?s)\bdense(?:_resource)?<.*?> : ", " "),  # elements
        (r"@[\w$.\-]+|@\"[^\"]*\"", " "),  # names of functions and meshes
        (r"\"(?:builtin\.module|func\.func|func\.return|stablehlo\.return|sdy\.return|chlo\.return)\"", " "),
        (r"\b(?:sym_name|callee) = \"?[^,}>]*", " "),
        (r"\bfunction_type = .*?(?=, \w+ = |}>)", " "),  # the parameters' types and the results' again
        # Attributes that say what is so where they are left out.
        (r"\b\w+ = (?:false|array<i1(?:: (?:false(?:, )?)+)?>|\[(?:#stablehlo<precision DEFAULT>(?:, )?)*\]"
         r"|array<i64(?:: (?:1(?:, )?)+)?>|#stablehlo<comparison_type NOTYPE>|1 : i32|\[\]|\"\")(?=[,}])", " "),
        (r"(?m) : \(.*\) -> ", " : "),  # operands' types again
        (r"\b(?:arg_attrs|res_attrs) = ", " "),  # whose they are
        (r"(?<=\d) : [su]?i\d+\b", " "),  # widths of numbers in attributes
        (r"\barray<i\d+(?=[:>])", " "), (r"complex<f32>", "c64"), (r"complex<f64>", "c128"),
        (r"\btensor<(?=[^<]*>)", " <"), (r"(?<=[\d?])x(?=[\d?a-z])", " "), (r"\btensor\b", " "),
    ),
    "jaxpr": (
        (r"(?ms)^(?:jvp_jaxpr_fun|fwd_jaxpr_thunk|bwd|out_trees)=.*?(?=^\w+=|^\w+$|\Z)", " "),  # derivatives: functions
        (r"(?m)^(?:num_consts|cond_nconsts|body_nconsts)=.*$", " "),  # how many operands are captured values
        (r"\bnp\.", " "), (r"\baxis_types=", "types="),
    ),
}  # fmt: skip
#: Another spelling of one thing in the print: element types, and words that say that something is there.
SPELLINGS: dict[str, dict[str, str]] = {
    "hlo": {**{f"s{n}": f"i{n}" for n in (2, 4, 8, 16, 32, 64)}, "pred": "bool", "S": "memory_space"},
    "stablehlo": {**{f"ui{n}": f"u{n}" for n in (2, 4, 8, 16, 32, 64)}, "i1": "bool"},
    "jaxpr": {
        "True": "true",
        "False": "false",
        "None": "none",
        **{f"int{n}": f"i{n}" for n in (4, 8, 16, 32, 64)},
        **{f"uint{n}": f"u{n}" for n in (4, 8, 16, 32, 64)},
        **{f"float{n}": f"f{n}" for n in (16, 32, 64)},
        "bfloat16": "bf16",
        "complex64": "c64",
        "complex128": "c128",
    },
}
#: Names where they are given: before a type, in front of an op or in the head of a computation.
_NAME = re.compile(
    r"([\w.\-]+)[ \t]*=\s*(?=\(|[a-z]\w*\[|[a-z]\w*\[\])|(?m:^)[ \t]*(?:ROOT[ \t]+)?%?([\w.\-]+)[ \t]*=\s"
    r"|[(,]\s*%?([\w.\-]+):"
)
_OPERAND = re.compile(r"(?<![\w.\-%])[\w.\-]+(?![\w.\-(=\[])")
_TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9\-]*|\d+")


def said(dialect: str, text: str) -> set[str]:
    """The tokens of a text outside the noise."""
    names = {name for found in _NAME.findall(text) for name in found} if dialect == "hlo" else set()
    for pattern, new in NOISE[dialect]:
        text = re.sub(pattern, new, text)
    if names:  # operands of dumps without "%"
        text = _OPERAND.sub(lambda match: " " if match[0] in names else match[0], text)
    return set(_TOKEN.findall(text))


def lost(dialect: str, text: str, printed: str) -> set[str]:
    """The tokens of a text that the print of its module has in no spelling."""
    has, spelled = set(_TOKEN.findall(printed)), SPELLINGS[dialect]
    return {token for token in said(dialect, text) - has if spelled.get(token) not in has}


def equations(jaxpr: Any) -> str:
    """What a jaxpr says without the names of its variables: its equations with their parameters, and all types."""
    found, stack = [], [jaxpr]
    while stack:
        part = stack.pop()
        part = getattr(part, "jaxpr", part)
        found += [str(var.aval) for var in (*part.constvars, *part.invars)]
        for eqn in part.eqns:
            found += [eqn.primitive.name, *(str(var.aval) for var in eqn.outvars)]
            for key, value in eqn.params.items():
                inner = [v for v in (value if isinstance(value, tuple) else (value,)) if hasattr(v, "eqns")]
                stack += inner
                if not inner:  # the key of a region is no word of the print
                    found.append(f"{key}={value}")
    return "\n".join(found)
