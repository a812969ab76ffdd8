"""Classes of programs, as text and as JSON: those with several members or near others one by one, the rest as names."""

from __future__ import annotations

import json
import textwrap
from typing import Any

from scanir.classes import Classes, Failure, ProgramClass
from scanir.compare.vague import Near
from scanir.render.words import clean, count, listed
from scanir.result import SCHEMA_VERSION

WIDTH = 80
#: Names that are listed of one form, and of all classes of one program; examples of a difference.
MEMBERS, ALONE, EXAMPLES = 12, 40, 4
#: Characters of a name or value.
LONG = 60


def render_classes(found: Classes, *, width: int = WIDTH) -> str:
    """The report, ending in a newline."""
    lines: list[str] = []
    for stage, classes in found.stages:
        programs = sum(len(one.members) for one in classes)
        lines += [f"{count(programs, 'program')} at {stage}: {_classes(len(classes))}{_sums(classes)}", ""]
        alone = []
        referred = {one.near[0] for one in classes if one.near is not None}
        for number, one in enumerate(classes):
            if len(one.members) > 1 or one.near is not None or number in referred or one.hidden:
                lines += [*_class(number, one, classes, width), ""]
            else:
                alone.append(one.name)
        if alone:
            lines += [*_wrapped(f"{count(len(alone), 'program')} like no other: ", _names(alone, ALONE), width), ""]
    lines += _failures("cannot be read", found.failures, width)
    lines += _failures("left out", found.left_out, width)
    while lines and not lines[-1]:
        lines.pop()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _classes(number: int) -> str:
    return "1 class" if number == 1 else f"{number:,} classes"


def _sums(classes: tuple[ProgramClass, ...]) -> str:
    """``; 12 hold several programs; 3 are near another``."""
    several = sum(len(one.members) > 1 for one in classes)
    near = sum(one.near is not None for one in classes)
    parts = [f"{several} of several programs"] if several else []
    parts += [f"{near} near another"] if near else []
    return f"; {', '.join(parts)}" if parts else ""


def _class(number: int, one: ProgramClass, classes: tuple[ProgramClass, ...], width: int) -> list[str]:
    """A class: its first program, what else is in it and by which rules, and what it is near to."""
    size = count(len(one.members), "program")
    lines = _wrapped(f"{number + 1}  ", f"{_name(one.name)}: {size}, {count(one.ops, 'op')}", width)
    for form in one.forms:
        others = [name for name in form.members if name != one.name]
        if others:
            how = f"modulo {listed(form.modulo)}" if form.modulo else "identical"
            lines += _wrapped(f"   {how}: ", _names(others, MEMBERS), width, hang=5)
    if one.near is not None:
        lines += _wrapped("   ", _near(one.near[1], one.near[0] + 1, classes[one.near[0]].name), width, hang=5)
    if one.hidden:
        lines += _wrapped("   ", f"compared with no other: {clean(one.hidden)}", width, hang=5)
    return lines


def _near(near: Near, number: int, name: str) -> str:
    """``like 1 lambda but for constants: 0.01 there, 0.02 here``."""
    examples = [f"{_name(there)} there, {_name(here)} here" for there, here in near.examples[:EXAMPLES]]
    more = len(near.examples) - EXAMPLES
    examples += [f"and {more} more"] if more > 0 else []
    kinds = " and ".join(f"{kind}s" for kind in near.kinds)
    return f"like {number} {_name(name)} but for {kinds}: {'; '.join(examples)}"


def _name(text: str) -> str:
    text = clean(text)
    return text if len(text) <= LONG else f"{text[: LONG // 2]}...{text[-LONG // 2 :]}"


def _names(names: list[str], most: int) -> str:
    more = [f"and {len(names) - most:,} more"] if len(names) > most else []
    return ", ".join([*(_name(name) for name in names[:most]), *more])


def _wrapped(head: str, text: str, width: int, hang: int = 3) -> list[str]:
    return textwrap.wrap(
        head + text, max(width, 40), subsequent_indent=" " * hang, break_on_hyphens=False, break_long_words=False
    )


def _failures(what: str, failures: tuple[Failure, ...], width: int) -> list[str]:
    if not failures:
        return []
    lines = [f"{what}: {len(failures)}"]
    for failure in failures[:MEMBERS]:
        lines += _wrapped("  ", f"{_name(failure.name)}: {clean(failure.problem.what)}", width, hang=4)
    more = len(failures) - MEMBERS
    return [*lines, *([f"  and {more:,} more"] if more > 0 else []), ""]


def classes_document(found: Classes) -> dict[str, Any]:
    """The same for JSON, with every name."""
    return {
        "schema_version": SCHEMA_VERSION,
        "stages": [
            {"stage": stage, "classes": [_data(one) for one in classes]} for stage, classes in found.stages
        ],
        "failures": [_failure(failure) for failure in found.failures],
        "left_out": [_failure(failure) for failure in found.left_out],
        "exit_code": found.exit_code,
    }  # fmt: skip


def _data(one: ProgramClass) -> dict[str, Any]:
    near = None
    if one.near is not None:
        number, found = one.near
        near = {"class": number, "kinds": list(found.kinds), "examples": [list(pair) for pair in found.examples]}
    return {
        "name": one.name,
        "ops": one.ops,
        "forms": [{"members": list(form.members), "modulo": list(form.modulo)} for form in one.forms],
        "near": near,
        "hidden": one.hidden,
    }


def _failure(failure: Failure) -> dict[str, str]:
    problem = failure.problem
    return {"name": failure.name, "what": problem.what, "where": problem.where, "hint": problem.hint}


def render_classes_json(found: Classes) -> str:
    return json.dumps(classes_document(found), indent=2, ensure_ascii=True, allow_nan=False)
