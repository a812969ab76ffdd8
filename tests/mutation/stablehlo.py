"""Mutants of StableHLO text in generic form, where every op, attribute and type is written in one way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from random import Random

from tests.mutation.hlo_text import Span, balanced
from tests.mutation.mutant import Edit, Mutant, edited
from tests.mutation.values import changes, neighbours

SIBLINGS = tuple(
    tuple(words.split())
    for words in (
        "sine cosine tanh exponential log sqrt negate abs floor ceil sign rsqrt cbrt logistic tan",
        "exponential_minus_one log_plus_one",
        "add subtract multiply divide maximum minimum power remainder atan2",
        "and or xor",
        "shift_left shift_right_logical shift_right_arithmetic",
        "count_leading_zeros popcnt not",
        "real imag",
        "round_nearest_afz round_nearest_even",
    )
)
SYMMETRIC = frozenset(["add", "multiply", "and", "or", "xor", "maximum", "minimum", "after_all"])
EFFECTS = frozenset(
    """
    custom_call rng infeed outfeed send recv all_reduce all_gather all_to_all collective_permute reduce_scatter
    """.split()  # noqa: SIM905 -- words read better than a list
)
#: Attributes -> the class that may set them aside; None where they only label.
ASIDE: dict[str, str | None] = {
    "mhlo.sharding": "class:sharding", "sdy.sharding": "class:sharding", "tf.aliasing_output": "class:donation",
    "jax.buffer_donor": "class:donation", "mhlo.layout_mode": "class:layout", "mhlo.memory_kind": "class:memory-space",
    "jax.result_info": None, "jax.arg_info": None, "jax.global_constant": None, "sym_name": None,
    "sym_visibility": None, "jax.uses_shape_polymorphism": None, "function_type": None,
}  # fmt: skip
#: Attributes that an op may be given, with the name of a field that says the same.
ADDED = {
    "gather": ("made_up.by_nobody = 3 : i64",), "add": ('mhlo.frontend_attributes = {mode = "x"}',),
    "dot_general": ("algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, "
                    "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
                    "num_primitive_operations = 1, allow_imprecise_accumulation = false>",),
    "exponential": ("result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>",),
    "custom_call": ("has_side_effect = true", 'mhlo.frontend_attributes = {mode = "x"}'),
    "while": ('mhlo.frontend_attributes = {mode = "x"}',), "reduce": ("made_up.by_nobody = true",),
    "call": ('mhlo.frontend_attributes = {mode = "x"}',), "constant": ('made_up.name = "a"',),
}  # fmt: skip
_OP = re.compile(r'^[ ]*(?:(%[\w]+)(?::(\d+))? = )?"([\w.$\-]+)"\(', re.MULTILINE)
_BLOCK = re.compile(r"^[ ]*\^bb\d+\((.*)\):[ ]*$", re.MULTILINE)
_ARGUMENT = re.compile(r"(%\w+): ")
_CLOSE = re.compile(r"^[ ]*\}\)", re.MULTILINE)
_USE = re.compile(r"%\w+(?:#\d+)?")
_USUAL = re.compile(
    r"false|array<i1(: (false(, )?)+)?>|\[(#stablehlo<precision DEFAULT>(, )?)*\]|array<i64(: (1(, )?)+)?>|"
    r"dense<0> : tensor<\w+>|false : i1|#stablehlo<comparison_type NOTYPE>|1 : i32|dense<(false|1)> : tensor<\w+>"
)
_DTYPE = re.compile(r"(?<=[<x])(f32|f64|bf16|i32|ui32|i64|i1|f16|i8|ui8)(?=>)")
_OTHERS = {"f32": "f64", "f64": "f32", "bf16": "f16", "f16": "bf16", "i32": "ui32", "ui32": "i32", "i64": "ui64",
           "i8": "ui8", "ui8": "i8"}  # fmt: skip


@dataclass(slots=True, eq=False)
class Line:
    """One op. ``depth``: how many regions are around it; ``fields``: attribute name -> place of its value."""

    name: str
    results: tuple[str, ...]
    start: int
    name_at: Span
    inside: Span
    operands: tuple[Span, ...]
    depth: int
    owner: Line | None
    region: int = 0
    fields: dict[str, Span] = field(default_factory=dict)
    lists: list[Span] = field(default_factory=list)
    after: int = 0
    types: tuple[tuple[Span, ...], tuple[Span, ...]] = ((), ())
    end: int = 0
    regions: int = 0


class GenericText:
    """A module in generic form, line by line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[Line] = []
        self.types: dict[str, str] = {}  # value -> its type; names are used once in a module
        self.blocks: list[tuple[list[tuple[str, Span]], Line | None]] = []
        self._scan()

    def of(self, span: Span) -> str:
        return self.text[span[0] : span[1]]

    def _scan(self) -> None:
        text = self.text
        events = [(m.start(), "op", m) for m in _OP.finditer(text)]
        events += [(m.start(), "block", m) for m in _BLOCK.finditer(text)]
        events += [(m.start(), "close", m) for m in _CLOSE.finditer(text)]
        events += [(m.start(), "next", m) for m in re.finditer(r"^[ ]*\}, \{", text, re.MULTILINE)]
        stack: list[Line] = []
        for _, what, match in sorted(events, key=lambda event: event[0]):
            if what == "op":
                line = self._op(match, stack)
                self.lines.append(line)
                if line.regions:
                    stack.append(line)
            elif what == "block":
                self._block(match, stack[-1] if stack else None)
            elif what == "next":
                stack[-1].region += 1
            elif stack:
                self._tail(stack.pop(), match.end())

    def _op(self, match: re.Match[str], stack: list[Line]) -> Line:
        text, inside = self.text, match.end()
        close = balanced(text, inside - 1)
        operands = tuple((inside + m.start(), inside + m.end()) for m in _USE.finditer(text[inside : close - 1]))
        count = int(match[2] or 1) if match[1] else 0
        results = tuple([match[1]] if count == 1 else [f"{match[1]}#{k}" for k in range(count)])
        owner = stack[-1] if stack else None
        line = Line(match[3], results, match.start(), match.span(3), (inside, close - 1), operands, len(stack), owner)
        line.region = 0
        pos = close
        if text.startswith(" <{", pos):
            end = balanced(text, pos + 2)
            self._fields(line, pos + 2, end)
            pos = end + 1
        if text.startswith(" ({", pos):
            line.regions = 1
            line.after = pos
        else:
            self._tail(line, pos)
        return line

    def _tail(self, line: Line, pos: int) -> None:
        """Discardable attributes and the types."""
        text = self.text
        if text.startswith(" {", pos):
            end = balanced(text, pos + 1)
            self._fields(line, pos + 1, end)
            pos = end
        line.end = text.find("\n", pos)
        if not text.startswith(" : (", pos):
            return
        close = balanced(text, pos + 3)
        ins = tuple(split(text, pos + 4, close - 1))
        start = close + len(" -> ")
        outs = tuple(split(text, start + 1, balanced(text, start) - 1)) if text[start] == "(" else ((start, line.end),)
        outs = tuple(span for span in outs if span[0] < span[1])
        line.types = (ins, outs)
        for name, span in zip(line.results, outs, strict=False):
            self.types[name] = self.of(span)

    def _block(self, match: re.Match[str], owner: Line | None) -> None:
        found = []
        for span in split(self.text, match.start(1), match.end(1)):
            argument = _ARGUMENT.match(self.text, span[0])
            if argument:
                self.types[argument[1]] = self.text[argument.end() : span[1]]
                found.append((argument[1], (argument.start(1), argument.end(1))))
        self.blocks.append((found, owner))

    def _fields(self, line: Line, start: int, end: int) -> None:
        line.lists.append((start, end))
        for first, last in split(self.text, start + 1, end - 1):
            piece = self.text[first:last]
            key = re.match(r'("[^"]*"|[\w.]+) = ', piece)
            if key:
                line.fields[key[1].strip('"')] = (first + key.end(), last)
            elif piece:
                line.fields[piece] = (last, last)


