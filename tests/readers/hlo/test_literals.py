"""Literals from serialized modules: against messages written here, and against XLA's own in test_compiled."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.errors import ReadError
from scanir.ir.attrs import array
from scanir.readers.hlo import read_hlo_proto_literals
from scanir.readers.hlo.wire import packed_varints


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def message(number: int, content: bytes | str) -> bytes:
    raw = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def shape(element: int, dims: list[int], order: list[int] | None = None) -> bytes:
    layout = message(5, message(1, b"".join(map(varint, order)))) if order is not None else b""
    return varint(2 << 3) + varint(element) + message(3, b"".join(map(varint, dims))) + layout


def constant(name: str, literal: bytes, opcode: str = "constant") -> bytes:
    return message(2, message(1, name) + message(2, opcode) + message(8, literal))


def module(*instructions: bytes) -> bytes:
    return message(1, "m") + message(3, message(1, "e") + b"".join(instructions))


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_packed_numbers_are_decoded(values: list[int]) -> None:
    assert packed_varints(memoryview(b"".join(map(varint, values)))).tolist() == values


def test_packed_numbers_are_decoded_across_pieces() -> None:
    values = np.arange(0, 300_000, dtype=np.int64) * 1_000_003 % (1 << 35)
    assert np.array_equal(packed_varints(memoryview(b"".join(map(varint, values.tolist())))), values.astype(np.uint64))


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1, max_size=8))
def test_s32(values: list[int]) -> None:
    literal = message(1, shape(4, [len(values)])) + message(4, b"".join(map(varint, values)))
    expected = array("i32", (len(values),), struct.pack(f"<{len(values)}i", *values))
    assert read_hlo_proto_literals(module(constant("c", literal))) == {"c": expected}


@given(st.lists(st.floats(width=32), min_size=1, max_size=8))
def test_f32(values: list[float]) -> None:
    raw = struct.pack(f"<{len(values)}f", *values)
    literal = message(1, shape(11, [len(values)])) + message(8, raw)
    assert read_hlo_proto_literals(module(constant("c", literal))) == {"c": array("f32", (len(values),), raw)}


@given(st.permutations([0, 1, 2]))
def test_elements_are_put_in_row_major_order(order: list[int]) -> None:
    dims = [2, 3, 4]
    logical = np.arange(24, dtype=np.uint8).reshape(dims)
    stored = logical.transpose(order[::-1]).tobytes()
    literal = message(1, shape(6, dims, order)) + message(3, stored)
    assert read_hlo_proto_literals(module(constant("c", literal)))["c"] == array("u8", (2, 3, 4), logical.tobytes())


def test_numbers_that_are_not_packed() -> None:
    literal = message(1, varint(2 << 3) + varint(4) + varint(3 << 3) + varint(2)) + b"".join(
        varint(4 << 3) + varint(value) for value in (5, -6)
    )
    assert read_hlo_proto_literals(module(constant("c", literal)))["c"] == array("i32", (2,), struct.pack("<2i", 5, -6))


def test_a_name_with_two_values_is_left_out() -> None:
    one, two = (message(1, shape(6, [1])) + message(3, bytes([value])) for value in (1, 2))
    data = module(constant("a", one), constant("b", one)) + message(3, constant("a", two) + constant("b", one))
    assert read_hlo_proto_literals(data) == {"b": array("u8", (1,), b"\1")}


def test_other_instructions_and_types_are_passed_over() -> None:
    tuple_literal = message(1, varint(2 << 3) + varint(13)) + message(10, message(1, shape(6, [1])) + message(3, b"\1"))
    number = message(1, shape(6, [1])) + message(3, b"\1")
    assert read_hlo_proto_literals(module(constant("t", tuple_literal), constant("x", number, "odd"))) == {}


def test_packed_nibbles_of_unknown_order_stay_elided() -> None:
    literal = message(1, shape(21, [4])) + message(21, b"\x12\x34")
    assert read_hlo_proto_literals(module(constant("c", literal))) == {}


@given(st.binary(max_size=60))
def test_noise_is_an_error_or_nothing(noise: bytes) -> None:
    try:
        found = read_hlo_proto_literals(noise)
    except ReadError:
        return
    assert isinstance(found, dict)


@given(st.data())
def test_a_cut_module_is_an_error_or_less(data: st.DataObject) -> None:
    literal = message(1, shape(4, [3])) + message(4, b"".join(map(varint, (1, 2, 3))))
    whole = module(constant("a", literal), constant("b", literal))
    cut = data.draw(st.integers(0, len(whole) - 1))
    try:
        found = read_hlo_proto_literals(whole[:cut])
    except ReadError:
        return
    assert "b" not in found


def test_a_literal_with_too_few_elements_is_an_error() -> None:
    literal = message(1, shape(4, [3])) + message(4, b"\1\2")
    with pytest.raises(ReadError, match="2 elements where its shape has 3"):
        read_hlo_proto_literals(module(constant("c", literal)))
