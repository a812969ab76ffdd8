"""A text for every op of StableHLO, CHLO, Shardy and func: the statement that holds it, over the arguments below."""

# ruff: noqa: E501

from __future__ import annotations

#: Arguments of the function around each statement.
ARGUMENTS = (
    "%f: tensor<4xf32>, %g: tensor<4xf32>, %i: tensor<4xi32>, %j: tensor<4xi32>, %p: tensor<4xi1>, %m: tensor<4x4xf32>, "
    "%s: tensor<f32>, %n: tensor<i32>, %b: tensor<i1>, %c: tensor<4xcomplex<f32>>, %t: !stablehlo.token, "
    "%u: tensor<2xui64>, %x: tensor<1x4x4x2xf32>, %k: tensor<3x3x2x5xf32>, %d: tensor<1xi32>, %e: tensor<2xi64>"
)

F, I, P, M = "tensor<4xf32>", "tensor<4xi32>", "tensor<4xi1>", "tensor<4x4xf32>"  # noqa: E741 - the types' own letters
SUM = "({^bb0(%l: tensor<f32>, %r: tensor<f32>): %z = stablehlo.add %l, %r : tensor<f32> stablehlo.return %z : tensor<f32>})"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
GROUPS = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
MESH = '#sdy.sharding<@mesh, [{"x"}]>'


def _unary(dialect: str, names: str, operand: str = "%f", source: str = F, target: str = F) -> dict[str, str]:
    return {f"{dialect}.{name}": f'"{dialect}.{name}"({operand}) : ({source}) -> {target}' for name in names.split()}


def _binary(dialect: str, names: str, operands: str, source: str, target: str) -> dict[str, str]:
    return {
        f"{dialect}.{name}": f'"{dialect}.{name}"({operands}) : ({source}, {source}) -> {target}'
        for name in names.split()
    }