def split(text: str, start: int, end: int) -> Iterator[Span]:
    """The parts of a list between commas that stand in no bracket; angle brackets count."""
    depth, first, pos = 0, start, start
    while pos < end:
        char = text[pos]
        if char == '"':
            pos += 1
            while text[pos] != '"':
                pos += 2 if text[pos] == "\\" else 1
        elif char in "({[<":
            depth += 1
        elif char in ")}]" or (char == ">" and text[pos - 1] != "-"):
            depth -= 1
        elif char == "," and depth == 0:
            yield first, pos
            first = pos + 2
        pos += 1
    if first < end:
        yield first, end


Found = Iterator[tuple[str, list[Edit], "str | None"]]


def stablehlo_mutants(text: str, random: Random) -> Iterator[Mutant]:
    """Mutants of a module in generic form, all kinds that apply. What only labels is left alone."""
    module = GenericText(text)
    live = _live(module)
    for line in module.lines:
        for kind, edits, aside in _changes(module, line, random):
            if aside is None:
                continue
            where = f"{line.name} {','.join(line.results)}: " + "; ".join(
                f"{text[s:e][:40]!r} -> {new[:40]!r}" for s, e, new in edits
            )
            dead = id(line) not in live
            yield Mutant(kind, where, lambda edits=tuple(edits): edited(text, edits), aside, dead)
    yield from _blocks(module, random)
    yield from _whole(module)


