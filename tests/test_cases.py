"""Real questions with right answers, from the folder beside the repository (its INDEX.md says how a verdict reads).

The project's own programs of the same kinds are in `tests.test_attacks`, `tests.test_matrix` and
`tests.normalize.test_rules`.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import scanir
from scanir.render.text import render_text
from scanir.result import Verdict

pytestmark = pytest.mark.compat

STAGES = ("jaxpr", "stablehlo", "hlo")
ACCEPTED = {
    "same": {Verdict.IDENTICAL, Verdict.EQUIVALENT},
    # What is listed as different may be EQUIVALENT modulo exactly that difference, where results are the same bits.
    "different": {Verdict.DIFFERENT, Verdict.EQUIVALENT},
    "uncertain": {Verdict.INCONCLUSIVE, Verdict.DIFFERENT},
}
#: Questions whose "different" allows nothing milder: effects, NaN, "these args" and promises (INDEX.md).
ONLY_DIFFERENT = ("19", "26", "27", "32", "46")

#: What the report must hold ("to print" in INDEX.md): file, number of the pair, stage, texts.
TO_PRINT: tuple[tuple[str, int, str, tuple[str, ...]], ...] = (
    ("01", 1, "all", ("the same at all stages", "carried unchanged in slot 0: gain", "in slot 1: leak")),
    ("02", 0, "all", ("a has 3, b has 5", "output 2 of b is its input 1 (table) handed on",
                      "output 3 of b is its input 2 (dt) handed on", "outputs 0, 1, 2 of a are outputs 0, 1, 4 of b")),
    ("03", 1, "jaxpr", ("weak-type", "result 1: weak f32[] in a, f32[] in b", "the same program is lowered",
                        "cache key differs")),
    ("03", 2, "jaxpr", ("result 0: weak f32[] in a, f32[] in b", "no-op", "convert_element_type")),
    ("05", 0, "all", ("a constant against an iota", "f32[64], 256 bytes, sha256", "enters main/add",
                      "the same at hlo: compiled away")),
    ("05", 1, "jaxpr", ("a constant against an argument", "f32[64], 256 bytes, sha256")),
    ("06", 0, "hlo", ("constants differ first at flat index 7: 2.6457512 against -2.6457512",)),
    ("07", 1, "all", ("a scan of 16 trips against a while loop", "only a scan can be differentiated in reverse",
                      "integer-induction", "hlo: IDENTICAL")),
    ("10", 1, "jaxpr", ("a conditional (one branch runs) against a select (both sides are computed)",
                        "(i32[]): 0 gives mul(0.5, x), 1 gives add(sin(..), 1.0)",
                        "(bool[]): false gives mul(0.5, x), true gives add(sin(..), 1.0)")),
    ("10", 3, "jaxpr", ("i32[8] against bool[8]",)),
    ("10", 4, "jaxpr", ("operands 1 and 2 of select_n are exchanged",)),
    ("12", 1, "stablehlo", ("calls 2x call boundaries only", "func.call poly")),
    ("12", 2, "jaxpr", ("operand 0 of mul differs", "main/poly/mul")),
    ("13", 0, "jaxpr", ("dead-code", "jit clip")),
    ("13", 1, "stablehlo", ("differ in name alone: @clip_0 is @clip, @clip is @clip_0",)),
    ("16", 0, "hlo", ("class:donation", "a nothing", "b p f32[8,8], 256 bytes: output 0 takes its memory")),
    ("16", 1, "stablehlo", ("a p f32[8,8], 256 bytes: output 0", "b g f32[8,8], 256 bytes: output 0")),
    ("18", 2, "jaxpr", ("1 a permuted with 2; 2 b permuted with 1",)),
    ("18", 3, "jaxpr", ("1 b reset",)),
    ("18", 1, "stablehlo", ("2 a, 3 b invariant",)),
    ("19", 0, "hlo", ("a conditional (one branch runs)", "1 copy a trip, 4 bytes", "carry 0: i32[], 4 bytes")),
    ("24", 0, "jaxpr", ("from split(slot 1, 2)[1]; slot 1 of the scan starts as key", "from split(key, 4)[i]")),
    ("24", 2, "jaxpr", ("from fold_in(key, i)",)),
    ("24", 3, "jaxpr", ("from key", "one key is used again in each trip of main/scan")),
    ("26", 0, "jaxpr", ("a debug_print 'a {}' (print, ordered) a debug_print 'b {}' (print, ordered)",)),
    ("26", 0, "hlo", ("cannot tell", "known by number only")),
    ("26", 2, "jaxpr", ("ordered = false against true",)),
    ("26", 4, "jaxpr", ("fmt = b {} against c {}",)),
    ("27", 0, "jaxpr", ("dead-carry", "dead")),
    ("27", 2, "jaxpr", ("debug_print 's={}' (print, in no order) in scan", "dead")),
    ("27", 3, "jaxpr", ("io_callback", "(host callback, ordered) in scan")),
    ("30", 0, "jaxpr", ("scan of 0 trips",)),
    ("30", 2, "hlo", ("while, dynamic trips",)),
    ("32", 0, "jaxpr", ("operand 0 of lt", "i32[3] against u32[3]")),
    ("32", 0, "stablehlo", ("compare_type = SIGNED against UNSIGNED",)),
    ("32", 2, "hlo", ("maximum of i32[3] against maximum of u32[3]",)),
    ("35", 0, "hlo", ("a 0 = x, 1 = y; jit dropped z", "b 0 = x, 1 = z; jit dropped y")),
    ("36", 0, "all", ("main/scan/exp: loop depth 1 in a, 0 in b", "only: the compiler does the same on both sides")),
    ("39", 1, "jaxpr", ("another function object of equal code, so unknown",)),
    ("39", 2, "jaxpr", ("host (code", "other (code")),
    ("41", 0, "jaxpr", ("operands of a commutative op exchange", "in main/add")),
    ("41", 1, "jaxpr", ("operands 0 and 1 of sub are exchanged", "main/sub")),
    ("41", 2, "jaxpr", ("x and y changed places",)),
    ("41", 3, "hlo", ("results 0 and 1 are exchanged",)),
    ("41", 4, "jaxpr", ("cse", "duplicated pure work counts once", "main/sin")),
    ("43", 2, "jaxpr", ("a scan of 6 trips against a while loop", "trip count 6 against dynamic")),
    ("46", 0, "jaxpr", ("gather:", "CLIP against", "FILL_OR_DROP")),
    ("46", 2, "hlo", ("sort: is_stable = true against absent",)),
    ("46", 4, "hlo", ("the region of reduce: add against maximum",)),
    ("46", 7, "stablehlo", ("exponent_bits = 8 against 5",)),
    ("48", 1, "jaxpr", ("permuted with", "loop 2")),
    ("48", 2, "stablehlo", ("permuted with", "loop 2")),
)  # fmt: skip


def test_what_is_printed(shared_dir: Path) -> None:
    """The report holds what the person who asked needs to see."""
    paths = {path.name[:2]: path for path in (shared_dir / "cases").glob("[0-9]*.py")}
    pairs = {name: load(path).PAIRS for name, path in paths.items()}
    missing = []
    for name, number, stage, texts in TO_PRINT:
        f, g, args, *_ = pairs[name][number]
        report = " ".join(render_text(scanir.diff(f, g, *args, stage=stage), width=400).split())
        missing += [f"{paths[name].name} {number} at {stage}: {text}" for text in texts if text not in report]
    print(f"cases: {len(TO_PRINT) - len(missing)} of {len(TO_PRINT)} print what they must")
    assert pairs.keys() == {name for name, *_ in TO_PRINT}
    assert missing == []


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"case_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_cases(shared_dir: Path) -> None:
    """Every listed verdict, and for each EQUIVALENT that its rules are enough and cannot be spared."""
    wrong, asked = [], 0
    for path in sorted((shared_dir / "cases").glob("[0-9]*.py")):
        for f, g, args, wanted, reason in load(path).PAIRS:
            for stage in STAGES:
                asked += 1
                answer = scanir.diff(f, g, *args, stage=stage)
                accepted = ACCEPTED[wanted[stage]]
                if wanted[stage] == "different" and path.name.startswith(ONLY_DIFFERENT):
                    accepted = {Verdict.DIFFERENT}
                place = f"{path.name} {f.__name__}/{g.__name__} at {stage} ({reason})"
                if answer.verdict not in accepted:
                    wrong.append(f"{place}: {answer.verdict.name} where {wanted[stage]} is right")
                if answer.verdict is Verdict.EQUIVALENT:
                    needed = list(answer.modulo)
                    if not scanir.diff(f, g, *args, stage=stage, strict=True, allow=needed):
                        wrong.append(f"{place}: {needed} are not enough")
                    for rule in needed:
                        fewer = [other for other in needed if other != rule]
                        if scanir.diff(f, g, *args, stage=stage, strict=True, allow=fewer):
                            wrong.append(f"{place}: {rule} can be spared")
    print(f"cases: {asked - len(wrong)} of {asked} right")
    assert asked > 200
    assert wrong == []
