"""What the checker knows of ops: tables of its own, with nothing taken from the normalizer's. Deny by default.

An op that ``PURE`` and ``REGIONAL`` do not list has an effect: it takes and returns the token. ``PURE`` ops are total
functions of operands, attributes and regions. ``REGIONAL`` ops are never looked through and as pure as their regions.
An attribute or a fact of a type that no table lists belongs to the meaning of the op.
"""

from __future__ import annotations

from scanir.ir.graph import Op
from scanir.ir.structure import BRANCHES, CALLS, SCANS, WHILES


def _names(text: str, dialect: str = "") -> frozenset[str]:
    return frozenset(dialect + name for name in text.split())


PURE: dict[str, frozenset[str]] = {
    "jaxpr": _names(
        """
        abs acos acosh add add_any and approx_top_k argmax argmin asin asinh atan atan2 atanh axis_index bessel_i0e
        bessel_i1e bitcast_convert_type broadcast_in_dim broadcast_to cbrt ceil cholesky cholesky_update clamp clz
        complex concatenate conj conv_general_dilated convert_element_type copy cos cosh cumlogsumexp cummax cummin
        cumprod cumsum device_put digamma dim_as_value dimension_size div dot_general dynamic_slice
        dynamic_update_slice eig eigh eigh_jacobi eq eq_to erf erf_inv erfc exp exp2 expm1 fft floor from_edtype
        gather ge geqp3 geqrf gt hessenberg householder_product igamma igamma_grad_a igammac imag integer_pow iota
        iota_2x32_shape is_finite layout_constraint le le_to lgamma log log1p log2 logistic lt lt_to lu
        lu_pivots_to_permutation max mesh_cast min mul mulhi name ne neg nextafter not one_minus_square or ormqr pad
        philox2x32 philox4x32 platform_index polygamma polynomial population_count pow pvary qr ragged_dot_general
        random_bits random_clone random_fold_in random_gamma random_gamma_grad random_seed random_split
        random_unwrap random_wrap real reciprocal reduce reduce_and reduce_max reduce_min reduce_or reduce_precision
        reduce_prod reduce_sum reduce_window reduce_window_max reduce_window_min reduce_window_sum reduce_xor
        regularized_incomplete_beta rem reshape reshard rev rng_bit_generator round rsqrt scaled_dot scatter
        scatter-add scatter-max scatter-min scatter-mul scatter-sub schur select_and_gather_add select_and_scatter
        select_and_scatter_add select_n sharding_constraint shift_left shift_right_arithmetic shift_right_logical
        sign sin sinh slice sort split sqrt square squeeze stack stop_gradient sub svd symmetric_product tan tanh
        threefry2x32 threefry4x32 tile to_edtype top_k transpose triangular_solve tridiagonal tridiagonal_solve
        unstack with_memory_space_constraint xor zeta
        """
    ),
    "stablehlo": _names(
        """
        abs add after_all and atan2 batch_norm_grad batch_norm_inference batch_norm_training bitcast_convert
        broadcast broadcast_in_dim cbrt ceil cholesky clamp compare complex concatenate constant convert convolution
        cosine count_leading_zeros create_token divide dot dot_general dynamic_slice dynamic_update_slice einsum
        exponential exponential_minus_one fft floor gather get_dimension_size get_tuple_element imag iota is_finite
        log log_plus_one logistic map maximum minimum multiply negate not or pad partition_id popcnt power real
        reduce reduce_precision reduce_window remainder replica_id reshape reverse rng_bit_generator
        round_nearest_afz round_nearest_even rsqrt scatter select select_and_scatter shift_left
        shift_right_arithmetic shift_right_logical sign sine slice sort sqrt subtract tan tanh torch_index_select
        transpose triangular_solve tuple unary_einsum uniform_dequantize uniform_quantize xor
        """,
        "stablehlo.",
    )
    | _names(
        """
        _asin_acos_kernel acos acosh asin asinh atan atanh bessel_i1e conj constant constant_like cosh digamma erf
        erf_inv erfc is_inf is_neg_inf is_pos_inf lgamma mulhi next_after polygamma ragged_dot sinh square tan top_k
        zeta
        """,
        "chlo.",
    )
    | _names("constant reshard sharding_constraint", "sdy."),
    "hlo": _names(
        """
        abs acos acosh add after-all and asin asinh atan atan2 atanh batch-norm-grad batch-norm-inference
        batch-norm-training bitcast bitcast-convert broadcast cbrt ceil cholesky clamp compare complex concatenate
        constant convert convolution copy copy-done copy-start cosh cosine count-leading-zeros divide dot
        dynamic-reshape dynamic-slice dynamic-update-slice erf exponential exponential-minus-one fft floor gather
        get-dimension-size get-tuple-element imag iota is-finite log log-plus-one logistic map maximum minimum mulhi
        multiply negate not or pad partition-id popcnt power ragged-dot real reduce reduce-precision reduce-window
        remainder replica-id reshape reverse rng-bit-generator round-nearest-afz round-nearest-even rsqrt scaled-dot
        scatter select select-and-scatter set-dimension-size shift-left shift-right-arithmetic shift-right-logical
        sign sine sinh slice sort sqrt stochastic-convert subtract tan tanh topk transpose triangular-solve tuple
        xor
        """
    ),
}
REGIONAL: dict[str, frozenset[str]] = {
    "jaxpr": _names(
        """
        composite custom_jvp_call custom_lin custom_linear_solve custom_partitioning custom_transpose_call
        custom_vjp_call custom_vjp_call_jaxpr custom_vmap_call linear_call remat2 remat_opt shard_map
        """
    ),
    "stablehlo": _names("manual_computation named_computation", "sdy."),
    "hlo": frozenset(),
}