def _live(module: GenericText) -> set[int]:
    """Ops that a terminator, an effect or a live op reads, by name only: what is left out is surely dead."""
    by_value = {result: line for line in module.lines for result in line.results}
    stack = [line for line in module.lines if not line.results or line.name.split(".")[-1] in EFFECTS]
    found: set[int] = set()
    while stack:
        line = stack.pop()
        if id(line) in found:
            continue
        found.add(id(line))
        stack += [by_value[n] for n in map(module.of, line.operands) if n in by_value]
        if line.owner is not None:
            stack.append(line.owner)
    return found


def _changes(module: GenericText, line: Line, random: Random) -> Found:
    plain = line.name.removeprefix("stablehlo.")
    reducer = line.owner is not None and line.owner.name.split(".")[-1] in (
        "reduce", "reduce_window", "scatter", "select_and_scatter", "all_reduce", "reduce_scatter",
    )  # fmt: skip
    for family in SIBLINGS:
        if plain in family:
            for step in (1, 2):
                other = family[(family.index(plain) + step) % len(family)]
                if other != plain:
                    yield "reduction body" if reducer else "opcode", [(*line.name_at, f"stablehlo.{other}")], ""
    yield from _attributes(module, line, plain)
    if line.name not in ("func.func", "builtin.module"):
        yield from _operands(module, line, plain, random)
        yield from _types(module, line, plain)
    if plain == "constant":
        yield from _constant(module, line)
    if plain in EFFECTS:
        yield from _order(module, line)
    if plain == "call":
        yield from _callee(module, line)


def _attributes(module: GenericText, line: Line, plain: str) -> Found:
    text = module.text
    for key, (start, end) in line.fields.items():
        if plain == "constant" and key == "value":
            continue
        aside = ASIDE.get(key, "")
        if plain == "custom_call" and aside:
            aside = ""
        if key in ("arg_attrs", "res_attrs"):
            yield from _argument_attributes(module, key, start, end)
            continue
        for what, s, e, new in changes(key, text[start:end]):
            yield f"{key}: {what}", [(start + s, start + e, new)], aside
        head = text.rfind(key, 0, max(start, 1))
        head = text.rindex('"' + key, 0, start) if text[head - 1] == '"' else head
        if key == text[start - len(key) : start]:
            head = start - len(key)
        if _USUAL.fullmatch(text[start:end]):
            continue  # what is left out is so by default
        if text.startswith(", ", end):
            end += 2
        elif text[head - 2 : head] == ", ":
            head -= 2
        yield f"{key}: removed", [(head, end, "")], aside
    for added in ADDED.get(plain, ()):
        key = added.split(" = ")[0]
        if key in line.fields:
            continue
        own = "<{" if key in ("algorithm", "has_side_effect", "result_accuracy") else "{"
        lists = [span for span in line.lists if (text[span[0] - 1] == "<") == (own == "<{")]
        if lists:
            at = lists[0][0] + 1
            yield f"{key}: added", [(at, at, f"{added}, ")], ""
        elif own == "<{":
            yield f"{key}: added", [(line.inside[1] + 1, line.inside[1] + 1, f" <{{{added}}}>")], ""
        elif line.types[1]:
            at = line.types[0][0][0] if line.types[0] else line.types[1][0][0] - len(") -> ")
            at = text.rindex(" : (", 0, at + 1)
            yield f"{key}: added", [(at, at, f" {{{added}}}")], ""


