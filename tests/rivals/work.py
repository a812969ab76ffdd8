"""What one worker of the comparison does: a module's mutants, or a few equal pairs."""

from __future__ import annotations

import functools

from tests.mutation.sources import MODELS, functions
from tests.rivals.measure import Counts, Mutants, count_construct, count_family, families
from tests.rivals.tools import TOOLS

#: ("mutants", dialect, module, most mutants), (kind of construction, seed) or ("family", name, name).
Job = tuple[str | int, ...]
SEED = 0


def jobs(limit: int, pairs: int) -> list[Job]:
    """All jobs: models and strategies in three dialects, then equal pairs."""
    modules = [*MODELS, *(name for name in functions() if name.startswith("strategy "))]
    found: list[Job] = []
    for dialect in TOOLS:
        more = " before optimization" if dialect == "hlo" else ""
        found += [("mutants", dialect, f"{name}{more}", limit) for name in modules]
    found += [("rewrites", seed) for seed in range(pairs)]
    found += [("chains", seed) for seed in range(pairs // 2)]
    return [*found, *(("family", *names) for names in families())]


@functools.cache
def _mutants() -> Mutants:
    return Mutants()


def work(job: Job) -> Counts:
    match job:
        case ("mutants", str(dialect), str(source), int(limit)):
            return _mutants().count(dialect, source, limit, SEED)
        case ("family", str(left), str(right)):
            return count_family((left, right))
        case (str(kind), int(seed)):
            return count_construct(kind, seed)
    raise AssertionError(job)
