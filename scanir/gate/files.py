"""The files of baselines on disk: which there are, and which nobody has any more. Imports no JAX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

from scanir.artifact import UNFINISHED, is_trace
from scanir.errors import ScanirError, TargetError
from scanir.gate.baseline import DIRECTORY, file_of
from scanir.gate.plan import Baseline


def states(directory: Path, baselines: Sequence[Baseline]) -> list[tuple[str, str, str]]:
    """(name, file, what there is) of each baseline."""
    return [(b.name, str(file_of(b.name)), _state(directory / file_of(b.name))) for b in baselines]


def _state(path: Path) -> str:
    from scanir.targets.artifact import read_artifact
    from scanir.targets.saved import Saved

    if not path.is_file():
        return "missing"
    try:
        found = read_artifact(str(path))
    except ScanirError as problem:
        return f"unreadable: {problem.what}"
    if not isinstance(found, Saved):
        return "no .scanir file"
    facts = dict(found.saved.provenance(found.stages[0]))
    return f"{', '.join(found.stages)}; jax {facts.get('jax', 'unknown')}, {facts.get('platform', 'unknown')}"


def stale(directory: Path, baselines: Sequence[Baseline]) -> tuple[str, ...]:
    """Files of traces that no baseline has, and what a process that was killed left behind, by name."""
    kept = {file_of(baseline.name).name for baseline in baselines}
    try:
        files = sorted(path for path in (directory / DIRECTORY).iterdir() if path.is_file())
    except FileNotFoundError:
        return ()
    except OSError as problem:
        raise TargetError(f"{DIRECTORY} cannot be read: {problem.strerror}", where=DIRECTORY) from problem
    return tuple(str(Path(DIRECTORY, path.name)) for path in files if path.name not in kept and _ours(path))


def _ours(path: Path) -> bool:
    """Whether a file is one that scanir baseline wrote there: those that begin with the name of a file of tests beside
    the directory are theirs."""
    if path.name.endswith(UNFINISHED):
        return True
    stem, _, rest = path.name.removesuffix(".scanir").partition(".")
    if rest and (path.parent.parent / f"{unquote(stem)}.py").is_file():
        return False
    with open(path, "rb") as file:
        return path.suffix == ".scanir" and is_trace(file.read(32))


def remove(directory: Path, name: str) -> None:
    """Remove a file. Raises TargetError."""
    try:
        (directory / name).unlink()
    except OSError as problem:
        raise TargetError(f"{name} cannot be removed: {problem.strerror}", where=name) from problem
