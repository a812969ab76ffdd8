"""What a rule, a class or a word of reports means: as text and as data, from one `Explanation`."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from scanir.errors import RuleError
from scanir.normalize.examples import EXAMPLES, Example
from scanir.normalize.rules import GATE_FORBIDS, RULES, Rule
from scanir.render.terms import TERMS
from scanir.result import SCHEMA_VERSION

#: Between two programs that stand side by side.
_GAP = 4


@dataclass(frozen=True, slots=True)
class Explanation:
    """``kind``: ``rule``, ``class`` or ``word``. Of a word there is ``text`` alone."""

    name: str
    kind: str
    text: str
    rule: Rule | None = None
    example: Example | None = None

    @property
    def diff(self) -> bool:
        """Whether `diff` and `matrix` have it on by default."""
        return self.rule is not None and self.rule.default

    @property
    def check(self) -> bool:
        """Whether gates (`assert_equivalent`, `check`) have it on by default."""
        return self.diff and self.name not in GATE_FORBIDS


def explain(name: str) -> Explanation:
    """What ``name`` means, in any case, with or without ``class:``. Raises RuleError with near names."""
    names = {known.lower(): known for known in (*TERMS, *RULES)}
    wanted = name.strip().lower()
    found = names.get(wanted) or names.get(f"class:{wanted}") or names.get(wanted.removesuffix("s"))
    if found is None:
        raise RuleError(f"nothing to explain by the name {name!r}", hint=_near(wanted, names))
    if (rule := RULES.get(found)) is None:
        return Explanation(found, "word", TERMS[found])
    return Explanation(found, "class" if ":" in found else "rule", rule.law, rule, EXAMPLES[found])


def _near(wanted: str, names: dict[str, str]) -> str:
    from rapidfuzz import process

    near = [names[match] for match, _, _ in process.extract(wanted, list(names), limit=3, score_cutoff=60)]
    return f"did you mean {', '.join(near)}?" if near else "scanir explain lists all names"


def render(found: Explanation, width: int = 80) -> str:
    """About ten lines and an example."""
    if found.rule is None or found.example is None:
        return "\n".join([f"{found.name}: a word of reports", *_lines("", found.text, width)]) + "\n"
    example = found.example
    lines = [f"{found.name}: a {found.kind}, {_profiles(found)}"]
    lines += _lines("what", found.rule.law, width)
    lines += _lines("when", found.rule.condition, width)
    lines += _lines("never", example.never, width)
    needs = ", ".join(example.modulo or (found.name,))
    lines += ["", f"EQUIVALENT modulo {needs}; without it no longer"]
    sides = (("a", example.a, example.tells_a), ("b", example.b, example.tells_b))
    lines += _beside([_program(*side) for side in sides], width)
    if example.beside:
        lines += ["", f"DIFFERENT, though {found.name} is allowed"]
        first = _program("a", example.beside, ())
        lines += _beside([first, _program("b", example.other, ())], width)
    else:
        lines += ["", f"DIFFERENT from a, though {found.name} is allowed"]
        lines += [f"  {line}" for line in _program("c", example.other, ())]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _profiles(found: Explanation) -> str:
    if found.check:
        return "on by default (--forbid takes it away)"
    if found.diff:
        return "on by default in diff and matrix, off in assert_equivalent"
    if found.name == "provenance":
        return "off by default (--allow adds it), but where the IR shows all that a setting does"
    return "off by default (--allow adds it)"


def _lines(label: str, text: str, width: int) -> list[str]:
    indent = "  " if not label else f"  {label:7}"
    return textwrap.wrap(
        text, max(width, 40), initial_indent=indent, subsequent_indent=" " * len(indent), break_on_hyphens=False
    )


def _program(name: str, text: str, tells: tuple[tuple[str, str], ...]) -> list[str]:
    told = [f"{fact}: {value or 'none'}" for fact, value in tells]
    return [", ".join([f"-- {name}", *told]), *text.splitlines()]


def _beside(programs: list[list[str]], width: int) -> list[str]:
    """Two programs side by side where they fit, else one below the other."""
    left, right = programs
    wide = max(map(len, left))
    if 2 + wide + _GAP + max(map(len, right)) > width:
        return [f"  {line}" for program in programs for line in program]
    rows = max(len(left), len(right))
    padded = ([*program, *[""] * (rows - len(program))] for program in (left, right))
    return [f"  {a:{wide + _GAP}}{b}" for a, b in zip(*padded, strict=True)]


def overview(width: int = 80) -> str:
    """All names: rules and classes with what they set aside, and the other words."""
    wide = max(map(len, RULES))
    lines = []
    groups = (
        ("rules", [rule for rule in RULES.values() if rule.default and ":" not in rule.name]),
        ("classes", [rule for rule in RULES.values() if ":" in rule.name]),
        ("off unless allowed", [rule for rule in RULES.values() if not rule.default]),
    )
    for title, rules in groups:
        lines.append(title)
        for rule in rules:
            said = textwrap.wrap(rule.law, max(width, 60) - wide - 4, break_on_hyphens=False)
            lines += [
                f"  {name:{wide}}  {part}" for name, part in zip([rule.name, *[""] * len(said)], said, strict=False)
            ]
        lines.append("")
    lines.append("words of reports")
    words = ", ".join(TERMS)
    lines += textwrap.wrap(words, max(width, 60), initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines) + "\n"


def as_data(found: Explanation) -> dict[str, Any]:
    """One explanation as JSON has it."""
    data: dict[str, Any] = {"name": found.name, "kind": found.kind, "text": found.text}
    if found.rule is not None and found.example is not None:
        example = found.example
        data |= {"condition": found.rule.condition, "never": example.never}
        data |= {"profiles": {"diff": found.diff, "check": found.check}, "modulo": [*(example.modulo or (found.name,))]}
        programs = {
            "a": (example.a, example.tells_a),
            "b": (example.b, example.tells_b),
            "different_a": (example.beside or example.a, example.tells_a),
            "different_b": (example.other, example.tells_other),
        }
        data["example"] = {"dialect": example.dialect} | {
            name: {"text": text, "told": dict(told)} for name, (text, told) in programs.items()
        }
    return data


def document(names: tuple[str, ...]) -> dict[str, Any]:
    """The JSON document of these names, of all where there are none."""
    return {
        "schema_version": SCHEMA_VERSION,
        "explained": [as_data(explain(name)) for name in names or (*RULES, *TERMS)],
    }
