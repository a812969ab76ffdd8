"""What is known of the ops of StableHLO and of the dialects that JAX emits beside it.

The promise of each table: an op stands in ``PURE`` only if its result is a function of its operands, attributes and
regions alone, is defined for all operands, and computing it again, later or not at all changes nothing else (an op
with regions is as pure as they are); in ``COMMUTATIVE`` only if, on integers and bool, its two operands may exchange;
in ``DEVICE`` only if its result is fixed on a device, though not on all alike; in ``OPAQUE`` only if it has regions
that are never looked through and is as pure as they are. Structured ops (while, if, case, calls) are in none of them.
An op that is in no table has effects nobody knows.

Left out on purpose: ``rng`` draws from a hidden state; ``custom_call`` and ``composite`` do what their attributes
say; collectives and transfers wait for other devices; ``optimization_barrier`` is a fence. The ``dynamic_`` ops that
take a shape as an operand (but not ``dynamic_slice`` and ``dynamic_update_slice``, which clamp),
``real_dynamic_slice``, ``set_dimension_size`` and CHLO's ``broadcast_`` ops are undefined where run-time shapes do
not fit.
"""

from __future__ import annotations


def _names(dialect: str, names: str) -> frozenset[str]:
    return frozenset(f"{dialect}.{name}" for name in names.split())


#: Every op of StableHLO, CHLO and Shardy in the newest jaxlib, and those of func that JAX emits.
OPS: frozenset[str] = (
    _names(
        "stablehlo",
        """
        abs add after_all all_gather all_reduce all_to_all and async_done async_start atan2 batch_norm_grad
        batch_norm_inference batch_norm_training bitcast_convert broadcast broadcast_in_dim case cbrt ceil
        cholesky clamp collective_broadcast collective_permute collective_reduce compare complex composite
        concatenate constant convert convolution cosine count_leading_zeros create_token cross-replica-sum
        custom_call divide dot dot_general dynamic_broadcast_in_dim dynamic_conv dynamic_gather dynamic_iota
        dynamic_pad dynamic_reshape dynamic_slice dynamic_update_slice einsum exponential exponential_minus_one
        fft floor gather get_dimension_size get_tuple_element if imag infeed iota is_finite log log_plus_one
        logistic map maximum minimum multiply negate not optimization_barrier or outfeed pad partition_id popcnt
        power real real_dynamic_slice recv reduce reduce_precision reduce_scatter reduce_window remainder
        replica_id reshape return reverse rng rng_bit_generator round_nearest_afz round_nearest_even rsqrt
        scatter select select_and_scatter send set_dimension_size shift_left shift_right_arithmetic
        shift_right_logical sign sine slice sort sqrt subtract tan tanh torch_index_select transpose
        triangular_solve tuple unary_einsum uniform_dequantize uniform_quantize while xor
        """,
    )
    | _names(
        "chlo",
        """
        _asin_acos_kernel acos acosh asin asinh atan atanh bessel_i1e broadcast_add broadcast_and
        broadcast_atan2 broadcast_compare broadcast_complex broadcast_divide broadcast_maximum broadcast_minimum
        broadcast_multiply broadcast_next_after broadcast_or broadcast_polygamma broadcast_power
        broadcast_remainder broadcast_select broadcast_shift_left broadcast_shift_right_arithmetic
        broadcast_shift_right_logical broadcast_subtract broadcast_xor broadcast_zeta conj constant
        constant_like cosh digamma erf erf_inv erfc is_inf is_neg_inf is_pos_inf lgamma mulhi next_after
        polygamma ragged_dot scan sinh square tan top_k zeta
        """,
    )
    | _names(
        "sdy",
        """
        all_gather all_reduce all_slice all_to_all collective_permute constant data_flow_edge
        func_data_flow_edge manual_computation mesh named_computation propagation_barrier reduce_scatter
        replicated_to_unreduced reshard return sharded_to_unreduced sharding_constraint sharding_group
        """,
    )
    | _names("func", "call func return")
)

PURE: frozenset[str] = (
    _names(
        "stablehlo",
        """
        abs add after_all and atan2 batch_norm_grad batch_norm_inference batch_norm_training bitcast_convert
        broadcast broadcast_in_dim cbrt ceil cholesky clamp compare complex concatenate constant convert
        convolution cosine count_leading_zeros create_token divide dot dot_general dynamic_slice
        dynamic_update_slice einsum exponential exponential_minus_one fft floor gather get_dimension_size
        get_tuple_element imag iota is_finite log log_plus_one logistic map maximum minimum multiply negate not
        or pad popcnt power real reduce reduce_precision reduce_window remainder reshape reverse
        rng_bit_generator round_nearest_afz round_nearest_even rsqrt scatter select select_and_scatter
        shift_left shift_right_arithmetic shift_right_logical sign sine slice sort sqrt subtract tan tanh
        torch_index_select transpose triangular_solve tuple unary_einsum uniform_dequantize uniform_quantize xor
        """,
    )
    | _names(
        "chlo",
        """
        _asin_acos_kernel acos acosh asin asinh atan atanh bessel_i1e conj constant constant_like cosh digamma
        erf erf_inv erfc is_inf is_neg_inf is_pos_inf lgamma mulhi next_after polygamma ragged_dot sinh square
        tan top_k zeta
        """,
    )
    # The value of the operand, split over devices in another way.
    | _names("sdy", "constant reshard sharding_constraint")
)

COMMUTATIVE: frozenset[str] = _names("stablehlo", "add and maximum minimum multiply or xor") | _names("chlo", "mulhi")

DEVICE: frozenset[str] = _names("stablehlo", "partition_id replica_id")

#: Inside, values are the parts of arrays on one device, or carry a name that partitioning goes by.
OPAQUE: frozenset[str] = _names("sdy", "manual_computation named_computation")