def _argument_attributes(module: GenericText, key: str, start: int, end: int) -> Found:
    for first, last in split(module.text, start + 1, end - 1):
        for s, e in split(module.text, first + 1, last - 1):
            name = re.match(r'("[^"]*"|[\w.]+)(?: = )?', module.text[s:e])
            if not name:
                continue
            aside = ASIDE.get(name[1].strip('"'), "")
            at = s + name.end()
            for what, a, b, new in changes(name[1], module.text[at:e]):
                yield f"{key} {name[1]}: {what}", [(at + a, at + b, new)], aside
        said = module.text[first + 1 : last - 1]
        more = f"made_up.by_nobody = 1 : i64{', ' if said else ''}"
        yield f"{key} made_up: added", [(first + 1, first + 1, more)], ""


def _operands(module: GenericText, line: Line, plain: str, random: Random) -> Found:
    names = [module.of(span) for span in line.operands]
    types = [module.types.get(name) for name in names]
    direction = module.of(line.fields["comparison_direction"]) if "comparison_direction" in line.fields else ""
    symmetric = plain in SYMMETRIC or "EQ" in direction or "NE" in direction
    main = line.owner is not None and line.name == "func.return" and _is_main(module, line.owner)
    for i, j in combinations(range(len(names)), 2):
        if names[i] != names[j] and types[i] == types[j] and not symmetric and j <= i + 2:
            kind = "result order" if main else "initial value" if plain == "while" else "operand order"
            yield kind, [(*line.operands[i], names[j]), (*line.operands[j], names[i])], ""
    for place, name in enumerate(names):
        same = [v for v in _visible(module, line) if v != name and module.types.get(v) == types[place]]
        same = [v for v in same if not _alike(module, v, name)]
        for other in random.sample(same, min(2, len(same))):
            kind = "initial value" if plain == "while" else "operand rewired"
            yield kind, [(*line.operands[place], other)], ""


def _is_main(module: GenericText, owner: Line) -> bool:
    return "sym_name" in owner.fields and module.of(owner.fields["sym_name"]) == '"main"'


def _visible(module: GenericText, line: Line) -> list[str]:
    """Values of the same region and those around it, defined before."""
    owners, owner = [], line.owner
    while owner is not None:
        owners.append(owner)
        owner = owner.owner
    found = []
    here = {id(o) for o in owners}
    for arguments, of in module.blocks:
        if of is not None and id(of) in here and (not arguments or arguments[0][1][0] < line.start):
            found += [name for name, _ in arguments]
    for other in module.lines:
        if other.start >= line.start:
            break
        if other.owner is not None and id(other.owner) in here and id(other) not in here:
            found += other.results
    return found


def _alike(module: GenericText, a: str, b: str) -> bool:
    """Whether two values are constants of one text."""
    texts = []
    for line in module.lines:
        if line.results and line.results[0] in (a, b):
            if line.operands or line.name not in ("stablehlo.constant", "stablehlo.partition_id"):
                return False
            texts.append(module.text[line.inside[0] : line.end])
    return len(texts) == 2 and texts[0] == texts[1]


