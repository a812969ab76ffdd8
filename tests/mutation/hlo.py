"""Mutants of HLO text: one place of the text changed, as another compiler or another program would have written it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from random import Random

from tests.mutation.hlo_text import EFFECTS, HloText, Instruction
from tests.mutation.mutant import REPEATED, Edit, Mutant, edited
from tests.mutation.values import changes, neighbours

#: Opcodes that take the same operands.
SIBLINGS = tuple(
    tuple(words.split())
    for words in (
        "sine cosine tanh exponential log sqrt negate abs floor ceil sign rsqrt cbrt logistic tan expm1 erf",
        "exponential-minus-one log-plus-one exponential",
        "add subtract multiply divide maximum minimum power remainder atan2",
        "and or xor",
        "shift-left shift-right-logical shift-right-arithmetic",
        "count-leading-zeros popcnt not",
        "real imag",
        "copy negate",
        "round-nearest-afz round-nearest-even",
        "all-reduce reduce-scatter",
    )
)
#: Exchanging their operands changes nothing for any values (up to which NaN).
SYMMETRIC = frozenset({"add", "multiply", "and", "or", "xor", "maximum", "minimum", "after-all"})
#: Attributes that may be set aside by name, and on which ops not.
ASIDE = {"sharding": "class:sharding", "kind": "class:fusion"}
STRICT = frozenset({"custom-call", "infeed", "outfeed", "send", "recv", "domain", "bitcast"})
HEADER_ASIDE = {
    "is_scheduled": "class:schedule", "input_output_alias": "class:donation", "buffer_donor": "class:donation",
    "entry_computation_layout": "class:layout",
}  # fmt: skip
#: Header attributes that only repeat or allow what is said elsewhere.
HEADER_NOISE = frozenset({"allow_spmd_sharding_propagation_to_parameters", "allow_spmd_sharding_propagation_to_output"})
#: Attributes that an op of this name may be given.
ADDED = {
    "gather": ("indices_are_sorted=true",), "scatter": ("indices_are_sorted=true", "unique_indices=true"),
    "sort": ("is_stable=true",), "dot": ("operand_precision={highest,highest}", "algorithm=dot_bf16_bf16_f32"),
    "convolution": ("operand_precision={highest,highest}", "feature_group_count=2", "batch_group_count=2"),
    "all-reduce": ("use_global_device_ids=true", "channel_id=7"), "custom-call": ("custom_call_has_side_effect=true",),
    "exponential": ('result_accuracy={mode=highest}',), "iota": ("made_up_by_nobody=3",),
    "add": ('frontend_attributes={mode="x"}',), "while": ('backend_config={"known_trip_count":{"n":"3"}}',),
    "dynamic-slice": ('frontend_attributes={grid="2"}',), "reduce": ('frontend_attributes={mode="x"}',),
}  # fmt: skip
_DTYPES = {
    "f32": ("bf16", "f64"), "bf16": ("f16", "f32"), "f64": ("f32",), "f16": ("bf16",), "s32": ("u32", "s64"),
    "u32": ("s32",), "pred": ("s8",), "s64": ("s32",), "s8": ("u8",), "u8": ("s8",), "c64": ("c128",), "u64": ("s64",),
}  # fmt: skip
_ARRAY = re.compile(r"\b([a-z]\w*)\[([\d,<=]*)\](\{[^{}]*\})?")
_HEADER_KEY = re.compile(r", (\w+)=")


def hlo_mutants(text: str, random: Random) -> Iterator[Mutant]:
    """Mutants of a module in HLO text, all kinds that apply."""
    module = HloText(text)
    yield from _header(module)
    for instruction in module.instructions:
        for kind, edits, aside in _changes(module, instruction, random):
            dead = id(instruction) not in module.live
            where = f"{instruction.computation}/{instruction.name} {instruction.opcode}: " + "; ".join(
                f"{text[s:e][:40]!r} -> {new[:40]!r}" for s, e, new in edits
            )
            yield Mutant(kind, where, lambda edits=tuple(edits): edited(text, edits), aside, dead)


Found = Iterator[tuple[str, list[Edit], str]]


def _changes(module: HloText, op: Instruction, random: Random) -> Found:
    yield from _opcode(module, op)
    yield from _attributes(module, op)
    yield from _operands(module, op, random)
    yield from _types(module, op)
    if op.opcode == "constant":
        yield from _constant(module, op)
    if op.opcode == "parameter":
        yield from _parameter(module, op)
    if not op.root:
        yield from _root(module, op)
    if op.opcode in EFFECTS:
        yield from _order(module, op)
    if op.opcode not in ("parameter", "constant") and len(op.operands) == 1:
        yield from _bypass(module, op)


def _opcode(module: HloText, op: Instruction) -> Found:
    reducer = (
        module.roles.get(op.computation) in ("to_apply", "select", "scatter")
        and len(module.computations[op.computation]) < 6
    )
    for family in SIBLINGS:
        if op.opcode in family:
            place = family.index(op.opcode)
            for step in (1, 2):
                other = family[(place + step) % len(family)]
                if other != op.opcode:
                    yield "reduction body" if reducer else "opcode", [(*op.opcode_at, other)], ""


def _attributes(module: HloText, op: Instruction) -> Found:
    references = module.references(op)
    named = {span for _, span in references}
    for key, (start, end) in op.attributes.items():
        if key == "metadata":
            continue
        aside = ASIDE.get(key, "") if op.opcode not in STRICT else ""
        if key == "kind" and op.opcode != "fusion":
            aside = ""
        if key == "index" and op.opcode == "get-tuple-element":
            yield "tuple index", [(start, end, str(int(module.text[start:end]) + 1))], ""
            if int(module.text[start:end]) > 0:
                yield "tuple index", [(start, end, str(int(module.text[start:end]) - 1))], ""
            continue
        if not any(start <= s < end for s, _ in named):
            if key != "control-predecessors":
                for what, s, e, new in changes(key, module.text[start:end]):
                    yield f"{key}: {what}", [(start + s, start + e, new)], aside
            if key == "dim_labels":
                yield from _labels(module.text, start, end)
            lead = module.text.rindex(key, 0, start)
            lead = module.text.rindex(",", 0, lead)
            yield f"{key}: removed", [(lead, end, "")], aside
    for added in ADDED.get(op.opcode, ()):
        if added.split("=")[0] not in op.attributes:
            yield f"{added.split('=')[0]}: added", [(op.inside[1] + 1, op.inside[1] + 1, f", {added}")], ""
    for name, span in references:
        signature = _signature(module, name)
        others = [c for c in module.computations if c != name and _signature(module, c) == signature]
        for other in others[:2]:
            if _written(module, other) == _written(module, name) or other == op.computation:
                continue
            percent = "%" if module.text[span[0]] == "%" else ""
            yield "called computation", [(*span, percent + other)], ""


def _labels(text: str, start: int, end: int) -> Found:
    value = text[start:end]
    for pair in ("bf", "01", "io"):
        for part in re.finditer(r"[a-z0-9?]+", value):
            if pair[0] in part[0] and pair[1] in part[0]:
                swapped = part[0].translate(str.maketrans(pair, pair[::-1]))
                yield "dim_labels: order", [(start + part.start(), start + part.end(), swapped)], ""


def _written(module: HloText, computation: str) -> list[str]:
    """The instructions of a computation without names, in no order: alike for computations that may well be one."""
    ops = module.computations[computation]
    return sorted(re.sub(r"%?[A-Za-z_][\w.\-]*\.[\d.]+|%[\w.\-]+", "", module.text[op.type[0] : op.end]) for op in ops)


def _signature(module: HloText, computation: str) -> tuple[str, ...]:
    """Types of parameters and result, layouts left out."""
    ops = module.computations[computation]
    params = sorted((module.of(op.inside), _plain(module.of(op.type))) for op in ops if op.opcode == "parameter")
    return (*(type for _, type in params), _plain(module.of(module.roots[computation].type)))


def _plain(type: str) -> str:
    return re.sub(r"\{[^{}]*\}|/\*[^*]*\*/|\s", "", type)


def _operands(module: HloText, op: Instruction, random: Random) -> Found:
    here = module.computations[op.computation]
    types = {other.name: _plain(module.of(other.type)) for other in here}
    names = module.operand_names(op)
    entry_root = op.root and op.computation == module.entry
    feeds = module.uses[op.computation].get(op.name, [])
    symmetric = op.opcode in SYMMETRIC or (op.opcode == "compare" and "direction=EQ" in module.text[op.start : op.end])
    symmetric = symmetric or (op.opcode == "compare" and "direction=NE" in module.text[op.start : op.end])
    for i, j in combinations(range(len(names)), 2):
        if symmetric or j > i + 2:
            continue
        if names[i] != names[j] and types.get(names[i]) == types.get(names[j]) and names[i] in types:
            kind = "operand order"
            if op.opcode == "tuple" and entry_root:
                kind = "result order"
            elif op.opcode == "tuple" and any(use.opcode == "while" for use in feeds):
                kind = "initial value"
            yield kind, _exchange(module, op.operands[i], op.operands[j]), ""
    before = here[: here.index(op)]
    for place, name in enumerate(names):
        same = [o for o in before if o.name != name and types[o.name] == types.get(name)]
        same = [o for o in same if not _same_constant(module, o, name, here)]
        for other in random.sample(same, min(2, len(same))):
            kind = "operand rewired"
            if op.opcode == "tuple" and any(use.opcode == "while" for use in feeds):
                kind = "initial value"
            span = op.operands[place]
            percent = "%" if module.text[span[0]] == "%" else ""
            yield kind, [(*span, percent + other.name)], ""


def _same_constant(module: HloText, other: Instruction, name: str, here: list[Instruction]) -> bool:
    own = next((o for o in here if o.name == name), None)
    if own is None or own.opcode != other.opcode or own.opcode not in ("constant", "partition-id", "replica-id"):
        return False
    return module.of(own.inside) == module.of(other.inside)


def _exchange(module: HloText, a: tuple[int, int], b: tuple[int, int]) -> list[Edit]:
    return [(*a, module.of(b)), (*b, module.of(a))]


def _types(module: HloText, op: Instruction) -> Found:
    text = module.of(op.type)
    array = _ARRAY.fullmatch(text)
    if not array:
        return
    start = op.type[0]
    for other in _DTYPES.get(array[1], ()):
        yield "dtype", _retyped(module, op, (start, start + len(array[1])), other), ""
    dims = array[2].split(",") if array[2] else []
    if dims and dims[0].isdigit():
        at = start + array.start(2)
        yield "shape", [(at, at + len(dims[0]), str(int(dims[0]) + 1))], ""
        if len(dims) > 1 and dims[0] != dims[1]:
            size = len(dims[0]) + 1 + len(dims[1])
            yield "shape", [(at, at + size, f"{dims[1]},{dims[0]}")], ""
    if array[3]:
        near = [op, *module.uses[op.computation].get(op.name, [])]
        fixed = op.opcode in STRICT or any(o.opcode in STRICT or "layout" in o.attributes for o in near)
        # The parameter of a computation lies where the operand of its caller lies.
        inner = op.opcode == "parameter" and op.computation != module.entry
        inner = inner or op.opcode == "get-tuple-element"  # as its tuple says
        aside = ["" if fixed else REPEATED if inner else name for name in ("class:layout", "class:memory-space")]
        order = re.match(r"\{([\d,]*)", array[3])
        assert order is not None
        numbers = order[1].split(",")
        at = start + array.start(3) + 1
        if len(numbers) > 1:
            yield "layout", [(at, at + len(order[1]), ",".join(numbers[::-1]))], aside[0]
        end = start + array.end(3) - 1
        if ":" not in array[3]:
            yield "memory space", [(end, end, ":S(5)")], aside[1]


def _retyped(module: HloText, op: Instruction, span: tuple[int, int], dtype: str) -> list[Edit]:
    """The dtype of a value where it is defined and where its uses repeat it."""
    edits = [(*span, dtype)]
    for use in module.uses[op.computation].get(op.name, []):
        for place in use.operands:
            if module.of(place).lstrip("%") == op.name:
                written = re.search(r"([a-z]\w*)\[[\d,]*\](?:\{[^{}]*\})?\s*$", module.text[use.inside[0] : place[0]])
                if written:
                    edits.append((use.inside[0] + written.start(1), use.inside[0] + written.end(1), dtype))
    return list(dict.fromkeys(edits))


def _constant(module: HloText, op: Instruction) -> Found:
    type = _ARRAY.fullmatch(module.of(op.type))
    if not type:
        return
    bound = module.roles.get(op.computation) == "condition"
    tokens = list(re.finditer(r"[\w.+\-]+(?:\(0x[0-9a-f]+\))?", module.of(op.inside)))
    picked = tokens if len(tokens) <= 3 else [tokens[0], tokens[len(tokens) // 2], tokens[-1]]
    for token in picked:
        at = op.inside[0] + token.start()
        for kind, new in neighbours(token[0], type[1]):
            yield "loop bound" if bound else kind, [(at, at + len(token[0]), new)], ""
        if token[0] in ("nan", "-nan"):
            payload = "0x400001" if type[1] == "f32" else "0x41"
            yield "constant: NaN payload", [(at, at + len(token[0]), f"{token[0]}({payload})")], ""


def _parameter(module: HloText, op: Instruction) -> Found:
    for other in module.computations[op.computation]:
        if other.opcode == "parameter" and other.start > op.start:
            read = {op.name, other.name} & module.uses[op.computation].keys()
            if (read or op.root or other.root) and _plain(module.of(other.type)) == _plain(module.of(op.type)):
                yield "parameter order", _exchange(module, op.inside, other.inside), ""
                return


def _root(module: HloText, op: Instruction) -> Found:
    root = module.roots[op.computation]
    if root.root and _plain(module.of(root.type)) == _plain(module.of(op.type)):
        name = root.start - len("ROOT ")
        yield "result", [(name, root.start, ""), (op.start, op.start, "ROOT ")], ""


def _order(module: HloText, op: Instruction) -> Found:
    """What two effects of one kind work on, exchanged."""
    for other in module.computations[op.computation]:
        if other.start > op.start and other.opcode == op.opcode and op.operands and other.operands:
            a, b = op.operands[0], other.operands[0]
            kinds = {o.name: _plain(module.of(o.type)) for o in module.computations[op.computation]}
            names = module.of(a).lstrip("%"), module.of(b).lstrip("%")
            if names[0] != names[1] and kinds.get(names[0]) == kinds.get(names[1]) and op.name != names[1]:
                defined = {o.name: o.start for o in module.computations[op.computation]}
                if defined.get(names[1], op.start) < op.start:
                    yield "order of effects", _exchange(module, a, b), ""
                    return
    if "control-predecessors" in op.attributes:
        start, end = op.attributes["control-predecessors"]
        yield "order of effects", [(start - len(", control-predecessors="), end, "")], ""


def _bypass(module: HloText, op: Instruction) -> Found:
    """An op left out: who reads it reads its operand."""
    (name,) = module.operand_names(op)
    here = {o.name: o for o in module.computations[op.computation]}
    if name not in here or _plain(module.of(here[name].type)) != _plain(module.of(op.type)):
        return
    if op.opcode in ("copy", "bitcast", "reshape", "convert", "broadcast", "transpose", "optimization-barrier"):
        return
    uses = module.uses[op.computation].get(op.name, [])
    places = [span for use in uses for span in use.operands if module.of(span).lstrip("%") == op.name]
    if places:
        percent = "%" if module.text[places[0][0]] == "%" else ""
        yield "op left out", [(*span, percent + name) for span in dict.fromkeys(places)], ""


def _header(module: HloText) -> Iterator[Mutant]:
    line_end = module.text.find("\n")
    line = module.text[:line_end]
    if not line.startswith("HloModule"):
        return
    for key in _HEADER_KEY.finditer(line):
        start = key.end()
        end = module._value_end(start)
        if key[1] in HEADER_NOISE:
            continue
        for what, s, e, new in changes(key[1], line[start:end]):
            if key[1] == "entry_computation_layout":
                # Shapes repeat the parameters and the result; only layouts say something.
                if not re.search(r"\{[\d,]*$", line[start : start + s]):
                    continue
            edit = (start + s, start + e, new)
            yield Mutant(
                f"header {key[1]}: {what}", f"header: {line[start:end][:60]} -> {new}",
                lambda edit=edit: edited(module.text, [edit]), HEADER_ASIDE.get(key[1], ""),
            )  # fmt: skip
    at = len("HloModule ") + len(line[len("HloModule ") :].split(",")[0].split(" ")[0])
    for added in ("num_partitions=3", "replica_count=5", "made_up_by_nobody=1"):
        if added.split("=")[0] not in line:
            yield Mutant(
                f"header {added.split('=')[0]}: added", f"header: {added}",
                lambda added=added: edited(module.text, [(at, at, f", {added}")]),
            )  # fmt: skip
