"""The digest of a module as read: of everything in it but names of values, locations and identities of host functions.

Values are numbered in reading order, so that equal digests mean the same module (up to a collision of SHA-256). It pins
down what a certificate is about; nothing that the checker shows rests on it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from scanir.ir.attrs import Attrs, Callable, Record, Seq
from scanir.ir.graph import Module, Op, Region, Value

#: Lines that are hashed at once.
CHUNK = 4096


def artifact(module: Module) -> str:
    """SHA-256 of a module, in hexadecimal."""
    digest, lines = hashlib.sha256(), []
    for line in _lines(module):
        lines.append(line)
        if len(lines) >= CHUNK:
            digest.update("\n".join(lines).encode("utf-8", "surrogatepass"))
            lines.clear()
    digest.update("\n".join(lines).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _lines(module: Module) -> Iterator[str]:
    numbers: dict[Value, int] = {}
    texts: dict[int, tuple[Any, str]] = {}
    yield f"{module.dialect} {module.entry!r} {module.name!r} {_attributes(module.attributes, texts)}"
    seen: dict[int, int] = {}
    for function in module.functions:
        facts = (function.attributes, *function.param_attrs, *function.result_attrs)
        yield f"function {function.name!r} {len(function.param_attrs)} {[_attributes(a, texts) for a in facts]}"
        yield from _region(function.body, numbers, texts, seen)


def _region(root: Region, numbers: dict[Value, int], texts: dict[int, tuple[Any, str]], seen: dict[int, int]
            ) -> Iterator[str]:  # fmt: skip
    """Ops, inner ones behind the op they belong to; a region that several ops share is written once."""
    stack: list[Iterator[str | Region]] = [_parts(root, numbers, texts, seen)]
    while stack:
        for part in stack[-1]:
            if isinstance(part, Region):
                stack.append(_parts(part, numbers, texts, seen))
                break
            yield part
        else:
            stack.pop()


def _parts(region: Region, numbers: dict[Value, int], texts: dict[int, tuple[Any, str]], seen: dict[int, int]
           ) -> Iterator[str | Region]:  # fmt: skip
    if id(region) in seen:
        yield f"again {seen[id(region)]}"
        return
    seen[id(region)] = len(seen)
    for value in region.params:
        numbers[value] = len(numbers)
    yield f"region {[_type(value, texts) for value in region.params]}"
    for op in region.ops:
        yield _op(op, numbers, texts)
        yield from op.regions
        for value in op.results:
            numbers[value] = len(numbers)
    yield f"return {[numbers[value] for value in region.results]}"


def _op(op: Op, numbers: dict[Value, int], texts: dict[int, tuple[Any, str]]) -> str:
    operands = [numbers[value] for value in op.operands]
    control = [numbers[value] for value in op.control] if op.control else ""
    types = [_type(value, texts) for value in op.results]
    return f"{op.name} {operands} {control} {types} {len(op.regions)} {_attributes(op.attributes, texts)}"


def _type(value: Value, texts: dict[int, tuple[Any, str]]) -> str:
    found = texts.get(id(value.type))
    if found is None:
        found = texts[id(value.type)] = (value.type, repr(value.type))
    return found[1]


def _attributes(attributes: Attrs, texts: dict[int, tuple[Any, str]]) -> str:
    if not attributes:
        return ""
    found = texts.get(id(attributes))
    if found is None:
        found = texts[id(attributes)] = (attributes, repr(_shown(attributes)))
    return found[1]


def _shown(attributes: Attrs) -> Any:
    """The attributes, host functions without their identity, which is a fact of one process."""
    return tuple([(name, _anonymous(value)) for name, value in attributes])


def _anonymous(attr: Any) -> Any:
    """Nesting of attributes is as shallow as the readers make it."""
    match attr:
        case Callable():
            return ("callable", attr.qualname, attr.code_digest)
        case Seq(items):
            return ("seq", [_anonymous(item) for item in items])
        case Record(fields):
            return ("record", [(name, _anonymous(value)) for name, value in fields])
    return attr
