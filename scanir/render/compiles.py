"""The log of compiles as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from scanir.compiles import Group, Log, Place, Row
from scanir.compiles.reasons import KINDS, Reason
from scanir.render.words import clean, count, short_place
from scanir.render.words import place as named_place
from scanir.result import SCHEMA_VERSION

#: Names of JAX's own functions that are listed.
_OWN = 6


def render_log(log: Log, *, all_: bool = False) -> str:
    """The summary, then each function with its compiles; JAX's own small functions are only counted unless ``all_``."""
    lines = [log.summary]
    for group in (*log.groups, *(log.own if all_ else ())):
        lines += ["", *_group(group)]
    if log.own and not all_:
        lines += ["", _own(log.own)]
    return "\n".join(lines) + "\n"


def place(found: Place | None) -> str:
    """``train.py:31``."""
    return f"{clean(short_place(found.file))}:{found.line}" if found is not None else "unknown line"


def _group(group: Group) -> list[str]:
    trace, lower, compile = group.seconds
    lines = [
        f"{clean(group.name)}  {place(group.source)}  {count(len(group.rows), 'compile')}",
        f"  seconds: {trace:.3f} tracing, {lower:.3f} lowering, {compile:.3f} compiling",
    ]
    hints: dict[str, None] = {}
    for row in group.rows:
        lines += _row(row)
        hints.update((reason.kind, None) for reason in row.reasons if reason.hint)
    lines += [f"  hint: {KINDS[kind][0]}: {KINDS[kind][1]}" for kind in hints]
    return lines


def _row(row: Row) -> list[str]:
    cached = ", read from the persistent cache" if row.compile.cached else ""
    head = f"  #{row.number}  called at {place(row.site)}{cached}"
    if not row.reasons:
        types = ", ".join(
            f"{clean(leaf.name)}: {'weak ' * leaf.weak}{leaf.type}" for leaf in row.compile.call.leaves[:6]
        )
        more = ", ..." if len(row.compile.call.leaves) > 6 else ""
        return [f"{head}  first, for {types}{more}" if types else f"{head}  first"]
    said = f"{head}  {'avoidable, ' if row.avoidable else ''}beside #{row.beside}:"
    return [f"{said} {', '.join(reason.title for reason in row.reasons)}", *reasons(row.reasons)]


def reasons(found: Iterable[Reason], indent: str = "      ") -> list[str]:
    """What each reason says, a line each."""
    return [f"{indent}{shown(line)}" for reason in found for line in reason.what]


def shown(line: str) -> str:
    """A line of a reason, with its file, where it names one, as reports name files."""
    head, at, rest = line.rpartition(" at ")
    file, colon, number = rest.rpartition(":")
    if at and colon and number.isdecimal() and ("/" in file or "\\" in file):
        return clean(f"{head} at {short_place(file)}:{number}")
    return clean(line)


def _own(groups: Sequence[Group]) -> str:
    names: Counter[str] = Counter()
    for group in groups:
        names[clean(group.name)] += len(group.rows)
    total = sum(names.values())
    listed = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    text = ", ".join(name if times == 1 else f"{name} {times}x" for name, times in listed[:_OWN])
    seconds = sum(sum(group.seconds) for group in groups)
    return f"JAX's own ({total}), {seconds:.3f} seconds: {text}{', ...' if len(listed) > _OWN else ''}"


def log_document(log: Log) -> dict[str, Any]:
    """The log as JSON has it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "summary": log.summary,
        "compiles": [_row_data(row) for row in log.rows],
        "functions": [
            {
                "name": group.name,
                "source": _place_data(group.source),
                "owner": group.owner,
                "compiles": [row.number for row in group.rows],
                "seconds": dict(zip(("trace", "lower", "compile"), group.seconds, strict=True)),
            }
            for group in (*log.groups, *log.own)
        ],
    }


def _row_data(row: Row) -> dict[str, Any]:
    call = row.compile.call
    return {
        "number": row.number,
        "function": call.name,
        "owner": call.owner,
        "source": _place_data(call.source),
        "site": _place_data(row.site),
        "arguments": [{"name": leaf.name, "type": leaf.type, "weak": leaf.weak} for leaf in call.leaves],
        "static": dict(call.statics),
        "beside": row.beside,
        "avoidable": row.avoidable,
        "reasons": reason_data(row.reasons),
        "cached": row.compile.cached,
        "seconds": {"trace": row.compile.trace, "lower": row.compile.lower, "compile": row.compile.compile},
    }


def reason_data(found: Iterable[Reason]) -> list[dict[str, Any]]:
    """Reasons as JSON has them."""
    return [
        {"kind": reason.kind, "what": [shown(line) for line in reason.what], "avoidable": reason.avoidable}
        for reason in found
    ]


def _place_data(found: Place | None) -> dict[str, Any] | None:
    return None if found is None else {"file": named_place(found.file), "line": found.line}
