"""Attribute values: what is taken apart, and that nothing unlike becomes alike."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanir.ir.attrs import Attr, Bool, Float, Int, Opaque, Record, Seq, Text
from scanir.readers.hlo.attributes import AttributeReader, normalized
from scanir.readers.hlo.json_text import canonical_json, unescape


def read(key: str, text: str) -> Attr:
    return AttributeReader(frozenset()).read(key, text, (), ())


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("dimensions", "{1,0}", Seq((Int(1), Int(0)))),
        ("dimensions", "{ 1, 0 }", Seq((Int(1), Int(0)))),
        ("dimensions", "{}", Seq(())),
        ("replica_groups", "{{0,1},{2,3}}", Seq((Seq((Int(0), Int(1))), Seq((Int(2), Int(3)))))),
        (
            "replica_groups",
            "mesh['x'=2, 'y'=4], device_ids=([4,2]T(1,0)) {'y'}",
            Opaque("hlo", "mesh['x'=2,'y'=4],device_ids=([4,2]T(1,0)){'y'}"),
        ),
        ("replica_groups", "[2,4]<=[8]T(1,0)", Opaque("hlo", "[2,4]<=[8]T(1,0)")),
        ("channel_id", "7", Int(7)),
        ("is_stable", "true", Bool(True)),
        ("direction", "LT", Text("LT")),
        ("epsilon", "0.001", Float.of(0.001)),
        ("custom_call_target", '"a\\"b"', Text('a"b')),
        ("slice", "{[0:4], [1:9:2]}", Seq((Seq((Int(0), Int(4), Int(1))), Seq((Int(1), Int(9), Int(2)))))),
        ("sharding", "{devices=[2,1]0, 1}", Opaque("hlo", "{devices=[2,1]0,1}")),
        ("sharding", '{replicated metadata={op_name="a}"}}', Opaque("hlo", "{replicated}")),
        ("window", "{size=3x3  pad=1_1x1_1}", Opaque("hlo", "{size=3x3 pad=1_1x1_1}")),
        ("operand_precision", "{highest,default}", Seq((Text("highest"), Text("default")))),
        ("frontend_attributes", '{b="1", a="x,y"}', Record((("a", Text("x,y")), ("b", Text("1"))))),
        ("frontend_attributes", '{a="1",a="2"}', Opaque("hlo", '{a="1",a="2"}')),
        ("backend_config", '{"b":1,"a":[true,null,1.0]}',
         Record((("a", Seq((Bool(True), Opaque("json", "null"), Float.of(1.0)))), ("b", Int(1))))),
        ("backend_config", '"{\\"b\\": 1}"', Record((("b", Int(1)),))),
        ("backend_config", '"plain text"', Text("plain text")),
        ("backend_config", '{"a":1,"a":2}', Opaque("hlo", '{"a":1,"a":2}')),
        ("odd", '{"{" , a}', Seq((Text("{"), Text("a")))),
        ("odd", "{1,}", Opaque("hlo", "{1,}")),
        ("odd", "{1 2}", Opaque("hlo", "{1 2}")),
        ("odd", '"\\q"', Opaque("hlo", '"\\q"')),
    ],
)  # fmt: skip
def test_values(key: str, text: str, expected: Attr) -> None:
    assert read(key, text) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=3), st.booleans())
def test_json_is_one_whatever_its_spelling(fields: dict[str, object], ascii_only: bool) -> None:
    plain = canonical_json(json.dumps(fields, ensure_ascii=ascii_only))
    spaced = canonical_json(json.dumps(dict(reversed(fields.items())), indent=2))
    assert plain == spaced
    assert isinstance(plain, Record)


@given(JSON, JSON)
def test_unlike_json_is_unlike(left: object, right: object) -> None:
    same = json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)
    assert (canonical_json(json.dumps(left)) == canonical_json(json.dumps(right))) == same


def test_deep_json_and_deep_lists_stay_text() -> None:
    assert isinstance(read("backend_config", '{"a":' * 9000 + "1" + "}" * 9000), Opaque)
    assert isinstance(read("odd", "{" * 9000 + "}" * 9000), Opaque)


@given(st.text(st.characters(codec="utf-8")))
def test_escapes_are_undone(text: str) -> None:
    def written(byte: int) -> str:
        return f"\\{byte:03o}" if byte < 32 or byte > 126 or byte in b'\\"' else chr(byte)

    assert unescape("".join(map(written, text.encode()))) == text


def test_bytes_that_are_no_text_are_not_unescaped() -> None:
    assert unescape("\\377") is None
    assert read("backend_config", '"\\377"') == Opaque("hlo", '"\\377"')


TOKENS = st.lists(st.sampled_from(["{", "}", "[", "]", ",", "a", "b1", "=", '"x  y"', "-1", "<="]), min_size=1)


@given(TOKENS, st.data())
def test_white_space_is_normalized_and_tokens_are_kept(tokens: list[str], data: st.DataObject) -> None:
    gaps = [data.draw(st.sampled_from([" ", "\n ", "\t"])) for _ in tokens]
    spaced = "".join(token + gap for token, gap in zip(tokens, gaps, strict=True)).strip()
    once = normalized(spaced)
    assert once == normalized(" ".join(tokens))
    assert normalized(once) == once
    assert "".join(once.split()) == "".join("".join(tokens).split())
