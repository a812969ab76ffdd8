"""What the commands about baselines print, for a person."""

from __future__ import annotations

from collections.abc import Sequence

from scanir.outcome import Outcome
from scanir.render.words import clean, count


def updated(rows: Sequence[Outcome]) -> str:
    """One line for each file that was written, or need not be."""
    widest = max((len(clean(row.name)) for row in rows), default=0)
    return "".join(
        f"{'error' if row.exit_code else row.word.lower():<9}  {clean(row.name):<{widest}}  {clean(row.summary)}\n"
        for row in rows
    )


def listed(rows: Sequence[tuple[str, str, str]], stale: Sequence[str]) -> str:
    """(name, file, what there is to say of it), then the files that no baseline has."""
    names, files = (max((len(clean(row[k])) for row in rows), default=0) for k in (0, 1))
    lines = [f"{clean(name):<{names}}  {clean(file):<{files}}  {clean(said)}" for name, file, said in rows]
    lines += [f"stale: {clean(file)}, which no baseline has; scanir baseline prune removes it" for file in stale]
    return "".join(f"{line}\n" for line in lines)


def grouped(groups: Sequence[tuple[str, Sequence[str], Sequence[str], Sequence[str]]], shown: int) -> str:
    """(word, names, changes, notes) of each group."""
    total = sum(len(names) for _, names, _, _ in groups)
    changed = [names for word, names, _, _ in groups if word != "IDENTICAL"]
    ways = f", in {count(len(changed), 'way')}" if changed else ""
    parts = [f"{sum(map(len, changed))} of {count(total, 'baseline')} changed{ways}\n"]
    for note in dict.fromkeys(note for *_, notes in groups for note in notes):
        parts.append(f"made with {clean(note)}\n")
    for word, names, changes, _ in groups:
        parts.append(f"\n{word}  {count(len(names), 'baseline')}: {', '.join(map(clean, names))}\n")
        parts += [f"  {clean(change)}\n" for change in changes[:shown]]
        parts += [f"  and {len(changes) - shown} more\n"] if len(changes) > shown else []
    return "".join(parts)
