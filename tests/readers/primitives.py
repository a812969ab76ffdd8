"""A table of JAX's primitives: for each that JAX can lower, a small program that contains it, or why there is none.

Not a test by itself: `test_primitives` reads every program and counts. A program is a function and the specs of its
arguments. Programs that only some versions of JAX can trace are kept apart, in `MAYBE`: they are left out where a name
that they need is missing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.ad_checkpoint import checkpoint_name
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

Program = tuple[Callable[..., Any], tuple[Any, ...]]


def spec(dtype: Any, *shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


X, Y = spec(jnp.float32, 4), spec(jnp.float32, 4)
S = spec(jnp.float32)
M = spec(jnp.float32, 4, 4)
W = spec(jnp.float32, 4, 3)
N, K = spec(jnp.int32, 4), spec(jnp.int32)
U = spec(jnp.uint32, 4)
B = spec(jnp.bool_, 4)
C = spec(jnp.complex64, 4)
IMAGE, KERNEL = spec(jnp.float32, 1, 3, 8, 8), spec(jnp.float32, 2, 3, 3, 3)

PROGRAMS: dict[str, Program] = {}


def add(name: str, function: Callable[..., Any], *args: Any) -> None:
    PROGRAMS[name] = (function, args)


def host(*values: Any) -> Any:
    """A host function; never run."""
    return values[0]


# Elementwise: the functions of jax.lax have the primitives' names.
UNARY = (
    "abs acos acosh asin asinh atan atanh bessel_i0e bessel_i1e cbrt ceil cos cosh digamma erf erf_inv "
    "erfc exp exp2 expm1 floor is_finite lgamma log log1p logistic neg round rsqrt sign sin sinh sqrt "
    "square tan tanh"
)
for _name in UNARY.split():
    add(_name, getattr(lax, _name), X)
BINARY = "add atan2 div eq ge gt igamma igammac igamma_grad_a le lt max min mul ne nextafter polygamma pow rem sub zeta"
for _name in BINARY.split():
    add(_name, getattr(lax, _name), X, Y)
SHIFTS = "shift_left shift_right_arithmetic shift_right_logical"
for _name in SHIFTS.split():
    add(_name, getattr(lax, _name), N, N)
BITS = "clz population_count"
for _name in BITS.split():
    add(_name, getattr(lax, _name), N)
add("and", lax.bitwise_and, N, N)
add("or", lax.bitwise_or, N, N)
add("xor", lax.bitwise_xor, N, N)
add("not", lax.bitwise_not, N)
add("conj", lax.conj, C)
add("real", lax.real, C)
add("imag", lax.imag, C)
add("complex", lax.complex, X, Y)
add("integer_pow", lambda x: x**3, X)
add("clamp", lax.clamp, S, X, S)
add("select_n", jnp.where, B, X, Y)
add("regularized_incomplete_beta", lax.betainc, X, X, X)
add("reduce_precision", lambda x: lax.reduce_precision(x, 8, 7), X)
add("convert_element_type", lambda x: x.astype(jnp.bfloat16), X)
add("bitcast_convert_type", lambda x: lax.bitcast_convert_type(x, jnp.int32), X)
add("add_any", jax.grad(lambda x: jnp.sum(jnp.sin(x) * jnp.cos(x))), X)
add("copy", jnp.array, X)

# Shapes and indices.
add("broadcast_in_dim", lambda x: jnp.broadcast_to(x, (3, 4)), X)
add("concatenate", lambda x, y: lax.concatenate([x, y], 0), X, Y)
add("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i,), (2,)), X, K)
add("dynamic_update_slice", lambda x, i: lax.dynamic_update_slice(x, jnp.ones(2), (i,)), X, K)
add("gather", lambda x, i: x[i], X, N)
add("iota", lambda x: x + lax.iota(jnp.float32, 4), X)
add("pad", lambda x: jnp.pad(x, 2), X)
add("reshape", lambda m: m.reshape(16), M)
add("rev", lambda x: lax.rev(x, (0,)), X)
add("slice", lambda x: x[1:3], X)
add("split", lambda x: jnp.split(x, 2), X)
add("squeeze", lambda w: w[:, :1].squeeze(1), W)
add("transpose", lambda m: m.T, M)
add("scatter", lambda x, i: x.at[i].set(1.0), X, K)
add("scatter-add", lambda x, i: x.at[i].add(1.0), X, K)
add("scatter-sub", lambda x, i: x.at[i].subtract(1.0), X, K)
add("scatter-mul", lambda x, i: x.at[i].multiply(2.0), X, K)
add("scatter-min", lambda x, i: x.at[i].min(1.0), X, K)
add("scatter-max", lambda x, i: x.at[i].max(1.0), X, K)

# Reductions, windows, sorting.
for _name, _function in {
    "argmax": jnp.argmax, "argmin": jnp.argmin, "reduce_max": jnp.max, "reduce_min": jnp.min, "reduce_prod": jnp.prod,
    "reduce_sum": jnp.sum, "cumsum": lax.cumsum, "cumprod": lax.cumprod, "cummax": lax.cummax, "cummin": lax.cummin,
    "cumlogsumexp": lax.cumlogsumexp, "sort": lax.sort, "top_k": functools.partial(lax.top_k, k=2),
    "approx_top_k": functools.partial(lax.approx_max_k, k=2), "fft": jnp.fft.fft,
}.items():  # fmt: skip
    add(_name, _function, X)
add("reduce_and", jnp.all, B)
add("reduce_or", jnp.any, B)
add("reduce_xor", lambda b: lax.reduce(b, np.bool_(False), lax.bitwise_xor, (0,)), B)
add("reduce", lambda x: lax.reduce(x, np.float32(0), lambda a, b: a + 2 * b, (0,)), X)
add("reduce_window", lambda x: lax.reduce_window(x, np.float32(0), lambda a, b: a + 2 * b, (2,), (1,), "SAME"), X)
add("reduce_window_sum", lambda x: lax.reduce_window(x, np.float32(0), lax.add, (2,), (1,), "SAME"), X)
add("reduce_window_max", lambda x: lax.reduce_window(x, np.float32(-np.inf), lax.max, (2,), (1,), "SAME"), X)
add("reduce_window_min", lambda x: lax.reduce_window(x, np.float32(np.inf), lax.min, (2,), (1,), "SAME"), X)


def pooled(x: jax.Array) -> jax.Array:
    return jnp.sum(lax.reduce_window(x, np.float32(-np.inf), lax.max, (2,), (1,), "VALID") ** 2)


add("select_and_scatter_add", jax.grad(pooled), X)
add("select_and_gather_add", lambda x, t: jax.jvp(pooled, (x,), (t,)), X, Y)

# Contractions and linear algebra.
add("dot_general", jnp.dot, M, M)
add("conv_general_dilated", lambda a, b: lax.conv(a, b, (1, 1), "SAME"), IMAGE, KERNEL)
add("ragged_dot_general", lax.ragged_dot, M, spec(jnp.float32, 2, 4, 5), spec(jnp.int32, 2))
add("cholesky", lax.linalg.cholesky, M)
add("cholesky_update", lax.linalg.cholesky_update, M, X)
add("eig", jnp.linalg.eig, M)
add("eigh", jnp.linalg.eigh, M)
add("lu", lax.linalg.lu, M)
add("lu_pivots_to_permutation", lambda p: lax.linalg.lu_pivots_to_permutation(p, 4), N)
add("qr", lax.linalg.qr, M)
add("geqrf", lambda m: jnp.linalg.qr(m, mode="raw"), M)
add("householder_product", lax.linalg.householder_product, M, X)
add("hessenberg", lax.linalg.hessenberg, M)
add("schur", lax.linalg.schur, M)
add("svd", jnp.linalg.svd, M)
add("symmetric_product", lax.linalg.symmetric_product, M, M)
add("triangular_solve", lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True), M, M)
add("tridiagonal", lax.linalg.tridiagonal, M)
add("tridiagonal_solve", lax.linalg.tridiagonal_solve, X, X, X, W)

# Random numbers.
KEY = jax.eval_shape(lambda: jax.random.key(0))
RAW = spec(jnp.uint32, 2)
add("random_bits", jax.random.bits, KEY)
add("random_fold_in", lambda k: jax.random.fold_in(k, 1), KEY)
add("random_seed", jax.random.key, K)
add("random_split", jax.random.split, KEY)
add("random_wrap", jax.random.wrap_key_data, RAW)
add("random_unwrap", jax.random.key_data, KEY)
add("random_clone", jax.random.clone, KEY)
add("random_gamma", lambda k: jax.random.gamma(k, 2.0), KEY)
add("rng_uniform", lambda a, b: lax.rng_uniform(a, b, (3,)), S, S)
add("rng_bit_generator", lambda k: lax.rng_bit_generator(k, (3,)), U)

# Structure: loops, branches, calls, derivatives.
add("scan", lambda x: lax.scan(lambda c, y: (c + y, c), 0.0, x), X)
add("while", lambda x: lax.while_loop(lambda c: c < 10, lambda c: c * 2, x), S)
add("cond", lambda k, x: lax.switch(k, [jnp.sin, jnp.cos, jnp.tan], x), K, X)
add("jit", jax.jit(jnp.sin), X)
add("remat2", jax.checkpoint(jnp.sin), X)
add("name", lambda x: checkpoint_name(x, "here"), X)
add("custom_linear_solve", lambda b: lax.custom_linear_solve(lambda x: 2 * x, b, lambda f, b: b / 2, symmetric=True), X)
add("linear_call", lambda x: jax.custom_derivatives.linear_call(lambda r, x: x * 2, lambda r, t: t * 2, (), x), X)
add("optimization_barrier", lax.optimization_barrier, X)
add("stop_gradient", lax.stop_gradient, X)
add("composite", lambda x: lax.composite(lambda x: x * 2, "my.double")(x), X)
add("platform_index", lambda x: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos), X)


@jax.custom_jvp
def with_jvp(x: jax.Array) -> jax.Array:
    return jnp.sin(x)


@with_jvp.defjvp
def _jvp(primals: Any, tangents: Any) -> Any:
    return with_jvp(*primals), 5 * tangents[0]


@jax.custom_vjp
def with_vjp(x: jax.Array) -> jax.Array:
    return jnp.sin(x)


with_vjp.defvjp(lambda x: (with_vjp(x), x), lambda res, ct: (ct * res,))


@jax.custom_batching.custom_vmap
def with_vmap(x: jax.Array) -> jax.Array:
    return jnp.sin(x)


with_vmap.def_vmap(lambda size, batched, x: (jnp.sin(x), batched[0]))
add("custom_jvp_call", lambda x: with_jvp(x), X)
add("custom_vjp_call", lambda x: with_vjp(x), X)
add("custom_vmap_call", with_vmap, X)

# The host, foreign functions, references.
add("pure_callback", lambda x: jax.pure_callback(host, X, x), X)
add("io_callback", lambda x: jax.experimental.io_callback(host, X, x, ordered=True), X)
add("debug_callback", lambda x: jax.debug.callback(host, x), X)
add("ffi_call", lambda x: jax.ffi.ffi_call("mine", X)(x, n=np.int32(3)), X)
NEW_REF = getattr(jax, "new_ref", None) or getattr(jax, "array_ref", None)

# Devices.
SPLIT = P("x")
MESH = Mesh(np.array(jax.devices()[:2]), ("x",))
E8 = spec(jnp.float32, 8)


def mapped(function: Callable[..., Any], out: Any = SPLIT, checked: bool = True) -> Callable[..., Any]:
    """A function over the two parts of an array."""
    shard_map = getattr(jax, "shard_map", None)
    if shard_map is not None:
        return lambda *a: shard_map(function, mesh=MESH, in_specs=P("x"), out_specs=out, check_vma=checked)(*a)
    from jax.experimental.shard_map import shard_map as older

    return lambda *a: older(function, mesh=MESH, in_specs=P("x"), out_specs=out, check_rep=checked)(*a)


add("shard_map", mapped(jnp.sin), E8)
add("psum", mapped(lambda v: lax.psum(v, "x"), P(), False), E8)
add("pmax", mapped(lambda v: lax.pmax(v, "x"), P(), False), E8)
add("pmin", mapped(lambda v: lax.pmin(v, "x"), P(), False), E8)
add("all_gather", mapped(lambda v: lax.all_gather(v, "x"), P(), False), E8)
add("all_to_all", mapped(lambda v: lax.all_to_all(v, "x", 0, 0, tiled=True), P("x"), False), E8)
add("ppermute", mapped(lambda v: lax.ppermute(v, "x", [(0, 1), (1, 0)])), E8)
add("reduce_scatter", mapped(lambda v: lax.psum_scatter(v, "x", tiled=True), P("x"), False), E8)
add("axis_index", mapped(lambda v: v + lax.axis_index("x")), E8)
add("sharding_constraint", lambda x: lax.with_sharding_constraint(x, jax.sharding.NamedSharding(MESH, P("x"))), E8)
add("device_put", lambda x: jax.device_put(x, jax.sharding.NamedSharding(MESH, P("x"))), E8)

#: Programs for which this JAX has another primitive, or an API of another name: name -> what makes the program.
MAYBE: dict[str, Callable[[], Program]] = {
    "stack": lambda: (lambda x, y: jnp.stack([x, y]), (X, Y)),
    "unstack": lambda: (jnp.unstack, (M,)),
    "tile": lambda: (lambda x: jnp.tile(x, 3), (X,)),
    "mulhi": lambda: (lax.mulhi, (U, U)),
    "pvary": lambda: (mapped(lambda v: jnp.ones(4) + v), (E8,)),
    "log2": lambda: (jnp.log2, (X,)),
    "pbroadcast": lambda: (mapped(lambda v: lax.pbroadcast(v, "x", 0), P("x"), False), (E8,)),
    "threefry2x32": lambda: (threefry(), (RAW,)),
    "custom_partitioning": lambda: (partitioned(), (X,)),
    "ormqr": lambda: (lax.linalg.ormqr, (M, X, M)),
    "scaled_dot": lambda: (lax.scaled_dot, (M, M)),
    "debug_print": lambda: (lambda x: jax.debug.print("{}", x), (X,)),
    "psum_invariant": lambda: (mapped(lambda v: lax.psum(v, "x"), P()), (E8,)),
    "custom_vjp_call_jaxpr": lambda: (lambda x: with_vjp(x), (X,)),
    "call_exported": lambda: (exported(), (X,)),
    "pallas_call": lambda: (kernel(), (X,)),
    "new_ref": lambda: (stateful(), (X,)),
}


def threefry() -> Callable[..., Any]:
    from jax.extend.random import threefry_2x32

    return lambda k: threefry_2x32(k, jnp.zeros(4, jnp.uint32))


def partitioned() -> Callable[..., Any]:
    from jax.experimental.custom_partitioning import custom_partitioning

    function = custom_partitioning(lambda x: x * 2)
    function.def_partition(infer_sharding_from_operands=host, partition=host, sharding_rule="i -> i")
    return lambda x: function(x)


def exported() -> Callable[..., Any]:
    import jax.export

    return jax.export.export(jax.jit(jnp.sin))(X).call


def kernel() -> Callable[..., Any]:
    from jax.experimental import pallas

    def body(source: Any, target: Any) -> None:
        target[...] = source[...] * 2

    return pallas.pallas_call(body, out_shape=X, interpret=True)


def stateful() -> Callable[..., Any]:
    if NEW_REF is None:
        raise AttributeError("this JAX has no mutable arrays")

    def run(x: jax.Array) -> jax.Array:
        ref = NEW_REF(x)
        ref[...] += 1
        return ref[...]

    return run


#: Primitives without a program, by reason.
WITHOUT = {
    "only the sparse arrays of jax.experimental use it": (
        "bcoo_dot_general bcoo_dot_general_sampled bcoo_extract bcoo_fromdense bcoo_sort_indices "
        "bcoo_spdot_general bcoo_sum_duplicates bcoo_todense bcoo_transpose bcsr_dot_general bcsr_extract "
        "bcsr_fromdense bcsr_todense coo_fromdense coo_matmat coo_matvec coo_spmm coo_spmv coo_todense "
        "csr_fromdense csr_matmat csr_matvec csr_spmm csr_spmv csr_todense spsolve todense"
    ),
    "only accelerators' attention and fused kernels use it": (
        "bias_bwd bias_fwd cudnn_fusion dot_product_attention_bwd dot_product_attention_bwd_wrapper "
        "dot_product_attention_fp8_bwd dot_product_attention_fp8_bwd_wrapper dot_product_attention_fp8_fwd "
        "dot_product_attention_fp8_fwd_wrapper dot_product_attention_fwd dot_product_attention_fwd_wrapper "
        "scaled_matmul scaled_matmul_wrapper mpmd_map core_map run_scoped empty empty2 multiple_of stage pin "
        "unpin create_linear"
    ),
    "JAX makes it after tracing, or only inside other transformations; no jaxpr of a user's program has it": (
        "call closed_call custom_lin dce_sink eval_jaxpr eq_to le_to lt_to from_edtype to_edtype iota_2x32_shape "
        "remat_opt unreachable after_all create_token tie broadcast_to full_to_shard shard_to_full xla_pmap "
        "xla_metadata_call xla_metadata_value reciprocal dimension_size dim_as_value shape_assertion check "
        "inspect_sharding select_and_scatter dll_constraint relayout one_minus_square polynomial eigh_jacobi "
        "geqp3 infeed outfeed run_state log2 philox2x32 philox4x32 threefry4x32 random_gamma_grad "
        "custom_transpose_call global_array_to_host_local_array host_local_array_to_global_array"
    ),
    "it needs explicit meshes or asynchronous collectives, which only some versions have": (
        "all_gather_done all_gather_invariant all_gather_reduced all_gather_reduced_start all_gather_start "
        "all_to_all_done all_to_all_start mesh_cast pbroadcast_done pbroadcast_dynamic pbroadcast_start pgather "
        "ppermute_done ppermute_start precv preduced psend psum_done psum_invariant_start psum_start "
        "ragged_all_to_all reduce_scatter_done reduce_scatter_start reduced_vary_cast reduced_vary_cast_p reshard "
        "unreduced_pmax unreduced_pmin unreduced_psum unreduced_psum_start unreduced_reduce_scatter "
        "unreduced_reduce_scatter_start vary_unreduced_cast vary_unreduced_cast_p with_memory_space_constraint "
        "layout_constraint"
    ),
}  # fmt: skip
