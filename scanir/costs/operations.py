"""What one op costs: floating-point work and bytes, by the formulas of XLA's ``HloCostAnalysis`` in all dialects.

One flop an element of the result for elementwise arithmetic, two for each multiply-add of a contraction; exp, sin, sqrt
and their kin count apart, as transcendentals. Moving, reshaping and indexing cost bytes only. Convolutions count as if
there were no padding. An op that nobody knows costs what it reads and writes, and is listed as not counted.
"""

from __future__ import annotations

import math
import re

from scanir.ir.attrs import Array, Attr, Int, Opaque, Record, Seq, Text
from scanir.ir.elements import elements as first_elements
from scanir.ir.graph import Op
from scanir.ir.types import TensorType, Type


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


TRANSCENDENTAL = _names(
    """
    acos acosh asin asinh atan atan2 atanh bessel_i0e bessel_i1e bessel_j cbrt cos cosh cosine digamma erf
    erf_inv erfc exp exp2 exponential exponential-minus-one exponential_minus_one expm1 igamma igammac lgamma
    log log1p log-plus-one log_plus_one logistic next_after pow power polygamma regularized_incomplete_beta
    rsqrt sin sine sinh sqrt tan tanh zeta random_gamma_grad igamma_grad_a rng rng_bit_generator
    rng-bit-generator rng_uniform random_bits threefry2x32
    """
)
ELEMENTWISE = _names(
    """
    abs add add_any and and_ ceil clamp compare complex conj convert convert_element_type count-leading-zeros
    count_leading_zeros clz div divide eq eq_to floor ge gt imag integer_pow is-finite is_finite le le_to lt
    lt_to map max maximum min minimum mul multiply ne neg negate nextafter not not_ or or_ population_count
    popcnt popcount real reduce_precision reduce-precision rem remainder round round-nearest-afz
    round-nearest-even round_nearest_afz round_nearest_even select select_n select_and_add shift-left
    shift-right-arithmetic shift-right-logical shift_left shift_right_arithmetic shift_right_logical sign square
    stochastic-convert sub subtract xor xor_ is_inf is_neg_inf is_pos_inf
    """
)
#: Bytes are all that these cost.
MOVES = _names(
    """
    bitcast bitcast-convert bitcast_convert bitcast_convert_type broadcast broadcast_in_dim concatenate copy
    copy-done copy-start copy_p device_put dynamic-pad dynamic-reshape dynamic-slice dynamic-update-slice
    dynamic_broadcast_in_dim dynamic_gather dynamic_iota dynamic_pad dynamic_reshape dynamic_slice
    dynamic_update_slice expand_dims gather iota pad real_dynamic_slice reshape rev reverse set_dimension_size
    set-dimension-size get-dimension-size get_dimension_size slice split squeeze transpose optimization_barrier
    opt-barrier reduce-precision random_wrap random_unwrap random_seed random_split random_fold_in
    sharding_constraint pvary pbroadcast stop_gradient name partition-id partition_id replica-id replica_id
    axis_index tie-in
    """
)
#: These cost nothing themselves: names, packing, and what is counted inside.
FREE = _names(
    """
    constant parameter tuple get-tuple-element get_tuple_element after-all after_all create_token token
    add-dependency domain fusion call while conditional case if cond scan jit closed_call core_call composite
    return async-start async-update async-done bitcast custom_jvp_call custom_vjp_call remat checkpoint
    shard_map xla_pmap manual_computation
    """
)
COLLECTIVES = _names(
    """
    all-gather all-gather-done all-gather-start all-reduce all-reduce-done all-reduce-start all-to-all
    all_gather all_gather_invariant all_reduce all_to_all collective-broadcast collective-permute
    collective-permute-start collective_broadcast collective_permute pgather pmax pmin ppermute psum
    psum_invariant psum_scatter ragged-all-to-all ragged_all_to_all reduce-scatter reduce_scatter
    """
)
CALLBACKS = _names(
    """
    debug_callback debug_print io_callback pure_callback outside_call infeed outfeed
    """
)
_REDUCES = _names(
    """
    argmax argmin reduce reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum reduce_xor
    """
)
_CUMULATIVE = _names(
    """
    cumlogsumexp cummax cummin cumprod cumsum
    """
)
_CONTRACTING = re.compile(r"lhs_contracting_dimensions = \[([^\]]*)\]")
_NUMBER = re.compile(r"-?\d+")


def bare(name: str) -> str:
    """The name of an op without its dialect."""
    return name.removeprefix("stablehlo.").removeprefix("chlo.").removeprefix("mhlo.").removeprefix("sdy.")


def elements(type: Type) -> int:
    """Elements of an array; 0 for what is none, 1 for a symbolic dimension."""
    if not isinstance(type, TensorType):
        return 0
    return math.prod(dim if isinstance(dim, int) else 1 for dim in type.shape)