def _constant(module: GenericText, line: Line) -> Found:
    start, end = line.fields.get("value", (0, 0))
    value = module.text[start:end]
    dtype = re.search(r"(\w+)>$", value)
    if not value.startswith("dense<") or not dtype:
        return
    name = dtype[1].rsplit("x", 1)[-1]
    bound = line.owner is not None and line.owner.name == "stablehlo.while" and _in_condition(module, line)
    inner = value[len("dense<") : value.rindex("> : ")]
    at = start + len("dense<")
    if inner.startswith('"0x'):
        for place in (4, len(inner) // 2 // 2 * 2, len(inner) - 2):
            digit = inner[place] if inner[place] != '"' else inner[place - 1]
            place -= inner[place] == '"'
            yield "constant: one bit", [(at + place, at + place + 1, f"{int(digit, 16) ^ 1:X}")], ""
        return
    if "(" in inner:
        return
    tokens = list(re.finditer(r"[\w.+\-]+", inner))
    for token in tokens if len(tokens) <= 3 else (tokens[0], tokens[len(tokens) // 2], tokens[-1]):
        for kind, new in neighbours(token[0], name):
            yield "loop bound" if bound else kind, [(at + token.start(), at + token.end(), new)], ""


def _in_condition(module: GenericText, line: Line) -> bool:
    """Whether an op stands in the first region of the while around it."""
    assert line.owner is not None
    return "}, {" not in module.text[line.owner.start : line.start]


def _types(module: GenericText, line: Line, plain: str) -> Found:
    """The dtype of a result, wherever it is written; dimensions of what is made from nothing."""
    if len(line.types[1]) != 1 or not line.results:
        return
    result = line.results[0]
    places = [line.types[1][0]]
    if plain == "constant":
        start, end = line.fields["value"]
        places.append((module.text.rindex("tensor<", start, end), end))
    for other in module.lines:
        for span, type_at in zip(other.operands, other.types[0], strict=False):
            if module.of(span) == result:
                places.append(type_at)
    dtype = _DTYPE.search(module.of(places[0]))
    if dtype and dtype[1] in _OTHERS:
        at, size = dtype.start(), len(dtype[1])
        edits = [(s + at, s + at + size, _OTHERS[dtype[1]]) for s, _ in dict.fromkeys(places)]
        yield "dtype", edits, ""
    dims = re.match(r"tensor<(\d+)x", module.of(places[0]))
    if dims:
        edits = [(s + 7, s + 7 + len(dims[1]), str(int(dims[1]) + 1)) for s, _ in dict.fromkeys(places)]
        yield "shape", edits, ""


def _order(module: GenericText, line: Line) -> Found:
    """Two effects of one block in the other order, where neither reads the other."""
    for other in module.lines:
        if other.start > line.start and other.owner is line.owner and other.name.split(".")[-1] in EFFECTS:
            if line.regions or other.regions:
                return
            between = module.text[line.end + 1 : other.end]
            if any(re.search(re.escape(r.split("#")[0]) + r"\b", between) for r in line.results):
                return
            needed = module.text[line.end + 1 : other.start]
            made = [r for o in module.lines if line.end < o.start < other.start for r in o.results]
            if any(module.of(span) in made for span in other.operands) and needed:
                return
            a, b = module.text[line.start : line.end], module.text[other.start : other.end]
            yield "order of effects", [(line.start, line.end, b), (other.start, other.end, a)], ""
            return


def _callee(module: GenericText, line: Line) -> Found:
    """Another function of the same type."""
    functions = {}
    for other in module.lines:
        if other.name == "func.func" and "sym_name" in other.fields:
            body = module.text[other.fields["function_type"][1] : other.end]
            body = re.sub(r"%\w+|sym_name = \"[^\"]*\"|res_attrs = \[[^\]]*\]", "", body)
            functions[module.of(other.fields["sym_name"]).strip('"')] = (module.of(other.fields["function_type"]), body)
    start, end = line.fields["callee"]
    name = module.text[start + 1 : end].strip('"')
    for other_name, (type, body) in functions.items():
        if name in functions and other_name != name and functions[name][0] == type and functions[name][1] != body:
            if other_name != "main":
                yield "called function", [(start, end, f'@"{other_name}"')], ""
                return


def _blocks(module: GenericText, random: Random) -> Iterator[Mutant]:
    """Two parameters of one region or function exchanged."""
    for arguments, owner in module.blocks:
        for (a, a_at), (b, b_at) in pairwise(arguments):
            used = [len(re.findall(re.escape(name) + r"\b", module.text)) > 1 for name in (a, b)]
            if module.types.get(a) == module.types.get(b) and any(used):
                edits = ((*a_at, b), (*b_at, a))
                yield Mutant(
                    "parameter order", f"{owner.name if owner else 'module'}: {a} <-> {b}",
                    lambda edits=edits: edited(module.text, edits),
                )  # fmt: skip


def _whole(module: GenericText) -> Iterator[Mutant]:
    """One element type for another in the whole module; attributes of the module."""
    for dtype, other in _OTHERS.items():
        edits = [(m.start(1), m.end(1), other) for m in _DTYPE.finditer(module.text) if m[1] == dtype]
        if edits:
            yield Mutant("dtype of all", f"{dtype} -> {other}", lambda edits=edits: edited(module.text, edits))
    text = module.text
    head = re.compile(r'^"builtin.module"\(\)').match(text)
    if head:
        for added in ("mhlo.num_partitions = 3 : i32", "mhlo.num_replicas = 5 : i32", "made_up.by_nobody = true"):
            key = added.split(" = ")[0]
            last = module.lines[0].end if module.lines else len(text)
            if key in module.lines[0].fields:
                continue
            place = text.rindex("})", 0, last) + 2
            known = [span for span in module.lines[0].lists if span[0] >= place]
            edit = (place, place, f" {{{added}}}") if not known else (known[0][0] + 1, known[0][0] + 1, f"{added}, ")
            yield Mutant(f"module {key}: added", added, lambda edit=edit: edited(text, [edit]))