STRUCTURED = BRANCHES | CALLS | SCANS | WHILES | {"constant"}
PACKING = frozenset({"tuple", "stablehlo.tuple"})
ELEMENT = frozenset({"get-tuple-element", "stablehlo.get_tuple_element"})
CUSTOM_CALLS = frozenset({"custom-call", "stablehlo.custom_call"})
#: Custom calls whose target is a Python function known by a number: no module says which one.
PYTHON_CALLS = frozenset(
    {
        "xla_python_cpu_callback", "xla_python_gpu_callback", "xla_ffi_python_cpu_callback",
        "xla_ffi_python_gpu_callback", "xla_ffi_partitioned_python_cpu_callback",
        "xla_ffi_partitioned_python_gpu_callback", "xla_python_callback",
    }
)  # fmt: skip
#: Attributes of these that hold the number.
HOST_NUMBERS = frozenset({"backend_config", "mhlo.backend_config", "opaque"})

ADD = frozenset({"add", "stablehlo.add"})
SUB = frozenset({"sub", "subtract", "stablehlo.subtract"})
MUL = frozenset({"mul", "multiply", "stablehlo.multiply"})
DIV = frozenset({"div", "divide", "stablehlo.divide"})
#: Of two equal operands these are that operand: on integers and bool exactly, on floats up to which NaN.
IDEMPOTENT = _names("max min maximum minimum and or") | _names("maximum minimum and or", "stablehlo.")
#: Two operands of one type may exchange: exactly on integers and bool; `ADD` and `MUL` on floats too, up to which NaN.
COMMUTATIVE = ADD | MUL | _names("add_any and or xor max min mulhi maximum minimum") | _names(
    "and maximum minimum or xor", "stablehlo."
) | {"chlo.mulhi"}  # fmt: skip
#: Pure ops to which the bits of a NaN are more than "a NaN", besides all ops that no table lists.
NAN_READERS = _names(
    """
    bitcast_convert_type bitcast-convert stablehlo.bitcast_convert copysign custom-call stablehlo.custom_call sort
    stablehlo.sort reduce_precision nextafter chlo.next_after top_k approx_top_k topk chlo.top_k eq_to le_to lt_to
    """
)
#: Ops that hand on their operand if type and order of elements stay: name -> (attributes that must list 0..r-1,
#: attributes that say no more than the result type).
COPIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "convert_element_type": ((), ("new_dtype", "weak_type", "sharding")),
    "copy": ((), ()),
    "reshape": ((), ("new_sizes", "sharding")),
    "broadcast_in_dim": (("broadcast_dimensions",), ("shape", "sharding")),
    "transpose": (("permutation", "dimensions"), ()),
    "squeeze": ((), ("dimensions",)),
    "stablehlo.convert": ((), ()),
    "stablehlo.reshape": ((), ()),
    "stablehlo.broadcast_in_dim": (("broadcast_dimensions",), ()),
    "stablehlo.transpose": (("permutation",), ()),
    "convert": ((), ()),
    "bitcast": ((), ()),
    "broadcast": (("dimensions",), ()),
}
#: Ops that read the bits of one type as another's.
BITS = frozenset({"bitcast_convert_type", "stablehlo.bitcast_convert", "bitcast-convert"})
BROADCASTS = frozenset({"broadcast", "broadcast_in_dim", "stablehlo.broadcast_in_dim"})

