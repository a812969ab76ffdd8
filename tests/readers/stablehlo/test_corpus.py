"""StableHLO that nobody of this project wrote: every file that MLIR can parse is read and verified."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from scanir.errors import ReadError
from scanir.ir.attrs import Attr
from scanir.ir.verify import problems
from scanir.readers import mlir_context
from scanir.readers.stablehlo import assemble, read_stablehlo
from scanir.readers.stablehlo.attributes import Attributes
from tests.readers.stablehlo.test_structure import shape


def files(shared_dir: Path, *folders: str) -> list[Path]:
    corpus = shared_dir / "corpus"
    return sorted(
        path for folder in folders for path in (corpus / folder).rglob("*") if path.suffix in (".mlir", ".mlirbc")
    )


def read_all(paths: list[Path]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for path in paths:
        data = path.read_bytes()
        try:
            module = read_stablehlo(data if path.suffix == ".mlirbc" else data.decode(), name=path.name)
        except ReadError as error:
            known = [what for what in ("MLIR cannot read this", "no function") if what in error.what]
            counts[known[0] if known else str(error)] += 1
            continue
        assert problems(module) == (), path
        counts["read"] += 1
    return counts


@pytest.mark.compat
def test_a_sample(shared_dir: Path) -> None:
    counts = read_all(files(shared_dir, "stablehlo", "jax_compat", "jax_compat_hist", "stablehlo_pairs")[::4])
    print(f"corpus sample: {dict(counts)}")
    assert counts["read"] >= 340
    assert counts.keys() <= {"read", "MLIR cannot read this", "no function"}


@pytest.mark.full
def test_all(shared_dir: Path) -> None:
    counts = read_all(files(shared_dir, "stablehlo", "jax_compat", "jax_compat_hist", "stablehlo_pairs"))
    print(f"corpus: {dict(counts)}")
    assert counts == {"read": 1397, "MLIR cannot read this": 29, "no function": 2}


def test_only_what_mlir_refuses_is_refused(shared_dir: Path) -> None:
    with (shared_dir / "corpus" / "MANIFEST.tsv").open() as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["xla_or_mlir_parser"] == "fail"]
    failing = [row["file"] for row in rows if row["file"].endswith((".mlir", ".mlirbc"))]
    assert failing
    for file in failing:
        with pytest.raises(ReadError, match="MLIR cannot read this"):
            read_stablehlo((shared_dir / "corpus" / file).read_bytes(), name=file)


def test_text_and_bytecode_of_a_program_are_one(shared_dir: Path) -> None:
    pairs = [path for path in files(shared_dir, "jax_compat") if path.suffix == ".mlirbc"][::3]
    assert len(pairs) >= 19
    for path in pairs:
        artifact, text = read_stablehlo(path.read_bytes()), read_stablehlo(path.with_suffix(".mlir").read_bytes())
        assert shape(artifact) == shape(text), path


def test_attributes_are_equal_only_where_mlir_says_so(shared_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No two attributes of the corpus that are written in different ways are read as one."""
    written: dict[Attr, str] = {}
    plain = Attributes.read

    def recorded(self: Attributes, attr: object, depth: int = 0) -> Attr:
        found = plain(self, attr, depth)
        text = str(attr)
        if "@" not in text:
            assert written.setdefault(found, text) == text
        return found

    monkeypatch.setattr(Attributes, "read", recorded)
    for path in files(shared_dir, "stablehlo", "jax_compat", "jax_compat_hist", "stablehlo_pairs")[::9]:
        try:
            assemble.read_stablehlo(path.read_bytes())
        except ReadError:
            continue
    assert len(written) > 300


def test_the_limit_is_far_from_real_programs(shared_dir: Path) -> None:
    texts = [path.read_text() for path in files(shared_dir, "stablehlo", "jax_compat")[::20] if path.suffix == ".mlir"]
    assert max(mlir_context.nesting(text) for text in texts) < mlir_context.MAX_NESTING // 10
