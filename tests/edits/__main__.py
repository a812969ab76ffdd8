"""``python -m tests.edits``: the whole campaign. Exit status 1 where the script misses its aim."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
DIALECTS = ("hlo", "stablehlo", "jaxpr")
#: Share of pairs with exactly one edit for one planted, and with at most one more for several.
AIM = {1: 0.99, 2: 0.95, 5: 0.95, 20: 0.95}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.edits", description=__doc__)
    parser.add_argument("--files", type=int, default=40, help="most files of the corpus a dialect (default 40)")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument(
        "--misses",
        action="store_true",
        help="print the scripts of pairs that miss the aim, or tell fewer edits than were planted",
    )
    options = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

    from tests.edits.campaign import COUNTS, Outcome, readable
    from tests.mutation import sources

    corpus = CORPUS if CORPUS.is_dir() else None
    if corpus is None:
        print("no ../shared/corpus: no edits are planted in its files", file=sys.stderr)
    found: list[Outcome] = []
    for dialect in DIALECTS:
        own = sources.names(dialect, None)
        files = [name for name in sources.names(dialect, corpus) if name not in set(own)]
        chosen = [*own, *sorted(files, key=lambda name: -sources.size(name, corpus))[: options.files]]
        for name in chosen:
            for seed in range(options.seeds):
                found += readable(dialect, name, COUNTS, seed, corpus)
    return report(found, misses=options.misses)


def report(found: list, *, misses: bool) -> int:
    """Prints the table; 1 where a share is below its aim."""
    print("| stage | planted | pairs | as long | fewer | planted ops named | edits | lines of diff | tokens apart |")
    print("|---|---|---|---|---|---|---|---|---|")
    bad = 0
    for dialect in ("all", *DIALECTS):
        for count, aim in AIM.items():
            chosen = [one for one in found if one.planted == count and dialect in ("all", one.dialect)]
            if not chosen:
                continue
            good = sum(one.good for one in chosen) / len(chosen)
            fewer = sum(one.fewer for one in chosen) / len(chosen)
            named = sum(one.named for one in chosen) / sum(one.planted for one in chosen)
            means = [sum(getattr(one, what) for one in chosen) / len(chosen) for what in ("told", "lines", "tokens")]
            bad += dialect == "all" and good < aim
            print(
                f"| {dialect} | {count} | {len(chosen)} | {good:.1%} | {fewer:.1%} | {named:.1%} | "
                + " | ".join(f"{mean:.1f}" for mean in means) + " |"
            )  # fmt: skip
    if misses:
        for one in found:
            if not one.good or one.fewer:
                print(f"\n{one.dialect} {one.source}: {one.planted} planted, {one.told} told; missed {one.missed}")
                for edit in one.edits:
                    print(f"  {edit.kind} {edit.op} {edit.what} {edit.times}x {edit.path}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
