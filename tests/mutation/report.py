"""The report of a campaign: what became of how many mutants, by kind and dialect, and each suspect with its reason."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.mutation.campaign import OUTCOMES, Suspect, Tally

#: Outcomes of which none is allowed, and those that are listed one by one.
BAD = ("wrong", "crash")
LISTED = (*BAD, "not certified", "undecided")


def totals(tallies: Iterable[Tally]) -> Counter[tuple[str, str, str]]:
    """(dialect, kind, outcome) -> count."""
    found: Counter[tuple[str, str, str]] = Counter()
    for tally in tallies:
        for (kind, outcome), count in tally.counts.items():
            found[tally.dialect, kind, outcome] += count
    return found


def suspects(tallies: Iterable[Tally], *outcomes: str) -> list[Suspect]:
    return [suspect for tally in tallies for suspect in tally.suspects if suspect.outcome in outcomes]


def text(tallies: list[Tally]) -> str:
    """Tables and lists for a person."""
    counts = totals(tallies)
    dialects = sorted({dialect for dialect, _, _ in counts})
    lines = []
    for dialect in dialects:
        kinds = sorted({kind for d, kind, _ in counts if d == dialect})
        lines += ["", f"{dialect}: {_sum(counts, dialect)} mutants of {_modules(tallies, dialect)} modules"]
        width = max(map(len, kinds))
        lines.append(f"  {'kind':{width}}  " + "  ".join(f"{outcome:>17}" for outcome in OUTCOMES))
        for kind in kinds:
            row = "  ".join(f"{counts[dialect, kind, outcome] or '':>17}" for outcome in OUTCOMES)
            lines.append(f"  {kind:{width}}  {row}")
    lines += ["", *_arguments(tallies), "", "modules that were not mutated"]
    blind = Counter((t.dialect, t.blind.split(":")[0]) for t in tallies if t.blind)
    lines += [f"  {count:5}  {dialect}: {why}" for (dialect, why), count in sorted(blind.items())]
    for outcome in LISTED:
        for s in suspects(tallies, outcome):
            lines += ["", f"{outcome.upper()}  {s.dialect}: {s.source}", f"  {s.kind} in {s.where}"]
            lines += [f"  {s.verdict}: {s.argument}"]
    lines += ["", summary(tallies)]
    return "\n".join(lines).lstrip("\n")


def summary(tallies: list[Tally]) -> str:
    counts: Counter[str] = Counter()
    for (_, _, outcome), count in totals(tallies).items():
        counts[outcome] += count
    return f"{sum(counts.values())} mutants: " + ", ".join(f"{counts[o]} {o}" for o in OUTCOMES if counts[o])


def _sum(counts: Counter[tuple[str, str, str]], dialect: str) -> int:
    return sum(count for (d, _, _), count in counts.items() if d == dialect)


def _modules(tallies: list[Tally], dialect: str) -> int:
    return sum(1 for tally in tallies if tally.dialect == dialect and not tally.blind)


def _arguments(tallies: list[Tally]) -> list[str]:
    """Why mutants are equal in truth: by rules and argument, with an example each."""
    groups: dict[tuple[str, str, str], list[Suspect]] = defaultdict(list)
    for s in suspects(tallies, "equal in truth"):
        groups[s.dialect, s.verdict, s.argument].append(s)
    lines = ["mutants that are equal in truth"] if groups else []
    for (dialect, verdict, argument), members in sorted(groups.items()):
        first = members[0]
        lines.append(f"  {len(members):5}  {dialect}: {verdict}: {argument}")
        lines.append(f"         such as {first.kind} in {first.source}, {first.where[:120]}")
    return lines


def page(tallies: list[Tally], versions: str) -> str:
    """The counts as a page in Markdown: by dialect and outcome, by kind and dialect, and why survivors are equal."""
    counts = totals(tallies)
    dialects = sorted({dialect for dialect, _, _ in counts})
    compared = {
        d: _sum(counts, d) - sum(n for (x, _, o), n in counts.items() if x == d and o == "refused") for d in dialects
    }
    shown = [outcome for outcome in OUTCOMES if any(counts[d, k, outcome] for d, k, _ in counts)]
    lines = [
        "# Mutants, by kind and dialect", "",
        f"Made by `python -m tests.mutation --page docs/mutants.md` with {versions}. What is done with survivors:",
        "[soundness.md](soundness.md).", "",
        "| dialect | modules | mutants | " + " | ".join(shown) + " |", "|---|---:|---:|" + "---:|" * len(shown),
    ]  # fmt: skip
    for dialect in [*dialects, "all"]:
        chosen = dialects if dialect == "all" else [dialect]
        each = [sum(n for (d, _, o), n in counts.items() if d in chosen and o == outcome) for outcome in shown]
        modules = sum(_modules(tallies, d) for d in chosen)
        lines.append(f"| {dialect} | {modules:,} | {sum(each):,} | " + " | ".join(f"{n:,}" for n in each) + " |")
    lines += [
        "",
        f"Not refused by the reader, and so compared: {sum(compared.values()):,}.",
        "",
        "## Why survivors are equal",
        "",
    ]
    lines += ["| dialect | why | mutants |", "|---|---|---:|"]
    why = Counter((s.dialect, _argued(s.argument)) for s in suspects(tallies, "equal in truth"))
    lines += [f"| {dialect} | {argument} | {count:,} |" for (dialect, argument), count in sorted(why.items())]
    for s in suspects(tallies, *LISTED):
        lines += [
            "",
            f"{s.outcome}: {s.dialect}, {s.source}: `{s.kind}` in `{s.where[:100]}`: {s.verdict}: {s.argument}",
        ]
    lines += ["", "## Counts", "", "| kind | " + " | ".join(dialects) + " |", "|---|" + "---:|" * len(dialects)]
    by_kind: Counter[tuple[str, str]] = Counter()
    for (dialect, kind, _), count in counts.items():
        by_kind[kind, dialect] += count
    for kind in sorted({kind for kind, _ in by_kind}):
        lines.append(f"| {kind} | " + " | ".join(f"{by_kind[kind, d] or ''}" for d in dialects) + " |")
    return "\n".join(lines) + "\n"


def _argued(argument: str) -> str:
    """An argument without how many inputs and which error."""
    argument = re.sub(r"results agree on \d+ inputs", "execution of both sides agrees", argument)
    return re.sub(r"; not run: .*", ", and it cannot be run", argument, flags=re.DOTALL)


def as_json(tallies: list[Tally], seed: int) -> str:
    """The same for a machine; holds no time, so that a seed gives the same bytes."""
    rows = [
        {"dialect": dialect, "kind": kind, "outcome": outcome, "count": count}
        for (dialect, kind, outcome), count in sorted(totals(tallies).items())
    ]
    listed = [
        {name: getattr(s, name) for name in ("dialect", "source", "kind", "where", "outcome", "verdict", "argument")}
        for s in suspects(tallies, "equal in truth", *LISTED)
    ]
    return json.dumps({"seed": seed, "counts": rows, "suspects": listed}, indent=1) + "\n"


# -- a run that goes on where another was broken off -------------------------------------------------------------------


def line(tally: Tally) -> str:
    """A tally as a line of a log."""
    counts = [[kind, outcome, count] for (kind, outcome), count in sorted(tally.counts.items())]
    listed = [dataclasses.asdict(s) for s in tally.suspects]
    return json.dumps(
        {"dialect": tally.dialect, "source": tally.source, "counts": counts, "suspects": listed, "blind": tally.blind}
    )


def read_log(path: Path) -> list[Tally]:
    """The tallies of a log, none where there is no such file."""
    if not path.exists():
        return []
    found = []
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        counts = Counter({(kind, outcome): count for kind, outcome, count in row["counts"]})
        suspects = [Suspect(**s) for s in row["suspects"]]
        found.append(Tally(row["dialect"], row["source"], counts, suspects, row["blind"]))
    return found