STATEMENTS: dict[str, str] = {
    **_unary(
        "stablehlo",
        "abs cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one logistic negate round_nearest_afz "
        "round_nearest_even rsqrt sign sine sqrt tan tanh",
    ),
    **_unary("stablehlo", "count_leading_zeros not popcnt", "%i", I, I),
    **_unary("stablehlo", "real imag", "%c", "tensor<4xcomplex<f32>>", F),
    **_unary("stablehlo", "is_finite", "%f", F, P),
    **_unary("stablehlo", "convert", "%f", F, I),
    **_unary("stablehlo", "bitcast_convert", "%f", F, I),
    **_unary("stablehlo", "reshape", "%f", F, "tensor<2x2xf32>"),
    **_binary("stablehlo", "add atan2 divide maximum minimum multiply power remainder subtract", "%f, %g", F, F),
    **_binary("stablehlo", "and or xor shift_left shift_right_arithmetic shift_right_logical", "%i, %j", I, I),
    **_binary("stablehlo", "complex", "%f, %g", F, "tensor<4xcomplex<f32>>"),
    "stablehlo.after_all": '"stablehlo.after_all"(%t, %t) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token',
    "stablehlo.all_gather": f'"stablehlo.all_gather"(%f) {{all_gather_dim = 0 : i64, {GROUPS}, {CHANNEL}}} : ({F}) -> tensor<8xf32>',
    "stablehlo.all_reduce": f'"stablehlo.all_reduce"(%f) {SUM} {{{GROUPS}, {CHANNEL}}} : ({F}) -> {F}',
    "stablehlo.all_to_all": f'"stablehlo.all_to_all"(%f) {{split_dimension = 0 : i64, concat_dimension = 0 : i64, '
    f"split_count = 2 : i64, {GROUPS}, {CHANNEL}}} : ({F}) -> {F}",
    "stablehlo.batch_norm_grad": '"stablehlo.batch_norm_grad"(%m, %f, %f, %f, %m) {epsilon = 0.1 : f32, feature_index = 1 : i64} '
    f": ({M}, {F}, {F}, {F}, {M}) -> ({M}, {F}, {F})",
    "stablehlo.batch_norm_inference": '"stablehlo.batch_norm_inference"(%m, %f, %f, %f, %f) {epsilon = 0.1 : f32, feature_index = 1 : i64} '
    f": ({M}, {F}, {F}, {F}, {F}) -> {M}",
    "stablehlo.batch_norm_training": '"stablehlo.batch_norm_training"(%m, %f, %f) {epsilon = 0.1 : f32, feature_index = 1 : i64} '
    f": ({M}, {F}, {F}) -> ({M}, {F}, {F})",
    "stablehlo.broadcast": f'"stablehlo.broadcast"(%f) {{broadcast_sizes = array<i64: 2>}} : ({F}) -> tensor<2x4xf32>',
    "stablehlo.broadcast_in_dim": f'"stablehlo.broadcast_in_dim"(%f) {{broadcast_dimensions = array<i64: 1>}} : ({F}) -> {M}',
    "stablehlo.case": f'"stablehlo.case"(%n) ({{stablehlo.return %f : {F}}}, {{stablehlo.return %g : {F}}}) : (tensor<i32>) -> {F}',
    "stablehlo.cholesky": f'"stablehlo.cholesky"(%m) {{lower = true}} : ({M}) -> {M}',
    "stablehlo.clamp": f'"stablehlo.clamp"(%s, %f, %s) : (tensor<f32>, {F}, tensor<f32>) -> {F}',
    "stablehlo.collective_broadcast": f'"stablehlo.collective_broadcast"(%f) {{{GROUPS}, {CHANNEL}}} : ({F}) -> {F}',
    "stablehlo.collective_permute": '"stablehlo.collective_permute"(%f) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, '
    f"{CHANNEL}}} : ({F}) -> {F}",
    "stablehlo.compare": f'"stablehlo.compare"(%f, %g) {{comparison_direction = #stablehlo<comparison_direction LT>}} : ({F}, {F}) -> {P}',
    "stablehlo.composite": '"stablehlo.composite"(%f) {name = "my.op", decomposition = @helper, composite_attributes = {n = 1 : i64}, '
    f"version = 1 : i32}} : ({F}) -> {F}",
    "stablehlo.concatenate": f'"stablehlo.concatenate"(%f, %g) {{dimension = 0 : i64}} : ({F}, {F}) -> tensor<8xf32>',
    "stablehlo.constant": f'"stablehlo.constant"() {{value = dense<1.0> : {F}}} : () -> {F}',
    "stablehlo.convolution": "stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
    "window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
    "(tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>) -> tensor<1x2x2x5xf32>",
    "stablehlo.create_token": '"stablehlo.create_token"() : () -> !stablehlo.token',
    "stablehlo.cross-replica-sum": f'"stablehlo.cross-replica-sum"(%f) {{{GROUPS}}} : ({F}) -> {F}',
    "stablehlo.custom_call": '"stablehlo.custom_call"(%f) {call_target_name = "f", backend_config = {a = 1 : i32}, api_version = 4 : i32} '
    f": ({F}) -> {F}",
    "stablehlo.dot": f'"stablehlo.dot"(%f, %g) : ({F}, {F}) -> tensor<f32>',
    "stablehlo.dot_general": "stablehlo.dot_general %m, %m, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT] : "
    f"({M}, {M}) -> {M}",
    "stablehlo.dynamic_broadcast_in_dim": '"stablehlo.dynamic_broadcast_in_dim"(%f, %e) {broadcast_dimensions = array<i64: 1>} '
    f": ({F}, tensor<2xi64>) -> tensor<?x4xf32>",
    "stablehlo.dynamic_conv": '"stablehlo.dynamic_conv"(%x, %k, %pad) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->'
    "[b, 0, 1, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
    "(tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32>, tensor<2x2xi64>) -> tensor<1x?x?x5xf32>",
    "stablehlo.dynamic_gather": '"stablehlo.dynamic_gather"(%f, %d, %d) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], '
    "start_index_map = [0]>} : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>) -> tensor<f32>",
    "stablehlo.dynamic_iota": '"stablehlo.dynamic_iota"(%e) {iota_dimension = 0 : i64} : (tensor<2xi64>) -> tensor<?x?xf32>',
    "stablehlo.dynamic_pad": f'"stablehlo.dynamic_pad"(%f, %s, %d, %d, %d) : ({F}, tensor<f32>, tensor<1xi32>, tensor<1xi32>, '
    "tensor<1xi32>) -> tensor<?xf32>",
    "stablehlo.dynamic_reshape": f'"stablehlo.dynamic_reshape"(%f, %e) : ({F}, tensor<2xi64>) -> tensor<?x?xf32>',
    "stablehlo.dynamic_slice": f'"stablehlo.dynamic_slice"(%f, %n) {{slice_sizes = array<i64: 2>}} : ({F}, tensor<i32>) -> tensor<2xf32>',
    "stablehlo.dynamic_update_slice": f'"stablehlo.dynamic_update_slice"(%f, %g, %n) : ({F}, {F}, tensor<i32>) -> {F}',
    "stablehlo.einsum": f'"stablehlo.einsum"(%m, %m) {{einsum_config = "ab,bc->ac"}} : ({M}, {M}) -> {M}',
    "stablehlo.fft": '"stablehlo.fft"(%c) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 4>} '
    ": (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>",
    "stablehlo.gather": '"stablehlo.gather"(%f, %d) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], '
    "start_index_map = [0]>, slice_sizes = array<i64: 1>, indices_are_sorted = true} : (tensor<4xf32>, tensor<1xi32>) -> tensor<f32>",
    "stablehlo.get_dimension_size": f'"stablehlo.get_dimension_size"(%f) {{dimension = 0 : i64}} : ({F}) -> tensor<i32>',
    "stablehlo.get_tuple_element": '"stablehlo.get_tuple_element"(%tup) {index = 1 : i32} : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>',
    "stablehlo.if": f'"stablehlo.if"(%b) ({{stablehlo.return %f : {F}}}, {{stablehlo.return %g : {F}}}) : (tensor<i1>) -> {F}',
    "stablehlo.infeed": f'"stablehlo.infeed"(%t) {{infeed_config = "", layout = [[0]]}} : (!stablehlo.token) -> ({F}, !stablehlo.token)',
    "stablehlo.iota": f'"stablehlo.iota"() {{iota_dimension = 0 : i64}} : () -> {F}',
    "stablehlo.map": f'"stablehlo.map"(%f, %g) {SUM} {{dimensions = array<i64: 0>}} : ({F}, {F}) -> {F}',
    "stablehlo.optimization_barrier": f'"stablehlo.optimization_barrier"(%f) : ({F}) -> {F}',
    "stablehlo.outfeed": f'"stablehlo.outfeed"(%f, %t) {{outfeed_config = ""}} : ({F}, !stablehlo.token) -> !stablehlo.token',
    "stablehlo.pad": '"stablehlo.pad"(%f, %s) {edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: -1>, '
    f"interior_padding = array<i64: 0>}} : ({F}, tensor<f32>) -> {F}",
    "stablehlo.partition_id": '"stablehlo.partition_id"() : () -> tensor<ui32>',
    "stablehlo.real_dynamic_slice": f'"stablehlo.real_dynamic_slice"(%f, %d, %d, %d) : ({F}, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) '
    "-> tensor<?xf32>",
    "stablehlo.recv": '"stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} '
    f": (!stablehlo.token) -> ({F}, !stablehlo.token)",
    "stablehlo.reduce": f'"stablehlo.reduce"(%f, %s) {SUM} {{dimensions = array<i64: 0>}} : ({F}, tensor<f32>) -> tensor<f32>',
    "stablehlo.reduce_precision": f'"stablehlo.reduce_precision"(%f) {{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}} : ({F}) -> {F}',
    "stablehlo.reduce_scatter": f'"stablehlo.reduce_scatter"(%f) {SUM} {{scatter_dimension = 0 : i64, {GROUPS}, {CHANNEL}}} '
    f": ({F}) -> tensor<2xf32>",
    "stablehlo.reduce_window": f'"stablehlo.reduce_window"(%f, %s) {SUM} {{window_dimensions = array<i64: 2>}} : ({F}, tensor<f32>) '
    "-> tensor<3xf32>",
    "stablehlo.replica_id": '"stablehlo.replica_id"() : () -> tensor<ui32>',
    "stablehlo.reverse": f'"stablehlo.reverse"(%f) {{dimensions = array<i64: 0>}} : ({F}) -> {F}',
    "stablehlo.rng": '"stablehlo.rng"(%s, %s, %e) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} '
    ": (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>",
    "stablehlo.rng_bit_generator": '"stablehlo.rng_bit_generator"(%u) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} '
    ": (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)",
    "stablehlo.scatter": f'"stablehlo.scatter"(%f, %d, %s) {SUM} {{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], '
    f"scatter_dims_to_operand_dims = [0]>, unique_indices = true}} : ({F}, tensor<1xi32>, tensor<f32>) -> {F}",
    "stablehlo.select": f'"stablehlo.select"(%p, %f, %g) : ({P}, {F}, {F}) -> {F}',
    "stablehlo.select_and_scatter": '"stablehlo.select_and_scatter"(%f, %two, %s) ({^bb0(%l: tensor<f32>, %r: tensor<f32>): '
    "%z = stablehlo.compare GE, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %z : tensor<i1>}, "
    f"{SUM[1:-1]}) {{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}} : "
    f"({F}, tensor<2xf32>, tensor<f32>) -> {F}",
    "stablehlo.send": '"stablehlo.send"(%f, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} '
    f": ({F}, !stablehlo.token) -> !stablehlo.token",
    "stablehlo.set_dimension_size": f'"stablehlo.set_dimension_size"(%f, %n) {{dimension = 0 : i64}} : ({F}, tensor<i32>) '
    "-> tensor<?xf32, #stablehlo.bounds<4>>",
    "stablehlo.slice": '"stablehlo.slice"(%f) {start_indices = array<i64: 1>, limit_indices = array<i64: 3>, strides = array<i64: 1>} '
    f": ({F}) -> tensor<2xf32>",
    "stablehlo.sort": '"stablehlo.sort"(%f) ({^bb0(%l: tensor<f32>, %r: tensor<f32>): %z = stablehlo.compare LT, %l, %r, TOTALORDER : '
    "(tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %z : tensor<i1>}) {dimension = 0 : i64, is_stable = true} "
    f": ({F}) -> {F}",
    "stablehlo.torch_index_select": f'"stablehlo.torch_index_select"(%m, %i) {{dim = 0 : i64, batch_dims = 0 : i64}} : ({M}, {I}) -> {M}',
    "stablehlo.transpose": f'"stablehlo.transpose"(%m) {{permutation = array<i64: 1, 0>}} : ({M}) -> {M}',
    "stablehlo.triangular_solve": '"stablehlo.triangular_solve"(%m, %m) {left_side = true, lower = true, unit_diagonal = false, '
    f"transpose_a = #stablehlo<transpose NO_TRANSPOSE>}} : ({M}, {M}) -> {M}",
    "stablehlo.tuple": '"stablehlo.tuple"(%s, %n) : (tensor<f32>, tensor<i32>) -> tuple<tensor<f32>, tensor<i32>>',
    "stablehlo.unary_einsum": f'"stablehlo.unary_einsum"(%m) {{einsum_config = "ab->a"}} : ({M}) -> {F}',
    "stablehlo.while": '"stablehlo.while"(%n) ({^bb0(%l: tensor<i32>): %z = stablehlo.compare LT, %l, %n : (tensor<i32>, tensor<i32>) '
    "-> tensor<i1> stablehlo.return %z : tensor<i1>}, {^bb0(%l: tensor<i32>): %z = stablehlo.add %l, %n : tensor<i32> "
    "stablehlo.return %z : tensor<i32>}) : (tensor<i32>) -> tensor<i32>",
    **_unary(
        "chlo",
        "_asin_acos_kernel",
        "%c",
        "tensor<4xcomplex<f32>>",
        "tensor<4xcomplex<f32>>",
    ),
    **_unary(
        "chlo",
        "acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf erf_inv erfc lgamma sinh square tan",
    ),
    **_unary("chlo", "is_inf is_neg_inf is_pos_inf", "%f", F, P),
    **_binary(
        "chlo",
        "broadcast_add broadcast_atan2 broadcast_divide broadcast_maximum broadcast_minimum broadcast_multiply "
        "broadcast_next_after broadcast_polygamma broadcast_power broadcast_remainder broadcast_subtract broadcast_zeta "
        "next_after polygamma zeta",
        "%f, %g",
        F,
        F,
    ),
    **_binary(
        "chlo",
        "broadcast_and broadcast_or broadcast_xor broadcast_shift_left broadcast_shift_right_arithmetic "
        "broadcast_shift_right_logical mulhi",
        "%i, %j",
        I,
        I,
    ),
    **_binary("chlo", "broadcast_complex", "%f, %g", F, "tensor<4xcomplex<f32>>"),
    "chlo.broadcast_compare": f'"chlo.broadcast_compare"(%f, %g) {{comparison_direction = #chlo<comparison_direction LT>}} : ({F}, {F}) -> {P}',
    "chlo.broadcast_select": f'"chlo.broadcast_select"(%p, %f, %g) : ({P}, {F}, {F}) -> {F}',
    "chlo.constant": f'"chlo.constant"() {{value = dense<1.0> : {F}}} : () -> {F}',
    "chlo.constant_like": f'"chlo.constant_like"(%f) {{value = 1.0 : f32}} : ({F}) -> {F}',
    "chlo.ragged_dot": '"chlo.ragged_dot"(%m, %rag, %e) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], '
    "rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], "
    f"rhs_group_dimensions = [0]>}} : ({M}, tensor<2x4x4xf32>, tensor<2xi64>) -> {M}",
    "chlo.top_k": f'"chlo.top_k"(%f) {{k = 2 : i64}} : ({F}) -> (tensor<2xf32>, tensor<2xi32>)',
    "sdy.all_gather": '"sdy.all_gather"(%v) {gathering_axes = #sdy<list_of_axis_ref_lists[{"x"}]>, out_sharding = #sdy.sharding<@mesh, [{}]>} '
    f": ({F}) -> {F}",
    "sdy.all_reduce": f'"sdy.all_reduce"(%f) {{reduction_axes = #sdy<axis_ref_list{{"x"}}>, out_sharding = #sdy.sharding<@mesh, [{{}}]>}} : ({F}) -> {F}',
    "sdy.all_slice": f'"sdy.all_slice"(%f) {{slicing_axes = #sdy<list_of_axis_ref_lists[{{"x"}}]>, out_sharding = {MESH}}} : ({F}) -> {F}',
    "sdy.all_to_all": 'sdy.all_to_all [{"x"}: 0->1] %w out_sharding=<@mesh, [{}, {"x"}]> : tensor<4x4xf32>',
    "sdy.collective_permute": 'sdy.collective_permute %v out_sharding=<@mesh, [{"y"}]> : tensor<4xf32>',
    "sdy.constant": f'"sdy.constant"() {{value = dense<1.0> : {F}}} : () -> {F}',
    "sdy.data_flow_edge": f'"sdy.data_flow_edge"(%own) : ({F}) -> {F}',
    "sdy.manual_computation": f'sdy.manual_computation(%f) in_shardings=[<@mesh, [{{"x"}}]>] out_shardings=[<@mesh, [{{"x"}}]>] '
    f'manual_axes={{"x"}} (%l: tensor<2xf32>) {{ sdy.return %l : tensor<2xf32> }} : ({F}) -> {F}',
    "sdy.named_computation": f'sdy.named_computation<"name">(%f) (%l: {F}) {{ sdy.return %l : {F} }} : ({F}) -> {F}',
    "sdy.propagation_barrier": f"sdy.propagation_barrier %f allowed_direction=NONE : {F}",
    "sdy.reduce_scatter": f'"sdy.reduce_scatter"(%f) {{reduce_scatter_axes = #sdy<list_of_axis_ref_lists[{{"x"}}]>, out_sharding = {MESH}}} : ({F}) -> {F}',
    "sdy.reshard": f'sdy.reshard %f <@mesh, [{{"x"}}]> : {F}',
    "sdy.sharding_constraint": f'sdy.sharding_constraint %f <@mesh, [{{"x"}}]> : {F}',
    "func.call": f"func.call @helper(%f) : ({F}) -> {F}",
}

