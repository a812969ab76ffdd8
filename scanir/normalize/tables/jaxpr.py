"""What is known of JAX's primitives. A primitive that is in no table threads the effect token and is compared exactly.

The promise of each table: a primitive stands in ``PURE`` only if its results are total functions of operands,
parameters, context and regions alone, and computing it again, later or not at all changes nothing else (one with
regions is as pure as they are); in ``COMMUTATIVE`` only if, on integers and bool, its two operands may exchange; in
``DEVICE`` only if its result is fixed on a device, though not on all alike; in ``OPAQUE`` if it is never looked
through and as pure as its regions. ``KNOWN`` are all primitives that JAX registers a lowering for, from 0.5.3 to
0.12: what is not in the other tables is left out on purpose. That is so for generators with hidden state
(``rng_uniform``), callbacks, references, collectives, foreign calls, tokens, infeed and outfeed,
``optimization_barrier`` and ``tie``, checks, uninitialized memory (``empty``), and Pallas kernels. Structured
primitives (scan, while, cond, jit) are in none of them.
"""

from __future__ import annotations

_ELEMENTWISE = """
abs acos acosh add add_any and asin asinh atan atan2 atanh bessel_i0e bessel_i1e bitcast_convert_type cbrt ceil
clamp clz complex conj convert_element_type copy cos cosh digamma div eq erf erf_inv erfc exp exp2 expm1 floor ge gt
igamma igamma_grad_a igammac imag integer_pow is_finite le lgamma log log1p log2 logistic lt max min mul mulhi ne
neg nextafter not one_minus_square or polygamma polynomial population_count pow random_gamma_grad real reciprocal
reduce_precision regularized_incomplete_beta rem round rsqrt select_n shift_left shift_right_arithmetic
shift_right_logical sign sin sinh sqrt square stop_gradient sub tan tanh to_edtype from_edtype xor zeta eq_to le_to
lt_to name
"""
_SHAPES = """
broadcast_in_dim broadcast_to concatenate dim_as_value dimension_size dynamic_slice dynamic_update_slice gather iota
iota_2x32_shape pad reshape rev scatter scatter-add scatter-mul scatter-min scatter-max scatter-sub
select_and_gather_add select_and_scatter_add slice split squeeze stack unstack transpose tile
"""
_REDUCTIONS = """
argmax argmin cumlogsumexp cummax cummin cumprod cumsum reduce reduce_and reduce_max reduce_min reduce_or
reduce_prod reduce_sum reduce_window reduce_xor reduce_window_max reduce_window_min reduce_window_sum
select_and_scatter sort top_k approx_top_k
"""
_CONTRACTIONS = "conv_general_dilated dot_general ragged_dot_general scaled_dot fft"
_RANDOM = """
random_bits random_fold_in random_seed random_split random_unwrap random_wrap random_clone rng_bit_generator
threefry2x32 threefry4x32 philox2x32 philox4x32 random_gamma
"""
_LINALG = """
cholesky cholesky_update eig eigh eigh_jacobi geqp3 geqrf hessenberg householder_product lu lu_pivots_to_permutation
ormqr qr schur svd symmetric_product triangular_solve tridiagonal tridiagonal_solve
"""
#: Where a value lies; the value is the operand's.
_PLACES = """
device_put layout_constraint mesh_cast pvary reshard sharding_constraint with_memory_space_constraint
"""

PURE: frozenset[str] = frozenset(
    " ".join((_ELEMENTWISE, _SHAPES, _REDUCTIONS, _CONTRACTIONS, _RANDOM, _LINALG, _PLACES)).split()
)

COMMUTATIVE: frozenset[str] = frozenset({"add", "add_any", "mul", "and", "or", "xor", "max", "min", "mulhi"})

DEVICE: frozenset[str] = frozenset({"axis_index", "platform_index"})

OPAQUE: frozenset[str] = frozenset(
    {
        "custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_vmap_call", "custom_transpose_call",
        "custom_lin", "remat2", "remat_opt", "custom_linear_solve", "linear_call", "shard_map", "custom_partitioning",
        "composite",
    }
)  # fmt: skip

