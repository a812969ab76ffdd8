"""Answers made by hand, for the tests of every format."""

from __future__ import annotations

from dataclasses import replace

from scanir.cost import Cost
from scanir.result import (
    Binding,
    Capture,
    CarryFact,
    CopyFact,
    Diff,
    Fact,
    Filling,
    ForwardedOutput,
    LoopDiff,
    LoopSide,
    Mismatch,
    RuleUse,
    SideCost,
    StageDiff,
    Verdict,
)

LEFT = LoopSide("lambda/scan", "scan", 2, 31, "rollout.py", 61)
RIGHT = LoopSide("carry/scan", "scan", 5, 31, "rollout.py", 82)

PERMUTED = LoopSide(
    "swapped/scan",
    "scan",
    5,
    30,
    "rollout.py",
    70,
    (
        CarryFact(0, "f32[3]", "computed", "s0"),
        CarryFact(1, "f32[]", "permuted", "dtau", 2),
        CarryFact(2, "f32[]", "permuted", "damp", 1),
        CarryFact(3, "f32[]", "forwarded", "0.5", 1),
        CarryFact(4, "i32[]", "computed", "0", live=False),
    ),
    2,
    24,
    ("f32[3]", "f32[] 3x"),
)

IDENTICAL = Diff(
    "lambda",
    "def",
    (
        StageDiff(
            "hlo",
            Verdict.IDENTICAL,
            loops=(
                LoopDiff(
                    "IDENTICAL",
                    LEFT,
                    LEFT,
                    100,
                    (Capture(0, "f32[2,100]", Filling("carried", "a", 3), Filling("carried", "a", 3)),),
                ),
            ),
        ),
    ),
)

EQUIVALENT = Diff(
    "lambda",
    "carry",
    (
        StageDiff(
            "jaxpr",
            Verdict.EQUIVALENT,
            modulo=(
                RuleUse("forwarded-outputs", 3, ("result 2", "result 3", "result 4")),
                RuleUse("carry-closure", 3, ("carry/scan",)),
            ),
            forwarded_outputs=(
                ForwardedOutput("b", 2, 1, "a"),
                ForwardedOutput("b", 3, 2, "dtau"),
                ForwardedOutput("b", 4, 3),
            ),
            loops=(
                LoopDiff(
                    "EQUIVALENT",
                    LEFT,
                    RIGHT,
                    100,
                    (
                        Capture(0, "f32[2,100]", Filling("closed-over", "a"), Filling("carried", "a", 2)),
                        Capture(1, "f32[]", Filling("closed-over", "dtau"), Filling("carried", "dtau", 3)),
                        Capture(2, "f32[]", Filling("closed-over", "damp"), Filling("carried", "damp", 4)),
                    ),
                ),
            ),
        ),
        StageDiff("hlo", Verdict.IDENTICAL),
    ),
)

BOUND = Diff(
    "lambda",
    "constant",
    (
        StageDiff(
            "hlo",
            Verdict.EQUIVALENT,
            modulo=(RuleUse("constant-argument", 2),),
            bindings=(Binding("a", "dtau", "0.01"), Binding("a", "damp", "1e-06")),
            assumptions=("terminates: main/while, a loop that is removed",),
            loops=(
                LoopDiff(
                    "EQUIVALENT",
                    LEFT,
                    RIGHT,
                    None,
                    (
                        Capture(0, "f32[]", Filling("closed-over", "dtau"), Filling("constant", "0.01")),
                        Capture(1, "f32[2]", Filling("scanned", "a", 0), Filling("computed", "mul -> f32[2]")),
                        Capture(2, "f32[]", Filling("closed-over", "damp"), None),
                    ),
                    ("trip count 3 against dynamic",),
                ),
            ),
        ),
    ),
)

DIFFERENT = Diff(
    "lambda",
    "swapped",
    (
        StageDiff(
            "hlo",
            Verdict.DIFFERENT,
            mismatch=Mismatch(
                "lambda/scan/mul",
                "swapped/scan/mul",
                "dtau",
                "damp",
                "operand 1 of mul differs: damp and dtau changed places",
                "rollout.py:44",
                "rollout.py:44",
            ),
            loops=(LoopDiff("SAME-BODY", LEFT, LEFT, 100), LoopDiff("UNPAIRED", None, RIGHT, None)),
            provenance=("jax: 0.10.2 against 0.12.0",),
        ),
    ),
)

INCONCLUSIVE = Diff(
    "before.txt",
    "after.txt",
    (
        StageDiff(
            "hlo",
            Verdict.INCONCLUSIVE,
            reasons=("a constant is elided (2 times): dump with --xla_dump_large_constants",),
            notes=("the text was made without large constants",),
        ),
    ),
)

FACTS = Diff(
    "carry",
    "rotated",
    (
        StageDiff(
            "hlo",
            Verdict.DIFFERENT,
            loops=(LoopDiff("DIFFERENT", LEFT, PERMUTED, 100),),
            facts=(
                Fact("outputs", "", "a has 1, b has 2"),
                Fact("outputs", "b", "output 1 without a counterpart"),
                Fact("arguments of the module", "a", "0 = s0; jit dropped dtau"),
                Fact("arguments of the module", "b", "0 = s0, 1 = dtau"),
            ),
        ),
    ),
)

_COSTS = (
    SideCost(Cost(ops=33, flops=1900, bytes=332944, copies=22, copied_bytes=1108, fusions=7), (("temp", 360),)),
    SideCost(Cost(ops=33, flops=5800, bytes=488357, copies=43, copied_bytes=87124, fusions=7), (("temp", 8688),)),
)
COSTLY = Diff(
    "closed",
    "through_cond",
    (
        StageDiff("jaxpr", Verdict.EQUIVALENT, (RuleUse("calls", 1),)),
        StageDiff(
            "hlo",
            Verdict.DIFFERENT,
            loops=(
                LoopDiff(
                    "DIFFERENT",
                    replace(LEFT, trip=Cost(ops=13, flops=514, bytes=7513)),
                    replace(
                        LEFT,
                        copies=3,
                        copied_bytes=8196,
                        copied=("f32[1024] 2x", "i32[]"),
                        copy_facts=(
                            CopyFact(2, "w", "f32[1024]", 4096, 2, "model.py", 11),
                            CopyFact(None, "", "i32[]", None, 1),
                        ),
                        trip=Cost(ops=24, flops=1538, bytes=23897, collectives=1, callbacks=2, dynamic=True),
                    ),
                    20,
                ),
            ),
            costs=_COSTS,
        ),
    ),
)

ALL = {
    "identical": IDENTICAL,
    "equivalent": EQUIVALENT,
    "bound": BOUND,
    "different": DIFFERENT,
    "inconclusive": INCONCLUSIVE,
    "facts": FACTS,
    "costly": COSTLY,
}
