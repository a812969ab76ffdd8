"""Attribute values of HLO instructions and modules as `scanir.ir.attrs`.

What has a plain structure is taken apart: numbers, names, strings, braced lists, slices, JSON. Everything else is
Opaque text with white space normalized. A name that refers to a computation of the module becomes a Symbol; a name
that refers to anything else, and cannot be resolved here, becomes Hidden: it never passes for text.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from scanir.ir.attrs import Attr, Bool, Float, Hidden, Int, Opaque, Record, Seq, Symbol, Text
from scanir.readers.hlo.json_text import canonical_json, unescape
from scanir.readers.hlo.source import QUOTED_PATTERN, STRING, STRING_PATTERN

#: Attributes that XLA's parser knows and in whose values a bare word is never the name of a computation or instruction.
WORDS = frozenset(
    """
    sharding frontend_attributes statistics parameter_replication origin backend_config result_accuracy metadata
    iota_dimension k largest replica_groups channel_id dimensions constrain_layout use_global_device_ids
    source_target_pairs slice_sizes async_execution_thread execution_thread async_group_id window dim_labels
    feature_group_count batch_group_count operand_precision precision_config algorithm type direction fft_type
    fft_length kind index slice dynamic_slice_sizes padding padding_type is_host_transfer infeed_config outfeed_config
    outfeed_shape distribution delta epsilon feature_index exponent_bits mantissa_bits custom_call_target opaque
    literal custom_call_has_side_effect operand_layout_constraints output_to_operand_aliasing custom_call_schedule
    api_version lhs_contracting_dims rhs_contracting_dims lhs_batch_dims rhs_batch_dims lhs_ragged_dims rhs_group_dims
    sparsity sparsity_config offset_dims collapsed_slice_dims start_index_map index_vector_dim operand_batching_dims
    start_indices_batching_dims indices_are_sorted unique_indices update_window_dims inserted_window_dims
    scatter_dims_to_operand_dims input_batching_dims scatter_indices_batching_dims is_stable is_composite domain
    left_side lower unit_diagonal transpose_a cross_program_prefetch_index is_cross_program_prefetch
    inferred_dimension num_carries is_reverse is_associative split_dimension is_scheduled entry_computation_layout
    input_output_alias buffer_donor replica_count num_partitions alias_passthrough_params
    allow_spmd_sharding_propagation_to_parameters allow_spmd_sharding_propagation_to_output
    """.split()  # noqa: SIM905 -- words read better than a list
)

#: Values that are never taken apart, whatever they look like.
_WHOLE = frozenset({"sharding", "origin", "domain", "statistics", "entry_computation_layout", "input_output_alias",
                    "buffer_donor", "operand_layout_constraints", "output_to_operand_aliasing"})  # fmt: skip

_INT = re.compile(r"[+-]?\d{1,40}")
_FLOAT = re.compile(r"[+-]?(?:\d{1,40}\.\d{0,40}|\.\d{1,40}|\d{1,40})(?:[eE][+-]?\d{1,6})?")
_WORD = re.compile(r"[A-Za-z_][\w.\-]*")
_SLICE = re.compile(r"\[\s*(-?\d{1,19})\s*:\s*(-?\d{1,19})\s*(?::\s*(-?\d{1,19})\s*)?\]")
_SLICES = re.compile(r"\{(?:\s*\[[\s\d:\-]*\]\s*,?)*\s*\}")
_LIST_TOKEN = re.compile(r"\s*(?:([{},])|(" + STRING_PATTERN + r")|([\w.+\-]+))\s*", re.S)
_PAIR = re.compile(r"\s*([\w.\-]+)\s*=\s*(" + STRING_PATTERN + r")\s*(?:,|$)", re.S)
_SPACES = re.compile(f"({QUOTED_PATTERN})" + r"|\s*([{}()\[\],=<>:])\s*|\s+", re.S)
_METADATA = re.compile(r",?\s*metadata=\{(?:[^{}\"]|" + STRING_PATTERN + r"|\{[^{}]*\})*+\}", re.S)
_REFERENCE = re.compile(f"({QUOTED_PATTERN})" + r"|%([\w.\-]+)", re.S)
_BARE = re.compile(f"({QUOTED_PATTERN})" + r"|(?<![\w.\-%])([A-Za-z_][\w.\-]*)", re.S)

#: Lists nested deeper are carried as text: what follows may recurse over an attribute.
_DEPTH = 32


def normalized(text: str) -> str:
    """The text with white space outside strings reduced to what keeps its tokens apart."""
    if not re.search(r"\s", text):
        return text

    def shorter(match: re.Match[str]) -> str:
        return match[1] or match[2] or " "

    return _SPACES.sub(shorter, text).strip()


def names_in(text: str) -> list[str]:
    """What the text refers to as ``%name``, outside strings."""
    if "%" not in text:
        return []
    return [match[2] for match in _REFERENCE.finditer(text) if match[2]]


class AttributeReader:
    """Reads the attributes of one module. ``computations`` are the names that a reference can mean."""

    def __init__(self, computations: Collection[str]) -> None:
        self._computations = computations
        self._plain: dict[tuple[str, str], Attr] = {}

    def read(self, key: str, text: str, available: Collection[str], instructions: Collection[str]) -> Attr:
        """The value ``text`` of attribute ``key``.

        ``available``: the computations that a bare word may stand for here (a cycle is no meaning); ``instructions``:
        the names of the computation around it.
        """
        if "%" in text and (references := names_in(text)):
            return self._resolved(text, references)
        if key not in WORDS:
            bare = [match[2] for match in _BARE.finditer(text) if match[2]]
            meant = [name for name in bare if name in self._computations]
            if any(name not in available for name in meant) or any(name in instructions for name in bare):
                return _hidden(text)
            if meant:
                # The word may also be an enumerator that only looks like the name: both are compared.
                return Seq((Opaque("hlo", normalized(text)), *map(Symbol, meant)))
        known = self._plain.get((key, text))
        if known is None:
            known = self._plain[key, text] = _plain(key, text)
        return known

    def _resolved(self, text: str, references: list[str]) -> Attr:
        if any(name not in self._computations for name in references):
            return _hidden(text)
        if text == f"%{references[0]}":
            return Symbol(references[0])
        template = _REFERENCE.sub(lambda match: match[1] or "%", text)
        return Seq((Opaque("hlo", normalized(template)), *map(Symbol, references)))


def _hidden(text: str) -> Hidden:
    return Hidden(
        "unresolved-reference",
        normalized(text),
        "this attribute names something that scanir cannot resolve; remove it from both sides to compare the rest",
    )


def _plain(key: str, text: str) -> Attr:
    if key == "sharding" and "metadata=" in text:
        text = _METADATA.sub("", text)
    if key in _WHOLE:
        return Opaque("hlo", normalized(text))
    if key == "backend_config":
        return _backend_config(text)
    if key == "frontend_attributes":
        return _pairs(text)
    if key == "slice" and _SLICES.fullmatch(text):
        return _slices(text)
    if text[0] == "{":
        return _list(text)
    return _scalar(text)


def _scalar(text: str) -> Attr:
    if text in ("true", "false"):
        return Bool(text == "true")
    if _INT.fullmatch(text):
        return Int(int(text))
    if _FLOAT.fullmatch(text):
        return Float.of(float(text))
    if _WORD.fullmatch(text):
        return Text(text)
    if STRING.fullmatch(text):
        content = unescape(text[1:-1])
        return Text(content) if content is not None else Opaque("hlo", text)
    return Opaque("hlo", normalized(text))


def _list(text: str) -> Attr:
    """A braced list of lists, numbers, words and strings; Opaque for anything else."""
    stack: list[list[Attr]] = [[]]
    comma = True  # an item may follow
    pos = 0
    while pos < len(text):
        match = _LIST_TOKEN.match(text, pos)
        if not match or len(stack) > _DEPTH:
            return Opaque("hlo", normalized(text))
        pos = match.end()
        mark, string, word = match.groups()
        if mark == "," and not comma:
            comma = True
        elif mark == "}" and len(stack) > 1 and (not comma or not stack[-1]):
            items = tuple(stack.pop())
            stack[-1].append(Seq(items))
            comma = False
        elif mark == "{" and comma:
            stack.append([])
        elif mark is None and comma and len(stack) > 1:
            stack[-1].append(_scalar(string or word))
            comma = False
        else:
            return Opaque("hlo", normalized(text))
    return stack[0][0] if len(stack) == 1 and len(stack[0]) == 1 else Opaque("hlo", normalized(text))


def _slices(text: str) -> Attr:
    """``{[start:limit:stride], ...}`` as triples; a stride that is not written is 1."""
    found = _SLICE.findall(text)
    if len(found) != text.count("["):
        return Opaque("hlo", normalized(text))
    return Seq(tuple(Seq((Int(int(start)), Int(int(limit)), Int(int(stride or 1)))) for start, limit, stride in found))


def _pairs(text: str) -> Attr:
    """``{name="text", ...}`` as a Record; Opaque where a value is no string or a name comes twice."""
    found: dict[str, Attr] = {}
    inside = text[1:-1].strip() if text[0] == "{" else "?"
    pos = 0
    while pos < len(inside):
        match = _PAIR.match(inside, pos)
        content = unescape(match[2][1:-1]) if match else None
        if not match or content is None or match[1] in found:
            return Opaque("hlo", normalized(text))
        found[match[1]] = Text(content)
        pos = match.end()
    return Record(tuple(sorted(found.items())))


def _backend_config(text: str) -> Attr:
    """JSON, written as such or as a string, in one canonical form; any other string as Text."""
    if STRING.fullmatch(text):
        content = unescape(text[1:-1])
        if content is None:
            return Opaque("hlo", text)
        json = canonical_json(content) if content[:1] in ("{", "[") else None
        return Text(content) if json is None else json
    json = canonical_json(text) if text[0] == "{" else None
    return Opaque("hlo", normalized(text)) if json is None else json