_REGISTERED = """
abs acos acosh add add_any after_all all_gather all_gather_done all_gather_invariant all_gather_reduced
all_gather_reduced_start all_gather_start all_to_all all_to_all_done all_to_all_start and approx_top_k argmax argmin
asin asinh atan atan2 atanh axis_index bcoo_dot_general bcoo_dot_general_sampled bcoo_extract bcoo_fromdense
bcoo_sort_indices bcoo_spdot_general bcoo_sum_duplicates bcoo_todense bcoo_transpose bcsr_dot_general bcsr_extract
bcsr_fromdense bcsr_todense bessel_i0e bessel_i1e bias_bwd bias_fwd bitcast_convert_type broadcast_in_dim
broadcast_to call call_exported cbrt ceil check cholesky cholesky_update clamp closed_call clz complex composite
concatenate cond conj conv_general_dilated convert_element_type coo_fromdense coo_matmat coo_matvec coo_spmm
coo_spmv coo_todense copy core_map cos cosh create_linear create_token csr_fromdense csr_matmat csr_matvec csr_spmm
csr_spmv csr_todense cudnn_fusion cumlogsumexp cummax cummin cumprod cumsum custom_jvp_call custom_lin
custom_linear_solve custom_partitioning custom_transpose_call custom_vjp_call custom_vjp_call_jaxpr custom_vmap_call
dce_sink debug_callback debug_print device_put digamma dim_as_value dimension_size div dll_constraint dot_general
dot_product_attention_bwd dot_product_attention_bwd_wrapper dot_product_attention_fp8_bwd
dot_product_attention_fp8_bwd_wrapper dot_product_attention_fp8_fwd dot_product_attention_fp8_fwd_wrapper
dot_product_attention_fwd dot_product_attention_fwd_wrapper dynamic_slice dynamic_update_slice eig eigh eigh_jacobi
empty empty2 eq eq_to erf erf_inv erfc eval_jaxpr exp exp2 expm1 ffi_call fft floor from_edtype full_to_shard gather
ge geqp3 geqrf global_array_to_host_local_array gt hessenberg host_local_array_to_global_array householder_product
igamma igamma_grad_a igammac imag infeed inspect_sharding integer_pow io_callback iota iota_2x32_shape is_finite jit
layout_constraint le le_to lgamma linear_call log log1p log2 logistic lt lt_to lu lu_pivots_to_permutation max
mesh_cast min mpmd_map mul mulhi multiple_of name ne neg nextafter not one_minus_square optimization_barrier or
ormqr outfeed pad pallas_call pbroadcast pbroadcast_done pbroadcast_dynamic pbroadcast_start pgather philox2x32
philox4x32 pin pjit platform_index pmax pmin polygamma polynomial population_count pow ppermute ppermute_done
ppermute_start precv preduced psend psum psum2 psum_done psum_invariant psum_invariant_start psum_start
pure_callback pvary qr ragged_all_to_all ragged_dot_general random_bits random_clone random_fold_in random_gamma
random_gamma_grad random_seed random_split random_unwrap random_wrap real reciprocal reduce reduce_and reduce_max
reduce_min reduce_or reduce_precision reduce_prod reduce_scatter reduce_scatter_done reduce_scatter_start reduce_sum
reduce_window reduce_window_max reduce_window_min reduce_window_sum reduce_xor reduced_vary_cast reduced_vary_cast_p
regularized_incomplete_beta relayout rem remat2 remat_opt reshape reshard rev rng_bit_generator rng_uniform round
rsqrt run_scoped run_state scaled_dot scaled_matmul scaled_matmul_wrapper scan scatter scatter-add scatter-max
scatter-min scatter-mul scatter-sub schur select_and_gather_add select_and_scatter select_and_scatter_add select_n
shape_assertion shard_map shard_to_full sharding_constraint shift_left shift_right_arithmetic shift_right_logical
sign sin sinh slice sort split spsolve sqrt square squeeze stack stage stop_gradient sub svd symmetric_product tan
tanh threefry2x32 threefry4x32 tie tile to_edtype todense top_k transpose triangular_solve tridiagonal
tridiagonal_solve unpin unreachable unreduced_pmax unreduced_pmin unreduced_psum unreduced_psum_start
unreduced_reduce_scatter unreduced_reduce_scatter_start unstack vary_unreduced_cast vary_unreduced_cast_p while
with_memory_space_constraint xla_metadata_call xla_metadata_value xla_pmap xor zeta
"""

#: Every primitive with a registered lowering, as `scanir._compat.registered_primitives` lists them in those versions.
KNOWN: frozenset[str] = frozenset(_REGISTERED.split())
