"""The process that makes checks, one after the other: told by a pipe, and answers by another.

What a person's code prints goes to the file that the parent reads when something went wrong. A process that a check
has changed (settings of JAX, the environment, the working directory) says so and is not used again, so that no answer
depends on which checks were made before it.
"""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from typing import Any, assert_never

from scanir.errors import ScanirError, TraceError
from scanir.gate.baseline import check_baseline, update
from scanir.gate.budget import check_budget
from scanir.gate.pair import check_pair, error_of
from scanir.gate.plan import Baseline, Budget, Check, Pair, Update
from scanir.outcome import Outcome


def main(incoming: int, outgoing: int) -> int:
    """Answer checks until there are no more; returns the exit status."""
    with os.fdopen(incoming, "rb") as source, os.fdopen(outgoing, "wb") as sink:
        setup = pickle.load(source)
        os.chdir(setup["directory"])
        problem = _imported(setup["imports"])
        while True:
            try:
                check: Check = pickle.load(source)
            except EOFError:
                return 0
            before = _state(check)
            outcome = made(check) if problem is None else error_of(problem, check.name, kind(check), check.spot)
            pickle.dump((outcome, before == _state(check)), sink)
            sink.flush()


def made(check: Check) -> Outcome:
    """The outcome of a check, whatever happens in this process."""
    try:
        match check:
            case Pair():
                return check_pair(check)
            case Budget():
                return check_budget(check)
            case Baseline():
                return check_baseline(check)
            case Update():
                return update(check)
            case _:
                assert_never(check)
    except ScanirError as problem:
        said = problem
    except SystemExit:
        said = TraceError("the program of a target ended the process (sys.exit)")
    except Exception as problem:  # noqa: BLE001 - whatever it is, the parent tells it
        first = str(problem).partition("\n")[0]
        what = f"internal error, please report: {type(problem).__name__}: {first}"
        said = ScanirError(what, hint="scanir diff with --traceback shows where")
    return error_of(said, check.name, kind(check), check.spot)


def kind(check: Check) -> str:
    """What a check is called in reports."""
    return "baseline" if isinstance(check, Update) else type(check).__name__.lower()


def _imported(names: tuple[str, ...]) -> ScanirError | None:
    """Import what the file asks for, as --import does."""
    from scanir.targets.imports import import_named

    try:
        for name in names:
            import_named(name)
    except ScanirError as problem:
        return problem
    return None


def _state(check: Check) -> Any:
    """What a check may change for those after it. Checks of files alone need no JAX, and import none."""
    settings: dict[str, str] = {}
    if "jax" in sys.modules or not all(_is_file(target) for target in check.targets):
        from scanir import _compat

        settings = {name: repr(_compat.setting(name)) for name in _compat.setting_names()}
    return settings, dict(os.environ), os.getcwd()


def _is_file(target: str) -> bool:
    try:
        return not target.endswith(".py") and Path(target).is_file()
    except (OSError, ValueError):
        return False
