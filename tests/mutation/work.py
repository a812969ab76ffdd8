"""What one worker of the campaign does: a module after the other, with one interpreter beside it."""

from __future__ import annotations

import functools
from pathlib import Path

from tests.mutation.campaign import Tally, attack
from tests.mutation.execution import Interpreter


@functools.cache
def _interpreter() -> Interpreter:
    return Interpreter()


def work(dialect: str, source: str, limit: int, seed: int, corpus: Path | None) -> Tally:
    """The tally of one module; whatever goes wrong in making it becomes a reason why it was not mutated."""
    try:
        return attack(dialect, source, limit, seed, corpus, _interpreter())
    except Exception as problem:  # noqa: BLE001 -- JAX of some version cannot make it
        tally = Tally(dialect, source)
        tally.blind = f"cannot be made: {type(problem).__name__}: {problem}"[:200]
        return tally
