"""Real questions with right answers, from the folder beside the repository (its INDEX.md says how a verdict reads).

The project's own programs of the same kinds are in `tests.test_attacks`, `tests.test_matrix` and
`tests.normalize.test_rules`.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import scanir
from scanir.result import Verdict

pytestmark = pytest.mark.compat

STAGES = ("jaxpr", "stablehlo", "hlo")
ACCEPTED = {
    "same": {Verdict.IDENTICAL, Verdict.EQUIVALENT},
    # What is listed as different may be EQUIVALENT modulo exactly that difference, where results are the same bits.
    "different": {Verdict.DIFFERENT, Verdict.EQUIVALENT},
    "uncertain": {Verdict.INCONCLUSIVE, Verdict.DIFFERENT},
}
#: Questions whose "different" allows nothing milder: effects, NaN, "these args" and promises (INDEX.md).
ONLY_DIFFERENT = ("19", "26", "27", "32", "46")


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"case_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_cases(shared_dir: Path) -> None:
    """Every listed verdict, and for each EQUIVALENT that its rules are enough and cannot be spared."""
    wrong, asked = [], 0
    for path in sorted((shared_dir / "cases").glob("[0-9]*.py")):
        for f, g, args, wanted, reason in load(path).PAIRS:
            for stage in STAGES:
                asked += 1
                answer = scanir.diff(f, g, *args, stage=stage)
                accepted = ACCEPTED[wanted[stage]]
                if wanted[stage] == "different" and path.name.startswith(ONLY_DIFFERENT):
                    accepted = {Verdict.DIFFERENT}
                place = f"{path.name} {f.__name__}/{g.__name__} at {stage} ({reason})"
                if answer.verdict not in accepted:
                    wrong.append(f"{place}: {answer.verdict.name} where {wanted[stage]} is right")
                if answer.verdict is Verdict.EQUIVALENT:
                    needed = list(answer.modulo)
                    if not scanir.diff(f, g, *args, stage=stage, strict=True, allow=needed):
                        wrong.append(f"{place}: {needed} are not enough")
                    for rule in needed:
                        fewer = [other for other in needed if other != rule]
                        if scanir.diff(f, g, *args, stage=stage, strict=True, allow=fewer):
                            wrong.append(f"{place}: {rule} can be spared")
    print(f"cases: {asked - len(wrong)} of {asked} right")
    assert asked > 200
    assert wrong == []