def own_flops(op: Op, inside: int) -> tuple[int, int] | None:
    """(flops, transcendentals) of an op; None where nobody knows. ``inside``: flops of its region, run once."""
    name = bare(op.name)
    result = max((elements(value.type) for value in op.results), default=0)
    if name in FREE or name in MOVES:
        return 0, 0
    if name in TRANSCENDENTAL:
        return 0, result
    if name in ELEMENTWISE:
        return result, 0
    if name in _REDUCES:
        return (elements(op.operands[0].type) - result) * (inside or 1), 0
    if name in _CUMULATIVE:
        return result, 0
    if name in ("dot", "dot_general"):
        return 2 * result * _contraction(op), 0
    if name in ("convolution", "conv_general_dilated"):
        return 2 * result * _kernel(op), 0
    if name in ("reduce-window", "reduce_window") or name.startswith("reduce_window"):
        return result * max(0, _window(op) - 1) * (inside or 1), 0
    if name == "sort":
        count = elements(op.operands[0].type)
        return count * max(1, (count - 1).bit_length()), 0
    if name.startswith(("scatter", "select-and-scatter")) or name == "select_and_scatter":
        return elements(op.operands[-1].type) * (inside or 1), 0
    if name in COLLECTIVES:
        return (result, 0) if "reduce" in name or name.startswith("psum") else (0, 0)
    return None


def _contraction(op: Op) -> int:
    """Elements of one contraction of a dot."""
    left = op.operands[0].type
    if not isinstance(left, TensorType) or not left.shape:
        return 1
    shape = [dim if isinstance(dim, int) else 1 for dim in left.shape]
    dims = _contracted(op)
    return math.prod(shape[dim] for dim in dims if dim < len(shape)) if dims is not None else shape[-1]


def _contracted(op: Op) -> list[int] | None:
    """Contracted dimensions of the left operand; None where the op has none to say (``stablehlo.dot``)."""
    if (dims := op.attribute("lhs_contracting_dims")) is not None:
        return numbers(dims)
    found = op.attribute("dimension_numbers")
    if isinstance(found, Seq) and found.items and isinstance(found.items[0], Seq):
        return numbers(found.items[0].items[0])
    text = written(op.attribute("dot_dimension_numbers"))
    match = _CONTRACTING.search(text)
    if match is not None:
        return [int(number) for number in _NUMBER.findall(match.group(1))]
    return [] if text else None


def _kernel(op: Op) -> int:
    """Multiply-adds of one element of a convolution's result: the kernel's elements of one output feature."""
    kernel, result = op.operands[1].type, op.results[0].type
    if not isinstance(kernel, TensorType) or not isinstance(result, TensorType):
        return 0
    features = _output_features(op, kernel)
    return elements(kernel) // max(1, features)


def _output_features(op: Op, kernel: TensorType) -> int:
    labels = written(op.attribute("dim_labels"))
    if "_" in labels:  # b01f_01io->b01f
        return _size(kernel, labels.partition("_")[2].partition("->")[0].find("o"))
    found = op.attribute("dimension_numbers")
    if isinstance(found, Record):  # ConvDimensionNumbers: rhs_spec begins with the output features
        spec = dict(found.fields).get("rhs_spec")
        return _size(kernel, (numbers(spec) or [0])[0])
    inside = written(found).partition("]x[")[2].partition("]")[0]
    names = [part.strip() for part in inside.split(",")]
    return _size(kernel, names.index("o") if "o" in names else len(kernel.shape) - 1)


def _size(type: TensorType, dim: int) -> int:
    size = type.shape[dim] if 0 <= dim < len(type.shape) else 1
    return size if isinstance(size, int) else 1


def _window(op: Op) -> int:
    """Elements of a window."""
    dims = op.attribute("window_dimensions")
    if dims is not None:
        return math.prod(numbers(dims)) or 1
    match = re.search(r"size=([\dx]+)", written(op.attribute("window")))
    return math.prod(int(part) for part in match.group(1).split("x")) if match else 1


def written(attr: Attr | None) -> str:
    """The text of an attribute that no reader takes apart."""
    match attr:
        case Text(value):
            return value
        case Opaque():
            return attr.text
        case Seq(items):
            return " ".join(written(item) for item in items)
        case _:
            return ""


def numbers(attr: Attr | None) -> list[int]:
    """The whole numbers of an attribute that lists them, in whichever form the dialect holds them."""
    match attr:
        case Int(value):
            return [value]
        case Seq(items):
            return [number for item in items for number in numbers(item)]
        case Text(text) | Opaque(text=text):
            return [int(number) for number in _NUMBER.findall(text.partition("array<i64:")[2] or text)]
        case Array():
            values = [int(number) for number in first_elements(attr, 64)]
            return values * (math.prod(int(dim) for dim in attr.shape) if attr.splat else 1)
        case _:
            return []