#: (dialect, op, attribute) that only label.
LABELS = frozenset({("jaxpr", "jit", "name"), ("jaxpr", "core_call", "name"), ("jaxpr", "closed_call", "name")})
#: (dialect, op or *, attribute) -> the rule or class that may set it aside.
ATTRIBUTE_CLASSES = {
    ("hlo", "fusion", "kind"): "class:fusion",
    ("hlo", "*", "sharding"): "class:sharding",
    ("stablehlo", "*", "mhlo.sharding"): "class:sharding",
    ("stablehlo", "*", "sdy.sharding"): "class:sharding",
    ("jaxpr", "jit", "donated_invars"): "class:donation",
    ("jaxpr", "*", "weak_type"): "weak-type",
}
#: Fields of the backend_config of a fusion or call that say how code is made for its callee: class:backend-config.
CODE_GENERATION = _names(
    """
    outer_dimension_partitions operation_queue_id wait_on_operation_queues force_earliest_schedule reification_cost
    native_emitter_backend_config fusion_config fusion_backend_config scoped_memory_configs used_scoped_memory_configs
    fusion_formation_source
    """
)
#: Attributes of calls that say how the call came about, and the frontend attribute of calls that a compiler makes.
ORIGINS = frozenset({"inline", "keep_unused", "name", "callee", "kind"})
SMALL_CALL = "xla_cpu_small_call"
#: Fact of a tensor type -> the rule or class that may set it aside.
TYPE_CLASSES = {
    "weak_type": "weak-type",
    "layout": "class:layout",
    "memory_space": "class:memory-space",
    "sharding": "class:sharding",
}
#: Ops on which nothing may be set aside.
STRICT = frozenset(
    {
        "custom-call", "stablehlo.custom_call", "infeed", "outfeed", "send", "recv", "send-done", "recv-done",
        "stablehlo.infeed", "stablehlo.outfeed", "stablehlo.send", "stablehlo.recv", "shard_map",
        "sdy.manual_computation", "pallas_call", "ffi_call", "domain",
    }
)  # fmt: skip
#: Attribute of a module -> class; None: it only labels, or repeats what is checked elsewhere.
MODULE_CLASSES: dict[tuple[str, str], str | None] = {
    ("stablehlo", "jax.uses_shape_polymorphism"): None,
    ("hlo", "is_scheduled"): "class:schedule",
    ("hlo", "input_output_alias"): "class:donation",
    ("hlo", "buffer_donor"): "class:donation",
    ("hlo", "entry_computation_layout"): None,
    ("hlo", "allow_spmd_sharding_propagation_to_parameters"): None,
    ("hlo", "allow_spmd_sharding_propagation_to_output"): None,
}
#: Attribute of a parameter, result or function -> class; None as above.
INTERFACE_CLASSES: dict[str, str | None] = {
    "tf.aliasing_output": "class:donation",
    "jax.buffer_donor": "class:donation",
    "mhlo.sharding": "class:sharding",
    "sdy.sharding": "class:sharding",
    "sharding": "class:sharding",
    "mhlo.layout_mode": "class:layout",
    "mhlo.memory_kind": "class:memory-space",
    "jax.result_info": None,
    "jax.arg_info": None,
    "jax.global_constant": None,
    "jax.const": None,
    "sym_visibility": None,
}


def packs(op: Op) -> bool:
    """Whether an op of `PACKING` or `ELEMENT` says nothing but what it packs: shardings are set aside there."""
    return all(
        name == "index" or any((dialect, "*", name) in ATTRIBUTE_CLASSES for dialect in PURE)
        for name, _ in op.attributes
    )
