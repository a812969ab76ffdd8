"""``make corpus``: which files of ../shared/corpus open, and why the others are refused, counted by reason."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from scanir.errors import ScanirError
from scanir.targets.artifact import read_artifact

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
_FOLDERS = ("hlo", "stablehlo", "stablehlo_pairs", "jax_compat", "jax_compat_hist", "jaxpr")


def reason(problem: ScanirError, file: Path) -> str:
    """Why a file is refused, without its name and what is special to it."""
    what = problem.what.splitlines()[0].replace(str(file), "FILE")
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'|\"[^\"]*\"|%[\w.-]+", "...", what))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("folders", nargs="*", default=_FOLDERS, metavar="FOLDER", help="of the corpus; all")
    options = parser.parse_args()
    if not CORPUS.is_dir():
        print("no ../shared/corpus: NOTHING was read", file=sys.stderr)
        return 2
    opened: Counter[str] = Counter()
    refused: defaultdict[str, list[Path]] = defaultdict(list)
    crashed = 0
    for file in (file for folder in options.folders for file in sorted((CORPUS / folder).rglob("*")) if file.is_file()):
        name = file.relative_to(CORPUS)
        try:
            opened[f"{name.parts[0]}: {read_artifact(str(file)).stage}"] += 1
        except ScanirError as problem:
            refused[reason(problem, file)].append(name)
        except Exception as problem:  # noqa: BLE001  (every input gets an answer: this one did not)
            crashed += 1
            print(f"CRASH {name}: {type(problem).__name__}: {problem}")
    print(f"{opened.total()} files open")
    for kind, count in sorted(opened.items()):
        print(f"  {count:5}  {kind}")
    print(f"{sum(map(len, refused.values()))} are refused")
    for why, names in sorted(refused.items(), key=lambda row: (-len(row[1]), row[0])):
        print(f"  {len(names):5}  {why}\n         first {names[0]}")
    print(f"{crashed} crash")
    return 1 if crashed else 0


if __name__ == "__main__":
    sys.exit(main())
