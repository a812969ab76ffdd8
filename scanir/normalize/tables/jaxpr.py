"""What is known of JAX's primitives. A primitive that is not here is unknown: it threads the effect token and is compared exactly.

``PURE``: total functions of operands and parameters, no effect, no dependence on anything else. ``COMMUTATIVE``: two operands that
may exchange on integers and bool. ``DEVICE``: fixed on a device, unlike between devices. ``OPAQUE``: never looked through; as pure
as their regions.
"""

from __future__ import annotations

_ELEMENTWISE = """
abs acos acosh add add_any and asin asinh atan atan2 atanh bessel_i0e bessel_i1e bitcast_convert_type cbrt ceil clamp clz
complex conj convert_element_type copy copy_p cos cosh digamma div eq erf erf_inv erfc exp exp2 expm1 floor ge gt igamma
igamma_grad_a igammac imag integer_pow is_finite le lgamma log log1p logistic lt max min mul mulhi ne neg nextafter not or
polygamma population_count pow random_gamma_grad real reduce_precision regularized_incomplete_beta rem round rsqrt select_n
shift_left shift_right_arithmetic shift_right_logical sign sin sinh sqrt square sub tan tanh to_edtype from_edtype xor zeta
eq_to le_to lt_to
"""
_SHAPES = """
broadcast broadcast_in_dim concatenate dynamic_slice dynamic_update_slice expand_dims gather iota pad reshape rev scatter
scatter-add scatter_add scatter_sub scatter-mul scatter_mul scatter-min scatter_min scatter-max scatter_max scatter-sub
select_and_gather_add select_and_scatter_add slice split squeeze stack unstack transpose tile
"""
_REDUCTIONS = """
argmax argmin cumlogsumexp cummax cummin cumprod cumsum reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum
reduce_xor reduce_window_max reduce_window_min reduce_window_sum sort top_k approx_top_k
"""
_CONTRACTIONS = "conv_general_dilated dot_general ragged_dot ragged_dot_general fft"
_RANDOM = """
random_bits random_fold_in random_seed random_split random_unwrap random_wrap random_clone rng_bit_generator threefry2x32
random_gamma
"""
_LINALG = """
cholesky eig eigh geqrf householder_product lu lu_pivots_to_permutation ormqr qr schur svd sylvester triangular_solve
tridiagonal tridiagonal_solve hessenberg geqp3 symmetric_product cholesky_update
"""

PURE: frozenset[str] = frozenset(
    " ".join((_ELEMENTWISE, _SHAPES, _REDUCTIONS, _CONTRACTIONS, _RANDOM, _LINALG)).split()
) | {"reduce", "reduce_window", "select_and_scatter", "name"}

COMMUTATIVE: frozenset[str] = frozenset({"add", "add_any", "mul", "and", "or", "xor", "max", "min", "mulhi"})

DEVICE: frozenset[str] = frozenset({"axis_index", "device_id"})

OPAQUE: frozenset[str] = frozenset(
    {
        "custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_lin", "remat", "remat2", "checkpoint",
        "custom_linear_solve", "linear_call", "shard_map", "platform_index", "custom_partitioning", "composite",
    }
)  # fmt: skip
