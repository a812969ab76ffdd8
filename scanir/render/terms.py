"""The words of reports that are no rules: verdicts, what is said of loops and of evidence."""

from __future__ import annotations

from scanir.checker.verdict import OBLIGATIONS

_WORDS = {
    "IDENTICAL": "the same graph: only names, locations, metadata and printing order differ. Exit code 0.",
    "EQUIVALENT": (
        "the same canonical form, modulo the rules and classes listed: the same results on every input that meets the "
        "printed bindings and assumptions, as the IR defines its ops, bit for bit, all NaNs of computed values "
        "counting as one. Generated code may still round otherwise. Exit code 0."
    ),
    "DIFFERENT": (
        "no proof of equality within the rules in force; the first mismatch is shown. It is not said that results "
        "differ: --run looks for an input where they do. Exit code 1."
    ),
    "INCONCLUSIVE": (
        "something hides the answer: an elided constant, a host function that cannot be compared, an effect nobody "
        "knows. The reasons say what, and how to get an answer. Exit code 3."
    ),
    "modulo": "the rules and classes that an EQUIVALENT needs: all of them together are enough, none can be spared.",
    "refuted": "DIFFERENT, and --run found an input on which results differ; it is shown, made small.",
    "unproved": "DIFFERENT, and results agreed on every input that --run tried. No proof of either.",
    "contradicted": "a verdict of equality that running the sides shows to be wrong: a bug of scanir's. Exit code 2.",
    "SAME-BODY": (
        "a pair of loops with the same body and condition, to which the sides give other values, or another number of "
        "trips: the table of holes says which."
    ),
    "UNPAIRED": "a loop of one side for which the other side has no counterpart.",
    "hole": (
        "a place in a loop's body where a value from outside enters: an argument closed over, a carry handed on "
        "unchanged, an element of what is scanned, a constant. Each side fills it with something of its own."
    ),
    "slot": "a value that a loop carries from trip to trip, numbered as the loop is written.",
    "carry": "the value of a slot: it starts as an initial value, and each trip computes the next one.",
    "invariant": "a carry that each trip hands on as it is.",
    "binding": (
        "an argument of one side that is a constant of the other (dtau := 0.01): the verdict holds for that value. See "
        "the rule constant-argument."
    ),
    "assumption": "what has to be true besides for the verdict to hold, such as that a loop which was left out ends.",
    "avoidable": (
        "a compile (scanir recompile) that an earlier program could have served: a weak type, a new function object, a "
        "value closed over, another commitment to devices, a cache that was emptied."
    ),
    "certificate": (
        "the proof of a verdict of equality as a file (scanir diff --certificate), which scanir verify checks on the "
        "programs alone, one obligation (O1 to O14) after the other."
    ),
    "class": "a kind of difference that leaves results alone, allowed and forbidden like a rule: class:layout, say.",
    "rule": "a law by which two programs may differ and be EQUIVALENT. --forbid takes one away, --allow adds one.",
    "stage": (
        "how far a program has come: jaxpr as traced, stablehlo as lowered, hlo-in as the compiler gets it, hlo as the "
        "compiler leaves it."
    ),
}

#: Word -> what it means, in a sentence or two.
TERMS: dict[str, str] = _WORDS | {
    name: f"an obligation of a certificate: {text}." for name, text in OBLIGATIONS.items()
}
