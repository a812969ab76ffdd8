"""What modules say besides their ops: header attributes, attributes of arguments and results, pytrees."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from scanir.compare.isomorphism import unreachable
from scanir.compare.pairing import Pairing
from scanir.compare.provenance import differences, is_harmless
from scanir.ir.attrs import Attr, Bool, Callable, Opaque
from scanir.ir.graph import Function
from scanir.normalize.classes import INTERFACE_CLASSES, MODULE_CLASSES, facts
from scanir.normalize.rules import HARMLESS, PROVENANCE
from scanir.program import WRITTEN, Program


@dataclass(slots=True)
class InterfaceDifference:
    """``classes``: class -> places. ``semantic``: differences that no class covers, as sentences."""

    classes: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    semantic: list[str] = field(default_factory=list)


#: Layouts, spaces and comments in the text of an entry layout.
_LAYOUT = re.compile(r"\{[^{}]*\}|\s|/\*[^*]*\*/")


def compare_interfaces(a: Program, b: Program, pairing: Pairing) -> InterfaceDifference:
    """All differences outside the graphs of two programs."""
    found = InterfaceDifference()
    _headers(a, b, found)
    functions = (a.module.function(a.module.entry), b.module.function(b.module.entry))
    for side_a, side_b in pairing.pairs:
        _attributes(found, "argument", a.interface.arguments[side_a].name, *(
            _parameter(program, function, argument)
            for program, function, argument in zip((a, b), functions, (side_a, side_b), strict=True)
        ))  # fmt: skip
    if a.stage == "jaxpr":  # below, attributes of the parameters say it
        _shardings(a, b, pairing, found)
    results = [function.result_attrs or ((),) * len(function.body.results) for function in functions]
    if len(results[0]) == len(results[1]):
        for k, (x, y) in enumerate(zip(*results, strict=True)):
            _attributes(found, "result", str(k), dict(x), dict(y))
    _attributes(found, "function", a.module.entry, dict(functions[0].attributes), dict(functions[1].attributes))
    _inner(a, b, found)
    _trees(a, b, pairing, found)
    for name, _, _ in differences(a, b):
        found.classes[HARMLESS if is_harmless(name, a.stage) else PROVENANCE].append(name)
    return found


def _headers(a: Program, b: Program, found: InterfaceDifference) -> None:
    left, right = dict(a.module.attributes), dict(b.module.attributes)
    for name in sorted(left.keys() | right.keys()):
        if left.get(name) == right.get(name):
            continue
        key = (a.module.dialect, name)
        if key not in MODULE_CLASSES:
            found.semantic.append(f"module attribute {name}: {show(left.get(name))} against {show(right.get(name))}")
        elif (kind := MODULE_CLASSES[key]) is not None:
            found.classes[kind].append(f"module/{name}")
        elif name == "entry_computation_layout" and _layouts_alone(left.get(name), right.get(name)):
            found.classes["class:layout"].append(f"module/{name}")


def _layouts_alone(left: Attr | None, right: Attr | None) -> bool:
    """True where two entry layouts say the same shapes: before layouts are assigned, they alone say how arguments
    lie."""
    texts = [attr.text for attr in (left, right) if isinstance(attr, Opaque)]
    return len(texts) == 2 and len({_LAYOUT.sub("", text[1:-1]) for text in texts}) == 1


def _parameter(program: Program, function: Function, argument: int) -> dict[str, Attr]:
    kept = program.interface.kept
    if argument not in kept or not function.param_attrs:
        return {}
    return dict(function.param_attrs[kept.index(argument)])


def _shardings(a: Program, b: Program, pairing: Pairing, found: InterfaceDifference) -> None:
    for side_a, side_b in pairing.pairs:
        left, right = a.interface.arguments[side_a], b.interface.arguments[side_b]
        if left.sharding != right.sharding:
            found.classes["class:sharding"].append(f"argument {left.name}/sharding")


def _attributes(
    found: InterfaceDifference, what: str, name: str, left: dict[str, Attr], right: dict[str, Attr]
) -> None:
    for key in sorted(left.keys() | right.keys()):
        if left.get(key) == right.get(key):
            continue
        if key not in INTERFACE_CLASSES:
            found.semantic.append(
                f"{what} {name}, attribute {key}: {show(left.get(key))} against {show(right.get(key))}"
            )
        elif (kind := INTERFACE_CLASSES[key]) is not None:
            found.classes[kind].append(f"{what} {name}/{key}")


def _inner(a: Program, b: Program, found: InterfaceDifference) -> None:
    """What functions besides the entry say. Which of them says it, and how often, depends on how calls are shared."""
    left, right = (
        Counter(
            fact for f in p.module.functions if f.name != p.module.entry and f.name not in dead for fact in facts(f)
        )
        for p, dead in ((p, {f.name for f in unreachable(p.module)}) for p in (a, b))
    )
    for place, name, value in sorted((left - right) + (right - left), key=repr):
        kind = INTERFACE_CLASSES.get(name)
        if kind is None:
            found.semantic.append(f"{place} of a called function, attribute {name}: {show(value)} on one side only")
        elif not (left[place, name, value] and right[place, name, value]):
            found.classes[kind].append(f"called function, {place}/{name}")


def _trees(a: Program, b: Program, pairing: Pairing, found: InterfaceDifference) -> None:
    """Pytrees count only where the numbers of leaves agree: otherwise another rule is about them already."""
    for name in pairing.renamed:
        found.classes["class:interface"].append(f"argument {name}")
    left, right = a.interface, b.interface
    written = _written(a), _written(b)
    if written[0] != written[1]:
        sides = (", ".join(sorted(paths)) or "nothing" for paths in written)
        found.semantic.append("of the module's state a call changes {} in a, {} in b".format(*sides))
    if (
        left.output_tree
        and right.output_tree
        and len(left.results) == len(right.results)
        and left.output_tree != right.output_tree
    ):
        shown = (_tree(left.output_tree), _tree(right.output_tree))
        found.classes["class:interface"].append("result pytree: a returns {}, b returns {}".format(*shown))


def _written(program: Program) -> frozenset[str]:
    """Paths of the state that a call of a module changes: which variable takes a value is no matter of the pytree."""
    head = f"['{WRITTEN}']"
    written = [path for path in program.interface.results if path.startswith(head)]
    return frozenset(path.removeprefix(head).strip("[]'\"") for path in written)


def _tree(text: str) -> str:
    """A pytree as a person writes it, a star for each leaf: ``{'aux': *, 'loss': *}``."""
    return text[len("PyTreeDef(") : -1] if text.startswith("PyTreeDef(") else text


def show(attr: Attr | None) -> str:
    """An attribute in a sentence."""
    if attr is None:
        return "absent"
    if isinstance(attr, Bool):
        return str(attr.value).lower()
    if isinstance(attr, Callable):
        return attr.qualname
    for name in ("value", "text", "name"):
        if hasattr(attr, name):
            return str(getattr(attr, name))[:120]
    return type(attr).__name__
