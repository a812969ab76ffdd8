"""What is known of HLO's opcodes.

The promise of each table: an opcode stands in ``PURE`` only if its result is a function of its operands, attributes
and regions alone, is defined for all operands, and computing it again, later or not at all changes nothing else (an
op with regions is as pure as they are); in ``COMMUTATIVE`` only if, on integers and pred, its two operands may
exchange; in ``DEVICE`` only if its result is fixed on a device, though not on all alike. Structured ops (while,
conditional, call, fusion) are in none of them. An opcode that is in no table has effects nobody knows.
"""

from __future__ import annotations

#: Every opcode of XLA's hlo_opcode.h.
OPCODES: frozenset[str] = frozenset(
    """
    abs acos acosh add add-dependency after-all all-gather all-gather-done all-gather-start all-reduce all-reduce-done
    all-reduce-start all-to-all and asin asinh async-done async-start async-update atan atan2 atanh batch-norm-grad
    batch-norm-inference batch-norm-training bitcast bitcast-convert broadcast call cbrt ceil cholesky clamp
    collective-broadcast collective-permute collective-permute-done collective-permute-start collective-reduce compare
    complex concatenate conditional constant convert convolution copy copy-done copy-start cosine cosh
    count-leading-zeros custom-call divide domain dot dynamic-reshape dynamic-slice dynamic-update-slice erf
    exponential exponential-minus-one fft floor fusion gather get-dimension-size get-tuple-element imag infeed iota
    is-finite log log-plus-one logistic map maximum minimum mulhi multiply negate not opt-barrier or outfeed pad
    parameter partition-id popcnt power ragged-all-to-all ragged-dot real recv recv-done reduce reduce-precision
    reduce-scatter reduce-window remainder replica-id reshape reverse rng rng-bit-generator rng-get-and-update-state
    round-nearest-afz round-nearest-even rsqrt scaled-dot scan scatter select select-and-scatter send send-done
    set-dimension-size shift-left shift-right-arithmetic shift-right-logical shuffle sign sine sinh slice sort sqrt
    stochastic-convert subtract tan tanh topk transpose triangular-solve tuple while xor
    """.split()  # noqa: SIM905 -- words read better than a list
)

#: Division of integers is total in HLO (x/0 is -1, x%0 is x). rng-bit-generator takes its state and returns the next.
#: copy-start and copy-done carry a value through a buffer; after-all joins tokens and does nothing.
PURE: frozenset[str] = frozenset(
    """
    abs acos acosh add after-all and asin asinh atan atan2 atanh batch-norm-grad batch-norm-inference
    batch-norm-training bitcast bitcast-convert broadcast cbrt ceil cholesky clamp compare complex concatenate
    constant convert convolution copy copy-done copy-start cosine cosh count-leading-zeros divide dot dynamic-reshape
    dynamic-slice dynamic-update-slice erf exponential exponential-minus-one fft floor gather get-dimension-size
    get-tuple-element imag iota is-finite log log-plus-one logistic map maximum minimum mulhi multiply negate not or
    pad popcnt power ragged-dot real reduce reduce-precision reduce-window remainder reshape reverse rng-bit-generator
    round-nearest-afz round-nearest-even rsqrt scaled-dot scatter select select-and-scatter set-dimension-size
    shift-left shift-right-arithmetic shift-right-logical sign sine sinh slice sort sqrt stochastic-convert subtract
    tan tanh topk transpose triangular-solve tuple xor
    """.split()  # noqa: SIM905 -- words read better than a list
)

COMMUTATIVE: frozenset[str] = frozenset({"add", "multiply", "and", "or", "xor", "maximum", "minimum"})

DEVICE: frozenset[str] = frozenset({"partition-id", "replica-id"})
