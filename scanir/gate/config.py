"""Reading the checks of a file: ``[tool.scanir]`` of a pyproject.toml, or a scanir.toml with the same tables on top.

Promises: a key that nobody knows is an error, and so is a value of another kind, a rule or stage that does not exist
and a name that is used twice; each says the file, the line where it can be told, and what lies near. Nothing is
imported here, and no target looked up.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scanir.errors import ConfigError, ScanirError
from scanir.facts.limits import COUNTS, PRECISIONS, SIZES, Limits
from scanir.gate.lines import Lines
from scanir.gate.plan import FAIL_ON, ON_MISMATCH, Baseline, Budget, Check, Pair, Plan, near
from scanir.ir.conventions import WIDTHS
from scanir.normalize.tables.hlo import OPCODES
from scanir.outcome import Spot

FILES = ("scanir.toml", "pyproject.toml")
_SETTINGS = (
    "config", "config-a", "config-b", "compiler-options", "compiler-options-a", "compiler-options-b", "env-a", "env-b",
)  # fmt: skip
_EXAMPLE = '[[tool.scanir.pairs]] with name = "step", a = "old.py:step", b = "new.py:step", args = "f32[8]"'


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the file: its keys, and how to say where they stand."""

    file: Path
    lines: Lines
    header: str
    index: int
    count: int
    values: Mapping[str, Any]

    def spot(self, key: str = "") -> Spot:
        at = self.lines.key if key else self.lines.table
        return Spot(self.file.name, at(self.header, self.index, self.count, *([key] if key else [])))

    def wrong(self, what: str, key: str = "", hint: str = "") -> ConfigError:
        name = self.values.get("name")
        of = f", {self.header} {name!r}" if isinstance(name, str) else f", {self.header}"
        return ConfigError(what, where=f"{self.spot(key)}{of}", hint=hint)

    def known(self, keys: tuple[str, ...]) -> None:
        """Raises ConfigError for a key that is none of these."""
        for key in self.values:
            if key not in keys:
                raise self.wrong(f"unknown key {key!r}", key, near(key, keys))

    def text(self, key: str, default: str | None = None) -> str:
        """A text that is not empty; one that must be there has no ``default``."""
        if key not in self.values:
            if default is None:
                raise self.wrong(f"{key} is missing", hint=f"write {key} = ...; for example {_EXAMPLE}")
            return default
        value = self.values[key]
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(f"{key} is a text, not {_shown(value)}", key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; one may stand alone."""
        value = self.values.get(key, [])
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise self.wrong(f"{key} is a text or a list of texts, not {_shown(value)}", key)
        return tuple(items)

    def truth(self, key: str) -> bool:
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(f"{key} is true or false, not {_shown(value)}", key)
        return value

    def number(self, key: str) -> int | None:
        """A whole number from 0 on; None where the key is not there."""
        value = self.values.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise self.wrong(f"{key} is a whole number from 0 on, not {_shown(value)}", key)
        return value

    def choice(self, key: str, words: tuple[str, ...], default: str) -> str:
        value = self.values.get(key, default)
        if value not in words:
            raise self.wrong(f"{key} is one of {', '.join(words)}, not {_shown(value)}", key, near(str(value), words))
        return str(value)

    def settings(self, key: str) -> dict[str, Any]:
        """A table of settings, or a list of texts KEY=VALUE."""
        value = self.values.get(key, {})
        if isinstance(value, list) and all(isinstance(item, str) and "=" in item for item in value):
            value = dict(item.split("=", 1) for item in value)
        if not isinstance(value, dict) or not all(isinstance(v, (str, int, float)) for v in value.values()):
            raise self.wrong(f"{key} is a table of settings, not {_shown(value)}", key, f"{key} = {{ NAME = VALUE }}")
        return dict(value)


def read_plan(file: Path) -> Plan:
    """The checks of a file. Raises ConfigError."""
    text, data = _parsed(file)
    top, prefix = data, ""
    if file.name == "pyproject.toml" or "tool" in data:
        top, prefix = data.get("tool", {}).get("scanir", {}), "tool.scanir."
    root = Table(file, Lines.of(text), prefix.rstrip("."), 0, 1, top if isinstance(top, dict) else {})
    root.known(("import", *KINDS))
    checks: list[Check] = []
    for kind, read in KINDS.items():
        tables = top.get(kind, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise root.wrong(f"{kind} is a list of tables", kind, hint=f"write [[{prefix}{kind}]]")
        checks += [
            read(Table(file, root.lines, prefix + kind, k, len(tables), table)) for k, table in enumerate(tables)
        ]
    _distinct(file, checks)
    if not checks:
        raise ConfigError("there is nothing to check", where=file.name, hint=_EXAMPLE)
    return Plan(file, tuple(checks), root.texts("import"))


def find_file(directory: Path) -> Path:
    """The file that lists the checks: in a directory or the nearest one above. Raises ConfigError."""
    for place in (directory, *directory.parents):
        for name in FILES:
            file = place / name
            if file.is_file() and (name != "pyproject.toml" or "scanir" in _parsed(file)[1].get("tool", {})):
                return file
    raise ConfigError(
        "there is no scanir.toml, and no pyproject.toml with [tool.scanir]",
        where="the working directory and those above it",
        hint=f"write {_EXAMPLE}; or name a file: --file",
    )


def _parsed(file: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = file.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except OSError as problem:
        raise ConfigError(f"{file} cannot be read: {problem.strerror}", hint="scanir check --file FILE") from problem
    except UnicodeDecodeError as problem:
        raise ConfigError(f"{file.name} is no text in UTF-8") from problem
    except tomllib.TOMLDecodeError as problem:
        raise ConfigError(f"{file.name} is no TOML: {problem}", where=file.name) from problem


def _distinct(file: Path, checks: list[Check]) -> None:
    """One name is one check, whatever its kind: names are how checks are asked for and reported."""
    seen: dict[str, Spot] = {}
    for check in checks:
        if check.name in seen:
            raise ConfigError(
                f"the name {check.name!r} is used twice", where=f"{seen[check.name]} and {check.spot}",
                hint="give each check a name of its own",
            )  # fmt: skip
        seen[check.name] = check.spot


def _shown(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else repr(value)


def name_of(table: Table) -> str:
    """The name of a check: one line that stands in a report and on a command line."""
    name = table.text("name")
    if not name.isprintable() or name != name.strip() or name.startswith("-"):
        raise table.wrong(f"{name!r} is no name", "name", "a name is one line that does not begin with -")
    return name


def target_of(table: Table, key: str) -> str:
    target = table.text(key)
    if target == "-":
        raise table.wrong(f"{key} is standard input, which a check has none of", key, "name a file or a function")
    return target


def stages_of(table: Table, key: str) -> str:
    from scanir.api import parse_stages

    stages = ",".join(table.texts(key)) or "hlo"
    try:
        parse_stages(stages)
    except ScanirError as problem:
        raise table.wrong(problem.what, key, problem.hint) from problem
    return stages


_PAIR = (
    "name", "a", "b", "args", "args-a", "args-b", "args-from", "args-from-a", "args-from-b", "stage", "under", "scope",
    "allow", "forbid", "strict", "fail-on", "run", *_SETTINGS,
)  # fmt: skip


def _pair(table: Table) -> Check:
    table.known(_PAIR)
    rules, level = rules_of(table)
    options: dict[str, Any] = rules | {
        "stage": stages_of(table, "stage"),
        "scope": table.choice("scope", ("program", "loops"), "program"),
        "under": table.texts("under"),
        "run": table.number("run") or 0,
    }
    options |= {key.replace("-", "_"): table.settings(key) for key in _SETTINGS if key in table.values}
    given, sources = arguments_of(table, ("-a", "-b"))
    return Pair(
        name_of(table), table.spot(), target_of(table, "a"), target_of(table, "b"), options | given, sources,
        level,
    )  # fmt: skip


def rules_of(table: Table) -> tuple[dict[str, Any], str]:
    """The rules of a check, as options of `scanir.diff`, and the verdict from which on it fails."""
    from scanir.normalize.rules import gate_forbids, rule_set

    allow, strict = table.texts("allow"), table.truth("strict")
    level, classes = _fail_on(table)
    forbid = (*table.texts("forbid"), *classes)
    try:
        rule_set(allow, forbid, strict=strict)
    except ScanirError as problem:
        key = "forbid" if any(repr(name) in problem.what for name in forbid) else "allow"
        raise table.wrong(problem.what, key, problem.hint) from problem
    return {"allow": allow, "forbid": gate_forbids(allow, forbid), "strict": strict}, level


def _fail_on(table: Table) -> tuple[str, tuple[str, ...]]:
    """The verdict from which on a pair fails, or classes that must not differ, which then are forbidden."""
    from scanir.normalize.rules import RULES, full_name

    classes = table.texts("fail-on")
    if classes and all(full_name(name) in RULES for name in classes):
        return "inconclusive", classes
    return table.choice("fail-on", FAIL_ON, "inconclusive"), ()


_BASELINE = (
    "name", "target", "args", "args-from", "stages", "allow", "forbid", "strict", "fail-on", "on-version-mismatch",
    "config", "compiler-options",
)  # fmt: skip


def _baseline(table: Table) -> Check:
    from scanir.api import parse_stages

    table.known(_BASELINE)
    given, sources = arguments_of(table, ("",))
    settings = {k.replace("-", "_"): table.settings(k) for k in ("config", "compiler-options") if k in table.values}
    options, level = rules_of(table)
    if "callback-by-name" not in options["forbid"]:  # a file has no function objects, only names and code
        options["allow"] = (*options["allow"], "callback-by-name")
    return Baseline(
        name_of(table), table.spot(), target_of(table, "target"), parse_stages(stages_of(table, "stages")),
        given.get("args", ""), sources.get("args", ""), options, settings,
        level, table.choice("on-version-mismatch", ON_MISMATCH, "compare"),
    )  # fmt: skip


def arguments_of(table: Table, sides: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """Example arguments by option (``args_a``): texts, and names of functions that make them."""
    for side in ("", *sides):
        if f"args{side}" in table.values and f"args-from{side}" in table.values:
            what = f"args{side} and args-from{side} both say what the arguments are"
            raise table.wrong(what, f"args-from{side}", "give one of them")
    given, sources = {}, {}
    for side in sides:
        # A side's own, of either kind, before what holds for both.
        own = side if f"args{side}" in table.values or f"args-from{side}" in table.values else ""
        if text := table.text(f"args{own}", ""):
            given[f"args{side.replace('-', '_')}"] = text
        elif source := table.text(f"args-from{own}", ""):
            sources[f"args{side.replace('-', '_')}"] = source
    return given, sources


_BUDGET = (
    "name", "target", "args", "args-from", "under", "config", "compiler-options", "per-trip", "no-callback-in-loop",
    "forbid-dtypes", "forbid-ops", "max-constant-bytes", "require-dot-precision",
)  # fmt: skip


def _budget(table: Table) -> Check:
    table.known((*_BUDGET, *COUNTS, *SIZES))
    per_trip = table.values.get("per-trip", {})
    if not isinstance(per_trip, dict):
        raise table.wrong("per-trip is a table of limits", "per-trip", "per-trip = { copies = 0 }")
    inner = Table(table.file, table.lines, f"{table.header}.per-trip", 0, 1, per_trip)
    if inner.spot().line == 0:  # written in one line: per-trip = { ... }
        inner = replace(table, values=per_trip)
    for key in per_trip:
        if key not in COUNTS:
            raise table.wrong(f"unknown key {key!r} in per-trip", "per-trip", near(key, tuple(COUNTS)))
    limits = Limits(
        _numbers(table, COUNTS), _numbers(inner, COUNTS), _numbers(table, SIZES), table.truth("no-callback-in-loop"),
        tuple(_dtype(table, name) for name in table.texts("forbid-dtypes")),
        tuple(_opcode(table, name) for name in table.texts("forbid-ops")),
        table.number("max-constant-bytes"),
        table.choice("require-dot-precision", PRECISIONS, "") if "require-dot-precision" in table.values else "",
    )  # fmt: skip
    if limits == Limits():
        raise table.wrong("a budget without a limit", hint=f"limits: {', '.join((*COUNTS, *SIZES))}, per-trip, ...")
    given, sources = arguments_of(table, ("",))
    options: dict[str, Any] = {"under": table.texts("under")} | given
    options |= {k.replace("-", "_"): table.settings(k) for k in ("config", "compiler-options") if k in table.values}
    name, target = name_of(table), target_of(table, "target")
    return Budget(name, table.spot(), target, limits, options, sources.get("args", ""))


def _numbers(table: Table, names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple((name, number) for name in names if (number := table.number(name)) is not None)


def _dtype(table: Table, name: str) -> str:
    """A dtype as reports write it; one that nobody knows would never be found."""
    name = {"pred": "bool"}.get(name, name)
    if name not in WIDTHS and not name.startswith(("f8", "f6", "f4")):
        raise table.wrong(f"unknown dtype {name!r}", "forbid-dtypes", near(name, tuple(WIDTHS)))
    return name


def _opcode(table: Table, name: str) -> str:
    """An opcode of HLO, also with underscores; one that nobody knows would never be found."""
    code = name.replace("_", "-")
    if code not in OPCODES:
        raise table.wrong(f"{name!r} is no opcode of HLO", "forbid-ops", near(code, sorted(OPCODES)))
    return code


#: The kinds of checks by the name of their tables, in the order in which they are made and reported.
KINDS: dict[str, Callable[[Table], Check]] = {"pairs": _pair, "baselines": _baseline, "budgets": _budget}
