"""Real modules nobody of this project wrote: all that XLA's own parser accepts must open."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from scanir.errors import ReadError
from scanir.readers.hlo import read_hlo

#: make test reads every so many-th text, and no file longer than this; make full reads all.
STEP, LONGEST = 5, 700_000


def texts(corpus: Path) -> list[tuple[str, str]]:
    """Name and text of all that XLA's parser accepts."""
    with (corpus / "MANIFEST.tsv").open(encoding="utf-8") as rows:
        accepted = [row["file"] for row in csv.DictReader(rows, delimiter="\t") if row["xla_or_mlir_parser"] == "ok"]
    found = [
        (name, (corpus / name).read_text(encoding="utf-8", errors="replace"))
        for name in sorted(accepted)
        if name.startswith("hlo/") and name.endswith(".hlo")
    ]
    for line in (corpus / "hlo_snippets.jsonl").read_text(encoding="utf-8").splitlines():
        snippet = json.loads(line)
        if snippet["xla_parser_accepts"]:
            found.append((snippet["id"], snippet["text"]))
    return found


def refused(chosen: list[tuple[str, str]]) -> list[str]:
    errors = []
    for name, text in chosen:
        try:
            read_hlo(text, source=name)
        except ReadError as error:
            errors.append(f"{name}: {error}")
    return errors


def test_a_sample_opens(shared_dir: Path) -> None:
    chosen = [(name, text) for name, text in texts(shared_dir / "corpus")[::STEP] if len(text) <= LONGEST]
    print(f"{len(chosen)} modules")
    assert len(chosen) > 400
    assert refused(chosen) == []


@pytest.mark.full
def test_all_open(shared_dir: Path) -> None:
    chosen = texts(shared_dir / "corpus")
    print(f"{len(chosen)} modules")
    assert len(chosen) > 2000
    assert refused(chosen) == []


def test_a_large_module_is_read(shared_dir: Path) -> None:
    file = max((shared_dir / "corpus" / "hlo").rglob("*llama31_70b*.hlo"), key=lambda path: path.stat().st_size)
    text = file.read_text(encoding="utf-8")
    assert sum(len(function.body.ops) for function in read_hlo(text).functions) > 1000


def test_truncated_files_say_so(shared_dir: Path) -> None:
    """The MaxText originals are cut at 2,000 lines."""
    cut = sorted((shared_dir / "corpus" / "hlo" / "maxtext").glob("*.hlo"))
    assert cut
    for file in cut:
        with pytest.raises(ReadError, match="the text stops here, in line 200"):
            read_hlo(file.read_text(encoding="utf-8"))