#: Statements that must come before.
NEEDS = {
    "stablehlo.dynamic_conv": "%pad = stablehlo.constant dense<0> : tensor<2x2xi64>",
    "stablehlo.get_tuple_element": "%tup = stablehlo.tuple %s, %n : tuple<tensor<f32>, tensor<i32>>",
    "stablehlo.select_and_scatter": "%two = stablehlo.constant dense<0.0> : tensor<2xf32>",
    "chlo.ragged_dot": "%rag = stablehlo.constant dense<0.0> : tensor<2x4x4xf32>",
    "sdy.all_to_all": 'sdy_w = sdy.reshard %m <@mesh, [{"x"}, {}]> : tensor<4x4xf32>'.replace("sdy_w", "%w"),
    "sdy.all_gather": f'%v = sdy.reshard %f <@mesh, [{{"x"}}]> : {F}',
    "sdy.collective_permute": f'%v = sdy.reshard %f <@mesh, [{{"x"}}]> : {F}',
    "sdy.data_flow_edge": f"%own = stablehlo.optimization_barrier %f : {F}",
}

#: Ops without a statement of their own, and why.
REASONS: dict[str, str] = {
    "stablehlo.return": "ends a region: its operands are the region's results; in each text with a region",
    "func.return": "ends a function; in each text",
    "func.func": "is a Function, not an op; in each text",
    "sdy.return": "ends a region of sdy.manual_computation and sdy.named_computation",
    "sdy.mesh": "is a definition, which stands where it is named; in each text, see test_symbols",
    "stablehlo.uniform_quantize": "jaxlib's MLIR lacks the dialect of its type (!quant.uniform) and refuses it",
    "stablehlo.uniform_dequantize": "as stablehlo.uniform_quantize",
    "stablehlo.async_start": "its type, !stablehlo.future, is not yet in all versions of jaxlib that are supported",
    "stablehlo.async_done": "as stablehlo.async_start",
    "stablehlo.collective_reduce": "not in jaxlib 0.10; read as an unregistered op there",
    "chlo.scan": "in no lowering of JAX up to 0.12",
    "sdy.sharding_group": "results in nothing: see test_ops",
    "sdy.func_data_flow_edge": "made inside Shardy's propagation only",
    "sdy.replicated_to_unreduced": "made inside Shardy's partitioner only",
    "sdy.sharded_to_unreduced": "made inside Shardy's partitioner only",
}
