"""The tools that people have today, each as a text: two programs are the same to a tool where its texts are equal.

``text``: what JAX prints. ``stripped``: the same after regular expressions that take out what changes with names and
places, as many projects have them. ``canonical`` and ``fingerprint``: XLA's own printing options for comparing HLO.
"""

from __future__ import annotations

import re
from typing import Any

#: Tools by dialect, in the order of the table; scanir itself comes last.
TOOLS = {
    "jaxpr": ("text", "stripped", "scanir"),
    "stablehlo": ("text", "stripped", "scanir"),
    "hlo": ("text", "stripped", "canonical", "fingerprint", "scanir"),
}
#: What the regular expressions take out: metadata, locations, names of modules, channel ids, numbers after names.
_STRIPPED = {
    "jaxpr": (
        (r" at 0x[0-9a-f]+", ""), (r"\bname=\S+", ""), (r"\bdebug_info=\S+", ""), (r"\bjaxpr\d+\b", "jaxpr"),
        (r"[ \t]+", " "),
    ),
    "stablehlo": (
        (r"(?m)^#loc.*$", ""), (r" loc\((?:[^()]|\([^()]*\))*\)", ""), (r"(?m)^module @\S+", "module"),
        (r"#stablehlo\.channel_handle<[^>]*>", ""), (r"(%[A-Za-z_]*)\d+", r"\1"), (r"(@[A-Za-z_]+?)_?\d+\b", r"\1"),
        (r"jax\.result_info = \"[^\"]*\"", ""),
    ),
    "hlo": (
        (r"(?m)^HloModule [^,\s]+", "HloModule"),
        (r"(?s)\n(?:FileNames|FunctionNames|FileLocations|StackFrames)\n.*?\n\n", "\n"),
        (r",? metadata=\{(?:[^{}\"]|\"(?:[^\"\\]|\\.)*\"|\{[^{}]*\})*\}", ""), (r",? stack_frame_id=\d+", ""),
        (r",? channel_id=\d+", ""), (r"(%?[A-Za-z_][\w\-]*?)(?:[._]\d+)+\b", r"\1"),
    ),
}  # fmt: skip
_COMPILED = {
    dialect: tuple((re.compile(pattern), new) for pattern, new in rules) for dialect, rules in _STRIPPED.items()
}


def stripped(dialect: str, text: str) -> str:
    """A text without what the regular expressions take for noise."""
    for pattern, new in _COMPILED[dialect]:
        text = pattern.sub(new, text)
    return text


def texts(dialect: str, artifact: Any) -> dict[str, str]:
    """What each tool compares: of a ClosedJaxpr, of StableHLO text in any form, or of an XLA module."""
    match dialect:
        case "jaxpr":
            said = {"text": str(artifact)}
        case "stablehlo":
            from scanir.readers.mlir_context import parse_module

            said = {"text": str(parse_module(artifact, "module"))}
        case _:
            said = printed(artifact)
    return {**said, "stripped": stripped(dialect, said["text"])}


def printed(module: Any) -> dict[str, str]:
    """The texts that XLA itself makes of a module; ``whole`` is no tool, it has all that XLA can print."""
    from jaxlib import _hlo

    options = _hlo.HloPrintOptions
    whole = options()
    whole.print_large_constants = True
    return {
        "whole": module.to_string(whole),
        "text": module.to_string(),
        "canonical": module.to_string(options.canonical()),
        "fingerprint": module.to_string(options.fingerprint()),
    }
